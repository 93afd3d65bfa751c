//! Boxes for a tree whose shape is given: from the leaves to the root. And which shapes are trees.

use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Tree;
use crate::bvh::node::{Leaf, NOTHING, Node, WIDTH};

impl Tree {
    /// Gives every leaf the box that `around` has for its number and its parts, and every node one around those of its
    /// children: O(n), from the last node to the first, for children come after their parents.
    pub(crate) fn enclose(&mut self, mut around: impl FnMut(usize, &[u32]) -> Bounds) {
        let mut number_of_leaf = self.leaves().count();
        for number in (0..self.nodes.len()).rev() {
            for lane in (0..WIDTH).rev() {
                let child = self.nodes[number].child[lane];
                let bounds = match (child, Leaf::of(child)) {
                    (NOTHING, _) => Bounds::EMPTY,
                    (_, Some(leaf)) => {
                        number_of_leaf -= 1;
                        around(number_of_leaf, leaf.of_all(&self.parts))
                    }
                    (child, None) => self.nodes[child as usize].around(),
                };
                self.nodes[number].set(lane, &bounds, child);
            }
        }
        self.measure();
    }

    /// The children of each node.
    pub(crate) fn children(&self) -> impl ExactSizeIterator<Item = &[u32; WIDTH]> {
        self.nodes.iter().map(|node| &node.child)
    }

    /// The box of each leaf.
    pub(crate) fn leaf_bounds(&self) -> impl Iterator<Item = Bounds> {
        let boxes = |node: &'_ Node| -> [Option<Bounds>; WIDTH] {
            core::array::from_fn(|lane| Leaf::of(node.child[lane]).map(|_| node.bounds(lane)))
        };
        self.nodes.iter().flat_map(boxes).flatten()
    }
}
