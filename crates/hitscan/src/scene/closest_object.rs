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

/// Closest candidate found so far.
#[derive(Clone)]
pub(crate) struct ClosestSoFar<'a, V: Space> {
    pub(crate) found: ObjectCandidate<'a, V>,
    /// The full hit, if the shape has already computed it.
    hit: Option<Hit<V>>,
}

impl<'a, V: Space> ClosestSoFar<'a, V> {
    /// Replaces `best` by the candidate of an object, if that is closer, and lowers `limit`. Hits beyond `limit` need not
    /// be found. `own` is the query of the object.
    #[inline(always)]
    pub(crate) fn update(
        best: &mut Option<Self>,
        (line, query): (&InstanceRay<'_, V>, &Query<V::Scalar>),
        (placed, own): (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
    ) {
        let Some((new, hit)) = placed.object.instance.closest_candidate(line, own, *limit) else { return };
        let found = (placed, new);
        if best.as_ref().is_none_or(|old| beats(line, query, &found, &old.found)) {
            *limit = limit.min(new.limit());
            *best = Some(Self { found, hit });
        }
    }

    /// The object that must compute the hit; `None` if the hit is known.
    pub(crate) fn needs(&self) -> Option<&'a PlacedObject<V>> {
        self.hit.is_none().then_some(self.found.0)
    }

    /// Builds the hit of the candidate.
    #[inline(always)]
    pub(crate) fn finish(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let (placed, found) = &self.found;
        let hit = self.hit.or_else(|| placed.object.instance.finish(line, &placed.own_query(query), found))?;
        Some(placed.own_hit(hit))
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
    if new.1.at_start && old.1.at_start {
        return is_earlier;
    }
    let order = certain_order(new.1.t, old.1.t).unwrap_or_else(|| {
        with_precision(COMPARISON_PRECISION, || {
            let t = |(placed, found): &ObjectCandidate<'_, V>| {
                placed.object.instance.exact_first(line, &placed.own_query(query), found)
            };
            t(new).zip(t(old)).map_or(Ordering::Equal, |(new, old)| new.cmp_rounded(old))
        })
    });
    if order.is_eq() { is_earlier } else { order.is_lt() }
}
