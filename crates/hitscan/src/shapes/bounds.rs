//! Bounding boxes, rounded outward.

use crate::aabb::Aabb;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;

/// Bounding box of `center`, `magnitude` to either side along each axis, rounded outward. Computed in plain `f64`,
/// where too large a number becomes infinite and does no other harm; `magnitude` may be off by 2^-40 of itself and by
/// the smallest number.
pub(crate) fn bounds_around<V: Vector>(center: V, magnitude: Vec3<f64>) -> Aabb<V> {
    let c = center.widen::<f64>();
    let magnitude = magnitude.map(|r| (r + r * f64::from_bits((1023 - 40) << 52)).next_up());
    Aabb { min: V::narrow(c - magnitude), max: V::narrow(c + magnitude) }.outward()
}
