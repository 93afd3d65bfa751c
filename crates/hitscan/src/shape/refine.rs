//! A first hit that `f64` has found, to all its digits: by one step of Newton's from there, instead of the whole kernel once
//! more.

use super::candidate::HitCandidate;
use super::climb::{Evaluate, evaluate_decided, evaluate_unfused};
use super::kernel::Kernel;
use super::newton::Start;
use super::resolve::{BoundaryHit, TRange, build_hit, first_of, side};
use super::settle::{AllResults, ClosestHit, ClosestT, Parts};
use crate::math::{Arithmetic, Dd, DoubleWord, InputRay, Observer, Vector, WorkingRay};
use crate::simd::{FmaKernel, dispatch_fma};
use crate::{Hit, Query, Side};

/// Where the first hit is.
pub(super) struct ClosestCrossing<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Evaluate for ClosestCrossing<'_, K> {
    type Output = Option<BoundaryHit<f64>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let meet = self.0.intersect(line, observer)?;
        Some(first_of(self.0, &meet, &TRange::new(line, self.1), self.1, observer)?.rounded())
    }
}

/// The hit that `f64` was certain of, to all digits; nothing where that takes the whole kernel.
struct Refine<'a, K: Kernel>(&'a K, &'a InputRay, &'a BoundaryHit<f64>);

impl<K: Kernel> FmaKernel for Refine<'_, K> {
    type Output = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn run<const FMA: bool>(self) -> Self::Output {
        let Self(shape, raw, found) = self;
        let at = match found {
            BoundaryHit::Inside(t) => return Some(inside::<_, FMA>(raw, *t)),
            BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => *at,
        };
        let start = Start::<FMA>::new(raw, at);
        Some(shape.refine(&start)?.hit(&start.line, side::<K, _>(found)))
    }
}

/// The hit where the range of `t` begins inside.
#[inline(always)]
fn inside<V: Vector, const FMA: bool>(raw: &InputRay, t: f64) -> Hit<V> {
    build_hit(&raw.line(), DoubleWord::<FMA>::from_f64(t), None, Side::Back, None)
}

/// The same, and of the hit only `t`.
struct RefineT<'a, K: Kernel>(&'a K, &'a InputRay, &'a BoundaryHit<f64>);

impl<K: Kernel> FmaKernel for RefineT<'_, K> {
    type Output = Option<Parts>;
    #[inline(always)]
    fn run<const FMA: bool>(self) -> Self::Output {
        match self.2 {
            BoundaryHit::Inside(t) => Some((*t, 0.0)),
            BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => {
                Some(self.0.refine(&Start::<FMA>::new(self.1, *at))?.t.parts())
            }
        }
    }
}

/// Closest hit of which the filter was certain, to all digits of `f64`: by one Newton step where the kernel has one, else by
/// the whole kernel in double words.
#[inline(always)]
pub(super) fn refined<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
    found: &BoundaryHit<f64>,
) -> Option<Hit<K::Vector>> {
    if K::REFINES {
        dispatch_fma(Refine(shape, input, found)).or_else(|| closest(shape, input, query).map(|(_, hit)| hit))
    } else {
        evaluate_decided(&ClosestHit(shape, query), input)
    }
}

/// `t` of that hit.
#[inline(always)]
pub(super) fn refined_t<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
    found: &BoundaryHit<f64>,
) -> Option<Parts> {
    if K::REFINES {
        dispatch_fma(RefineT(shape, input, found)).or_else(|| closest(shape, input, query).map(|(t, _)| t))
    } else {
        evaluate_decided(&ClosestT(shape, query), input).map(|found: HitCandidate<Dd>| found.t.parts())
    }
}

/// Closest hit from the whole kernel: for the rare crossings that a Newton step does not improve.
#[cold]
#[inline(never)]
fn closest<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
) -> Option<(Parts, Hit<K::Vector>)> {
    evaluate_unfused(&AllResults(shape, query), input).hits.first().copied()
}
