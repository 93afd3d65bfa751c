//! NEON: vectors of 16 `f32` in four registers. Every aarch64 machine has it, so it is selected at compile time.

use crate::simd::lanes::{F32Lanes, LANES, SimdF32};
use core::arch::aarch64::*;

/// Four registers: a full row.
#[derive(Clone, Copy)]
pub(crate) struct Registers(float32x4_t, float32x4_t, float32x4_t, float32x4_t);

/// Four masks, a bit pattern of ones or zeros in each lane.
struct Masks(uint32x4_t, uint32x4_t, uint32x4_t, uint32x4_t);

/// Wraps a NEON intrinsic.
macro_rules! neon {
    ($instruction:expr) => {{
        // SAFETY: every aarch64 machine has NEON; loads and stores get as many numbers as they move.
        #[allow(unused_unsafe, reason = "newer compilers need it for loads and stores only")]
        unsafe {
            $instruction
        }
    }};
}

/// Applies an intrinsic to each register. A macro, because an intrinsic cannot be passed as a closure.
macro_rules! each {
    ($row:ident: $instruction:ident $(, $x:expr)*) => {
        neon!($row($instruction($($x.0),*), $instruction($($x.1),*), $instruction($($x.2),*), $instruction($($x.3),*)))
    };
}

impl Masks {
    #[inline(always)]
    fn bits(self) -> u32 {
        const BITS: [u32; LANES] = [
            1,
            1 << 1,
            1 << 2,
            1 << 3,
            1 << 4,
            1 << 5,
            1 << 6,
            1 << 7,
            1 << 8,
            1 << 9,
            1 << 10,
            1 << 11,
            1 << 12,
            1 << 13,
            1 << 14,
            1 << 15,
        ];
        neon!({
            let of = |mask, row: usize| vandq_u32(mask, vld1q_u32(BITS[4 * row..4 * row + 4].as_ptr()));
            let low = vorrq_u32(of(self.0, 0), of(self.1, 1));
            vaddvq_u32(vorrq_u32(low, vorrq_u32(of(self.2, 2), of(self.3, 3))))
        })
    }
}

impl SimdF32 for Registers {
    const COUNT: usize = LANES;
    /// The same type: on short rows, the two registers that are not needed cost little.
    type Half = Self;
    #[inline(always)]
    fn load(lanes: &F32Lanes) -> Self {
        let four = |row: usize| neon!(vld1q_f32(lanes[4 * row..4 * row + 4].as_ptr()));
        Self(four(0), four(1), four(2), four(3))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        let all = neon!(vdupq_n_f32(x));
        Self(all, all, all, all)
    }
    #[inline(always)]
    fn store(self, lanes: &mut F32Lanes) {
        let mut four = |row: usize, v| neon!(vst1q_f32(lanes[4 * row..4 * row + 4].as_mut_ptr(), v));
        four(0, self.0);
        four(1, self.1);
        four(2, self.2);
        four(3, self.3);
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        each!(Self: vaddq_f32, self, other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        each!(Self: vsubq_f32, self, other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each!(Self: vmulq_f32, self, other)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        each!(Self: vdivq_f32, self, other)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, more: Self) -> Self {
        each!(Self: vfmaq_f32, more, self, factor)
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        let minus = each!(Self: vnegq_f32, less);
        each!(Self: vfmaq_f32, minus, self, factor)
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        each!(Self: vfmsq_f32, self, a, b)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // Not `vmaxq_f32`, which keeps a NaN of either one.
        let larger = each!(Masks: vcgtq_f32, self, other);
        each!(Self: vbslq_f32, larger, self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let smaller = each!(Masks: vcltq_f32, self, other);
        each!(Self: vbslq_f32, smaller, self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(Self: vabsq_f32, self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(Self: vsqrtq_f32, self)
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        each!(Masks: vcltq_f32, self, other).bits()
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        each!(Masks: vcleq_f32, self, other).bits()
    }
    #[inline(always)]
    fn reduce_min(self) -> f32 {
        neon!(vminvq_f32(vminq_f32(vminq_f32(self.0, self.1), vminq_f32(self.2, self.3))))
    }
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        neon!(vmaxvq_f32(vmaxq_f32(vmaxq_f32(self.0, self.1), vmaxq_f32(self.2, self.3))))
    }
}
