//! A first hit in the making, and which of two is nearer.

use crate::kernel::range_rules::BoundaryHit;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::ROUNDING;
use core::cmp::Ordering;

/// The first hit of a shape in the making, with its unrounded `t`.
#[derive(Clone, Copy, Debug)]
pub struct HitCandidate<T> {
    pub(crate) t: T,
    pub(crate) primitive: u32,
    /// `t` is the beginning of the range itself: the ray starts inside.
    pub(crate) at_start: bool,
}

impl<T: Arithmetic> HitCandidate<T> {
    /// An upper bound of `t` in `f64`, whatever digits it may have lost to cancellation: what lies beyond cannot win.
    #[inline]
    pub(crate) fn limit(&self) -> f64 {
        let t = self.t.to_f64();
        t + t.abs() * (T::value_threshold() / 32.0 + 2.0 * ROUNDING) + f64::MIN_POSITIVE
    }
    /// In other working arithmetic.
    pub(crate) fn convert<U: Arithmetic>(self) -> HitCandidate<U> {
        HitCandidate { t: U::from_parts(self.t.parts()), primitive: self.primitive, at_start: self.at_start }
    }
    #[inline]
    pub(crate) fn new<U: Arithmetic>(found: &BoundaryHit<U>) -> Self {
        let at_start = matches!(found, BoundaryHit::Inside(_));
        Self { t: Arithmetic::from_parts(found.t().parts()), primitive: 0, at_start }
    }
}

/// Which of two parameters is smaller; `None` where the digits that they may have lost to cancellation would decide
/// (`Arithmetic::value_threshold` leaves each a relative error below a 64th of itself).
#[inline]
pub(crate) fn certain_order<T: Arithmetic>(a: T, b: T) -> Option<Ordering> {
    let (a_f64, b_f64) = (a.to_f64(), b.to_f64());
    let slack = (a_f64.abs() + b_f64.abs()) * (T::value_threshold() / 32.0) + f64::MIN_POSITIVE;
    let gap = (a - b).to_f64();
    if gap.abs() > slack { gap.partial_cmp(&0.0) } else { None }
}

/// How fine quotients and roots of two shapes have to be to tell them apart, or to know that they are equal: see
/// [`Exact`](crate::math::Exact).
pub(crate) const TO_COMPARE: usize = 8;
