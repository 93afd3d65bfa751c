//! Numbers and vectors: the traits over [`glam`], the working arithmetic of the kernels, and the few exact tools they share.

mod dd;
#[cfg(feature = "small")]
mod dynamic;
mod exact;
mod frame;
mod pair;
mod probe;
mod quick;
mod real;
mod roots;
mod sort;
mod vector;
mod wide;
mod wide3;

pub use dd::Dd;
#[cfg(feature = "small")]
pub(crate) use dynamic::{Dynamic, Level, at_level};
pub(crate) use exact::{Exact, with_room};
pub(crate) use frame::{Frame, InputRay, TINIEST, WorkingRay};
pub(crate) use pair::Pair;
pub use probe::Probe;
#[cfg(not(feature = "small"))]
pub(crate) use probe::Sure;
pub(crate) use probe::{Aside, Quiet, Watch};
pub(crate) use quick::Quick;
pub use real::{Precision, Real};
pub(crate) use roots::{Quadratic, Sum, sign_of_roots};
pub(crate) use sort::sort_by;
pub use vector::{Vector, Vector2, Vector3};
pub use wide::Wide;
pub(crate) use wide3::Wide3;

/// The working arithmetic that belongs to a vector type: `f64` for `f32` vectors, [`Dd`] for `f64` vectors.
pub(crate) type W<V> = <<V as Vector>::Scalar as Real>::Wide;

/// The relative error of one rounding in `f64`, 2^-53.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The relative error of one rounding in `f32`, 2^-24.
pub(crate) const SINGLE_ROUNDING: f32 = f32::EPSILON / 2.0;
