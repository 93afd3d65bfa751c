//! The arithmetic in which kernels compute: twice the digits of the numbers they are given.

use crate::math::eft::{sqrt, two_sum};
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A working number: `f64` when the inputs are `f32`, [`Dd`](crate::math::Dd) when they are `f64`.
///
/// Kernels are written once against this trait. Comparisons are those of the field's numbers: a NaN compares false
/// with everything, so a test written as "is it within?" falls to "no".
pub trait Arithmetic:
    Copy
    + Debug
    + PartialEq
    + PartialOrd
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

    /// The same number, exactly.
    fn from_f64(x: f64) -> Self;
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
    /// The nearest `f64` and what remains, as the nearest `f64`: 106 bits of the number.
    fn parts(self) -> (f64, f64);
    /// The number nearest to the sum of two parts.
    fn from_parts(parts: (f64, f64)) -> Self;
    /// Magnitudes are bounded by those of whole vectors, and nothing is scaled.
    const NORMWISE_BOUNDS: bool = false;
    /// Only digits are asked for, of what was decided already: a number that vanishes beside others changes none of them.
    const VALUES_ONLY: bool = false;
    /// Below this share of the magnitude of the terms that were added up, the sign of a sum is in doubt. It leaves
    /// room for 2^11 roundings in a row; zero where arithmetic is exact. By default that of 53 bits.
    #[inline(always)]
    fn sign_threshold() -> f64 {
        f64::from_bits((1023 - 42) << 52) // 2^-42
    }
    /// Below this share a sum may have lost more digits than the answer can spare.
    #[inline(always)]
    fn value_threshold() -> f64 {
        f64::from_bits((1023 - 20) << 52) // 2^-20: 2^-27 of the value is left of 2^-47
    }
    /// The same number, turned around where the other one is negative.
    #[inline(always)]
    fn mul_sign(self, other: Self) -> Self {
        if other < Self::ZERO { -self } else { self }
    }
    /// Less than zero, or no number: a decision after which a kernel ends with a miss. Said apart from other comparisons
    /// because lines that are asked together part there.
    #[inline(always)]
    fn is_miss(self) -> bool {
        !(self >= Self::ZERO)
    }
    /// The same, asked before the number is weighed: whether it is so, and whether the magnitude is then more than a share of
    /// another number. What goes on has to be weighed by itself.
    #[inline(always)]
    fn is_certain_miss(self, share: f64, magnitude: Self) -> (bool, bool) {
        let out = self.is_miss();
        (out, !out || self.exceeds(share, magnitude))
    }
    /// Whether the magnitude is more than a share of another number. If not, there is a doubt.
    #[inline(always)]
    fn exceeds(self, share: f64, magnitude: Self) -> bool {
        self.abs().to_f64() > share * magnitude.to_f64()
    }
    /// Whether the magnitude is that share of it at least. If not, there is a doubt.
    #[inline(always)]
    fn is_at_least(self, share: f64, magnitude: Self) -> bool {
        self.abs().to_f64() >= share * magnitude.to_f64()
    }
    /// Whether it is zero at least. If not, there is a doubt.
    #[inline(always)]
    fn is_not_negative(self) -> bool {
        self >= Self::ZERO
    }
    /// Result of `f`. [`DynNumber`](crate::math) keeps it out of line, for each operation of it is a call.
    #[doc(hidden)]
    #[inline(always)]
    fn outlined<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    /// Square root; NaN below zero.
    fn sqrt(self) -> Self;
    /// The product with a power of two: exact unless the result leaves the range of `f64`.
    fn times_power_of_two(self, factor: f64) -> Self;
    /// Three numbers times one power of two that brings the largest to 1..2 (as near as the range of `f64` allows).
    #[inline]
    fn normalize_exponent(v: [Self; 3]) -> [Self; 3] {
        let [x, y, z] = v.map(|c| c.to_f64().abs());
        let scale = crate::math::scale::power_of_two_below(x.max(y).max(z)).unwrap_or(1.0);
        v.map(|c| c.times_power_of_two(scale))
    }
    /// `a + b + c + d` with the rounding errors of the partial sums carried along, so that it stays
    /// accurate when large terms cancel (Ogita, Rump, Oishi, *Accurate Sum and Dot Product*, 2005, Sum2).
    fn sum(terms: [Self; 4]) -> Self;

    /// The sum of the products of the components, and `rest`.
    #[doc(hidden)]
    #[inline(always)]
    fn dot_sum(a: [Self; 3], b: [Self; 3], rest: Self) -> Self {
        Self::sum([a[0] * b[0], a[1] * b[1], a[2] * b[2], rest])
    }

    /// The sum of the products of the components.
    #[doc(hidden)]
    #[inline(always)]
    fn dot(a: [Self; 3], b: [Self; 3]) -> Self {
        Self::dot_sum(a, b, Self::ZERO)
    }

    /// Magnitude.
    #[inline(always)]
    fn abs(self) -> Self {
        if self < Self::ZERO { -self } else { self }
    }
    /// The larger of two; the other one when one is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    /// The smaller of two; the other one when one is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    /// The square.
    #[inline(always)]
    fn sq(self) -> Self {
        self * self
    }
}

impl Arithmetic for f64 {
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
    #[inline(always)]
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
