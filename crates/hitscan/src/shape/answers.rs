//! How a kernel answers every query.

#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
use super::abreast;
use super::candidate::Candidate;
#[cfg(not(feature = "small"))]
use super::foremost::{any_hit, contender, first_hit};
use super::kernel::Kernel;
#[cfg(not(feature = "small"))]
use super::queries::Contender;
use super::queries::Queries;
#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
use super::queries::one_by_one;
use super::settle::{FullAnswer, Settled, settle};
#[cfg(feature = "small")]
use super::small::{any_hit, first_hit, nearest};
use crate::explain::Recorder;
#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
use crate::math::Precision;
use crate::math::{Exact, InputRay, Real, Vector, W, Wide, WorkingRay};
use crate::{Aabb, Explanation, Hit, Inside, Query, RayLike, Span};
use glam::DVec3;
use smallvec::SmallVec;

/// The full answer, whatever arithmetic it takes; nothing for what is not a ray.
#[inline(never)]
pub(super) fn weighed<V: Vector>(
    shape: &dyn Settled,
    raw: &InputRay,
    query: &Query<V::Scalar>,
    recorder: &mut Recorder,
) -> FullAnswer<DVec3> {
    shape.full(raw, &query.double(), V::Scalar::PRECISION, recorder)
}

/// The hits of a shape, beginning with that of `cast_ray`, bit for bit: it may have been answered in less arithmetic than
/// all together.
fn all<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &WorkingRay<W<V>>,
    query: &Query<V::Scalar>,
) -> SmallVec<[(W<V>, Hit<V>); 2]> {
    settle(shape, |settled| hits(settled, line, query, &|| shape.first(line, query)))
}

#[inline(never)]
fn hits<V: Vector>(
    shape: &dyn Settled,
    line: &WorkingRay<W<V>>,
    query: &Query<V::Scalar>,
    first: &dyn Fn() -> Option<Hit<V>>,
) -> SmallVec<[(W<V>, Hit<V>); 2]> {
    let hits = weighed::<V>(shape, &line.raw, query, &mut Recorder::default()).hits;
    let mut hits: SmallVec<[_; 2]> = hits.into_iter().map(|(t, hit)| (W::<V>::from_parts(t), hit.convert())).collect();
    if let (Some((_, hit)), Some(first)) = (hits.first_mut(), first()) {
        *hit = first;
    }
    hits
}

/// The stretch of the line inside a solid. Where it has a beginning, that is what `cast_ray` hits first when the inside is
/// solid, bit for bit.
fn stretch<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &WorkingRay<W<V>>,
    query: &Query<V::Scalar>,
) -> Option<(W<V>, Span<V>)> {
    let first = || shape.first(line, &query.inside(Inside::Solid));
    settle(shape, |settled| beginning_with(settled, line, query, &first))
}

#[inline(never)]
fn beginning_with<V: Vector>(
    shape: &dyn Settled,
    line: &WorkingRay<W<V>>,
    query: &Query<V::Scalar>,
    first: &dyn Fn() -> Option<Hit<V>>,
) -> Option<(W<V>, Span<V>)> {
    let (t, span) = weighed::<V>(shape, &line.raw, query, &mut Recorder::default()).stretch?;
    let enter = span.enter.map(|enter| first().unwrap_or(enter.convert()));
    Some((W::<V>::from_parts(t), Span { enter, exit: span.exit.map(Hit::convert) }))
}

impl<V: Vector, K: Kernel<Vector = V>> Queries<V> for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn bounding_box(&self) -> Aabb<V> {
        self.bounds()
    }
    fn contains_point(&self, point: V) -> bool {
        settle(self, |shape| shape.holds(point.to_f64(), V::Scalar::PRECISION))
    }
    #[cfg(not(feature = "small"))]
    #[inline]
    fn contender(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, _limit: f64) -> Option<Contender<V>> {
        contender(self, || line.raw, query)
    }
    #[cfg(not(feature = "small"))]
    fn candidate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>> {
        self.contender(line, query, limit).map(|(candidate, _)| candidate)
    }
    #[cfg(feature = "small")]
    fn candidate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, _limit: f64) -> Option<Candidate<W<V>>> {
        nearest(self, || line.raw, query)
    }
    fn finish(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Hit<V>> {
        self.first(line, query)
    }
    #[inline]
    fn first(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        first_hit(self, || line.raw, query)
    }
    #[inline]
    fn cast(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        first_hit(self, || cast.raw(), query)
    }
    #[inline]
    fn meets(&self, cast: &impl RayLike<V>, query: &Query<V::Scalar>) -> bool {
        any_hit(self, || cast.raw(), query)
    }
    #[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
    fn cast_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        // Digits of `f64` take finer arithmetic for each line by itself, which takes longer than to find where they are.
        if K::ABREAST && V::Scalar::PRECISION == Precision::Single {
            abreast::cast_each(self, casts, query, out);
        } else {
            one_by_one(self, casts, query, out);
        }
    }
    #[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
    fn meets_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [bool]) {
        if K::ABREAST && V::Scalar::PRECISION == Precision::Single {
            abreast::meets_each(self, casts, query, out);
        } else {
            casts.iter().zip(out).for_each(|(cast, out)| *out = self.meets(cast, query));
        }
    }
    fn every(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        all(self, line, query).into_iter().for_each(|(t, hit)| out(t, hit));
    }
    fn exact_first(
        &self,
        line: &WorkingRay<Exact>,
        query: &Query<V::Scalar>,
        _found: &Candidate<W<V>>,
    ) -> Option<Exact> {
        let mut first = None;
        self.exact_every(line, query, &mut |t| first = first.or(Some(t)));
        first
    }
    fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        settle(self, |shape| shape.exact_every(line, &query.double(), out));
    }
    fn count(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> usize {
        all(self, line, query).len()
    }
    fn stretches(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
        stretch(self, line, query).into_iter().for_each(|(t, span)| out(t, span));
    }
    fn narrate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        settle(self, |shape| narrated::<V>(shape, line, query, explanation));
    }
}

#[inline(never)]
fn narrated<V: Vector>(
    shape: &dyn Settled,
    line: &WorkingRay<W<V>>,
    query: &Query<V::Scalar>,
    explanation: &mut Explanation,
) {
    if !line.is_valid() {
        explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
        return;
    }
    let mut recorder = Recorder::writing();
    weighed::<V>(shape, &line.raw, query, &mut recorder);
    explanation.append(recorder);
}
