//! Many lines to the parts of a tree, whatever these are: told by a call, so that all kinds share one code.

use super::stream::{Crowd, Stream, Traveller};
use super::tree::{Leaf, Tree, above};
use crate::simd::{Lanes, Task, vectorized};
use core::ops::ControlFlow;

/// What is done about one part for one line, by the place of the one and the number of the other: it may lower the end, or stop the line.
type Look<'a> = dyn FnMut(u32, u32, &mut f64) -> ControlFlow<()> + 'a;

impl Tree {
    /// Looks at every part that a line of a stream may meet, and perhaps at others; near ones first, as far as lines that go
    /// together agree about that. `fetch` asks for the memory of a part that is looked at soon.
    #[inline(never)]
    pub(crate) fn visit_together<'a>(
        &'a self,
        stream: &mut Stream<()>,
        look: &'a mut Look<'a>,
        fetch: &'a dyn Fn(u32),
    ) {
        vectorized(Together { tree: self, stream, crowd: EachPart { look, fetch } });
    }
}

struct Together<'a, 'b> {
    tree: &'a Tree,
    stream: &'b mut Stream<()>,
    crowd: EachPart<'a>,
}

impl Task for Together<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { tree, stream, mut crowd } = self;
        stream.run::<L, _>(tree, &mut crowd);
    }
}

/// Looks at the parts of a leaf one by one.
struct EachPart<'a> {
    look: &'a mut Look<'a>,
    fetch: &'a dyn Fn(u32),
}

impl Crowd for EachPart<'_> {
    type Note = ();
    /// Parts are somewhere in memory.
    const BY_TURNS: usize = 4;
    const ALIKE: f32 = 0.5;
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, traveller: &mut Traveller<()>, leaf: Leaf) -> ControlFlow<()> {
        // What lies beyond a limit that was rounded up need not be found either.
        let mut limit = f64::from(traveller.end);
        for place in leaf.places() {
            (self.look)(traveller.number, place, &mut limit)?;
        }
        traveller.end = above(limit);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        leaf.places().for_each(|place| (self.fetch)(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accel::{Quality, numbered};
    use crate::{Aabb, Cast, Ray};
    use alloc::vec::Vec;
    use glam::DVec3;

    /// Which parts each line is shown, where nothing ends it: the same by itself, by lists, and by turns.
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
        for (rays, together) in [(across, false), (along, true)] {
            let mut stream = Stream::new();
            stream.begin(rays.len());
            let mut alone = Vec::new();
            for (number, ray) in (0..).zip(&rays) {
                let raw = Cast::<DVec3>::raw(ray);
                let line = tree.single(&raw, 0.0).expect("an ordinary line");
                stream.add(number, line, f32::MAX);
                let part = |part: u32, _: &mut f64| {
                    alone.push((number, part));
                    ControlFlow::Continue(())
                };
                let mut parts = crate::accel::Parts { part, limit: f64::from(f32::MAX) };
                assert!(tree.visit(&raw, 0.0, f64::from(f32::MAX), &mut parts).is_continue());
            }
            assert_eq!(stream.go_together::<EachPart>(), together);
            let (mut shown, mut stopped) = (Vec::new(), Vec::new());
            let mut look = |line: u32, part: u32, _: &mut f64| {
                shown.push((line, part));
                ControlFlow::Continue(())
            };
            tree.visit_together(&mut stream, &mut look, &|_| {});
            shown.sort_unstable();
            alone.sort_unstable();
            assert!(alone.len() > 1000, "{}", alone.len());
            assert_eq!(shown, alone);
            // A line that is stopped is shown nothing more.
            let mut look = |line: u32, _: u32, _: &mut f64| {
                stopped.push(line);
                ControlFlow::Break(())
            };
            tree.visit_together(&mut stream, &mut look, &|_| {});
            alone.dedup_by_key(|(line, _)| *line);
            stopped.sort_unstable();
            assert!(stopped.iter().eq(alone.iter().map(|(line, _)| line)));
        }
    }
}
