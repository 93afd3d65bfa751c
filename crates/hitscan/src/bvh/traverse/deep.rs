//! Traversal with a stack on the heap and portable vectors: for rays that are not ordinary, and for what remains of a tree that is
//! too deep for a [`Stack`](crate::bvh::traverse::stack::Stack).

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::slab::SlabTest;
use crate::bvh::traverse::ended::Ended;
use crate::bvh::traverse::stack::{entered, key};
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::simd::lanes::F32Lanes;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Traversal of any depth.
pub(crate) struct TraverseDeep<'a, S, F> {
    pub(crate) tree: &'a Bvh16,
    pub(crate) test: &'a S,
    pub(crate) line: Option<&'a PreparedRay>,
    pub(crate) leaves: &'a mut F,
}

impl<S: SlabTest, F: LeafVisitor> TraverseDeep<'_, S, F> {
    /// Traverses from the child `next` on, then from the waiting ones, the last first. `end` is the limit of the search.
    #[cold]
    #[inline(never)]
    pub(crate) fn run(self, (mut next, mut waiting): (u32, Vec<u64>), mut end: f32) -> Ended {
        let Self { tree, test, line, leaves } = self;
        loop {
            if next & LEAF == 0 {
                let node = &tree.nodes[next as usize];
                let (entries, mask) = test.enter::<F32Lanes>(&node.planes, end);
                let first = waiting.len();
                let lanes = (0..WIDTH).filter(|lane| mask >> lane & 1 == 1);
                waiting.extend(lanes.map(|lane| key::<S>(entries[lane]) | u64::from(node.child[lane])));
                waiting[first..].sort_unstable_by(|a, b| b.cmp(a));
            } else if let Some(at) = Leaf::of(next)
                && visit_leaf(leaves, line, at, (&tree.prim_ids, &mut end)).is_break()
            {
                return Ended::Stopped;
            }
            next = loop {
                match waiting.pop() {
                    None => return Ended::Finished,
                    Some(key) if !(entered::<S>(key) > end) => break key as u32,
                    Some(_) => {}
                }
            };
        }
    }
}

/// Visits a leaf. Compiled once for a visitor, whatever the test.
#[inline(never)]
fn visit_leaf(
    leaves: &mut impl LeafVisitor,
    line: Option<&PreparedRay>,
    leaf: Leaf,
    (prim_ids, end): (&[u32], &mut f32),
) -> ControlFlow<()> {
    leaves.leaf::<F32Lanes>(line, leaf, prim_ids, end)
}
