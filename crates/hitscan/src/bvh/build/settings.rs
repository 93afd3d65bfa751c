//! Settings of a build: leaf sizes, quality, cost of traversal.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::spatial_split::TriangleCorners;
use glam::Vec4;

/// Build settings.
#[derive(Clone, Copy)]
pub(crate) struct BuildSettings<'a> {
    /// Primitives per leaf, at most.
    pub(crate) max_leaf_size: usize,
    /// Primitives per SIMD block, which take the time of one: a power of two.
    pub(crate) block_size: usize,
    /// 2D: boxes have zero depth, and area means perimeter.
    pub(crate) flat: bool,
    pub(crate) axes: Axes,
    /// Corners of triangles, if spatial splits may cut them.
    pub(crate) corners: Option<&'a TriangleCorners<'a>>,
}

/// Axes to search for splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    All,
    /// The axis of the longest side of the centre bounds: faster to build, with somewhat slower rays.
    Longest,
}

/// Share of a leaf's cost proportional to its primitives, although a block tests them in parallel. Measured on halls.
const BY_NUMBER: f32 = 0.6;

/// Depth from which nodes are split at the median, which bounds the depth of any BVH.
pub(crate) const MEDIAN_SPLIT_DEPTH: usize = 64;

impl BuildSettings<'_> {
    /// SAH cost of a leaf with this many primitives, in units of a full block.
    #[inline(always)]
    pub(crate) fn cost(&self, prim_ids: usize) -> f32 {
        self.costs([prim_ids as i32; 4]).x
    }
    /// The same for four counts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn costs(&self, [a, b, c, d]: [i32; 4]) -> Vec4 {
        let (more, bits) = (self.block_size as i32 - 1, self.block_size.trailing_zeros());
        let full = |prim_ids: i32| ((prim_ids + more) >> bits) as f32;
        let block_size = Vec4::new(full(a), full(b), full(c), full(d));
        let prim_ids = Vec4::new(a as f32, b as f32, c as f32, d as f32);
        block_size * (1.0 - BY_NUMBER) + prim_ids * (BY_NUMBER / self.block_size as f32)
    }
    /// Nodes of at most this many primitives become leaves at once: half a leaf costs little more than a quarter. Rays
    /// are as fast, and most splits need no search. With spatial splits it is one: larger leaves made rays in the
    /// kitchen scene a fifth slower.
    pub(crate) fn enough(&self) -> usize {
        if self.corners.is_some() { 1 } else { self.max_leaf_size.min(self.block_size / 2) }
    }
    /// Half the surface area of a box (in 2D half the perimeter); zero for an empty box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn area(&self, b: &Bounds) -> f64 {
        let side = |axis: usize| f64::from(b.high[axis]) - f64::from(b.low[axis]);
        let (x, y, z) = (side(0), side(1), side(2));
        if !(x >= 0.0 && y >= 0.0) {
            return 0.0;
        }
        if self.flat { x + y } else { x * y + y * z + z * x }
    }
}

/// SAH cost of a split, relative to a full leaf: low, because one node tests sixteen children in parallel.
pub(crate) const TRAVERSAL_COST: f32 = 0.15;
