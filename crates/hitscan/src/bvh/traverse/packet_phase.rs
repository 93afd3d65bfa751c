//! Traversal of a packet of rays: nodes by intervals, leaves with rays as lanes.

use crate::bvh::bvh::Tree;
use crate::bvh::node::{Leaf, Planes, WIDTH};
use crate::bvh::prepared_ray::Single;
use crate::bvh::traverse::packet::{FEW, Packet};
use crate::bvh::traverse::stream_ray::Traveller;
use crate::bvh::traverse::stream_visitor::Crowd;
use crate::simd::lanes::SimdF32;

impl Packet {
    /// Looks at a leaf, the box of which is one of a node, for those lines that may meet it.
    #[inline(always)]
    pub(crate) fn look<L: SimdF32, C: Crowd>(
        &mut self,
        leaf: Leaf,
        (planes, at): (&Planes, usize),
        travellers: &mut [Traveller<C::Note>],
        tree: &Tree,
        crowd: &mut C,
    ) {
        let lanes = self.enter::<L>(planes, at);
        if lanes == 0 {
            return;
        }
        self.leaves += 1;
        self.looks += lanes.count_ones();
        if lanes.count_ones() <= FEW || !crowd.look::<L>(self, travellers, lanes, leaf) {
            self.each::<L, C>(travellers, lanes, leaf, tree, crowd);
        }
        self.last = L::load(&self.end).most();
    }

    /// Looks at a leaf for some lines, one after the other.
    #[inline(always)]
    fn each<L: SimdF32, C: Crowd>(
        &mut self,
        travellers: &mut [Traveller<C::Note>],
        mut lanes: u32,
        leaf: Leaf,
        tree: &Tree,
        crowd: &mut C,
    ) {
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % WIDTH;
            lanes &= lanes - 1;
            let traveller = self.traveller(travellers, lane);
            if self.ready >> lane & 1 == 0
                && let Some((aim, _)) = crowd.aim(traveller.number)
            {
                traveller.line = Single::of_ordinary(&aim, tree.largest);
                self.ready |= 1 << lane;
            }
            traveller.look::<L>(leaf, crowd);
            self.end[lane] = traveller.end;
        }
    }
}
