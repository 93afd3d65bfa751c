//! Validation of a loaded BVH.

use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, MAX_PRIMS, Node16, WIDTH};
use crate::simd::huge_pages::with_huge_pages;
use alloc::vec;
use alloc::vec::Vec;

/// Bytes of the children of a node in the binary formats.
pub(crate) const NODE_SIZE: usize = 4 * WIDTH;

/// Reason why a topology is not a valid BVH: the invalid element and its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidBvh {
    /// `"node"` or `"leaf"`.
    pub(crate) part: &'static str,
    pub(crate) number: usize,
    pub(crate) problem: &'static str,
}

impl Bvh16 {
    /// Builds a BVH from the children of each node, the primitive ids and the bounds of the leaves; ids must be below
    /// `prim_count`. For any input, a traversal of the result ends, and visits only leaves with existing primitives.
    ///
    /// # Errors
    /// Those of [`from_children`](Self::from_children); more or fewer bounds than leaves; an empty or NaN box.
    pub(crate) fn from_topology(
        children: impl ExactSizeIterator<Item = [u32; WIDTH]>,
        prim_ids: Vec<u32>,
        bounds: &[Bounds],
        prim_count: usize,
    ) -> Result<Self, InvalidBvh> {
        if let Some(number) = bounds.iter().position(|b| !(0..3).all(|axis| b.low[axis] <= b.high[axis])) {
            return flaw("leaf", number, "has a box without a point");
        }
        let (mut tree, leaves) = Self::from_children(children, prim_ids, prim_count)?;
        if leaves != bounds.len() {
            return flaw("leaf", leaves, "is in no node, or has no box");
        }
        tree.refit(|leaf, _| bounds[leaf]);
        Ok(tree)
    }

    /// Builds a BVH without bounds from the children of each node and the primitive ids, and counts its leaves. A refit
    /// must follow.
    ///
    /// # Errors
    /// A node that does not come after its parent, or has not exactly one; a leaf without primitives, or with one that
    /// does not exist; primitives in no leaf, or slots in more than one.
    pub(crate) fn from_children(
        children: impl ExactSizeIterator<Item = [u32; WIDTH]>,
        prim_ids: Vec<u32>,
        prim_count: usize,
    ) -> Result<(Self, usize), InvalidBvh> {
        // Slots beyond this number have no encoding.
        if prim_ids.len() > MAX_PRIMS {
            return flaw("leaf", MAX_PRIMS, "is one too many");
        }
        let mut tree = Self { nodes: with_huge_pages(children.len()), prim_ids, depth: 0, largest: 0.0 };
        // Depth of each node, counting itself; 0: no parent yet.
        let mut depths = vec![0; children.len()];
        depths.iter_mut().take(1).for_each(|root| *root = 1);
        let (mut leaves, mut taken) = (0, 0);
        // Each node in order: it must have a parent before it, so there is no cycle.
        for (number, children) in children.enumerate() {
            let subtree = depths[number] + 1;
            if subtree == 1 {
                return flaw("node", number, "comes before its parent, or has none");
            }
            for &child in children.iter().filter(|child| **child != INVALID) {
                // Leaves must divide the ids without gaps and in order, and name existing primitives.
                if let Some(leaf) = Leaf::of(child) {
                    let count = leaf.count();
                    let named = tree.prim_ids.get(taken..taken + count).filter(|_| leaf.first() == taken);
                    let Some(named) = named else {
                        return flaw("leaf", leaves, "does not begin where the one before it ends");
                    };
                    if named.iter().any(|&id| id as usize >= prim_count) {
                        return flaw("leaf", leaves, "names a primitive that does not exist");
                    }
                    (leaves, taken) = (leaves + 1, taken + count);
                } else {
                    // A child node that is not there, or has a parent already, is refused: so the depth is known and
                    // finite.
                    match depths.get_mut(child as usize) {
                        None => return flaw("node", number, "has a child that does not exist"),
                        Some(depth @ 0) => *depth = subtree,
                        Some(_) => return flaw("node", number, "has a child that has another parent, or is the root"),
                    }
                }
                tree.depth = tree.depth.max(subtree);
            }
            tree.nodes.push(Node16 { child: children, ..Node16::EMPTY });
        }
        // Ids that no leaf has would be primitives that no ray finds.
        if taken < tree.prim_ids.len() {
            return flaw("leaf", leaves, "is in no node, or has no box");
        }
        Ok((tree, leaves))
    }
}

