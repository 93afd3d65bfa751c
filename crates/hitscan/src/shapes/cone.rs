//! Finite cone. Its kernel is in `capped_cone.rs`.

use crate::math::real::Real;
use crate::math::vector::{Vector, Vector3};
use crate::shapes::error::{ShapeError, distinct, positive};
use crate::shapes::frustum::Frustum;
use glam::DVec3;

/// Cone: a solid with a flat base of `radius` around `base`, and the tip `apex`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone<V: Vector> {
    base: V,
    apex: V,
    radius: V::Scalar,
}

impl<V: Vector3> Cone<V> {
    /// Cone from its base and its tip.
    ///
    /// # Errors
    /// A number that is not finite; `apex` equal to `base`; `radius` not greater than 0.
    pub fn new(base: V, apex: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        distinct("apex", apex, "base", base)?;
        positive("radius", radius)?;
        Ok(Self { base, apex, radius })
    }
    /// The centre of the base.
    #[must_use]
    pub fn base(&self) -> V {
        self.base
    }
    /// The tip.
    #[must_use]
    pub fn apex(&self) -> V {
        self.apex
    }
    /// The radius of the base.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
    /// The same solid as a frustum whose radius grows from zero, in `f64`.
    pub(crate) fn as_frustum(&self) -> Frustum<DVec3> {
        Frustum::between([self.apex.in_space(), self.base.in_space()], [0.0, self.radius.to_f64()])
    }
    pub(crate) fn double(&self) -> Cone<V::Double> {
        Cone { base: self.base.double(), apex: self.apex.double(), radius: self.radius.to_f64() }
    }
}
