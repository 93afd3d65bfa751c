//! Several lines on their way through a tree, each on its own: while one waits for memory, the others take their steps.
//!
//! # Source
//! Gathering of independent searches to hide the latency of memory: Kocberber, Falsafi, Grot, *Asynchronous Memory Access
//! Chaining*, PVLDB 9(4), 2015.

use crate::bvh::bvh::Tree;
use crate::bvh::node::{LEAF, Leaf};
use crate::bvh::slab::Slab;
use crate::bvh::traverse::single::{nearest, put_off};
use crate::bvh::traverse::stack::Stack;
use crate::bvh::traverse::stream_ray::Traveller;
use crate::bvh::traverse::stream_visitor::Crowd;
use crate::bvh::traverse::working_set::Footprint;
use crate::simd::lanes::{SimdF32, prefetch};
use core::array::from_fn;

/// A line on its way.
struct Walker {
    /// Which of the travellers it is.
    traveller: usize,
    /// The child that it comes to next.
    next: u32,
    stack: Stack,
}

/// The most that are on their way at a time.
const MOST: usize = 8;

/// Takes all to the leaves that they may meet, nearer ones first, some of them by turns: more where what they come to is `FAR`.
#[inline(always)]
pub(crate) fn walk<L: SimdF32, C: Crowd, const FAR: bool>(
    travellers: &mut [Traveller<C::Note>],
    loose: &[u32],
    tree: &Tree,
    crowd: &mut C,
    footprint: &mut Footprint,
) {
    let next = tree.root();
    let mut waiting = loose.iter().map(|&traveller| traveller as usize);
    let mut walkers: [Walker; MOST] = from_fn(|_| Walker { traveller: 0, next, stack: Stack::new() });
    let mut under_way = 0;
    for (walker, traveller) in walkers.iter_mut().take(C::BY_TURNS[usize::from(FAR)]).zip(&mut waiting) {
        walker.traveller = traveller;
        under_way += 1;
    }
    while under_way > 0 {
        let mut i = 0;
        while let Some(walker) = walkers[..under_way].get_mut(i) {
            if walker.step::<L, C, FAR>(&mut travellers[walker.traveller], tree, crowd, footprint) {
                i += 1;
            } else if let Some(traveller) = waiting.next() {
                walker.begin(traveller, next);
                i += 1;
            } else {
                under_way -= 1;
                walkers.swap(i, under_way);
            }
        }
    }
}

impl Walker {
    #[inline(always)]
    fn begin(&mut self, traveller: usize, root: u32) {
        self.traveller = traveller;
        self.next = root;
        self.stack.clear();
    }

    /// Looks at one node, or at one leaf. Whether there is more to do.
    #[inline(always)]
    fn step<L: SimdF32, C: Crowd, const FAR: bool>(
        &mut self,
        traveller: &mut Traveller<C::Note>,
        tree: &Tree,
        crowd: &mut C,
        footprint: &mut Footprint,
    ) -> bool {
        if self.next & LEAF == 0 {
            let node = &tree.nodes[self.next as usize];
            if C::BY_TURNS[usize::from(FAR)] == 1 {
                // Needed once the boxes are weighed; in a line of the cache of its own.
                prefetch(&node.child);
            }
            let (entries, mask) = traveller.line.enter::<L>(&node.planes, traveller.end);
            if mask != 0 {
                self.next = nearest::<L, Slab>(entries, mask, &node.child, &mut self.stack);
                self.fetch::<C, FAR>(tree, crowd);
                return true;
            }
        } else if let Some(leaf) = Leaf::of(self.next) {
            footprint.see(leaf);
            traveller.look::<L>(leaf, crowd);
        }
        let Some(next) = put_off::<Slab>(&mut self.stack, traveller.end) else { return false };
        self.next = next;
        self.fetch::<C, FAR>(tree, crowd);
        true
    }

    /// Asks for the memory of what comes next, if others take their steps before it is needed.
    #[inline(always)]
    fn fetch<C: Crowd, const FAR: bool>(&self, tree: &Tree, crowd: &C) {
        if C::BY_TURNS[usize::from(FAR)] == 1 {
            return;
        }
        match Leaf::of(self.next) {
            Some(leaf) => crowd.fetch(leaf),
            None if self.next & LEAF == 0 => tree.fetch(self.next),
            None => {}
        }
    }
}
