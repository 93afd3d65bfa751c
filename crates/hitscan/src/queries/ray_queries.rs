//! Every query on a line in working arithmetic.

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

/// Every query, on a line in working arithmetic. Implemented once for all kernels, and by what is made of many.
pub trait RayQueries<V: Vector> {
    #[doc(hidden)]
    fn name(&self) -> &'static str;
    #[doc(hidden)]
    fn bounding_box(&self) -> Aabb<V>;
    #[doc(hidden)]
    fn contains_point(&self, point: V) -> bool;
    /// [`first`](Self::first), of a line as it was given.
    #[doc(hidden)]
    #[inline]
    fn cast_closest(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.closest_hit(&cast.line(), query)
    }
    /// [`cast`](Self::cast) of each line, in order.
    #[doc(hidden)]
    fn cast_closest_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        one_by_one(self, casts, query, out);
    }
    /// [`any`](Self::any), of a line as it was given.
    #[doc(hidden)]
    #[inline]
    fn cast_any(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> bool {
        self.any_hit(&cast.line(), query)
    }
    /// [`meets`](Self::meets) of each line, in order.
    #[doc(hidden)]
    fn cast_any_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [bool]) {
        casts.iter().zip(out).for_each(|(cast, out)| *out = self.cast_any(cast, query));
    }
    /// The first hit in the making: what decides which of two shapes is nearer. What lies beyond `limit` need not be
    /// found.
    #[doc(hidden)]
    fn candidate(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<HitCandidate<Working<V>>>;
    /// The same, and the full hit where that takes little more.
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
    /// The full hit of a candidate of the same line and query.
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
    /// The exact `t` of a candidate, to tell it from another one that is all but as near.
    #[doc(hidden)]
    fn exact_first(
        &self,
        line: &WorkingRay<Exact>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact>;
    /// The exact `t` of every hit, in the order of [`every`](Self::every).
    #[doc(hidden)]
    fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact));
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

/// [`cast_closest_each`](Queries::cast_each) where nothing is gained by casting several at a time.
pub(crate) fn one_by_one<V: Vector>(
    shape: &(impl RayQueries<V> + ?Sized),
    casts: &[impl RayLike<V>],
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    casts.iter().zip(out).for_each(|(cast, out)| *out = shape.cast_closest(cast, query));
}
