//! Which way of casting many lines is the faster one: whether several under way at a time pay depends on the mesh, the lines,
//! and the caches of the machine, so that it is measured as they are cast.

use super::batch::Way::{self, InTurn, SideBySide, Together};

/// Every so many pieces one of the slower ways is tried again.
const TRIAL: usize = 16;

const WAYS: [Way; 3] = [InTurn, Together, SideBySide];

/// How fast each way was lately. Where there is no clock, lines are cast in turn.
#[derive(Default)]
pub(super) struct Pace {
    pieces: usize,
    /// Seconds a line, way by way.
    seconds: [Option<f64>; WAYS.len()],
}

impl Pace {
    /// Casts a piece of so many lines one way or another.
    pub(super) fn cast<R>(&mut self, lines: usize, cast: impl FnOnce(Way) -> R) -> R {
        let way = self.way();
        let (result, seconds) = timed(|| cast(way));
        self.pieces += 1;
        self.note(way, seconds.map(|seconds| seconds / lines as f64));
        result
    }

    fn way(&self) -> Way {
        let [Some(in_turn), together, side_by_side] = self.seconds else { return InTurn };
        let Some(together) = together else { return Together };
        let Some(side_by_side) = side_by_side else { return SideBySide };
        let mut ways = [(in_turn, InTurn), (together, Together), (side_by_side, SideBySide)];
        ways.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let trial = self.pieces.is_multiple_of(TRIAL);
        // The slower ways take turns.
        ways[if trial { 1 + self.pieces / TRIAL % 2 } else { 0 }].1
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

    /// How often each way is taken, if lines take so long.
    fn taken(pieces: usize, seconds: impl Fn(Way) -> Option<f64>) -> [usize; 3] {
        let (mut pace, mut taken) = (Pace::default(), [0; 3]);
        for _ in 0..pieces {
            let way = pace.way();
            taken[way as usize] += 1;
            pace.pieces += 1;
            pace.note(way, seconds(way));
        }
        taken
    }

    #[test]
    fn the_fastest_way_is_taken_and_the_others_are_tried() {
        let faster = |fast: Way| move |way: Way| Some(if way == fast { 1.0 } else { 2.0 });
        for fast in WAYS {
            let times = taken(160, faster(fast));
            // Each one once to begin with, and then every sixteenth time one of the slower ones.
            assert_eq!(times[fast as usize], 149, "{times:?}");
            assert!(times.iter().all(|n| *n >= 5), "{times:?}");
        }
        assert_eq!(taken(160, |_| None), [160, 0, 0]);
    }

    #[test]
    fn an_interruption_changes_nothing() {
        let mut pace = Pace::default();
        pace.note(InTurn, Some(1.0));
        pace.note(Together, Some(1.5));
        pace.note(SideBySide, Some(1.6));
        pace.note(InTurn, Some(100.0));
        pace.pieces = 5;
        assert_eq!(pace.way(), InTurn);
    }
}
