//! `Exact`: arithmetic without rounding and without exponent limits, the last resort of lazy exact arithmetic.
//!
//! A finite number is a sign and a row of 64-bit limbs, lowest first, with an exponent counted in whole limbs:
//! `sign * (limbs[0] + limbs[1] * 2^64 + ...) * 2^(64 * exponent)`. A radix point at whole limbs lets sums run
//! without shifting. The first and the last limb of the row are nonzero, so each number has one representation. The
//! number itself stores a short row, as every `f64` has, and their products; the [`arena`] of the thread stores a longer one.
//!
//! **Sums, differences, products**, products with powers of two, and comparisons of their results are exact, whatever
//! their length.
//!
//! **Quotients and roots** of operands with `n` limbs in total have a relative error below `2^-(64 f n + 192)`, f
//! being 3 or 8 ([`with_precision`](arena::with_precision)), and none when the true result is a dyadic number of so
//! many bits. Each number carries an error bound. Two numbers that differ by less are equal, if their digits suffice.
//!
//! **Digits that suffice**: let L be the largest number of limbs of any exact operand behind either number. The
//! difference of two quotients is a quotient whose numerator is not below the lowest bit of a product of two rows:
//! relative to either it is above `2^-64 (2 L + 1)`. A root of `a t^2 - 2 b t + c` differs from a quotient `n / d` by
//! `a n^2 - 2 b n d + c d^2` over `a d^2` and the distance to the other root: at least `2^-64 (3 L + 1)`, where L also
//! counts the row under the square root, which holds the products `b^2` and `a c`. Two roots of two quadratics differ
//! by their resultant, of degree 2 in the coefficients of each: `2^-64 (8 L)`. So a comparison is right if all rows
//! have about the same length. If one operand is short, and its quotient coarse, while another is long (a needle has an
//! edge of two limbs beside one of twenty), the evaluation runs again, with all quotients and roots twice as fine as
//! the longest row requires. See docs/proofs.md, Lemma 20.
//!
//! **Not finite**: NaN and the infinities follow the rules of `f64`, except that every division by zero is NaN. Zero
//! has no sign.
//!
//! Sums and products use the schoolbook methods (Knuth, *The Art of Computer Programming*, vol. 2, 4.3.1, algorithms
//! A, D, M and S); roots use Heron's rule.

use super::arena;
use crate::math::arithmetic::Arithmetic;
use crate::math::eft::sqrt;
use crate::math::exact::limbs::{Limbs, SHORT};
use crate::math::exact::quotient::{Row, quotient};
use crate::math::rounding::power;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

pub(crate) const TWO_64: f64 = (1_u128 << 64) as f64;

/// Exact number: +, - and * do not round (see the module documentation).
#[derive(Clone, Copy)]
pub struct Exact {
    /// -1, 0 or 1 for a finite number; an infinity or NaN itself otherwise, with no limbs. Thus `f64` arithmetic on
    /// this field decides every case that is not finite.
    pub(crate) sign: f64,
    /// Exponent of the lowest limb, in limbs.
    exponent: i64,
    len: usize,
    row: Limbs,
    /// Running error bound: quotients and roots have omitted less than `2^error`.
    pub(crate) error: i64,
}

/// Error bound of a number without error.
pub(crate) const EXACT: i64 = i64::MIN / 4;

/// Error bound of a sum of two numbers with this bound.
fn after(error: i64) -> i64 {
    if error < EXACT / 2 { EXACT } else { error + 1 }
}

/// A row of two limbs in place.
const fn short([low, high]: [u64; 2]) -> [u64; SHORT] {
    let mut row = [0; SHORT];
    (row[0], row[1]) = (low, high);
    row
}

/// Adds the product of two rows to a row of zeros that is as long as both.
#[cfg_attr(not(debug_assertions), inline(always))]
fn multiply(a: &[u64], b: &[u64], product: &mut [u64]) {
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (limb, &y) in product[i..].iter_mut().zip(b) {
            // At most (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
            let sum = u128::from(x) * u128::from(y) + u128::from(*limb) + u128::from(carry);
            (*limb, carry) = (sum as u64, (sum >> 64) as u64);
        }
        product[i + b.len()] = carry;
    }
}

impl Exact {
    /// -1, 0 or 1; 0 for NaN.
    #[cfg(test)]
    pub(crate) fn sign(self) -> i8 {
        i8::from(self.sign > 0.0) - i8::from(self.sign < 0.0)
    }

