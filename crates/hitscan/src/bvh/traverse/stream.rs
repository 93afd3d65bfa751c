//! Many lines on their way through a tree: in packets, by lists, or each by itself, as they have much, little or nothing in
//! common.

use crate::COMPACT;
use crate::bvh::bvh::Tree;
use crate::bvh::node::{Leaf, Planes, WIDTH};
use crate::bvh::prepared_ray::Single;
use crate::bvh::ray::Aim;
use crate::bvh::traverse::interleaved::walk;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::ray_lists::{Goers, Lists};
use crate::bvh::traverse::stream_ray::Traveller;
use crate::bvh::traverse::stream_visitor::Crowd;
use crate::bvh::traverse::working_set::Footprint;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::Task;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

/// Lines on their way, and where they are.
#[derive(Debug)]
pub(crate) struct Stream<N> {
    /// How many lines there are.
    count: u32,
    pub(crate) travellers: Vec<Traveller<N>>,
    /// The first of each sixteen that go as one, and these.
    sixteens: Vec<u32>,
    packets: Vec<Packet>,
    /// How many streams to come try no packets, for the lines of these had little in common.
    rest: u32,
    /// The other travellers.
    loose: Vec<u32>,
    /// How many of these are in the octant of the one before.
    alike: usize,
    lists: Lists,
    /// Of the other travellers.
    footprint: Footprint,
}

/// Lines of a batch that go through a tree together: few enough that what is known of them stays near the processor.
pub(crate) const TOGETHER: usize = 1024;

/// Packets pay where this many of their lines look at a leaf together, on average: three sets of rays with 2, 6 and 11 of them were
/// slower, as fast, and faster than by lists.
const PAYS: u32 = 5;

/// If they do not, so many streams go without before they are tried again.
const PATIENCE: u32 = 16;

/// Fewer than these go one by one.
pub(crate) const FEW: usize = 32;

impl<N: Default> Stream<N> {
    pub(crate) fn new() -> Self {
        Self {
            count: 0,
            travellers: Vec::new(),
            sixteens: Vec::new(),
            packets: Vec::new(),
            rest: 0,
            loose: Vec::new(),
            alike: 0,
            lists: Lists::default(),
            footprint: Footprint::new(),
        }
    }

    /// Takes lines, numbered from 0 on, to the leaves of a tree that they may meet, nearer ones first, as far as those that go
    /// together agree about that.
    pub(crate) fn run<C: Crowd<Note = N>>(&mut self, count: u32, tree: &Tree, crowd: &mut C) {
        self.count = count;
        self.go::<C, SetOut>(tree, crowd);
        if !COMPACT && !self.sixteens.is_empty() {
            self.go::<C, InPackets>(tree, crowd);
        }
        if self.loose.is_empty() {
            return;
        }
        let together = self.go_together::<C>();
        let is_far = C::BY_TURNS[0] < C::BY_TURNS[1] && self.footprint.is_large(together);
        self.footprint.begin();
        // Where code has to be small there is one way.
        if COMPACT || together && !is_far {
            self.go::<C, ByLists>(tree, crowd);
        } else if is_far {
            self.go::<C, Alone<true>>(tree, crowd);
        } else {
            self.go::<C, Alone<false>>(tree, crowd);
        }
        self.footprint.end(self.loose.len(), tree.bytes() + crowd.bytes());
    }

    /// Not all ways as one task: what is kept in registers for one would be kept from the others.
    #[inline(always)]
    fn go<C: Crowd<Note = N>, W: Way>(&mut self, tree: &Tree, crowd: &mut C) {
        dispatch(Go { stream: self, tree, crowd, way: PhantomData::<W> });
    }

