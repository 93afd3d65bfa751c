//! AVX-512: vectors of 16 `f32` in one register. Servers have it since 2017.

use crate::simd::lanes::{F32Lanes, SIGN, SimdF32};
use core::arch::x86_64::*;
use glam::Vec4;

/// One register. Values exist only inside [`dispatch`](super::dispatch::dispatch) on machines with AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct Register(__m512);

/// Wraps an AVX-512 intrinsic.
macro_rules! avx512 {
    ($instruction:expr) => {
        // SAFETY: registers exist only after `dispatch` has detected AVX-512; loads and stores get sixteen numbers.
        unsafe { $instruction }
    };
}

impl SimdF32 for Register {
    const COUNT: usize = 16;
    const HAS_FMA: bool = true;
    type Half = crate::simd::avx2::Register;
    const CAN_PERMUTE: bool = true;
    #[inline(always)]
    fn permute(v: Vec4, lanes: &[u32; 4]) -> Vec4 {
        crate::simd::avx2::permute(v, lanes)
    }
    #[inline(always)]
    fn load(lanes: &F32Lanes) -> Self {
        Self(avx512!(_mm512_loadu_ps(lanes.as_ptr())))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(avx512!(_mm512_set1_ps(x)))
    }
    #[inline(always)]
    fn store(self, lanes: &mut F32Lanes) {
        avx512!(_mm512_storeu_ps(lanes.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(avx512!(_mm512_add_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(avx512!(_mm512_sub_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self(avx512!(_mm512_mul_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(avx512!(_mm512_div_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, more: Self) -> Self {
        Self(avx512!(_mm512_fmadd_ps(self.0, factor.0, more.0)))
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        Self(avx512!(_mm512_fmsub_ps(self.0, factor.0, less.0)))
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        Self(avx512!(_mm512_fnmadd_ps(a.0, b.0, self.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx512!(_mm512_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx512!(_mm512_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx512!(_mm512_andnot_ps(_mm512_set1_ps(f32::from_bits(SIGN)), self.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx512!(_mm512_sqrt_ps(self.0)))
    }
    /// Larger magnitude in one instruction.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        const LARGER_WITHOUT_SIGNS: i32 = 0b1011;
        Self(avx512!(_mm512_range_ps::<LARGER_WITHOUT_SIGNS>(self.0, other.0)))
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        Self(avx512!(_mm512_mask_blend_ps(mask as u16, other.0, self.0)))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        u32::from(avx512!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        u32::from(avx512!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn reduce_min(self) -> f32 {
        avx512!(_mm512_reduce_min_ps(self.0))
    }
    #[inline(always)]
    fn reduce_min_of(self, mask: u32) -> f32 {
        avx512!(_mm512_mask_reduce_min_ps(mask as u16, self.0))
    }
    #[inline(always)]
    fn nearest(self, mask: u32) -> usize {
        let least = avx512!(_mm512_set1_ps(self.reduce_min_of(mask)));
        let lanes = avx512!(_mm512_mask_cmp_ps_mask::<_CMP_EQ_OQ>(mask as u16, self.0, least));
        let lanes = if lanes == 0 { mask } else { u32::from(lanes) };
        lanes.trailing_zeros() as usize % 16
    }
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        avx512!(_mm512_reduce_max_ps(self.0))
    }
    #[inline(always)]
    fn compress(numbers: &[u32; 16], masks: &[u16; 16], lane: usize, out: &mut [u32; 16]) -> usize {
        let bit = 1u16 << (lane % 16);
        let chosen = avx512!(_mm256_test_epi16_mask(
            _mm256_loadu_si256(masks.as_ptr().cast()),
            _mm256_set1_epi16(bit.cast_signed())
        ));
        let numbers = avx512!(_mm512_maskz_compress_epi32(chosen, _mm512_loadu_si512(numbers.as_ptr().cast())));
        avx512!(_mm512_storeu_si512(out.as_mut_ptr().cast(), numbers));
        chosen.count_ones() as usize
    }
}

pub(crate) fn is_there() -> bool {
    use std::arch::is_x86_feature_detected as has;
    crate::simd::avx2::is_there() && has!("avx512f") && has!("avx512dq") && has!("avx512bw") && has!("avx512vl")
}

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi1,popcnt")]
pub(crate) fn run<T: crate::simd::task::SimdKernel>(task: T) -> T::Output {
    task.run::<Register>()
}
