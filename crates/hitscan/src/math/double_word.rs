//! Unnormalised double-words, for the values of hits whose sign decisions are already made.

use crate::math::arithmetic::{Arithmetic, comparisons_by_operators};
use crate::math::eft::{fast_two_sum, sqrt, two_prod, two_prod_fused, two_sum};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Unnormalised double-word `high + low`, where `low` is as small as the rounding errors of `high`. Unlike a
/// [`Dd`](crate::math::dd::Dd) it is not normalised after each operation, which is most of the cost of double-double
/// arithmetic: when terms cancel, `low` is as large relative to `high` as the errors are.
///
/// # Source
/// Lange, Rump, *Faithfully rounded floating-point computations*, ACM TOMS 46(3), 2020.
///
/// # Accuracy
/// docs/proofs.md, Lemma 7: on a path of h operations the error is below `(h u)^2` of the magnitude of the terms, u =
/// 2^-53. Kernels use these numbers where `f64` was certain: there, 20 binary digits at most cancel in a value.
///
/// Products compute their rounding error with or without FMA, to the same bits.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct DoubleWord<const FMA: bool> {
    high: f64,
    low: f64,
}

impl<const FMA: bool> DoubleWord<FMA> {
    /// Number of these two parts, as they are.
    pub(crate) fn of((high, low): (f64, f64)) -> Self {
        Self { high, low }
    }
    /// The two parts as they are, not normalised.
    pub(crate) fn as_is(self) -> (f64, f64) {
        (self.high, self.low)
    }
    /// Exact product of two `f64`.
    #[inline(always)]
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let (high, low) = Self::two_prod(a, b);
        Self { high, low }
    }
    /// Exact sum of two `f64`.
    #[inline(always)]
    pub(crate) fn exact_sum(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, b);
        Self { high, low }
    }
    /// Sum with an `f64`.
    #[inline(always)]
    pub(crate) fn plus(self, x: f64) -> Self {
        let (high, error) = two_sum(self.high, x);
        Self { high, low: error + self.low }
    }
    /// Sum with an `f64` as small as the errors of this number.
    #[inline(always)]
    pub(crate) fn add_small(self, by: f64) -> Self {
        Self { high: self.high, low: self.low + by }
    }
    #[inline(always)]
    fn two_prod(a: f64, b: f64) -> (f64, f64) {
        if FMA { two_prod_fused(a, b) } else { two_prod(a, b) }
    }
}

impl<const FMA: bool> Add for DoubleWord<FMA> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        Self { high, low: error + (self.low + other.low) }
    }
}

impl<const FMA: bool> Neg for DoubleWord<FMA> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl<const FMA: bool> Sub for DoubleWord<FMA> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const FMA: bool> Mul for DoubleWord<FMA> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (high, error) = Self::two_prod(self.high, other.high);
        Self { high, low: error + (self.high * other.low + self.low * other.high) }
    }
}

impl<const FMA: bool> Div for DoubleWord<FMA> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn div(self, other: Self) -> Self {
        let high = self.high / other.high;
        let (product, error) = Self::two_prod(high, other.high);
        // Exact remainder of the rounded quotient, corrected by the low parts.
        let rest = ((self.high - product) - error) + (self.low - high * other.low);
        Self { high, low: rest / (other.high + other.low) }
    }
}

impl<const FMA: bool> Arithmetic for DoubleWord<FMA> {
    comparisons_by_operators!();

    const ZERO: Self = Self { high: 0.0, low: 0.0 };
    const ONE: Self = Self { high: 1.0, low: 0.0 };
    const NORMWISE_BOUNDS: bool = true;
    const VALUES_ONLY: bool = true;

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        fast_two_sum(self.high, self.low)
    }
    #[inline(always)]
    fn from_parts((high, low): (f64, f64)) -> Self {
        Self { high, low }
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        // A zero is positive: its sign would only depend on how it was computed.
        self.high + self.low + 0.0
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sqrt(self) -> Self {
        let (x, rest) = self.parts();
        if x == 0.0 {
            return Self::ZERO;
        }
        // One Newton step from the rounded root.
        let high = sqrt(x);
        let (square, error) = Self::two_prod(high, high);
        Self { high, low: (((x - square) - error) + rest) / (high + high) }
    }
    #[inline(always)]
    fn times_power_of_two(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }
    #[inline(always)]
    fn dot(a: [Self; 3], b: [Self; 3]) -> Self {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    #[inline(always)]
    fn sq(self) -> Self {
        let (high, error) = Self::two_prod(self.high, self.high);
        Self { high, low: error + (self.high + self.high) * self.low }
    }
    #[inline(always)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        (a + b) + (c + d)
    }
}
