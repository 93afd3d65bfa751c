//! Many lines on their way through a tree, together as long as they go the same way.
//!
//! # Source
//! Tsakok, *Faster Incoherent Rays: Multi-BVH Ray Stream Tracing*, HPG 2009: lists of rays that are dealt out to the children
//! of a node. Barringer, Akenine-Möller, *Dynamic Ray Stream Traversal*, SIGGRAPH 2014: one list for each octant.

use super::slab::{Single, faced};
use super::stack::put_in_order;
use super::tree::{LEAF, Leaf, Tree, WIDTH};
use super::walkers::walk;
use crate::simd::{Lanes, prefetch};
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// A line on its way: what nodes ask about in one line of the cache, what leaves ask about in the next.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Traveller<N> {
    /// What lies beyond need not be found.
    pub(crate) end: f32,
    /// Which one it is.
    pub(crate) number: u32,
    pub(crate) line: Single,
    /// What is known about it so far.
    pub(crate) note: N,
}

/// Looks at leaves for many lines.
pub(crate) trait Crowd {
    type Note: Default;
    /// How many lines that do not go together are on their way at a time: more than one where most of the time is waiting for
    /// memory.
    const BY_TURNS: usize;
    /// Which part of the lines has to be in the octant of the one before for all of them to go together.
    const ALIKE: f32;
    /// Looks at a leaf for one of them; may lower its end, or stop it.
    fn leaf<L: Lanes>(&mut self, traveller: &mut Traveller<Self::Note>, leaf: Leaf) -> ControlFlow<()>;
    /// Asks for the memory of a leaf.
    fn fetch(&self, leaf: Leaf);
}

/// Lines on their way, and where they are.
#[derive(Debug)]
pub(crate) struct Stream<N> {
    pub(crate) travellers: Vec<Traveller<N>>,
    /// How many are in the octant of the one before.
    alike: usize,
    lists: Lists,
}

/// Lines that have come to a node or a leaf: where they are among the travellers, sixteen a block.
#[derive(Clone, Copy, Debug)]
struct List {
    child: u32,
    /// Of the blocks.
    first: usize,
    count: usize,
}

/// Lists on top of each other.
#[derive(Debug, Default)]
struct Lists {
    ahead: Vec<List>,
    blocks: Vec<[u32; WIDTH]>,
    /// For each line of the list at hand: to which children it goes on, as bits.
    masks: Vec<[u16; WIDTH]>,
}

/// Lines of a batch that go through a tree together: few enough that what is known of them stays near the processor.
pub(crate) const TOGETHER: usize = 1024;
/// Fewer than these go one by one.
pub(crate) const FEW: usize = 32;

/// Lines that are asked for ahead of time.
const SOON: usize = 2;

impl<N: Default> Stream<N> {
    pub(crate) fn new() -> Self {
        Self { travellers: Vec::new(), alike: 0, lists: Lists::default() }
    }

    /// With nobody on the way, and room for so many.
    pub(crate) fn begin(&mut self, most: usize) {
        self.travellers.clear();
        self.travellers.reserve(most);
        self.alike = 0;
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, number: u32, line: Single, end: f32) {
        self.alike += usize::from(self.travellers.last().is_some_and(|last| last.line.octant() == line.octant()));
        self.travellers.push(Traveller { end, number, line, note: N::default() });
    }

    /// Takes all to the leaves of a tree that they may meet, nearer ones first, as far as lines that go together agree about
    /// that.
    #[inline(always)]
    pub(crate) fn run<L: Lanes, C: Crowd<Note = N>>(&mut self, tree: &Tree, crowd: &mut C) {
        // Where code has to be small there is one way.
        if cfg!(feature = "small") || self.go_together::<C>() {
            self.together::<L, C>(tree, crowd);
        } else {
            walk::<L, C>(&mut self.travellers, tree, crowd);
        }
    }

    /// Lines in the octant of the one before come to the same nodes, and lists of them are long.
    #[inline(always)]
    pub(super) fn go_together<C: Crowd<Note = N>>(&self) -> bool {
        self.alike as f32 >= C::ALIKE * self.travellers.len() as f32
    }

