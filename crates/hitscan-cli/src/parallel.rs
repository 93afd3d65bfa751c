//! Parallel work in pieces, with results in order.

use hitscan_io::MAX_THREADS;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of rows of a table that a thread takes at a time.
pub(crate) const PIECE_ROWS: usize = 2048;

/// The default number of threads: that of the processors.
pub(crate) fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// `--threads`: a number of threads.
pub(crate) fn thread_count(text: &str) -> Result<NonZero<usize>, String> {
    let count = text.trim().parse::<NonZero<usize>>().ok().filter(|count| count.get() <= MAX_THREADS);
    count.ok_or_else(|| format!("a whole number from 1 to {MAX_THREADS}"))
}

/// Calls `work` for pieces of `0..count` and returns the results in the order of the pieces. The pieces depend on `piece`
/// only, never on the number of threads.
pub(crate) fn in_pieces<T: Send>(
    count: usize,
    piece: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let pieces = count.div_ceil(piece.max(1));
    let bounds = |i: usize| i * piece..count.min((i + 1) * piece);
    if threads <= 1 || pieces <= 1 {
        return (0..pieces).map(|i| work(bounds(i))).collect();
    }
    let next = AtomicUsize::new(0);
    // Each thread takes the next piece that is left, so that a slow piece delays no other.
    let take = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= pieces {
                return done;
            }
            done.push((i, work(bounds(i))));
        }
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        // This thread works at any rate: fewer helpers, where the system has no more threads, give the same results.
        let helper = |_| thread::Builder::new().spawn_scoped(scope, take).ok();
        let helpers: Vec<_> = (1..threads.min(pieces)).map_while(helper).collect();
        let mut all = take();
        for helper in helpers {
            match helper.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_pieces() {
        for (count, piece, threads) in [(0, 3, 2), (1, 3, 2), (10, 3, 1), (10, 3, 4), (1000, 7, 3)] {
            let found: Vec<usize> = in_pieces(count, piece, threads, Iterator::collect::<Vec<_>>).concat();
            assert_eq!(found, (0..count).collect::<Vec<_>>());
        }
    }
}
