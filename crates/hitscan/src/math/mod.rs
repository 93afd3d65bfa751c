//! Arithmetic of the kernels: number types, vectors, rays in working arithmetic, frames and roots.

pub(crate) mod affine_map;
pub(crate) mod arctangent;
pub(crate) mod arithmetic;
pub(crate) mod ball;
pub(crate) mod bounded_vector;
pub(crate) mod dd;
pub(crate) mod double_word;
pub(crate) mod eft;
pub(crate) mod exact;
pub(crate) mod filter_f64;
pub(crate) mod frame;
pub(crate) mod instance_stack;
pub(crate) mod lazy_arithmetic;
pub(crate) mod lazy_exact;
pub(crate) mod limited_ray;
pub(crate) mod observer;
pub(crate) mod real;
pub(crate) mod roots;
pub(crate) mod rounding;
pub(crate) mod scale;
pub(crate) mod trigonometric_roots;
pub(crate) mod vec3;
pub(crate) mod vector;
pub(crate) mod working_ray;
