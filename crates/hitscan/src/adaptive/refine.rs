//! Refinement of a closest hit from the filter: one Newton step instead of another evaluation of the kernel.

use crate::adaptive::evaluate::{ClosestT, Results, TParts, Wanted, boundary_hits, finish};
use crate::adaptive::stages::{Evaluate, evaluate_decided_compactly};
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::crossing::Crossing;
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::kernel::range_rules::{BoundaryHit, TRange, side};
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::double_word::DoubleWord;
use crate::math::observer::Unfiltered;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::query::Query;
use crate::simd::dispatch::dispatch_fma;
use crate::simd::task::FmaKernel;
use crate::target::COMPACT;

/// Refines a certain closest hit by a Newton step; `None` if it needs the whole kernel.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn refine<K: Kernel, const FMA: bool>(
    shape: &K,
    raw: &InputRay,
    found: &BoundaryHit<f64>,
) -> Option<Refined<FMA>> {
    match found {
        BoundaryHit::Inside(t) => Start::<FMA>::new(raw, Crossing::new(*t, 0, 1.0)).inside(),
        BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => shape.refine(&Start::new(raw, *at)),
    }
}

/// [`refine`] without FMA, for machines that lack it and for rare hits: compiled once for each shape.
#[inline(never)]
fn refine_unfused<K: Kernel>(shape: &K, raw: &InputRay, found: &BoundaryHit<f64>) -> Option<Refined<false>> {
    refine(shape, raw, found)
}

/// `t` of that hit.
struct RefineT<'a, K: Kernel>(&'a K, &'a InputRay, &'a BoundaryHit<f64>);

impl<K: Kernel> FmaKernel for RefineT<'_, K> {
    type Output = Option<TParts>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) -> Self::Output {
        match self.2 {
            BoundaryHit::Inside(t) => Some((*t, 0.0)),
            _ if !FMA => Some(refine_unfused(self.0, self.1, self.2)?.t.parts()),
            BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => {
                Some(self.0.refine(&Start::<FMA>::new(self.1, *at))?.t.parts())
            }
        }
    }
}

/// Closest hit to all digits of `f64`, from a certain one of the filter: by a Newton step if the kernel has one and it
/// converges, else by the whole kernel in double-word arithmetic. Without FMA: it runs where [one pass](super::one_pass) does not.
#[inline(always)]
pub(crate) fn refined<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
    found: &BoundaryHit<f64>,
) -> Option<Hit<K::Vector>> {
    // Newton's step needs less time than the kernel in double-words, but not each kernel has one.
    let refined = if K::REFINES { refine_unfused(shape, input, found) } else { None };
    refined.map(|refined| refined.hit(side::<K, _>(found))).or_else(|| closest_hit(shape, input, query))
}

/// `t` of that hit.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn refined_t<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
    found: &BoundaryHit<f64>,
) -> Option<TParts> {
    if K::REFINES {
        dispatch_fma(RefineT(shape, input, found)).or_else(|| closest_t(shape, input, query))
    } else {
        dispatch_fma(ClosestTFused(shape, input, query))
    }
}

/// A hit and its `t` to all digits of `f64` from a certain crossing, with the bits of the closest hit; `None` where the Newton step does
/// not converge.
#[inline(never)]
pub(crate) fn refined_hit<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    found: &BoundaryHit<f64>,
) -> Option<(TParts, Hit<K::Vector>)> {
    dispatch_fma(RefineHit(shape, input, found))
}

/// A hit and its `t` by a Newton step.
struct RefineHit<'a, K: Kernel>(&'a K, &'a InputRay, &'a BoundaryHit<f64>);

impl<K: Kernel> FmaKernel for RefineHit<'_, K> {
    type Output = Option<(TParts, Hit<K::Vector>)>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) -> Self::Output {
        let Self(shape, input, found) = self;
        if FMA {
            let refined = refine::<K, FMA>(shape, input, found)?;
            Some((refined.t.parts(), refined.hit(side::<K, _>(found))))
        } else {
            let refined = refine_unfused(shape, input, found)?;
            Some((refined.t.parts(), refined.hit(side::<K, _>(found))))
        }
    }
}

