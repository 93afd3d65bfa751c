//! Many lines on their way through a tree, together as long as they go the same way.
//!
//! # Source
//! Tsakok, *Faster Incoherent Rays: Multi-BVH Ray Stream Tracing*, HPG 2009: lists of rays that are dealt out to the children
//! of a node. Barringer, Akenine-Möller, *Dynamic Ray Stream Traversal*, SIGGRAPH 2014: one list for each octant.

use super::packet::Packet;
use super::slab::{Aim, Single, faced};
use super::stack::put_in_order;
use super::tree::{LEAF, Leaf, Planes, Tree, WIDTH};
use super::walkers::walk;
use crate::simd::{Lanes, Task, prefetch, vectorized};
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::ops::{ControlFlow, Range};

/// A line on its way: what nodes ask about in one line of the cache, what leaves ask about in the next.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Traveller<N> {
    /// What lies beyond need not be found.
    pub(crate) end: f32,
    /// Which one it is.
    pub(crate) number: u32,
    /// Made ready when it is needed.
    pub(crate) line: Single,
    /// What is known about it so far.
    pub(crate) note: N,
}

/// Looks at leaves for many lines.
pub(crate) trait Crowd: Sized {
    type Note: Default;
    /// How many lines that do not go together are on their way at a time: more than one where most of the time is waiting for
    /// memory.
    const BY_TURNS: usize;
    /// Which part of the lines has to be in the octant of the one before for all of them to go together.
    const ALIKE: f32;
    /// Looks at a leaf for one of them; may lower its end, or stop it.
    fn leaf<L: Lanes>(&mut self, traveller: &mut Traveller<Self::Note>, leaf: Leaf) -> ControlFlow<()>;
    /// Looks at a leaf for some lines of a packet, as bits; false if it is better looked at for one after the other.
    #[inline(always)]
    fn look<L: Lanes>(
        &mut self,
        _packet: &mut Packet,
        _travellers: &mut [Traveller<Self::Note>],
        _lanes: u32,
        _leaf: Leaf,
    ) -> bool {
        false
    }
    /// How a line goes, and up to where; none that is not of ordinary size among the boxes of the tree.
    fn aim(&self, number: u32) -> Option<(Aim, f32)>;
    /// Asks for the memory of a leaf.
    fn fetch(&self, leaf: Leaf);
}

/// Lines on their way, and where they are.
#[derive(Debug)]
pub(crate) struct Stream<N> {
    pub(crate) travellers: Vec<Traveller<N>>,
    /// The first of each sixteen that go the same way.
    together: Vec<u32>,
    packets: Vec<Packet>,
    /// How many streams to come try no packets, for these had little in common.
    apart: u32,
    /// Those that go by themselves.
    loose: Vec<u32>,
    /// How many of these are in the octant of the one before.
    alike: usize,
    lists: Lists,
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
struct Lists {
    ahead: Vec<List>,
    blocks: Vec<[u32; WIDTH]>,
    /// For each line of the list at hand: to which children it goes on, as bits.
    masks: Vec<[u16; WIDTH]>,
}

/// Lines of a batch that go through a tree together: few enough that what is known of them stays near the processor.
pub(crate) const TOGETHER: usize = 1024;
/// Lines of a packet that a leaf has to be looked at for, on average; else they are faster by themselves.
const PAYS: u32 = 5;
/// Streams that go by themselves before packets are tried again.
const PATIENCE: u32 = 16;
/// Fewer than these go one by one.
pub(crate) const FEW: usize = 32;

/// Lines that are asked for ahead of time.
const SOON: usize = 2;

impl<N: Default> Stream<N> {
    pub(crate) fn new() -> Self {
        Self {
            travellers: Vec::new(),
            together: Vec::new(),
            packets: Vec::new(),
            apart: 0,
            loose: Vec::new(),
            alike: 0,
            lists: Lists::default(),
        }
    }

