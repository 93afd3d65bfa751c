//! Quadratic surds `(p + q sqrt(d)) / r` in integers, compared exactly.
//!
//! # Method
//! The sign of `a + b sqrt(d)` follows from the signs of its two terms or, if they differ, from their squares
//! `a^2` and `b^2 d`. A third term `c sqrt(e)` repeats the step: the comparison of `(a + b sqrt(d))^2` with `c^2 e` has
//! the first form. No decision takes a root.

use crate::number::{BITS, Dyadic, length, root_floor, sign};
use dashu_int::IBig;
use std::cmp::Ordering;

/// Sign of `a + b sqrt(d)`, `d >= 0`.
pub fn sign_of_two(a: &IBig, b: &IBig, d: &IBig) -> i8 {
    let (sa, sb) = (sign(a), sign(b) * sign(d));
    if sa * sb >= 0 {
        return if sa != 0 { sa } else { sb };
    }
    sa * sign(&(a * a - b * b * d))
}

/// Sign of `a + b sqrt(d) + c sqrt(e)`, `d >= 0`, `e >= 0`.
pub fn sign_of_three(a: &IBig, b: &IBig, d: &IBig, c: &IBig, e: &IBig) -> i8 {
    let (first, second) = (sign_of_two(a, b, d), sign(c) * sign(e));
    if first * second >= 0 {
        return if first != 0 { first } else { second };
    }
    // |a + b sqrt(d)| against |c sqrt(e)|, both squared.
    let whole = a * a + b * b * d - c * c * e;
    let mixed = IBig::from(2) * a * b;
    first * sign_of_two(&whole, &mixed, d)
}

/// Quadratic surd `(p + q sqrt(d)) / r` with `q` one of -1, 0, 1; `d >= 0`; `r > 0`.
#[derive(Clone, Debug)]
pub struct Surd {
    /// Rational part, times `r`.
    pub p: IBig,
    /// Sign of the root.
    pub q: i8,
    /// Radicand, at least 0.
    pub d: IBig,
    /// Denominator, greater than 0.
    pub r: IBig,
}

impl Surd {
    /// Quotient `n / d`, `d != 0`.
    pub fn rational(n: IBig, d: IBig) -> Self {
        let (p, r) = if sign(&d) < 0 { (-n, -d) } else { (n, d) };
        Self { p, q: 0, d: IBig::ZERO, r }
    }
    /// Floating-point number times `2^-scale`.
    pub fn from_f64(x: f64, scale: i32) -> Self {
        let Dyadic { m, e } = Dyadic::from_f64(x).scaled(-i64::from(scale));
        let one = IBig::ONE;
        let size = e.unsigned_abs() as usize;
        if e >= 0 { Self::rational(m << size, one) } else { Self::rational(m, one << size) }
    }
    /// Exact order of two surds.
    pub fn order(&self, other: &Self) -> Ordering {
        let a = &self.p * &other.r - &other.p * &self.r;
        let b = IBig::from(self.q) * &other.r;
        let c = IBig::from(-other.q) * &self.r;
        sign_of_three(&a, &b, &self.d, &c, &other.d).cmp(&0)
    }
    /// Sign of the polynomial `a s^2 + 2 b s + c` at this number.
    pub fn sign_in(&self, [a, b, c]: [&IBig; 3]) -> i8 {
        // Times r^2: a (p^2 + q^2 d) + 2 b p r + c r^2, and with the root (2 a p + 2 b r) q.
        let two = IBig::from(2);
        let q = IBig::from(self.q);
        let whole = a * (&self.p * &self.p + &q * &q * &self.d) + &two * b * &self.p * &self.r + c * &self.r * &self.r;
        let mixed = two * (a * &self.p + b * &self.r) * q;
        sign_of_two(&whole, &mixed, &self.d)
    }
}

/// Approximation of numbers `x + y sqrt(d)` of one `d`. It refines the root as far as cancellation requires.
#[derive(Clone, Debug)]
pub struct Refined {
    d: IBig,
    /// `floor(2^shift sqrt(d))`.
    root: IBig,
    shift: usize,
}

