//! Many lines on their way through a tree: in packets, by lists, or each by itself, as they have much, little or nothing in
//! common.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{Leaf, NodeBounds, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::interleaved::walk;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::ray_lists::{RayGroup, RayLists};
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::bvh::traverse::working_set::CacheMissEstimator;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::SimdKernel;
use crate::target::COMPACT;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

/// Lines on their way, and where they are.
#[derive(Debug)]
pub(crate) struct RayStream<N> {
    /// How many lines there are.
    count: u32,
    pub(crate) rays: Vec<StreamRay<N>>,
    /// The first of each sixteen that go as one, and these.
    packet_starts: Vec<u32>,
    packets: Vec<Packet>,
    /// How many streams to come try no packets, for the lines of these had little in common.
    packet_backoff: u32,
    /// The other rays.
    unpacked: Vec<u32>,
    /// How many of these are in the octant of the one before.
    alike: usize,
    lists: RayLists,
    /// Of the other rays.
    cache_misses: CacheMissEstimator,
}

/// Lines of a batch that go through a tree together: few enough that what is known of them stays near the processor.
pub(crate) const STREAM_SIZE: usize = 1024;

/// Packets pay where this many of their lines look at a leaf together, on average: three sets of rays with 2, 6 and 11 of them were
/// slower, as fast, and faster than by lists.
const MIN_LANES_PER_LEAF: u32 = 5;

/// If they do not, so many streams go without before they are tried again.
const PACKET_BACKOFF: u32 = 16;

/// Fewer than these go one by one.
pub(crate) const MIN_STREAM: usize = 32;

impl<N: Default> RayStream<N> {
    pub(crate) fn new() -> Self {
        Self {
            count: 0,
            rays: Vec::new(),
            packet_starts: Vec::new(),
            packets: Vec::new(),
            packet_backoff: 0,
            unpacked: Vec::new(),
            alike: 0,
            lists: RayLists::default(),
            cache_misses: CacheMissEstimator::new(),
        }
    }

    /// Takes lines, numbered from 0 on, to the leaves of a tree that they may meet, nearer ones first, as far as those that go
    /// together agree about that.
    pub(crate) fn run<C: StreamVisitor<Payload = N>>(&mut self, count: u32, tree: &Bvh16, visitor: &mut C) {
        self.count = count;
        self.go::<C, Setup>(tree, visitor);
        if !COMPACT && !self.packet_starts.is_empty() {
            self.go::<C, PacketPhase>(tree, visitor);
        }
        if self.unpacked.is_empty() {
            return;
        }
        let is_coherent = self.is_coherent::<C>();
        let is_far = C::INTERLEAVE[0] < C::INTERLEAVE[1] && self.cache_misses.is_large(is_coherent);
        self.cache_misses.begin();
        // Where code has to be small there is one way.
        if COMPACT || is_coherent && !is_far {
            self.go::<C, ListPhase>(tree, visitor);
        } else if is_far {
            self.go::<C, InterleavedPhase<true>>(tree, visitor);
        } else {
            self.go::<C, InterleavedPhase<false>>(tree, visitor);
        }
        self.cache_misses.end(self.unpacked.len(), tree.bytes() + visitor.bytes());
    }

    /// Not all ways as one task: what is kept in registers for one would be kept from the others.
    #[inline(always)]
    fn go<C: StreamVisitor<Payload = N>, W: Phase>(&mut self, tree: &Bvh16, visitor: &mut C) {
        dispatch(Go { stream: self, tree, visitor, class: PhantomData::<W> });
    }

    /// Makes one of sixteen lines, if they come from one place and go the same way.
    #[inline(always)]
    fn pack<C: StreamVisitor<Payload = N>>(&mut self, numbers: Range<u32>, visitor: &C) -> bool {
        // Where code has to be small lines go by themselves.
        if COMPACT || numbers.len() < WIDTH || self.packet_backoff > 0 {
            return false;
        }
        let Some((leader, _)) = visitor.aim(numbers.start) else { return false };
        let (first, class) = (self.rays.len(), leader.direction_class());
        // The last one is the likeliest to go another way.
        if visitor
            .aim(numbers.end - 1)
            .is_none_or(|(last, _)| last.origin != leader.origin || last.direction_class() != class)
        {
            return false;
        }
        for number in numbers {
            match visitor.aim(number) {
                Some((aim, end)) if aim.origin == leader.origin && aim.direction_class() == class => {
                    self.rays.push(StreamRay { end, number, line: PreparedRay::NONE, payload: N::default() });
                }
                _ => {
                    self.rays.truncate(first);
                    return false;
                }
            }
        }
        self.packet_starts.push(first as u32);
        true
    }

