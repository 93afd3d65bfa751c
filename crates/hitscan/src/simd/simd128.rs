//! Two registers of four numbers, as every browser of today has them. Asked for when a module is compiled: it cannot ask when it
//! runs.

use super::{Lanes, SIGN};
use core::arch::wasm32::*;

/// Eight numbers.
#[derive(Clone, Copy)]
pub(super) struct Registers(v128, v128);

/// An instruction on both registers. Not a function of it: instructions are none.
macro_rules! each {
    ($instruction:ident, $a:expr, $b:expr) => {
        Registers($instruction($a.0, $b.0), $instruction($a.1, $b.1))
    };
}

impl Registers {
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(i32x4_bitmask(self.0)) | u32::from(i32x4_bitmask(self.1)) << 4
    }
}

impl Lanes for Registers {
    #[inline(always)]
    fn load(lanes: &[f32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *lanes;
        Self(f32x4(a, b, c, d), f32x4(e, f, g, h))
    }
    #[inline(always)]
    fn load_upper(lanes: &[u16; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *lanes;
        let all = u16x8(a, b, c, d, e, f, g, h);
        Self(u32x4_shl(u32x4_extend_low_u16x8(all), 16), u32x4_shl(u32x4_extend_high_u16x8(all), 16))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(f32x4_splat(x), f32x4_splat(x))
    }
    #[inline(always)]
    fn store(self, lanes: &mut [f32; 8]) {
        let four = |v| {
            let (a, b) = (f32x4_extract_lane::<0>(v), f32x4_extract_lane::<1>(v));
            [a, b, f32x4_extract_lane::<2>(v), f32x4_extract_lane::<3>(v)]
        };
        let ([a, b, c, d], [e, f, g, h]) = (four(self.0), four(self.1));
        *lanes = [a, b, c, d, e, f, g, h];
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
    fn over(self, other: Self) -> Self {
        each!(f32x4_div, self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction keeps its first number where neither is larger.
        each!(f32x4_pmax, other, self)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each!(f32x4_pmin, other, self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(f32x4_abs(self.0), f32x4_abs(self.1))
    }
    #[inline(always)]
    fn facing(self, other: Self) -> Self {
        let sign = u32x4_splat(SIGN);
        Self(v128_xor(self.0, v128_and(other.0, sign)), v128_xor(self.1, v128_and(other.1, sign)))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        each!(f32x4_lt, self, other).bits()
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        each!(f32x4_le, self, other).bits()
    }
}
