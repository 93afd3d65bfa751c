//! `Arithmetic`: the number trait of the kernels, with the thresholds of the floating-point filter.

use crate::math::eft::{sqrt, two_sum};
use core::cmp::Ordering;
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Evaluates a function body in arithmetic `$T`: in place, but by a call where `$T` is
/// [`LazyExact`](crate::math::lazy_exact::LazyExact), because each of its operations is a call.
///
/// A macro, not a function that takes a closure: the compiler may leave a large closure out of line, although the
/// function around it is `#[inline(always)]`.
macro_rules! outlined {
    ($T:ty, $body:expr) => {
        if <$T as $crate::math::arithmetic::Arithmetic>::OUTLINED {
            $crate::target::out_of_line(|| $body)
        } else {
            $body
        }
    };
}
pub(crate) use outlined;

/// [`outlined!`] for a large part of a kernel that several shapes share: by a call in
/// [`COMPACT`](crate::target::COMPACT) builds, too.
macro_rules! shared {
    ($T:ty, $body:expr) => {
        if $crate::target::COMPACT || <$T as $crate::math::arithmetic::Arithmetic>::OUTLINED {
            $crate::target::out_of_line(|| $body)
        } else {
            $body
        }
    };
}
pub(crate) use shared;

/// The comparisons of [`Arithmetic`] by the operators of the type.
macro_rules! comparisons_by_operators {
    () => {
        #[inline(always)]
        fn compare(self, other: Self) -> Option<core::cmp::Ordering> {
            self.partial_cmp(&other)
        }
        #[inline(always)]
        fn lt(self, other: Self) -> bool {
            self < other
        }
        #[inline(always)]
        fn le(self, other: Self) -> bool {
            self <= other
        }
        #[inline(always)]
        fn gt(self, other: Self) -> bool {
            self > other
        }
        #[inline(always)]
        fn ge(self, other: Self) -> bool {
            self >= other
        }
        #[inline(always)]
        fn equals(self, other: Self) -> bool {
            self == other
        }
    };
}
pub(crate) use comparisons_by_operators;

