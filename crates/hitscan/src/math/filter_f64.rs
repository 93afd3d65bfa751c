//! Filter stage: plain `f64`, unscaled, with norm-wise bounds. It decides most rays.

use crate::math::arithmetic::{Arithmetic, comparisons_by_operators};
use crate::math::eft::sqrt;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `f64` of the filter stage. Two savings over scaled `f64`: rays and shapes are not scaled, which is sound while
/// their sizes are within 2^±40 ([`Frame::check_scale`](crate::math::frame::Frame::check_scale)), and the magnitude
/// of a sum is bounded by the norms of its vectors, not term by term. A query with an uncertain number escalates to
/// the next stage.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct FilterF64(f64);

impl Add for FilterF64 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for FilterF64 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul for FilterF64 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl Div for FilterF64 {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }
}

impl Neg for FilterF64 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Arithmetic for FilterF64 {
    comparisons_by_operators!();

    const ZERO: Self = Self(0.0);
    const ONE: Self = Self(1.0);
    const NORMWISE_BOUNDS: bool = true;

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self.0, 0.0)
    }
    #[inline(always)]
    fn from_parts((high, _): (f64, f64)) -> Self {
        Self(high)
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.0
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(sqrt(self.0))
    }
    #[inline(always)]
    fn times_power_of_two(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
    #[inline(always)]
    fn dot(a: [Self; 3], b: [Self; 3]) -> Self {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    #[inline(always)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        (a + b) + (c + d)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    /// A negative zero flips the sign, too: the result is then uncertain, or its sign makes no difference.
    #[inline(always)]
    fn mul_sign(self, other: Self) -> Self {
        Self(f64::from_bits(self.0.to_bits() ^ (other.0.to_bits() & 1 << 63)))
    }
}
