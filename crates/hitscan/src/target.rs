//! Properties of the compilation target.

/// Whether code size counts more than the speed of batches: on WebAssembly, where programs are downloaded. Batches then
/// go ray by ray, and the builder has one number of bins.
pub(crate) const COMPACT: bool = cfg!(target_arch = "wasm32");

/// Returns the result of `f`. In [`COMPACT`] builds it is a call, so that all callers share one body.
#[inline(always)]
pub(crate) fn shared<R>(f: impl FnOnce() -> R) -> R {
    if COMPACT { out_of_line(f) } else { f() }
}

#[inline(never)]
fn out_of_line<R>(f: impl FnOnce() -> R) -> R {
    f()
}
