//! Ray-stream traversal: packets for rays with a common origin and direction class, ray lists for coherent rays,
//! interleaved single rays for all others.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{Leaf, NodeBounds, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::interleaved::traverse_interleaved;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::ray_lists::{RayGroup, RayLists};
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::bvh::traverse::working_set::CacheMissEstimator;
use crate::simd::dispatch::{dispatch, has_filters};
use crate::simd::lanes::SimdF32;
use crate::simd::task::SimdKernel;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

/// Ray stream: the state of all its rays, and the buffers of the three traversals.
#[derive(Debug)]
pub(crate) struct RayStream<N> {
    /// Number of rays.
    count: u32,
    pub(crate) rays: Vec<StreamRay<N>>,
    /// Index of each packet's first ray. `packets` holds the packets themselves.
    packet_starts: Vec<u32>,
    packets: Vec<Packet>,
    /// Number of streams that skip packets, because the packets of this stream had few active lanes per leaf.
    packet_backoff: u32,
    /// Indices of the rays outside packets.
    unpacked: Vec<u32>,
    /// Number of unpacked rays with the octant of the ray before.
    alike: usize,
    lists: RayLists,
    /// Cache misses of the unpacked rays.
    cache_misses: CacheMissEstimator,
}

/// Rays of a batch per stream: few enough that their state stays in cache.
pub(crate) const STREAM_SIZE: usize = 1024;

/// Least average number of active lanes per leaf for which packets pay. Measured: with 2, 6 and 11 lanes packets were
/// slower than lists, as fast, and faster.
const MIN_LANES_PER_LEAF: u32 = 5;

/// Number of streams that skip packets after a stream for which they did not pay.
const PACKET_BACKOFF: u32 = 16;

/// Rays of a stream per node of the tree from which on they share nodes, whatever their directions.
const RAYS_PER_NODE: usize = 4;

/// Batches of fewer rays use single-ray traversal.
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

    /// Traverses the BVH with rays numbered from 0 on, and visits every leaf that a ray may hit, in approximate
    /// front-to-back order.
    pub(crate) fn run<C: StreamVisitor<Payload = N>>(&mut self, count: u32, tree: &Bvh16, visitor: &mut C) {
        // Rays are prepared, and sixteen with a common origin become a packet.
        self.count = count;
        self.go::<C, Setup>(tree, visitor);
        if !self.packet_starts.is_empty() {
            self.go::<C, PacketPhase>(tree, visitor);
        }
        if self.unpacked.is_empty() {
            return;
        }
        // Lists read each node once for many rays. They pay if rays are coherent, or if the tree has few nodes for that
        // many rays.
        let is_coherent = self.is_coherent::<C>() || self.shares_nodes(tree);
        // Rays that wait for memory gain more from interleaving. The estimate is that of the stream before.
        let is_far = C::INTERLEAVE[0] < C::INTERLEAVE[1] && self.cache_misses.is_large(is_coherent);
        self.cache_misses.begin();
        if !has_filters() || is_coherent && !is_far {
            self.go::<C, ListPhase>(tree, visitor);
        } else if is_far {
            self.go::<C, InterleavedPhase<true>>(tree, visitor);
        } else {
            self.go::<C, InterleavedPhase<false>>(tree, visitor);
        }
        // The visits of this stream give the estimate for the next one.
        self.cache_misses.end(self.unpacked.len(), tree.bytes() + visitor.bytes(), C::CACHE_BYTES);
    }

    /// Runs one phase as a SIMD task of its own: phases in one task would compete for registers.
    #[inline(always)]
    fn go<C: StreamVisitor<Payload = N>, W: Phase>(&mut self, tree: &Bvh16, visitor: &mut C) {
        dispatch(PhaseTask { stream: self, tree, visitor, class: PhantomData::<W> });
    }

    /// Makes a packet of sixteen rays if they share origin and direction class. Returns whether it does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pack<C: StreamVisitor<Payload = N>>(&mut self, numbers: Range<u32>, visitor: &C) -> bool {
        if numbers.len() < WIDTH || self.packet_backoff > 0 {
            return false;
        }
        // The first ray decides what the others must share.
        let Some((leader, _)) = visitor.aim(numbers.start) else { return false };
        let (first, class) = (self.rays.len(), leader.direction_class());
        // The last ray is the likeliest to differ in class.
        if visitor
            .aim(numbers.end - 1)
            .is_none_or(|(last, _)| last.origin != leader.origin || last.direction_class() != class)
        {
            return false;
        }
        // All rays must agree, or none is packed: a smaller packet would not pay.
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

    /// Adds rays to the unpacked ones, and prepares them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<L: SimdF32, C: StreamVisitor<Payload = N>>(&mut self, numbers: Range<u32>, tree: &Bvh16, visitor: &C) {
        for number in numbers {
            let Some((aim, end)) = visitor.aim(number) else { continue };
            let line = PreparedRay::of_ordinary::<L>(&aim, tree.largest);
            let before = self.rays.last().map(|last| last.line.octant());
            self.alike += usize::from(before == Some(line.octant()));
            self.unpacked.push(self.rays.len() as u32);
            self.rays.push(StreamRay { end, number, line, payload: N::default() });
        }
    }

    /// Number of rays in packets.
    #[cfg(test)]
    pub(crate) fn packed(&self) -> usize {
        WIDTH * self.packet_starts.len()
    }

    /// Whether ray lists pay: rays in the octant of the ray before share nodes, which makes lists long.
    #[inline(always)]
    pub(crate) fn is_coherent<C: StreamVisitor<Payload = N>>(&self) -> bool {
        self.alike as f32 >= C::MIN_COHERENCE * self.unpacked.len() as f32
    }

    /// Whether ray lists pay for rays of any directions: the tree has so few nodes that many rays meet at each.
    #[inline(always)]
    pub(crate) fn shares_nodes(&self, tree: &Bvh16) -> bool {
        tree.nodes.len() * RAYS_PER_NODE <= self.unpacked.len()
    }
}