    /// Takes so many lines to the leaves of a tree that they may meet, nearer ones first, as far as lines that go together
    /// agree about that.
    pub(crate) fn run<C: Crowd<Note = N>>(&mut self, count: u32, tree: &Tree, crowd: &mut C) {
        // Not one task: what is kept in registers for one would be kept from the others.
        vectorized(SetOut { stream: self, count, tree, crowd });
        if !self.together.is_empty() {
            vectorized(GoTogether { stream: self, tree, crowd });
        }
        vectorized(GoOn { stream: self, tree, crowd });
    }

    /// Takes sixteen lines together if they go the same way.
    #[inline(always)]
    fn gather<C: Crowd<Note = N>>(&mut self, numbers: Range<u32>, crowd: &C) -> bool {
        // Where code has to be small lines go by themselves.
        if cfg!(feature = "small") || numbers.len() < WIDTH || self.apart > 0 {
            return false;
        }
        let Some((leader, _)) = crowd.aim(numbers.start) else { return false };
        let (first, way) = (self.travellers.len(), leader.way());
        // The last one is the likeliest to go another way.
        if crowd.aim(numbers.end - 1).is_none_or(|(last, _)| last.origin != leader.origin || last.way() != way) {
            return false;
        }
        for number in numbers {
            match crowd.aim(number) {
                Some((aim, end)) if aim.origin == leader.origin && aim.way() == way => {
                    self.travellers.push(Traveller { end, number, line: Single::NONE, note: N::default() });
                }
                _ => {
                    self.travellers.truncate(first);
                    return false;
                }
            }
        }
        self.together.push(first as u32);
        true
    }

    /// Puts lines on their way by themselves.
    #[inline(always)]
    fn add<C: Crowd<Note = N>>(&mut self, numbers: Range<u32>, tree: &Tree, crowd: &C) {
        for number in numbers {
            let Some((aim, end)) = crowd.aim(number) else { continue };
            let line = Single::of_ordinary(&aim, tree.largest);
            let before = self.travellers.last().map(|last| last.line.octant());
            self.alike += usize::from(before == Some(line.octant()));
            self.loose.push(self.travellers.len() as u32);
            self.travellers.push(Traveller { end, number, line, note: N::default() });
        }
    }

    /// Lines in the octant of the one before come to the same nodes, and lists of them are long.
    #[inline(always)]
    pub(super) fn go_together<C: Crowd<Note = N>>(&self) -> bool {
        self.alike as f32 >= C::ALIKE * self.loose.len() as f32
    }
}

/// Tells lines that go together from the others.
struct SetOut<'a, C: Crowd> {
    stream: &'a mut Stream<C::Note>,
    count: u32,
    tree: &'a Tree,
    crowd: &'a C,
}

impl<C: Crowd> Task for SetOut<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { stream, count, tree, crowd } = self;
        stream.travellers.clear();
        stream.travellers.reserve(count as usize);
        stream.together.clear();
        stream.apart = stream.apart.saturating_sub(1);
        stream.loose.clear();
        stream.alike = 0;
        let mut first = 0;
        while first < count {
            let last = count.min(first + WIDTH as u32);
            if !stream.gather(first..last, crowd) {
                stream.add(first..last, tree, crowd);
            }
            first = last;
        }
    }
}

/// Takes those on that go together.
struct GoTogether<'a, C: Crowd> {
    stream: &'a mut Stream<C::Note>,
    tree: &'a Tree,
    crowd: &'a mut C,
}

impl<C: Crowd> Task for GoTogether<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { stream: Stream { travellers, together, packets, apart, lists, .. }, tree, crowd } = self;
        if packets.len() < together.len() {
            packets.resize_with(together.len(), Packet::new);
        }
        for (packet, &first) in packets.iter_mut().zip(&*together) {
            packet.prepare::<L, C>(first as usize, travellers, tree, crowd);
        }
        let all = (0..together.len() as u32).collect::<Vec<_>>();
        lists.run::<L, C, _>(&all, &mut Packed { packets, travellers }, tree, crowd);
        let packets = &packets[..together.len()];
        let [leaves, looks] = packets.iter().fold([0; 2], |[leaves, looks], packet| {
            [leaves + packet.leaves, looks + packet.looks]
        });
        *apart = if looks < PAYS * leaves { PATIENCE } else { 0 };
    }
}