fn flaw<T>(part: &'static str, number: usize, problem: &'static str) -> Result<T, InvalidBvh> {
    Err(InvalidBvh { part, number, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(usize, u32)]) -> [u32; WIDTH] {
        let mut all = [INVALID; WIDTH];
        pairs.iter().for_each(|&(lane, child)| all[lane] = child);
        all
    }

    fn tree(children: &[[u32; WIDTH]], prim_ids: &[u32], bounds: &[Bounds]) -> Result<usize, (&'static str, usize)> {
        let built = Bvh16::from_topology(children.iter().copied(), prim_ids.to_vec(), bounds, 4);
        built.map(|tree| tree.statistics().depth).map_err(|flaw| (flaw.part, flaw.number))
    }

    #[test]
    fn only_trees_are_trees() {
        let unit = Bounds { low: [0.0; 4], high: [1.0; 4] };
        let leaf = |first, count| Leaf::new(first, count).child();
        // As many boxes as leaves.
        let result = |children: &[[u32; WIDTH]], prim_ids: &[u32]| {
            let leaves = children.iter().flatten().filter(|child| Leaf::of(**child).is_some()).count();
            tree(children, prim_ids, &vec![unit; leaves])
        };
        assert_eq!(result(&[with(&[(0, leaf(0, 2))])], &[0, 3]), Ok(2));
        assert_eq!(
            result(&[with(&[(3, 1), (9, leaf(0, 1))]), with(&[(2, leaf(1, 1)), (7, leaf(2, 2))])], &[1, 0, 3, 2]),
            Ok(3)
        );
        // A loop, a node before its parent, two parents, no parent.
        assert_eq!(result(&[with(&[(0, 0), (1, leaf(0, 1))])], &[0]), Err(("node", 0)));
        let ends = with(&[(0, leaf(0, 1))]);
        assert_eq!(result(&[with(&[(0, 2)]), ends, with(&[(0, 1)])], &[0]), Err(("node", 1)));
        assert_eq!(result(&[with(&[(0, 1), (1, 1)]), ends], &[0]), Err(("node", 0)));
        assert_eq!(result(&[ends, with(&[(0, leaf(1, 1))])], &[0, 1]), Err(("node", 1)));
        // Leaves that overlap, skip slots, or exceed them; missing primitives and children; no nodes.
        assert_eq!(result(&[with(&[(0, leaf(0, 2)), (1, leaf(1, 1))])], &[0, 1]), Err(("leaf", 1)));
        assert_eq!(result(&[with(&[(0, leaf(1, 1))])], &[0, 1]), Err(("leaf", 0)));
        assert_eq!(result(&[with(&[(0, leaf(0, 1))])], &[0, 1]), Err(("leaf", 1)));
        assert_eq!(result(&[with(&[(0, leaf(0, 3))])], &[0, 1]), Err(("leaf", 0)));
        assert_eq!(result(&[with(&[(0, leaf(0, 2))])], &[0, 4]), Err(("leaf", 0)));
        assert_eq!(result(&[with(&[(0, 1)])], &[]), Err(("node", 0)));
        assert_eq!(result(&[], &[0]), Err(("leaf", 0)));
        assert_eq!(tree(&[ends], &[0], &[]), Err(("leaf", 1)));
        assert_eq!(tree(&[ends], &[0], &[unit; 2]), Err(("leaf", 1)));
        for bad in [Bounds::EMPTY, Bounds { low: [f32::NAN; 4], ..unit }, Bounds { high: [f32::NAN; 4], ..unit }] {
            assert_eq!(tree(&[ends], &[0], &[bad]), Err(("leaf", 0)));
        }
    }
}