/// Phase of a stream: one way to process its rays.
trait Phase {
    /// Whether only vectors with [filters](SimdF32::HAS_FILTERS) run it. Others have no packets and no interleaved rays: that code is
    /// large, and on x86-64 only machines without AVX2 would run it.
    const NEEDS_FILTERS: bool;
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C);
}

/// SIMD task that runs a phase.
struct PhaseTask<'a, C: StreamVisitor, W> {
    stream: &'a mut RayStream<C::Payload>,
    tree: &'a Bvh16,
    visitor: &'a mut C,
    class: PhantomData<W>,
}

impl<C: StreamVisitor, W: Phase> SimdKernel for PhaseTask<'_, C, W> {
    type Output = ();
    #[inline(always)]
    fn run<L: SimdF32>(self) {
        if L::HAS_FILTERS || !W::NEEDS_FILTERS {
            W::go::<L, C>(self.stream, self.tree, self.visitor);
        }
    }
}

/// Setup: groups rays into packets where possible, and prepares the others.
enum Setup {}

impl Phase for Setup {
    const NEEDS_FILTERS: bool = false;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        // The buffers keep their memory from stream to stream.
        stream.rays.clear();
        stream.rays.reserve(stream.count as usize);
        stream.packet_starts.clear();
        stream.packet_backoff = stream.packet_backoff.saturating_sub(1);
        stream.unpacked.clear();
        stream.alike = 0;
        // Sixteen rays at a time: as a packet if they share origin and direction class, else each by itself.
        let mut first = 0;
        while first < stream.count {
            let last = stream.count.min(first + WIDTH as u32);
            if !(L::HAS_FILTERS && stream.pack(first..last, visitor)) {
                stream.add::<L, C>(first..last, tree, visitor);
            }
            first = last;
        }
    }
}

/// Packet traversal by lists of packets.
enum PacketPhase {}

impl Phase for PacketPhase {
    const NEEDS_FILTERS: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        let RayStream { rays, packet_starts, packets, packet_backoff, lists, cache_misses, .. } = stream;
        // The packets keep their memory, too; each is prepared from the rays at its place.
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
        // The packets go through the tree as the items of ray lists: nodes by intervals, leaves by lanes.
        let all: Vec<u32> = (0..packets.len() as u32).collect();
        lists.run::<L, C, _>(&all, &mut Packed { packets, rays }, tree, visitor, cache_misses);
        // Few active lanes per leaf mean that rays diverge: the next streams do without packets.
        let (mut leaves, mut looks) = (0, 0);
        for packet in packets {
            leaves += packet.leaves;
            looks += packet.looks;
        }
        *packet_backoff = if looks < MIN_LANES_PER_LEAF * leaves { PACKET_BACKOFF } else { 0 };
    }
}

/// List traversal of the unpacked rays.
enum ListPhase {}

impl Phase for ListPhase {
    const NEEDS_FILTERS: bool = false;
    #[inline(always)]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        let RayStream { rays, unpacked, lists, cache_misses, .. } = stream;
        lists.run::<L, C, _>(unpacked, &mut rays[..], tree, visitor, cache_misses);
    }
}

/// Interleaved traversal of the unpacked rays. `EXCEEDS_CACHE`: the BVH exceeds the caches.
enum InterleavedPhase<const EXCEEDS_CACHE: bool> {}

impl<const EXCEEDS_CACHE: bool> Phase for InterleavedPhase<EXCEEDS_CACHE> {
    const NEEDS_FILTERS: bool = true;
    #[inline(always)]
    fn go<L: SimdF32, C: StreamVisitor>(stream: &mut RayStream<C::Payload>, tree: &Bvh16, visitor: &mut C) {
        let RayStream { rays, unpacked, cache_misses, .. } = stream;
        traverse_interleaved::<L, C, EXCEEDS_CACHE>(rays, unpacked, tree, visitor, cache_misses);
    }
}

/// Ray group of packets.
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
