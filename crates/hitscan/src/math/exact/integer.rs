//! Integers of fixed size: signs of polynomials without a heap and without rounding.

use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use core::cmp::Ordering;

/// Signed integer of `N` limbs in two's complement, the lowest limb first.
///
/// Sums and differences wrap: who uses them bounds the number of bits. Products have room for every bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer<const N: usize>([u64; N]);

impl<const N: usize> Integer<N> {
    pub(crate) const ZERO: Self = Self([0; N]);

    /// `mantissa * 2^shift`, which must fit.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn shifted(mantissa: i64, shift: u32) -> Self {
        Self::from_limb(mantissa) << shift
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_limb(x: i64) -> Self {
        // The sign fills the limbs above.
        let mut limbs = [(x >> 63) as u64; N];
        limbs[0] = x as u64;
        Self(limbs)
    }

    #[inline(always)]
    pub(crate) fn is_negative(&self) -> bool {
        (self.0[N - 1] as i64) < 0
    }

    #[inline(always)]
    pub(crate) fn is_zero(&self) -> bool {
        self.0.iter().fold(0, |all, limb| all | limb) == 0
    }

    /// The order of the number and zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn sign(&self) -> Ordering {
        if self.is_negative() {
            Ordering::Less
        } else if self.is_zero() {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }

    /// The number, negated if `negate`.
    #[inline(always)]
    pub(crate) fn negated_if(self, negate: bool) -> Self {
        if negate { -self } else { self }
    }

    /// The product with a number of `M` limbs; `P` must be `N + M`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn times<const M: usize, const P: usize>(&self, other: &Integer<M>) -> Integer<P> {
        const { assert!(P == N + M) };
        // The product of the limbs as numbers without a sign.
        let mut product = [0_u64; P];
        for (i, &x) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, &y) in other.0.iter().enumerate() {
                // At most (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
                let sum = u128::from(x) * u128::from(y) + u128::from(product[i + j]) + u128::from(carry);
                (product[i + j], carry) = (sum as u64, (sum >> 64) as u64);
            }
            product[i + M] = carry;
        }
        // A negative factor is 2^(64 n) below its limbs, so the product is that multiple of the other factor too large.
        if self.is_negative() {
            subtract(&mut product[N..], &other.0);
        }
        if other.is_negative() {
            subtract(&mut product[M..], &self.0);
        }
        Integer(product)
    }

    /// The number in more limbs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn widened<const M: usize>(&self) -> Integer<M> {
        let mut limbs = [if self.is_negative() { u64::MAX } else { 0 }; M];
        limbs[..N].copy_from_slice(&self.0);
        Integer(limbs)
    }

    /// The number of bits of the absolute value.
    pub(crate) fn bits(&self) -> u32 {
        let magnitude = self.negated_if(self.is_negative());
        let top = magnitude.0.iter().rposition(|&limb| limb != 0);
        top.map_or(0, |top| 64 * (top as u32 + 1) - magnitude.0[top].leading_zeros())
    }

    /// The number rounded to 106 bits or more, as a fraction of a power of two: `number = dd * 2^exponent`, with `dd` below
    /// 2^128.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn rounded(&self) -> (Dd, i32) {
        let magnitude = self.negated_if(self.is_negative());
        // The highest 128 bits.
        let (limbs, bits) = (magnitude.0, magnitude.bits());
        let drop = bits.saturating_sub(128);
        let (skipped, shift) = (drop as usize / 64, drop % 64);
        let limb = |i: usize| limbs.get(skipped + i).copied().unwrap_or(0);
        let low = u128::from(limb(0)) | u128::from(limb(1)) << 64;
        let window = if shift == 0 { low } else { low >> shift | u128::from(limb(2)) << (128 - shift) };
        // Its first 53 bits, and then the rest.
        let high = window as f64;
        let rest = window.wrapping_sub(high as u128) as i128 as f64;
        let sign = if self.is_negative() { -1.0 } else { 1.0 };
        (Dd::from_parts((high * sign, rest * sign)), drop as i32)
    }
}

/// Adds a row of limbs to another one of its length, modulo the power of two above it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add(to: &mut [u64], row: &[u64]) {
    let mut carry = false;
    for (limb, &y) in to.iter_mut().zip(row) {
        let (part, first) = limb.overflowing_add(y);
        let (all, second) = part.overflowing_add(carry.into());
        (*limb, carry) = (all, first | second);
    }
}

/// Subtracts a row of limbs from another one of at least its length, modulo the power of two above it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn subtract(from: &mut [u64], row: &[u64]) {
    let mut borrow = false;
    for (i, limb) in from.iter_mut().enumerate() {
        let (part, first) = limb.overflowing_sub(row.get(i).copied().unwrap_or(0));
        let (all, second) = part.overflowing_sub(borrow.into());
        (*limb, borrow) = (all, first | second);
    }
}

