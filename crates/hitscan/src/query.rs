//! Queries: the range of `t`, the largest distance, which hits count, and which layers.

use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use core::cmp::Ordering;
use core::ops::{RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

/// The rule for a ray that starts inside a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Inside {
    /// The solid is full: the ray hits it at once, at `t_min`, and the normal points against the ray.
    #[default]
    Solid,
    /// The solid is its surface only: the ray hits it where it leaves.
    Hollow,
}

/// Face culling: the sides of a surface that a ray can hit. Solids ignore it.
#[doc(alias = "culling")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Faces {
    /// Both sides.
    #[default]
    Both,
    /// Only the front: the side that the normal points away from the surface on (counter-clockwise vertices).
    Front,
    /// Only the back.
    Back,
}

impl Faces {
    /// Whether a crossing counts, by the sign of `normal . direction`.
    #[inline(always)]
    pub(crate) fn include<T: Arithmetic>(self, facing: T) -> bool {
        match self {
            Self::Both => true,
            Self::Front => facing.lt(T::ZERO),
            Self::Back => facing.gt(T::ZERO),
        }
    }
    /// Whether a crossing counts, by the order of `normal . direction` and zero.
    pub(crate) fn sees(self, facing: Ordering) -> bool {
        match self {
            Self::Both => true,
            Self::Front => facing.is_lt(),
            Self::Back => facing.is_gt(),
        }
    }
}

/// The rule for a ray that runs in a flat surface: in the plane of a triangle, a disk or a plane, or in 2D along a segment or a line.
///
/// ```
/// use hitscan::{glam::Vec2, Coplanar, Query, Ray, RayCast, SegmentShape};
/// let wall = SegmentShape::new(Vec2::new(2.0, 0.0), Vec2::new(5.0, 0.0))?;
/// let along = Ray::new(Vec2::ZERO, Vec2::X);
/// assert_eq!(wall.cast_ray(&along, ..), None);
/// let end_on = wall.cast_ray(&along, Query::new().coplanar(Coplanar::Hit)).ok_or("a miss")?;
/// assert_eq!((end_on.t, end_on.normal), (2.0, -Vec2::X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("collinear", "edge-on", "end-on", "parallel"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Coplanar {
    /// The ray misses the surface: there is no one point in which they meet.
    #[default]
    Miss,
    /// The ray hits the surface as if that were a solid without thickness: where it comes to the surface, or where the range
    /// begins in it. All hits and counts include the place where the ray leaves it; in a mesh, each triangle has its own two. The
    /// normal points against the ray. A query of one side of surfaces ([`Faces`]) sees neither side, and misses.
    Hit,
}

/// The rule for triggers: objects of a scene that a ray passes through. See [`Object::as_trigger`](crate::Object::as_trigger).
#[doc(alias("sensor", "QueryTriggerInteraction"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Triggers {
    /// Closest-hit and any-hit queries pass through triggers. All hits, their count, and spans include them.
    #[default]
    Pass,
    /// A trigger is an object like any other.
    Hit,
    /// No query finds a trigger.
    Ignore,
}

/// The rule for contacts of a moving volume with what it does not approach. Only sweeps read it.
///
/// ```
/// use hitscan::{glam::Vec3, Approach, Cuboid, Query, SweepQuery};
/// let floor = Cuboid::new(Vec3::new(0.0, 0.0, -1.0), Vec3::new(9.0, 9.0, 1.0))?;
/// let standing = Cuboid::new(Vec3::Z, Vec3::ONE)?;
/// let only = Query::new().approach(Approach::Only);
/// // What stands on a floor touches it, wherever it moves.
/// assert!(floor.cast_volume(standing, Vec3::X, ..).is_some());
/// assert!(floor.cast_volume(standing, Vec3::X, only).is_none());
/// assert!(floor.cast_volume(standing, Vec3::Z, only).is_none());
/// assert!(floor.cast_volume(standing, Vec3::new(1.0, 0.0, -0.1), only).is_some());
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
#[doc(alias("leaving", "one-way", "stop_at_penetration"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Approach {
    /// Every contact counts.
    #[default]
    Any,
    /// Only a contact against whose normal the volume moves: the product of the direction and [`SweepHit::normal`](crate::SweepHit) is
    /// less than zero, exactly, both as the caller has them. So a volume leaves what it touches or overlaps at the start, and slides
    /// along it; the sweep goes on to other objects and, in a mesh, to other triangles. A direction that was projected on a surface
    /// has roundings, by which it may point into the surface; a little of the normal added to it makes sure that it does not.
    Only,
}

