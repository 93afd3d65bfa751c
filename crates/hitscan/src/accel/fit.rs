//! Boxes for a tree whose shape is given: from the leaves to the root. And which shapes are trees.

use super::bounds::Bounds;
use super::tree::{LEAF, NOTHING, Node, Tree, WIDTH};
use alloc::vec;
use alloc::vec::Vec;

/// Why numbers are no tree: a part of it, and what is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// `"node"` or `"leaf"`.
    pub(crate) part: &'static str,
    pub(crate) number: usize,
    pub(crate) problem: &'static str,
}

impl Tree {
    /// Gives every leaf the box that `around` has for its number and its parts, and every node one around those of its
    /// children: O(n), from the last node to the first, for children come after their parents.
    pub(crate) fn enclose(&mut self, mut around: impl FnMut(usize, &[u32; WIDTH]) -> Bounds) {
        for number in (0..self.nodes.len()).rev() {
            for lane in 0..WIDTH {
                let child = self.nodes[number].child[lane];
                let bounds = match child {
                    NOTHING => Bounds::EMPTY,
                    _ if child & LEAF != 0 => {
                        let leaf = (child & !LEAF) as usize;
                        around(leaf, &self.leaves[leaf])
                    }
                    _ => self.nodes[child as usize].around(),
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
    pub(crate) fn leaf_bounds(&self) -> Vec<Bounds> {
        let mut all = vec![Bounds::EMPTY; self.leaves.len()];
        for node in &self.nodes {
            for (lane, &child) in node.child.iter().enumerate().filter(|(_, child)| is_leaf(**child)) {
                all[(child & !LEAF) as usize] = node.bounds(lane);
            }
        }
        all
    }

    /// A tree of which the children of each node are known, the leaves, and their boxes; `parts` is how many parts there
    /// are. Whatever the numbers: a walk through what is returned ends, and meets leaves of parts that exist.
    ///
    /// # Errors
    /// A node that does not come after its parent, or has not exactly one; the same for leaves; a leaf without parts, or with
    /// a part that does not exist; a box that is none.
    pub(crate) fn from_shape(
        children: impl ExactSizeIterator<Item = [u32; WIDTH]>,
        leaves: Vec<[u32; WIDTH]>,
        bounds: &[Bounds],
        parts: usize,
    ) -> Result<Self, Flaw> {
        let flaw = |part, number, problem| Err(Flaw { part, number, problem });
        for (number, (leaf, bounds)) in leaves.iter().zip(bounds).enumerate() {
            let count = super::parts(leaf).count();
            if count == 0 || leaf[count..].iter().any(|&part| part != NOTHING) {
                return flaw("leaf", number, "has a gap in its triangles, or none");
            }
            if super::parts(leaf).any(|part| part as usize >= parts) {
                return flaw("leaf", number, "names a triangle that does not exist");
            }
            if !(0..3).all(|axis| bounds.low[axis] <= bounds.high[axis]) {
                return flaw("leaf", number, "has a box without a point");
            }
        }
        let mut tree = Self { nodes: Vec::with_capacity(children.len()), leaves, depth: 0, largest: 0.0 };
        // How many nodes there are from the root to each, itself included; 0: no parent yet.
        let (mut node_depth, mut leaf_depth) = (vec![0; children.len()], vec![0; tree.leaves.len()]);
        node_depth.iter_mut().take(1).for_each(|root| *root = 1);
        for (number, children) in children.enumerate() {
            let below = node_depth[number] + 1;
            if below == 1 {
                return flaw("node", number, "comes before its parent, or has none");
            }
            for &child in children.iter().filter(|child| **child != NOTHING) {
                let depths = if is_leaf(child) { &mut leaf_depth } else { &mut node_depth };
                match depths.get_mut((child & !LEAF) as usize) {
                    None => return flaw("node", number, "has a child that does not exist"),
                    Some(depth @ 0) => *depth = below,
                    Some(_) => return flaw("node", number, "has a child that has another parent, or is the root"),
                }
                tree.depth = tree.depth.max(below);
            }
            tree.nodes.push(Node { child: children, ..Node::EMPTY });
        }
        if let Some(number) = leaf_depth.iter().position(|&depth| depth == 0) {
            return flaw("leaf", number, "is in no node");
        }
        tree.enclose(|leaf, _| bounds[leaf]);
        Ok(tree)
    }
}

fn is_leaf(child: u32) -> bool {
    child & LEAF != 0 && child != NOTHING
}

impl Node {
    /// The box of a child.
    fn bounds(&self, lane: usize) -> Bounds {
        let [a, b, c, d, e, f] = self.planes.map(|plane| plane[lane]);
        Bounds { low: [a, b, c, 0.0], high: [d, e, f, 0.0] }
    }

    /// The box around all children.
    pub(super) fn around(&self) -> Bounds {
        (0..WIDTH).fold(Bounds::EMPTY, |all, lane| all.union(&self.bounds(lane)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: [u32; WIDTH] = [0, 1, 2, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING];
    const NONE: [u32; WIDTH] = [NOTHING; WIDTH];

    fn with(pairs: &[(usize, u32)]) -> [u32; WIDTH] {
        let mut all = NONE;
        pairs.iter().for_each(|&(lane, child)| all[lane] = child);
        all
    }

    fn tree(children: &[[u32; WIDTH]], leaves: &[[u32; WIDTH]], bounds: Bounds) -> Result<Tree, (&'static str, usize)> {
        let bounds = vec![bounds; leaves.len()];
        let built = Tree::from_shape(children.iter().copied(), leaves.to_vec(), &bounds, 3);
        built.map_err(|flaw| (flaw.part, flaw.number))
    }

    #[test]
    fn only_trees_are_trees() {
        let unit = Bounds { low: [0.0; 4], high: [1.0; 4] };
        let told = |children: &[_], leaves: &[_]| tree(children, leaves, unit).map(|tree| tree.statistics().depth);
        assert_eq!(told(&[with(&[(0, LEAF)])], &[ONE]), Ok(2));
        assert_eq!(told(&[with(&[(3, 1)]), with(&[(7, LEAF), (2, LEAF | 1)])], &[ONE, ONE]), Ok(3));
        // A loop, a node that comes before its parent, two parents, none.
        assert_eq!(told(&[with(&[(0, 0), (1, LEAF)])], &[ONE]).unwrap_err(), ("node", 0));
        assert_eq!(told(&[with(&[(0, 2)]), with(&[(0, LEAF)]), with(&[(0, 1)])], &[ONE]).unwrap_err(), ("node", 1));
        assert_eq!(told(&[with(&[(0, 1), (1, 1)]), with(&[(0, LEAF)])], &[ONE]).unwrap_err(), ("node", 0));
        assert_eq!(told(&[with(&[(0, LEAF)]), with(&[(0, LEAF)])], &[ONE]).unwrap_err(), ("node", 1));
        assert_eq!(told(&[with(&[(0, LEAF), (1, LEAF)])], &[ONE]).unwrap_err(), ("node", 0));
        assert_eq!(told(&[with(&[(0, LEAF)])], &[ONE, ONE]).unwrap_err(), ("leaf", 1));
        // Children and parts that do not exist, gaps, and nothing at all.
        assert_eq!(told(&[with(&[(0, 1)])], &[]).unwrap_err(), ("node", 0));
        assert_eq!(told(&[with(&[(0, LEAF | 1)])], &[ONE]).unwrap_err(), ("node", 0));
        assert_eq!(told(&[with(&[(0, LEAF)])], &[with(&[(0, 3)])]).unwrap_err(), ("leaf", 0));
        assert_eq!(told(&[with(&[(0, LEAF)])], &[with(&[(1, 2)])]).unwrap_err(), ("leaf", 0));
        assert_eq!(told(&[with(&[(0, LEAF)])], &[NONE]).unwrap_err(), ("leaf", 0));
        for bad in [Bounds::EMPTY, Bounds { low: [f32::NAN; 4], ..unit }, Bounds { high: [f32::NAN; 4], ..unit }] {
            assert_eq!(tree(&[with(&[(0, LEAF)])], &[ONE], bad).map(drop), Err(("leaf", 0)));
        }
    }
}
