//! Traversal of a packet of rays: nodes by intervals, leaves with rays as lanes.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{Leaf, NodeBounds, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::traverse::packet::{MIN_ACTIVE_LANES, Packet};
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::simd::lanes::SimdF32;

impl Packet {
    /// Visits a leaf with the lanes that may hit its box, which is one child box of a node.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn look<L: SimdF32, C: StreamVisitor>(
        &mut self,
        leaf: Leaf,
        (planes, at): (&NodeBounds, usize),
        rays: &mut [StreamRay<C::Payload>],
        tree: &Bvh16,
        visitor: &mut C,
    ) {
        // The intervals let boxes pass that no ray enters: each lane is tested before the leaf.
        let lanes = self.enter::<L>(planes, at);
        if lanes == 0 {
            return;
        }
        // The average of lanes per leaf decides whether later streams use packets.
        self.leaves += 1;
        self.looks += lanes.count_ones();
        // Few lanes are tested one at a time: sixteen lanes for three rays would waste most of the work. So the visitor
        // may decide, too.
        if lanes.count_ones() <= MIN_ACTIVE_LANES || !visitor.look::<L>(self, rays, lanes, leaf) {
            self.each::<L, C>(rays, lanes, leaf, tree, visitor);
        }
        // Hits have shortened rays: the interval of the packet shrinks with the longest one.
        self.last = L::load(&self.end).reduce_max();
    }

    /// Visits a leaf with some lanes, one at a time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each<L: SimdF32, C: StreamVisitor>(
        &mut self,
        rays: &mut [StreamRay<C::Payload>],
        mut lanes: u32,
        leaf: Leaf,
        tree: &Bvh16,
        visitor: &mut C,
    ) {
        // Each lane as a ray of its own.
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % WIDTH;
            lanes &= lanes - 1;
            let ray = self.ray(rays, lane);
            // The constants of a single ray are computed when a leaf first needs them.
            if self.ready >> lane & 1 == 0
                && let Some((aim, _)) = visitor.aim(ray.number)
            {
                ray.line = PreparedRay::of_ordinary::<L>(&aim, tree.largest);
                self.ready |= 1 << lane;
            }
            ray.look::<L>(leaf, visitor);
            self.end[lane] = ray.end;
        }
    }
}
