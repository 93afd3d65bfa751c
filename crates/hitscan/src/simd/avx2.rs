//! Registers of eight numbers, as most machines of today have them: AVX2, with fused multiplication.

use super::{Lanes, Row, SIGN};
use core::arch::x86_64::*;

/// Two registers. Only made where the machine has them: by [`vectorized`](super::vectorized).
#[derive(Clone, Copy)]
pub(super) struct Registers(__m256, __m256);

/// An instruction on each of the two registers.
macro_rules! each {
    ($instruction:ident $(, $x:expr)*) => {
        // SAFETY: `vectorized` uses registers after it has asked for AVX2.
        Registers(unsafe { $instruction($($x.0),*) }, unsafe { $instruction($($x.1),*) })
    };
}

/// For which numbers a comparison holds, as bits.
macro_rules! lanes {
    ($how:ident, $a:expr, $b:expr) => {{
        // SAFETY: as above.
        let bits = |a, b| unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<$how>(a, b)) } as u32;
        bits($a.0, $b.0) | bits($a.1, $b.1) << 8
    }};
}

impl Lanes for Registers {
    #[inline(always)]
    fn load(lanes: &Row) -> Self {
        let at = lanes.as_ptr();
        // SAFETY: as above; there are sixteen numbers.
        unsafe { Self(_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8))) }
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: as above.
        let all = unsafe { _mm256_set1_ps(x) };
        Self(all, all)
    }
    #[inline(always)]
    fn store(self, lanes: &mut Row) {
        let at = lanes.as_mut_ptr();
        // SAFETY: as above; there is room for sixteen numbers.
        unsafe {
            _mm256_storeu_ps(at, self.0);
            _mm256_storeu_ps(at.add(8), self.1);
        }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        each!(_mm256_add_ps, self, other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        each!(_mm256_sub_ps, self, other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each!(_mm256_mul_ps, self, other)
    }
    #[inline(always)]
    fn over(self, other: Self) -> Self {
        each!(_mm256_div_ps, self, other)
    }
    #[inline(always)]
    fn times_plus(self, factor: Self, more: Self) -> Self {
        each!(_mm256_fmadd_ps, self, factor, more)
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        each!(_mm256_fmsub_ps, self, factor, less)
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        each!(_mm256_fnmadd_ps, a, b, self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        each!(_mm256_max_ps, self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each!(_mm256_min_ps, self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let sign = Self::splat(f32::from_bits(SIGN));
        each!(_mm256_andnot_ps, sign, self)
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        lanes!(_CMP_LT_OQ, self, other)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        lanes!(_CMP_LE_OQ, self, other)
    }
}

pub(super) fn is_there() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma") && has!("bmi1") && has!("popcnt")
}

#[target_feature(enable = "avx2,fma,bmi1,popcnt")]
pub(super) fn run<T: super::Task>(task: T) -> T::Output {
    task.run::<Registers>()
}
