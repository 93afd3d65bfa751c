//! Run-time dispatch: a task runs with the widest instructions of the machine.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::{avx2, avx512};
use crate::simd::lanes::Row;
use crate::simd::task::{FmaKernel, Task};

/// Runs the task with fused instructions if there are any. The answer is the same, bit for bit: they only find the
/// rounding error of a product in one step instead of sixteen.
#[inline]
pub(crate) fn dispatch_fma<T: FmaKernel>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("fma") {
        #[allow(unsafe_code)]
        // SAFETY: the machine has the instructions that the function is compiled for.
        return unsafe { run_fused(task) };
    }
    task.run::<false>()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "fma")]
fn run_fused<T: FmaKernel>(task: T) -> T::Output {
    task.run::<true>()
}

/// Runs the task in the widest registers that there are. Inlined: a task that is handed on is copied each time.
#[inline(always)]
pub(crate) fn dispatch<T: Task>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        #[allow(unsafe_code)]
        match width() {
            // SAFETY: the machine has the instructions that the function is compiled for.
            Width::Sixteen => return unsafe { avx512::run(task) },
            // SAFETY: likewise.
            Width::Eight => return unsafe { avx2::run(task) },
            Width::Any | Width::Unknown => {}
        }
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return task.run::<simd128::Registers>();
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    run_in_arrays(task)
}

/// Not inlined: where there are registers it is only in the way.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(never)]
fn run_in_arrays<T: Task>(task: T) -> T::Output {
    task.run::<Row>()
}

/// How many numbers a register has.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[derive(Clone, Copy)]
enum Width {
    /// Not asked yet.
    Unknown,
    Any,
    Eight,
    Sixteen,
}

/// Asked of the machine once.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
fn width() -> Width {
    use core::sync::atomic::{AtomicU8, Ordering};
    static KNOWN: AtomicU8 = AtomicU8::new(Width::Unknown as u8);
    #[cold]
    fn ask() -> Width {
        let width = if avx512::is_there() {
            Width::Sixteen
        } else if avx2::is_there() {
            Width::Eight
        } else {
            Width::Any
        };
        KNOWN.store(width as u8, Ordering::Relaxed);
        width
    }
    // As few steps as can be, for each ray asks.
    match KNOWN.load(Ordering::Relaxed) {
        known if known == Width::Sixteen as u8 => Width::Sixteen,
        known if known == Width::Eight as u8 => Width::Eight,
        known if known == Width::Any as u8 => Width::Any,
        _ => ask(),
    }
}
