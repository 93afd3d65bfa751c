//! Queries on one shape: from a ray to hits, spans and explanations.

pub(crate) mod box_filter;
pub(crate) mod closest_hit;
pub(crate) mod compact;
pub(crate) mod distance_limit;
pub(crate) mod explained_sweep;
pub(crate) mod instance_box;
pub(crate) mod instance_ray;
pub(crate) mod kernel_queries;
pub(crate) mod kernel_sweep;
pub(crate) mod line_of_sight;
pub(crate) mod moving_part;
pub(crate) mod nearest_points;
pub(crate) mod overlap_query;
pub(crate) mod point_query;
pub(crate) mod ray_cast;
pub(crate) mod shape;
pub(crate) mod shape_batch;
pub(crate) mod sweep_query;
pub(crate) mod swept_volume;
pub(crate) mod thickness;
