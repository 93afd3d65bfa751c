//! Many lines through one mesh: several are under way at a time, so that each one's wait for memory is the others' time
//! to compute.

use super::search::{Blocks, Nearest, Shot, Unusual};
use crate::Hit;
use crate::accel::{Ended, Path, Single, Tree};
use crate::simd::{Lanes, Task, vectorized};
use core::ops::ControlFlow;
use glam::Vec3;

/// Lines under way: enough to hide the wait for the main memory behind the steps of the others.
const UNDER_WAY: usize = 8;

/// What is known of one line in the end.
pub(super) type Answer = Result<Option<Hit<Vec3>>, Unusual>;

impl Blocks {
    /// The first hit of each line, the same as that of [`first`](Self::first).
    #[inline(never)]
    pub(super) fn first_of_each(&self, tree: &Tree, shots: &[Shot], out: &mut [Answer]) {
        vectorized(FirstOfEach { blocks: self, tree, shots, out });
    }
}

struct FirstOfEach<'a> {
    blocks: &'a Blocks,
    tree: &'a Tree,
    shots: &'a [Shot],
    out: &'a mut [Answer],
}

/// One line under way.
struct Traveller<'a> {
    number: usize,
    line: Single,
    nearest: Nearest<'a>,
    path: Path,
}

impl Task for FirstOfEach<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { blocks, tree, shots, out } = self;
        let mut waiting = shots.iter().enumerate();
        let mut start = |out: &mut [Answer]| {
            for (number, shot) in waiting.by_ref() {
                match shot.line() {
                    Some(line) => {
                        let (nearest, end) = blocks.ask(shot, f32::INFINITY);
                        return Some(Traveller { number, line, nearest, path: Path::new(tree, end) });
                    }
                    None => out[number] = Err(Unusual),
                }
            }
            None
        };
        let mut under_way: [Option<Traveller>; UNDER_WAY] = core::array::from_fn(|_| start(out));
        while under_way[0].is_some() {
            for i in 0..UNDER_WAY {
                let Some(Traveller { number, line, nearest, path }) = &mut under_way[i] else { break };
                match path.step::<L, _>(tree, line, nearest) {
                    ControlFlow::Continue(()) => path.fetch(tree, &blocks.0),
                    ControlFlow::Break(Ended::Finished | Ended::Stopped) => {
                        out[*number] = Ok(nearest.hit());
                        under_way[i] = start(out);
                        if under_way[i].is_none() {
                            // Those under way stay together.
                            let last = under_way.iter().rposition(Option::is_some).filter(|&last| last > i);
                            last.into_iter().for_each(|last| under_way.swap(i, last));
                        }
                    }
                }
            }
        }
    }
}