    /// Puts lines on their way by themselves.
    #[inline(always)]
    fn add<C: StreamVisitor<Payload = N>>(&mut self, numbers: Range<u32>, tree: &Bvh16, visitor: &C) {
        for number in numbers {
            let Some((aim, end)) = visitor.aim(number) else { continue };
            let line = PreparedRay::of_ordinary(&aim, tree.largest);
            let before = self.rays.last().map(|last| last.line.octant());
            self.alike += usize::from(before == Some(line.octant()));
            self.unpacked.push(self.rays.len() as u32);
            self.rays.push(StreamRay { end, number, line, payload: N::default() });
        }
    }

    /// How many lines went in packets.
    #[cfg(test)]
    pub(crate) fn packed(&self) -> usize {
        WIDTH * self.packet_starts.len()
    }

    /// Lines in the octant of the one before come to the same nodes, and lists of them are long.
    #[inline(always)]
    pub(crate) fn is_coherent<C: StreamVisitor<Payload = N>>(&self) -> bool {
        self.alike as f32 >= C::MIN_COHERENCE * self.unpacked.len() as f32
    }
}

/// What is done with the lines of a stream.
trait Phase {
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C);
}

/// That, as a task.
struct Go<'a, C: StreamVisitor, W> {
    stream: &'a mut RayStream<C::Payload>,
    tree: &'a Bvh16,
    visitor: &'a mut C,
    class: PhantomData<W>,
}

impl<C: StreamVisitor, W: Phase> SimdKernel for Go<'_, C, W> {
    type Output = ();
    #[inline(always)]
    fn run<L: SimdF32>(self) {
        W::go::<L, C>(self.stream, self.tree, self.visitor);
    }
}

/// Makes packets of lines where it can, and makes the others ready.
enum Setup {}

impl Phase for Setup {
    #[inline(always)]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        stream.rays.clear();
        stream.rays.reserve(stream.count as usize);
        stream.packet_starts.clear();
        stream.packet_backoff = stream.packet_backoff.saturating_sub(1);
        stream.unpacked.clear();
        stream.alike = 0;
        let mut first = 0;
        while first < stream.count {
            let last = stream.count.min(first + WIDTH as u32);
            if !stream.pack(first..last, visitor) {
                stream.add(first..last, tree, visitor);
            }
            first = last;
        }
    }
}

/// Takes packets through the tree.
enum PacketPhase {}

impl Phase for PacketPhase {
    #[inline(always)]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        let RayStream { rays, packet_starts, packets, packet_backoff, lists, cache_misses, .. } = stream;
        if packets.len() < packet_starts.len() {
            packets.resize_with(packet_starts.len(), Packet::new);
        }
        let packets = &mut packets[..packet_starts.len()];
        for (packet, &first) in packets.iter_mut().zip(&*packet_starts) {
            let mut lines = [(RayF32::NONE, f32::NEG_INFINITY); WIDTH];
            for (line, ray) in lines.iter_mut().zip(&rays[first as usize..]) {
                if let Some(aim) = visitor.aim(ray.number) {
                    *line = aim;
                }
            }
            packet.prepare::<L>(first as usize, &lines, tree.largest);
        }
        let all: Vec<u32> = (0..packets.len() as u32).collect();
        lists.run::<L, C, _>(&all, &mut Packed { packets, rays }, tree, visitor, cache_misses);
        let (mut leaves, mut looks) = (0, 0);
        for packet in packets {
            leaves += packet.leaves;
            looks += packet.looks;
        }
        *packet_backoff = if looks < MIN_LANES_PER_LEAF * leaves { PACKET_BACKOFF } else { 0 };
    }
}

/// Takes the others, which share what they come to.
enum ListPhase {}

impl Phase for ListPhase {
    #[inline(always)]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        let RayStream { rays, unpacked, lists, cache_misses, .. } = stream;
        lists.run::<L, C, _>(unpacked, &mut rays[..], tree, visitor, cache_misses);
    }
}

/// Takes them each by itself, to what is far or near.
enum InterleavedPhase<const FAR: bool> {}

impl<const FAR: bool> Phase for InterleavedPhase<FAR> {
    #[inline(always)]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        let RayStream { rays, unpacked, cache_misses, .. } = stream;
        walk::<L, C, FAR>(rays, unpacked, tree, visitor, cache_misses);
    }
}

/// Sixteen lines at a time.
struct Packed<'a, N> {
    packets: &'a mut [Packet],
    rays: &'a mut [StreamRay<N>],
}

impl<C: StreamVisitor> RayGroup<C> for Packed<'_, C::Payload> {
    #[inline(always)]
    fn octant(&self, i: u32) -> usize {
        self.packets[i as usize].octant
    }
    #[inline(always)]
    fn intersect<L: SimdF32>(&self, i: u32, planes: &[L; 6]) -> (L, u32) {
        self.packets[i as usize].enter_any::<L>(planes)
    }
    #[inline(always)]
    fn look<L: SimdF32>(&mut self, i: u32, leaf: Leaf, of: (&NodeBounds, usize), tree: &Bvh16, visitor: &mut C) {
        self.packets[i as usize].look::<L, C>(leaf, of, self.rays, tree, visitor);
    }
    #[inline(always)]
    fn fetch(&self, _: u32) {}
}