    /// The nearest `f64`, and the nearest `f64` to the remainder (0 if the first is not finite).
    pub(crate) fn to_parts(self) -> (f64, f64) {
        let high = self.to_f64();
        (high, if high.is_finite() { (self - Self::from_f64(high)).to_f64() } else { 0.0 })
    }

    fn digits<'a>(&'a self, limbs: &'a [u64]) -> &'a [u64] {
        match &self.row {
            Limbs::Short(digits) => &digits[..self.len],
            Limbs::Long(start) => &limbs[*start..*start + self.len],
        }
    }

    /// Exponent above the highest limb.
    fn top(&self) -> i64 {
        self.exponent + self.len as i64
    }

    /// Builds a number from the limbs behind `start`, whose lowest one has this exponent.
    fn from_tail(limbs: &mut Vec<u64>, start: usize, exponent: i64, sign: f64, error: i64) -> Self {
        let tail = &limbs[start..];
        let (Some(low), Some(high)) = (tail.iter().position(|&x| x != 0), tail.iter().rposition(|&x| x != 0)) else {
            limbs.truncate(start);
            return Self { error, ..Self::ZERO };
        };
        let len = high + 1 - low;
        let row = if len <= SHORT {
            let mut short = [0; SHORT];
            short[..len].copy_from_slice(&tail[low..=high]);
            limbs.truncate(start);
            Limbs::Short(short)
        } else {
            limbs.truncate(start + high + 1);
            Limbs::Long(start + low)
        };
        Self { sign, exponent: exponent + low as i64, len, row, error }
    }

