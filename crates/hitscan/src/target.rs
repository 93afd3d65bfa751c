//! Properties of the compilation target.

/// Whether code size counts more than the speed of batches: on WebAssembly, where programs are downloaded. Batches then
/// go ray by ray, and the builder has one number of bins.
pub(crate) const COMPACT: bool = cfg!(target_arch = "wasm32");

/// Returns the result of `body`, by a call.
#[inline(never)]
pub(crate) fn out_of_line<R>(body: impl FnOnce() -> R) -> R {
    body()
}
