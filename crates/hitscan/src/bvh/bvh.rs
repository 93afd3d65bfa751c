//! Bounding volume hierarchy over boxes with ids, sixteen children per node.

use crate::bvh::node::{INVALID, Leaf, Node16};
use crate::bvh::options::Statistics;
use crate::bvh::ray::RayF32;
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;

/// 16-wide BVH: nodes in depth-first order, and primitive ids in leaf order.
#[derive(Clone, Debug)]
pub(crate) struct Bvh16 {
    pub(crate) nodes: Vec<Node16>,
    pub(crate) prim_ids: Vec<u32>,
    pub(crate) depth: usize,
    /// Largest absolute coordinate of all boxes.
    pub(crate) largest: f32,
}

impl Bvh16 {
    /// BVH without primitives.
    pub(crate) const EMPTY: Self = Self { nodes: Vec::new(), prim_ids: Vec::new(), depth: 0, largest: 0.0 };

    /// Updates `largest` from the root.
    pub(crate) fn measure(&mut self) {
        self.largest = self.nodes.first().map_or(0.0, |root| root.around().largest());
    }

    /// The leaves in the order of the nodes.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.nodes.iter().flat_map(|node| node.child.iter().filter_map(|&child| Leaf::of(child)))
    }

    #[inline(always)]
    pub(crate) fn root(&self) -> u32 {
        if self.nodes.is_empty() { INVALID } else { 0 }
    }

    /// Primitive ids, in leaf order.
    #[inline(always)]
    pub(crate) fn prim_ids(&self) -> &[u32] {
        &self.prim_ids
    }

    /// Whether a ray is [ordinary](RayF32::is_ordinary) among the boxes of the BVH.
    #[inline(always)]
    pub(crate) fn is_ordinary(&self, aim: &RayF32) -> bool {
        aim.is_ordinary(self.largest)
    }

    /// Prefetches a node.
    #[inline(always)]
    pub(crate) fn fetch(&self, node: u32) {
        let Node16 { planes, child } = &self.nodes[node as usize];
        prefetch(planes);
        prefetch(child);
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let leaves = self.leaves().count();
        Statistics { nodes: self.nodes.len() + leaves, leaves, depth: self.depth, bytes: self.bytes() }
    }

    /// Memory in bytes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.prim_ids[..])
    }
}
