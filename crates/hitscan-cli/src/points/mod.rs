//! `hitscan distance` and `hitscan contains`: points in, distances or containment out.

mod arguments;
mod contains;
mod distance;
mod inside_rule;
mod point_table;

pub(crate) use arguments::GivenPoints;
pub(crate) use contains::ContainsArguments;
pub(crate) use distance::DistanceArguments;
