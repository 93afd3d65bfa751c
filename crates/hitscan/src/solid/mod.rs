//! Solids: unions, intersections and differences of shapes.

pub(crate) mod evaluation;
pub(crate) mod expression;
pub(crate) mod line_crossings;
pub(crate) mod line_lanes;
pub(crate) mod merged_spans;
pub(crate) mod near_surfaces;
pub(crate) mod solid;
pub(crate) mod solid_queries;
