//! Primitive reference: box and primitive id in 32 bytes.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::math::vector::Vector;
use alloc::vec::Vec;

/// A part, or a piece of one, and the box around it. The part is written in the fourth numbers of the box, which are
/// computed with as if they meant something: as fractions of numbers from 1/2 to 1, for subnormal ones would be slow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reference {
    pub(crate) bounds: Bounds,
}

const HALF: u32 = 0x3f00_0000;

const FRACTION: u32 = 23;

impl Reference {
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

/// Boxes with their numbers.
pub(crate) fn numbered<V: Vector>(boxes: &[Aabb<V>]) -> Vec<Reference> {
    (0..).zip(boxes).map(|(part, aabb)| Reference::new(Bounds::around(aabb), part)).collect()
}
