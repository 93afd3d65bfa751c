//! Closest hit of an `f64` shape in one pass: the filter decides, and a Newton step adds the digits.

use crate::adaptive::compiled::with_fallback;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::adaptive::evaluate::filtered_crossing;
use crate::adaptive::evaluate::{ClosestCrossing, ClosestHit};
use crate::adaptive::fallback::{ExactKernel, closest_results};
use crate::adaptive::refine::refine;
use crate::adaptive::stages::{Evaluate, evaluate_filter};
use crate::hit::Hit;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, side};
use crate::math::double_word::DoubleWord;
use crate::math::observer::Unfiltered;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::query::{Coplanar, Faces, Inside, Query};
use crate::simd::task::{FmaRayKernel, RayNumbers};
use glam::DVec3;

/// The flags of [`RayNumbers`].
const SEGMENT: u32 = 1;
const UNLIMITED: u32 = 2;
const HOLLOW: u32 = 4;
const FRONT: u32 = 8;
const BACK: u32 = 16;
const COPLANAR: u32 = 32;

impl RayNumbers {
    /// The numbers of a ray and of the part of a query that one shape depends on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(ray: &InputRay, query: &Query<f64>) -> Self {
        // Not `f64::max`, which drops a NaN: a NaN stays a NaN, and hits nothing.
        let (min, max) = (query.t_min(), query.t_max());
        let t_min = if min < ray.t_min { ray.t_min } else { min };
        let t_max = if max > ray.t_max { ray.t_max } else { max };
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let flags = flag(ray.is_segment, SEGMENT)
            | flag(ray.largest == f64::INFINITY, UNLIMITED)
            | flag(query.inside_mode() == Inside::Hollow, HOLLOW)
            | flag(query.faces_mode() == Faces::Front, FRONT)
            | flag(query.faces_mode() == Faces::Back, BACK)
            | flag(query.coplanar_mode() == Coplanar::Hit, COPLANAR);
        Self { origin: ray.origin, target: ray.target, range: [t_min, t_max], flags }
    }
    #[inline(always)]
    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ray(&self) -> InputRay {
        let largest = if self.has(UNLIMITED) { f64::INFINITY } else { f64::MAX };
        let (t_min, t_max) = (f64::NEG_INFINITY, f64::INFINITY);
        let Self { origin, target, .. } = *self;
        InputRay { origin, target, is_segment: self.has(SEGMENT), t_min, t_max, largest, layers: u32::MAX }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn query(&self) -> Query<f64> {
        let inside = if self.has(HOLLOW) { Inside::Hollow } else { Inside::Solid };
        let one_side = if self.has(FRONT) { Faces::Front } else { Faces::Back };
        let faces = if self.has(FRONT | BACK) { one_side } else { Faces::Both };
        let [t_min, t_max] = self.range;
        let coplanar = if self.has(COPLANAR) { Coplanar::Hit } else { Coplanar::Miss };
        Query::new().range(t_min, t_max).inside(inside).faces(faces).coplanar(coplanar)
    }
}

impl<K: Kernel<Vector: Vector<Scalar = f64>>> FmaRayKernel for K {
    type Output = Option<Hit<K::Vector>>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(&self, numbers: RayNumbers, out: &mut Self::Output) {
        // The ray and the query, made again from the numbers that came in registers.
        let (ray, query) = (numbers.ray(), numbers.query());
        // Each hit is built in `out`: a copy of one takes longer than its computation.
        let found = evaluate_filter(&ClosestCrossing(self, &query), || ray);
        if let Some(found) = &found {
            // The filter is certain: a miss ends here.
            let Some(found) = found else { return };
            // A kernel without a Newton step is evaluated in double-words, which need not test decisions.
            if !K::REFINES {
                *out = ClosestHit(self, &query).evaluate(&ray.line::<DoubleWord<FMA>>(), &mut Unfiltered);
                if out.is_some() {
                    return;
                }
            } else if let Some(refined) = refine::<K, FMA>(self, &ray, found) {
                // A kernel with a Newton step gets its digits from it, if it converges.
                *out = Some(refined.hit(side::<K, _>(found)));
                return;
            }
        }
        // An uncertain filter, or too few digits: later stages decide.
        closest_hit_in_steps(self, &numbers, found.flatten().as_ref(), out);
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    fn run_without_fma(&self, numbers: RayNumbers, out: &mut Self::Output) {
        match filtered_crossing(self, &numbers.ray(), &numbers.query()) {
            Some(None) => {}
            found => closest_hit_in_steps(self, &numbers, found.flatten().as_ref(), out),
        }
    }
}

/// Closest hit of an `f64` shape where one pass has none: by the slow path. If the filter is certain of every decision, it has `found` this
/// crossing.
#[cold]
#[inline(never)]
fn closest_hit_in_steps<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    numbers: &RayNumbers,
    found: Option<&BoundaryHit<f64>>,
    out: &mut Option<Hit<K::Vector>>,
) {
    let (ray, query) = (numbers.ray(), numbers.query());
    *out = with_fallback(shape, |shape| closest_hit(shape, &ray, &query, found)).map(Hit::convert);
}

fn closest_hit(
    shape: &dyn ExactKernel,
    ray: &InputRay,
    query: &Query<f64>,
    found: Option<&BoundaryHit<f64>>,
) -> Option<Hit<DVec3>> {
    // Near the ends of the `f64` range `t` is a NaN in double-words, and the ray misses.
    let decided = found.and_then(|found| shape.closest_hit_decided(ray, query, found));
    decided.or_else(|| Some(closest_results(shape, ray, query).hits.first()?.1))
}
