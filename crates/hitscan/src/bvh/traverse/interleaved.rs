//! Interleaved traversal of independent rays: while one ray waits for memory, the others advance.
//!
//! # Source
//! Interleaved independent searches that hide memory latency: Kocberber, Falsafi, Grot, *Asynchronous Memory Access
//! Chaining*, PVLDB 9(4), 2015.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::slab::SlabConstants;
use crate::bvh::traverse::deep::TraverseDeep;
use crate::bvh::traverse::single::Traverse;
use crate::bvh::traverse::stack::{Stack, StackMemory};
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::bvh::traverse::working_set::CacheMissEstimator;
use crate::simd::lanes::SimdF32;
use crate::simd::task::SimdKernel;
use core::ops::ControlFlow;

/// Traversal state of one interleaved ray.
struct InterleavedRay<'a> {
    /// Index of the ray.
    ray: usize,
    /// The next child to visit.
    next: u32,
    /// Whether all data of that child are on the way.
    has_rest: bool,
    stack: Stack<'a>,
}

/// Upper bound of rays in flight.
const MAX_IN_FLIGHT: usize = 8;

/// Traverses the BVH with all unpacked rays, `INTERLEAVE` of them in flight, and visits every leaf that a ray may hit,
/// in front-to-back order. `EXCEEDS_CACHE` selects the number in flight for a BVH that exceeds the caches.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn traverse_interleaved<L: SimdF32, C: StreamVisitor, const EXCEEDS_CACHE: bool>(
    rays: &mut [StreamRay<C::Payload>],
    unpacked: &[u32],
    tree: &Bvh16,
    visitor: &mut C,
    cache_misses: &mut CacheMissEstimator,
) {
    let mut waiting = unpacked.iter().map(|&ray| ray as usize);
    // A tree in cache: one ray after the other, with nothing to wait for.
    if C::INTERLEAVE[usize::from(EXCEEDS_CACHE)] == 1 {
        for ray in waiting {
            let ray = &mut rays[ray];
            let (test, end) = (ray.line.slab, ray.end);
            let mut leaves = LeavesOfRay { ray, visitor, cache_misses };
            Traverse { tree, test, line: None, end, leaves: &mut leaves }.run::<L>();
        }
        return;
    }
    // Several rays in flight, each with its own stack.
    let next = tree.root();
    let mut memory = [const { StackMemory::new() }; MAX_IN_FLIGHT];
    let mut in_flight =
        memory.each_mut().map(|memory| InterleavedRay { ray: 0, next, has_rest: false, stack: Stack::new(memory) });
    let mut count = 0;
    for (entry, ray) in in_flight.iter_mut().take(C::INTERLEAVE[usize::from(EXCEEDS_CACHE)]).zip(&mut waiting) {
        entry.ray = ray;
        count += 1;
    }
    // In turn, each ray takes one step: while the memory that it needs comes, the others take theirs.
    while count > 0 {
        let mut i = 0;
        while let Some(entry) = in_flight[..count].get_mut(i) {
            if entry.step::<L, C>(&mut rays[entry.ray], tree, visitor, cache_misses) {
                i += 1;
            } else if let Some(ray) = waiting.next() {
                // A finished ray gives its place to the next one.
                entry.begin(ray, next);
                i += 1;
            } else {
                // No ray is left to begin: the last one in flight takes the place.
                count -= 1;
                in_flight.swap(i, count);
            }
        }
    }
}

impl InterleavedRay<'_> {
    #[inline(always)]
    fn begin(&mut self, ray: usize, root: u32) {
        self.ray = ray;
        self.next = root;
        self.stack.clear();
    }

    /// Visits one node or one leaf, or fetches more of the leaf. Returns whether the ray continues.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn step<L: SimdF32, C: StreamVisitor>(
        &mut self,
        ray: &mut StreamRay<C::Payload>,
        tree: &Bvh16,
        visitor: &mut C,
        cache_misses: &mut CacheMissEstimator,
    ) -> bool {
        // A node. A stack without room hands the rest of this ray to the traversal on the heap.
        if self.next & LEAF == 0 {
            let node = &tree.nodes[self.next as usize];
            if self.stack.is_full() {
                let (test, end, waiting) = (ray.line.slab, ray.end, (self.next, self.stack.keys()));
                let mut leaves = LeavesOfRay { ray, visitor, cache_misses };
                TraverseDeep { tree, test: &test, line: None, leaves: &mut leaves }.run(waiting, end);
                return false;
            }
            let (entries, mask) = ray.line.enter::<L>(&node.planes, ray.end);
            // The nearest child is fetched, and visited at the next step, when it has arrived.
            if mask != 0 {
                self.next = self.stack.push_children::<L, SlabConstants>(entries, mask, &node.child);
                self.fetch(tree, visitor);
                return true;
            }
        } else if let Some(leaf) = Leaf::of(self.next) {
            // A leaf: what its data point to is fetched first, and costs a step.
            if !self.has_rest && visitor.fetch_rest(leaf) {
                self.has_rest = true;
                return true;
            }
            self.has_rest = false;
            // The visit of the leaf, counted for the estimate of cache misses.
            cache_misses.record(leaf);
            ray.look::<L>(leaf, visitor);
        }
        // The next child that a hit has not made too far. Without one the ray is finished.
        let Some(next) = self.stack.pop_unculled::<SlabConstants>(ray.end) else { return false };
        self.next = next;
        self.fetch(tree, visitor);
        true
    }

    /// Prefetches the next node or leaf.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fetch(&self, tree: &Bvh16, visitor: &impl StreamVisitor) {
        match Leaf::of(self.next) {
            Some(leaf) => visitor.fetch(leaf),
            None if self.next & LEAF == 0 => tree.fetch(self.next),
            None => {}
        }
    }
}

/// Leaf visitor of one ray of a stream.
struct LeavesOfRay<'a, C: StreamVisitor> {
    ray: &'a mut StreamRay<C::Payload>,
    visitor: &'a mut C,
    cache_misses: &'a mut CacheMissEstimator,
}

impl<C: StreamVisitor> LeafVisitor for LeavesOfRay<'_, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&PreparedRay>,
        leaf: Leaf,
        _prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        self.cache_misses.record(leaf);
        self.ray.look::<L>(leaf, self.visitor);
        *end = self.ray.end;
        // A ray that a leaf has stopped ends before all boxes.
        if *end < 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
