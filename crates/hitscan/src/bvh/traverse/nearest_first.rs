//! Traversal by distance that begins with the nearest leaf.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf};
use crate::bvh::slab::SlabTest;
use crate::bvh::traverse::deep::TraverseDeep;
use crate::bvh::traverse::ended::Ended;
use crate::bvh::traverse::stack::{Stack, StackMemory};
use crate::bvh::traverse::visitor::{LeafVisitor, visit_leaf};
use crate::simd::lanes::{SimdF32, prefetch};
use crate::simd::task::SimdKernel;

/// Traversal that first descends to the nearest child of each node, down to one leaf, and then begins again.
///
/// A search for the closest primitive has no limit at first: the nodes on its first way down would sort and push all their
/// children. The leaf at the end of the way gives a limit, with which most of these children are never pushed. The way takes as
/// many box tests as the tree is deep.
pub(crate) struct NearestFirst<'a, S, F> {
    pub(crate) tree: &'a Bvh16,
    pub(crate) test: S,
    pub(crate) end: f32,
    pub(crate) leaves: &'a mut F,
}

impl<S: SlabTest, F: LeafVisitor> SimdKernel for NearestFirst<'_, S, F> {
    type Output = Ended;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> Ended {
        let Self { tree, test, mut end, leaves } = self;
        let mut memory = StackMemory::new();
        let mut stack = Stack::new(&mut memory);
        // The first way goes down without a stack. Then the search begins anew at the root, with the limit that the way
        // has found.
        let (mut next, mut is_first_way, mut seen) = (tree.root(), true, None);
        loop {
            // A node: on the first way only the nearest child counts; after that the others wait, sorted.
            if next & LEAF == 0 {
                let node = &tree.nodes[next as usize];
                if stack.is_full() {
                    return TraverseDeep { tree, test: &test, line: None, leaves }.run((next, stack.keys()), end);
                }
                prefetch(&node.child);
                let (entries, mask) = test.enter::<L>(&node.planes, end);
                if mask != 0 {
                    next = if is_first_way {
                        node.child[entries.nearest(mask)]
                    } else {
                        stack.push_children::<L, S>(entries, mask, &node.child)
                    };
                    continue;
                }
            } else if let Some(leaf) = Leaf::of(next)
                // A leaf, unless it is the one at the end of the first way, which has been measured.
                && seen != Some(leaf)
            {
                if visit_leaf::<L>(leaves, None, leaf, &tree.prim_ids, &mut end).is_break() {
                    return Ended::Stopped;
                }
                seen = seen.or(Some(leaf));
            }
            // The first way may end at a node none of whose children is near enough.
            next = if is_first_way {
                is_first_way = false;
                tree.root()
            } else if let Some(next) = stack.pop_unculled::<S>(end) {
                next
            } else {
                return Ended::Finished;
            };
        }
    }
}
