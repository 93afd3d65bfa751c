//! Wide numbers: dyadic numbers that every operation rounds to hundreds of bits, for values that are measured.

use crate::number::{BITS, Dyadic, length, root_floor, sign};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Number of [`BITS`] significant bits, of any exponent.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Wide(pub Dyadic);

/// Vector of wide numbers.
pub type Vector = [Wide; 3];

impl Wide {
    /// The number zero.
    pub const ZERO: Self = Self(Dyadic::ZERO);

    /// The exact value of a finite number.
    pub fn new(x: f64) -> Self {
        Self(Dyadic::from_f64(x))
    }
    fn rounded(x: Dyadic) -> Self {
        let drop = length(&x.m).saturating_sub(BITS);
        Self(Dyadic { m: x.m >> drop, e: x.e + drop as i64 })
    }
    /// Square root; zero for a negative number.
    #[must_use]
    pub fn sqrt(&self) -> Self {
        if self.sign() <= 0 {
            return Self::ZERO;
        }
        let shift = (2 * BITS).saturating_sub(length(&self.0.m)) as i64;
        // The exponent becomes even.
        let shift = shift + (self.0.e - shift).rem_euclid(2);
        Self::rounded(Dyadic { m: root_floor(&(&self.0.m << shift as usize)), e: (self.0.e - shift) / 2 })
    }
    /// Sign: -1, 0 or 1.
    pub fn sign(&self) -> i8 {
        sign(&self.0.m)
    }
    /// Absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.sign() < 0 { -self } else { self.clone() }
    }
    /// The smaller of two numbers.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
    /// The larger of two numbers.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
    /// Rounds to an `f64`.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64()
    }
}

impl Add for &Wide {
    type Output = Wide;
    fn add(self, other: &Wide) -> Wide {
        self - &-other
    }
}
impl Sub for &Wide {
    type Output = Wide;
    fn sub(self, other: &Wide) -> Wide {
        Wide::rounded(self.0.minus(&other.0))
    }
}
impl Mul for &Wide {
    type Output = Wide;
    fn mul(self, other: &Wide) -> Wide {
        Wide::rounded(self.0.times(&other.0))
    }
}
impl Div for &Wide {
    type Output = Wide;
    /// Quotient; zero if the divisor is zero.
    fn div(self, other: &Wide) -> Wide {
        if other.sign() == 0 || self.sign() == 0 {
            return Wide::ZERO;
        }
        let quotient = Dyadic::quotient(&self.0.m, &other.0.m);
        Wide::rounded(quotient.scaled(self.0.e - other.0.e))
    }
}
impl Neg for &Wide {
    type Output = Wide;
    fn neg(self) -> Wide {
        Wide(Dyadic { m: -&self.0.m, e: self.0.e })
    }
}

/// Vector of floating-point numbers.
pub fn vector(v: [f64; 3]) -> Vector {
    v.map(Wide::new)
}
/// Sum of vectors.
pub fn plus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] + &b[i])
}
/// Difference of vectors.
pub fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] - &b[i])
}
/// Product of a vector and a number.
pub fn times(a: &Vector, x: &Wide) -> Vector {
    std::array::from_fn(|i| &a[i] * x)
}
/// Scalar product.
pub fn dot(a: &Vector, b: &Vector) -> Wide {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}
/// Cross product.
pub fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &(&a[j] * &b[k]) - &(&a[k] * &b[j])
    })
}
/// Length of a vector.
pub fn size(a: &Vector) -> Wide {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_all_bits() {
        let two = Wide::new(2.0);
        let off = &(&two.sqrt() * &two.sqrt()) - &two;
        assert!(off.abs().to_f64() < 2f64.powi(-280), "{off:?}");
        let third = &Wide::new(1.0) / &Wide::new(-3.0);
        let off = &(&third * &Wide::new(3.0)) + &Wide::new(1.0);
        assert!(off.abs().to_f64() < 2f64.powi(-280), "{off:?}");
        assert_eq!(Wide::new(2.25).sqrt().to_f64(), 1.5);
        assert_eq!(Wide::new(2f64.powi(-1001)).sqrt().to_f64(), 2f64.powi(-501) * 2f64.sqrt());
        assert_eq!(size(&vector([2.0, -3.0, 6.0])).to_f64(), 7.0);
        assert_eq!(Wide::new(-1.0).sqrt(), Wide::ZERO);
    }
}
