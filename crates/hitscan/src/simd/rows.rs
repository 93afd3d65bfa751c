//! Rows of the numbers of a block of rays, and conversions of rows in the widest vectors of the machine.

use crate::math::real::Real;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::SimdKernel;

/// The most rays of a block, one per bit of a mask: their numbers and those of their hits stay in the first cache.
pub(crate) const BLOCK: usize = 128;

/// One number of each ray of a block.
pub(crate) type BlockRow = [f64; BLOCK];

/// Writes numbers as `f64`.
pub(crate) fn widen<S: Real>(from: &[S], to: &mut [f64]) {
    dispatch(Widen(from, to));
}

struct Widen<'a, S>(&'a [S], &'a mut [f64]);

impl<S: Real> SimdKernel for Widen<'_, S> {
    type Output = ();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) {
        for (from, to) in self.0.iter().zip(self.1) {
            *to = from.to_f64();
        }
    }
}

/// Writes numbers as results, rounded once and without negative zeros.
pub(crate) fn narrow<S: Real>(from: &[f64], to: &mut [S]) {
    dispatch(Narrow(from, to));
}

struct Narrow<'a, S>(&'a [f64], &'a mut [S]);

impl<S: Real> SimdKernel for Narrow<'_, S> {
    type Output = ();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) {
        for (from, to) in self.0.iter().zip(self.1) {
            *to = S::from_f64(*from).of_result();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_numbers() {
        let singles = [1.5f32, -0.0, f32::MAX, f32::MIN_POSITIVE / 8.0, f32::INFINITY, -3.25, 0.1, 7.0, 9.0];
        let (mut wide, mut back) = ([0.0; 9], [0.0f32; 9]);
        widen(&singles, &mut wide);
        narrow(&wide, &mut back);
        for (i, single) in singles.iter().enumerate() {
            assert_eq!(wide[i].to_bits(), f64::from(*single).to_bits());
            assert_eq!(back[i].to_bits(), (single + 0.0).to_bits());
        }
    }
}
