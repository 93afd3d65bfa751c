//! Exact numbers: floating-point inputs as integers on a common grid; approximations as integers times powers of two.
//!
//! # Method
//! Every finite input is `m 2^e`. The smallest `e` of a case defines the grid, on which all its lengths are integers;
//! sums and products of those are exact, however large. A root or a quotient is an approximation, a [`Dyadic`] of
//! several hundred bits, and decides nothing.

use dashu_int::ops::{BitTest, SquareRoot, UnsignedAbs};
use dashu_int::{IBig, Sign};
use std::cmp::Ordering;

/// Precision of approximations in bits.
pub const BITS: usize = 288;

/// Mantissa and exponent of a finite number, the mantissa odd; (0, 0) for zero.
fn split(x: f64) -> (i64, i32) {
    debug_assert!(x.is_finite());
    if x == 0.0 {
        return (0, 0);
    }
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (m, e) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let zeros = m.trailing_zeros();
    let m = m >> zeros;
    (if x < 0.0 { -m } else { m }, e + zeros as i32)
}

/// Exponent of the coarsest grid on which all the numbers are integers.
pub fn grid_of(numbers: impl IntoIterator<Item = f64>) -> i32 {
    numbers.into_iter().filter(|x| *x != 0.0).map(|x| split(x).1).min().unwrap_or(0)
}

/// Number in units of `2^grid`, which must divide it.
pub fn on_grid(x: f64, grid: i32) -> IBig {
    let (m, e) = split(x);
    if m == 0 {
        return IBig::ZERO;
    }
    debug_assert!(e >= grid);
    IBig::from(m) << (e - grid) as usize
}

/// Sign: -1, 0 or 1.
pub fn sign(x: &IBig) -> i8 {
    if x.is_zero() {
        0
    } else if x.sign() == Sign::Negative {
        -1
    } else {
        1
    }
}

/// Largest integer whose square is at most `x >= 0`.
pub fn root_floor(x: &IBig) -> IBig {
    debug_assert!(sign(x) >= 0);
    IBig::from(x.unsigned_abs().sqrt())
}

/// Count of bits of the absolute value; 0 for zero.
pub fn length(x: &IBig) -> usize {
    x.unsigned_abs().bit_len()
}

/// Dyadic number `m 2^e`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dyadic {
    /// Mantissa, of any length.
    pub m: IBig,
    /// Exponent of the power of two.
    pub e: i64,
}

impl Dyadic {
    /// The number zero.
    pub const ZERO: Self = Self { m: IBig::ZERO, e: 0 };

    /// The exact value of a finite number.
    pub fn from_f64(x: f64) -> Self {
        let (m, e) = split(x);
        Self { m: IBig::from(m), e: i64::from(e) }
    }
    /// Quotient `n / d` to [`BITS`] significant bits.
    pub fn quotient(n: &IBig, d: &IBig) -> Self {
        let want = BITS + 2 + length(d);
        let shift = want.saturating_sub(length(n));
        Self { m: (n << shift) / d, e: -(shift as i64) }
    }
    /// Product with a power of two.
    #[must_use]
    pub fn scaled(self, power: i64) -> Self {
        Self { e: self.e + power, m: self.m }
    }
    /// Exact difference `self - other`.
    pub fn minus(&self, other: &Self) -> Self {
        if other.m.is_zero() {
            return self.clone();
        }
        if self.m.is_zero() {
            return Self { m: -&other.m, e: other.e };
        }
        let e = self.e.min(other.e);
        let on = |x: &Self| &x.m << (x.e - e) as usize;
        Self { m: on(self) - on(other), e }
    }
    /// Exact product `self * other`.
    pub fn times(&self, other: &Self) -> Self {
        Self { m: &self.m * &other.m, e: self.e + other.e }
    }
    /// Exponent of the leading bit: `2^k <= |x| < 2^(k + 1)`. None for zero.
    pub fn magnitude(&self) -> Option<i64> {
        (!self.m.is_zero()).then(|| self.e + length(&self.m) as i64 - 1)
    }
    /// Value of `self / 2^power`, rounded to an `f64`: for display and for measured errors only.
    pub fn in_units_of(&self, power: i64) -> f64 {
        let Some(top) = self.magnitude() else { return 0.0 };
        let drop = length(&self.m).saturating_sub(64);
        let head = (&self.m >> drop).to_f64().value();
        let e = self.e + drop as i64 - power;
        if top - power > 1100 {
            return f64::INFINITY.copysign(head);
        }
        // In two steps, because a single factor may leave the range.
        let half = (e / 2).clamp(-1000, 1000) as i32;
        let rest = (e - i64::from(half)).clamp(-1000, 1000) as i32;
        head * 2f64.powi(half) * 2f64.powi(rest)
    }
    /// Rounds to an `f64`.
    pub fn to_f64(&self) -> f64 {
        self.in_units_of(0)
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(sign(&self.minus(other).m).cmp(&0))
    }
}

/// Floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// Significand of 24 bits.
    F32,
    /// Significand of 53 bits.
    F64,
}

impl Precision {
    /// `f32` or `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
    /// Precision of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::F32, Self::F64].into_iter().find(|precision| precision.name() == name)
    }
    /// Bits of the significand, and exponent of the smallest positive number.
    fn format(self) -> (i64, i64) {
        match self {
            Self::F32 => (24, -149),
            Self::F64 => (53, -1074),
        }
    }
    /// Largest finite number.
    pub fn max(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::MAX),
            Self::F64 => f64::MAX,
        }
    }
    /// Least number above zero.
    pub fn least(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::from_bits(1)),
            Self::F64 => f64::from_bits(1),
        }
    }
    /// Distance from 1 to the next number.
    pub fn epsilon(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::EPSILON),
            Self::F64 => f64::EPSILON,
        }
    }
    /// Rounds to the format.
    pub fn round(self, x: f64) -> f64 {
        match self {
            Self::F32 => f64::from(x as f32),
            Self::F64 => x,
        }
    }
    /// Number `steps` steps above this one, or below.
    pub fn step(self, x: f64, steps: i32) -> f64 {
        (0..steps.abs()).fold(x, |x, _| match (self, steps > 0) {
            (Self::F32, true) => f64::from((x as f32).next_up()),
            (Self::F32, false) => f64::from((x as f32).next_down()),
            (Self::F64, true) => x.next_up(),
            (Self::F64, false) => x.next_down(),
        })
    }
    /// Number `steps` steps beside this one; beside zero, a multiple of epsilon.
    pub fn nudge(self, x: f64, steps: i32) -> f64 {
        if x == 0.0 { f64::from(steps) * self.epsilon() } else { self.step(x, steps) }
    }
    /// Exponent of the unit in the last place of a number of this magnitude.
    pub fn ulp(self, magnitude: Option<i64>) -> i64 {
        let (bits, least) = self.format();
        magnitude.map_or(least, |top| (top - bits + 1).max(least))
    }
    /// Error of a reported number in units in the last place of the exact one. None if the exact one is beyond the
    /// range of the format.
    pub fn error(self, reported: f64, exact: &Dyadic) -> Option<f64> {
        let top = exact.magnitude();
        let limit = if self == Self::F32 { 127 } else { 1023 };
        if top.is_some_and(|top| top > limit) {
            return None;
        }
        if !reported.is_finite() {
            // The last half unit below the limit rounds to infinity; any other result there has an infinite error.
            return Some(if top == Some(limit) { 1.0 } else { f64::INFINITY });
        }
        Some(Dyadic::from_f64(reported).minus(exact).in_units_of(self.ulp(top)).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_a_grid() {
        let grid = grid_of([0.0, 6.0, -0.375, 1e300]);
        assert_eq!(grid, -3);
        assert_eq!(on_grid(6.0, grid), IBig::from(48));
        assert_eq!(on_grid(-0.375, grid), IBig::from(-3));
        assert_eq!(grid_of([5e-324, 1e300]), -1074);
        assert_eq!(on_grid(f64::MAX, -1074), ((IBig::ONE << 53) - IBig::ONE) << 2045_usize);
    }

    #[test]
    fn ulps() {
        let third = Dyadic::quotient(&IBig::from(1), &IBig::from(3));
        assert!(Precision::F64.error(1.0 / 3.0, &third).unwrap() < 0.5);
        let up = Precision::F64.error((1.0f64 / 3.0).next_up(), &third).unwrap();
        assert!(up > 0.5 && up < 1.5);
        let f = f64::from(1.0f32 / 3.0);
        assert!(Precision::F32.error(f, &third).unwrap() <= 0.5);
        assert_eq!(Precision::F32.error(f64::from(f32::from_bits(1)), &Dyadic::ZERO), Some(1.0));
        assert_eq!(Precision::F32.error(0.0, &Dyadic::from_f64(1e39)), None);
        assert_eq!(Dyadic::from_f64(-5e-324).to_f64(), -5e-324);
        assert_eq!(Dyadic::from_f64(1e300).in_units_of(996), 1e300 / 2f64.powi(996));
    }
}
