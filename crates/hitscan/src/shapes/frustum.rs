//! Frustum (truncated cone). Its kernel is in `capped_cone.rs`.

use crate::math::real::Real;
use crate::math::vector::{Vector, Vector3};
use crate::shapes::error::{ShapeError, ShapeErrorKind, distinct, not_negative};

/// Frustum: the solid between two parallel disks, `radius_a` around `a` and `radius_b` around `b`, perpendicular to the
/// line `a b`.
#[doc(alias("truncated_cone", "conical_frustum"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum<V: Vector> {
    a: V,
    b: V,
    radius_a: V::Scalar,
    radius_b: V::Scalar,
}

impl<V: Vector3> Frustum<V> {
    /// Frustum between two disks. One of the radii may be zero: the frustum is then a cone.
    ///
    /// # Errors
    /// A number that is not finite; `b` equal to `a`; a negative radius; both radii zero.
    pub fn new(a: V, b: V, radius_a: V::Scalar, radius_b: V::Scalar) -> Result<Self, ShapeError> {
        distinct("b", b, "a", a)?;
        not_negative("radius_a", radius_a)?;
        not_negative("radius_b", radius_b)?;
        if radius_a + radius_b > V::Scalar::ZERO {
            Ok(Self { a, b, radius_a, radius_b })
        } else {
            Err(ShapeError { field: "radius_a", problem: ShapeErrorKind::NotPositive })
        }
    }
    /// Frustum of numbers that are known to be valid.
    pub(crate) fn between([a, b]: [V; 2], [radius_a, radius_b]: [V::Scalar; 2]) -> Self {
        Self { a, b, radius_a, radius_b }
    }
    /// The centre of one end.
    #[must_use]
    pub fn a(&self) -> V {
        self.a
    }
    /// The centre of the other end.
    #[must_use]
    pub fn b(&self) -> V {
        self.b
    }
    /// The radius around `a`.
    #[must_use]
    pub fn radius_a(&self) -> V::Scalar {
        self.radius_a
    }
    /// The radius around `b`.
    #[must_use]
    pub fn radius_b(&self) -> V::Scalar {
        self.radius_b
    }
    pub(crate) fn double(&self) -> Frustum<V::Double> {
        Frustum {
            a: self.a.double(),
            b: self.b.double(),
            radius_a: self.radius_a.to_f64(),
            radius_b: self.radius_b.to_f64(),
        }
    }
}
