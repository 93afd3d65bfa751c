//! Rays and segments: the two things that a query casts.

use crate::into_vector::IntoVector;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::sealed::Sealed;

/// A ray: the points `origin + t * direction` for `t >= 0`.
///
/// The direction may have any finite length but zero, and no cast normalizes it: `t` counts in lengths of `direction`. A ray
/// whose direction is zero, or that has a NaN or an infinity, hits nothing.
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::AnyBitPattern))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray<V> {
    /// The start of the ray.
    pub origin: V,
    /// The direction; its length is the unit of `t`.
    pub direction: V,
}

impl<V: Vector> Ray<V> {
    /// The ray from `origin` along `direction`.
    #[must_use]
    #[inline]
    pub fn new(origin: V, direction: V) -> Self {
        Self { origin, direction }
    }
    /// The point at `t`, rounded once.
    #[must_use]
    #[inline]
    pub fn at(&self, t: V::Scalar) -> V {
        V::narrow(self.line().at(t.widen()).0)
    }
}

/// A segment: the points from `a` to `b`, for `t` from 0 to 1.
///
/// A cast uses the exact difference of the two ends. It does not round the segment to a ray first.
#[doc(alias = "linecast")]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::AnyBitPattern))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Segment<V> {
    /// The point at `t = 0`.
    pub a: V,
    /// The point at `t = 1`.
    pub b: V,
}

impl<V: Vector> Segment<V> {
    /// The segment from `a` to `b`.
    #[must_use]
    #[inline]
    pub fn new(a: V, b: V) -> Self {
        Self { a, b }
    }
    /// The point at `t`, rounded once.
    #[must_use]
    #[inline]
    pub fn at(&self, t: V::Scalar) -> V {
        V::narrow(self.line().at(t.widen()).0)
    }
    /// The ray from `a` through `b`, with the same `t` but no end. Its direction `b - a` is rounded.
    #[must_use]
    #[inline]
    pub fn to_ray(&self) -> Ray<V> {
        Ray::new(self.a, self.b - self.a)
    }
}

/// The arguments of a cast: [`Ray`] and [`Segment`].
///
/// The trait is sealed: other crates cannot implement it.
pub trait RayLike<V: Vector>: Sealed + Sync {
    /// The numbers as given.
    #[doc(hidden)]
    fn raw(&self) -> InputRay;

    /// A batch of rays of this type.
    #[doc(hidden)]
    fn batch(rays: &[Self]) -> RaySlice<'_, V>
    where
        Self: Sized;

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
    #[inline]
    fn batch(rays: &[Self]) -> RaySlice<'_, V> {
        RaySlice::Rays(rays)
    }
}

impl<V: Vector> RayLike<V> for Segment<V> {
    #[inline]
    fn raw(&self) -> InputRay {
        let (origin, target) = (self.a.to_f64(), self.b.to_f64());
        InputRay { origin, target, is_segment: true, t_min: 0.0, t_max: 1.0, largest: V::Scalar::MAX.to_f64() }
    }
    #[inline]
    fn batch(segments: &[Self]) -> RaySlice<'_, V> {
        RaySlice::Segments(segments)
    }
}

/// A batch: rays, or segments. A type in place of a type parameter, so that batch queries are compiled once and can be
/// called on trait objects.
#[derive(Clone, Copy, Debug)]
pub enum RaySlice<'a, V> {
    /// Rays.
    Rays(&'a [Ray<V>]),
    /// Segments.
    Segments(&'a [Segment<V>]),
}

impl<'a, V: Vector> RaySlice<'a, V> {
    /// The number of rays.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Rays(rays) => rays.len(),
            Self::Segments(segments) => segments.len(),
        }
    }
    /// The ray at `index`.
    #[inline]
    pub(crate) fn get(self, index: usize) -> &'a dyn RayLike<V> {
        match self {
            Self::Rays(rays) => &rays[index],
            Self::Segments(segments) => &segments[index],
        }
    }
    /// The rays in order.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a dyn RayLike<V>> {
        (0..self.len()).map(move |index| self.get(index))
    }
    /// The numbers of the ray at `index`, as given.
    #[inline(always)]
    pub(crate) fn raw(self, index: usize) -> InputRay {
        match self {
            Self::Rays(rays) => rays[index].raw(),
            Self::Segments(segments) => segments[index].raw(),
        }
    }
    /// Consecutive parts of `size` rays; the last may be shorter.
    pub(crate) fn chunks(self, size: usize) -> impl Iterator<Item = Self> {
        (0..self.len()).step_by(size).map(move |first| {
            let end = self.len().min(first + size);
            match self {
                Self::Rays(rays) => Self::Rays(&rays[first..end]),
                Self::Segments(segments) => Self::Segments(&segments[first..end]),
            }
        })
    }
}

impl<V> Sealed for Ray<V> {}
impl<V> Sealed for Segment<V> {}

impl<V: Vector, O: IntoVector<V>, D: IntoVector<V>> From<(O, D)> for Ray<V> {
    /// The ray from an origin and a direction in any form that converts to `V`.
    #[inline]
    fn from((origin, direction): (O, D)) -> Self {
        Self::new(origin.into_vector(), direction.into_vector())
    }
}

impl<V: Vector, A: IntoVector<V>, B: IntoVector<V>> From<(A, B)> for Segment<V> {
    /// The segment between two points in any form that converts to `V`.
    #[inline]
    fn from((a, b): (A, B)) -> Self {
        Self::new(a.into_vector(), b.into_vector())
    }
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
