//! A bounding volume hierarchy over numbered boxes, sixteen children a node.

use crate::bvh::node::{Leaf, NOTHING, Node};
use crate::bvh::options::Statistics;
use crate::bvh::prepared_ray::Single;
use crate::bvh::ray::Aim;
use crate::math::working_ray::InputRay;
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;

/// The tree: nodes in depth-first order, and the numbers of the parts, leaf by leaf.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) parts: Vec<u32>,
    pub(crate) depth: usize,
    /// Of the coordinates of all boxes, without their signs.
    pub(crate) largest: f32,
}

impl Tree {
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
        if self.nodes.is_empty() { NOTHING } else { 0 }
    }

    /// The numbers of the parts, leaf by leaf.
    #[inline(always)]
    pub(crate) fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// The line made ready for the tree's boxes, if it is of ordinary size.
    #[inline(always)]
    pub(crate) fn single(&self, line: &InputRay, t_min: f64) -> Option<Single> {
        Single::of(line, t_min, self.largest)
    }

    /// The line rounded for the tree's boxes, likewise.
    #[inline(always)]
    pub(crate) fn aim(&self, line: &InputRay, t_min: f64) -> Option<Aim> {
        Aim::of(line, t_min, self.largest)
    }

    /// Whether a line is of ordinary size.
    #[inline(always)]
    pub(crate) fn is_ordinary(&self, aim: &Aim) -> bool {
        aim.is_ordinary(self.largest)
    }

    /// A line in `f32` made ready, likewise.
    #[inline(always)]
    pub(crate) fn line_in_f32(&self, aim: &Aim) -> Option<Single> {
        Single::new(aim, self.largest)
    }

    /// Asks for the memory of a node.
    #[inline(always)]
    pub(crate) fn fetch(&self, node: u32) {
        let Node { planes, child } = &self.nodes[node as usize];
        prefetch(planes);
        prefetch(child);
    }

    /// See [`Index::renumber`](super::Index::renumber).
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        self.parts.iter_mut().for_each(|part| *part = numbers[*part as usize]);
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let leaves = self.leaves().count();
        Statistics { nodes: self.nodes.len() + leaves, leaves, depth: self.depth, bytes: self.bytes() }
    }

    /// What it takes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.parts[..])
    }
}
