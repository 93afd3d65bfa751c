//! Rays and segments: the two things that a query casts.

use crate::into_vector::IntoVector;
use crate::math::limited_ray::LimitedRay;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::sealed::Sealed;
use core::ops::Range;

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
/// A cast uses the exact difference of the two ends. It does not round the segment to a ray first. Two equal ends are an invalid
/// segment, which hits nothing.
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

/// A ray or a segment with its own range of `t` and layer mask: Embree's `tnear`, `tfar` and `mask`.
///
/// Of the range of `t`, a cast uses the part that lies in the query's range too; of the layers, those that are in both
/// masks. Layers matter in scenes only. Both ends belong to the range. A range that is empty or has a NaN hits nothing.
///
/// ```
/// use hitscan::{glam::Vec3, RangedRay, Ray, RayCast, Sphere};
/// let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
/// let ray = Ray::new(Vec3::ZERO, Vec3::Z);
/// let rays = [1.0, 3.5, 4.5].map(|t_max| RangedRay::new(ray, 0.0, t_max));
/// assert_eq!(ball.intersects_rays(&rays, ..), [false, false, true]);
/// assert_eq!(ball.intersects_rays(&rays, ..=2.0), [false; 3]);
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
#[doc(alias("tnear", "tfar", "RTCRay"))]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "R: serde::Serialize, V::Scalar: serde::Serialize")))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "R: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))
)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranged<V: Vector, R> {
    /// The ray or segment.
    pub ray: R,
    /// The smallest `t` that counts.
    pub t_min: V::Scalar,
    /// The largest `t` that counts.
    pub t_max: V::Scalar,
    /// The layer mask: only objects of a scene that share a bit with it count.
    pub layers: u32,
}

/// A ray with its own range of `t` and layer mask.
pub type RangedRay<V> = Ranged<V, Ray<V>>;

/// A segment with its own range of `t` and layer mask.
pub type RangedSegment<V> = Ranged<V, Segment<V>>;

impl<V: Vector, R> Ranged<V, R> {
    /// The ray or segment for `t` from `t_min` to `t_max`, on every layer.
    #[must_use]
    #[inline]
    pub fn new(ray: R, t_min: V::Scalar, t_max: V::Scalar) -> Self {
        Self { ray, t_min, t_max, layers: u32::MAX }
    }
    /// Sets the layer mask.
    #[must_use]
    #[inline]
    pub fn layers(self, mask: u32) -> Self {
        Self { layers: mask, ..self }
    }
}

/// The arguments of a cast: [`Ray`] and [`Segment`], also with a range of `t` of their own as [`RangedRay`] and
/// [`RangedSegment`].
///
/// The trait is sealed: other crates cannot implement it.
pub trait RayLike<V: Vector>: Sealed + Sync {
    /// The numbers as given.
    #[doc(hidden)]
    fn raw(&self) -> InputRay;

    /// The layers of the ray.
    #[doc(hidden)]
    #[inline]
    fn layer_mask(&self) -> u32 {
        u32::MAX
    }

    /// The numbers as given, and the limit by a distance, if the ray has one of its own.
    #[doc(hidden)]
    #[inline]
    fn limit(&self) -> LimitedRay {
        LimitedRay::unlimited(self.raw())
    }

    /// Whether the ray has a limit by a distance of its own.
    #[doc(hidden)]
    #[inline]
    fn is_limited(&self) -> bool {
        false
    }

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
        InputRay {
            origin,
            target,
            is_segment: false,
            t_min: f64::NEG_INFINITY,
            t_max: largest,
            largest,
            layers: u32::MAX,
        }
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
        let largest = V::Scalar::MAX.to_f64();
        InputRay { origin, target, is_segment: true, t_min: 0.0, t_max: 1.0, largest, layers: u32::MAX }
    }
    #[inline]
    fn batch(segments: &[Self]) -> RaySlice<'_, V> {
        RaySlice::Segments(segments)
    }
}

/// Implements a cast of rays or segments with ranges.
macro_rules! ranged {
    ($($ranged:ident => $batch:ident),+) => {$(
        impl<V: Vector> RayLike<V> for $ranged<V> {
            #[inline]
            fn raw(&self) -> InputRay {
                RayLike::<V>::raw(&self.ray).within(self.t_min.to_f64(), self.t_max.to_f64(), self.layers)
            }
            #[inline]
            fn layer_mask(&self) -> u32 {
                self.layers
            }
            #[inline]
            fn batch(ranged: &[Self]) -> RaySlice<'_, V> {
                RaySlice::$batch(ranged)
            }
        }
    )+};
}

