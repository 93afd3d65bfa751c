//! Primitive reference: box and primitive id in 32 bytes.

use crate::bvh::bounds::Bounds;

/// Primitive reference: a primitive, or a piece of one, and its bounds. The primitive id is packed into the unused w
/// lanes, as floats in [1/2, 1): SIMD min and max also run on w, where subnormal numbers would be slow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrimRef {
    pub(crate) bounds: Bounds,
}

const HALF: u32 = 0x3f00_0000;

const FRACTION: u32 = 23;

impl PrimRef {
    #[inline(always)]
    pub(crate) fn new(mut bounds: Bounds, part: u32) -> Self {
        bounds.low[3] = f32::from_bits(HALF | part & ((1 << FRACTION) - 1));
        bounds.high[3] = f32::from_bits(HALF | part >> FRACTION);
        Self { bounds }
    }
    #[inline(always)]
    pub(crate) fn part(&self) -> u32 {
        self.bounds.low[3].to_bits() & ((1 << FRACTION) - 1) | (self.bounds.high[3].to_bits() ^ HALF) << FRACTION
    }
}
