//! Many lines to the parts of a tree, whatever these are: told by a call, so that all kinds share one code.

use crate::bvh::bvh::Tree;
use crate::bvh::node::Leaf;
use crate::bvh::ray::Aim;
use crate::bvh::traverse::stream::Stream;
use crate::bvh::traverse::stream_ray::Traveller;
use crate::bvh::traverse::stream_visitor::Crowd;
use crate::math::rounding::above;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// What is done about one part for one line, by the place of the one and the number of the other: it may lower the end, or stop
/// the line.
type Look<'a> = dyn FnMut(u32, u32, &mut f64) -> ControlFlow<()> + 'a;

impl Tree {
    /// Looks at every part that a line of a stream may meet, and perhaps at others; near ones first, as far as lines that go
    /// together agree about that. `fetch` asks for the memory of a part that is looked at soon.
    #[inline(never)]
    pub(crate) fn visit_together<'a>(
        &'a self,
        stream: &mut Stream<()>,
        aims: &'a [Option<(Aim, f32)>],
        look: &'a mut Look<'a>,
        fetch: &'a dyn Fn(u32),
    ) {
        let mut crowd = EachPart { aims, look, fetch };
        stream.run(aims.len() as u32, self, &mut crowd);
    }
}

/// Looks at the parts of a leaf one by one.
struct EachPart<'a> {
    /// How each line goes, and up to where.
    aims: &'a [Option<(Aim, f32)>],
    look: &'a mut Look<'a>,
    fetch: &'a dyn Fn(u32),
}

impl Crowd for EachPart<'_> {
    type Note = ();
    /// Parts are somewhere in memory.
    const BY_TURNS: [usize; 2] = [4, 4];
    const ALIKE: f32 = 0.5;
    #[inline(always)]
    fn leaf<L: SimdF32>(&mut self, traveller: &mut Traveller<()>, leaf: Leaf) -> ControlFlow<()> {
        // What lies beyond a limit that was rounded up need not be found either.
        let mut limit = f64::from(traveller.end);
        for place in leaf.places() {
            (self.look)(traveller.number, place, &mut limit)?;
        }
        traveller.end = above(limit);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn aim(&self, number: u32) -> Option<(Aim, f32)> {
        self.aims[number as usize]
    }
    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        leaf.places().for_each(|place| (self.fetch)(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::build::prim_ref::numbered;
    use crate::bvh::options::Quality;
    use crate::{Aabb, Ray, RayLike};
    use alloc::vec::Vec;
    use glam::DVec3;

    /// Which parts each line is shown, where nothing ends it: the same by itself, by lists, by turns and in packets.
    #[test]
    fn every_way_shows_the_same_parts() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        let mut vector = || DVec3::new(next(), next(), next());
        let around = |center: DVec3| Aabb { min: center - DVec3::splat(0.08), max: center + DVec3::splat(0.08) };
        let boxes: Vec<Aabb<DVec3>> = (0..2000).map(|_| around(vector())).collect();
        let tree = Tree::build::<DVec3>(numbered(&boxes), Quality::Default, [2, 1], None);
        let across: Vec<_> = (0..500).map(|_| Ray::new(vector() * 2.0, vector())).collect();
        let along: Vec<_> = across.iter().map(|ray| Ray::new(ray.origin, ray.direction.abs())).collect();
        // A camera's, near and far, and one that moves in a plane; every third place has one of another kind.
        let eyes = [DVec3::new(0.1, 0.2, 3.0), DVec3::new(-900.0, 700.0, 20.0), DVec3::new(0.0, -2.0, 0.5)];
        let mul_sign = |eye: usize, i: usize| {
            let pixel = DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, (i / 64) as f64) * 0.01;
            let direction = pixel + DVec3::splat(0.1) - eyes[eye];
            if eye == 2 { DVec3::new(direction.x, direction.y, 0.0) } else { direction }
        };
        let seen: Vec<_> = (0..512).map(|i| Ray::new(eyes[i / 16 % 3], mul_sign(i / 16 % 3, i))).collect();
        // So far apart that hardly two of them come to one leaf.
        let pixel = |i: usize| DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, 0.0) * 0.4 - DVec3::new(1.4, 1.4, 0.0);
        let apart: Vec<_> = (0..512).map(|i| Ray::new(eyes[1], pixel(i) - eyes[1])).collect();
        for (rays, together, in_packets, pays) in [
            (across, false, false, false),
            (along, true, false, false),
            (seen, false, true, true),
            (apart, false, true, false),
        ] {
            let (mut stream, mut alone, mut aims) = (Stream::new(), Vec::new(), Vec::new());
            for (number, ray) in (0..).zip(&rays) {
                let raw = RayLike::<DVec3>::raw(ray);
                aims.push(tree.aim(&raw, 0.0).map(|aim| (aim, f32::MAX)));
                let part = |part: u32, _: &mut f64| {
                    alone.push((number, part));
                    ControlFlow::Continue(())
                };
                let mut parts = crate::bvh::traverse::visitor::Parts { part, limit: f64::from(f32::MAX) };
                assert!(tree.visit(&raw, 0.0, f64::from(f32::MAX), &mut parts).is_continue());
            }
            alone.sort_unstable();
            assert!(alone.len() > 2 * rays.len(), "{}", alone.len());
            // Some turn from one octant to another.
            let mut shown = Vec::new();
            let mut look = |line: u32, part: u32, _: &mut f64| {
                shown.push((line, part));
                ControlFlow::Continue(())
            };
            tree.visit_together(&mut stream, &aims, &mut look, &|_| {});
            assert_eq!(stream.packed() > rays.len() / 2, in_packets);
            assert!(in_packets || stream.go_together::<EachPart>() == together);
            shown.sort_unstable();
            assert_eq!(shown, alone);
            // A line that is stopped is shown nothing more. Where packets did not pay there are none the next time.
            let mut stopped = Vec::new();
            let mut look = |line: u32, _: u32, _: &mut f64| {
                stopped.push(line);
                ControlFlow::Break(())
            };
            tree.visit_together(&mut stream, &aims, &mut look, &|_| {});
            assert_eq!(stream.packed() > 0, in_packets && pays);
            alone.dedup_by_key(|(line, _)| *line);
            stopped.sort_unstable();
            assert!(stopped.iter().eq(alone.iter().map(|(line, _)| line)));
        }
    }
}
