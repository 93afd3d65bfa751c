//! Refit: new bounds for a BVH of unchanged topology, from the leaves to the root.

use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, Node16, WIDTH};

impl Bvh16 {
    /// Refits the BVH in O(n): `around` gives the bounds of each leaf from its number and its primitive ids, and each
    /// node gets the union of its children. Iterates from the last node to the first, because children come after their
    /// parents.
    pub(crate) fn refit(&mut self, mut around: impl FnMut(usize, &[u32]) -> Bounds) {
        let mut number_of_leaf = self.leaves().count();
        // Children come after their parents, so the last node first has all boxes below it.
        for number in (0..self.nodes.len()).rev() {
            for lane in (0..WIDTH).rev() {
                let child = self.nodes[number].child[lane];
                let bounds = match (child, Leaf::of(child)) {
                    (INVALID, _) => Bounds::EMPTY,
                    (_, Some(leaf)) => {
                        number_of_leaf -= 1;
                        around(number_of_leaf, leaf.of_all(&self.prim_ids))
                    }
                    (child, None) => self.nodes[child as usize].around(),
                };
                self.nodes[number].set(lane, &bounds, child);
            }
        }
        self.measure();
    }

    /// Child references of each node.
    pub(crate) fn children(&self) -> impl ExactSizeIterator<Item = &[u32; WIDTH]> {
        self.nodes.iter().map(|node| &node.child)
    }

    /// Bounds of each leaf.
    pub(crate) fn leaf_bounds(&self) -> impl Iterator<Item = Bounds> {
        let boxes = |node: &'_ Node16| -> [Option<Bounds>; WIDTH] {
            core::array::from_fn(|lane| Leaf::of(node.child[lane]).map(|_| node.bounds(lane)))
        };
        self.nodes.iter().flat_map(boxes).flatten()
    }
}
