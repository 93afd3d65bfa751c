//! Which of many boxes a line meets: all of them, or by a tree.

mod brute;
mod build;
mod bvh;
mod slab;

pub(crate) use brute::Brute;
use bvh::Bvh;
pub(crate) use slab::SlabTest;

use crate::Aabb;
use crate::math::Vector;
use core::ops::ControlFlow;

/// How the parts of a mesh or a scene are found. The answers are the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// A bounding volume hierarchy: O(log n) boxes for an ordinary ray.
    #[default]
    Bvh,
    /// Every part is tested: the reference for tests.
    Brute,
}

/// An index over numbered boxes.
#[derive(Clone, Debug)]
pub(crate) enum Index<V: Vector> {
    Bvh(Bvh<V>),
    Brute(Brute),
}

impl<V: Vector> Index<V> {
    pub(crate) fn build(method: Method, boxes: &[Aabb<V>]) -> Self {
        match method {
            Method::Bvh => Self::Bvh(Bvh::build(boxes)),
            Method::Brute => Self::Brute(Brute::new(boxes.len())),
        }
    }

    /// Calls `part` with the number of every box that the line may meet for `t` in `t_min..=limit`, and perhaps of
    /// others; near ones first, as far as the index knows. `part` may lower the limit, or stop.
    #[inline]
    pub(crate) fn visit(
        &self,
        test: &SlabTest,
        limit: &mut f64,
        part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self {
            Self::Bvh(bvh) => bvh.visit(test, limit, part),
            Self::Brute(all) => all.visit(limit, part),
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        match self {
            Self::Bvh(bvh) => bvh.statistics(),
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
