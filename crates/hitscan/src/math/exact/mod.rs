//! Arithmetic without rounding: the yardstick against which the kernels' answers are judged.
//!
//! A finite number is a sign and a row of 64-bit limbs, lowest first, standing at a place counted in whole limbs:
//! `sign * (limbs[0] + limbs[1] * 2^64 + ...) * 2^(64 * exponent)`. Points at whole limbs let sums run without
//! shifting. The first and the last limb of the row are nonzero, so each number has one form, and costs follow the
//! length of the row, not the room in the array.
//!
//! **Exact** are sums, differences, products, powers of two and comparisons while the result spans at most `LIMBS`
//! limbs, which any mantissa of `64 * LIMBS - 63` bits does. A longer result loses its lowest limbs: a relative error
//! below `2^-(64 * (LIMBS - 1))`. The exponent has no limit in practice: about fifty squarings in a row reach it.
//!
//! **Quotients and roots** have a relative error below 2^-250 (from 8 limbs on), and none when the true result is a
//! dyadic number with a mantissa of at most 256 bits, as long as the residuals `a - q * b` and `a - r * r` fit as well.
//!
//! **Not finite**: NaN and the infinities go by the rules of `f64`, except that every division by zero is NaN. Zero
//! has no sign.
//!
//! Sums and products are the schoolbook ones (Knuth, *The Art of Computer Programming*, vol. 2, 4.3.1, algorithms A,
//! S and M, the last by columns); quotients and roots are taken digit by digit, the digits being `f64`s.

use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::wide::{Wide, sqrt};

const TWO_64: f64 = (1_u128 << 64) as f64;
/// Bounds `exponent`, so that sums of a few exponents and lengths cannot overflow.
const EXPONENT_LIMIT: i64 = 1 << 60;

/// A number with room for `64 * LIMBS` bits, on which +, - and * are exact (see the head of this file).
#[derive(Clone, Copy)]
pub struct Exact<const LIMBS: usize> {
    /// -1, 0 or 1 for a finite number; an infinity or NaN stands for itself, with no limbs. Thus `f64` arithmetic
    /// on this field alone decides every case that is not finite.
    sign: f64,
    /// Lowest first; zero from `len` on.
    limbs: [u64; LIMBS],
    len: usize,
    /// The place of `limbs[0]`, in limbs.
    exponent: i64,
}

impl<const LIMBS: usize> Exact<LIMBS> {
    /// -1, 0 or 1; 0 for NaN.
    #[must_use]
    pub fn sign(self) -> i8 {
        i8::from(self.sign > 0.0) - i8::from(self.sign < 0.0)
    }

    /// The nearest `f64`, and the nearest `f64` to what it leaves over (0 when the first is not finite).
    #[must_use]
    pub fn to_parts(self) -> (f64, f64) {
        let high = self.to_f64();
        (high, if high.is_finite() { (self - Self::from_f64(high)).to_f64() } else { 0.0 })
    }

    fn digits(&self) -> &[u64] {
        &self.limbs[..self.len]
    }

    /// The place above the last limb.
    fn top(&self) -> i64 {
        self.exponent + self.len as i64
    }

    /// The limb at a place; zero outside the row.
    fn at(&self, place: i64) -> u64 {
        usize::try_from(place - self.exponent).ok().and_then(|i| self.limbs.get(i)).copied().unwrap_or(0)
    }

    /// Appends a limb at a place above all others. Zeros are skipped, which keeps both ends of the row nonzero; when
    /// the room is spent, the lowest limbs go.
    fn put(&mut self, place: i64, limb: u64) {
        if limb == 0 {
            return;
        }
        if self.len == 0 {
            self.exponent = place;
        }
        let mut index = (place - self.exponent) as usize;
        if index >= LIMBS {
            let kept = (index + 1 - LIMBS..self.len).find(|&i| self.limbs[i] != 0);
            let first = kept.unwrap_or(self.len);
            self.limbs.copy_within(first..self.len, 0);
            self.limbs[self.len - first..self.len].fill(0);
            self.exponent = if kept.is_some() { self.exponent + first as i64 } else { place };
            index = (place - self.exponent) as usize;
        }
        self.limbs[index] = limb;
        self.len = index + 1;
    }

    /// Gives a row of limbs its sign.
    fn signed(mut self, sign: f64) -> Self {
        self.sign = if self.len == 0 { 0.0 } else { sign };
        self
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        // The lowest limbs are nonzero, so of two rows of which one begins the other the longer is the larger.
        self.top().cmp(&other.top()).then_with(|| self.digits().iter().rev().cmp(other.digits().iter().rev()))
    }