/// Takes the others on.
struct GoOn<'a, C: Crowd> {
    stream: &'a mut Stream<C::Note>,
    tree: &'a Tree,
    crowd: &'a mut C,
}

impl<C: Crowd> Task for GoOn<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { stream, tree, crowd } = self;
        // Where code has to be small there is one way.
        if cfg!(feature = "small") || stream.go_together::<C>() {
            let Stream { travellers, loose, lists, .. } = stream;
            lists.run::<L, C, _>(loose, &mut travellers[..], tree, crowd);
        } else {
            walk::<L, C>(&mut stream.travellers, &stream.loose, tree, crowd);
        }
    }
}

/// Who goes through a tree by lists.
trait Goers<C: Crowd> {
    /// Axes along which they go backwards, as bits.
    fn octant(&self, i: u32) -> usize;
    /// Where they enter each box of a node, and which they may meet, as bits.
    fn meet<L: Lanes>(&self, i: u32, planes: &[L; 6]) -> (L, u32);
    /// Looks at a leaf, the box of which is one of a node.
    fn look<L: Lanes>(&mut self, i: u32, leaf: Leaf, of: (&Planes, usize), tree: &Tree, crowd: &mut C);
    /// Asks for their memory.
    fn fetch(&self, i: u32);
}

impl<C: Crowd> Goers<C> for [Traveller<C::Note>] {
    #[inline(always)]
    fn octant(&self, i: u32) -> usize {
        self[i as usize].line.octant()
    }
    #[inline(always)]
    fn meet<L: Lanes>(&self, i: u32, planes: &[L; 6]) -> (L, u32) {
        let traveller = &self[i as usize];
        traveller.line.meet::<L>(planes, traveller.end)
    }
    #[inline(always)]
    fn look<L: Lanes>(&mut self, i: u32, leaf: Leaf, _: (&Planes, usize), _: &Tree, crowd: &mut C) {
        self[i as usize].look::<L>(leaf, crowd);
    }
    #[inline(always)]
    fn fetch(&self, i: u32) {
        prefetch(&self[i as usize]);
    }
}

/// Sixteen lines at a time.
struct Packed<'a, N> {
    packets: &'a mut [Packet],
    travellers: &'a mut [Traveller<N>],
}

impl<C: Crowd> Goers<C> for Packed<'_, C::Note> {
    #[inline(always)]
    fn octant(&self, i: u32) -> usize {
        self.packets[i as usize].octant
    }
    #[inline(always)]
    fn meet<L: Lanes>(&self, i: u32, planes: &[L; 6]) -> (L, u32) {
        self.packets[i as usize].enter_any::<L>(planes)
    }
    #[inline(always)]
    fn look<L: Lanes>(&mut self, i: u32, leaf: Leaf, of: (&Planes, usize), tree: &Tree, crowd: &mut C) {
        self.packets[i as usize].look::<L, C>(leaf, of, self.travellers, tree, crowd);
    }
    #[inline(always)]
    fn fetch(&self, _: u32) {}
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
    /// Takes some of all to the leaves that they may meet.
    #[inline(always)]
    fn run<L: Lanes, C: Crowd, G: Goers<C> + ?Sized>(&mut self, some: &[u32], all: &mut G, tree: &Tree, crowd: &mut C) {
        self.begin::<L, C, G>(some, all, tree.root());
        while let Some(list) = self.ahead.pop() {
            if let Some(leaf) = Leaf::of(list.child) {
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
    fn begin<L: Lanes, C: Crowd, G: Goers<C> + ?Sized>(&mut self, some: &[u32], all: &G, root: u32) {
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
    fn deal<L: Lanes>(&mut self, list: List, lane: usize, (from, child): (u32, u32), top: usize) -> usize {
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
    fn node<L: Lanes, C: Crowd, G: Goers<C> + ?Sized>(&mut self, goers: &G, tree: &Tree, list: List, crowd: &C) {
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
