//! Numbers and vectors: the traits over [`glam`], the working arithmetic of the kernels, and the few exact tools they share.

mod dd;
mod dyn_number;
mod exact;
mod frame;
mod observer;
mod pair;
mod quick;
mod real;
mod roots;
mod vector;
mod wide;
mod wide3;

pub use dd::Dd;
pub(crate) use dyn_number::{DynNumber, Stage, at_stage};
pub(crate) use exact::{Exact, with_precision};
pub(crate) use frame::{Frame, InputRay, TINIEST, WorkingRay};
pub use observer::Observer;
pub(crate) use observer::Unfiltered;
pub(crate) use observer::{FilterFlag, NoTrace, ScopedFlag};
pub(crate) use pair::DoubleWord;
pub(crate) use quick::FilterF64;
pub use real::{Precision, Real};
pub(crate) use roots::{Quadratic, Sum, sign_of_roots};
pub use vector::{Vector, Vector2, Vector3};
pub use wide::Arithmetic;
pub(crate) use wide3::Vec3;

/// The working arithmetic that belongs to a vector type: `f64` for `f32` vectors, [`Dd`] for `f64` vectors.
pub(crate) type Working<V> = <<V as Vector>::Scalar as Real>::Arithmetic;

/// The relative error of one rounding in `f64`, 2^-53.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The relative error of one rounding in `f32`, 2^-24.
pub(crate) const SINGLE_ROUNDING: f32 = f32::EPSILON / 2.0;
