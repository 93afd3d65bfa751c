//! AVX2 with FMA: vectors of 8 `f32` in one register and of 16 in two. Most machines of today have it.

use crate::simd::lanes::{F32Lanes, SIGN, SimdF32};
use core::arch::x86_64::*;
use glam::Vec4;

/// One register. Values exist only inside [`dispatch`](super::dispatch::dispatch) on machines with AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Register(__m256);

/// Wraps an AVX2 intrinsic.
macro_rules! avx2 {
    ($instruction:expr) => {
        // SAFETY: registers exist only after `dispatch` has detected AVX2; loads and stores get eight numbers.
        unsafe { $instruction }
    };
}

/// Bit mask of the lanes for which a comparison holds.
macro_rules! lanes {
    ($how:ident, $a:expr, $b:expr) => {
        avx2!(_mm256_movemask_ps(_mm256_cmp_ps::<$how>($a.0, $b.0))) as u32
    };
}

/// The first eight lanes of a row.
impl SimdF32 for Register {
    const COUNT: usize = 8;
    const HAS_FMA: bool = true;
    type Half = Self;
    #[inline(always)]
    fn load(lanes: &F32Lanes) -> Self {
        Self(avx2!(_mm256_loadu_ps(lanes.as_ptr())))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(x)))
    }
    #[inline(always)]
    fn store(self, lanes: &mut F32Lanes) {
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
    fn div(self, other: Self) -> Self {
        Self(avx2!(_mm256_div_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, more: Self) -> Self {
        Self(avx2!(_mm256_fmadd_ps(self.0, factor.0, more.0)))
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        Self(avx2!(_mm256_fmsub_ps(self.0, factor.0, less.0)))
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        Self(avx2!(_mm256_fnmadd_ps(a.0, b.0, self.0)))
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
    fn sqrt(self) -> Self {
        Self(avx2!(_mm256_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        let bits = avx2!(_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128));
        let chosen = avx2!(_mm256_and_si256(_mm256_set1_epi32(mask.cast_signed()), bits));
        let chosen = avx2!(_mm256_castsi256_ps(_mm256_cmpeq_epi32(chosen, bits)));
        Self(avx2!(_mm256_blendv_ps(other.0, self.0, chosen)))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        lanes!(_CMP_LT_OQ, self, other)
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        lanes!(_CMP_LE_OQ, self, other)
    }
}

/// Two registers: a full row.
#[derive(Clone, Copy)]
pub(crate) struct Registers(Register, Register);

/// [`SimdF32::permute`] by one instruction.
#[inline(always)]
pub(crate) fn permute(v: Vec4, lanes: &[u32; 4]) -> Vec4 {
    let (v, mut permuted) = (v.to_array(), [0.0; 4]);
    // SAFETY: as for registers; loads and the store get four numbers.
    unsafe {
        let lanes = _mm_loadu_si128(lanes.as_ptr().cast());
        _mm_storeu_ps(permuted.as_mut_ptr(), _mm_permutevar_ps(_mm_loadu_ps(v.as_ptr()), lanes));
    }
    Vec4::from_array(permuted)
}

/// Applies an operation to both registers.
macro_rules! each {
    ($operation:ident $(, $x:expr)*) => {
        Self(Register::$operation($($x.0),*), Register::$operation($($x.1),*))
    };
}

impl SimdF32 for Registers {
    const COUNT: usize = 16;
    const HAS_FMA: bool = true;
    type Half = Register;
    const CAN_PERMUTE: bool = true;
    #[inline(always)]
    fn permute(v: Vec4, lanes: &[u32; 4]) -> Vec4 {
        permute(v, lanes)
    }
    #[inline(always)]
    fn load(lanes: &F32Lanes) -> Self {
        let at = lanes.as_ptr();
        // Each half has eight numbers.
        Self(Register(avx2!(_mm256_loadu_ps(at))), Register(avx2!(_mm256_loadu_ps(at.add(8)))))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        let all = Register::splat(x);
        Self(all, all)
    }
    #[inline(always)]
    fn store(self, lanes: &mut F32Lanes) {
        let at = lanes.as_mut_ptr();
        avx2!(_mm256_storeu_ps(at, self.0.0));
        avx2!(_mm256_storeu_ps(at.add(8), self.1.0));
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        each!(plus, self, other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        each!(minus, self, other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each!(times, self, other)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        each!(div, self, other)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, more: Self) -> Self {
        each!(mul_add, self, factor, more)
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        each!(times_minus, self, factor, less)
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        each!(minus_product, self, a, b)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        each!(max, self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each!(min, self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(abs, self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(sqrt, self)
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        Self(self.0.blend(mask, other.0), self.1.blend(mask >> 8, other.1))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        self.0.less(other.0) | self.1.less(other.1) << 8
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        self.0.le(other.0) | self.1.le(other.1) << 8
    }
    #[inline(always)]
    fn compress(numbers: &[u32; 16], masks: &[u16; 16], lane: usize, out: &mut [u32; 16]) -> usize {
        let (mut count, bit) = (0, 1u16 << (lane % 16));
        for (numbers, masks) in numbers.as_chunks::<8>().0.iter().zip(masks.as_chunks::<8>().0) {
            let chosen = chosen_of_eight(masks, bit);
            // At most eight numbers are before these eight.
            if let Some(out) = out[count..].first_chunk_mut::<8>() {
                compress_eight(numbers, chosen, out);
            }
            count += chosen.count_ones() as usize;
        }
        count
    }
}

/// Masks that have the bit, as bits.
#[inline(always)]
fn chosen_of_eight(masks: &[u16; 8], bit: u16) -> u8 {
    // SAFETY: as for registers; the load gets eight masks of two bytes.
    let lanes = unsafe {
        let bit = _mm_set1_epi16(bit.cast_signed());
        let has_bit = _mm_cmpeq_epi16(_mm_and_si128(_mm_loadu_si128(masks.as_ptr().cast()), bit), bit);
        _mm_movemask_epi8(_mm_packs_epi16(has_bit, _mm_setzero_si128()))
    };
    lanes as u8
}

/// Moves the chosen numbers to the front.
#[inline(always)]
fn compress_eight(numbers: &[u32; 8], chosen: u8, out: &mut [u32; 8]) {
    // SAFETY: as for registers; loads and the store get eight numbers.
    unsafe {
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(ORDERS[usize::from(chosen)].cast_signed()));
        let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
        _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(numbers, order));
    }
}

/// For each mask of eight lanes the numbers of its lanes, a byte each, the lowest first: a compress by one permutation.
static ORDERS: [u64; 256] = {
    let (mut orders, mut mask) = ([0; 256], 0);
    while mask < 256 {
        let (mut lane, mut shift) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                orders[mask] |= lane << shift;
                shift += 8;
            }
            lane += 1;
        }
        mask += 1;
    }
    orders
};

pub(crate) fn is_there() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma") && has!("bmi1") && has!("popcnt")
}

#[target_feature(enable = "avx2,fma,bmi1,popcnt")]
pub(crate) fn run<T: crate::simd::task::SimdKernel>(task: T) -> T::Output {
    task.run::<Registers>()
}