    /// `self + other`, `other` taken with the sign `sign`.
    #[inline(never)]
    fn plus(&self, other: &Self, sign: f64) -> Self {
        if !(self.sign.is_finite() && sign.is_finite()) {
            return Self::from_f64(self.sign + sign);
        }
        if sign == 0.0 {
            return *self;
        }
        if self.sign == 0.0 {
            return other.signed(sign);
        }
        let (large, small, large_sign) =
            if self.cmp_magnitude(other).is_lt() { (other, self, sign) } else { (self, other, self.sign) };
        let top = large.top();
        // Rows that meet span 2 LIMBS at most. Only a small number far below is cut: with zeros between the two,
        // nothing cancels, and what is cut lies below the last limb kept.
        let bottom = large.exponent.min(small.exponent).max(top - 2 * LIMBS as i64 - 2);
        let subtract = self.sign != sign;
        let (mut result, mut carry) = (Self::ZERO, false);
        for place in bottom..top {
            let (a, b) = (large.at(place), small.at(place));
            let step = if subtract { u64::overflowing_sub } else { u64::overflowing_add };
            let (part, carry_a) = step(a, b);
            let (limb, carry_b) = step(part, carry.into());
            carry = carry_a | carry_b;
            result.put(place, limb);
        }
        result.put(top, carry.into());
        result.signed(large_sign)
    }

    #[inline(never)]
    fn times(&self, other: &Self) -> Self {
        let sign = self.sign * other.sign;
        if !sign.is_finite() {
            return Self::from_f64(sign);
        }
        let (a, b) = (self.digits(), other.digits());
        let bottom = (self.exponent + other.exponent).clamp(-EXPONENT_LIMIT, EXPONENT_LIMIT);
        // The column in hand, in three limbs.
        let (mut low, mut high, mut result) = (0_u128, 0_u128, Self::ZERO);
        for column in 0..a.len() + b.len() {
            let first = (column + 1).saturating_sub(b.len()); // at most a.len()
            let end = a.len().min(column + 1);
            for (&x, &y) in a[first..end].iter().zip(b[..column + 1 - first].iter().rev()) {
                let (sum, overflow) = low.overflowing_add(u128::from(x) * u128::from(y));
                (low, high) = (sum, high + u128::from(overflow));
            }
            result.put(bottom + column as i64, low as u64);
            (low, high) = (low >> 64 | high << 64, 0);
        }
        result.signed(sign)
    }

    /// The two leading limbs as an integer, and its place. A last bit set stands for all that lies below.
    fn leading(&self) -> (u128, i64) {
        let place = self.top() - 2;
        let sticky = u128::from(self.len > 2);
        (u128::from(self.at(place + 1)) << 64 | u128::from(self.at(place)) | sticky, place)
    }

    /// The signed `f64` next to the number, in units of a place.
    fn head(&self) -> (f64, i64) {
        let (integer, place) = self.leading();
        (integer as f64 * self.sign, place)
    }

    /// Adds digits of some 50 bits to `estimate` until the residual is spent. `slope` is the residual per unit of
    /// result (at its place), `change` what a digit takes off it. Digits are whole multiples of the limb at `grid`:
    /// a result that is one is met exactly, any other to one unit.
    #[inline(never)]
    fn refine(
        mut estimate: Self,
        mut residual: Self,
        slope: (f64, i64),
        grid: i64,
        change: impl Fn(&Self, &Self) -> Self,
    ) -> Self {
        const TWO_52: f64 = (1_u64 << 52) as f64;
        // The residual shrinks by 2^50 a turn, from 2^384 units at most: the bound only guards lengths near LIMBS.
        for _ in 0..12 {
            let (head, place) = residual.head();
            let limbs = (place - slope.1 - grid).clamp(-15, 15);
            let mut units = head / slope.0 * f64::from_bits(((1023 + 64 * limbs) as u64) << 52);
            if units.abs() < TWO_52 {
                let rounder = TWO_52.copysign(units); // sums beyond it are integers
                units = (units + rounder) - rounder;
            }
            if units == 0.0 {
                break;
            }
            let mut digit = Self::from_f64(units);
            digit.exponent += grid;
            residual = residual - change(&estimate, &digit);
            estimate = estimate + digit;
        }
        estimate
    }
}

impl<const LIMBS: usize> Wide for Exact<LIMBS> {
    const SIGN_DOUBT: f64 = 0.0;
    const VALUE_DOUBT: f64 = 0.0;

    #[inline(never)]
    fn parts(self) -> (f64, f64) {
        self.to_parts()
    }
    #[inline(never)]
    fn from_parts((high, low): (f64, f64)) -> Self {
        Self::from_f64(high) + Self::from_f64(low)
    }
    const ZERO: Self = Self { sign: 0.0, limbs: [0; LIMBS], len: 0, exponent: 0 };
    const ONE: Self = {
        let mut one = Self { sign: 1.0, len: 1, ..Self::ZERO };
        one.limbs[0] = 1;
        one
    };

