//! Bytes of the tree of a scene: its topology over the numbers of its objects. The boxes come from the objects.

use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Bvh16;
use crate::bvh::linear_scan::LinearScan;
use crate::bvh::moving::MAX_DEPTH;
use crate::bvh::node::{INVALID, Leaf, WIDTH};
use crate::bvh::options::Accelerator;
use crate::bvh::primitive_index::Accel;
use crate::bvh::validate::{InvalidBvh, NODE_SIZE};
use crate::little_endian::words;
use crate::scene::any::Space;
use crate::scene::object_tree::{MAX_LEAF_SIZE, ObjectTree, PlacedObject};
use alloc::vec;
use alloc::vec::Vec;

/// Nodes on a path of a saved tree, at most: twice what edits allow.
pub(crate) const MAX_SAVED_DEPTH: usize = 2 * MAX_DEPTH;

/// Topology of a tree: the children of each node, and the numbers of the objects of the leaves. `numbers` has the number
/// of the object in each slot. Nodes come in depth-first order, leaves one after the other.
pub(crate) fn topology(tree: &Bvh16, numbers: &[u32]) -> (Vec<[u32; WIDTH]>, Vec<u32>) {
    // Edits leave nodes in any order, some of them unused: depth-first order numbers those that the root reaches, so
    // that equal trees have equal bytes.
    let (mut order, mut new_number) = (Vec::with_capacity(tree.nodes.len()), vec![INVALID; tree.nodes.len()]);
    let mut stack = vec![tree.root()];
    while let Some(number) = stack.pop() {
        let Some(node) = tree.nodes.get(number as usize) else { continue };
        new_number[number as usize] = order.len() as u32;
        order.push(node);
        stack.extend(node.child.iter().rev().filter(|child| Leaf::of(**child).is_none()));
    }
    // Leaves get the objects of their slots one leaf after the other, and name their place in that list.
    let mut objects = Vec::new();
    let mut renumber = |child: u32| match (child, Leaf::of(child)) {
        (INVALID, _) => INVALID,
        (_, Some(leaf)) => {
            let first = objects.len();
            objects.extend_from_slice(leaf.of_all(numbers));
            Leaf::new(first, leaf.count()).child()
        }
        (child, None) => new_number[child as usize],
    };
    (order.into_iter().map(|node| node.child.map(&mut renumber)).collect(), objects)
}

/// Tree of objects from a saved topology.
///
/// # Errors
/// Nodes and leaves that are no BVH; leaves too large, or paths too long, for edits; a bounded object in no leaf or in two,
/// an unbounded one in a leaf.
pub(crate) fn object_tree<V: Space>(
    (objects, boxes): (Vec<PlacedObject<V>>, &[Option<Bounds>]),
    accelerator: Accelerator,
    nodes: &[u8],
    prim_ids: &[u32],
) -> Result<ObjectTree<V>, InvalidBvh> {
    let flaw = |part, number, problem| Err(InvalidBvh { part, number, problem });
    // Objects that must still be found in a leaf: the bounded ones.
    let mut is_missing: Vec<bool> = boxes.iter().map(Option::is_some).collect();
    let index = match accelerator {
        Accelerator::LinearScan => Accel::LinearScan(LinearScan::new(prim_ids.len())),
        Accelerator::Bvh => {
            // The topology is checked first: a tree, without cycles, whose leaves name existing objects.
            let children = nodes.chunks_exact(NODE_SIZE).map(words);
            let (mut tree, _) = Bvh16::from_children(children, prim_ids.to_vec(), objects.len())?;
            // Limits of edits: a deeper tree could exceed the stack of a traversal after insertions.
            if tree.depth > MAX_SAVED_DEPTH {
                return flaw("node", 0, "has too many levels below it");
            }
            if let Some(number) = tree.leaves().position(|leaf| leaf.count() > MAX_LEAF_SIZE) {
                return flaw("leaf", number, "has more than two objects");
            }
            // Boxes come from the objects, so that no bytes can hide an object from a ray.
            tree.refit(|_, ids| {
                let boxes = ids.iter().filter_map(|&id| boxes[id as usize]);
                boxes.fold(Bounds::EMPTY, |all, bounds| all.union(&bounds))
            });
            Accel::Bvh(tree)
        }
    };
    // Each bounded object is in exactly one leaf.
    for &id in prim_ids {
        if !core::mem::take(&mut is_missing[id as usize]) {
            return flaw("object", id as usize, "is in two leaves, or has no box");
        }
    }
    if let Some(number) = is_missing.iter().position(|is_missing| *is_missing) {
        return flaw("object", number, "is in no leaf");
    }
    Ok(ObjectTree::of_index((objects, boxes), prim_ids, index))
}