    /// Builds a number from limbs in place, whose lowest one has this exponent.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_short(limbs: [u64; SHORT], exponent: i64, sign: f64, error: i64) -> Self {
        // The first and the last limb of a row are not zero.
        let (mut low, mut len) = (0, SHORT);
        while len > 0 && limbs[len - 1] == 0 {
            len -= 1;
        }
        if len == 0 {
            return Self { error, ..Self::ZERO };
        }
        if limbs[0] != 0 {
            return Self { sign, exponent, len, row: Limbs::Short(limbs), error };
        }
        while limbs[low] == 0 {
            low += 1;
        }
        let mut row = [0; SHORT];
        row[..len - low].copy_from_slice(&limbs[low..len]);
        Self { sign, exponent: exponent + low as i64, len: len - low, row: Limbs::Short(row), error }
    }

    /// The sum, if it and its terms have short rows: see [`plus`](Self::plus).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn plus_short(&self, other: &Self, sign: f64, error: i64) -> Option<Self> {
        let (Limbs::Short(a), Limbs::Short(b)) = (&self.row, &other.row) else { return None };
        let bottom = self.exponent.min(other.exponent);
        // One limb is for the carry.
        let top = self.top().max(other.top());
        if top - bottom >= SHORT as i64 {
            return None;
        }
        let (at, len) = ((other.exponent - bottom) as usize, (top - bottom) as usize + 1);
        let mut sum = [0; SHORT];
        sum[(self.exponent - bottom) as usize..][..self.len].copy_from_slice(&a[..self.len]);
        let mut carry = false;
        let step = |x: u64, y: u64, carry: bool| {
            let ((part, first), is_sum) =
                if self.sign == sign { (x.overflowing_add(y), true) } else { (x.overflowing_sub(y), false) };
            let (all, second) =
                if is_sum { part.overflowing_add(carry.into()) } else { part.overflowing_sub(carry.into()) };
            (all, first | second)
        };
        for (i, limb) in sum[at..len].iter_mut().enumerate() {
            let y = if i < other.len { b[i] } else { 0 };
            (*limb, carry) = step(*limb, y, carry);
        }
        // A difference below zero is negated.
        let mut result_sign = self.sign;
        if carry {
            result_sign = -result_sign;
            let mut carry = true;
            for limb in &mut sum[..len] {
                (*limb, carry) = (!*limb).overflowing_add(carry.into());
            }
        }
        Some(Self::from_short(sum, bottom, result_sign, error))
    }

    /// The product, if it has a short row: see [`times`](Self::times).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn times_short(&self, other: &Self, sign: f64, error: i64) -> Option<Self> {
        let (Limbs::Short(a), Limbs::Short(b)) = (&self.row, &other.row) else { return None };
        if self.len + other.len > SHORT {
            return None;
        }
        let mut product = [0; SHORT];
        multiply(&a[..self.len], &b[..other.len], &mut product);
        Some(Self::from_short(product, self.exponent + other.exponent, sign, error))
    }

    /// Bit length: the absolute value is below `2^bits`, and not below half of that.
    pub(crate) fn bits(&self, limbs: &[u64]) -> i64 {
        64 * self.top() - self.digits(limbs).last().map_or(0, |limb| i64::from(limb.leading_zeros()))
    }

    /// [`bits`](Self::bits) of a number outside of the arena.
    pub(crate) fn bit_length(&self) -> i64 {
        match self.row {
            Limbs::Short(_) => self.bits(&[]),
            Limbs::Long(_) => arena::with(|arena| self.bits(&arena.limbs)),
        }
    }

    pub(crate) fn cmp_magnitude(&self, other: &Self, limbs: &[u64]) -> Ordering {
        // The lowest limbs are nonzero, so if one row is a prefix of the other, the longer one is larger.
        let digits = || self.digits(limbs).iter().rev().cmp(other.digits(limbs).iter().rev());
        self.top().cmp(&other.top()).then_with(digits)
    }

    /// [`cmp_magnitude`](Self::cmp_magnitude) of numbers outside of the arena.
    pub(crate) fn order_of_magnitude(&self, other: &Self) -> Ordering {
        match (&self.row, &other.row) {
            (Limbs::Short(_), Limbs::Short(_)) => self.cmp_magnitude(other, &[]),
            _ => arena::with(|arena| self.cmp_magnitude(other, &arena.limbs)),
        }
    }

    /// `self + other`, with `sign` as the sign of `other`.
    #[inline(never)]
    pub(crate) fn plus(&self, other: &Self, sign: f64) -> Self {
        if !(self.sign.is_finite() && sign.is_finite()) {
            return Self::from_f64(self.sign + sign);
        }
        let error = after(self.error.max(other.error));
        if sign == 0.0 {
            return Self { error, ..*self };
        }
        if self.sign == 0.0 {
            return Self { sign, error, ..*other };
        }
        self.note(other);
        if let Some(sum) = self.plus_short(other, sign, error) {
            return sum;
        }
        arena::with(|arena| {
            let limbs = &mut arena.limbs;
            let (large, small, large_sign) =
                if self.cmp_magnitude(other, limbs).is_lt() { (other, self, sign) } else { (self, other, self.sign) };
            let bottom = large.exponent.min(small.exponent);
            let start = limbs.len();
            limbs.resize(start + (large.top() - bottom) as usize + 1, 0);
            let (old, sum) = limbs.split_at_mut(start);
            let (large_at, small_at) = ((large.exponent - bottom) as usize, (small.exponent - bottom) as usize);
            sum[large_at..large_at + large.len].copy_from_slice(large.digits(old));
            let step = if self.sign == sign { u64::overflowing_add } else { u64::overflowing_sub };
            let (mut carry, digits) = (false, small.digits(old));
            for (i, limb) in sum[small_at..].iter_mut().enumerate() {
                if !carry && i >= digits.len() {
                    break;
                }
                let (part, carry_a) = step(*limb, digits.get(i).copied().unwrap_or(0));
                let (all, carry_b) = step(part, carry.into());
                (*limb, carry) = (all, carry_a | carry_b);
            }
            Self::from_tail(limbs, start, bottom, large_sign, error)
        })
    }

    #[inline(never)]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let sign = self.sign * other.sign;
        if !sign.is_finite() {
            return Self::from_f64(sign);
        }
        // A product with an exact zero has no error, whatever that of the other factor.
        let is_zero = |x: &Self| x.sign == 0.0 && x.is_exact();
        if is_zero(self) || is_zero(other) {
            return Self::ZERO;
        }
        self.note(other);
        let error = if self.is_exact() && other.is_exact() {
            EXACT
        } else {
            let [a, b] = [self, other].map(Self::bit_length);
            after((self.error + b).max(other.error + a))
        };
        if let Some(product) = self.times_short(other, sign, error) {
            return product;
        }
        arena::with(|arena| {
            let limbs = &mut arena.limbs;
            let start = limbs.len();
            limbs.resize(start + self.len + other.len, 0);
            let (old, product) = limbs.split_at_mut(start);
            multiply(self.digits(old), other.digits(old), product);
            Self::from_tail(limbs, start, self.exponent + other.exponent, sign, error)
        })
    }

    /// The two highest limbs as an integer, and its exponent in limbs. A sticky last bit stands for all lower limbs.
    fn leading(&self) -> (u128, i64) {
        let highest = |digits: &[u64]| (digits[self.len - 1], if self.len > 1 { digits[self.len - 2] } else { 0 });
        let (high, low) = match &self.row {
            Limbs::Short(digits) => highest(digits),
            Limbs::Long(_) => arena::with(|arena| highest(self.digits(&arena.limbs))),
        };
        let sticky = u128::from(self.len > 2);
        (u128::from(high) << 64 | u128::from(low) | sticky, self.top() - 2)
    }

    /// The number rounded to an `f64` in units of an exponent, and that exponent in limbs.
    fn head(&self) -> (f64, i64) {
        if self.len == 0 {
            return (0.0, 0);
        }
        let (integer, place) = self.leading();
        (integer as f64 * self.sign, place)
    }

    /// Number of limbs for a quotient or root of these operands.
    fn wanted(of: &[&Self]) -> i64 {
        arena::with(|arena| {
            of.iter().filter(|x| x.is_exact()).for_each(|x| arena.budget.note(x.len));
            arena.budget.wanted(of.iter().map(|x| x.len).sum()) as i64
        })
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.error < EXACT / 2
    }

    /// The error bound as a number; zero where it is below the range of `f64`.
    pub(crate) fn error_bound(&self) -> f64 {
        match self.error {
            ..-1000 => 0.0,
            -1000..1000 => power(self.error),
            _ => f64::INFINITY,
        }
    }

    /// Records an exact operand that is combined with a rounded one: the bound for comparisons depends on its length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note(&self, other: &Self) {
        if self.is_exact() != other.is_exact() {
            arena::with(|arena| arena.budget.note(if self.is_exact() { self.len } else { other.len }));
        }
    }

    /// `self / other`, rounded toward zero to a multiple of the limb at `grid`, and whether the result is exact.
    #[inline(never)]
    fn quotient_at(&self, other: &Self, grid: i64) -> (Self, bool) {
        arena::with(|arena| {
            let limbs = &mut arena.limbs;
            let budget = self.exponent - other.exponent - grid;
            let mut numerator = Row::from_elem(0, usize::try_from(budget).unwrap_or(0));
            let (skipped, kept) = self.digits(limbs).split_at(usize::try_from(-budget).unwrap_or(0).min(self.len));
            numerator.extend_from_slice(kept);
            let (digits, no_rest) = quotient(&numerator, other.digits(limbs));
            let whole = no_rest && skipped.is_empty();
            let start = limbs.len();
            limbs.extend(digits);
            (Self::from_tail(limbs, start, grid, self.sign * other.sign, EXACT), whole)
        })
    }

    /// Rounds to the nearest multiple of the limb at `grid`.
    fn rounded(self, grid: i64) -> Self {
        let half = Self { sign: self.sign, exponent: grid - 1, row: Limbs::Short(short([1 << 63, 0])), ..Self::ONE };
        (self + half).quotient_at(&Self::ONE, grid).0
    }
}

