//! A bounding volume hierarchy over numbered boxes, sixteen children a node.

use crate::bvh::node::{INVALID, Leaf, Node16};
use crate::bvh::options::Statistics;
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::ray::RayF32;
use crate::math::working_ray::InputRay;
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;

/// The tree: nodes in depth-first order, and the numbers of the parts, leaf by leaf.
#[derive(Clone, Debug)]
pub(crate) struct Bvh16 {
    pub(crate) nodes: Vec<Node16>,
    pub(crate) prim_ids: Vec<u32>,
    pub(crate) depth: usize,
    /// Of the coordinates of all boxes, without their signs.
    pub(crate) largest: f32,
}

impl Bvh16 {
    /// Finds the largest coordinate: that of the root.
    pub(crate) fn measure(&mut self) {
        self.largest = self.nodes.first().map_or(0.0, |root| root.around().largest());
    }

    /// The leaves, as the nodes name them, one after the other.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.nodes.iter().flat_map(|node| node.child.iter().filter_map(|&child| Leaf::of(child)))
    }

    #[inline(always)]
    pub(crate) fn root(&self) -> u32 {
        if self.nodes.is_empty() { INVALID } else { 0 }
    }

    /// The numbers of the parts, leaf by leaf.
    #[inline(always)]
    pub(crate) fn prim_ids(&self) -> &[u32] {
        &self.prim_ids
    }

    /// The line made ready for the tree's boxes, if it is of ordinary size.
    #[inline(always)]
    pub(crate) fn single(&self, line: &InputRay, t_min: f64) -> Option<PreparedRay> {
        PreparedRay::of(line, t_min, self.largest)
    }

    /// The line rounded for the tree's boxes, likewise.
    #[inline(always)]
    pub(crate) fn aim(&self, line: &InputRay, t_min: f64) -> Option<RayF32> {
        RayF32::of(line, t_min, self.largest)
    }

    /// Whether a line is of ordinary size.
    #[inline(always)]
    pub(crate) fn is_ordinary(&self, aim: &RayF32) -> bool {
        aim.is_ordinary(self.largest)
    }

    /// A line in `f32` made ready, likewise.
    #[inline(always)]
    pub(crate) fn line_in_f32(&self, aim: &RayF32) -> Option<PreparedRay> {
        PreparedRay::new(aim, self.largest)
    }

    /// Asks for the memory of a node.
    #[inline(always)]
    pub(crate) fn fetch(&self, node: u32) {
        let Node16 { planes, child } = &self.nodes[node as usize];
        prefetch(planes);
        prefetch(child);
    }

    /// See [`Accel::renumber`](super::Index::renumber).
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        self.prim_ids.iter_mut().for_each(|part| *part = numbers[*part as usize]);
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let leaves = self.leaves().count();
        Statistics { nodes: self.nodes.len() + leaves, leaves, depth: self.depth, bytes: self.bytes() }
    }

    /// What it takes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.prim_ids[..])
    }
}
