//! Candidate of the closest hit, and the order of two candidates.

use crate::kernel::range_rules::BoundaryHit;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::ROUNDING;
use core::cmp::Ordering;

/// Candidate of the closest hit of a shape, with its unrounded `t`.
#[derive(Clone, Copy, Debug)]
pub struct HitCandidate<T> {
    pub(crate) t: T,
    pub(crate) primitive: u32,
    /// Whether `t` is the start of the range: the ray starts inside.
    pub(crate) at_start: bool,
}

impl<T: Arithmetic> HitCandidate<T> {
    /// Upper bound of `t` in `f64`, rounding errors included: a hit beyond it cannot be the closest one.
    #[inline]
    pub(crate) fn limit(&self) -> f64 {
        upper_bound(self.t)
    }
    /// The same candidate in other working arithmetic.
    pub(crate) fn convert<U: Arithmetic>(self) -> HitCandidate<U> {
        HitCandidate { t: U::from_parts(self.t.parts()), primitive: self.primitive, at_start: self.at_start }
    }
    #[inline]
    pub(crate) fn new<U: Arithmetic>(found: &BoundaryHit<U>) -> Self {
        let at_start = matches!(found, BoundaryHit::Inside(_));
        Self { t: Arithmetic::from_parts(found.t().parts()), primitive: 0, at_start }
    }
}

/// Upper bound of the exact value of a parameter, in `f64`.
#[inline]
pub(crate) fn upper_bound<T: Arithmetic>(t: T) -> f64 {
    let rounded = t.to_f64();
    rounded + rounded.abs() * (T::value_threshold() / 32.0 + 2.0 * ROUNDING) + f64::MIN_POSITIVE
}

/// Order of two parameters; `None` if it depends on digits that cancellation may have destroyed
/// (`Arithmetic::value_threshold` bounds the relative error of each by 1/64).
#[inline]
pub(crate) fn certain_order<T: Arithmetic>(a: T, b: T) -> Option<Ordering> {
    let (a_f64, b_f64) = (a.to_f64(), b.to_f64());
    let slack = (a_f64.abs() + b_f64.abs()) * (T::value_threshold() / 32.0) + f64::MIN_POSITIVE;
    let gap = (a - b).to_f64();
    if gap.abs() > slack { gap.partial_cmp(&0.0) } else { None }
}

/// Precision of quotients and roots that decides the order of parameters of two shapes, and equality: see
/// [`Exact`](crate::math::exact::exact::Exact).
pub(crate) const COMPARISON_PRECISION: usize = 8;
