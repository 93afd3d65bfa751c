//! Lines, or packets of them, on their way through a tree by lists: a node is read once for all that come to it.
//!
//! # Source
//! Tsakok, *Faster Incoherent Rays: Multi-BVH Ray Stream Tracing*, HPG 2009: lists of rays that are dealt out to the children
//! of a node. Barringer, Akenine-Möller, *Dynamic Ray Stream Traversal*, SIGGRAPH 2014: one list for each octant.

use crate::COMPACT;
use crate::bvh::bvh::Tree;
use crate::bvh::node::{LEAF, Leaf, Planes, WIDTH};
use crate::bvh::slab::faced;
use crate::bvh::traverse::stack::put_in_order;
use crate::bvh::traverse::stream_ray::Traveller;
use crate::bvh::traverse::stream_visitor::Crowd;
use crate::bvh::traverse::working_set::Footprint;
use crate::simd::lanes::{SimdF32, prefetch};
use alloc::vec::Vec;
use arrayvec::ArrayVec;

/// Who goes through a tree by lists.
pub(crate) trait Goers<C: Crowd> {
    /// Axes along which they go backwards, as bits.
    fn octant(&self, i: u32) -> usize;
    /// Where they enter each box of a node, and which they may meet, as bits.
    fn meet<L: SimdF32>(&self, i: u32, planes: &[L; 6]) -> (L, u32);
    /// Looks at a leaf, the box of which is one of a node.
    fn look<L: SimdF32>(&mut self, i: u32, leaf: Leaf, of: (&Planes, usize), tree: &Tree, crowd: &mut C);
    /// Asks for their memory.
    fn fetch(&self, i: u32);
}

/// Who has come to a node or a leaf: where they are among all, sixteen a block.
#[derive(Clone, Copy, Debug)]
struct List {
    child: u32,
    /// The node that they come from, and which of its boxes they enter.
    from: (u32, usize),
    /// Of the blocks.
    first: usize,
    count: usize,
}

/// Lists on top of each other.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    ahead: Vec<List>,
    blocks: Vec<[u32; WIDTH]>,
    /// For each of the list at hand: to which children it goes on, as bits.
    masks: Vec<[u16; WIDTH]>,
}

/// Those that are asked for ahead of time.
const SOON: usize = 2;

impl Lists {
    /// Takes some of all to the leaves that they may meet.
    #[inline(always)]
    pub(crate) fn run<L: SimdF32, C: Crowd, G: Goers<C> + ?Sized>(
        &mut self,
        some: &[u32],
        all: &mut G,
        tree: &Tree,
        crowd: &mut C,
        footprint: &mut Footprint,
    ) {
        self.begin::<L, C, G>(some, all, tree.root());
        while let Some(list) = self.ahead.pop() {
            if let Some(leaf) = Leaf::of(list.child) {
                if !COMPACT {
                    footprint.see(leaf);
                }
                let list_of = (&tree.nodes[list.from.0 as usize].planes, list.from.1);
                let numbers = &self.blocks[list.first..].as_flattened()[..list.count];
                for (&i, next) in numbers.iter().zip((SOON..).map(|k| numbers.get(k))) {
                    if let Some(&next) = next {
                        all.fetch(next);
                    }
                    all.look::<L>(i, leaf, list_of, tree, crowd);
                }
            } else if list.child & LEAF == 0 {
                self.node::<L, C, G>(all, tree, list, crowd);
            }
        }
    }

    /// All of them at the root, those of one octant on one list.
    #[inline(always)]
    fn begin<L: SimdF32, C: Crowd, G: Goers<C> + ?Sized>(&mut self, some: &[u32], all: &G, root: u32) {
        let list = List { child: root, from: (root, 0), first: 0, count: some.len() };
        self.ahead.clear();
        self.make_room(list);
        self.blocks.as_flattened_mut()[..some.len()].copy_from_slice(some);
        let mut octants = 0;
        for (masks, numbers) in self.masks.iter_mut().zip(some.chunks(WIDTH)) {
            *masks = [0; WIDTH];
            for (mask, &i) in masks.iter_mut().zip(numbers) {
                *mask = 1 << all.octant(i);
                octants |= *mask;
            }
        }
        let mut top = list.top();
        // A closure would be a call.
        for octant in 0..8 {
            if octants >> octant & 1 == 1 {
                top = self.deal::<L>(list, octant, (root, root), top);
            }
        }
    }

