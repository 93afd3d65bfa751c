//! Long division of rows of limbs.

use smallvec::SmallVec;

/// A row of limbs during one operation, in place unless it is long.
pub(crate) type Row = SmallVec<[u64; 64]>;

/// Quotient `numerator / divisor`, rounded down, lowest limb first, and whether the remainder is zero. The highest
/// limb of the divisor must not be zero.
///
/// # Source
/// Knuth, *The Art of Computer Programming*, vol. 2, 4.3.1, algorithm D, with the digits of the quotient by a [`Reciprocal`].
pub(crate) fn quotient(numerator: &[u64], divisor: &[u64]) -> (Row, bool) {
    let n = divisor.len();
    if numerator.len() < n {
        return (Row::new(), numerator.iter().all(|&x| x == 0));
    }
    // Normalise: with the highest bit of the divisor set, two limbs of it determine a quotient digit up to one unit.
    let shift = divisor[n - 1].leading_zeros();
    let divisor = shifted(divisor, shift);
    let mut rest = shifted(numerator, shift);
    let steps = numerator.len() + 1 - n;
    let mut digits = Row::from_elem(0, steps);
    let (first, second) = (Reciprocal::new(divisor[n - 1]), if n > 1 { divisor[n - 2] } else { 0 });
    for at in (0..steps).rev() {
        let window = &mut rest[at..=at + n];
        let third = if n > 1 { window[n - 2] } else { 0 };
        let (mut digit, mut over) = first.divide(window[n], window[n - 1]);
        // One or two too large, by the second limb, while the remainder is one limb.
        while over >> 64 == 0 && u128::from(digit) * u128::from(second) > (over << 64 | u128::from(third)) {
            (digit, over) = (digit - 1, over + u128::from(first.divisor));
        }
        // The divisor times the digit leaves the window.
        let (mut carry, mut borrow) = (0_u64, false);
        for (limb, &divisor) in window.iter_mut().zip(divisor[..n].iter().chain(&[0])) {
            let product = u128::from(digit) * u128::from(divisor) + u128::from(carry);
            carry = (product >> 64) as u64;
            let (part, low) = limb.overflowing_sub(product as u64);
            let (all, lower) = part.overflowing_sub(borrow.into());
            (*limb, borrow) = (all, low | lower);
        }
        if borrow {
            // The digit was one too large.
            digit -= 1;
            let mut carry = false;
            for (limb, &divisor) in window.iter_mut().zip(divisor[..n].iter().chain(&[0])) {
                let (part, high) = limb.overflowing_add(divisor);
                let (all, higher) = part.overflowing_add(carry.into());
                (*limb, carry) = (all, high | higher);
            }
        }
        digits[at] = digit;
    }
    (digits, rest.iter().all(|&x| x == 0))
}

/// A divisor of one limb with its highest bit set, and its reciprocal: a division is two multiplications.
///
/// # Source
/// Moeller, Granlund, *Improved Division by Invariant Integers*, IEEE Transactions on Computers 60(2), 2011, algorithm 4.
struct Reciprocal {
    divisor: u64,
    /// `(2^128 - 1) / divisor - 2^64`, rounded down.
    reciprocal: u64,
}

impl Reciprocal {
    fn new(divisor: u64) -> Self {
        let reciprocal = (u128::from(!divisor) << 64 | u128::from(u64::MAX)) / u128::from(divisor);
        Self { divisor, reciprocal: reciprocal as u64 }
    }

    /// Quotient and remainder of `high * 2^64 + low`, which is not above the divisor times 2^64 and a limb. The quotient is at most
    /// the largest limb: then the remainder may be larger than one.
    fn divide(&self, high: u64, low: u64) -> (u64, u128) {
        let divisor = self.divisor;
        if high >= divisor {
            return (u64::MAX, u128::from(low) + u128::from(divisor));
        }
        let estimate = u128::from(self.reciprocal) * u128::from(high) + (u128::from(high) << 64 | u128::from(low));
        let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
        let mut rest = low.wrapping_sub(quotient.wrapping_mul(divisor));
        if rest > estimate as u64 {
            quotient = quotient.wrapping_sub(1);
            rest = rest.wrapping_add(divisor);
        }
        if rest >= divisor {
            quotient += 1;
            rest -= divisor;
        }
        (quotient, u128::from(rest))
    }
}

/// A row of limbs times `2^shift`, one limb longer; `shift < 64`.
fn shifted(row: &[u64], shift: u32) -> Row {
    let (mut carry, mut result) = (0, Row::with_capacity(row.len() + 1));
    for &limb in row {
        let wide = u128::from(limb) << shift | u128::from(carry);
        carry = (wide >> 64) as u64;
        result.push(wide as u64);
    }
    result.push(carry);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Lcg;

    /// Divisors and heads at the ends of their ranges, and random ones.
    #[test]
    fn quotients_of_two_limbs() {
        let mut lcg = Lcg::new(5);
        let ends = [0, 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX - 1, u64::MAX];
        let mut number = |i: usize| if i < ends.len() { ends[i] } else { lcg.state() ^ lcg.state() >> 31 };
        for divisor in (0..20).map(&mut number).collect::<Row>() {
            let first = Reciprocal::new(divisor | 1 << 63);
            for high in (0..20).map(&mut number).collect::<Row>() {
                let (high, low) = (high % first.divisor, number(high as usize % 20));
                let (dividend, by) = (u128::from(high) << 64 | u128::from(low), u128::from(first.divisor));
                assert_eq!(first.divide(high, low), ((dividend / by) as u64, dividend % by), "{high} {low} {divisor}");
            }
        }
    }
}
