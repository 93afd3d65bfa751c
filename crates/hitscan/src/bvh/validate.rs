//! Validation of a BVH that was loaded.

use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Tree;
use crate::bvh::node::{Leaf, MOST_PARTS, NOTHING, Node, WIDTH};
use crate::simd::huge_pages::with_large_pages;
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
    /// A tree of which the children of each node are known, the parts, and the boxes of the leaves; parts are numbers below
    /// `most`. Whatever the numbers: a walk through what is returned ends, and meets leaves of parts that exist.
    ///
    /// # Errors
    /// A node that does not come after its parent, or has not exactly one; a leaf without parts, or with a part that does not
    /// exist; parts that are in no leaf, or in more than one; more or fewer boxes than leaves; a box that is none.
    pub(crate) fn from_shape(
        children: impl ExactSizeIterator<Item = [u32; WIDTH]>,
        parts: Vec<u32>,
        bounds: &[Bounds],
        most: usize,
    ) -> Result<Self, Flaw> {
        let flaw = |part, number, problem| Err(Flaw { part, number, problem });
        if parts.len() > MOST_PARTS {
            return flaw("leaf", bounds.len(), "is one too many");
        }
        if let Some(number) = bounds.iter().position(|b| !(0..3).all(|axis| b.low[axis] <= b.high[axis])) {
            return flaw("leaf", number, "has a box without a point");
        }
        let mut tree = Self { nodes: with_large_pages(children.len()), parts, depth: 0, largest: 0.0 };
        // How many nodes there are from the root to each, itself included; 0: no parent yet.
        let mut depths = vec![0; children.len()];
        depths.iter_mut().take(1).for_each(|root| *root = 1);
        let (mut leaves, mut taken) = (0, 0);
        for (number, children) in children.enumerate() {
            let below = depths[number] + 1;
            if below == 1 {
                return flaw("node", number, "comes before its parent, or has none");
            }
            for &child in children.iter().filter(|child| **child != NOTHING) {
                if let Some(leaf) = Leaf::of(child) {
                    let count = leaf.count();
                    let named = tree.parts.get(taken..taken + count).filter(|_| leaf.first() == taken);
                    let Some(named) = named else {
                        return flaw("leaf", leaves, "does not begin where the one before it ends");
                    };
                    if named.iter().any(|&part| part as usize >= most) {
                        return flaw("leaf", leaves, "names a triangle that does not exist");
                    }
                    (leaves, taken) = (leaves + 1, taken + count);
                } else {
                    match depths.get_mut(child as usize) {
                        None => return flaw("node", number, "has a child that does not exist"),
                        Some(depth @ 0) => *depth = below,
                        Some(_) => return flaw("node", number, "has a child that has another parent, or is the root"),
                    }
                }
                tree.depth = tree.depth.max(below);
            }
            tree.nodes.push(Node { child: children, ..Node::EMPTY });
        }
        if taken < tree.parts.len() || leaves != bounds.len() {
            return flaw("leaf", leaves, "is in no node, or has no box");
        }
        tree.enclose(|leaf, _| bounds[leaf]);
        Ok(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(usize, u32)]) -> [u32; WIDTH] {
        let mut all = [NOTHING; WIDTH];
        pairs.iter().for_each(|&(lane, child)| all[lane] = child);
        all
    }

    fn tree(children: &[[u32; WIDTH]], parts: &[u32], bounds: &[Bounds]) -> Result<usize, (&'static str, usize)> {
        let built = Tree::from_shape(children.iter().copied(), parts.to_vec(), bounds, 4);
        built.map(|tree| tree.statistics().depth).map_err(|flaw| (flaw.part, flaw.number))
    }

    #[test]
    fn only_trees_are_trees() {
        let unit = Bounds { low: [0.0; 4], high: [1.0; 4] };
        let leaf = |first, count| Leaf::new(first, count).child();
        // As many boxes as leaves, and as many parts as they name.
        let told = |children: &[[u32; WIDTH]], parts: &[u32]| {
            let leaves = children.iter().flatten().filter(|child| Leaf::of(**child).is_some()).count();
            tree(children, parts, &vec![unit; leaves])
        };
        assert_eq!(told(&[with(&[(0, leaf(0, 2))])], &[0, 3]), Ok(2));
        assert_eq!(
            told(&[with(&[(3, 1), (9, leaf(0, 1))]), with(&[(2, leaf(1, 1)), (7, leaf(2, 2))])], &[1, 0, 3, 2]),
            Ok(3)
        );
        // A loop, a node that comes before its parent, two parents, none.
        assert_eq!(told(&[with(&[(0, 0), (1, leaf(0, 1))])], &[0]), Err(("node", 0)));
        let ends = with(&[(0, leaf(0, 1))]);
        assert_eq!(told(&[with(&[(0, 2)]), ends, with(&[(0, 1)])], &[0]), Err(("node", 1)));
        assert_eq!(told(&[with(&[(0, 1), (1, 1)]), ends], &[0]), Err(("node", 0)));
        assert_eq!(told(&[ends, with(&[(0, leaf(1, 1))])], &[0, 1]), Err(("node", 1)));
        // Leaves that share parts, leave some out, or go beyond all; parts and children that do not exist; nothing at all.
        assert_eq!(told(&[with(&[(0, leaf(0, 2)), (1, leaf(1, 1))])], &[0, 1]), Err(("leaf", 1)));
        assert_eq!(told(&[with(&[(0, leaf(1, 1))])], &[0, 1]), Err(("leaf", 0)));
        assert_eq!(told(&[with(&[(0, leaf(0, 1))])], &[0, 1]), Err(("leaf", 1)));
        assert_eq!(told(&[with(&[(0, leaf(0, 3))])], &[0, 1]), Err(("leaf", 0)));
        assert_eq!(told(&[with(&[(0, leaf(0, 2))])], &[0, 4]), Err(("leaf", 0)));
        assert_eq!(told(&[with(&[(0, 1)])], &[]), Err(("node", 0)));
        assert_eq!(told(&[], &[0]), Err(("leaf", 0)));
        assert_eq!(tree(&[ends], &[0], &[]), Err(("leaf", 1)));
        assert_eq!(tree(&[ends], &[0], &[unit; 2]), Err(("leaf", 1)));
        for bad in [Bounds::EMPTY, Bounds { low: [f32::NAN; 4], ..unit }, Bounds { high: [f32::NAN; 4], ..unit }] {
            assert_eq!(tree(&[ends], &[0], &[bad]), Err(("leaf", 0)));
        }
    }
}