    #[inline(never)]
    fn from_f64(x: f64) -> Self {
        if !x.is_finite() {
            return Self { sign: x, ..Self::ZERO };
        }
        let (field, fraction) = (x.to_bits() >> 52 & 0x7ff, x.to_bits() & ((1 << 52) - 1));
        // Subnormal numbers have the exponent of the field 1, and no hidden bit.
        let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
        let power = field.max(1) as i64 - 1075;
        let (place, row) = (power.div_euclid(64), u128::from(mantissa) << power.rem_euclid(64));
        let mut result = Self::ZERO;
        result.put(place, row as u64);
        result.put(place + 1, (row >> 64) as u64);
        result.signed(1_f64.copysign(x))
    }

    /// Rounds to nearest, ties to even, also among subnormal numbers; overflows to infinity.
    #[inline(never)]
    fn to_f64(self) -> f64 {
        if self.len == 0 {
            return self.sign + 0.0; // -0 to 0
        }
        let (integer, place) = self.leading();
        let lowest = 64 * place.clamp(-100, 100); // 2^±6400 is out of range as well as any other
        // The power of two of the result's last bit: 53 bits in all, fewer for a subnormal number.
        let last = (lowest + 75 - i64::from(integer.leading_zeros())).max(-1074);
        let shift = (last - lowest) as u32;
        let kept = integer.checked_shr(shift).unwrap_or(0);
        let rest = integer - kept.checked_shl(shift).unwrap_or(0);
        let half = 1_u128.checked_shl(shift - 1).unwrap_or(u128::MAX);
        let up = rest > half || (rest == half && kept & 1 == 1);
        if last > 971 {
            return self.sign * f64::INFINITY;
        }
        // Adding lets the hidden bit, and the carry of a mantissa rounded up to 2^53, run into the exponent field.
        self.sign * f64::from_bits((((last + 1074) as u64) << 52) + kept as u64 + u64::from(up))
    }

    #[inline(never)]
    fn sqrt(self) -> Self {
        if self.sign != 1.0 {
            return Self::from_f64(sqrt(self.sign));
        }
        let (head, place) = self.head();
        let half = place.div_euclid(2);
        let root = sqrt(if place % 2 == 0 { head } else { head * TWO_64 });
        let mut estimate = Self::from_f64(root);
        estimate.exponent += half;
        let residual = self - estimate * estimate;
        Self::refine(estimate, residual, (2.0 * root, half), half - 4, |root, digit| {
            (*root + *root + *digit).times(digit)
        })
    }

    /// Exact, whatever the factor.
    #[inline(never)]
    fn times_power_of_two(self, factor: f64) -> Self {
        self.times(&Self::from_f64(factor))
    }

    #[inline(never)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        a + b + c + d
    }
}

impl<const LIMBS: usize> Div for Exact<LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        if other.sign == 0.0 || !(self.sign.is_finite() && other.sign.is_finite()) {
            return Self::from_f64(if other.sign == 0.0 { f64::NAN } else { self.sign / other.sign });
        }
        let slope = other.head();
        let grid = (self.head().1 - slope.1 - 5).clamp(-EXPONENT_LIMIT, EXPONENT_LIMIT);
        Self::refine(Self::ZERO, self, slope, grid, |_, digit| other.times(digit))
    }
}

impl<const LIMBS: usize> Add for Exact<LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.plus(&other, other.sign)
    }
}

impl<const LIMBS: usize> Sub for Exact<LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self.plus(&other, -other.sign)
    }
}

impl<const LIMBS: usize> Mul for Exact<LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        self.times(&other)
    }
}

impl<const LIMBS: usize> Neg for Exact<LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        Self { sign: -self.sign, ..self }
    }
}

impl<const LIMBS: usize> PartialEq for Exact<LIMBS> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl<const LIMBS: usize> PartialOrd for Exact<LIMBS> {
    #[inline(never)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.sign.partial_cmp(&other.sign) {
            // Infinities and zero have no limbs, and come out equal.
            Some(Ordering::Equal) if self.sign > 0.0 => Some(self.cmp_magnitude(other)),
            Some(Ordering::Equal) => Some(other.cmp_magnitude(self)),
            decided => decided,
        }
    }
}

impl<const LIMBS: usize> fmt::Debug for Exact<LIMBS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} * {:x?} * 2^(64 * {})", self.sign, self.digits(), self.exponent)
    }
}

#[cfg(test)]
mod tests;
