//! The trait [`RayCast`]: the ray queries that shapes, meshes and scenes have in common.

use crate::batch::{batches, columns, hits};
use crate::columns::{HitColumns, RayColumns};
use crate::explain::Explanation;
use crate::hit::{Hit, Hits, Span, Spans};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::query::IntoQuery;
use crate::ray::RayLike;
use alloc::vec;
use alloc::vec::Vec;

/// The ray queries of every [`Shape`]: of shapes, meshes and scenes, and of trait objects.
///
/// The same rules hold for all of them. Shapes are closed sets, so a ray that touches a shape hits it. Every hit lies in the
/// query's range of `t`. [`Inside`](crate::Inside) says where a ray hits a solid that it starts in. An invalid ray (a NaN, an
/// infinity, a zero direction) hits nothing.
///
/// Every query takes a range of `t` or a [`Query`](crate::Query): see [`IntoQuery`].
///
/// ```
/// use hitscan::{glam::Vec3, Ray, RayCast, Sphere};
/// let ball = Sphere::new(Vec3::new(5.0, 5.0, 5.0), 1.0)?;
/// let hit = ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::ONE), ..).ok_or("a miss")?;
/// assert_eq!(hit.t, 5.0 - 1.0 / 3f32.sqrt());
/// assert!(ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::ONE), ..=4.0).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait RayCast<V: Vector>: Shape<V> {
    /// The closest hit in the range of `t`.
    #[doc(alias("raycast", "ray_cast", "closest_hit"))]
    #[must_use]
    #[inline]
    fn cast_ray(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Option<Hit<V>> {
        self.cast_closest(ray, &query.into_query())
    }
    /// Whether there is a hit in the range of `t` (any-hit query). Equal to `cast_ray(..).is_some()`, and faster.
    #[doc(alias("occluded", "any_hit", "linecast"))]
    #[must_use]
    #[inline]
    fn intersects_ray(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> bool {
        self.cast_any(ray, &query.into_query())
    }
    /// The closest hit of each ray, in the order of the rays. Each is bit for bit that of [`cast_ray`](Self::cast_ray).
    ///
    /// With the feature `rayon`, all threads of the current pool cast long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Quality, Ray, RayCast, Segment, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
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
    #[must_use]
    fn cast_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> Vec<Option<Hit<V>>> {
        let query = query.into_query();
        hits(rays, |rays, hits| self.cast_closest_each(RayLike::batch(rays), &query, hits))
    }
    /// Writes the closest hit of each ray to `hits`: [`cast_rays`](Self::cast_rays) without an allocation.
    ///
    /// # Panics
    /// If `hits` and `rays` differ in length.
    fn cast_rays_into(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>, hits: &mut [Option<Hit<V>>]) {
        assert_eq!(rays.len(), hits.len(), "as many hits as rays");
        let query = query.into_query();
        batches(rays, hits, |rays, hits| self.cast_closest_each(RayLike::batch(rays), &query, hits));
    }
    /// Whether each ray has a hit, in the order of the rays.
    #[doc(alias("occluded_batch"))]
    #[must_use]
    fn intersects_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> Vec<bool> {
        let (query, mut any) = (query.into_query(), vec![false; rays.len()]);
        batches(rays, &mut any, |rays, any| self.cast_any_each(RayLike::batch(rays), &query, any));
        any
    }
    /// The closest hit of each ray, from columns of rays to columns of hits. Each is bit for bit that of
    /// [`cast_ray`](Self::cast_ray). The hits take 57 bytes per ray in `f32` in space.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, RayCast, RayColumns, Sphere};
    /// let ball = Sphere::new(Vec3::new(0.0, 0.0, 5.0), 1.0)?;
    /// let (x, zero, one) = ([0.0, 0.5, 2.0], [0.0; 3], [1.0; 3]);
    /// let rays = RayColumns::new(&[&x, &zero, &zero], &[&zero, &zero, &one])?;
    /// let hits = ball.cast_columns(&rays, ..);
    /// assert_eq!((hits.t()[0], hits.is_hit()), (4.0, &[true, true, false][..]));
    /// assert!(RayColumns::<Vec3>::new(&[&x, &zero], &[&zero, &zero, &one]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn cast_columns(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> HitColumns<V> {
        let query = query.into_query();
        columns(rays, |rays, hits| self.cast_closest_each(RayLike::batch(rays), &query, hits))
    }
    /// All hits in the range, in ascending order of `t`. A point where the line only touches a solid is one hit.
    #[must_use]
    fn cast_ray_all(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Hits<V> {
        let mut hits = Hits::new();
        self.all_hits(&ray.line().into(), &query.into_query(), &mut |_, hit| {
            // The order is exact, but the `t` of two close hits may have been rounded in opposite directions.
            let least = hits.last().map_or(hit.t, |last: &Hit<V>| last.t);
            hits.push(if hit.t < least { Hit { t: least, ..hit } } else { hit });
        });
        hits
    }
    /// The number of hits that [`cast_ray_all`](Self::cast_ray_all) returns.
    #[must_use]
    fn count_hits(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> usize {
        self.count(&ray.line().into(), &query.into_query())
    }
    /// The spans: the intervals of the range in which the line is inside the solid. A surface has none.
    #[doc(alias("entry_exit", "intervals"))]
    #[must_use]
    fn spans(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Spans<V> {
        let mut spans = Spans::new();
        self.all_spans(&ray.line().into(), &query.into_query(), &mut |_, Span { enter, exit }| {
            // As for all hits, two close ends may have been rounded in opposite directions.
            let least = enter.map_or(-V::Scalar::INFINITY, |enter| enter.t);
            let exit = exit.map(|exit| if exit.t < least { Hit { t: least, ..exit } } else { exit });
            spans.push(Span { enter, exit });
        });
        spans
    }
    /// The computation of this cast: the quantities and the decisions that they led to.
    #[must_use]
    fn explain(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Explanation {
        let mut explanation = Explanation { shape: self.name(), ..Explanation::default() };
        self.explain_ray(&ray.line().into(), &query.into_query(), &mut explanation);
        explanation
    }
}

impl<V: Vector, S: Shape<V> + ?Sized> RayCast<V> for S {}
