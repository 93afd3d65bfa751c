//! Stream visitor: the interface between a ray stream and its leaves.

use crate::bvh::node::Leaf;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// Stream visitor: tests leaves for the rays of a stream.
pub(crate) trait StreamVisitor: Sized {
    type Payload: Default;
    /// Rays traversed in an interleaved fashion to hide memory latency: when the BVH fits in cache, when it does not.
    const INTERLEAVE: [usize; 2];
    /// Size of the cache in which rays hardly wait for a leaf.
    const CACHE_BYTES: usize = 16 << 20;
    /// Least fraction of rays in the octant of the ray before for which the stream uses ray lists.
    const MIN_COHERENCE: f32;
    /// Tests a leaf for one ray. May lower the ray's end, or stop the ray.
    fn leaf<L: SimdF32>(&mut self, ray: &mut StreamRay<Self::Payload>, leaf: Leaf) -> ControlFlow<()>;
    /// Tests a leaf for the packet lanes in the mask `_lanes`. Returns false if one ray at a time is faster.
    #[inline(always)]
    fn look<L: SimdF32>(
        &mut self,
        _packet: &mut Packet,
        _rays: &mut [StreamRay<Self::Payload>],
        _lanes: u32,
        _leaf: Leaf,
    ) -> bool {
        false
    }
    /// The ray of a number, and its end. None if the ray is outside the safe `f32` range of the BVH.
    fn aim(&self, number: u32) -> Option<(RayF32, f32)>;
    /// Prefetches a leaf.
    fn fetch(&self, leaf: Leaf);
    /// Prefetches what the data of a leaf point to, once those are there. Returns whether that takes time.
    #[inline(always)]
    fn fetch_rest(&self, _leaf: Leaf) -> bool {
        false
    }
    /// Memory of all leaf data in bytes, for the cache-miss estimate.
    fn bytes(&self) -> usize {
        0
    }
}

impl<N: Default> StreamRay<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn look<L: SimdF32>(&mut self, leaf: Leaf, visitor: &mut impl StreamVisitor<Payload = N>) {
        // The ray may have ended since it was put on the list.
        if !(self.end < 0.0) && visitor.leaf::<L>(self, leaf).is_break() {
            self.end = f32::NEG_INFINITY;
        }
    }
}
