//! What a shape implements, and the rules of queries that are the same for all shapes.

pub(crate) mod candidate;
pub(crate) mod crossing;
pub(crate) mod hit_builder;
pub(crate) mod kernel;
pub(crate) mod newton;
pub(crate) mod range_rules;
