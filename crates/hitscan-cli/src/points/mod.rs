//! `hitscan distance` and `hitscan contains`: points in, distances or containment out.

mod arguments;
mod contains;
mod distance;
mod point_table;

pub(crate) use contains::ContainsArguments;
pub(crate) use distance::DistanceArguments;
