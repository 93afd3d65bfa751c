//! Which of many boxes a line meets: all of them, or by a tree.

mod bins;
mod bounds;
mod brute;
mod build;
mod collapse;
mod cut;
mod fit;
mod footprint;
mod groups;
mod lists;
mod many;
mod packet;
mod shear;
mod slab;
mod stack;
mod stream;
mod tree;
mod walkers;

pub(crate) use bounds::Bounds;
pub(crate) use brute::Brute;
pub(crate) use build::Reference;
pub(crate) use cut::Corners;
pub(crate) use fit::Flaw;
pub(crate) use packet::Packet;
pub(crate) use shear::Shear;
pub(crate) use slab::{Aim, Single, is_tame};
pub(crate) use stream::{Crowd, FEW, Stream, TOGETHER, Traveller};
pub(crate) use tree::{Leaf, MOST_PARTS, NOTHING, Tree, WIDTH, above};

use crate::Aabb;
use crate::math::{Arithmetic, Vector, WorkingRay};
use crate::simd::SimdF32;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// How the parts of a mesh or a scene are found. The answers are the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Accelerator {
    /// A bounding volume hierarchy: O(log n) boxes for an ordinary ray.
    #[default]
    Bvh,
    /// Every part is tested: the reference for tests.
    Brute,
}

/// How much time to spend on building a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Neighbours are put together along a curve, and the tree is built over these groups: two thirds of the time, and
    /// rays somewhat slower. For meshes that change often.
    Fast,
    /// The surface area heuristic over bins: what suits most uses.
    #[default]
    Default,
    /// Triangles that overlap many boxes are cut for the tree (not for the answers): two to five times as long to build, up
    /// to a third more memory. Pays for architecture, with its long walls; scans gain little.
    High,
}

/// Looks at the parts of a leaf; may lower the end, or stop.
pub(crate) trait Leaves {
    /// `parts` are all of them; the line is given in `f32`, if it is of ordinary size. What lies beyond `end` need not be
    /// found.
    fn leaf<L: SimdF32>(&mut self, line: Option<&Single>, leaf: Leaf, parts: &[u32], end: &mut f32) -> ControlFlow<()>;
}

/// Looks at one part after the other, by their places; has the limit as the parts know it.
struct Parts<F> {
    part: F,
    limit: f64,
}

impl<F: FnMut(u32, &mut f64) -> ControlFlow<()>> Leaves for Parts<F> {
    #[inline(always)]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&Single>,
        leaf: Leaf,
        _parts: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Self { part, limit } = self;
        leaf.places().try_for_each(|place| part(place, limit))?;
        *end = above(*limit);
        ControlFlow::Continue(())
    }
}

/// Boxes with their numbers.
pub(crate) fn numbered<V: Vector>(boxes: &[Aabb<V>]) -> Vec<Reference> {
    (0..).zip(boxes).map(|(part, aabb)| Reference::new(Bounds::around(aabb), part)).collect()
}

/// An index over numbered boxes.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    Bvh(Tree),
    Brute(Brute),
}

impl Index {
    /// Of boxes with numbers from 0 on: see [`Tree::build`].
    pub(crate) fn build<V: Vector>(
        method: Accelerator,
        references: Vec<Reference>,
        quality: Quality,
        leaf: [usize; 2],
        corners: Option<&Corners>,
    ) -> Self {
        match method {
            Accelerator::Bvh => Self::Bvh(Tree::build::<V>(references, quality, leaf, corners)),
            Accelerator::Brute => Self::Brute(Brute::new(references.len())),
        }
    }

    /// From now on boxes have these numbers, in the order in which they were given.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        match self {
            Self::Bvh(tree) => tree.renumber(numbers),
            Self::Brute(all) => all.renumber(numbers),
        }
    }

    /// The numbers of the boxes, in the order in which they have their places: those of a leaf are next to each other.
    #[inline]
    pub(crate) fn parts(&self) -> &[u32] {
        match self {
            Self::Bvh(tree) => tree.parts(),
            Self::Brute(all) => all.parts(),
        }
    }

    /// Calls `part` with the place of every box that the line may meet for `t` in `t_min..=limit`, and perhaps of
    /// others; near ones first, as far as the index knows. `part` may lower the limit, or stop.
    #[inline]
    pub(crate) fn visit<T: Arithmetic>(
        &self,
        line: &WorkingRay<T>,
        t_min: f64,
        limit: &mut f64,
        part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self {
            Self::Bvh(tree) => tree.visit(&line.raw, t_min, *limit, &mut Parts { part, limit: *limit }),
            Self::Brute(all) => all.visit(limit, part),
        }
    }

    /// The tree, if there is one.
    pub(crate) fn tree(&self) -> Option<&Tree> {
        match self {
            Self::Bvh(tree) => Some(tree),
            Self::Brute(_) => None,
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        match self {
            Self::Bvh(tree) => tree.statistics(),
            Self::Brute(_) => Statistics::default(),
        }
    }
}

/// The size and shape of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Inner nodes and leaves; none without a tree.
    pub nodes: usize,
    /// Leaves.
    pub leaves: usize,
    /// The longest way from the root, in nodes.
    pub depth: usize,
    /// Memory of the index, in bytes.
    pub bytes: usize,
}
