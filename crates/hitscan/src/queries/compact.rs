//! Closest hit of `COMPACT` builds: one type-erased body for every shape and both precisions.

use crate::adaptive::compiled::with_fallback;
use crate::adaptive::fallback::{ExactKernel, closest_results};
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::real::{Precision, Real};
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;
use crate::query::Query;
use glam::DVec3;

/// Closest hit.
#[inline(never)]
pub(crate) fn closest_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    input: &InputRay,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    with_fallback(shape, |shape| hit(shape, input, &query.double(), V::Scalar::PRECISION)).map(Hit::convert)
}

/// Candidate of the closest hit.
#[inline(never)]
pub(crate) fn closest_t<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    input: &InputRay,
    query: &Query<V::Scalar>,
) -> Option<HitCandidate<Working<V>>> {
    with_fallback(shape, |shape| candidate(shape, input, &query.double(), V::Scalar::PRECISION))
        .map(HitCandidate::convert)
}

fn hit(shape: &dyn ExactKernel, input: &InputRay, query: &Query<f64>, precision: Precision) -> Option<Hit<DVec3>> {
    let exactly = || closest_results(shape, input, query).hits.first().map(|(_, hit)| *hit);
    if precision == Precision::Single {
        return match shape.filter_closest(input, query) {
            None => exactly(),
            Some(closest) => closest.map(|(_, hit)| hit),
        };
    }
    match shape.filter_crossing(input, query) {
        None => exactly(),
        Some(found) => shape.closest_hit_decided(input, query, &found?).or_else(exactly),
    }
}

fn candidate(
    shape: &dyn ExactKernel,
    input: &InputRay,
    query: &Query<f64>,
    precision: Precision,
) -> Option<HitCandidate<Dd>> {
    // The slow path, when the filter is uncertain.
    let exactly = || {
        let results = closest_results(shape, input, query);
        let (t, _) = results.hits.first()?;
        Some(HitCandidate { t: Dd::from_parts(*t), primitive: 0, at_start: results.at_start })
    };
    // In `f32`, the filter's candidate has all its digits.
    if precision == Precision::Single {
        return match shape.filter_closest(input, query) {
            None => exactly(),
            Some(closest) => closest.map(|(candidate, _)| candidate),
        };
    }
    // In `f64`, the filter decides, and `t` is refined.
    match shape.filter_crossing(input, query) {
        None => exactly(),
        Some(found) => shape.closest_t_decided(input, query, &found?).or_else(exactly),
    }
}
