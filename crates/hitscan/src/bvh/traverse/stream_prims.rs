//! Stream traversal for arbitrary primitives. A dynamic call tests each primitive, so that all kinds share one compiled
//! traversal.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::Leaf;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::stream::RayStream;
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::math::rounding::round_up_f32;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// Primitive test: takes the number of the ray, the slot of the primitive and the ray's end. It may lower the end, or
/// stop the ray.
type Look<'a> = dyn FnMut(u32, u32, &mut f64) -> ControlFlow<()> + 'a;

/// The memory of primitives, by their slots.
#[derive(Clone, Copy)]
pub(crate) struct PrimMemory<'a> {
    /// Prefetches a primitive, before its test.
    pub(crate) fetch: &'a dyn Fn(u32),
    /// Prefetches what the primitive points to, once it is there; false if that is nothing.
    pub(crate) fetch_rest: &'a dyn Fn(u32) -> bool,
    /// The bytes of all primitives.
    pub(crate) bytes: usize,
}

impl Bvh16 {
    /// Visits every primitive that a ray of the stream may hit, and perhaps others, in approximate front-to-back order.
    #[inline(never)]
    pub(crate) fn traverse_stream<'a>(
        &'a self,
        stream: &mut RayStream<()>,
        aims: &'a [Option<(RayF32, f32)>],
        look: &'a mut Look<'a>,
        memory: PrimMemory<'a>,
    ) {
        let mut visitor = EachPrim { aims, look, memory };
        stream.run(aims.len() as u32, self, &mut visitor);
    }
}

/// Stream visitor that tests the primitives of a leaf one at a time.
struct EachPrim<'a> {
    /// Each ray, and its end.
    aims: &'a [Option<(RayF32, f32)>],
    look: &'a mut Look<'a>,
    memory: PrimMemory<'a>,
}

