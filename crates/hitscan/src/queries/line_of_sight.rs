//! Lines of sight: segments whose two ends do not block them.

use crate::batch::batches;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::{Coplanar, Query};
use crate::ray::{RayLike, Segment};
use alloc::vec;
use alloc::vec::Vec;

/// Whether nothing is between the ends of a segment. A line of sight along a surface is blocked by it.
pub(crate) fn is_clear<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    sight: &Segment<V>,
    query: &Query<V::Scalar>,
) -> bool {
    if !(sight.a.all_finite() && sight.b.all_finite()) {
        return false;
    }
    let query = &query.coplanar(Coplanar::Hit);
    !shape.cast_any(sight, query)
        || !(shape.cast_any(sight, &between(query)) || is_blocked_near_end(shape, sight, query))
}

/// [`is_clear`] of each segment from `eye` to a target, in order.
pub(crate) fn each_is_clear<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    (eye, targets): (V, &[V]),
    query: &Query<V::Scalar>,
) -> Vec<bool> {
    let (mut clear, query) = (vec![false; targets.len()], &query.coplanar(Coplanar::Hit));
    batches(targets, &mut clear, |targets, clear| {
        // A block of segments is cast as rays from 0 to 1: those without a hit are clear.
        let sights: Vec<Segment<V>> = targets.iter().map(|&target| Segment::new(eye, target)).collect();
        let mut is_hit = vec![false; sights.len()];
        shape.cast_any_each(RayLike::batch(&sights), query, &mut is_hit);
        // For the others, hits at the very ends do not count: they are cast again without their ends.
        let rows: Vec<usize> = (0..sights.len()).filter(|&row| is_hit[row]).collect();
        let uncertain: Vec<Segment<V>> = rows.iter().map(|&row| sights[row]).collect();
        let mut is_blocked = vec![false; rows.len()];
        shape.cast_any_each(RayLike::batch(&uncertain), &between(query), &mut is_blocked);
        // A segment that is still free may be blocked between an end and the next number: counts of crossings decide.
        for (row, is_blocked) in rows.into_iter().zip(is_blocked) {
            is_hit[row] = is_blocked || is_blocked_near_end(shape, &sights[row], query);
        }
        // Segments that are not finite see nothing.
        for ((clear, is_hit), sight) in clear.iter_mut().zip(is_hit).zip(&sights) {
            *clear = !is_hit && sight.a.all_finite() && sight.b.all_finite();
        }
    });
    clear
}

/// The query from the first number above 0 to the last one below 1.
fn between<S: Real>(query: &Query<S>) -> Query<S> {
    within(query, S::ZERO.next_up(), S::ONE.next_down())
}

/// The part of the range of a query that lies in another one. A NaN stays, and hits nothing.
fn within<S: Real>(query: &Query<S>, low: S, high: S) -> Query<S> {
    let t_min = if query.t_min() < low { low } else { query.t_min() };
    let t_max = if query.t_max() > high { high } else { query.t_max() };
    query.range(t_min, t_max)
}

/// Whether a crossing is between the ends, for a segment without a hit from the first number above 0 to the last one below 1.
///
/// # Method
/// Crossings at `t` of exactly 0 and 1 do not count. All crossings in 0..=1 are more than those two together if and only if
/// one is between. Counts are exact. If no boundary is between, the segment is inside the same solids all along, and
/// [`Inside::Solid`](crate::Inside) has been decided by the range before.
#[cold]
fn is_blocked_near_end<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    sight: &Segment<V>,
    query: &Query<V::Scalar>,
) -> bool {
    let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
    let line = sight.line();
    let count = |low, high| shape.count(&InstanceRay::new(&line), &within(query, low, high).of_boundaries());
    count(zero, one) > count(zero, zero) + count(one, one)
}
