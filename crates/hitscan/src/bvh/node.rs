//! BVH node: sixteen child boxes in SoA layout, and encoded child references.

use crate::bvh::bounds::Bounds;
use crate::simd::lanes::{LANES, Row};
use core::ops::Range;

/// Children of a node, parts of a leaf.
pub(crate) const WIDTH: usize = LANES;

/// Smallest x, y, z, largest x, y, z of sixteen boxes.
pub(crate) type Planes = [Row; 6];

/// The boxes of sixteen children, coordinate by coordinate, rounded outward to `f32`: half the memory, and twice as many
/// at a time. Whatever the precision of the parts, they only say where to look. Seven lines of the cache, of eight: where a node
/// lies is waited for, and to shift its number takes less than to multiply it.
#[derive(Clone, Debug)]
#[repr(C, align(512))]
pub(crate) struct Node {
    /// A child that is not there has the empty box, which no line meets.
    pub(crate) planes: Planes,
    /// The number of a node, or a [`Leaf`].
    pub(crate) child: [u32; WIDTH],
}

pub(crate) const LEAF: u32 = 1 << 31;

/// In the place of a child that is not there.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Parts that are next to each other, one to sixteen of them: where they begin, how many they are less one, and `LEAF`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf(u32);

/// Bits of where parts begin.
const FIRST: u32 = 27;

/// Parts that a tree can have, each counted as often as it is in a leaf. The last ones would be taken for `NOTHING`.
pub(crate) const MOST_PARTS: usize = (1 << FIRST) - WIDTH;

impl Leaf {
    #[inline(always)]
    pub(crate) fn new(first: usize, count: usize) -> Self {
        debug_assert!((1..=WIDTH).contains(&count) && first + count <= MOST_PARTS, "{first} {count}");
        Self(LEAF | (count as u32 - 1) << FIRST | first as u32)
    }
    /// What a child of a node is, if it is not a node.
    #[inline(always)]
    pub(crate) fn of(child: u32) -> Option<Self> {
        (child & LEAF != 0 && child != NOTHING).then_some(Self(child))
    }
    /// As a child of a node.
    #[inline(always)]
    pub(crate) fn child(self) -> u32 {
        self.0
    }
    #[inline(always)]
    pub(crate) fn first(self) -> usize {
        (self.0 & ((1 << FIRST) - 1)) as usize
    }
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        (self.0 >> FIRST & (WIDTH as u32 - 1)) as usize + 1
    }
    /// Where its parts are among all.
    #[inline(always)]
    pub(crate) fn places(self) -> Range<u32> {
        let first = self.first() as u32;
        first..first + self.count() as u32
    }
    /// Its parts among all.
    #[inline(always)]
    pub(crate) fn of_all<T>(self, all: &[T]) -> &[T] {
        &all[self.first()..][..self.count()]
    }
}

impl Node {
    /// Without children.
    pub(crate) const EMPTY: Self = {
        let (low, high) = ([f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]);
        Self { planes: [low, low, low, high, high, high], child: [NOTHING; WIDTH] }
    };

    pub(crate) fn set(&mut self, lane: usize, bounds: &Bounds, child: u32) {
        self.child[lane] = child;
        for axis in 0..3 {
            self.planes[axis][lane] = bounds.low[axis];
            self.planes[axis + 3][lane] = bounds.high[axis];
        }
    }
}

impl Node {
    /// The box of a child.
    pub(crate) fn bounds(&self, lane: usize) -> Bounds {
        let [a, b, c, d, e, f] = self.planes.map(|plane| plane[lane]);
        Bounds { low: [a, b, c, 0.0], high: [d, e, f, 0.0] }
    }

    /// The box around all children.
    pub(crate) fn around(&self) -> Bounds {
        (0..WIDTH).fold(Bounds::EMPTY, |all, lane| all.union(&self.bounds(lane)))
    }
}
