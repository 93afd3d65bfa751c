//! Code that [`dispatch`](super::dispatch) compiles for several instruction sets.

use crate::simd::lanes::SimdF32;

/// Kernel over vectors of `f32`. All its code must be inlined into [`run`](Self::run): a called function is compiled
/// for the baseline instruction set.
pub(crate) trait SimdKernel {
    type Output;
    fn run<L: SimdF32>(self) -> Self::Output;
}

/// Kernel over [`DoubleWord`](crate::math::double_word::DoubleWord)s. All its code must be inlined into
/// [`run`](Self::run): a called function is compiled for the baseline instruction set.
pub(crate) trait FmaKernel {
    type Output;
    /// Runs in numbers of type `DoubleWord<FMA>`.
    fn run<const FMA: bool>(self) -> Self::Output;
}
