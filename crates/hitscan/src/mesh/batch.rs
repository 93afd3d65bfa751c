//! Many lines through one mesh: several are under way at a time, so that each one's wait for memory is the others' time
//! to compute.

use super::search::{Blocks, Nearest, Shot};
use crate::Hit;
use crate::accel::{Path, Single, Tree};
use crate::simd::{Lanes, Task, vectorized};
use alloc::vec::Vec;
use glam::Vec3;
use smallvec::SmallVec;

/// Lines under way: enough to hide the wait for the main memory behind the steps of the others.
const UNDER_WAY: usize = 8;

impl Blocks {
    /// The first hit of each line, the same as that of [`first`](Self::first); the numbers of the unusual ones.
    #[inline(never)]
    pub(super) fn first_of_each(&self, tree: &Tree, shots: &[Shot], hits: &mut [Option<Hit<Vec3>>]) -> Vec<usize> {
        vectorized(FirstOfEach { blocks: self, tree, shots, hits })
    }
}

struct FirstOfEach<'a> {
    blocks: &'a Blocks,
    tree: &'a Tree,
    shots: &'a [Shot],
    hits: &'a mut [Option<Hit<Vec3>>],
}

/// One line under way.
struct Traveller<'a> {
    number: usize,
    line: Single,
    nearest: Nearest<'a>,
    path: Path,
}

impl Task for FirstOfEach<'_> {
    type Output = Vec<usize>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<usize> {
        let Self { blocks, tree, shots, hits } = self;
        let mut unusual = Vec::new();
        let mut waiting = shots.iter().enumerate();
        let mut next = || {
            for (number, shot) in waiting.by_ref() {
                match shot.line() {
                    Some(line) => return Some((number, line, blocks.ask(shot, f32::INFINITY))),
                    None => unusual.push(number),
                }
            }
            None
        };
        let mut under_way: SmallVec<[Traveller; UNDER_WAY]> = SmallVec::new();
        while under_way.len() < UNDER_WAY
            && let Some((number, line, (nearest, end))) = next()
        {
            under_way.push(Traveller { number, line, nearest, path: Path::new(tree, end) });
        }
        let mut i = 0;
        while !under_way.is_empty() {
            i = if i + 1 < under_way.len() { i + 1 } else { 0 };
            let traveller = &mut under_way[i];
            let Traveller { line, nearest, path, .. } = traveller;
            if path.step::<L, _>(tree, line, nearest).is_continue() {
                path.fetch(tree, &blocks.0);
                continue;
            }
            hits[traveller.number] = nearest.hit();
            // In place: there is a stack in it.
            match next() {
                Some((number, line, (nearest, end))) => {
                    traveller.path.start_again(tree, end);
                    (traveller.number, traveller.line, traveller.nearest) = (number, line, nearest);
                }
                None => drop(under_way.swap_remove(i)),
            }
        }
        unusual
    }
}
