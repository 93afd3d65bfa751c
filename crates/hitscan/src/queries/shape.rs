//! Shapes: one file each. A kernel says where a whole line enters and leaves its shape; everything a query adds to
//! that (the range of `t`, rays that start inside, faces, hits and spans) is in `resolve`, once, the same for all.

use crate::aabb::Aabb;
use crate::batch::{batches, columns, hits};
use crate::columns::{HitColumns, RayColumns};
use crate::explain::Explanation;
use crate::hit::{Hit, Hits, Span, Spans};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::ray_queries::RayQueries;
use crate::query::IntoQuery;
use crate::ray::RayLike;
use alloc::vec;
use alloc::vec::Vec;

/// What every shape, mesh and scene object answers.
///
/// The rules are the same for all: shapes are closed sets, so touching is hitting; every hit lies in the query's
/// range of `t`; a ray that starts inside a solid is ruled by [`Inside`](crate::Inside); input that is not a valid
/// ray (a NaN, an infinity, a zero direction) hits nothing.
///
/// ```
/// use hitscan::{glam::Vec3, Ray, Shape, Sphere};
/// let ball = Sphere::new(Vec3::new(5.0, 5.0, 5.0), 1.0)?;
/// let hit = ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::ONE), ..).ok_or("a miss")?;
/// assert_eq!(hit.t, 5.0 - 1.0 / 3f32.sqrt());
/// assert!(ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::ONE), ..=4.0).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Shape<V: Vector>: RayQueries<V> {
    /// A box that holds the shape, rounded outward; infinite along the axes on which the shape is.
    fn aabb(&self) -> Aabb<V> {
        self.bounding_box()
    }
    /// Whether the point lies in the closed solid. A surface encloses nothing: `false`.
    fn contains(&self, point: V) -> bool {
        point.all_finite() && self.contains_point(point)
    }
    /// The first hit in the range of `t`.
    #[doc(alias("raycast", "ray_cast", "closest_hit"))]
    #[inline]
    fn cast_ray(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Option<Hit<V>> {
        self.cast_closest(ray, &query.into_query())
    }
    /// Whether there is any hit in the range of `t`: the same answer as [`cast_ray`](Self::cast_ray), for less work.
    #[doc(alias("occluded", "any_hit", "linecast"))]
    #[inline]
    fn intersects_ray(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> bool {
        self.cast_any(ray, &query.into_query())
    }
    /// The first hit of each ray, in their order: the same answers as [`cast_ray`](Self::cast_ray) gives, bit for bit.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Quality, Ray, Segment, Shape, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    /// // High: more time to build, which pays for architecture.
    /// let mesh = TriangleMesh::with_quality(corners, vec![[0, 1, 2]], Quality::High)?;
    /// let rays = [0.25, 0.75].map(|x| Ray::new(Vec3::new(x, 0.5, 2.0), -Vec3::Z));
    /// let hits = mesh.cast_rays(&rays, ..);
    /// assert_eq!(hits[0].map(|hit| hit.t), Some(2.0));
    /// assert!(hits[1].is_none());
    /// let sight = rays.map(|ray| Segment::new(ray.origin, ray.at(1.0)));
    /// assert_eq!(mesh.intersects_rays(&sight, ..), [false, false]);
    /// # Ok::<(), hitscan::MeshError>(())
    /// ```
    #[doc(alias("raycast_batch"))]
    fn cast_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> Vec<Option<Hit<V>>>
    where
        Self: Sync,
    {
        let query = query.into_query();
        hits(rays, |rays, hits| self.cast_closest_each(rays, &query, hits))
    }
    /// The same into memory that is there: `hits` is as long as `rays`.
    ///
    /// With the feature `rayon` long batches are cast on all threads of the current pool, to the same bits.
    ///
    /// # Panics
    /// If the two are not equally long.
    fn cast_rays_into(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>, hits: &mut [Option<Hit<V>>])
    where
        Self: Sync,
    {
        assert_eq!(rays.len(), hits.len(), "as many hits as rays");
        let query = query.into_query();
        batches(rays, hits, |rays, hits| self.cast_closest_each(rays, &query, hits));
    }
    /// Whether each ray hits anything, in their order.
    #[doc(alias("occluded_batch"))]
    fn intersects_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> Vec<bool>
    where
        Self: Sync,
    {
        let (query, mut any) = (query.into_query(), vec![false; rays.len()]);
        batches(rays, &mut any, |rays, any| self.cast_any_each(rays, &query, any));
        any
    }
    /// The first hit of each ray, of rays that are columns and to hits that are columns: bit for bit those of
    /// [`cast_ray`](Self::cast_ray). O(n) memory for n rays, 60 bytes each in `f32`.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, RayColumns, Shape, Sphere};
    /// let ball = Sphere::new(Vec3::new(0.0, 0.0, 5.0), 1.0)?;
    /// let (x, zero, one) = ([0.0, 0.5, 2.0], [0.0; 3], [1.0; 3]);
    /// let rays = RayColumns::new(&[&x, &zero, &zero], &[&zero, &zero, &one])?;
    /// let hits = ball.cast_columns(&rays, ..);
    /// assert_eq!((hits.t()[0], hits.is_hit()), (4.0, &[true, true, false][..]));
    /// assert!(RayColumns::<Vec3>::new(&[&x, &zero], &[&zero, &zero, &one]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn cast_columns(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> HitColumns<V>
    where
        Self: Sync,
    {
        let query = query.into_query();
        columns(rays, |rays, hits| self.cast_closest_each(rays, &query, hits))
    }
    /// Every hit in the range, by rising `t`; a point where the line only touches a solid is one hit.
    fn cast_ray_all(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Hits<V> {
        let mut hits = Hits::new();
        self.all_hits(&ray.line(), &query.into_query(), &mut |_, hit| {
            // Their order is exact. Where the exact `t` of two lie in the middle of two numbers, or all but, each may have
            // been rounded to either.
            let least = hits.last().map_or(hit.t, |last: &Hit<V>| last.t);
            hits.push(if hit.t < least { Hit { t: least, ..hit } } else { hit });
        });
        hits
    }
    /// How many hits [`cast_ray_all`](Self::cast_ray_all) would give.
    fn count_hits(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> usize {
        self.count(&ray.line(), &query.into_query())
    }
    /// The stretches of the line inside the solid, within the range; none for a surface.
    #[doc(alias("entry_exit", "intervals"))]
    fn spans(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Spans<V> {
        let mut spans = Spans::new();
        self.all_spans(&ray.line(), &query.into_query(), &mut |_, Span { enter, exit }| {
            // As with all hits: in their order, whichever way they were rounded.
            let least = enter.map_or(-V::Scalar::INFINITY, |enter| enter.t);
            let exit = exit.map(|exit| if exit.t < least { Hit { t: least, ..exit } } else { exit });
            spans.push(Span { enter, exit });
        });
        spans
    }
    /// The numbers of this ray's test and what they decided.
    fn explain(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Explanation {
        let mut explanation = Explanation { shape: self.name(), ..Explanation::default() };
        self.explain_ray(&ray.line(), &query.into_query(), &mut explanation);
        explanation
    }
}

impl<V: Vector, Q: RayQueries<V>> Shape<V> for Q {}
