//! Registers of eight numbers, as most machines of today have them: AVX2, with fused multiplication.

use super::{Lanes, SIGN};
use core::arch::x86_64::*;

/// A register. Only made where the machine has them: by [`vectorized`](super::vectorized).
#[derive(Clone, Copy)]
pub(super) struct Register(__m256);

/// An instruction on registers.
macro_rules! avx2 {
    ($instruction:expr) => {
        // SAFETY: `vectorized` uses registers after it has asked for AVX2; loads and stores are given eight numbers.
        unsafe { $instruction }
    };
}

impl Lanes for Register {
    #[inline(always)]
    fn load(lanes: &[f32; 8]) -> Self {
        Self(avx2!(_mm256_loadu_ps(lanes.as_ptr())))
    }
    #[inline(always)]
    fn load_upper(lanes: &[u16; 8]) -> Self {
        let upper = avx2!(_mm256_cvtepu16_epi32(_mm_loadu_si128(lanes.as_ptr().cast())));
        Self(avx2!(_mm256_castsi256_ps(_mm256_slli_epi32::<16>(upper))))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(x)))
    }
    #[inline(always)]
    fn store(self, lanes: &mut [f32; 8]) {
        avx2!(_mm256_storeu_ps(lanes.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(avx2!(_mm256_sub_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self(avx2!(_mm256_mul_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn over(self, other: Self) -> Self {
        Self(avx2!(_mm256_div_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn times_plus(self, factor: Self, more: Self) -> Self {
        Self(avx2!(_mm256_fmadd_ps(self.0, factor.0, more.0)))
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        Self(avx2!(_mm256_fmsub_ps(self.0, factor.0, less.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx2!(_mm256_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx2!(_mm256_andnot_ps(_mm256_set1_ps(f32::from_bits(SIGN)), self.0)))
    }
    #[inline(always)]
    fn facing(self, other: Self) -> Self {
        Self(avx2!(_mm256_xor_ps(self.0, _mm256_and_ps(_mm256_set1_ps(f32::from_bits(SIGN)), other.0))))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        avx2!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)) as u32)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        avx2!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)) as u32)
    }
}

#[inline]
pub(super) fn is_there() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma") && has!("bmi1")
}

#[target_feature(enable = "avx2,fma,bmi1")]
pub(super) fn run<T: super::Task>(task: T) -> T::Output {
    task.run::<Register>()
}
