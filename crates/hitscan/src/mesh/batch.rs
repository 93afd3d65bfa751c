//! Many lines through one mesh.

use super::pace::Pace;
use super::search::{Asking, Blocks, Shot};
use crate::accel::{Path, Single, Tree};
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
            out.iter_mut().zip(answers).for_each(|(out, answer)| *out = convert(answer));
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
        let (tree, blocks) = (waiting.tree, waiting.blocks);
        if way == Way::InTurn {
            while let Some((number, line, mut asking, end)) = waiting.next::<L>() {
                let ended = tree.walk_in_f32::<L>(&line, end, &mut asking);
                answers[number] = asking.answer(ended);
            }
            return waiting.unusual;
        }
        let mut under_way: SmallVec<[Traveller<A>; UNDER_WAY]> = SmallVec::new();
        while under_way.len() < UNDER_WAY
            && let Some((number, line, asking, end)) = waiting.next::<L>()
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
            match waiting.next::<L>() {
                Some((number, line, asking, end)) => {
                    traveller.path.start_again(tree, end);
                    (traveller.number, traveller.line, traveller.asking) = (number, line, asking);
                }
                None => drop(under_way.swap_remove(i)),
            }
        }
        waiting.unusual
    }
}