impl Refined {
    /// Computes the root to [`BITS`] bits.
    pub fn new(d: &IBig) -> Self {
        let shift = (BITS + 32).saturating_sub(length(d) / 2);
        Self { root: root_floor(&(d << (2 * shift))), d: d.clone(), shift }
    }
    fn refine(&mut self) {
        self.shift = 2 * self.shift + 256;
        self.root = root_floor(&(&self.d << (2 * self.shift)));
    }
    /// Integers `(x_i + y_i sqrt(d)) 2^shift`, the largest one correct to `bits` bits. All are zero only if the exact
    /// numbers are.
    pub fn scaled_to_integers<const N: usize>(&mut self, x: &[IBig; N], y: &[IBig; N], bits: usize) -> [IBig; N] {
        loop {
            let whole: [IBig; N] = std::array::from_fn(|i| (&x[i] << self.shift) + &y[i] * &self.root);
            let largest = whole.iter().map(length).max().unwrap_or(0);
            let error = y.iter().map(length).max().unwrap_or(0);
            if error == 0 || self.d.is_zero() || largest >= error + bits {
                return whole;
            }
            if (0..N).all(|i| sign_of_two(&x[i], &y[i], &self.d) == 0) {
                return std::array::from_fn(|_| IBig::ZERO);
            }
            self.refine();
        }
    }
    /// `(x + y sqrt(d)) / r` to [`BITS`] significant bits.
    pub fn value(&mut self, x: IBig, y: IBig, r: &IBig) -> Dyadic {
        let [whole] = self.scaled_to_integers(&[x], &[y], BITS);
        Dyadic::quotient(&whole, r).scaled(-(self.shift as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(x: i64) -> IBig {
        IBig::from(x)
    }

    #[test]
    fn signs_of_sums_of_roots() {
        // 3 - sqrt(9), 3 - sqrt(8), -3 + sqrt(8), sqrt(2) + sqrt(3) - sqrt(5 + 2 sqrt(6)) in another form.
        assert_eq!(sign_of_two(&int(3), &int(-1), &int(9)), 0);
        assert_eq!(sign_of_two(&int(3), &int(-1), &int(8)), 1);
        assert_eq!(sign_of_two(&int(-3), &int(1), &int(8)), -1);
        for a in -12..=12 {
            for b in -4..=4 {
                for c in -4..=4 {
                    for (d, e) in [(2, 3), (8, 2), (0, 5), (4, 9), (12, 27)] {
                        let near = a as f64 + b as f64 * (d as f64).sqrt() + c as f64 * (e as f64).sqrt();
                        let exact = sign_of_three(&int(a), &int(b), &int(d), &int(c), &int(e));
                        let expected = if near.abs() < 1e-9 { 0 } else { near.signum() as i8 };
                        assert_eq!(exact, expected, "{a} + {b} sqrt {d} + {c} sqrt {e}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_survive_cancellation() {
        // 2^200 - sqrt(2^400 - 1) is 2^-201 to 600 bits.
        let x = IBig::ONE << 200;
        let d = (IBig::ONE << 400) - IBig::ONE;
        let value = Refined::new(&d).value(x.clone(), int(-1), &int(1));
        assert_eq!(value.to_f64(), 2f64.powi(-201));
        let square = IBig::ONE << 400;
        assert_eq!(Refined::new(&square).value(x, int(-1), &int(1)).to_f64(), 0.0);
    }

    #[test]
    fn a_polynomial_at_its_root() {
        // s^2 - 2 s - 1 at 1 + sqrt(2), and at 1 - sqrt(2) one unit beside.
        let at = Surd { p: int(1), q: 1, d: int(2), r: int(1) };
        assert_eq!(at.sign_in([&int(1), &int(-1), &int(-1)]), 0);
        assert_eq!(at.sign_in([&int(1), &int(-1), &int(-2)]), -1);
        assert_eq!(at.order(&Surd::from_f64(2.414213562373095, 0)), Ordering::Greater);
        assert_eq!(at.order(&Surd::from_f64(4.82842712474619, 1)), Ordering::Greater);
    }
}
