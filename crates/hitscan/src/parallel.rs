//! Work for more than one thread, where there is more than one: with the feature `rayon`, the threads of the current pool.

/// Whether there are several threads.
pub(crate) fn several() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "rayon"))]
    false
}

/// The results of two pieces of work, which are done at the same time if they are worth it.
#[inline(always)]
pub(crate) fn both<A: Send, B: Send>(
    worth_it: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "rayon")]
    if worth_it && several() {
        return rayon::join(one, other);
    }
    let _ = worth_it;
    (one(), other())
}
