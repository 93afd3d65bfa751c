//! A first hit that `f64` has found, to all its digits: by one step of Newton's from there, instead of the whole kernel once
//! more.

use super::climb::{Question, surely};
use super::kernel::Kernel;
use super::newton::Start;
use super::resolve::{Found, Limits, build_hit, first_of, side};
use super::settle::{Parts, meeting};
use crate::math::{InputRay, Pair, Probe, Vector, Wide, WorkingRay};
use crate::simd::{FusedTask, fused};
use crate::{Hit, Query, Side};

/// Where the first hit is.
pub(super) struct Locate<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for Locate<'_, K> {
    type Answer = Option<Found<f64>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> Self::Answer {
        let meet = meeting(self.0, line, probe)?;
        Some(first_of(self.0, &meet, &Limits::new(line, self.1), self.1, probe)?.rounded())
    }
}

/// The hit that `f64` was certain of, to all digits; nothing where that takes the whole kernel.
struct Refine<'a, K: Kernel>(&'a K, &'a InputRay, &'a Found<f64>);

impl<K: Kernel> FusedTask for Refine<'_, K> {
    type Output = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Output {
        let Self(shape, raw, found) = self;
        let at = match found {
            Found::Inside(t) => return Some(inside::<_, FUSED>(raw, *t)),
            Found::Enter(at) | Found::Exit(at) => *at,
        };
        let start = Start::<FUSED>::new(raw, at);
        Some(shape.refine(&start)?.hit(&start.line, side::<K, _>(found)))
    }
}

/// The hit where the range of `t` begins inside.
#[cfg_attr(not(feature = "small"), inline(always))]
fn inside<V: Vector, const FUSED: bool>(raw: &InputRay, t: f64) -> Hit<V> {
    build_hit(&raw.line(), Pair::<FUSED>::from_f64(t), None, Side::Back, None)
}

/// The same, and of the hit only `t`.
struct RefineT<'a, K: Kernel>(&'a K, &'a InputRay, &'a Found<f64>);

impl<K: Kernel> FusedTask for RefineT<'_, K> {
    type Output = Option<Parts>;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Output {
        match self.2 {
            Found::Inside(t) => Some((*t, 0.0)),
            Found::Enter(at) | Found::Exit(at) => Some(self.0.refine(&Start::<FUSED>::new(self.1, *at))?.t.parts()),
        }
    }
}

/// The hit that `f64` was certain of, to all digits.
#[inline(always)]
pub(super) fn refined<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    raw: &InputRay,
    query: &Query<f64>,
    found: &Found<f64>,
) -> Option<Hit<K::Vector>> {
    fused(Refine(shape, raw, found)).or_else(|| whole::first(shape, raw, query))
}

/// Of that hit only `t`.
#[inline(always)]
pub(super) fn refined_t<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    raw: &InputRay,
    query: &Query<f64>,
    found: &Found<f64>,
) -> Option<Parts> {
    fused(RefineT(shape, raw, found)).or_else(|| whole::first_t(shape, raw, query))
}

/// The first hit from the whole kernel, in pairs.
#[cfg(not(feature = "small"))]
mod whole {
    use super::*;
    use crate::math::Dd;
    use crate::shape::candidate::Candidate;
    use crate::shape::settle::{First, Nearest};

    #[inline(never)]
    pub(super) fn first<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        raw: &InputRay,
        query: &Query<f64>,
    ) -> Option<Hit<K::Vector>> {
        surely(&First(shape, query), raw)
    }
    #[inline(never)]
    pub(super) fn first_t<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        raw: &InputRay,
        query: &Query<f64>,
    ) -> Option<Parts> {
        surely(&Nearest(shape, query), raw).map(|found: Candidate<Dd>| found.t.parts())
    }
}

/// The same, by the question that is compiled anyway.
#[cfg(feature = "small")]
mod whole {
    use super::*;
    use crate::shape::settle::{Full, FullAnswer};

    #[inline(never)]
    fn full<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        raw: &InputRay,
        query: &Query<f64>,
    ) -> FullAnswer<K::Vector> {
        surely(&Full(shape, query), raw)
    }
    pub(super) fn first<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        raw: &InputRay,
        query: &Query<f64>,
    ) -> Option<Hit<K::Vector>> {
        full(shape, raw, query).hits.first().map(|(_, hit)| *hit)
    }
    pub(super) fn first_t<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        raw: &InputRay,
        query: &Query<f64>,
    ) -> Option<Parts> {
        full(shape, raw, query).hits.first().map(|(t, _)| *t)
    }
}