impl<const N: usize> core::ops::Add for Integer<N> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        let mut sum = self;
        add(&mut sum.0, &other.0);
        sum
    }
}

impl<const N: usize> core::ops::Sub for Integer<N> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        let mut difference = self;
        subtract(&mut difference.0, &other.0);
        difference
    }
}

impl<const N: usize> core::ops::Neg for Integer<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

/// `number * 2^shift`, which must fit.
impl<const N: usize> core::ops::Shl<u32> for Integer<N> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shl(self, shift: u32) -> Self {
        let (limbs, bits) = ((shift / 64) as usize, shift % 64);
        let limb = |i: Option<usize>| i.map_or(0, |i| self.0[i]);
        let mut shifted = [0; N];
        for (i, shifted) in shifted.iter_mut().enumerate() {
            let (high, low) = (limb(i.checked_sub(limbs)), limb(i.checked_sub(limbs + 1)));
            *shifted = if bits == 0 { high } else { high << bits | low >> (64 - bits) };
        }
        Self(shifted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exact::arena::with_precision;
    use crate::math::exact::exact::Exact;
    use crate::math::rounding::power;
    use alloc::vec::Vec;
    use test_support::random::Lcg;

    /// The number in exact arithmetic.
    fn exact<const N: usize>(x: &Integer<N>) -> Exact {
        let magnitude = x.negated_if(x.is_negative());
        let two_32 = Exact::from_f64((1_u64 << 32) as f64);
        let sum = magnitude.0.iter().rev().fold(Exact::ZERO, |sum, limb| {
            let halves = [limb >> 32, limb & u64::from(u32::MAX)].map(|half| Exact::from_f64(half as f64));
            (sum * two_32 + halves[0]) * two_32 + halves[1]
        });
        if x.is_negative() { -sum } else { sum }
    }

    /// Numbers of up to `bits` bits: some short, some with ends of the limbs.
    fn numbers<const N: usize>(bits: u32, lcg: &mut Lcg) -> Vec<Integer<N>> {
        let mut of = |i: u32| {
            let mantissa = (lcg.state() >> 1) as i64 >> (i * 7 % 62);
            let mantissa = [mantissa, -mantissa, 1, -1, 0, i64::MAX][i as usize % 6];
            let used = 64 - mantissa.unsigned_abs().leading_zeros();
            Integer::shifted(mantissa, (lcg.state() >> 33) as u32 % (bits - used + 1))
        };
        let mut numbers: Vec<_> = (0..40).map(&mut of).collect();
        for i in 0..20 {
            numbers.push(numbers[i] + Integer::<N>::shifted(1, 0));
        }
        numbers
    }

    /// Sums, products, signs, bits and shifts are those of exact arithmetic.
    #[test]
    fn integers_have_the_digits_of_exact_numbers() {
        let mut lcg = Lcg::new(3);
        for (a, b) in numbers::<2>(120, &mut lcg).iter().zip(numbers::<3>(180, &mut lcg)) {
            with_precision(1, || {
                let equal = |x: Exact, y: Exact| assert_eq!(x.compare(y), Some(Ordering::Equal), "{a:?} {b:?}");
                let product: Integer<5> = a.times(&b);
                equal(exact(&product), exact(a) * exact(&b));
                equal(exact(&(a.widened() + b)), exact(a) + exact(&b));
                equal(exact(&(a.widened() - b)), exact(a) - exact(&b));
                equal(exact(&(-*a)), -exact(a));
                equal(exact(&(a.widened::<3>() << 59)), exact(a) * Exact::from_f64((1_u64 << 59) as f64));
                assert_eq!(Some(product.sign()), exact(&product).compare(Exact::ZERO));
                // The rounded number has 106 bits.
                let (dd, exponent) = product.rounded();
                let (high, low) = dd.parts();
                let rounded = (Exact::from_f64(high) + Exact::from_f64(low)) * Exact::from_f64(power(exponent.into()));
                let error = (rounded - exact(&product)).abs();
                let bound = exact(&product).abs() * Exact::from_f64(power(-105));
                assert_ne!(error.compare(bound), Some(Ordering::Greater), "{product:?}");
            });
            assert_eq!(a.bits(), exact_bits(a), "{a:?}");
        }
    }

    fn exact_bits(x: &Integer<2>) -> u32 {
        let value = i128::from(x.0[0]) | (i128::from(x.0[1] as i64) << 64);
        128 - value.unsigned_abs().leading_zeros()
    }
}
