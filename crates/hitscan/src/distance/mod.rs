//! Closest points of shapes: the projection of a point on each surface.

pub(crate) mod ellipsoid;
pub(crate) mod flat;
pub(crate) mod local_point;
pub(crate) mod oriented_box;
pub(crate) mod profile;
pub(crate) mod projection;
pub(crate) mod quad;
pub(crate) mod revolved_image;
pub(crate) mod segment;
pub(crate) mod sphere;
pub(crate) mod triangle;
