//! Several lines on their way through a tree, each on its own: while one waits for memory, the others take their steps.
//!
//! # Source
//! Gathering of independent searches to hide the latency of memory: Kocberber, Falsafi, Grot, *Asynchronous Memory Access
//! Chaining*, PVLDB 9(4), 2015.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf};
use crate::bvh::slab::SlabConstants;
use crate::bvh::traverse::single::{pop_unculled, push_children};
use crate::bvh::traverse::stack::Stack;
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::bvh::traverse::working_set::CacheMissEstimator;
use crate::simd::lanes::{SimdF32, prefetch};
use core::array::from_fn;

/// A line on its way.
struct InterleavedRay {
    /// Which of the rays it is.
    ray: usize,
    /// The child that it comes to next.
    next: u32,
    stack: Stack,
}

/// The most that are on their way at a time.
const MOST: usize = 8;

/// Takes all to the leaves that they may meet, nearer ones first, some of them by turns: more where what they come to is `FAR`.
#[inline(always)]
pub(crate) fn walk<L: SimdF32, C: StreamVisitor, const FAR: bool>(
    rays: &mut [StreamRay<C::Payload>],
    unpacked: &[u32],
    tree: &Bvh16,
    visitor: &mut C,
    cache_misses: &mut CacheMissEstimator,
) {
    let next = tree.root();
    let mut waiting = unpacked.iter().map(|&ray| ray as usize);
    let mut walkers: [InterleavedRay; MOST] = from_fn(|_| InterleavedRay { ray: 0, next, stack: Stack::new() });
    let mut under_way = 0;
    for (walker, ray) in walkers.iter_mut().take(C::INTERLEAVE[usize::from(FAR)]).zip(&mut waiting) {
        walker.ray = ray;
        under_way += 1;
    }
    while under_way > 0 {
        let mut i = 0;
        while let Some(walker) = walkers[..under_way].get_mut(i) {
            if walker.step::<L, C, FAR>(&mut rays[walker.ray], tree, visitor, cache_misses) {
                i += 1;
            } else if let Some(ray) = waiting.next() {
                walker.begin(ray, next);
                i += 1;
            } else {
                under_way -= 1;
                walkers.swap(i, under_way);
            }
        }
    }
}

impl InterleavedRay {
    #[inline(always)]
    fn begin(&mut self, ray: usize, root: u32) {
        self.ray = ray;
        self.next = root;
        self.stack.clear();
    }

    /// Looks at one node, or at one leaf. Whether there is more to do.
    #[inline(always)]
    fn step<L: SimdF32, C: StreamVisitor, const FAR: bool>(
        &mut self,
        ray: &mut StreamRay<C::Payload>,
        tree: &Bvh16,
        visitor: &mut C,
        cache_misses: &mut CacheMissEstimator,
    ) -> bool {
        if self.next & LEAF == 0 {
            let node = &tree.nodes[self.next as usize];
            if C::INTERLEAVE[usize::from(FAR)] == 1 {
                // Needed once the boxes are weighed; in a line of the cache of its own.
                prefetch(&node.child);
            }
            let (entries, mask) = ray.line.enter::<L>(&node.planes, ray.end);
            if mask != 0 {
                self.next = push_children::<L, SlabConstants>(entries, mask, &node.child, &mut self.stack);
                self.fetch::<C, FAR>(tree, visitor);
                return true;
            }
        } else if let Some(leaf) = Leaf::of(self.next) {
            cache_misses.record(leaf);
            ray.look::<L>(leaf, visitor);
        }
        let Some(next) = pop_unculled::<SlabConstants>(&mut self.stack, ray.end) else { return false };
        self.next = next;
        self.fetch::<C, FAR>(tree, visitor);
        true
    }

    /// Asks for the memory of what comes next, if others take their steps before it is needed.
    #[inline(always)]
    fn fetch<C: StreamVisitor, const FAR: bool>(&self, tree: &Bvh16, visitor: &C) {
        if C::INTERLEAVE[usize::from(FAR)] == 1 {
            return;
        }
        match Leaf::of(self.next) {
            Some(leaf) => visitor.fetch(leaf),
            None if self.next & LEAF == 0 => tree.fetch(self.next),
            None => {}
        }
    }
}
