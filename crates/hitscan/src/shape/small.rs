//! The questions that are asked most, where code has to be small: one body for every shape and both precisions.

use super::candidate::Candidate;
use super::kernel::Kernel;
use super::settle::{FullAnswer, Settled, settle};
use crate::explain::Recorder;
use crate::math::{Dd, InputRay, Precision, Real, Vector, W, Wide};
use crate::{Hit, Query};
use glam::DVec3;

/// The first hit, as a shape of either precision is told it.
pub(super) fn first_settled(
    shape: &dyn Settled,
    raw: &InputRay,
    query: &Query<f64>,
    precision: Precision,
) -> Option<Hit<DVec3>> {
    let slowly = || shape.full(raw, query, precision, &mut Recorder::default()).hits.first().map(|(_, hit)| *hit);
    if precision == Precision::Single {
        let (hit, doubtful) = shape.quick_first(raw, query);
        return if doubtful { slowly() } else { hit };
    }
    let (found, doubtful) = shape.locate(raw, query);
    if doubtful { slowly() } else { shape.first_surely(raw, query, &found?).or_else(slowly) }
}

/// The same in the making.
pub(super) fn nearest_settled(
    shape: &dyn Settled,
    raw: &InputRay,
    query: &Query<f64>,
    precision: Precision,
) -> Option<Candidate<Dd>> {
    let slowly = || {
        let FullAnswer { hits, at_start, .. } = shape.full(raw, query, precision, &mut Recorder::default());
        hits.first().map(|(t, _)| Candidate { t: Dd::from_parts(*t), primitive: 0, at_start })
    };
    if precision == Precision::Single {
        let (found, doubtful) = shape.quick_nearest(raw, query);
        return if doubtful { slowly() } else { found };
    }
    let (found, doubtful) = shape.locate(raw, query);
    if doubtful { slowly() } else { shape.nearest_surely(raw, query, &found?).or_else(slowly) }
}

/// The first hit, by the code for `f64`, which `f32` shares: the first arithmetic does not tell them apart.
#[inline(never)]
pub(super) fn first_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> InputRay,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    settle(shape, |shape| first_settled(shape, &raw(), &query.double(), V::Scalar::PRECISION)).map(Hit::convert)
}

/// Whether there is any.
pub(super) fn any_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> InputRay,
    query: &Query<V::Scalar>,
) -> bool {
    nearest(shape, raw, query).is_some()
}

/// The same in the making.
#[inline(never)]
pub(super) fn nearest<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> InputRay,
    query: &Query<V::Scalar>,
) -> Option<Candidate<W<V>>> {
    let found = settle(shape, |shape| nearest_settled(shape, &raw(), &query.double(), V::Scalar::PRECISION));
    found.map(Candidate::convert)
}
