//! The normal of the flat face that a moving volume touches.

use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::sweep_hit::SweepHit;
use core::cmp::Ordering;

/// Cosines up to this share are those of a right angle: 2^-20, above the roundings of a unit vector in `f32`.
const RIGHT_ANGLE: f64 = power(-20);

/// The unit normal of a flat surface on the side that a volume comes from. `front` is the normal of the front, of any length;
/// `facing` decides exactly how it points along the motion: less than zero where the volume comes from the front. `None` for a surface
/// without a normal: a triangle without an area.
///
/// At the start, the volume is on the side to which the normal of the contact points. Later it comes from the side against which it
/// moves. Where that leaves both sides open, the other rule decides, and then it is the front.
pub(crate) fn face_normal<V: Vector>(
    front: Vec3<Working<V>>,
    hit: &SweepHit<V>,
    line: &WorkingRay<Working<V>>,
    facing: &dyn Fn() -> Ordering,
) -> Option<V> {
    let unit = front.direction()?;
    // By the motion: plain numbers decide where the surface is not nearly parallel to it.
    let by_motion = || {
        let direction = line.direction.map_to(Arithmetic::to_f64).normalize_exponent();
        let along = unit.plain_dot(direction);
        if along.abs() > RIGHT_ANGLE * direction.l1_norm() { along.total_cmp(&0.0) } else { facing() }
    };
    // By the contact: less where its normal points to the front.
    let by_contact = || {
        let along = unit.plain_dot(hit.normal.widen());
        if along.abs() > RIGHT_ANGLE { 0.0f64.total_cmp(&along) } else { Ordering::Equal }
    };
    let side = if hit.depth.is_some() { by_contact().then_with(by_motion) } else { by_motion().then_with(by_contact) };
    Some(V::narrow::<f64>(if side.is_gt() { -unit } else { unit }))
}
