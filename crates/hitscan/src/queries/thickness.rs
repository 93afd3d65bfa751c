//! Thickness of a solid behind a point of its surface.

use crate::batch::batches;
use crate::hit::{Hit, Side, Span};
use crate::math::real::Real;
use crate::math::vector::Vector;
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

/// The thickness behind a hit.
///
/// # Method
/// The span of the line along the inward normal that begins nearest the hit, and not farther than the rounding of the hit can
/// have moved it. The range begins before that, so that a span that only reaches into it has another beginning. The normal of a
/// mesh follows the order of vertices, which need not be that of an outer side: if no span begins in its opposite, the solid is
/// on the side of the normal.
pub(crate) fn thickness<V: Vector>(shape: &(impl Shape<V> + ?Sized), hit: &Hit<V>) -> Option<Thickness<V>> {
    // How far rounding may have moved the hit from the surface.
    let room = hit.error_bound().to_f64() * MAX_GAP;
    if !room.is_finite() {
        return None;
    }
    let along = |direction| along(shape, hit, direction, room);
    along(-hit.normal).or_else(|| hit.primitive.and_then(|_| along(hit.normal)))
}

/// The thickness of the solid that begins at a hit, in a direction; `room` is how far the beginning may be away.
fn along<V: Vector>(shape: &(impl Shape<V> + ?Sized), hit: &Hit<V>, direction: V, room: f64) -> Option<Thickness<V>> {
    // The line begins a little before the hit, and goes through triggers as well: their solids have a thickness, too.
    let inward = Ray::new(hit.point, direction);
    let query = Query::from(V::Scalar::from_f64(-4.0 * room)..).triggers(Triggers::Hit);
    // Of the spans that begin near the hit on its own object, the one that begins nearest.
    let (mut best, mut nearest) = (None, room);
    shape.all_spans(&InstanceRay::new(&inward.line()), &query, &mut |_, span| {
        let Span { enter: Some(enter), exit: Some(exit) } = span else { return };
        // Of a shape by itself, hits have no object, but the hit may come from its scene.
        let is_same = enter.object.is_none() || (enter.object, enter.member) == (hit.object, hit.member);
        let gap = enter.t.to_f64().abs();
        // A span that begins at a triangle begins at the surface, whichever way that faces. A span that begins where the range
        // does names no triangle.
        let is_surface = enter.side == Side::Front || enter.primitive.is_some();
        if is_same && is_surface && (gap < nearest || (best.is_none() && gap <= nearest)) {
            (best, nearest) = (Some((enter, exit)), gap);
        }
    });
    // Both ends are rounded: a length below zero is none.
    best.map(|(enter, exit)| {
        let length = exit.distance - enter.distance;
        Thickness { length: if length > V::Scalar::ZERO { length } else { V::Scalar::ZERO }, enter, exit }
    })
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
