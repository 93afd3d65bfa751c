//! Every query on a line in working arithmetic.

use super::candidate::Candidate;
use crate::math::{Exact, Vector, W, WorkingRay};
use crate::{Aabb, Explanation, Hit, Query, RayLike, Span};

/// A first hit in the making, and the hit if it is known.
pub(crate) type Contender<V> = (Candidate<W<V>>, Option<Hit<V>>);

/// Every query, on a line in working arithmetic. Implemented once for all kernels, and by what is made of many.
pub trait Queries<V: Vector> {
    #[doc(hidden)]
    fn name(&self) -> &'static str;
    #[doc(hidden)]
    fn bounding_box(&self) -> Aabb<V>;
    #[doc(hidden)]
    fn contains_point(&self, point: V) -> bool;
    /// [`first`](Self::first), of a line as it was given.
    #[doc(hidden)]
    #[inline]
    fn cast(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.first(&cast.line(), query)
    }
    /// [`cast`](Self::cast) of each line, in order.
    #[doc(hidden)]
    fn cast_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        one_by_one(self, casts, query, out);
    }
    /// [`any`](Self::any), of a line as it was given.
    #[doc(hidden)]
    #[inline]
    fn meets(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> bool {
        self.any(&cast.line(), query)
    }
    /// [`meets`](Self::meets) of each line, in order.
    #[doc(hidden)]
    fn meets_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [bool]) {
        casts.iter().zip(out).for_each(|(cast, out)| *out = self.meets(cast, query));
    }
    /// The first hit in the making: what decides which of two shapes is nearer. What lies beyond `limit` need not be
    /// found.
    #[doc(hidden)]
    fn candidate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>>;
    /// The same, and the full hit where that takes little more.
    #[doc(hidden)]
    #[inline]
    fn contender(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Contender<V>> {
        Some((self.candidate(line, query, limit)?, None))
    }
    /// The full hit of a candidate of the same line and query.
    #[doc(hidden)]
    fn finish(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, found: &Candidate<W<V>>) -> Option<Hit<V>>;
    #[doc(hidden)]
    fn first(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.finish(line, query, &self.candidate(line, query, f64::INFINITY)?)
    }
    #[doc(hidden)]
    fn any(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> bool {
        self.candidate(line, query, f64::INFINITY).is_some()
    }
    /// Hits by rising `t`, each with its unrounded `t`.
    #[doc(hidden)]
    fn every(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>));
    /// The exact `t` of a candidate, to tell it from another one that is all but as near.
    #[doc(hidden)]
    fn exact_first(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, found: &Candidate<W<V>>)
    -> Option<Exact>;
    /// The exact `t` of every hit, in the order of [`every`](Self::every).
    #[doc(hidden)]
    fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact));
    #[doc(hidden)]
    fn count(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> usize;
    /// Spans by rising `t`, each with its unrounded entry.
    #[doc(hidden)]
    fn stretches(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>));
    #[doc(hidden)]
    fn narrate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation);
}

/// [`cast_each`](Queries::cast_each) where nothing is gained by casting several at a time.
pub(crate) fn one_by_one<V: Vector>(
    shape: &(impl Queries<V> + ?Sized),
    casts: &[impl RayLike<V>],
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    casts.iter().zip(out).for_each(|(cast, out)| *out = shape.cast(cast, query));
}