impl Arithmetic for Exact {
    const SELF_VALIDATING: bool = true;
    fn compare(self, other: Self) -> Option<Ordering> {
        self.order(other)
    }
    const ZERO: Self = Self { sign: 0.0, exponent: 0, len: 0, row: Limbs::Short([0; SHORT]), error: EXACT };
    const ONE: Self = Self { sign: 1.0, exponent: 0, len: 1, row: Limbs::Short(short([1, 0])), error: EXACT };

    #[inline(never)]
    fn parts(self) -> (f64, f64) {
        self.to_parts()
    }
    #[inline(never)]
    fn from_parts((high, low): (f64, f64)) -> Self {
        Self::from_f64(high) + Self::from_f64(low)
    }

    #[inline(never)]
    fn from_f64(x: f64) -> Self {
        if !x.is_finite() {
            return Self { sign: x, ..Self::ZERO };
        }
        if x == 0.0 {
            return Self::ZERO;
        }
        let (field, fraction) = (x.to_bits() >> 52 & 0x7ff, x.to_bits() & ((1 << 52) - 1));
        // Subnormal numbers have the exponent of field 1, and no hidden bit.
        let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
        let power = field.max(1) as i64 - 1075;
        let (place, row) = (power.div_euclid(64), u128::from(mantissa) << power.rem_euclid(64));
        let (low, high) = (row as u64, (row >> 64) as u64);
        let (exponent, len, row) = match (low, high) {
            (low, 0) => (place, 1, [low, 0]),
            (0, high) => (place + 1, 1, [high, 0]),
            both => (place, 2, both.into()),
        };
        Self { sign: 1_f64.copysign(x), exponent, len, row: Limbs::Short(short(row)), error: EXACT }
    }

