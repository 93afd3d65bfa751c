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
    /// along that row of the matrix. `None` for an axis-aligned box, whose image the transform bounds as well, for a shape
    /// without bounds, and for numbers beyond the range of `f64`.
    pub(crate) fn image_bounds<V: Vector>(&self, transform: &Transform<V>) -> Option<Aabb<V>> {
        let room = match self {
            Self::Bounds { .. } | Self::HalfSpace { .. } | Self::Plane { .. } => return None,
            // The rows are a basis of the precision.
            Self::Box { .. } | Self::Ellipsoid { .. } => Basis::<V>::slack() - 1.0,
            _ => ROUNDINGS,
        };
        let (columns, origin, largest) = (transform.columns(), transform.translation().to_f64(), self.largest());
        let mut image = [[0.0; 3]; 2];
        for axis in 0..V::DIM {
            let row = columns.map(|column| column[axis]);
            let [least, most] = self.interval(Vec3::new(row[0], row[1], row[2]));
            let slack =
                (origin[axis].abs() + row.iter().map(|x| x.abs()).sum::<f64>() * largest) * room + f64::MIN_POSITIVE;
            image[0][axis] = origin[axis] + least - slack;
            image[1][axis] = origin[axis] + most + slack;
        }
        image.as_flattened().iter().all(|x| x.is_finite()).then(|| Aabb::rounded_outward(image))
    }
}
