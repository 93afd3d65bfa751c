//! Kernel trait of a shape, and the query rules that all shapes share.

pub(crate) mod axis_plane;
pub(crate) mod candidate;
pub(crate) mod crossing;
pub(crate) mod flat_shape;
pub(crate) mod hit_builder;
pub(crate) mod kernel;
pub(crate) mod nearest_limit;
pub(crate) mod newton;
pub(crate) mod projection;
pub(crate) mod range_rules;
pub(crate) mod sweep_core;
