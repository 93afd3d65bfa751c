//! The closest point of a sphere, in 2D of a circle.

use crate::closest_point::Feature;
use crate::distance::ellipsoid::on_ball_image;
use crate::distance::local_point::{LocalPoint, length};
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::shapes::sphere::Sphere;

/// Unit vector along x.
pub(crate) fn x_axis<T: Arithmetic>() -> Vec3<T> {
    Vec3::new(T::ONE, T::ZERO, T::ZERO)
}

impl<V: Vector> Project for Sphere<V> {
    /// # Method
    /// The point of the surface in the direction of the query point.
    ///
    /// # Source
    /// Ericson, *Real-Time Collision Detection*, 2005, section 4.3.
    ///
    /// # Accuracy
    /// Few roundings of the largest coordinate or the radius: `closest_point.rs`.
    ///
    /// # Edges
    /// From the centre the closest point is in the direction of +x.
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        let center = self.center().widen();
        let local = LocalPoint::new(point, center, self.radius().to_f64());
        let r = local.length(T::from_f64(self.radius().to_f64()));
        let direction = local.direction_from(center).unit().unwrap_or_else(x_axis);
        local.projection(direction * r, (length(local.o) - r).abs(), Feature::Face(0))
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        on_ball_image::<V, T>(point, (self.center().widen(), self.radius().to_f64()), map)
    }
}