    /// Makes one of sixteen lines, if they come from one place and go the same way.
    #[inline(always)]
    fn pack<C: Crowd<Note = N>>(&mut self, numbers: Range<u32>, crowd: &C) -> bool {
        // Where code has to be small lines go by themselves.
        if COMPACT || numbers.len() < WIDTH || self.rest > 0 {
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
        self.sixteens.push(first as u32);
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

    /// How many lines went in packets.
    #[cfg(test)]
    pub(crate) fn packed(&self) -> usize {
        WIDTH * self.sixteens.len()
    }

    /// Lines in the octant of the one before come to the same nodes, and lists of them are long.
    #[inline(always)]
    pub(crate) fn go_together<C: Crowd<Note = N>>(&self) -> bool {
        self.alike as f32 >= C::ALIKE * self.loose.len() as f32
    }
}

/// What is done with the lines of a stream.
trait Way {
    fn go<L: SimdF32, C: Crowd>(stream: &mut Stream<C::Note>, tree: &Tree, crowd: &mut C);
}

/// That, as a task.
struct Go<'a, C: Crowd, W> {
    stream: &'a mut Stream<C::Note>,
    tree: &'a Tree,
    crowd: &'a mut C,
    way: PhantomData<W>,
}

impl<C: Crowd, W: Way> Task for Go<'_, C, W> {
    type Output = ();
    #[inline(always)]
    fn run<L: SimdF32>(self) {
        W::go::<L, C>(self.stream, self.tree, self.crowd);
    }
}

/// Makes packets of lines where it can, and makes the others ready.
enum SetOut {}

impl Way for SetOut {
    #[inline(always)]
    fn go<L: SimdF32, C: Crowd>(stream: &mut Stream<C::Note>, tree: &Tree, crowd: &mut C) {
        stream.travellers.clear();
        stream.travellers.reserve(stream.count as usize);
        stream.sixteens.clear();
        stream.rest = stream.rest.saturating_sub(1);
        stream.loose.clear();
        stream.alike = 0;
        let mut first = 0;
        while first < stream.count {
            let last = stream.count.min(first + WIDTH as u32);
            if !stream.pack(first..last, crowd) {
                stream.add(first..last, tree, crowd);
            }
            first = last;
        }
    }
}

/// Takes packets through the tree.
enum InPackets {}

impl Way for InPackets {
    #[inline(always)]
    fn go<L: SimdF32, C: Crowd>(stream: &mut Stream<C::Note>, tree: &Tree, crowd: &mut C) {
        let Stream { travellers, sixteens, packets, rest, lists, footprint, .. } = stream;
        if packets.len() < sixteens.len() {
            packets.resize_with(sixteens.len(), Packet::new);
        }
        let packets = &mut packets[..sixteens.len()];
        for (packet, &first) in packets.iter_mut().zip(&*sixteens) {
            let mut lines = [(Aim::NONE, f32::NEG_INFINITY); WIDTH];
            for (line, traveller) in lines.iter_mut().zip(&travellers[first as usize..]) {
                if let Some(aim) = crowd.aim(traveller.number) {
                    *line = aim;
                }
            }
            packet.prepare::<L>(first as usize, &lines, tree.largest);
        }
        let all: Vec<u32> = (0..packets.len() as u32).collect();
        lists.run::<L, C, _>(&all, &mut Packed { packets, travellers }, tree, crowd, footprint);
        let (mut leaves, mut looks) = (0, 0);
        for packet in packets {
            leaves += packet.leaves;
            looks += packet.looks;
        }
        *rest = if looks < PAYS * leaves { PATIENCE } else { 0 };
    }
}

/// Takes the others, which share what they come to.
enum ByLists {}

impl Way for ByLists {
    #[inline(always)]
    fn go<L: SimdF32, C: Crowd>(stream: &mut Stream<C::Note>, tree: &Tree, crowd: &mut C) {
        let Stream { travellers, loose, lists, footprint, .. } = stream;
        lists.run::<L, C, _>(loose, &mut travellers[..], tree, crowd, footprint);
    }
}

/// Takes them each by itself, to what is far or near.
enum Alone<const FAR: bool> {}

impl<const FAR: bool> Way for Alone<FAR> {
    #[inline(always)]
    fn go<L: SimdF32, C: Crowd>(stream: &mut Stream<C::Note>, tree: &Tree, crowd: &mut C) {
        let Stream { travellers, loose, footprint, .. } = stream;
        walk::<L, C, FAR>(travellers, loose, tree, crowd, footprint);
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
    fn meet<L: SimdF32>(&self, i: u32, planes: &[L; 6]) -> (L, u32) {
        self.packets[i as usize].enter_any::<L>(planes)
    }
    #[inline(always)]
    fn look<L: SimdF32>(&mut self, i: u32, leaf: Leaf, of: (&Planes, usize), tree: &Tree, crowd: &mut C) {
        self.packets[i as usize].look::<L, C>(leaf, of, self.travellers, tree, crowd);
    }
    #[inline(always)]
    fn fetch(&self, _: u32) {}
}
