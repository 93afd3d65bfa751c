//! Many lines through one mesh.

use super::pace::Pace;
use super::search::{Asking, Blocks, Shot};
use crate::accel::{Ended, LINES, Packet, Path, Single, Tree};
use crate::math::Vector;
use crate::simd::{Lanes, Task, vectorized};
use crate::{Cast, Query};
use alloc::vec::Vec;
use core::marker::PhantomData;
use smallvec::SmallVec;

/// How lines are taken. The answers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// One after the other.
    InTurn,
    /// Several are under way at a time, so that each one's wait for memory is the others' time to compute.
    Together,
    /// Eight go side by side from node to node, as neighbours of a camera do.
    SideBySide,
}

/// Lines under way: enough to hide the wait for the main memory behind the steps of the others.
const UNDER_WAY: usize = 8;

/// Lines that are handed on at a time: few enough for the nearest memory.
const TOGETHER: usize = 128;

impl Blocks {
    /// The answer about each line, in the words of `convert`; about an unusual one what it has `alone`.
    pub(super) fn each<'a, V: Vector, A: Asking<'a>, O, C: Cast<V>>(
        &'a self,
        tree: &Tree,
        (casts, query): (&[C], &Query<V::Scalar>),
        out: &mut [O],
        convert: impl Fn(A::Answer) -> O,
        alone: impl Fn(&C) -> O,
    ) {
        let (mut answers, mut pace) = ([A::Answer::default(); TOGETHER], Pace::default());
        for (casts, out) in casts.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            let shots: SmallVec<[Shot; TOGETHER]> = casts.iter().map(|cast| Shot::new(&cast.raw(), query)).collect();
            let unusual = pace.cast(casts.len(), |way| self.some::<A>(tree, &shots, &mut answers, way));
            out.iter_mut().zip(&answers).for_each(|(out, answer)| *out = convert(*answer));
            unusual.into_iter().for_each(|i| out[i] = alone(&casts[i]));
        }
    }

    /// The answer about each of some lines, the same as about that line alone; the numbers of the unusual ones.
    #[inline(never)]
    fn some<'a, A: Asking<'a>>(
        &'a self,
        tree: &Tree,
        shots: &[Shot],
        answers: &mut [A::Answer],
        way: Way,
    ) -> Vec<usize> {
        let waiting = Waiting { blocks: self, tree, shots, next: 0, unusual: Vec::new(), asking: PhantomData::<A> };
        vectorized(Each { waiting, answers, way })
    }
}

struct Each<'s, 'a, A: Asking<'a>> {
    waiting: Waiting<'s, 'a, A>,
    answers: &'s mut [A::Answer],
    way: Way,
}

/// The lines that have not set out.
struct Waiting<'s, 'a, A> {
    blocks: &'a Blocks,
    tree: &'s Tree,
    shots: &'s [Shot],
    next: usize,
    unusual: Vec<usize>,
    asking: PhantomData<A>,
}

impl<'a, A: Asking<'a>> Waiting<'_, 'a, A> {
    /// The next one, and where it ends.
    #[inline(always)]
    fn next<L: Lanes>(&mut self) -> Option<(usize, Single, A, f32)> {
        loop {
            let (number, shot) = (self.next, self.shots.get(self.next)?);
            self.next += 1;
            match shot.line::<L>(self.tree) {
                Some(line) => return Some((number, line, A::about(self.blocks, shot), shot.t_max)),
                None => self.unusual.push(number),
            }
        }
    }

    /// Answers about those that are left up to `end`, one after the other.
    #[inline(always)]
    fn in_turn<L: Lanes>(&mut self, end: usize, answers: &mut [A::Answer]) {
        while self.next < end
            && let Some((number, line, mut asking, end)) = self.next::<L>()
        {
            let ended = self.tree.walk_in_f32::<L>(&line, end, &mut asking);
            answers[number] = asking.answer(ended);
        }
    }

    /// Answers about all, several under way at a time.
    #[inline(always)]
    fn together<L: Lanes>(&mut self, answers: &mut [A::Answer]) {
        let (tree, blocks) = (self.tree, self.blocks);
        let mut under_way: SmallVec<[Traveller<A>; UNDER_WAY]> = SmallVec::new();
        while under_way.len() < UNDER_WAY
            && let Some((number, line, asking, end)) = self.next::<L>()
        {
            under_way.push(Traveller { number, line, asking, path: Path::new(tree, end) });
        }
        let mut i = 0;
        while !under_way.is_empty() {
            i = if i + 1 < under_way.len() { i + 1 } else { 0 };
            let traveller = &mut under_way[i];
            let Traveller { line, asking, path, .. } = traveller;
            let Some(ended) = path.step::<L, _>(tree, line, asking).break_value() else {
                path.fetch(tree, &blocks.0);
                continue;
            };
            answers[traveller.number] = asking.answer(ended);
            // In place: there is a stack in it.
            match self.next::<L>() {
                Some((number, line, asking, end)) => {
                    traveller.path.start_again(tree, end);
                    (traveller.number, traveller.line, traveller.asking) = (number, line, asking);
                }
                None => drop(under_way.swap_remove(i)),
            }
        }
    }

