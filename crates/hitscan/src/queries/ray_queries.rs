//! Internal query trait.

use crate::aabb::Aabb;
use crate::adaptive::evaluate::Contender;
use crate::explain::Explanation;
use crate::hit::{Hit, Span};
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::math::working_ray::WorkingRay;
use crate::query::Query;
use crate::ray::RayLike;

/// Every query, on a ray in working arithmetic: implemented once for all kernels, and by meshes and scenes.
pub trait RayQueries<V: Vector> {
    #[doc(hidden)]
    fn name(&self) -> &'static str;
    #[doc(hidden)]
    fn bounding_box(&self) -> Aabb<V>;
    #[doc(hidden)]
    fn contains_point(&self, point: V) -> bool;
    /// [`closest_hit`](Self::closest_hit) of a ray as the caller gave it.
    #[doc(hidden)]
    #[inline]
    fn cast_closest(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.closest_hit(&cast.line(), query)
    }
    /// [`cast_closest`](Self::cast_closest) of each ray, in order.
    #[doc(hidden)]
    fn cast_closest_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        one_by_one(self, casts, query, out);
    }
    /// [`any_hit`](Self::any_hit) of a ray as the caller gave it.
    #[doc(hidden)]
    #[inline]
    fn cast_any(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> bool {
        self.any_hit(&cast.line(), query)
    }
    /// [`cast_any`](Self::cast_any) of each ray, in order.
    #[doc(hidden)]
    fn cast_any_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [bool]) {
        casts.iter().zip(out).for_each(|(cast, out)| *out = self.cast_any(cast, query));
    }
    /// Candidate of the closest hit, which decides between two shapes. A candidate beyond `limit` need not be found.
    #[doc(hidden)]
    fn candidate(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<HitCandidate<Working<V>>>;
    /// Candidate of the closest hit, with the hit where that costs little more.
    #[doc(hidden)]
    #[inline]
    fn closest_candidate(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<Contender<V>> {
        Some((self.candidate(line, query, limit)?, None))
    }
    /// Hit of a candidate of the same ray and query.
    #[doc(hidden)]
    fn finish(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>>;
    #[doc(hidden)]
    fn closest_hit(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.finish(line, query, &self.candidate(line, query, f64::INFINITY)?)
    }
    #[doc(hidden)]
    fn any_hit(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>) -> bool {
        self.candidate(line, query, f64::INFINITY).is_some()
    }
    /// Hits by rising `t`, each with its unrounded `t`.
    #[doc(hidden)]
    fn all_hits(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    );
    /// Exact `t` of a candidate, for comparison with a candidate that is nearly as close.
    #[doc(hidden)]
    fn exact_first(
        &self,
        line: &WorkingRay<Exact>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact>;
    /// Exact `t` of every hit, in the order of [`all_hits`](Self::all_hits).
    #[doc(hidden)]
    fn exact_all_t(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact));
    #[doc(hidden)]
    fn count(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>) -> usize;
    /// Spans by rising `t`, each with its unrounded entry.
    #[doc(hidden)]
    fn all_spans(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        out: &mut dyn FnMut(Working<V>, Span<V>),
    );
    #[doc(hidden)]
    fn explain_ray(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation);
}

/// [`cast_closest_each`](RayQueries::cast_closest_each) one ray at a time, where groups of rays gain nothing.
pub(crate) fn one_by_one<V: Vector>(
    shape: &(impl RayQueries<V> + ?Sized),
    casts: &[impl RayLike<V>],
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    casts.iter().zip(out).for_each(|(cast, out)| *out = shape.cast_closest(cast, query));
}
