//! Traversal of the boxes that a volume overlaps.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf, NodeBounds, WIDTH};
use crate::bvh::slab::SlabTest;
use crate::bvh::traverse::deep::TraverseDeep;
use crate::bvh::traverse::ended::Ended;
use crate::bvh::traverse::single::fetch_children;
use crate::bvh::traverse::stack::{Stack, StackMemory};
use crate::bvh::traverse::visitor::{LeafVisitor, visit_leaf};
use crate::simd::lanes::{CAN_PREFETCH, SimdF32, prefetch};
use crate::simd::task::SimdKernel;
use core::ops::ControlFlow;

/// Volume prepared for many boxes.
pub(crate) trait VolumeTest: SlabTest {
    /// The mask of the boxes that are certainly inside of the volume. Those of invalid children mean nothing.
    fn inside<L: SimdF32>(&self, planes: &NodeBounds) -> u32;
}

/// Leaf visitor for primitives that a volume overlaps.
pub(crate) trait VolumeVisitor: LeafVisitor {
    /// Whether one primitive inside of the volume ends the search, whichever it is.
    fn ends_inside(&self) -> bool;
    /// Takes a leaf whose primitives are all inside of the volume.
    fn leaf_inside(&mut self, leaf: Leaf, prim_ids: &[u32]) -> ControlFlow<()>;
}

/// Traversal of the boxes that a volume overlaps. Below a box inside of it nothing is tested.
///
/// # Source
/// Assarsson, Möller, *Optimized View Frustum Culling Algorithms for Bounding Boxes*, JGT 5(1), 2000, section 2.
pub(crate) struct TraverseVolume<'a, S, F> {
    pub(crate) tree: &'a Bvh16,
    pub(crate) test: S,
    pub(crate) end: f32,
    pub(crate) leaves: &'a mut F,
}

impl<S: VolumeTest, F: VolumeVisitor> SimdKernel for TraverseVolume<'_, S, F> {
    type Output = Ended;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> Ended {
        let Self { tree, test, mut end, leaves } = self;
        let mut memory = StackMemory::new();
        let mut stack = Stack::new(&mut memory);
        let mut next = tree.root();
        loop {
            // A node: the boxes that the volume may reach, and among them those that are inside for certain.
            if next & LEAF == 0 {
                let node = &tree.nodes[next as usize];
                if stack.is_full() {
                    return TraverseDeep { tree, test: &test, line: None, leaves }.run((next, stack.keys()), end);
                }
                prefetch(&node.child);
                let (entries, mut mask) = test.enter::<L>(&node.planes, end);
                let inside = if L::HAS_FILTERS && mask != 0 { mask & test.inside::<L>(&node.planes) } else { 0 };
                // Below a box inside of the volume nothing is tested: all leaves belong to the result.
                if inside != 0 {
                    if leaves.ends_inside() || take_all(tree, inside, &node.child, leaves).is_break() {
                        return Ended::Stopped;
                    }
                    mask &= !inside;
                }
                // The other boxes are visited as usual, those near the volume first.
                if mask != 0 {
                    if CAN_PREFETCH && leaves.sees_most() {
                        fetch_children(tree, mask, &node.child, leaves);
                    }
                    next = stack.push_children::<L, S>(entries, mask, &node.child);
                    continue;
                }
            } else if let Some(leaf) = Leaf::of(next)
                // A leaf, whose primitives the visitor tests.
                && visit_leaf::<L>(leaves, None, leaf, &tree.prim_ids, &mut end).is_break()
            {
                return Ended::Stopped;
            }
            next = match stack.pop_unculled::<S>(end) {
                Some(next) => next,
                None => return Ended::Finished,
            };
        }
    }
}

/// Passes all leaves below the children of a mask to the visitor.
#[inline(never)]
fn take_all(tree: &Bvh16, mut mask: u32, children: &[u32; WIDTH], leaves: &mut impl VolumeVisitor) -> ControlFlow<()> {
    while mask != 0 {
        let child = children[mask.trailing_zeros() as usize % WIDTH];
        mask &= mask - 1;
        if let Some(leaf) = Leaf::of(child) {
            leaves.leaf_inside(leaf, &tree.prim_ids)?;
        } else if let Some(node) = tree.nodes.get(child as usize) {
            // An invalid child is neither a leaf nor a node.
            take_all(tree, (1 << WIDTH) - 1, &node.child, leaves)?;
        }
    }
    ControlFlow::Continue(())
}
