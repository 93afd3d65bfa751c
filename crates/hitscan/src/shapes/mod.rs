//! Shapes: one file each, with its kernel.

pub(crate) mod along_axis;
pub(crate) mod bounds;
pub(crate) mod capped_cone;
pub(crate) mod capsule;
pub(crate) mod capsule_line;
pub(crate) mod common_face;
pub(crate) mod cone;
pub(crate) mod cone_side;
pub(crate) mod convex_hull;
pub(crate) mod cuboid;
pub(crate) mod cylinder;
pub(crate) mod disk;
pub(crate) mod ellipsoid;
pub(crate) mod error;
pub(crate) mod frustum;
pub(crate) mod half_space;
pub(crate) mod orientation;
pub(crate) mod oriented_box;
pub(crate) mod plane;
pub(crate) mod polygon;
pub(crate) mod quad;
pub(crate) mod segment;
pub(crate) mod sphere;
pub(crate) mod tapered_capsule;
pub(crate) mod tapered_side;
pub(crate) mod triangle;
