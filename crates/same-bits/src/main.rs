//! Prints two digests of every subject, of the first chunk and of all: `same-bits [CHUNKS] [THREADS]`.

use std::sync::atomic::{AtomicU32, Ordering};

fn main() {
    let mut numbers = std::env::args().skip(1).map_while(|arg| arg.parse::<u32>().ok());
    let (chunks, threads) = (numbers.next().unwrap_or(same_bits::CHUNKS), numbers.next().unwrap_or(1));
    for subject in 0..same_bits::SUBJECTS {
        let next = AtomicU32::new(0);
        let work = || -> Vec<(u32, u64)> {
            let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < chunks);
            std::iter::from_fn(take).map(|i| (i, same_bits::chunk(subject, i))).collect()
        };
        let mut parts = std::thread::scope(|scope| {
            let helpers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_default()).collect::<Vec<_>>()
        });
        parts.sort_unstable();
        let all = parts.iter().fold(0u64, |sum, (_, part)| sum.rotate_left(1) ^ part);
        println!("{:<28} {:016x} {all:016x}", same_bits::name(subject), parts.first().map_or(0, |(_, part)| *part));
    }
}
