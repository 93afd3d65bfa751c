//! Triangle meshes.

pub(crate) mod batch;
pub(crate) mod build;
pub(crate) mod closest_triangle;
pub(crate) mod error;
pub(crate) mod hit_output;
pub(crate) mod hit_search;
pub(crate) mod instance_triangle;
pub(crate) mod overlapping_triangles;
pub(crate) mod saved;
pub(crate) mod single_ray;
pub(crate) mod topology;
pub(crate) mod triangle_blocks;
pub(crate) mod triangle_bounds;
pub(crate) mod triangle_filter;
pub(crate) mod triangle_mesh;
pub(crate) mod triangle_test;
