//! BVH node: sixteen child boxes in SoA layout, and encoded child references.

use crate::bvh::bounds::{Bounds, larger, smaller};
use crate::simd::lanes::{F32Lanes, LANES};
use core::ops::Range;

/// Children per node, and upper bound of primitives per leaf.
pub(crate) const WIDTH: usize = LANES;

/// Bounds of sixteen boxes in SoA layout: least x, y, z, then greatest x, y, z.
pub(crate) type NodeBounds = [F32Lanes; 6];

/// Node of sixteen children. Bounds are rounded outward to `f32`, for meshes of either precision: half the memory and
/// twice as many lanes as `f64`, and they only select candidates. 448 bytes, padded to 512 so that the node address is
/// a shift instead of a multiply; that address is on the critical path.
#[derive(Clone, Debug)]
#[repr(C, align(512))]
pub(crate) struct Node16 {
    /// Bounds of the children. An invalid child has the empty box, which no ray hits.
    pub(crate) planes: NodeBounds,
    /// Node index, encoded [`Leaf`], or `INVALID`.
    pub(crate) child: [u32; WIDTH],
}

pub(crate) const LEAF: u32 = 1 << 31;

/// Invalid child.
pub(crate) const INVALID: u32 = u32::MAX;

/// Encoded leaf: a range of one to sixteen slots. `LEAF`, then the count less one, then the first slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf(u32);

/// Bits of the first slot.
const FIRST_BITS: u32 = 27;

/// Upper bound of slots in a BVH. The last ones would encode like `INVALID`.
pub(crate) const MAX_PRIMS: usize = (1 << FIRST_BITS) - WIDTH;

impl Leaf {
    #[inline(always)]
    pub(crate) fn new(first: usize, count: usize) -> Self {
        debug_assert!((1..=WIDTH).contains(&count) && first + count <= MAX_PRIMS, "{first} {count}");
        Self(LEAF | (count as u32 - 1) << FIRST_BITS | first as u32)
    }
    /// Decodes a child reference; `None` for a node or `INVALID`.
    #[inline(always)]
    pub(crate) fn of(child: u32) -> Option<Self> {
        (child & LEAF != 0 && child != INVALID).then_some(Self(child))
    }
    /// The child reference of a leaf.
    #[inline(always)]
    pub(crate) fn child(self) -> u32 {
        self.0
    }
    #[inline(always)]
    pub(crate) fn first(self) -> usize {
        (self.0 & ((1 << FIRST_BITS) - 1)) as usize
    }
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        (self.0 >> FIRST_BITS & (WIDTH as u32 - 1)) as usize + 1
    }
    /// Slots of the leaf.
    #[inline(always)]
    pub(crate) fn slots(self) -> Range<u32> {
        let first = self.first() as u32;
        first..first + self.count() as u32
    }
    /// Slice of the leaf's elements in an array over all slots.
    #[inline(always)]
    pub(crate) fn of_all<T>(self, all: &[T]) -> &[T] {
        &all[self.first()..][..self.count()]
    }
}

impl Node16 {
    /// Node without children.
    pub(crate) const EMPTY: Self = {
        let (low, high) = ([f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]);
        Self { planes: [low, low, low, high, high, high], child: [INVALID; WIDTH] }
    };

    pub(crate) fn set(&mut self, lane: usize, bounds: &Bounds, child: u32) {
        self.child[lane] = child;
        for axis in 0..3 {
            self.planes[axis][lane] = bounds.low[axis];
            self.planes[axis + 3][lane] = bounds.high[axis];
        }
    }
}

impl Node16 {
    /// Bounds of one child.
    pub(crate) fn bounds(&self, lane: usize) -> Bounds {
        bounds_in(&self.planes, lane)
    }

    /// Bounds of all children.
    pub(crate) fn around(&self) -> Bounds {
        let [a, b, c, d, e, f] = &self.planes;
        let low = [fold(a, smaller), fold(b, smaller), fold(c, smaller), 0.0];
        Bounds { low, high: [fold(d, larger), fold(e, larger), fold(f, larger), 0.0] }
    }
}

/// Bounds of one of sixteen boxes.
#[inline(always)]
pub(crate) fn bounds_in([a, b, c, d, e, f]: &NodeBounds, lane: usize) -> Bounds {
    Bounds { low: [a[lane], b[lane], c[lane], 0.0], high: [d[lane], e[lane], f[lane], 0.0] }
}

/// All lanes in one number: halves with halves, which compiles to SIMD.
#[cfg_attr(not(debug_assertions), inline(always))]
fn fold(lanes: &F32Lanes, f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = *lanes;
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = f(lanes[lane], lanes[lane + half]);
        }
    }
    lanes[0]
}
