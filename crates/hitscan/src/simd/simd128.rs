//! WebAssembly SIMD: vectors of 16 `f32` in four registers. Every browser of today has it. Selected at compile time,
//! because a module cannot detect features at run time.

use crate::simd::lanes::{F32Lanes, LANES, SimdF32};
use core::arch::wasm32::*;

/// Four registers: a full row.
#[derive(Clone, Copy)]
pub(crate) struct Registers(v128, v128, v128, v128);

/// Applies an intrinsic to each register. A macro, because an intrinsic cannot be passed as a closure.
macro_rules! each {
    ($instruction:ident $(, $x:expr)*) => {
        Registers($instruction($($x.0),*), $instruction($($x.1),*), $instruction($($x.2),*), $instruction($($x.3),*))
    };
}

impl Registers {
    #[inline(always)]
    fn bits(self) -> u32 {
        let bits = |v| u32::from(i32x4_bitmask(v));
        bits(self.0) | bits(self.1) << 4 | bits(self.2) << 8 | bits(self.3) << 12
    }
}

impl SimdF32 for Registers {
    const COUNT: usize = 16;
    /// The same type: a module must be small, so there is one code path.
    type Half = Self;
    #[inline(always)]
    fn load(lanes: &F32Lanes) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *lanes;
        Self(f32x4(a, b, c, d), f32x4(e, f, g, h), f32x4(i, j, k, l), f32x4(m, n, o, p))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        let all = f32x4_splat(x);
        Self(all, all, all, all)
    }
    #[inline(always)]
    fn store(self, lanes: &mut F32Lanes) {
        let four = |v| {
            let (a, b) = (f32x4_extract_lane::<0>(v), f32x4_extract_lane::<1>(v));
            [a, b, f32x4_extract_lane::<2>(v), f32x4_extract_lane::<3>(v)]
        };
        for (i, v) in [self.0, self.1, self.2, self.3].into_iter().enumerate() {
            lanes[4 * i..4 * i + 4].copy_from_slice(&four(v));
        }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        each!(f32x4_add, self, other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        each!(f32x4_sub, self, other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each!(f32x4_mul, self, other)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        each!(f32x4_div, self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // `pmax` returns its first operand unless the second is larger.
        each!(f32x4_pmax, other, self)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each!(f32x4_pmin, other, self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(f32x4_abs, self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(f32x4_sqrt, self)
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        each!(f32x4_lt, self, other).bits()
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        each!(f32x4_le, self, other).bits()
    }
}

const _: () = assert!(LANES == 16, "four registers of four numbers");