/// The settings of a cast: a closed range of `t`, the largest distance of a hit, the rule for rays that start inside, face culling,
/// a layer mask, the rule for triggers, that for rays that run in a surface, and that for contacts of moving volumes.
///
/// A plain range of `t` is a query, too: see [`IntoQuery`].
///
/// ```
/// use hitscan::{Inside, Query};
/// let q = Query::from(..=10.0f32).inside(Inside::Hollow);
/// assert_eq!((q.t_min(), q.t_max()), (0.0, 10.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Query<S> {
    t_min: S,
    t_max: S,
    inside: Inside,
    faces: Faces,
    layers: u32,
    triggers: Triggers,
    coplanar: Coplanar,
    approach: Approach,
    listed: Listed,
    /// Infinite without a limit.
    max_distance: S,
}

/// What the list of all hits has where a line crosses a shared edge, or begins inside a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Listed {
    /// One triangle of those that share the edge, as their count is right.
    Crossings,
    /// Each triangle that the edge belongs to.
    Triangles,
    /// The same, and no start inside: the boundaries of all solids, whatever rule an object has.
    Boundaries,
    /// One triangle of those that the line has the point in common with, also where it only touches the mesh there.
    Points,
}

impl<S: Real> Query<S> {
    /// The query over the whole ray: `t` from 0 to the largest finite number, full solids, both faces, every layer.
    #[inline]
    pub fn new() -> Self {
        Self {
            t_min: S::ZERO,
            t_max: S::MAX,
            inside: Inside::Solid,
            faces: Faces::Both,
            layers: u32::MAX,
            triggers: Triggers::Pass,
            coplanar: Coplanar::Miss,
            approach: Approach::Any,
            listed: Listed::Crossings,
            max_distance: S::INFINITY,
        }
    }
    /// The query over the whole line, in both directions.
    #[inline]
    pub fn line() -> Self {
        Self { t_min: -S::INFINITY, ..Self::new() }
    }
    /// Sets the closed range of `t`: both ends belong to it. A range that is empty or has a NaN hits nothing.
    #[inline]
    pub fn range(self, t_min: S, t_max: S) -> Self {
        Self { t_min, t_max, ..self }
    }
    /// Sets the largest distance of a hit from the origin of the ray, as a true length: the limit `t * |direction| <= distance`,
    /// besides the range of `t`. So the direction may have any length, and a [`Segment`](crate::Segment) may reach farther.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Query, Ray, RayCast, Sphere};
    /// let ball = Sphere::new(Vec3::X * 7.0, 2.0)?; // its surface is 5 away
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X * 10.0); // of length 10: it hits at t = 0.5
    /// assert!(ball.intersects_ray(&ray, Query::new().within_distance(5.0)));
    /// assert!(!ball.intersects_ray(&ray, Query::new().within_distance(4.999)));
    /// assert!(ball.intersects_ray(&ray, ..=4.999)); // a range of t counts in lengths of the direction
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    ///
    /// A distance that is infinite is no limit. Below zero it ends the range of [`Query::line`] before the origin, and hits nothing
    /// otherwise; so does a NaN.
    ///
    /// # Accuracy
    /// For closest hits, any hits, all hits and their counts, of single rays and of batches, the limit is exact: a hit exactly at
    /// the distance counts, and none behind it, however near. Spans, lengths, sweeps and lines of sight end at the smallest number
    /// of the ray's precision that is not below `distance / |direction|`: they lose nothing within the distance, and may reach beyond
    /// it by 2^-23 of it in `f32`, by 2^-52 in `f64`.
    #[doc(alias("maxDistance", "max_toi", "max_distance"))]
    #[inline]
    pub fn within_distance(self, distance: S) -> Self {
        Self { max_distance: distance, ..self }
    }
    /// Sets the rule for rays that start inside a solid.
    #[inline]
    pub fn inside(self, inside: Inside) -> Self {
        Self { inside, ..self }
    }
    /// Sets which sides of surfaces count.
    #[inline]
    pub fn faces(self, faces: Faces) -> Self {
        Self { faces, ..self }
    }
    /// Sets the layer mask: only shapes of a scene that share a bit with it count.
    #[inline]
    pub fn layers(self, mask: u32) -> Self {
        Self { layers: mask, ..self }
    }
    /// Sets the rule for triggers.
    #[inline]
    pub fn triggers(self, triggers: Triggers) -> Self {
        Self { triggers, ..self }
    }
    /// Sets the rule for rays that run in a flat surface.
    #[inline]
    pub fn coplanar(self, coplanar: Coplanar) -> Self {
        Self { coplanar, ..self }
    }
    /// Sets the rule for contacts of a moving volume with what it does not approach.
    #[inline]
    pub fn approach(self, approach: Approach) -> Self {
        Self { approach, ..self }
    }
    /// The smallest `t` that counts.
    #[must_use]
    #[inline]
    pub fn t_min(&self) -> S {
        self.t_min
    }
    /// The largest `t` that counts.
    #[must_use]
    #[inline]
    pub fn t_max(&self) -> S {
        self.t_max
    }
    /// The largest distance of a hit; infinite without a limit.
    #[must_use]
    #[inline]
    pub fn max_distance(&self) -> S {
        self.max_distance
    }
    /// Whether the query has a limit by a distance. A NaN is one.
    #[inline]
    pub(crate) fn has_distance(&self) -> bool {
        !(self.max_distance == S::INFINITY)
    }
    /// The same query in `f64`.
    #[inline]
    pub(crate) fn double(&self) -> Query<f64> {
        let Self { t_min, t_max, inside, faces, layers, triggers, coplanar, approach, listed, max_distance } = *self;
        let [t_min, t_max, max_distance] = [t_min, t_max, max_distance].map(Real::to_f64);
        Query { t_min, t_max, inside, faces, layers, triggers, coplanar, approach, listed, max_distance }
    }
    /// The query of all hits, counts and spans: with the triggers that closest hits pass through.
    #[inline]
    pub(crate) fn of_all_hits(self) -> Self {
        if self.triggers == Triggers::Pass { self.triggers(Triggers::Hit) } else { self }
    }
    /// The query whose hits include each triangle at a shared edge, as the closest hit chooses from.
    #[doc(hidden)]
    #[inline]
    pub fn with_shared_edges(self) -> Self {
        Self { listed: Listed::Triangles, ..self }
    }
    /// The query whose hits are the boundaries of solids, whatever rule an object has for rays that start inside, and each
    /// triangle at a shared edge.
    #[inline]
    pub(crate) fn of_boundaries(self) -> Self {
        Self { listed: Listed::Boundaries, inside: Inside::Hollow, ..self }
    }
    /// The query of a line that runs in a surface: this is full along the line, whatever the rule for solids.
    #[inline]
    pub(crate) fn within_surfaces(self) -> Self {
        if self.has_only_boundaries() { self } else { self.inside(Inside::Solid) }
    }
    /// The query whose hits and counts have each point that the line has in common with a mesh, once, also where it touches an
    /// edge and does not cross the surface. Of the triangles there, the first is named, as for the closest hit.
    #[doc(hidden)]
    #[inline]
    pub fn of_common_points(self) -> Self {
        Self { listed: Listed::Points, ..self }
    }
    #[inline]
    pub(crate) fn has_common_points(&self) -> bool {
        self.listed == Listed::Points
    }
    #[inline]
    pub(crate) fn has_shared_edges(&self) -> bool {
        self.listed != Listed::Crossings
    }
    #[inline]
    pub(crate) fn has_only_boundaries(&self) -> bool {
        self.listed == Listed::Boundaries
    }
    /// The rule for rays that start inside a solid.
    #[must_use]
    #[inline]
    pub fn inside_mode(&self) -> Inside {
        self.inside
    }
    /// The sides of surfaces that count.
    #[must_use]
    #[inline]
    pub fn faces_mode(&self) -> Faces {
        self.faces
    }
    /// The layer mask.
    #[must_use]
    #[inline]
    pub fn layer_mask(&self) -> u32 {
        self.layers
    }
    /// The rule for rays that run in a flat surface.
    #[must_use]
    #[inline]
    pub fn coplanar_mode(&self) -> Coplanar {
        self.coplanar
    }
    /// Whether a ray that runs in a surface hits it: not if only one of its sides counts.
    #[inline(always)]
    pub(crate) fn counts_coplanar(&self) -> bool {
        self.coplanar == Coplanar::Hit && self.faces == Faces::Both
    }
    /// The rule for contacts of a moving volume with what it does not approach.
    #[must_use]
    #[inline]
    pub fn approach_mode(&self) -> Approach {
        self.approach
    }
    /// The rule for triggers.
    #[must_use]
    #[inline]
    pub fn trigger_mode(&self) -> Triggers {
        self.triggers
    }
}

