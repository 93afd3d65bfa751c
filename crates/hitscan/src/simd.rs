//! Instructions that only some machines have, chosen when the program runs: multiplication and addition fused into one.

use crate::math::{FUSED, INLINED};

/// What is computed in [`Double`](crate::math::Double) numbers. All of it must be inlined into [`run`](Self::run): what is called is
/// compiled for any machine.
pub(crate) trait FusedTask {
    type Output;
    /// In numbers of type `Double<CODE>`.
    fn run<const CODE: u8>(self) -> Self::Output;
}

/// Runs the task with fused instructions if there are any. The answer is the same, bit for bit: they only find the
/// rounding error of a product in one step instead of sixteen.
#[inline]
pub(crate) fn fused<T: FusedTask>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "fma")))]
    if std::arch::is_x86_feature_detected!("fma") {
        #[allow(unsafe_code)]
        // SAFETY: the machine has the instructions that the function is compiled for.
        return unsafe { run_fused(task) };
    }
    task.run::<INLINED>()
}

#[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "fma")))]
#[target_feature(enable = "fma")]
fn run_fused<T: FusedTask>(task: T) -> T::Output {
    task.run::<FUSED>()
}
