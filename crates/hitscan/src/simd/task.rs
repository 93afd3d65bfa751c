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

/// Kernel over one `f64` ray, like [`FmaKernel`]. Its numbers travel in registers: a vector load of numbers that were just
/// stored one by one has to wait for the stores.
pub(crate) trait FmaRayKernel {
    type Output;
    /// Runs in numbers of type `DoubleWord<FMA>`.
    fn run<const FMA: bool>(&self, ray: RayNumbers, out: &mut Self::Output);
    /// The same for x86 without FMA, from code that other queries need anyway.
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    fn run_without_fma(&self, ray: RayNumbers, out: &mut Self::Output);
}

/// Numbers of a ray and its query: at most as many as there are registers for arguments.
#[derive(Clone, Copy)]
pub(crate) struct RayNumbers {
    pub(crate) origin: [f64; 3],
    pub(crate) target: [f64; 3],
    /// Range of `t`.
    pub(crate) range: [f64; 2],
    pub(crate) flags: u32,
}