impl<S: Real> Default for Query<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The argument of a cast: a closed range of `t`, or a [`Query`].
///
/// | argument | range of `t` |
/// |---|---|
/// | `..` | from 0 without an end |
/// | `..=10.0` | from 0 to 10 |
/// | `0.5..` | from 0.5 without an end |
/// | `0.5..=10.0` | from 0.5 to 10 |
/// | a [`Query`], or a reference to one | as the query says |
///
/// Both ends belong to the range. A half-open range such as `0.0..10.0` does not compile: its nearest closed range would
/// end at the number below 10 and lose a hit that is exactly there.
///
/// ```compile_fail,E0277
/// use hitscan::{glam::Vec3, Ray, RayCast, Sphere};
/// let ball = Sphere::new(Vec3::Z * 5.0, 1.0).unwrap();
/// ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z), 0.0..10.0); // write 0.0..=10.0
/// ```
///
/// Nor does a range of whole numbers or of another precision than that of the rays:
///
/// ```compile_fail,E0277
/// use hitscan::{glam::Vec3, Ray, RayCast, Sphere};
/// let ball = Sphere::new(Vec3::Z * 5.0, 1.0).unwrap();
/// ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..=10); // write ..=10.0
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query for `{S}` rays",
    label = "write a closed range of `{S}`, such as `0.0..=10.0`",
    note = "a query is a range of `{S}`, as in `0.0..=10.0`, `..=10.0`, `0.5..` or `..`, or a `Query<{S}>`"
)]
pub trait IntoQuery<S> {
    /// The query.
    fn into_query(self) -> Query<S>;
}

