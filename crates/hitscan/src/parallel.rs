//! Threads: with the feature `rayon` those of the current pool, else only the calling one.

/// Whether there are several threads.
pub(crate) fn is_parallel() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "rayon"))]
    false
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
