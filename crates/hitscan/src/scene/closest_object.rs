//! Closest hit among the objects of a scene.

use crate::hit::Hit;
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate, certain_order};
use crate::math::exact::arena::with_precision;
use crate::math::vector::Working;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object_tree::PlacedObject;
use core::cmp::Ordering;

/// Object and its candidate.
pub(crate) type ObjectCandidate<'a, V> = (&'a PlacedObject<V>, HitCandidate<Working<V>>);

/// Search of the closest hit of a ray among objects. Hits are large: each is written where it stays, and only one that beats
/// an earlier hit is copied.
pub(crate) struct ClosestSearch<'s, 'r, V: Space> {
    pub(crate) line: &'s InstanceRay<'r, V>,
    pub(crate) query: &'s Query<V::Scalar>,
}

impl<V: Space> Clone for ClosestSearch<'_, '_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Space> Copy for ClosestSearch<'_, '_, V> {}

impl<V: Space> ClosestSearch<'_, '_, V> {
    /// Replaces `best` and its hit by those of an object, if that is closer, and lowers `limit`. Hits beyond `limit` need not
    /// be found. `own` is the query of the object. The hit stays `None` if the shape has not computed it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn update<'a>(
        self,
        (placed, own): (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
        best: &mut Option<ObjectCandidate<'a, V>>,
        hit: &mut Option<Hit<V>>,
    ) {
        let instance = &placed.object.instance.0;
        // The first hit is written to its final place: hits are large, and most rays hit one object.
        let Some(old) = best else {
            if let Some(new) = instance.candidate(self.line, own, *limit, hit) {
                *limit = limit.min(new.limit());
                *best = Some((placed, new));
            }
            return;
        };
        // A second candidate gets a place of its own, since the best hit so far may stay.
        let mut new_hit = None;
        let Some(new) = instance.candidate(self.line, own, *limit, &mut new_hit) else { return };
        if beats(self.line, self.query, &(placed, new), old) {
            *limit = limit.min(new.limit());
            *old = (placed, new);
            *hit = new_hit;
        }
    }

    /// Completes the hit of the closest candidate: computes it, if the shape has not, and says which object it is of.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn finish(self, (placed, found): &ObjectCandidate<'_, V>, hit: &mut Option<Hit<V>>) {
        if hit.is_none() {
            *hit = placed.object.instance.0.finish(self.line, &placed.own_query(self.query), found);
        }
        if let Some(hit) = hit {
            placed.mark(hit);
        }
    }
}

/// Whether the new candidate is closer than the old one, or equally close and of an object inserted before. So the
/// winner does not depend on the order of traversal.
fn beats<V: Space>(
    line: &InstanceRay<'_, V>,
    query: &Query<V::Scalar>,
    new: &ObjectCandidate<'_, V>,
    old: &ObjectCandidate<'_, V>,
) -> bool {
    let is_earlier = new.0.order < old.0.order;
    // Of two objects in which the ray starts, the one inserted first counts, with no comparison of `t`: both begin with
    // the range.
    if new.1.at_start && old.1.at_start {
        return is_earlier;
    }
    // Two rounded `t` whose error bounds overlap are computed again in exact arithmetic, so that rounding chooses no
    // winner.
    let order = certain_order(new.1.t, old.1.t).unwrap_or_else(|| {
        with_precision(COMPARISON_PRECISION, || {
            let t = |(placed, found): &ObjectCandidate<'_, V>| {
                placed.object.instance.0.exact_first(line, &placed.own_query(query), found)
            };
            t(new).zip(t(old)).map_or(Ordering::Equal, |(new, old)| new.cmp_rounded(old))
        })
    });
    if order.is_eq() { is_earlier } else { order.is_lt() }
}
