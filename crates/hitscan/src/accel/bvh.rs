//! A bounding volume hierarchy over numbered boxes, two children a node.

use super::build::{Plan, plan};
use super::{SlabTest, Statistics};
use crate::Aabb;
use crate::math::{Real, Vector};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// The tree: nodes in depth-first order, and the numbers of the parts in the order of the leaves.
#[derive(Clone, Debug)]
pub(crate) struct Bvh<V: Vector> {
    nodes: Vec<Node<V>>,
    parts: Vec<u32>,
    depth: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node<V> {
    pub(super) bounds: Aabb<V>,
    /// Of a leaf its first place in `parts`; of an inner node its second child (the first one is the next node).
    pub(super) first: u32,
    /// Parts of a leaf; 0 for an inner node.
    pub(super) count: u32,
}

/// Deeper than any tree that `plan` gives: it halves by number below depth 64.
const STACK: usize = 100;

impl<V: Vector> Bvh<V> {
    /// Builds the tree by the surface area heuristic over 16 bins: O(n log n), the same tree every time.
    pub(crate) fn build(boxes: &[Aabb<V>]) -> Self {
        let Plan { nodes, parts, depth } = plan(boxes);
        Self { nodes, parts, depth }
    }

    pub(crate) fn visit(
        &self,
        test: &SlabTest,
        limit: &mut f64,
        mut part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let enter = |node: &Node<V>, limit: f64| {
            test.enter(node.bounds.min.to_xyz().map(Real::to_f64), node.bounds.max.to_xyz().map(Real::to_f64), limit)
        };
        let Some(root) = self.nodes.first() else { return ControlFlow::Continue(()) };
        if enter(root, *limit).is_none() {
            return ControlFlow::Continue(());
        }
        let mut stack = [(0u32, 0.0f64); STACK];
        let (mut height, mut at) = (0, 0usize);
        loop {
            let node = &self.nodes[at];
            if node.count > 0 {
                let first = node.first as usize;
                for &i in &self.parts[first..first + node.count as usize] {
                    part(i, limit)?;
                }
            } else {
                let (a, b) = (at + 1, node.first as usize);
                match (enter(&self.nodes[a], *limit), enter(&self.nodes[b], *limit)) {
                    (Some(ta), Some(tb)) => {
                        let (near, far, t) = if tb < ta { (b, a, ta) } else { (a, b, tb) };
                        stack[height] = (far as u32, t);
                        height += 1;
                        at = near;
                        continue;
                    }
                    (Some(_), None) => {
                        at = a;
                        continue;
                    }
                    (None, Some(_)) => {
                        at = b;
                        continue;
                    }
                    (None, None) => {}
                }
            }
            at = loop {
                if height == 0 {
                    return ControlFlow::Continue(());
                }
                height -= 1;
                let (next, t) = stack[height];
                if t <= *limit {
                    break next as usize;
                }
            };
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            nodes: self.nodes.len(),
            leaves: self.nodes.iter().filter(|n| n.count > 0).count(),
            depth: self.depth,
            bytes: size_of_val(&self.nodes[..]) + size_of_val(&self.parts[..]),
        }
    }
}
