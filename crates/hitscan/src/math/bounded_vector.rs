//! `BoundedVector`: a vector with the magnitudes of its components.

use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;

/// A vector with the magnitude of each component: the sum of the absolute values of its terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedVector<T> {
    pub(crate) vector: Vec3<T>,
    pub(crate) magnitude: Vec3<T>,
}

impl<T: Arithmetic> BoundedVector<T> {
    /// A vector with small relative errors.
    #[inline(always)]
    pub(crate) fn new(vector: Vec3<T>) -> Self {
        Self { vector, magnitude: vector.map(Arithmetic::abs) }
    }
    #[inline(always)]
    pub(crate) fn times(self, factor: T) -> Self {
        Self { vector: self.vector * factor, magnitude: self.magnitude * factor.abs() }
    }
    /// Cross product.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cross(self, other: Self) -> Self {
        let Vec3 { x: a, y: b, z: c } = self.magnitude;
        let Vec3 { x: d, y: e, z: f } = other.magnitude;
        let magnitude = Vec3::new(b * f + c * e, c * d + a * f, a * e + b * d);
        Self { vector: self.vector.cross(other.vector), magnitude }
    }
    /// Dot product, with its magnitude.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> (T, T) {
        (self.vector.plain_dot(other.vector), self.magnitude.plain_dot(other.magnitude))
    }
    /// Whether all components are sums of zeros.
    pub(crate) fn is_zero(&self) -> bool {
        self.magnitude.is_zero()
    }
}
