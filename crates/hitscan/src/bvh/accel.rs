//! Which of many boxes a line meets: all of them, or by a tree.

use crate::bvh::build::prim_ref::Reference;
use crate::bvh::build::spatial_split::Corners;
use crate::bvh::bvh::Tree;
use crate::bvh::linear_scan::Brute;
use crate::bvh::options::{Accelerator, Quality, Statistics};
use crate::bvh::traverse::visitor::Parts;
use crate::math::arithmetic::Arithmetic;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use alloc::vec::Vec;
use core::ops::ControlFlow;

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
