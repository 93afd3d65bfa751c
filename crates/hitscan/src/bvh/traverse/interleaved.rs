//! Interleaved traversal of independent rays: while one ray waits for memory, the others advance.
//!
//! # Source
//! Interleaved independent searches that hide memory latency: Kocberber, Falsafi, Grot, *Asynchronous Memory Access
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

/// Traversal state of one interleaved ray.
struct InterleavedRay {
    /// Index of the ray.
    ray: usize,
    /// The next child to visit.
    next: u32,
    /// Whether all data of that child are on the way.
    has_rest: bool,
    stack: Stack,
}

/// Upper bound of rays in flight.
const MAX_IN_FLIGHT: usize = 8;

/// Traverses the BVH with all unpacked rays, `INTERLEAVE` of them in flight, and visits every leaf that a ray may hit,
/// in front-to-back order. `EXCEEDS_CACHE` selects the number in flight for a BVH that exceeds the caches.
#[inline(always)]
pub(crate) fn traverse_interleaved<L: SimdF32, C: StreamVisitor, const EXCEEDS_CACHE: bool>(
    rays: &mut [StreamRay<C::Payload>],
    unpacked: &[u32],
    tree: &Bvh16,
    visitor: &mut C,
    cache_misses: &mut CacheMissEstimator,
) {
    let next = tree.root();
    let mut waiting = unpacked.iter().map(|&ray| ray as usize);
    let mut in_flight: [InterleavedRay; MAX_IN_FLIGHT] =
        from_fn(|_| InterleavedRay { ray: 0, next, has_rest: false, stack: Stack::new() });
    let mut count = 0;
    for (entry, ray) in in_flight.iter_mut().take(C::INTERLEAVE[usize::from(EXCEEDS_CACHE)]).zip(&mut waiting) {
        entry.ray = ray;
        count += 1;
    }
    while count > 0 {
        let mut i = 0;
        while let Some(entry) = in_flight[..count].get_mut(i) {
            if entry.step::<L, C, EXCEEDS_CACHE>(&mut rays[entry.ray], tree, visitor, cache_misses) {
                i += 1;
            } else if let Some(ray) = waiting.next() {
                entry.begin(ray, next);
                i += 1;
            } else {
                count -= 1;
                in_flight.swap(i, count);
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

    /// Visits one node or one leaf, or fetches more of the leaf. Returns whether the ray continues.
    #[inline(always)]
    fn step<L: SimdF32, C: StreamVisitor, const EXCEEDS_CACHE: bool>(
        &mut self,
        ray: &mut StreamRay<C::Payload>,
        tree: &Bvh16,
        visitor: &mut C,
        cache_misses: &mut CacheMissEstimator,
    ) -> bool {
        if self.next & LEAF == 0 {
            let node = &tree.nodes[self.next as usize];
            if C::INTERLEAVE[usize::from(EXCEEDS_CACHE)] == 1 {
                // Needed after the box tests, and in a different cache line.
                prefetch(&node.child);
            }
            let (entries, mask) = ray.line.enter::<L>(&node.planes, ray.end);
            if mask != 0 {
                self.next = push_children::<L, SlabConstants>(entries, mask, &node.child, &mut self.stack);
                self.fetch::<C, EXCEEDS_CACHE>(tree, visitor);
                return true;
            }
        } else if let Some(leaf) = Leaf::of(self.next) {
            if C::INTERLEAVE[usize::from(EXCEEDS_CACHE)] > 1 && !self.has_rest && visitor.fetch_rest(leaf) {
                self.has_rest = true;
                return true;
            }
            self.has_rest = false;
            cache_misses.record(leaf);
            ray.look::<L>(leaf, visitor);
        }
        let Some(next) = pop_unculled::<SlabConstants>(&mut self.stack, ray.end) else { return false };
        self.next = next;
        self.fetch::<C, EXCEEDS_CACHE>(tree, visitor);
        true
    }

    /// Prefetches the next node or leaf, unless only one ray is in flight.
    #[inline(always)]
    fn fetch<C: StreamVisitor, const EXCEEDS_CACHE: bool>(&self, tree: &Bvh16, visitor: &C) {
        if C::INTERLEAVE[usize::from(EXCEEDS_CACHE)] == 1 {
            return;
        }
        match Leaf::of(self.next) {
            Some(leaf) => visitor.fetch(leaf),
            None if self.next & LEAF == 0 => tree.fetch(self.next),
            None => {}
        }
    }
}
