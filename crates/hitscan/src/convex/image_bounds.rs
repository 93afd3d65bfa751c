//! Bounding box of a convex shape under a transform.

use crate::aabb::Aabb;
use crate::basis::Basis;
use crate::convex::convex_shape::ConvexShape;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::transform::Transform;

/// Room for the roundings of an interval, relative to the largest terms.
const ROUNDINGS: f64 = power(-45);

impl ConvexShape {
    /// Bounding box of the image of the shape under a transform, rounded outward: along each axis, the interval of the shape
    /// along that row of the matrix. Everything for an axis-aligned box, whose image the transform bounds as well, and for a
    /// shape without bounds.
    pub(crate) fn image_bounds<V: Vector>(&self, transform: &Transform<V>) -> Aabb<V> {
        let room = match self {
            Self::Bounds { .. } | Self::HalfSpace { .. } | Self::Plane { .. } => return Aabb::everything(),
            // The rows are a basis of the precision.
            Self::Box { .. } | Self::Ellipsoid { .. } => Basis::<V>::slack() - 1.0,
            _ => ROUNDINGS,
        };
        transform.image_by_rows(|[x, y, z]| self.interval(Vec3::new(x, y, z)), ([self.largest(); 3], room))
    }
}