impl StreamVisitor for EachPrim<'_> {
    type Payload = ();
    const INTERLEAVE: [usize; 2] = [1, 4];
    /// One object is tested in less time than sixteen triangles: rays wait for the second cache already.
    const CACHE_BYTES: usize = 4 << 20;
    const MIN_COHERENCE: f32 = 0.5;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(&mut self, ray: &mut StreamRay<()>, leaf: Leaf) -> ControlFlow<()> {
        // Rounding the limit up only adds candidates.
        let mut limit = f64::from(ray.end);
        for slot in leaf.slots() {
            (self.look)(ray.number, slot, &mut limit)?;
        }
        ray.end = round_up_f32(limit);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn aim(&self, number: u32) -> Option<(RayF32, f32)> {
        self.aims[number as usize]
    }
    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        leaf.slots().for_each(|slot| (self.memory.fetch)(slot));
    }
    #[inline(always)]
    fn fetch_rest(&self, leaf: Leaf) -> bool {
        leaf.slots().fold(false, |takes_time, slot| (self.memory.fetch_rest)(slot) | takes_time)
    }
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.memory.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::bounds::Bounds;
    use crate::bvh::build::prim_ref::PrimRef;
    use crate::bvh::options::Quality;
    use crate::bvh::traverse::visitor::PrimVisitor;
    use crate::{Aabb, Ray, RayLike};
    use alloc::vec::Vec;
    use glam::DVec3;
    use test_support::random::Lcg;

    const NO_MEMORY: PrimMemory<'_> = PrimMemory { fetch: &|_| {}, fetch_rest: &|_| false, bytes: 0 };

    /// All traversals visit the same (ray, primitive) pairs when no ray stops: single rays, lists, interleaved rays,
    /// packets.
    #[test]
    fn every_traversal_visits_the_same_primitives() {
        let mut rng = Lcg::new(1);
        let mut vector = || DVec3::from_array([0; 3].map(|_| rng.signed_unit()));
        let around = |center: DVec3| Aabb { min: center - DVec3::splat(0.08), max: center + DVec3::splat(0.08) };
        // A tree of many small boxes.
        let boxes = (0..2000).map(|part| PrimRef::new(Bounds::around(&around(vector())), part)).collect();
        let tree = Bvh16::build::<DVec3>(boxes, Quality::Default, [2, 1], None);
        // Rays across the tree have all directions; rays along it share an octant, so lists pay.
        let across: Vec<_> = (0..500).map(|_| Ray::new(vector() * 2.0, vector())).collect();
        let along: Vec<_> = across.iter().map(|ray| Ray::new(ray.origin, ray.direction.abs())).collect();
        // Rays of three cameras: near, far, and one with directions in a plane. Every third packet belongs to another
        // camera.
        let eyes = [DVec3::new(0.1, 0.2, 3.0), DVec3::new(-900.0, 700.0, 20.0), DVec3::new(0.0, -2.0, 0.5)];
        let direction = |eye: usize, i: usize| {
            let pixel = DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, (i / 64) as f64) * 0.01;
            let towards = pixel + DVec3::splat(0.1) - eyes[eye];
            if eye == 2 { DVec3::new(towards.x, towards.y, 0.0) } else { towards }
        };
        let seen: Vec<_> = (0..512).map(|i| Ray::new(eyes[i / 16 % 3], direction(i / 16 % 3, i))).collect();
        // Pixels so far from each other that few rays share a leaf.
        let pixel = |i: usize| DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, 0.0) * 0.4 - DVec3::new(1.4, 1.4, 0.0);
        let sparse: Vec<_> = (0..512).map(|i| Ray::new(eyes[1], pixel(i) - eyes[1])).collect();
        for (rays, is_coherent, in_packets, pays) in [
            (across, false, false, false),
            (along, true, false, false),
            (seen, false, true, true),
            (sparse, false, true, false),
        ] {
            // What single rays visit is the truth, pair by pair.
            let (mut stream, mut single, mut aims) = (RayStream::new(), Vec::new(), Vec::new());
            for (number, ray) in (0..).zip(&rays) {
                let raw = RayLike::<DVec3>::raw(ray);
                aims.push(RayF32::of(&raw, 0.0, tree.largest).map(|aim| (aim, f32::MAX)));
                let part = |part: u32, _: &mut f64| {
                    single.push((number, part));
                    ControlFlow::Continue(())
                };
                let mut prim_ids = PrimVisitor::<_, _, true> { part, limit: f64::from(f32::MAX), fetch: |_| {} };
                assert!(tree.visit(&raw, 0.0, f64::from(f32::MAX), &mut prim_ids).is_continue());
            }
            single.sort_unstable();
            assert!(single.len() > 2 * rays.len(), "{}", single.len());
            // The stream contains rays of several octants.
            let mut shown = Vec::new();
            let mut look = |line: u32, part: u32, _: &mut f64| {
                shown.push((line, part));
                ControlFlow::Continue(())
            };
            tree.traverse_stream(&mut stream, &aims, &mut look, NO_MEMORY);
            assert_eq!(stream.packed() > rays.len() / 2, in_packets);
            assert!(in_packets || stream.is_coherent::<EachPrim>() == is_coherent);
            shown.sort_unstable();
            assert_eq!(shown, single);
            // A stopped ray visits nothing more. The next stream builds no packets if packets did not pay in this one.
            let mut stopped = Vec::new();
            let mut look = |line: u32, _: u32, _: &mut f64| {
                stopped.push(line);
                ControlFlow::Break(())
            };
            tree.traverse_stream(&mut stream, &aims, &mut look, NO_MEMORY);
            assert_eq!(stream.packed() > 0, in_packets && pays);
            single.dedup_by_key(|(line, _)| *line);
            stopped.sort_unstable();
            assert!(stopped.iter().eq(single.iter().map(|(line, _)| line)));
        }
    }

    /// Rays in flight visit the same primitives where some of these have more memory to fetch.
    #[test]
    fn a_second_fetch_changes_no_visit() {
        let mut rng = Lcg::new(3);
        let mut vector = || DVec3::from_array([0; 3].map(|_| rng.signed_unit()));
        let around = |center: DVec3| Aabb { min: center - DVec3::splat(0.08), max: center + DVec3::splat(0.08) };
        // The same tree as above, and rays of all directions.
        let boxes = (0..2000).map(|part| PrimRef::new(Bounds::around(&around(vector())), part)).collect();
        let tree = Bvh16::build::<DVec3>(boxes, Quality::Default, [2, 1], None);
        let rays: Vec<_> = (0..500).map(|_| RayLike::<DVec3>::raw(&Ray::new(vector() * 2.0, vector()))).collect();
        let aims: Vec<_> =
            rays.iter().map(|raw| RayF32::of(raw, 0.0, tree.largest).map(|aim| (aim, f32::MAX))).collect();
        // Some primitives have more to fetch: their rays take one step more.
        let fetched = core::cell::Cell::new(0);
        let fetch_rest = |slot: u32| {
            fetched.set(fetched.get() + 1);
            slot.is_multiple_of(3)
        };
        // More memory than any cache has: from the second stream on, rays are interleaved.
        let memory = PrimMemory { fetch: &|_| {}, fetch_rest: &fetch_rest, bytes: 1 << 30 };
        let (mut stream, mut visits) = (RayStream::new(), [Vec::new(), Vec::new()]);
        for shown in &mut visits {
            let mut look = |line: u32, part: u32, _: &mut f64| {
                shown.push((line, part));
                ControlFlow::Continue(())
            };
            tree.traverse_stream(&mut stream, &aims, &mut look, memory);
            shown.sort_unstable();
        }
        // The order in which memory arrives must not change what is visited.
        let [serial, interleaved] = visits;
        assert!(fetched.get() > serial.len() / 2 && serial.len() > 1000, "{fetched:?} {}", serial.len());
        assert!(serial == interleaved);
    }

    /// Rays of all directions go by lists where the tree has few nodes, and visit what single rays visit.
    #[test]
    fn rays_at_a_small_tree_go_by_lists() {
        let mut rng = Lcg::new(2);
        let mut vector = || DVec3::from_array([0; 3].map(|_| rng.signed_unit()));
        let around = |center: DVec3| Aabb { min: center - DVec3::splat(0.2), max: center + DVec3::splat(0.2) };
        // Sixty boxes: few nodes for five hundred rays.
        let boxes = (0..60).map(|part| PrimRef::new(Bounds::around(&around(vector())), part)).collect();
        let tree = Bvh16::build::<DVec3>(boxes, Quality::Default, [2, 1], None);
        // What single rays visit is the truth.
        let (mut single, mut aims, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..500 {
            let raw = RayLike::<DVec3>::raw(&Ray::new(vector() * 2.0, vector()));
            aims.push(RayF32::of(&raw, 0.0, tree.largest).map(|aim| (aim, f32::MAX)));
            let part = |part: u32, _: &mut f64| {
                single.push((number, part));
                ControlFlow::Continue(())
            };
            let mut prim_ids = PrimVisitor::<_, _, true> { part, limit: f64::from(f32::MAX), fetch: |_| {} };
            assert!(tree.visit(&raw, 0.0, f64::from(f32::MAX), &mut prim_ids).is_continue());
        }
        let mut look = |line: u32, part: u32, _: &mut f64| {
            shown.push((line, part));
            ControlFlow::Continue(())
        };
        let mut stream = RayStream::new();
        tree.traverse_stream(&mut stream, &aims, &mut look, NO_MEMORY);
        // The stream takes lists because of the few nodes, not because of coherence.
        assert!(stream.shares_nodes(&tree) && !stream.is_coherent::<EachPrim>());
        single.sort_unstable();
        shown.sort_unstable();
        assert!(shown == single && single.len() > 200, "{} {}", shown.len(), single.len());
    }
}
