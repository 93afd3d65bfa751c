//! Builds a hit from a crossing: point, distance, normal.

use crate::hit::{Hit, Side};
use crate::kernel::crossing::Normal;
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;

/// Hit from its parts. Without a normal, the hit gets the reversed direction of the ray.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn build_hit<V: Vector, T: Arithmetic>(
    line: &WorkingRay<T>,
    t: T,
    normal: Option<Vec3<T>>,
    side: Side,
    uv: Option<[T; 2]>,
) -> Hit<V> {
    shared!(T, {
        let (point, distance) = line.at(t);
        hit_at(line, (t, point, distance), normal.map(Normal::Direction), side, uv)
    })
}

/// Hit from its parts, including point and distance.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn hit_at<V: Vector, T: Arithmetic>(
    line: &WorkingRay<T>,
    (t, point, distance): (T, Vec3<T>, T),
    normal: Option<Normal<T>>,
    side: Side,
    uv: Option<[T; 2]>,
) -> Hit<V> {
    shared!(T, {
        let narrow = |x: T| V::Scalar::from_f64(x.to_f64());
        let normal = match normal {
            Some(Normal::Unit(v)) => Some(v.map_to(Arithmetic::to_f64)),
            // For `f32`, plain `f64` has enough digits.
            Some(Normal::Long(v, length)) if T::NORMWISE_BOUNDS && !T::VALUES_ONLY => {
                Some((v * (T::ONE / length)).map_to(Arithmetic::to_f64))
            }
            // Extended-precision directions are normalized in `f64`: see `direction`.
            Some(normal) => normal.vector().direction(),
            None => None,
        };
        let normal = normal.or_else(|| (-line.direction).direction()).unwrap_or_default();
        let (place, uv) = ((narrow(t), narrow(distance)), uv.map(|uv| uv.map(narrow)));
        Hit::of_numbers(place, V::narrow(point), V::narrow::<f64>(normal), side, uv)
    })
}