    /// Answers about all, eight side by side where they are alike enough.
    #[inline(always)]
    fn side_by_side<L: Lanes>(&mut self, answers: &mut [A::Answer]) {
        while self.next < self.shots.len() {
            let shots = self.shots[self.next..].first_chunk::<LINES>();
            let packet = shots.and_then(|shots| Packet::new::<L>(shots.each_ref().map(Shot::aim), self.tree));
            let Some((shots, packet)) = shots.zip(packet) else {
                self.in_turn::<L>(self.next + LINES, answers);
                continue;
            };
            let mut asking = shots.each_ref().map(|shot| A::about(self.blocks, shot));
            let stopped = packet.walk::<L, _>(self.tree, shots.each_ref().map(|shot| shot.t_max), &mut asking);
            for (i, asking) in asking.iter().enumerate() {
                let ended = if stopped >> i & 1 == 1 { Ended::Stopped } else { Ended::Finished };
                answers[self.next + i] = asking.answer(ended);
            }
            self.next += LINES;
        }
    }
}

/// One line under way.
struct Traveller<A> {
    number: usize,
    line: Single,
    asking: A,
    path: Path,
}

impl<'a, A: Asking<'a>> Task for Each<'_, 'a, A> {
    type Output = Vec<usize>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<usize> {
        let Self { mut waiting, answers, way } = self;
        match way {
            Way::InTurn => waiting.in_turn::<L>(waiting.shots.len(), answers),
            Way::SideBySide => waiting.side_by_side::<L>(answers),
            Way::Together => waiting.together::<L>(answers),
        }
        waiting.unusual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::search::{Nearest, Occlusion};
    use crate::{Faces, Ray, Shape, TriangleMesh};
    use alloc::vec;
    use glam::Vec3;

    /// A hilly square of 32 x 32 cells, seen from above.
    fn hills() -> TriangleMesh<Vec3> {
        let height = |x: u32, z: u32| ((x * 7 + z * 13) % 11) as f32 * 0.1;
        let vertices = (0..33 * 33).map(|i| Vec3::new((i % 33) as f32, height(i % 33, i / 33), (i / 33) as f32));
        let cell = |i: u32| [[i, i + 33, i + 1], [i + 1, i + 33, i + 34]];
        let cells = (0..32 * 33).filter(|i| i % 33 < 32).flat_map(cell);
        TriangleMesh::new(vertices.collect(), cells.collect()).expect("a mesh")
    }

    /// A camera's, past all edges; some of them parallel to axes, some turned around, of other size, or no rays at all.
    fn rays() -> Vec<Ray<Vec3>> {
        let eye = Vec3::new(13.0, 20.0, 11.0);
        let ray = |i: u32| {
            let towards = Vec3::new((i % 64) as f32 * 0.6 - 3.0, 0.0, (i / 64) as f32 * 0.6 - 3.0) - eye;
            match i % 67 {
                0 => Ray::new(eye, -towards),
                1 => Ray::new(eye, -Vec3::Y),
                2 => Ray::new(eye * 1e30, towards),
                3 => Ray::new(eye, Vec3::ZERO),
                _ => Ray::new(eye, towards),
            }
        };
        (0..64 * 64).map(ray).collect()
    }

    #[test]
    fn every_way_has_the_same_answers() {
        let (mesh, rays) = (hills(), rays());
        let (blocks, tree) = mesh.side_by_side().expect("an ordinary mesh");
        let mut packets = 0;
        let queries = [
            Query::new(),
            Query::from(0.9..=1.0).faces(Faces::Front),
            Query::from(..=f32::NEG_INFINITY),
            Query::from(..=f32::NAN),
            Query::from(-1.0..),
        ];
        for query in queries {
            for rays in rays.chunks(TOGETHER) {
                let shots: Vec<Shot> = rays.iter().map(|ray| Shot::new(&Cast::<Vec3>::raw(ray), &query)).collect();
                let aims = shots.chunks_exact(LINES).map(|shots| core::array::from_fn(|i| shots[i].aim()));
                packets += aims.filter(|aims| Packet::new::<[f32; LINES]>(*aims, tree).is_some()).count();
                let mut all = [Way::InTurn, Way::Together, Way::SideBySide].map(|way| {
                    let (mut hits, mut any) = (vec![None; rays.len()], vec![false; rays.len()]);
                    let unusual = blocks.some::<Nearest>(tree, &shots, &mut hits, way);
                    assert_eq!(blocks.some::<Occlusion>(tree, &shots, &mut any, way), unusual);
                    (hits, any, unusual)
                });
                all.iter_mut().for_each(|(.., unusual)| unusual.sort_unstable());
                let (hits, any, unusual) = &all[0];
                assert!(all[1..].iter().all(|other| *other == all[0]), "{query:?}");
                for (i, ray) in rays.iter().enumerate().filter(|(i, _)| !unusual.contains(i)) {
                    let alone = (mesh.cast_ray(ray, query), mesh.intersects_ray(ray, query));
                    assert_eq!((hits[i], any[i]), alone, "{ray:?} {query:?}");
                }
            }
        }
        assert!(packets > 500, "{packets}");
    }
}
