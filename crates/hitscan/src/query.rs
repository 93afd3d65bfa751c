//! What is asked: the range of `t`, what counts as a hit, which layers.

use crate::math::real::Real;
use core::ops::{RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

/// What a ray that starts inside a solid hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Inside {
    /// The solid is full: the ray hits where it starts, at `t_min`, with the normal against the ray.
    #[default]
    Solid,
    /// The solid is its skin: the ray hits it on the way out.
    Hollow,
}

/// Which sides of a surface can be hit. Solids ignore it.
#[doc(alias = "culling")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faces {
    /// Both sides.
    #[default]
    Both,
    /// Only the side the normal points from (counter-clockwise vertices).
    Front,
    /// Only the other side.
    Back,
}

/// A question about a ray. A range of `t` is one: `..`, `..=10.0`, `0.5..`, `0.5..=10.0`.
///
/// ```
/// use hitscan::{Inside, Query};
/// let q = Query::from(..=10.0f32).inside(Inside::Hollow);
/// assert_eq!((q.t_min(), q.t_max()), (0.0, 10.0));
/// ```
#[doc(alias = "maxDistance")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query<S> {
    t_min: S,
    t_max: S,
    inside: Inside,
    faces: Faces,
    layers: u32,
}

impl<S: Real> Query<S> {
    /// The whole ray, solids full, both faces, every layer.
    #[inline]
    pub fn new() -> Self {
        Self { t_min: S::ZERO, t_max: S::MAX, inside: Inside::Solid, faces: Faces::Both, layers: u32::MAX }
    }
    /// The whole line, in both directions.
    #[inline]
    pub fn line() -> Self {
        Self { t_min: -S::INFINITY, ..Self::new() }
    }
    /// Closed range of `t`, both ends included. A range that is empty, or has a NaN, hits nothing.
    #[must_use]
    #[inline]
    pub fn range(self, t_min: S, t_max: S) -> Self {
        Self { t_min, t_max, ..self }
    }
    /// What a ray that starts inside hits.
    #[must_use]
    #[inline]
    pub fn inside(self, inside: Inside) -> Self {
        Self { inside, ..self }
    }
    /// Which sides of surfaces count.
    #[must_use]
    #[inline]
    pub fn faces(self, faces: Faces) -> Self {
        Self { faces, ..self }
    }
    /// Only shapes of a scene that share a bit with this mask.
    #[must_use]
    #[inline]
    pub fn layers(self, mask: u32) -> Self {
        Self { layers: mask, ..self }
    }
    /// The smallest `t` that counts.
    #[inline]
    pub fn t_min(&self) -> S {
        self.t_min
    }
    /// The largest `t` that counts.
    #[inline]
    pub fn t_max(&self) -> S {
        self.t_max
    }
    /// The same question in `f64`.
    #[inline]
    pub(crate) fn double(&self) -> Query<f64> {
        let Self { t_min, t_max, inside, faces, layers } = *self;
        Query { t_min: t_min.to_f64(), t_max: t_max.to_f64(), inside, faces, layers }
    }
    /// What a ray that starts inside hits.
    #[inline]
    pub fn inside_mode(&self) -> Inside {
        self.inside
    }
    /// Which sides of surfaces count.
    #[inline]
    pub fn faces_mode(&self) -> Faces {
        self.faces
    }
    /// The bits of the layers that count.
    #[inline]
    pub fn layer_mask(&self) -> u32 {
        self.layers
    }
}

impl<S: Real> Default for Query<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Real> From<RangeFull> for Query<S> {
    #[inline]
    fn from(_: RangeFull) -> Self {
        Self::new()
    }
}

impl<S: Real> From<RangeToInclusive<S>> for Query<S> {
    #[inline]
    fn from(r: RangeToInclusive<S>) -> Self {
        Self::new().range(S::ZERO, r.end)
    }
}

impl<S: Real> From<RangeFrom<S>> for Query<S> {
    #[inline]
    fn from(r: RangeFrom<S>) -> Self {
        Self::new().range(r.start, S::MAX)
    }
}

impl<S: Real> From<RangeInclusive<S>> for Query<S> {
    #[inline]
    fn from(r: RangeInclusive<S>) -> Self {
        Self::new().range(*r.start(), *r.end())
    }
}
