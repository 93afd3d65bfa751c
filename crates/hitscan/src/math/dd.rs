//! Double-double numbers: an unevaluated sum of two `f64`, some 106 bits.

use super::wide::{Wide, fast_two_sum, sqrt, two_prod, two_sum};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo` with `|lo| <= ulp(hi) / 2`: the working arithmetic for `f64` inputs.
///
/// # Source
/// Dekker, *A floating-point technique for extending the available precision*, Numer. Math. 18 (1971); the variants
/// and their bounds from Joldes, Muller, Popescu, *Tight and rigorous error bounds for basic building blocks of
/// double-word arithmetic*, ACM TOMS 44 (2017).
///
/// # Accuracy
/// With u = 2^-53: sums 3 u^2, products 5 u^2, quotients 15 u^2, square roots 4 u^2, all relative, as long as nothing
/// leaves the range of `f64`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

impl Dd {
    #[inline(always)]
    fn normalised((hi, lo): (f64, f64)) -> Self {
        Self { hi, lo }
    }
    /// The part beyond the nearest `f64`.
    #[must_use]
    #[inline]
    pub fn lo(self) -> f64 {
        self.lo
    }
}

// The four operations are not inlined into kernels: calls cost a fifth of the time and save half of the compiling.
impl Add for Dd {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = fast_two_sum(s, e + t);
        Self::normalised(fast_two_sum(s, e + f))
    }
}

impl Neg for Dd {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let (p, e) = two_prod(self.hi, other.hi);
        Self::normalised(fast_two_sum(p, e + (self.hi * other.lo + self.lo * other.hi)))
    }
}

impl Div for Dd {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let q = self.hi / other.hi;
        if !q.is_finite() {
            return Self { hi: q, lo: 0.0 };
        }
        let rest = self - other * Self::from_f64(q);
        let q2 = rest.hi / other.hi;
        let rest = rest - other * Self::from_f64(q2);
        Self::normalised(fast_two_sum(q, q2)) + Self::from_f64(rest.hi / other.hi)
    }
}

impl Wide for Dd {
    const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    const ONE: Self = Self { hi: 1.0, lo: 0.0 };
    const SIGN_DOUBT: f64 = f64::from_bits((1023 - 90) << 52); // 2^-90
    const VALUE_DOUBT: f64 = f64::from_bits((1023 - 36) << 52); // 2^-36: 2^-59 of the value is left of 2^-95

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self.hi, self.lo)
    }
    #[inline(always)]
    fn from_parts(parts: (f64, f64)) -> Self {
        Self::normalised(fast_two_sum(parts.0, parts.1))
    }

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.hi
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return Self::ZERO;
        }
        // One Newton step from the rounded root: the residual is exact enough to be divided in f64.
        let s = sqrt(self.hi);
        let (p, e) = two_prod(s, s);
        let rest = (self.hi - p) - e + self.lo;
        Self::normalised(fast_two_sum(s, rest / (s + s)))
    }
    #[inline(always)]
    fn times_power_of_two(self, factor: f64) -> Self {
        Self { hi: self.hi * factor, lo: self.lo * factor }
    }
    #[inline(always)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        (a + b) + (c + d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dd(x: f64) -> Dd {
        Dd::from_f64(x)
    }

    #[test]
    fn third_times_three_is_one_to_106_bits() {
        let err = (dd(1.0) / dd(3.0)) * dd(3.0) - dd(1.0);
        assert!(err.hi.abs() < (-104f64).exp2(), "{err:?}");
    }

    #[test]
    fn root_of_two_squared() {
        let err = dd(2.0).sqrt().sq() - dd(2.0);
        assert!(err.hi.abs() < (-102f64).exp2(), "{err:?}");
        assert_eq!(dd(0.0).sqrt(), Dd::ZERO);
        assert_eq!(dd(2.25).sqrt(), dd(1.5));
    }

    #[test]
    fn differences_are_exact() {
        let tiny = (-80f64).exp2();
        assert_eq!((dd(1.0) + dd(tiny)) - dd(1.0), dd(tiny));
    }

    #[test]
    fn comparisons_see_the_low_part_and_nan_loses() {
        assert!(dd(1.0) < dd(1.0) + dd(1e-25));
        assert!(!(dd(f64::NAN) >= Dd::ZERO) && !(dd(f64::NAN) < Dd::ZERO));
    }
}
