//! Settings of a build: leaf sizes, quality, cost of traversal.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::spatial_split::Corners;
use glam::Vec4;

/// How to build.
#[derive(Clone, Copy)]
pub(crate) struct Recipe<'a> {
    /// Parts of a leaf.
    pub(crate) most: usize,
    /// Parts that are tested in the time of one: a power of two.
    pub(crate) together: usize,
    /// The plane: boxes have no depth.
    pub(crate) flat: bool,
    pub(crate) axes: Axes,
    /// Of parts that may be cut.
    pub(crate) corners: Option<&'a Corners<'a>>,
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

impl Recipe<'_> {
    /// What it costs to test so many parts, in full leaves.
    #[inline(always)]
    pub(crate) fn cost(&self, parts: usize) -> f32 {
        self.costs([parts as i32; 4]).x
    }
    /// The same for four numbers.
    #[inline(always)]
    pub(crate) fn costs(&self, [a, b, c, d]: [i32; 4]) -> Vec4 {
        let (more, bits) = (self.together as i32 - 1, self.together.trailing_zeros());
        let full = |parts: i32| ((parts + more) >> bits) as f32;
        let together = Vec4::new(full(a), full(b), full(c), full(d));
        let parts = Vec4::new(a as f32, b as f32, c as f32, d as f32);
        together * (1.0 - BY_NUMBER) + parts * (BY_NUMBER / self.together as f32)
    }
    /// So many parts are not parted further: half a leaf takes little longer than a quarter. Rays are as fast with it, and most
    /// branches need not be looked for; but where parts are cut, the kitchen's were a fifth slower.
    pub(crate) fn enough(&self) -> usize {
        if self.corners.is_some() { 1 } else { self.most.min(self.together / 2) }
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
pub(crate) const VISIT: f32 = 0.15;