/// Closest hit from the whole kernel.
#[cold]
#[inline(never)]
pub(crate) fn closest_hit<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
) -> Option<Hit<K::Vector>> {
    Some(in_double_words(shape, input, query)?.1)
}

/// `t` of that hit.
#[cold]
#[inline(never)]
fn closest_t<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
) -> Option<TParts> {
    Some(in_double_words(shape, input, query)?.0)
}

/// That hit and its `t`, by the body that instances and all hits share.
fn in_double_words<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
) -> Option<(TParts, Hit<K::Vector>)> {
    if COMPACT {
        let results = evaluate_decided_compactly(&Results(shape, query, Wanted::Closest), input);
        return results.hits.first().map(|(t, hit)| (*t, hit.convert()));
    }
    let line = input.line::<DoubleWord<false>>();
    let range = TRange::new(&line, query);
    let (state, hits) = boundary_hits(shape, &line, &range, (query, Wanted::Closest), &mut Unfiltered)?;
    Some(finish(shape, &line, state.as_ref(), &hits.one?))
}

/// `t` of the closest hit from the whole kernel, for the shapes that have no Newton step: with FMA, where the machine has it.
struct ClosestTFused<'a, K: Kernel>(&'a K, &'a InputRay, &'a Query<f64>);

impl<K: Kernel<Vector: Vector<Scalar = f64>>> FmaKernel for ClosestTFused<'_, K> {
    type Output = Option<TParts>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) -> Self::Output {
        let Self(shape, input, query) = self;
        if !FMA {
            return closest_t(shape, input, query);
        }
        let found = ClosestT(shape, query).evaluate(&input.line::<DoubleWord<FMA>>(), &mut Unfiltered);
        found.map(|found: HitCandidate<Dd>| found.t.parts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::evaluate::{ClosestCrossing, ShapeResults};
    use crate::adaptive::fallback::ExactKernel;
    use crate::adaptive::stages::{evaluate_filter, evaluate_unfused};
    use crate::basis::Basis;
    use crate::math::real::Precision;
    use crate::math::rounding::power;
    use crate::{
        Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace, OrientedBox, Plane, Quad,
        TaperedCapsule,
    };
    use crate::{Ray, RayLike, SegmentShape, Sphere, Triangle, Triangle2};
    use alloc::format;
    use glam::DVec3;
    use test_support::random::Lcg;

    /// Compares the whole kernel in double words, as native builds compile it, with the type-erased body of `COMPACT` builds:
    /// the hits are equal, bit for bit. Returns the number of hits.
    fn same_hits<K: Kernel<Vector: Vector<Scalar = f64>>>(shape: &K) -> usize {
        let mut lcg = Lcg::new(K::NAME.len() as u64);
        let mut coordinate = |size: f64| size * ((lcg.state() >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
        let (mut hits, mut certain) = (0, 0);
        for _ in 0..3000 {
            let [origin, target] = [6.0, 1.5].map(|size| K::Vector::from_xyz([0; 3].map(|_| coordinate(size))));
            let (input, query) = (Ray::new(origin, target - origin).raw(), Query::new());
            if !matches!(evaluate_filter(&ClosestCrossing(shape, &query), || input), Some(Some(_))) {
                continue;
            }
            let native = closest_hit(shape, &input, &query);
            let compact = evaluate_decided_compactly(&Results(shape, &query, Wanted::Closest), &input);
            assert_eq!(native, compact.hits.first().map(|(_, hit)| hit.convert()), "{} {input:?}", K::NAME);
            // All hits and the span as text, which shows the signs of zeros.
            for wanted in [Wanted::Hits, Wanted::Span] {
                let results = Results(shape, &query, wanted);
                let (native, compact) =
                    (evaluate_unfused(&results, &input), evaluate_decided_compactly(&results, &input));
                let text = |found: ShapeResults| format!("{:?} {:?} {}", found.hits, found.span, found.count);
                assert_eq!(text(native), text(compact));
            }
            // The ends of the span of the whole line, from the filter alone.
            let (whole, mut ends) = (Query::line(), ShapeResults::default());
            let wanted = (&whole, Wanted::Ends);
            if K::SOLID && shape.filtered_results(&input, None, wanted, Precision::Single, &mut ends).is_some() {
                let span = evaluate_unfused(&Results(shape, &whole, Wanted::Span), &input).span;
                let (found, exact) = (ends.span.unwrap().0, span.unwrap().0);
                let is_close = |(found, exact): (TParts, TParts)| {
                    found.0 == exact.0 || (found.0 - exact.0).abs() <= power(-26) * exact.0.abs()
                };
                assert!(found.into_iter().zip(exact).all(is_close), "{} {input:?} {found:?} {exact:?}", K::NAME);
                certain += 1;
            }
            hits += 1;
        }
        assert!(!K::SOLID || certain * 2 > hits, "{}: {certain} of {hits}", K::NAME);
        hits
    }

    #[test]
    fn compact_builds_have_the_hits_of_native_ones() {
        // Each shape of space, and then each of the plane, with rays enough that some hit.
        let (a, b, c) = (DVec3::new(-0.5, -1.0, 0.2), DVec3::new(0.4, 1.2, -0.3), DVec3::new(0.7, -1.1, 0.9));
        let (half, tilted) = (DVec3::new(1.0, 0.5, 0.7), Basis::from_direction(c).unwrap());
        let hits = [
            same_hits(&Sphere::new(a, 1.5).unwrap()),
            same_hits(&Capsule::new(a, b, 0.4).unwrap()),
            same_hits(&TaperedCapsule::new(a, b, 0.4, 0.9).unwrap()),
            same_hits(&Cylinder::new(a, b, 0.4).unwrap()),
            same_hits(&Cone::new(a, b, 0.9).unwrap()),
            same_hits(&Frustum::new(a, b, 0.9, 0.5).unwrap()),
            same_hits(&Cuboid::new(a, half).unwrap()),
            same_hits(&OrientedBox::new(a, half, tilted).unwrap()),
            same_hits(&Ellipsoid::new(a, half).unwrap()),
            same_hits(&Disk::new(a, b, 2.0).unwrap()),
            same_hits(&Triangle::new(a, b, c).unwrap()),
            same_hits(&Quad::new(a - b, b * 2.0, c).unwrap()),
            same_hits(&Plane::new(a, b).unwrap()),
            same_hits(&HalfSpace::new(a, b).unwrap()),
        ];
        assert!(hits.iter().all(|hits| *hits > 50), "{hits:?}");
        let [a, b, c] = [a, b, c].map(DVec3::truncate);
        let (half, tilted) = (half.truncate(), Basis::from_direction(c).unwrap());
        let hits = [
            same_hits(&Sphere::new(a, 1.5).unwrap()),
            same_hits(&SegmentShape::new(a, b).unwrap()),
            same_hits(&Capsule::new(a, b, 0.4).unwrap()),
            same_hits(&TaperedCapsule::new(a, b, 0.4, 0.9).unwrap()),
            same_hits(&Cuboid::new(a, half).unwrap()),
            same_hits(&OrientedBox::new(a, half, tilted).unwrap()),
            same_hits(&Ellipsoid::new(a, half).unwrap()),
            same_hits(&Triangle2::new(a, b, c).unwrap()),
            same_hits(&ConvexPolygon::new([a, b, c]).unwrap()),
            same_hits(&Plane::new(a, b).unwrap()),
            same_hits(&HalfSpace::new(a, b).unwrap()),
        ];
        assert!(hits.iter().all(|hits: &usize| *hits > 50), "{hits:?}");
    }
}
