//! Bounding boxes, rounded outward.

use crate::aabb::Aabb;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;

/// Bounding box of `center`, `magnitude` to either side along each axis, rounded outward: see [`bounds_beyond`].
pub(crate) fn bounds_around<V: Vector>(center: V, magnitude: Vec3<f64>) -> Aabb<V> {
    bounds_beyond(Aabb { min: center, max: center }, magnitude)
}

/// A box, larger by `magnitude` to either side along each axis, rounded outward. Computed in plain `f64`,
/// where too large a number becomes infinite and does no other harm; `magnitude` may be off by 2^-40 of itself and by
/// the smallest number.
pub(crate) fn bounds_beyond<V: Vector>(Aabb { min, max }: Aabb<V>, magnitude: Vec3<f64>) -> Aabb<V> {
    let magnitude = magnitude.map(|r| Real::next_up(r + r * power(-40)));
    Aabb { min: V::narrow(min.widen::<f64>() - magnitude), max: V::narrow(max.widen::<f64>() + magnitude) }.outward()
}
