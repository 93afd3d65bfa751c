//! Convex shapes by their support maps, and the distance between two of them.

pub(crate) mod convex_shape;
pub(crate) mod gjk;
pub(crate) mod image_bounds;
pub(crate) mod penetration;
pub(crate) mod simplex;
pub(crate) mod support;
pub(crate) mod surface_normal;
