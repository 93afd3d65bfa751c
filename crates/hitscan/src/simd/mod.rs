//! SIMD vectors of `f32` and `f64` with run-time dispatch, and huge pages. All `unsafe` code but two accessors of `bvh/` is here.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod avx2;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod avx512;
pub(crate) mod dispatch;
pub(crate) mod huge_pages;
pub(crate) mod lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[allow(unsafe_code)]
mod neon;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(unsafe_code)]
pub(crate) mod packet;
pub(crate) mod rows;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
pub(crate) mod task;
pub(crate) mod xyz;
