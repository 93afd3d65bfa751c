//! Which way of casting many lines is the faster one: whether several under way at a time pay depends on the mesh, the lines,
//! and the caches of the machine, so that it is measured as they are cast.

use super::batch::Way;
use Way::{InTurn, Together};

/// Every so many pieces the other way is tried again.
const TRIAL: usize = 16;

/// How fast either way was lately. Where there is no clock, lines are cast in turn.
#[derive(Default)]
pub(super) struct Pace {
    pieces: usize,
    /// Seconds a line, in turn and together.
    seconds: [Option<f64>; 2],
}

impl Pace {
    /// Casts a piece of so many lines one way or the other.
    pub(super) fn cast<R>(&mut self, lines: usize, cast: impl FnOnce(Way) -> R) -> R {
        let way = self.way();
        let (result, seconds) = timed(|| cast(way));
        self.pieces += 1;
        self.note(way, seconds.map(|seconds| seconds / lines as f64));
        result
    }

    fn way(&self) -> Way {
        let better = match self.seconds {
            [Some(in_turn), Some(together)] if together < in_turn => Together,
            // Seen for the first time, unless nothing can be seen.
            [Some(_), None] => return Together,
            _ => InTurn,
        };
        match (better, self.pieces % TRIAL) {
            (InTurn, 0) if self.seconds[1].is_some() => Together,
            (Together, 0) => InTurn,
            _ => better,
        }
    }

    /// What takes longer than before may have been interrupted: it counts little.
    fn note(&mut self, way: Way, seconds: Option<f64>) {
        let Some(seconds) = seconds else { return };
        let known = &mut self.seconds[way as usize];
        *known = Some(known.map_or(seconds, |known| if seconds < known { seconds } else { seconds.min(known * 1.1) }));
    }
}

#[cfg(all(feature = "std", not(target_family = "wasm")))]
fn timed<R>(run: impl FnOnce() -> R) -> (R, Option<f64>) {
    let start = std::time::Instant::now();
    let result = run();
    (result, Some(start.elapsed().as_secs_f64()))
}

/// The same without a clock.
#[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
fn timed<R>(run: impl FnOnce() -> R) -> (R, Option<f64>) {
    (run(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways taken, if lines take so long.
    fn ways(pieces: usize, seconds: impl Fn(Way) -> Option<f64>) -> [usize; 2] {
        let (mut pace, mut taken) = (Pace::default(), [0; 2]);
        for _ in 0..pieces {
            let way = pace.way();
            taken[way as usize] += 1;
            pace.pieces += 1;
            pace.note(way, seconds(way));
        }
        taken
    }

    #[test]
    fn the_faster_way_is_taken_and_the_other_one_tried() {
        let faster = |fast: Way| move |way: Way| Some(if way == fast { 1.0 } else { 2.0 });
        assert_eq!(ways(160, faster(InTurn)), [150, 10]);
        assert_eq!(ways(160, faster(Together)), [10, 150]);
        assert_eq!(ways(160, |_| None), [160, 0]);
    }

    #[test]
    fn an_interruption_changes_nothing() {
        let mut pace = Pace::default();
        pace.note(InTurn, Some(1.0));
        pace.note(Together, Some(1.5));
        pace.note(InTurn, Some(100.0));
        pace.pieces = 5;
        assert_eq!(pace.way(), InTurn);
    }
}
