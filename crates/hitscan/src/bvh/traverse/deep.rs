//! Traversal with a stack on the heap: for rays that are not ordinary, and for what remains of a tree that is too deep for a
//! [`Stack`](crate::bvh::traverse::stack::Stack).

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::slab::SlabTest;
use crate::bvh::traverse::ended::Ended;
use crate::bvh::traverse::stack::{entered, key};
use crate::bvh::traverse::visitor::BaselineVisitor;
use crate::simd::dispatch::Baseline;
use crate::simd::lanes::SimdF32;
use alloc::vec::Vec;

/// Traversal of any depth. Its visitor is a trait object: it runs rarely, and is compiled once for each test.
pub(crate) struct TraverseDeep<'a, S> {
    pub(crate) tree: &'a Bvh16,
    pub(crate) test: &'a S,
    pub(crate) line: Option<&'a PreparedRay>,
    pub(crate) leaves: &'a mut dyn BaselineVisitor,
}

impl<S: SlabTest> TraverseDeep<'_, S> {
    /// Traverses from the child `next` on, then from the waiting ones, the last first. `end` is the limit of the search.
    #[cold]
    #[inline(never)]
    pub(crate) fn run(self, (mut next, mut waiting): (u32, Vec<u64>), mut end: f32) -> Ended {
        let Self { tree, test, line, leaves } = self;
        loop {
            // A node: its children within the limit go to the heap, sorted so that the nearest is taken first.
            if next & LEAF == 0 {
                let node = &tree.nodes[next as usize];
                let (distances, mask) = test.enter::<Baseline>(&node.planes, end);
                let mut entries = [0.0; WIDTH];
                distances.store(&mut entries);
                let first = waiting.len();
                let lanes = (0..WIDTH).filter(|lane| mask >> lane & 1 == 1);
                waiting.extend(lanes.map(|lane| key::<S>(entries[lane]) | u64::from(node.child[lane])));
                waiting[first..].sort_unstable();
                waiting[first..].reverse();
            } else if let Some(at) = Leaf::of(next)
                // A leaf: its primitives may lower the limit, or end the traversal.
                && leaves.baseline_leaf(line, at, &tree.prim_ids, &mut end).is_break()
            {
                return Ended::Stopped;
            }
            // The nearest child that waits, unless a hit since then is nearer.
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
