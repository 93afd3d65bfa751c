//! What is cast: rays and segments.

use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::math::working_ray::{InputRay, WorkingRay};

/// A half-line: the points `origin + t * direction` for `t >= 0`.
///
/// The direction has any non-zero finite length and is never normalised: `t` counts in lengths of `direction`. A ray
/// whose direction is zero, or that has a NaN or an infinity, hits nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray<V> {
    /// Where the ray starts.
    pub origin: V,
    /// Where it goes; its length is the unit of `t`.
    pub direction: V,
}

impl<V: Vector> Ray<V> {
    /// The ray from `origin` along `direction`.
    #[inline]
    pub fn new(origin: V, direction: V) -> Self {
        Self { origin, direction }
    }
    /// The point at `t`, rounded once.
    #[inline]
    pub fn at(&self, t: V::Scalar) -> V {
        V::narrow(self.line().at(t.widen()).0)
    }
}

/// The points from `a` to `b`: `t` runs from 0 to 1.
///
/// A segment keeps its two ends and is decided on their exact difference; it is not rounded to a ray first.
#[doc(alias = "linecast")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Segment<V> {
    /// Where `t = 0`.
    pub a: V,
    /// Where `t = 1`.
    pub b: V,
}

impl<V: Vector> Segment<V> {
    /// The segment from `a` to `b`.
    #[inline]
    pub fn new(a: V, b: V) -> Self {
        Self { a, b }
    }
    /// The point at `t`, rounded once.
    #[inline]
    pub fn at(&self, t: V::Scalar) -> V {
        V::narrow(self.line().at(t.widen()).0)
    }
    /// The ray from `a` towards `b`, with the same `t` but no end. Its direction `b - a` is rounded.
    #[inline]
    pub fn to_ray(&self) -> Ray<V> {
        Ray::new(self.a, self.b - self.a)
    }
}

/// A [`Ray`] or a [`Segment`]: whatever a query can be asked about.
pub trait RayLike<V: Vector>: sealed::Sealed + Sync {
    /// The numbers as they are.
    #[doc(hidden)]
    fn raw(&self) -> InputRay;

    /// The line in working arithmetic.
    #[doc(hidden)]
    #[inline]
    fn line(&self) -> WorkingRay<Working<V>> {
        self.raw().line()
    }
}

impl<V: Vector> RayLike<V> for Ray<V> {
    #[inline]
    fn raw(&self) -> InputRay {
        let (origin, target) = (self.origin.to_f64(), self.direction.to_f64());
        let largest = V::Scalar::MAX.to_f64();
        InputRay { origin, target, is_segment: false, t_min: f64::NEG_INFINITY, t_max: largest, largest }
    }
}

impl<V: Vector> RayLike<V> for Segment<V> {
    #[inline]
    fn raw(&self) -> InputRay {
        let (origin, target) = (self.a.to_f64(), self.b.to_f64());
        InputRay { origin, target, is_segment: true, t_min: 0.0, t_max: 1.0, largest: V::Scalar::MAX.to_f64() }
    }
}

mod sealed {
    pub trait Sealed {}
    impl<V> Sealed for crate::ray::Ray<V> {}
    impl<V> Sealed for crate::ray::Segment<V> {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, Vec3};

    #[test]
    fn points_along() {
        assert_eq!(Ray::new(Vec3::X, Vec3::Y).at(2.5), Vec3::new(1.0, 2.5, 0.0));
        assert_eq!(Segment::new(DVec2::new(3.0, 2.0), DVec2::new(10.0, 6.0)).at(0.5), DVec2::new(6.5, 4.0));
    }
}
