//! Thickness of a solid behind a point of its surface.

use crate::batch::batches;
use crate::hit::{Hit, Side, Span};
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use crate::math::vector::{Vector, Working};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::{Query, Triggers};
use crate::ray::{Ray, RayLike};
use alloc::vec;
use alloc::vec::Vec;

/// The thickness of a solid: the result of [`RayCast::thickness`](crate::RayCast::thickness).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Thickness<V: Vector> {
    /// The length from `enter` to `exit`.
    pub length: V::Scalar,
    /// Where the line enters the solid, beside the hit: within rounding the same point.
    pub enter: Hit<V>,
    /// Where the line leaves the solid.
    pub exit: Hit<V>,
}

/// The farthest that the line may enter the solid from the hit, as a multiple of [`Hit::error_bound`]: the tangent plane is
/// within one bound, and a curved surface falls away from it by less than another where spawned rays are proved.
const MAX_GAP: f64 = 4.0;

/// How far before the hit the quick line begins, as a share of the largest coordinate of the hit.
const STEP_BACK: f64 = power(-6);

/// The thickness behind a hit.
///
/// # Method
/// The span of the line along the inward normal that begins nearest the hit, and not farther than the rounding of the hit can
/// have moved it. The range begins before that, so that a span that only reaches into it has another beginning. The normal of a
/// mesh follows the order of vertices, which need not be that of an outer side: if no span begins in its opposite, the solid is
/// on the side of the normal.
///
/// The filter cannot decide a ray that begins on a surface. So the line begins a step before the hit, from a point that is rounded as
/// the hit is. Only where that finds no span, or one that is shorter than the step and would lose digits, does it begin at the hit.
pub(crate) fn thickness<V: Vector>(shape: &(impl Shape<V> + ?Sized), hit: &Hit<V>) -> Option<Thickness<V>> {
    // How far rounding may have moved the hit from the surface.
    let room = hit.error_bound().to_f64() * MAX_GAP;
    if !room.is_finite() {
        return None;
    }
    let behind = |direction| {
        let step = power_of_two_below(hit.point.widen::<f64>().max_abs_f64()).map(|scale| STEP_BACK / scale);
        let quick = step.filter(|step| *step > 16.0 * room).and_then(|step| along(shape, hit, direction, room, step));
        quick.or_else(|| along(shape, hit, direction, room, 0.0))
    };
    behind(-hit.normal).or_else(|| hit.primitive.and_then(|_| behind(hit.normal)))
}

/// The thickness of the solid that begins at a hit, in a direction, by the line that begins a step before the hit; `room` is how far
/// the beginning of the solid may be away. `None` also for a length below the step.
fn along<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    hit: &Hit<V>,
    direction: V,
    room: f64,
    step: f64,
) -> Option<Thickness<V>> {
    // The beginning is rounded, so the distance to the hit is not quite the step.
    let (point, way) = (hit.point.widen::<f64>(), direction.widen::<f64>());
    let inward = Ray::new(V::narrow(point - way * step), direction);
    let ahead = if step > 0.0 { (point - inward.origin.widen()).dot(way) / way.length_sq() } else { 0.0 };
    // The line goes through triggers as well: their solids have a thickness, too.
    let begin = if step > 0.0 { 0.5 * step } else { -4.0 * room };
    let query = Query::from(V::Scalar::from_f64(begin)..).triggers(Triggers::Hit);
    // Of the spans that begin near the hit on its own object, the one that begins nearest.
    let (mut best, mut nearest) = (None, room);
    shape.all_spans(&InstanceRay::new(&inward.line()), &query, &mut |ends, span| {
        let Span { enter: Some(enter), exit: Some(exit) } = span else { return };
        // Of a shape by itself, hits have no object, but the hit may come from its scene.
        let is_same = enter.object.is_none() || (enter.object, enter.member) == (hit.object, hit.member);
        let [begin, end] = ends.map(|t| (t - Working::<V>::from_f64(ahead)).to_f64());
        // A span that begins at a triangle begins at the surface, whichever way that faces. A span that begins where the range
        // does names no triangle.
        let is_surface = enter.side == Side::Front || enter.primitive.is_some();
        if is_same && is_surface && (begin.abs() < nearest || (best.is_none() && begin.abs() <= nearest)) {
            (best, nearest) = (Some(([begin, end], (ends[1] - ends[0]).to_f64(), enter, exit)), begin.abs());
        }
    });
    let (ends, length, enter, exit) = best.filter(|(_, length, ..)| step == 0.0 || *length >= step)?;
    // `t` counts from the hit.
    let speed = way.length();
    let from_hit =
        |at: Hit<V>, t: f64| Hit { t: V::Scalar::from_f64(t), distance: V::Scalar::from_f64(t * speed), ..at };
    // Both ends are rounded: a length below zero is none.
    let length = if length > 0.0 { length * speed } else { 0.0 };
    let [enter, exit] = [from_hit(enter, ends[0]), from_hit(exit, ends[1])];
    Some(Thickness { length: V::Scalar::from_f64(length), enter, exit })
}

/// The thickness behind each hit, in order.
pub(crate) fn each_thickness<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    hits: &[Hit<V>],
) -> Vec<Option<Thickness<V>>> {
    let mut found = vec![None; hits.len()];
    batches(hits, &mut found, |hits, found| {
        hits.iter().zip(found).for_each(|(hit, found)| *found = thickness(shape, hit));
    });
    found
}
