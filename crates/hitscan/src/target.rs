//! Properties of the compilation target, and what depends on them: whether a function body is compiled in place.

/// Whether code size counts more than the speed of batches: on WebAssembly, where programs are downloaded. Batches then
/// go ray by ray, and the builder has one number of bins.
pub(crate) const COMPACT: bool = cfg!(target_arch = "wasm32");

/// Evaluates a function body in arithmetic `$T`: in place, but by a call where `$T` is
/// [`DynNumber`](crate::math::dyn_number::DynNumber), because each of its operations is a call.
///
/// A macro, not a function that takes a closure: the compiler may leave a large closure out of line, although the
/// function around it is `#[inline(always)]`.
macro_rules! outlined {
    ($T:ty, $body:expr) => {
        if <$T as $crate::math::arithmetic::Arithmetic>::OUTLINED {
            $crate::target::out_of_line(|| $body)
        } else {
            $body
        }
    };
}
pub(crate) use outlined;

/// [`outlined!`] for a large part of a kernel that several shapes share: by a call in [`COMPACT`] builds, too.
macro_rules! shared {
    ($T:ty, $body:expr) => {
        if $crate::target::COMPACT || <$T as $crate::math::arithmetic::Arithmetic>::OUTLINED {
            $crate::target::out_of_line(|| $body)
        } else {
            $body
        }
    };
}
pub(crate) use shared;

/// Returns the result of `body`, by a call.
#[inline(never)]
pub(crate) fn out_of_line<R>(body: impl FnOnce() -> R) -> R {
    body()
}
