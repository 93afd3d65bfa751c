//! Run-time dispatch: runs a task with the widest instruction set of the machine.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::{avx2, avx512};
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
use crate::simd::lanes::SimdF32;
use crate::simd::task::{FmaKernel, FmaRayKernel, RayNumbers, SimdKernel};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use core::sync::atomic::{AtomicU8, Ordering};

/// The vectors that every machine of the target has.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) type Baseline = super::neon::Registers;
/// The vectors that every machine of the target has.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) type Baseline = super::simd128::Registers;
/// The vectors that every machine of the target has.
#[cfg(not(any(
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) type Baseline = crate::simd::lanes::F32Lanes;

/// Runs the task with FMA instructions if the machine has them. The result has the same bits: FMA only finds the
/// rounding error of a product in one step instead of sixteen.
#[inline]
pub(crate) fn dispatch_fma<T: FmaKernel>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if has_avx2() {
        #[allow(unsafe_code)]
        // SAFETY: the machine has the instructions that the function is compiled for.
        return unsafe { run_fused(task) };
    }
    task.run::<false>()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,fma")]
fn run_fused<T: FmaKernel>(task: T) -> T::Output {
    task.run::<true>()
}

/// [`dispatch_fma`] for one ray, with its numbers in registers.
#[inline(always)]
pub(crate) fn dispatch_fma_ray<T: FmaRayKernel>(task: &T, ray: RayNumbers, out: &mut T::Output) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        if !has_avx2() {
            return task.run_without_fma(ray, out);
        }
        let RayNumbers { origin: [ox, oy, oz], target: [dx, dy, dz], range: [t_min, t_max], flags } = ray;
        #[allow(unsafe_code)]
        // SAFETY: the machine has the instructions that the function is compiled for.
        unsafe {
            run_fused_ray(task, out, flags, ox, oy, oz, dx, dy, dz, t_min, t_max);
        }
    }
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    task.run::<false>(ray, out);
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,fma")]
#[allow(clippy::too_many_arguments, reason = "a struct would travel through memory")]
fn run_fused_ray<T: FmaRayKernel>(
    task: &T,
    out: &mut T::Output,
    flags: u32,
    ox: f64,
    oy: f64,
    oz: f64,
    dx: f64,
    dy: f64,
    dz: f64,
    t_min: f64,
    t_max: f64,
) {
    let ray = RayNumbers { origin: [ox, oy, oz], target: [dx, dy, dz], range: [t_min, t_max], flags };
    task.run::<true>(ray, out);
}

/// Runs the task with the widest vectors of the machine. Inlined because each call would copy the task.
#[inline(always)]
pub(crate) fn dispatch<T: SimdKernel>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        #[allow(unsafe_code)]
        match known_width() {
            // SAFETY: the machine has the instructions that the function is compiled for.
            Width::Sixteen => unsafe { avx512::run(task) },
            // SAFETY: as above.
            Width::Eight => unsafe { avx2::run(task) },
            Width::Any => run_baseline(task),
            Width::Unknown => run_after_detection(task),
        }
    }
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    task.run::<Baseline>()
}

/// Not inlined: machines with AVX2 never execute it.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(never)]
fn run_baseline<T: SimdKernel>(task: T) -> T::Output {
    task.run::<Baseline>()
}

/// [`dispatch`] for the first query of a process. Not inlined: a call of `detect` there would make each query save registers.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[cold]
#[inline(never)]
fn run_after_detection<T: SimdKernel>(task: T) -> T::Output {
    #[allow(unsafe_code)]
    match detect() {
        // SAFETY: the machine has the instructions that the function is compiled for.
        Width::Sixteen => unsafe { avx512::run(task) },
        // SAFETY: as above.
        Width::Eight => unsafe { avx2::run(task) },
        Width::Any | Width::Unknown => run_baseline(task),
    }
}

/// Number of `f32` in a vector register.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub(crate) enum Width {
    /// Not detected yet.
    Unknown,
    Any,
    Eight,
    Sixteen,
}

/// The width of the machine, as far as [`LIMIT`] allows it.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn width() -> Width {
    match known_width() {
        Width::Unknown => detect(),
        known => known,
    }
}

/// Whether the machine has AVX2, and [`LIMIT`] allows it.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn has_avx2() -> bool {
    matches!(width(), Width::Eight | Width::Sixteen)
}

/// Whether the vectors of [`dispatch`] have [filters](crate::simd::lanes::SimdF32::HAS_FILTERS).
#[inline(always)]
pub(crate) fn has_filters() -> bool {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        has_avx2()
    }
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    {
        Baseline::HAS_FILTERS
    }
}

/// Environment variable that limits the instruction set to `avx2` or to `scalar`, for tests and benchmarks: the first query
/// of a process reads it. Other values change nothing.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
const LIMIT: &str = "HITSCAN_ISA";

/// The width, as soon as it has been detected.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
static KNOWN: AtomicU8 = AtomicU8::new(Width::Unknown as u8);

/// The width, or `Unknown` before the first query. As few steps as possible: every ray reads it.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
fn known_width() -> Width {
    match KNOWN.load(Ordering::Relaxed) {
        known if known == Width::Sixteen as u8 => Width::Sixteen,
        known if known == Width::Eight as u8 => Width::Eight,
        known if known == Width::Any as u8 => Width::Any,
        _ => Width::Unknown,
    }
}

/// Detects the width and keeps it.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[cold]
fn detect() -> Width {
    let limit = std::env::var(LIMIT).unwrap_or_default();
    let (scalar, narrow) = (limit == "scalar", limit == "avx2");
    let width = if avx512::is_there() && !scalar && !narrow {
        Width::Sixteen
    } else if avx2::is_there() && !scalar {
        Width::Eight
    } else {
        Width::Any
    };
    KNOWN.store(width as u8, Ordering::Relaxed);
    width
}
