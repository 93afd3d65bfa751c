//! Double-double numbers: an unevaluated sum of two `f64`, some 106 bits.

use crate::math::arithmetic::{Arithmetic, comparisons_by_operators};
use crate::math::eft::{fast_two_sum, sqrt, two_prod, two_sum};
use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Normalised double-double: `hi + lo` with `|lo| <= ulp(hi) / 2`. The working arithmetic for `f64` inputs.
///
/// # Source
/// Dekker, *A floating-point technique for extending the available precision*, Numer. Math. 18 (1971); the variants
/// and their bounds from Joldes, Muller, Popescu, *Tight and rigorous error bounds for basic building blocks of
/// double-word arithmetic*, ACM TOMS 44 (2017).
///
/// # Accuracy
/// With u = 2^-53: sums 3 u^2, products 5 u^2, quotients 15 u^2, square roots 4 u^2, all relative, as long as nothing
/// leaves the range of `f64`.
///
/// Operations are not inlined: kernels with all their filter tests would grow too large.
#[derive(Clone, Copy, Debug)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

type DdParts = (f64, f64);

#[inline(never)]
fn sum(a: DdParts, b: DdParts) -> DdParts {
    let (s, e) = two_sum(a.0, b.0);
    let (t, f) = two_sum(a.1, b.1);
    let (s, e) = fast_two_sum(s, e + t);
    fast_two_sum(s, e + f)
}

#[inline(never)]
fn product(a: DdParts, b: DdParts) -> DdParts {
    let (p, e) = two_prod(a.0, b.0);
    fast_two_sum(p, e + (a.0 * b.1 + a.1 * b.0))
}

#[inline(never)]
fn quotient(a: DdParts, b: DdParts) -> DdParts {
    let q = a.0 / b.0;
    if !q.is_finite() {
        return (q, 0.0);
    }
    let less = |a: DdParts, (p, e): DdParts| sum(a, (-p, -e));
    let rest = less(a, product(b, (q, 0.0)));
    let q2 = rest.0 / b.0;
    let rest = less(rest, product(b, (q2, 0.0)));
    sum(fast_two_sum(q, q2), (rest.0 / b.0, 0.0))
}

#[inline(never)]
fn root(x: DdParts) -> DdParts {
    if x.0 == 0.0 {
        return (0.0, 0.0);
    }
    // One Newton step from the rounded root: the residual is accurate enough to be divided in f64.
    let s = sqrt(x.0);
    let (p, e) = two_prod(s, s);
    let rest = (x.0 - p) - e + x.1;
    fast_two_sum(s, rest / (s + s))
}

impl Dd {
    #[inline(always)]
    pub(crate) fn of((hi, lo): DdParts) -> Self {
        Self { hi, lo }
    }
}

impl PartialEq for Dd {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Dd {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.hi.partial_cmp(&other.hi) {
            // An infinity has no low part to compare.
            Some(Ordering::Equal) if self.hi.is_finite() => self.lo.partial_cmp(&other.lo),
            order => order,
        }
    }
}

impl Add for Dd {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::of(sum(self.parts(), other.parts()))
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
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::of(product(self.parts(), other.parts()))
    }
}

impl Div for Dd {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self::of(quotient(self.parts(), other.parts()))
    }
}

impl Arithmetic for Dd {
    comparisons_by_operators!();

    const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    const ONE: Self = Self { hi: 1.0, lo: 0.0 };
    #[inline(always)]
    fn sign_threshold() -> f64 {
        f64::from_bits((1023 - 90) << 52) // 2^-90
    }
    #[inline(always)]
    fn value_threshold() -> f64 {
        f64::from_bits((1023 - 36) << 52) // 2^-36: 2^-59 of the value is left of 2^-95
    }

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self.hi, self.lo)
    }
    #[inline(always)]
    fn from_parts(parts: (f64, f64)) -> Self {
        // Infinity has no low part: the error term of an overflowed sum is meaningless.
        if parts.0.is_infinite() { Self::from_f64(parts.0) } else { Self::of(fast_two_sum(parts.0, parts.1)) }
    }

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.hi
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::of(root(self.parts()))
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