    /// For what comes onto a list and those of all children.
    #[inline(always)]
    fn make_room(&mut self, list: List) {
        let blocks = list.count.div_ceil(WIDTH);
        let needed = list.first + (WIDTH + 1) * (blocks + 1);
        if self.blocks.len() < needed {
            self.blocks.resize(2 * needed, [0; WIDTH]);
        }
        if self.masks.len() < blocks {
            self.masks.resize(2 * blocks, [0; WIDTH]);
        }
    }

    /// Puts the lines of `list` that go on to one child on a list of their own, from block `top` on; tells where the next
    /// one begins.
    #[inline(always)]
    fn deal<L: SimdF32>(&mut self, list: List, lane: usize, (from, child): (u32, u32), top: usize) -> usize {
        let (taken, free) = self.blocks.split_at_mut(top);
        let out = free.as_flattened_mut();
        let mut count = 0;
        for (numbers, masks) in taken[list.first..list.top()].iter().zip(&self.masks) {
            if let Some(out) = out[count..].first_chunk_mut() {
                count += L::select(numbers, masks, lane, out);
            }
        }
        let dealt = List { child, from: (from, lane), first: top, count };
        self.ahead.push(dealt);
        dealt.top()
    }

    /// Deals out a list to the children of a node.
    #[inline(always)]
    fn node<L: SimdF32, C: Crowd, G: Goers<C> + ?Sized>(&mut self, goers: &G, tree: &Tree, list: List, crowd: &C) {
        self.make_room(list);
        let node = &tree.nodes[list.child as usize];
        let leader = self.blocks[list.first][0];
        let planes = faced::<L>(&node.planes, goers.octant(leader));
        let mut all = 0;
        let mut left = list.count;
        for (block, masks) in self.blocks[list.first..list.top()].iter().zip(&mut self.masks) {
            *masks = [0; WIDTH];
            for (&i, mask) in block.iter().zip(masks).take(left) {
                let (_, met) = goers.meet::<L>(i, &planes);
                *mask = met as u16;
                all |= met;
            }
            left -= WIDTH.min(left);
        }
        if all == 0 {
            return;
        }
        let mut entries = [0.0; WIDTH];
        goers.meet::<L>(leader, &planes).0.store(&mut entries);
        let mut order = ArrayVec::<u64, WIDTH>::new();
        while all != 0 {
            let lane = all.trailing_zeros() as usize % WIDTH;
            all &= all - 1;
            // No entry is negative. There is room.
            let _ = order.try_push(u64::from(entries[lane].to_bits()) << 32 | lane as u64);
            put_in_order(&mut order);
        }
        let mut top = list.top();
        for entry in order {
            let lane = entry as usize % WIDTH;
            let child = node.child[lane];
            match Leaf::of(child) {
                Some(leaf) => crowd.fetch(leaf),
                None => tree.fetch(child),
            }
            top = self.deal::<L>(list, lane, (list.child, child), top);
        }
    }
}

impl List {
    /// The first block beyond it.
    #[inline(always)]
    fn top(self) -> usize {
        self.first + self.count.div_ceil(WIDTH)
    }
}

impl<C: Crowd> Goers<C> for [Traveller<C::Note>] {
    #[inline(always)]
    fn octant(&self, i: u32) -> usize {
        self[i as usize].line.octant()
    }
    #[inline(always)]
    fn meet<L: SimdF32>(&self, i: u32, planes: &[L; 6]) -> (L, u32) {
        let traveller = &self[i as usize];
        traveller.line.meet::<L>(planes, traveller.end)
    }
    #[inline(always)]
    fn look<L: SimdF32>(&mut self, i: u32, leaf: Leaf, _: (&Planes, usize), _: &Tree, crowd: &mut C) {
        self[i as usize].look::<L>(leaf, crowd);
    }
    #[inline(always)]
    fn fetch(&self, i: u32) {
        prefetch(&self[i as usize]);
    }
}
