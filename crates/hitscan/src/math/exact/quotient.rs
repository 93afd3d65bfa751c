//! Long division of rows of limbs.

use alloc::vec;
use alloc::vec::Vec;

/// Quotient `numerator / divisor`, rounded down, lowest limb first, and whether the remainder is zero. The highest
/// limb of the divisor must not be zero.
///
/// # Source
/// Knuth, *The Art of Computer Programming*, vol. 2, 4.3.1, algorithm D.
pub(crate) fn quotient(numerator: &[u64], divisor: &[u64]) -> (Vec<u64>, bool) {
    let n = divisor.len();
    if numerator.len() < n {
        return (vec![], numerator.iter().all(|&x| x == 0));
    }
    // Normalise: with the highest bit of the divisor set, two limbs of it determine a quotient digit up to one unit.
    let shift = divisor[n - 1].leading_zeros();
    let divisor = shifted(divisor, shift);
    let mut rest = shifted(numerator, shift);
    let steps = numerator.len() + 1 - n;
    let mut digits = vec![0; steps];
    let (first, second) = (u128::from(divisor[n - 1]), if n > 1 { u128::from(divisor[n - 2]) } else { 0 });
    for at in (0..steps).rev() {
        let window = &mut rest[at..=at + n];
        let head = u128::from(window[n]) << 64 | u128::from(window[n - 1]);
        let round_down_f32 = if n > 1 { u128::from(window[n - 2]) } else { 0 };
        let (mut digit, mut over) = (head / first, head % first);
        while digit >> 64 != 0 || digit * second > (over << 64 | round_down_f32) {
            (digit, over) = (digit - 1, over + first);
            if over >> 64 != 0 {
                break;
            }
        }
        let (mut carry, mut borrow) = (0u128, false);
        for (i, limb) in window.iter_mut().enumerate() {
            let product = digit * u128::from(if i < n { divisor[i] } else { 0 }) + carry;
            carry = product >> 64;
            let (part, low) = limb.overflowing_sub(product as u64);
            let (all, lower) = part.overflowing_sub(borrow.into());
            (*limb, borrow) = (all, low | lower);
        }
        if borrow {
            // The digit was one too large.
            digit -= 1;
            let mut carry = false;
            for (i, limb) in window.iter_mut().enumerate() {
                let (part, high) = limb.overflowing_add(if i < n { divisor[i] } else { 0 });
                let (all, higher) = part.overflowing_add(carry.into());
                (*limb, carry) = (all, high | higher);
            }
        }
        digits[at] = digit as u64;
    }
    (digits, rest.iter().all(|&x| x == 0))
}

/// A row of limbs times `2^shift`, one limb longer; `shift < 64`.
fn shifted(row: &[u64], shift: u32) -> Vec<u64> {
    let mut carry = 0;
    let mut result: Vec<u64> = row
        .iter()
        .map(|&limb| {
            let wide = u128::from(limb) << shift | carry;
            carry = wide >> 64;
            wide as u64
        })
        .collect();
    result.push(carry as u64);
    result
}
