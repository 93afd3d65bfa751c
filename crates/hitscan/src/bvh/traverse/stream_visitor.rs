//! What a ray stream needs of its caller: [`Crowd`], and the state of each ray.

use crate::bvh::bvh::Tree;
use crate::bvh::node::{Leaf, Planes};
use crate::bvh::prepared_ray::Single;
use crate::bvh::ray::Aim;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::ray_lists::Goers;
use crate::simd::lanes::{SimdF32, prefetch};
use core::ops::ControlFlow;

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

impl<N: Default> Traveller<N> {
    #[inline(always)]
    pub(crate) fn look<L: SimdF32>(&mut self, leaf: Leaf, crowd: &mut impl Crowd<Note = N>) {
        // It may have come to its end meanwhile.
        if !(self.end < 0.0) && crowd.leaf::<L>(self, leaf).is_break() {
            self.end = f32::NEG_INFINITY;
        }
    }
}