impl<S> IntoQuery<S> for Query<S> {
    #[inline]
    fn into_query(self) -> Self {
        self
    }
}

impl<S: Real> IntoQuery<S> for &Query<S> {
    #[inline]
    fn into_query(self) -> Query<S> {
        *self
    }
}

macro_rules! ranges {
    ($($range:ty: $r:ident => $query:expr;)+) => {$(
        impl<S: Real> IntoQuery<S> for $range {
            #[inline]
            fn into_query(self) -> Query<S> {
                let $r = self;
                $query
            }
        }

        impl<S: Real> From<$range> for Query<S> {
            #[inline]
            fn from(range: $range) -> Self {
                range.into_query()
            }
        }
    )+};
}

ranges! {
    RangeFull: _range => Query::new();
    RangeToInclusive<S>: range => Query::new().range(S::ZERO, range.end);
    RangeFrom<S>: range => Query::new().range(range.start, S::MAX);
    RangeInclusive<S>: range => Query::new().range(*range.start(), *range.end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_range_is_a_query() {
        let ends = |query: Query<f64>| (query.t_min(), query.t_max());
        assert_eq!(ends((..).into_query()), (0.0, f64::MAX));
        assert_eq!(ends((..=10.0).into_query()), (0.0, 10.0));
        assert_eq!(ends((0.5..).into_query()), (0.5, f64::MAX));
        assert_eq!(ends((-0.5..=10.0).into_query()), (-0.5, 10.0));
        let query = Query::<f64>::line().inside(Inside::Hollow).faces(Faces::Back).layers(6);
        assert_eq!(((&query).into_query(), query.into_query()), (query, query));
        assert_eq!(Query::from(0.5..=10.0), (0.5..=10.0).into_query());
    }
}
