//! Threads: with the feature `rayon` those of the current pool, else only the calling one.

/// Whether there are several threads.
pub(crate) fn is_parallel() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "rayon"))]
    false
}

/// Calls `work` with each piece, on all threads. A piece gets a buffer that an earlier piece has left, or a new one.
#[cfg(feature = "rayon")]
pub(crate) fn for_each_on_threads<P: Send, B: Default + Send>(
    pieces: impl Iterator<Item = P>,
    work: impl Fn(&mut B, P) + Sync,
) {
    use alloc::vec::Vec;
    use std::sync::{Mutex, PoisonError};
    let pieces: Vec<_> = pieces.map(|piece| Mutex::new(Some(piece))).collect();
    let buffers = Mutex::new(Vec::new());
    let buffers = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
    for_each_number(pieces.len(), &|number| {
        let piece = pieces[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut buffer = buffers().pop().unwrap_or_default();
        piece.into_iter().for_each(|piece| work(&mut buffer, piece));
        buffers().push(buffer);
    });
}

/// Calls `work` with each number below `count`, on all threads. Not generic: rayon's code is compiled once.
#[cfg(feature = "rayon")]
fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    (0..count).into_par_iter().for_each(work);
}

/// Runs both closures, in parallel if that is worth it and there are threads.
#[inline(always)]
pub(crate) fn join_if<A: Send, B: Send>(
    worth_it: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "rayon")]
    if worth_it && is_parallel() {
        return rayon::join(one, other);
    }
    let _ = worth_it;
    (one(), other())
}