ranged!(RangedRay => RangedRays, RangedSegment => RangedSegments);

impl<V: Vector> RayLike<V> for LimitedRay {
    #[inline]
    fn raw(&self) -> InputRay {
        self.raw
    }
    #[inline]
    fn layer_mask(&self) -> u32 {
        self.raw.layers
    }
    #[inline]
    fn limit(&self) -> LimitedRay {
        *self
    }
    #[inline]
    fn is_limited(&self) -> bool {
        true
    }
    #[inline]
    fn batch(limited: &[Self]) -> RaySlice<'_, V> {
        RaySlice::Limited(limited)
    }
}

/// A batch: rays, or segments. A type in place of a type parameter, so that batch queries are compiled once and can be
/// called on trait objects.
#[derive(Clone, Copy, Debug)]
pub enum RaySlice<'a, V: Vector> {
    /// Rays.
    Rays(&'a [Ray<V>]),
    /// Segments.
    Segments(&'a [Segment<V>]),
    /// Rays with ranges.
    RangedRays(&'a [RangedRay<V>]),
    /// Segments with ranges.
    RangedSegments(&'a [RangedSegment<V>]),
    /// Rays or segments that end at distances.
    Limited(&'a [LimitedRay]),
}

impl<'a, V: Vector> RaySlice<'a, V> {
    /// The number of rays.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Rays(rays) => rays.len(),
            Self::Segments(segments) => segments.len(),
            Self::RangedRays(rays) => rays.len(),
            Self::RangedSegments(segments) => segments.len(),
            Self::Limited(rays) => rays.len(),
        }
    }
    /// The ray at `index`.
    #[inline]
    pub(crate) fn get(self, index: usize) -> &'a dyn RayLike<V> {
        match self {
            Self::Rays(rays) => &rays[index],
            Self::Segments(segments) => &segments[index],
            Self::RangedRays(rays) => &rays[index],
            Self::RangedSegments(segments) => &segments[index],
            Self::Limited(rays) => &rays[index],
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
            Self::RangedRays(rays) => rays[index].raw(),
            Self::RangedSegments(segments) => segments[index].raw(),
            Self::Limited(rays) => rays[index].raw,
        }
    }
    /// Whether each ray has its own range of `t` and layer mask.
    #[inline]
    pub(crate) fn is_ranged(self) -> bool {
        matches!(self, Self::RangedRays(_) | Self::RangedSegments(_) | Self::Limited(_))
    }
    /// Whether every ray is on one of these layers.
    pub(crate) fn are_on(self, layers: u32) -> bool {
        match self {
            Self::RangedRays(rays) => rays.iter().all(|ray| ray.layers & layers != 0),
            Self::RangedSegments(segments) => segments.iter().all(|segment| segment.layers & layers != 0),
            Self::Limited(rays) => rays.iter().all(|ray| ray.raw.layers & layers != 0),
            Self::Rays(_) | Self::Segments(_) => layers != 0,
        }
    }
    /// The rays with these indices.
    pub(crate) fn part(self, indices: Range<usize>) -> Self {
        match self {
            Self::Rays(rays) => Self::Rays(&rays[indices]),
            Self::Segments(segments) => Self::Segments(&segments[indices]),
            Self::RangedRays(rays) => Self::RangedRays(&rays[indices]),
            Self::RangedSegments(segments) => Self::RangedSegments(&segments[indices]),
            Self::Limited(rays) => Self::Limited(&rays[indices]),
        }
    }
    /// Consecutive parts of `size` rays; the last may be shorter.
    pub(crate) fn chunks(self, size: usize) -> impl Iterator<Item = Self> {
        (0..self.len()).step_by(size).map(move |first| self.part(first..self.len().min(first + size)))
    }
}

impl<V> Sealed for Ray<V> {}
impl<V> Sealed for Segment<V> {}
impl<V: Vector, R> Sealed for Ranged<V, R> {}
impl Sealed for LimitedRay {}

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
