//! Settings of a build: leaf sizes, quality, cost of traversal.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::spatial_split::TriangleCorners;
use glam::Vec4;

/// How to build.
#[derive(Clone, Copy)]
pub(crate) struct BuildSettings<'a> {
    /// Parts of a leaf.
    pub(crate) max_leaf_size: usize,
    /// Parts that are tested in the time of one: a power of two.
    pub(crate) block_size: usize,
    /// The plane: boxes have no depth.
    pub(crate) flat: bool,
    pub(crate) axes: Axes,
    /// Of parts that may be cut.
    pub(crate) corners: Option<&'a TriangleCorners<'a>>,
}

/// Along which axes to look for splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    All,
    /// The one along which the centres lie farthest apart: sooner, and somewhat worse.
    Longest,
}

/// How much of a leaf's cost goes with the number of its parts, though they are tested together. Measured: halls like 0.6.
const BY_NUMBER: f32 = 0.6;

/// Below this depth parts are halved by number, which bounds the depth of any tree.
pub(crate) const BALANCED_BELOW: usize = 64;

impl BuildSettings<'_> {
    /// What it costs to test so many parts, in full leaves.
    #[inline(always)]
    pub(crate) fn cost(&self, prim_ids: usize) -> f32 {
        self.costs([prim_ids as i32; 4]).x
    }
    /// The same for four numbers.
    #[inline(always)]
    pub(crate) fn costs(&self, [a, b, c, d]: [i32; 4]) -> Vec4 {
        let (more, bits) = (self.block_size as i32 - 1, self.block_size.trailing_zeros());
        let full = |prim_ids: i32| ((prim_ids + more) >> bits) as f32;
        let block_size = Vec4::new(full(a), full(b), full(c), full(d));
        let prim_ids = Vec4::new(a as f32, b as f32, c as f32, d as f32);
        block_size * (1.0 - BY_NUMBER) + prim_ids * (BY_NUMBER / self.block_size as f32)
    }
    /// So many parts are not parted further: half a leaf takes little longer than a quarter. Rays are as fast with it, and most
    /// branches need not be looked for; but where parts are cut, the kitchen's were a fifth slower.
    pub(crate) fn enough(&self) -> usize {
        if self.corners.is_some() { 1 } else { self.max_leaf_size.min(self.block_size / 2) }
    }
    /// Half the surface of a box (of a rectangle, half its circumference); zero for an empty one.
    #[inline(always)]
    pub(crate) fn area(&self, b: &Bounds) -> f64 {
        let side = |axis: usize| f64::from(b.high[axis]) - f64::from(b.low[axis]);
        let (x, y, z) = (side(0), side(1), side(2));
        if !(x >= 0.0 && y >= 0.0) {
            return 0.0;
        }
        if self.flat { x + y } else { x * y + y * z + z * x }
    }
}

/// A split costs a small part of a full leaf: sixteen children are looked at together.
pub(crate) const TRAVERSAL_COST: f32 = 0.15;
