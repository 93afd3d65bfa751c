//! What a ray stream needs of its caller: [`Crowd`], and the state of each ray.

use crate::bvh::node::Leaf;
use crate::bvh::ray::Aim;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::stream_ray::Traveller;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// Looks at leaves for many lines.
pub(crate) trait Crowd: Sized {
    type Note: Default;
    /// How many lines that do not go together are on their way at a time: more than one where most of the time is waiting for
    /// memory. Usually, and where they come to much more of it than a processor has near.
    const BY_TURNS: [usize; 2];
    /// Which part of the lines has to be in the octant of the one before for all of them to go together.
    const ALIKE: f32;
    /// Looks at a leaf for one of them; may lower its end, or stop it.
    fn leaf<L: SimdF32>(&mut self, traveller: &mut Traveller<Self::Note>, leaf: Leaf) -> ControlFlow<()>;
    /// Looks at a leaf for some lines of a packet, as bits; or not, if that is better done for one after the other.
    #[inline(always)]
    fn look<L: SimdF32>(
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
    /// What all leaves take, in bytes, for those who go by turns where that is much.
    fn bytes(&self) -> usize {
        0
    }
}

impl<N: Default> Traveller<N> {
    #[inline(always)]
    pub(crate) fn look<L: SimdF32>(&mut self, leaf: Leaf, crowd: &mut impl Crowd<Note = N>) {
        // It may have come to its end meanwhile.
        if !(self.end < 0.0) && crowd.leaf::<L>(self, leaf).is_break() {
            self.end = f32::NEG_INFINITY;
        }
    }
}
