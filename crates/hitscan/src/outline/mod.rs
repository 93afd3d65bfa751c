//! Outlines: line segments that show shapes, rays and results, for debug drawing.

pub(crate) mod cast_outline;
pub(crate) mod convex_outline;
pub(crate) mod hit_outline;
pub(crate) mod mesh_outline;
pub(crate) mod outline;
pub(crate) mod outline_options;
pub(crate) mod outline_pen;
pub(crate) mod outline_segment;
pub(crate) mod unit_circle;
