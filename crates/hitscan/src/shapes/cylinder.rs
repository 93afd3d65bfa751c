//! Finite cylinder. Its kernel is in `capped_cone.rs`.

use crate::math::real::Real;
use crate::math::vector::{Vector, Vector3};
use crate::shapes::error::{ShapeError, distinct, positive};

/// Cylinder: a solid with flat caps around the segment from `a` to `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder<V: Vector> {
    a: V,
    b: V,
    radius: V::Scalar,
}

impl<V: Vector3> Cylinder<V> {
    /// Cylinder of `radius` around the segment from `a` to `b`.
    ///
    /// # Errors
    /// A number that is not finite; `b` equal to `a`; `radius` not greater than 0.
    pub fn new(a: V, b: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        distinct("b", b, "a", a)?;
        positive("radius", radius)?;
        Ok(Self { a, b, radius })
    }
    /// The centre of one cap.
    #[must_use]
    pub fn a(&self) -> V {
        self.a
    }
    /// The centre of the other cap.
    #[must_use]
    pub fn b(&self) -> V {
        self.b
    }
    /// The radius.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
    pub(crate) fn double(&self) -> Cylinder<V::Double> {
        Cylinder { a: self.a.double(), b: self.b.double(), radius: self.radius.to_f64() }
    }
}