    /// By lists.
    #[inline(always)]
    fn together<L: Lanes, C: Crowd<Note = N>>(&mut self, tree: &Tree, crowd: &mut C) {
        let Self { travellers, lists, .. } = self;
        lists.begin::<L, N>(travellers, tree.root());
        while let Some(list) = lists.ahead.pop() {
            if let Some(leaf) = Leaf::of(list.child) {
                let list = &lists.blocks[list.first..].as_flattened()[..list.count];
                for (&i, next) in list.iter().zip((SOON..).map(|k| list.get(k))) {
                    if let Some(&next) = next {
                        prefetch(&travellers[next as usize]);
                    }
                    travellers[i as usize].look::<L>(leaf, crowd);
                }
            } else if list.child & LEAF == 0 {
                lists.node::<L, _>(travellers, tree, list, crowd);
            }
        }
    }
}

impl<N: Default> Traveller<N> {
    #[inline(always)]
    pub(super) fn look<L: Lanes>(&mut self, leaf: Leaf, crowd: &mut impl Crowd<Note = N>) {
        // It may have come to its end meanwhile.
        if !(self.end < 0.0) && crowd.leaf::<L>(self, leaf).is_break() {
            self.end = f32::NEG_INFINITY;
        }
    }
}

impl Lists {
    /// All of them at the root, those of one octant on one list.
    #[inline(always)]
    fn begin<L: Lanes, N>(&mut self, travellers: &[Traveller<N>], root: u32) {
        let count = travellers.len();
        let list = List { child: root, first: 0, count };
        self.ahead.clear();
        self.make_room(list);
        for (block, first) in self.blocks.iter_mut().zip((0..count as u32).step_by(WIDTH)) {
            *block = core::array::from_fn(|i| first + i as u32);
        }
        let mut octants = 0;
        for (masks, travellers) in self.masks.iter_mut().zip(travellers.chunks(WIDTH)) {
            *masks = [0; WIDTH];
            for (mask, traveller) in masks.iter_mut().zip(travellers) {
                *mask = 1 << traveller.line.octant();
                octants |= *mask;
            }
        }
        let mut top = list.top();
        // A closure would be a call.
        for octant in 0..8 {
            if octants >> octant & 1 == 1 {
                top = self.deal::<L>(list, octant, root, top);
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
    fn deal<L: Lanes>(&mut self, list: List, lane: usize, child: u32, top: usize) -> usize {
        let (taken, free) = self.blocks.split_at_mut(top);
        let out = free.as_flattened_mut();
        let mut count = 0;
        for (numbers, masks) in taken[list.first..list.top()].iter().zip(&self.masks) {
            if let Some(out) = out[count..].first_chunk_mut() {
                count += L::select(numbers, masks, lane, out);
            }
        }
        let dealt = List { child, first: top, count };
        self.ahead.push(dealt);
        dealt.top()
    }

    /// Deals out a list to the children of a node.
    #[inline(always)]
    fn node<L: Lanes, C: Crowd>(&mut self, travellers: &[Traveller<C::Note>], tree: &Tree, list: List, crowd: &C) {
        self.make_room(list);
        let node = &tree.nodes[list.child as usize];
        let leader = &travellers[self.blocks[list.first][0] as usize];
        let planes = faced::<L>(&node.planes, leader.line.octant());
        let mut all = 0;
        let mut left = list.count;
        for (block, masks) in self.blocks[list.first..list.top()].iter().zip(&mut self.masks) {
            *masks = [0; WIDTH];
            for (&i, mask) in block.iter().zip(masks).take(left) {
                let traveller = &travellers[i as usize];
                let (_, met) = traveller.line.meet::<L>(&planes, traveller.end);
                *mask = met as u16;
                all |= met;
            }
            left -= WIDTH.min(left);
        }
        if all == 0 {
            return;
        }
        let mut entries = [0.0; WIDTH];
        leader.line.meet::<L>(&planes, leader.end).0.store(&mut entries);
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
            top = self.deal::<L>(list, lane, child, top);
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