/// Number type that a kernel is generic over: the operations, comparisons and filter tests of one precision stage.
/// The working arithmetic is `f64` for `f32` inputs and [`Dd`](crate::math::dd::Dd) for `f64` inputs.
///
/// Comparisons are methods, not operators, because they are decisions: exact arithmetic records a comparison that its digits
/// leave open, and a packet one whose lanes disagree. They follow IEEE 754: a NaN compares false with everything, so a test
/// written as "is it within?" fails.
pub trait Arithmetic:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// Order of two numbers; `None` for a NaN.
    fn compare(self, other: Self) -> Option<Ordering>;
    /// `self < other`.
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Less))
    }
    /// `self <= other`.
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Less | Ordering::Equal))
    }
    /// `self > other`.
    #[inline(always)]
    fn gt(self, other: Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Greater))
    }
    /// `self >= other`.
    #[inline(always)]
    fn ge(self, other: Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Greater | Ordering::Equal))
    }
    /// `self == other`.
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Equal))
    }

    /// Converts exactly.
    fn from_f64(x: f64) -> Self;
    /// Rounds to the nearest `f64`.
    fn to_f64(self) -> f64;
    /// The nearest `f64`, and the nearest `f64` to the remainder: 106 bits of the number.
    fn parts(self) -> (f64, f64);
    /// Rounds the sum of two parts to the nearest number.
    fn from_parts(parts: (f64, f64)) -> Self;
    /// Whether a number is several, one per ray, and comparisons follow the leading one: filter tests are then always true, and a ray that
    /// fails one is cast alone.
    #[doc(hidden)]
    const PACKET: bool = false;
    /// Whether magnitudes are bounded by vector norms, and nothing is scaled.
    const NORMWISE_BOUNDS: bool = false;
    /// Whether function bodies in this arithmetic are compiled out of line: see [`outlined!`](crate::target::outlined).
    #[doc(hidden)]
    const OUTLINED: bool = false;
    /// Whether all sign decisions are already made: only values are needed, so underflowing terms may be ignored.
    const VALUES_ONLY: bool = false;
    /// Whether a comparison is certain or known not to be: self-validating arithmetic. Kernels need no bounds of the terms of its
    /// numbers, so all magnitudes are zero.
    #[doc(hidden)]
    const SELF_VALIDATING: bool = false;
    /// Relative sign threshold of the filter: a sum whose absolute value is at most this share of the magnitude of
    /// its terms has an uncertain sign. The default is for 53 bits and leaves room for 2^10 roundings in a row. Exact
    /// arithmetic has zero.
    #[inline(always)]
    fn sign_threshold() -> f64 {
        f64::from_bits((1023 - 42) << 52) // 2^-42
    }
    /// Relative value threshold of the filter: a sum at or below this share of its magnitude may have lost too many
    /// digits for the result.
    #[inline(always)]
    fn value_threshold() -> f64 {
        f64::from_bits((1023 - 20) << 52) // 2^-20: 2^-27 of the value is left of 2^-47
    }
    /// Flips the sign if `other` is negative.
    #[inline(always)]
    fn mul_sign(self, other: Self) -> Self {
        if other.lt(Self::ZERO) { -self } else { self }
    }
    /// Whether the number is negative or NaN: the decision that ends a kernel with a miss. An operation of its own
    /// because the lanes of a packet that miss here need no scalar retry.
    #[inline(always)]
    fn is_miss(self) -> bool {
        !self.ge(Self::ZERO)
    }
    /// Combines [`is_miss`](Self::is_miss) with its filter test. A miss is certain if
    /// the absolute value exceeds a share of `magnitude`. A number that is no miss still needs its own filter test.
    #[inline(always)]
    fn is_certain_miss(self, share: f64, magnitude: Self) -> (bool, bool) {
        let out = self.is_miss();
        (out, !out || self.exceeds(share, magnitude))
    }
    /// Filter test: whether the absolute value exceeds a share of `magnitude`. If not, the number is uncertain.
    #[inline(always)]
    fn exceeds(self, share: f64, magnitude: Self) -> bool {
        self.abs().to_f64() > share * magnitude.to_f64()
    }
    /// Filter test: whether the absolute value is at least a share of `magnitude`. If not, the number is uncertain.
    #[inline(always)]
    fn is_at_least(self, share: f64, magnitude: Self) -> bool {
        self.abs().to_f64() >= share * magnitude.to_f64()
    }
    /// Filter test: whether the number is at least zero. If not, the result is uncertain.
    #[inline(always)]
    fn is_not_negative(self) -> bool {
        self.ge(Self::ZERO)
    }
    /// Whether both ends of an interval are negative, or none is: then the sign of a number within is certain.
    #[doc(hidden)]
    #[inline(always)]
    fn is_decided(low: Self, high: Self) -> bool {
        low.ge(Self::ZERO) || high.lt(Self::ZERO)
    }
    /// Square root; NaN for negative numbers.
    fn sqrt(self) -> Self;
    /// Product with a power of two: exact unless the result leaves the range of `f64`.
    fn times_power_of_two(self, factor: f64) -> Self;
    /// Multiplies three numbers by one power of two that brings the largest to 1..2 (as near as the range of `f64`
    /// allows).
    #[inline]
    fn normalize_exponent(v: [Self; 3]) -> [Self; 3] {
        let [x, y, z] = v.map(|c| c.to_f64().abs());
        let scale = crate::math::scale::power_of_two_below(x.max(y).max(z)).unwrap_or(1.0);
        v.map(|c| c.times_power_of_two(scale))
    }
    /// `a + b + c + d` with compensation: the rounding errors of the partial sums are added, so that the sum stays
    /// accurate when large terms cancel (Ogita, Rump, Oishi, *Accurate Sum and Dot Product*, 2005, Sum2).
    fn sum(terms: [Self; 4]) -> Self;

    /// Dot product plus `rest`.
    #[doc(hidden)]
    #[inline(always)]
    fn dot_sum(a: [Self; 3], b: [Self; 3], rest: Self) -> Self {
        Self::sum([a[0] * b[0], a[1] * b[1], a[2] * b[2], rest])
    }

    /// Dot product.
    #[doc(hidden)]
    #[inline(always)]
    fn dot(a: [Self; 3], b: [Self; 3]) -> Self {
        Self::dot_sum(a, b, Self::ZERO)
    }

    /// Cross product.
    #[doc(hidden)]
    #[inline(always)]
    fn cross(a: [Self; 3], b: [Self; 3]) -> [Self; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    /// Sum of the squares.
    #[doc(hidden)]
    #[inline(always)]
    fn square_sum(v: [Self; 3]) -> Self {
        v[0].sq() + v[1].sq() + v[2].sq()
    }

    /// Weight of the current evaluation: the factor of the coordinates of a ray in homogeneous coordinates. The numbers of
    /// a shape are multiplied by it before they are compared with those of the ray. `None` stands for 1.
    #[doc(hidden)]
    #[inline(always)]
    fn weight() -> Option<Self> {
        None
    }
    /// Product with the [`weight`](Self::weight).
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weighted(self) -> Self {
        match Self::weight() {
            Some(weight) => self * weight,
            None => self,
        }
    }
    /// Records if the numbers of a result, a vector for example, have too few digits for a hit. Only arithmetic with a bound
    /// of its error can tell.
    #[doc(hidden)]
    #[inline(always)]
    fn check_digits(_numbers: &[Self]) {}

    /// Absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        if self.lt(Self::ZERO) { -self } else { self }
    }
    /// Maximum; `other` if one of the two is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.gt(other) { self } else { other }
    }
    /// Minimum; `other` if one of the two is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.lt(other) { self } else { other }
    }
    /// The square.
    #[inline(always)]
    fn sq(self) -> Self {
        self * self
    }
}

impl Arithmetic for f64 {
    comparisons_by_operators!();

    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self, 0.0)
    }
    #[inline(always)]
    fn from_parts((high, _): (f64, f64)) -> Self {
        high
    }

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt(self)
    }
    #[inline(always)]
    fn times_power_of_two(self, factor: f64) -> Self {
        self * factor
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        let (ab, e1) = two_sum(a, b);
        let (abc, e2) = two_sum(ab, c);
        let (sum, e3) = two_sum(abc, d);
        sum + ((e1 + e2) + e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sum_survives_cancellation() {
        assert_eq!(<f64 as Arithmetic>::sum([1e16, 1.0, -1e16, 1.0]), 2.0);
    }
}
