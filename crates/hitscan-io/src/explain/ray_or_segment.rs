//! A ray or a segment, as tables and command lines give them.

use hitscan::{IntoQuery, NotMeasured, Ray, Segment, SweepHit, SweepQuery, Vector};

/// A ray or a segment.
#[derive(Clone, Copy, Debug)]
pub enum RayOrSegment<V> {
    /// A ray.
    Ray(Ray<V>),
    /// A segment.
    Segment(Segment<V>),
}

impl<V: Vector> RayOrSegment<V> {
    /// The ray; of a segment the ray from its first point towards its second, without an end.
    #[must_use]
    pub fn to_ray(self) -> Ray<V> {
        match self {
            Self::Ray(ray) => ray,
            Self::Segment(segment) => segment.to_ray(),
        }
    }
    /// The segment, if it is one.
    #[must_use]
    pub fn segment(self) -> Option<Segment<V>> {
        match self {
            Self::Ray(_) => None,
            Self::Segment(segment) => Some(segment),
        }
    }
    /// [`SweepQuery::try_cast_sphere`] along it.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if the first shape may be one that cannot be measured.
    pub fn try_cast_sphere(
        &self,
        shape: &(impl SweepQuery<V> + ?Sized),
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Option<SweepHit<V>>, NotMeasured> {
        match self {
            Self::Ray(ray) => shape.try_cast_sphere(ray, radius, query),
            Self::Segment(segment) => shape.try_cast_sphere(segment, radius, query),
        }
    }
}