    /// Rounds to nearest, ties to even, also among subnormal numbers; overflows to infinity.
    #[inline(never)]
    fn to_f64(self) -> f64 {
        if self.len == 0 {
            return self.sign + 0.0; // -0 to 0
        }
        let (integer, place) = self.leading();
        let lowest = 64 * place.clamp(-100, 100); // 2^±6400 is out of range as well as any other
        // Exponent of the last bit of the result: 53 bits in all, fewer for a subnormal number.
        let last = (lowest + 75 - i64::from(integer.leading_zeros())).max(-1074);
        let shift = (last - lowest) as u32;
        let kept = integer.checked_shr(shift).unwrap_or(0);
        let rest = integer - kept.checked_shl(shift).unwrap_or(0);
        let half = 1_u128.checked_shl(shift - 1).unwrap_or(u128::MAX);
        let up = rest > half || (rest == half && kept & 1 == 1);
        if last > 971 {
            return self.sign * f64::INFINITY;
        }
        // The addition carries the hidden bit, and a mantissa rounded up to 2^53, into the exponent field.
        self.sign * f64::from_bits((((last + 1074) as u64) << 52) + kept as u64 + u64::from(up))
    }

    #[inline(never)]
    fn sqrt(self) -> Self {
        if self.sign != 1.0 {
            return Self::from_f64(sqrt(self.sign));
        }
        let (head, place) = self.head();
        let half = place.div_euclid(2);
        let mut root = Self::from_f64(sqrt(if place % 2 == 0 { head } else { head * TWO_64 }));
        root.exponent += half;
        let error = after(self.error - self.bit_length().div_euclid(2));
        let grid = (half - Self::wanted(&[&self])).max(error.div_euclid(64));
        // Each step of Heron's rule doubles the digits: an error of 2^e at the exponent `half`, where the root is
        // above 2^63, becomes 2^(2 e - 64): from 2^11 it goes to 2^-42, 2^-148, 2^-360 ... The iteration computes one
        // limb more than it keeps, so that it finds a root that is a multiple of the grid.
        let square = Self { error: EXACT, ..self };
        let wanted = half - grid + 1;
        let mut limbs = 0;
        loop {
            root = (root + square.quotient_at(&root, half - limbs - 1).0).times_power_of_two(0.5);
            if limbs >= wanted {
                break;
            }
            limbs = (if limbs == 0 { 2 } else { 2 * limbs + 1 }).min(wanted);
        }
        let root = root.rounded(grid);
        let left_out = if square.equals(root * root) { EXACT } else { 64 * grid };
        Self { error: after(error.max(left_out)), ..root }
    }

    /// Exact for every factor.
    #[inline(never)]
    fn times_power_of_two(self, factor: f64) -> Self {
        self.times(&Self::from_f64(factor))
    }

    #[inline(never)]
    fn normalize_exponent(v: [Self; 3]) -> [Self; 3] {
        // Also scales numbers beyond the range of f64.
        let bits = v.iter().filter(|c| c.len > 0).map(Self::bit_length).max().unwrap_or(0);
        let limbs = bits.div_euclid(64);
        let factor = f64::from_bits(((1023 + 1 - bits.rem_euclid(64)) as u64) << 52);
        v.map(|c| {
            let shifted = Self {
                exponent: c.exponent - limbs,
                error: if c.error > EXACT { c.error - 64 * limbs } else { EXACT },
                ..c
            };
            shifted.times_power_of_two(factor)
        })
    }
    #[inline(never)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        a + b + c + d
    }
}

impl Div for Exact {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        if other.sign == 0.0 || !(self.sign.is_finite() && other.sign.is_finite()) {
            return Self::from_f64(if other.sign == 0.0 { f64::NAN } else { self.sign / other.sign });
        }
        let [a, b] = [self, other].map(|x| x.bit_length());
        let error = after((self.error - b + 1).max(other.error + a - 2 * b + 2));
        // Digits below the errors of the operands carry no information.
        let grid = (self.top() - other.top() - Self::wanted(&[&self, &other])).max(error.div_euclid(64));
        let (quotient, whole) = self.quotient_at(&other, grid);
        Self { error: after(error.max(if whole { EXACT } else { 64 * grid })), ..quotient }
    }
}

impl Add for Exact {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.plus(&other, other.sign)
    }
}

impl Sub for Exact {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self.plus(&other, -other.sign)
    }
}

impl Mul for Exact {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        self.times(&other)
    }
}

impl Neg for Exact {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        Self { sign: -self.sign, ..self }
    }
}

impl fmt::Debug for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = arena::with(|arena| self.digits(&arena.limbs).to_vec());
        write!(f, "{} * {digits:x?} * 2^(64 * {})", self.sign, self.exponent)
    }
}
