//! Code that [`dispatch`](super::dispatch) compiles for several instruction sets.

use crate::simd::lanes::SimdF32;

/// What computes in sixteen lanes. All of it must be inlined into [`run`](Self::run): what is called is compiled for any
/// machine.
pub(crate) trait Task {
    type Output;
    fn run<L: SimdF32>(self) -> Self::Output;
}

/// What is computed in [`DoubleWord`](crate::math::Pair)s. All of it must be inlined into [`run`](Self::run): what is called is
/// compiled for any machine.
pub(crate) trait FmaKernel {
    type Output;
    /// In numbers of type `DoubleWord<FMA>`.
    fn run<const FMA: bool>(self) -> Self::Output;
}
