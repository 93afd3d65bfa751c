//! The trait [`RayCast`]: the ray queries that shapes, meshes and scenes have in common.

use crate::batch::{RayBatch, batches, columns, hits, lists, values};
use crate::columns::{Columns, HitColumns};
use crate::explain::Explanation;
use crate::hit::{Hit, Hits, Span, Spans, ThroughHits};
use crate::hit_lists::{HitLists, SpanLists};
use crate::hit_rows::HitRows;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::distance_limit::{self, any_each, closest_each, closest_within, limited};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::line_of_sight::{each_is_clear, is_clear};
use crate::queries::shape::Shape;
use crate::queries::thickness::{Thickness, each_thickness, thickness};
use crate::query::{IntoQuery, Query, Triggers};
use crate::ray::{RayLike, RaySlice, Segment};
use crate::ray_columns::RayColumns;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// The ray queries of every [`Shape`]: of shapes, meshes and scenes, and of trait objects.
///
/// The same rules hold for all of them. Shapes are closed sets, so a ray that touches a shape hits it. Only a ray that runs *in* a
/// flat surface misses it, unless the query says [`Coplanar::Hit`](crate::Coplanar): a ray in the plane of a triangle, a disk or a
/// plane, or in 2D along a segment or a line. Every hit lies in the query's range of `t`. [`Inside`](crate::Inside) says where a ray
/// hits a solid that it starts in. An invalid ray (a NaN, an infinity, a zero direction) hits nothing. No number of a result is a
/// negative zero.
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
    #[inline(always)]
    fn cast_ray(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Option<Hit<V>> {
        let query = query.into_query();
        if query.has_distance() || ray.is_limited() {
            closest_within(self, ray, &query)
        } else {
            self.cast_closest(ray, &query)
        }
    }
    /// Whether there is a hit in the range of `t` (any-hit query). Equal to `cast_ray(..).is_some()`, and faster.
    #[doc(alias("occluded", "any_hit", "linecast"))]
    #[must_use]
    #[inline(always)]
    fn intersects_ray(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> bool {
        let query = query.into_query();
        if query.has_distance() || ray.is_limited() {
            return closest_within(self, ray, &query).is_some();
        }
        self.cast_any(ray, &query)
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
        hits(rays, |rays, hits| closest_each(self, RayLike::batch(rays), &query, hits))
    }
    /// Writes the closest hit of each ray to `hits`: [`cast_rays`](Self::cast_rays) without an allocation.
    ///
    /// # Panics
    /// If `hits` and `rays` differ in length.
    fn cast_rays_into(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>, hits: &mut [Option<Hit<V>>]) {
        assert_eq!(rays.len(), hits.len(), "as many hits as rays");
        let query = query.into_query();
        batches(rays, hits, |rays, hits| closest_each(self, RayLike::batch(rays), &query, hits));
    }
    /// [`cast_rays_into`](Self::cast_rays_into) for any kind of rays, on this thread.
    #[doc(hidden)]
    fn cast_slice_into(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, hits: &mut [Option<Hit<V>>]) {
        closest_each(self, rays, query, hits);
    }
    /// [`intersects_rays`](Self::intersects_rays) for any kind of rays, on this thread.
    #[doc(hidden)]
    fn intersects_slice_into(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, any: &mut [bool]) {
        any_each(self, rays, query, any);
    }
    /// Whether each ray has a hit, in the order of the rays.
    #[doc(alias("occluded_batch"))]
    #[must_use]
    fn intersects_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> Vec<bool> {
        let (query, mut any) = (query.into_query(), vec![false; rays.len()]);
        batches(rays, &mut any, |rays, any| any_each(self, RayLike::batch(rays), &query, any));
        any
    }
    /// The closest hit of each ray, from columns of rays to columns of hits. Each is bit for bit that of
    /// [`cast_ray`](Self::cast_ray). The hits take 63 bytes per ray in `f32` in space.
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
        let mut hits = HitColumns::default();
        self.cast_columns_into(rays, query, &mut hits);
        hits
    }
    /// Writes the closest hit of each ray to `hits`, to the columns that it was made with. They are as those of
    /// [`cast_columns`](Self::cast_columns), row by row; earlier rows are gone.
    ///
    /// The columns keep their memory, and are allocated anew only for more rays than ever before; besides, each thread has
    /// buffers for some thousand rays. A column left out is neither allocated nor written. [`Columns::IS_HIT`] alone is an any-hit query, and
    /// [`Columns::T`] alone is faster at single `f32` shapes; for any other choice all numbers of a hit are computed.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Columns, HitColumns, RayCast, RayColumns, Sphere};
    /// let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
    /// let mut hits = HitColumns::new(Columns::T | Columns::NORMAL);
    /// for frame in 0..3 {
    ///     let eyes = [Vec3::Z * frame as f32; 100];
    ///     ball.cast_columns_into(&RayColumns::from_points(&eyes, &[Vec3::Z; 100])?, .., &mut hits);
    ///     assert_eq!(hits.t(), [4.0 - frame as f32; 100]);
    ///     assert!(hits.distance().is_empty());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn cast_columns_into(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>, hits: &mut HitColumns<V>) {
        let query = query.into_query();
        hits.reset(rays.len());
        let has_no_distances = !query.has_distance() && !rays.has_distances();
        let in_rows =
            |first, rows: &mut HitRows<'_, V>| has_no_distances && self.cast_rows((rays, first), &query, rows);
        let any = |rays: RaySlice<'_, V>, any: &mut [bool]| any_each(self, rays, &query, any);
        columns(rays, hits, in_rows, any, |rays, hits| closest_each(self, rays, &query, hits));
    }
    /// Whether each ray has a hit: [`intersects_rays`](Self::intersects_rays) of columns.
    #[must_use]
    fn intersects_columns(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> Vec<bool> {
        let mut hits = HitColumns::new(Columns::IS_HIT);
        self.cast_columns_into(rays, query, &mut hits);
        hits.into_is_hit()
    }
    /// All hits in the range, in ascending order of `t`. A point where the line only touches a solid is one hit.
    #[must_use]
    fn cast_ray_all(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Hits<V> {
        self.cast_ray_first(ray, query, usize::MAX)
    }
    /// The first `count` hits of [`cast_ray_all`](Self::cast_ray_all). The search ends behind them.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// for z in [9.0, 3.0, 6.0] {
    ///     scene.insert(Object::new(Sphere::new(Vec3::Z * z, 1.0)?))?;
    /// }
    /// let hits = scene.cast_ray_first(&Ray::new(Vec3::ZERO, Vec3::Z), .., 3);
    /// assert_eq!(hits.iter().map(|hit| hit.t).collect::<Vec<_>>(), [2.0, 4.0, 5.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn cast_ray_first(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>, count: usize) -> Hits<V> {
        let mut hits = Hits::new();
        each_hit(self, ray, (&query.into_query().of_all_hits(), count), |hit| hits.push(hit));
        hits
    }
    /// Replaces the content of `hits` by all hits of [`cast_ray_all`](Self::cast_ray_all). A vector that is used again
    /// allocates only when it grows. At single shapes nothing else allocates; a mesh, and a scene with more than 4 hits, sort
    /// in memory of their own.
    fn cast_ray_all_into(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>, hits: &mut Vec<Hit<V>>) {
        hits.clear();
        each_hit(self, ray, (&query.into_query().of_all_hits(), usize::MAX), |hit| hits.push(hit));
    }
    /// Calls `each` with the hits of [`cast_ray_all`](Self::cast_ray_all) in their order, until it breaks. Then the search
    /// ends.
    ///
    /// The search has steps: the first 4 hits, then 4 times as many each time, so that hits behind the last one wanted
    /// cost little. If `each` wants all hits, `cast_ray_all` is faster.
    ///
    /// # Errors
    /// Returns [`ControlFlow::Break`] if `each` did.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// for z in [9.0, 3.0, 6.0] {
    ///     scene.insert(Object::new(Sphere::new(Vec3::Z * z, 1.0)?))?;
    /// }
    /// let mut depth = 0.0;
    /// let mut inside_for_a_length_of_2 = |hit: hitscan::Hit<Vec3>| {
    ///     depth += if hit.side == hitscan::Side::Front { -hit.t } else { hit.t };
    ///     if depth >= 2.0 { ControlFlow::Break(hit.t) } else { ControlFlow::Continue(()) }
    /// };
    /// let end = scene.for_each_hit(&Ray::new(Vec3::ZERO, Vec3::Z), .., &mut inside_for_a_length_of_2);
    /// assert_eq!(end, ControlFlow::Break(4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn for_each_hit<B>(
        &self,
        ray: &impl RayLike<V>,
        query: impl IntoQuery<V::Scalar>,
        each: impl FnMut(Hit<V>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for_each(self, ray, &query.into_query().of_all_hits(), each)
    }
    /// The closest hit that the filter accepts. The filter sees each triangle and each entry and exit of a solid that the
    /// ray crosses, up to the first one that it accepts: if it refuses a hit, the ray goes on within the same object. It
    /// may see a hit twice.
    ///
    /// If the filter accepts the closest hit of all, the query takes as long as [`cast_ray`](Self::cast_ray). Embree calls this
    /// an intersection filter function.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Ray, RayCast, TriangleMesh};
    /// // Two triangles behind each other; the first one is transparent.
    /// let vertices = [2.0, 3.0].map(|z| [Vec3::new(0.0, 0.0, z), Vec3::new(1.0, 0.0, z), Vec3::new(0.0, 1.0, z)]);
    /// let mesh = TriangleMesh::new(vertices.concat(), vec![[0, 1, 2], [3, 4, 5]])?;
    /// let ray = Ray::new(Vec3::new(0.25, 0.25, 0.0), Vec3::Z);
    /// let hit = mesh.cast_ray_where(&ray, .., |hit| hit.primitive != Some(0)).ok_or("a miss")?;
    /// assert_eq!(hit.t, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("filter", "predicate", "intersection_filter"))]
    #[must_use]
    fn cast_ray_where(
        &self,
        ray: &impl RayLike<V>,
        query: impl IntoQuery<V::Scalar>,
        accept: impl Fn(&Hit<V>) -> bool,
    ) -> Option<Hit<V>> {
        let query = query.into_query();
        let first = self.cast_ray(ray, query)?;
        if accept(&first) { Some(first) } else { first_where(self, ray, &query, accept) }
    }
    /// [`cast_ray_where`](Self::cast_ray_where) for each ray. The filter gets the number of the ray. Threads call it as they
    /// cast the rays.
    #[must_use]
    fn cast_rays_where<R: RayLike<V>>(
        &self,
        rays: &[R],
        query: impl IntoQuery<V::Scalar>,
        accept: impl Fn(usize, &Hit<V>) -> bool + Sync,
    ) -> Vec<Option<Hit<V>>> {
        let query = query.into_query();
        let mut hits = self.cast_rays(rays, query);
        let is_refused = |row: &usize| hits[*row].is_some_and(|hit| !accept(*row, &hit));
        let refused: Vec<usize> = (0..rays.len()).filter(is_refused).collect();
        let mut later = vec![None; refused.len()];
        batches(&refused, &mut later, |rows, later| {
            for (&row, later) in rows.iter().zip(later) {
                *later = first_where(self, &rays[row], &query, |hit| accept(row, hit));
            }
        });
        refused.into_iter().zip(later).for_each(|(row, hit)| hits[row] = hit);
        hits
    }
    /// The closest hit, and in order all hits of triggers before it: see [`Object::as_trigger`](crate::Object::as_trigger).
    /// PhysX calls these a block and touches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Plane, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let alarm = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?).as_trigger())?;
    /// let wall = scene.insert(Object::new(Plane::new(Vec3::Z * 9.0, Vec3::Z)?))?;
    /// let through = scene.cast_ray_through(&Ray::new(Vec3::ZERO, Vec3::Z), ..);
    /// assert_eq!(through.hit.and_then(|hit| hit.object), Some(wall));
    /// let t: Vec<_> = through.triggers.iter().map(|hit| (hit.object, hit.t)).collect();
    /// assert_eq!(t, [(Some(alarm), 4.0), (Some(alarm), 6.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn cast_ray_through(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> ThroughHits<V> {
        let query = query.into_query();
        let (hit, mut triggers) = (self.cast_ray(ray, query.triggers(Triggers::Ignore)), Hits::new());
        let _ = for_each(self, ray, &query.of_all_hits(), |hit| {
            if !hit.is_trigger {
                return ControlFlow::Break(());
            }
            triggers.push(hit);
            ControlFlow::Continue(())
        });
        ThroughHits { hit, triggers }
    }
    /// All hits of each ray, as [`cast_ray_all`](Self::cast_ray_all) has them, in compressed rows.
    #[must_use]
    fn cast_rays_all(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> HitLists<V> {
        all_hits(self, RayBatch::Slice(RayLike::batch(rays)), &query.into_query().of_all_hits())
    }
    /// All hits of each ray: [`cast_rays_all`](Self::cast_rays_all) of columns.
    #[must_use]
    fn cast_columns_all(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> HitLists<V> {
        all_hits(self, RayBatch::Columns(rays), &query.into_query().of_all_hits())
    }
    /// The number of hits that [`cast_ray_all`](Self::cast_ray_all) returns.
    #[must_use]
    fn count_hits(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> usize {
        let query = query.into_query().of_all_hits();
        distance_limit::count(self, &limited(ray, &query), &query)
    }
    /// The number of hits of each ray: [`count_hits`](Self::count_hits).
    #[must_use]
    fn count_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> Vec<u32> {
        count_each(self, RayBatch::Slice(RayLike::batch(rays)), &query.into_query().of_all_hits())
    }
    /// The number of hits of each ray: [`count_rays`](Self::count_rays) of columns.
    #[must_use]
    fn count_columns(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> Vec<u32> {
        count_each(self, RayBatch::Columns(rays), &query.into_query().of_all_hits())
    }
    /// The spans: the intervals of the range in which the line is inside the solid. A surface has none. A scene or group has the
    /// spans of each of its objects, which may overlap. They come in the exact order of their beginnings, and those that begin
    /// at the same `t` in the order in which the objects were inserted.
    #[doc(alias("entry_exit", "intervals"))]
    #[must_use]
    fn spans(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Spans<V> {
        let mut spans = Spans::new();
        each_span(self, ray, &query.into_query().of_all_hits(), |span| spans.push(span));
        spans
    }
    /// The spans of each ray, as [`spans`](Self::spans) has them, in compressed rows.
    #[must_use]
    fn spans_rays(&self, rays: &[impl RayLike<V>], query: impl IntoQuery<V::Scalar>) -> SpanLists<V> {
        all_spans(self, RayBatch::Slice(RayLike::batch(rays)), &query.into_query().of_all_hits())
    }
    /// The spans of each ray: [`spans_rays`](Self::spans_rays) of columns.
    #[must_use]
    fn spans_columns(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> SpanLists<V> {
        all_spans(self, RayBatch::Columns(rays), &query.into_query().of_all_hits())
    }
    /// Whether nothing is between two points: the segment without its two ends has no point in common with any shape.
    ///
    /// So an eye and a target on surfaces do not block the sight, and a solid is in the way even if an end lies on it:
    /// behind its surface, with [`Inside::Solid`](crate::Inside), it is full. A line that touches a shape between the ends is
    /// blocked, and so is one that runs in a flat surface, such as a line along a 2D wall: [`Coplanar::Hit`](crate::Coplanar) holds
    /// here for every query. If only one side of surfaces counts, a line along a surface sees neither and is clear. All of it is
    /// exact; a point that was rounded, such as [`Hit::point`], may lie on the far side of its surface: [`Hit::origin_outside`] does
    /// not. To see out of objects, and into them, leave them out: [`Scene::excluding`](crate::Scene::excluding). Triggers do not
    /// block, unless the query hits them.
    ///
    /// ```text
    ///   eye o----------> target      clear: nothing is between
    ///   eye o-----|----> target      blocked: the line crosses a wall
    ///   eye o---=====--> target      blocked: the line runs along a wall, which it meets end-on
    ///   eye o----------=====         clear: the target is the end of the wall
    /// ```
    ///
    /// A point sees itself. No point that is not finite sees or is seen. Of a range of `t`, what is in 0..=1 counts.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, RayCast, Sphere};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// let (eye, near, far) = (Vec3::X * 5.0, Vec3::X, -Vec3::X); // two points of the ball
    /// assert!(ball.line_of_sight(eye, near, ..) && !ball.line_of_sight(eye, far, ..));
    /// assert!(!ball.line_of_sight(near, far, ..));
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[doc(alias("is_visible", "linecast", "has_line_of_sight"))]
    #[must_use]
    fn line_of_sight(&self, from: V, to: V, query: impl IntoQuery<V::Scalar>) -> bool {
        is_clear(self, &Segment::new(from, to), &query.into_query())
    }
    /// Whether each target is visible from `eye`: the [`line_of_sight`](Self::line_of_sight) to each, in order.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, RayCast, Sphere};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// assert_eq!(ball.visible_from(Vec3::X * 5.0, &[Vec3::X, Vec3::Y * 2.0, Vec3::X * -5.0], ..), [true, true, false]);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn visible_from(&self, eye: V, targets: &[V], query: impl IntoQuery<V::Scalar>) -> Vec<bool> {
        each_is_clear(self, (eye, targets), &query.into_query())
    }
    /// The thickness of the solid behind a hit on its surface: the length of the span along the inward normal.
    ///
    /// The line runs against the normal of the hit, which is rounded, and passes its point within half a unit in the last place of the
    /// largest coordinate. Where it enters and leaves is exact. The span is the one that begins at the hit. It is that of the object of the
    /// hit, whatever other objects of a scene are in the way. Triangles of a mesh may face inward: parity decides on which side the solid
    /// is, and the line goes there.
    ///
    /// `None` if the hit is not on the surface of a solid: open meshes and other surfaces have no inside, a hit where a range
    /// begins inside a solid is no point of its surface, and a wall within a mesh has the solid on both sides. Also for a
    /// half-space, which has no other side, and where rounding has moved the point over an edge.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Cuboid, Ray, RayCast};
    /// let plate = Cuboid::new(Vec3::ZERO, Vec3::new(4.0, 4.0, 0.25))?;
    /// let hit = plate.cast_ray(&Ray::new(Vec3::new(-3.0, 0.0, 5.0), Vec3::new(1.0, 0.5, -2.0)), ..).ok_or("a miss")?;
    /// assert_eq!(plate.thickness(&hit).map(|thickness| thickness.length), Some(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn thickness(&self, hit: &Hit<V>) -> Option<Thickness<V>> {
        thickness(self, hit)
    }
    /// The [`thickness`](Self::thickness) behind each hit, in order. With the feature `rayon`, all threads work on long batches.
    #[must_use]
    fn thicknesses(&self, hits: &[Hit<V>]) -> Vec<Option<Thickness<V>>> {
        each_thickness(self, hits)
    }
    /// The computation of this cast: the quantities and the decisions that they led to.
    #[must_use]
    fn explain(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Explanation {
        let mut explanation = Explanation { shape: self.name(), ..Explanation::default() };
        let query = query.into_query();
        let ray = limited(ray, &query);
        self.explain_ray(&InstanceRay::new(&RayLike::<V>::line(&ray)), &query, &mut explanation);
        // The steps are those of a range of `t` that ends a little behind the distance.
        if self.cast_closest(&ray, &query).is_some() && closest_within(self, &ray, &query).is_none() {
            explanation.verdict("no hit: the shape lies beyond the distance, by less than the rounding of t");
        }
        explanation
    }
}

impl<V: Vector, S: Shape<V> + ?Sized> RayCast<V> for S {}

/// Hits in exact order: the `t` of two close ones may have been rounded in opposite directions.
struct Ascending<S>(Option<S>);

impl<S: Real> Ascending<S> {
    fn new() -> Self {
        Self(None)
    }
    fn next<V: Vector<Scalar = S>>(&mut self, hit: Hit<V>) -> Hit<V> {
        let least = self.0.unwrap_or(hit.t);
        let hit = if hit.t < least { Hit { t: least, ..hit } } else { hit };
        self.0 = Some(hit.t);
        hit
    }
}

/// Number of hits in the first step of a search that may end early, and the factor from step to step.
const STEP: usize = 4;

/// Calls `each` with the hits in order until it breaks. The search starts again with more hits when they run out.
fn for_each<V: Vector, B>(
    shape: &(impl Shape<V> + ?Sized),
    ray: &impl RayLike<V>,
    query: &Query<V::Scalar>,
    mut each: impl FnMut(Hit<V>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    // The search asks for a few hits first: most callers break soon.
    let (ray, mut most, mut done) = (limited(ray, query), STEP, 0);
    loop {
        let (mut found, mut order, mut end) = (0, Ascending::new(), ControlFlow::Continue(()));
        // The hits found before are computed again, and skipped. They come in the same order.
        distance_limit::all_hits(shape, &ray, (query, most), &mut |_, hit| {
            let hit = order.next(hit);
            found += 1;
            if found > done && end.is_continue() {
                end = each(hit);
            }
        });
        end?;
        // With fewer hits than wanted, there are no more.
        if found < most {
            return ControlFlow::Continue(());
        }
        (done, most) = (found, most.saturating_mul(STEP));
    }
}

/// The closest hit that the filter accepts.
#[cold]
fn first_where<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    ray: &impl RayLike<V>,
    query: &Query<V::Scalar>,
    accept: impl Fn(&Hit<V>) -> bool,
) -> Option<Hit<V>> {
    let found = for_each(shape, ray, &query.with_shared_edges(), |hit| {
        if accept(&hit) { ControlFlow::Break(hit) } else { ControlFlow::Continue(()) }
    });
    found.break_value()
}

/// Calls `out` with the first `most` hits of a ray, in the order of `t`.
fn each_hit<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    ray: &dyn RayLike<V>,
    (query, most): (&Query<V::Scalar>, usize),
    mut out: impl FnMut(Hit<V>),
) {
    if most == 0 {
        return;
    }
    let mut order = Ascending::new();
    distance_limit::all_hits(shape, &limited(ray, query), (query, most), &mut |_, hit| out(order.next(hit)));
}

/// Calls `out` with each span of a ray, in the order of `t`.
fn each_span<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    ray: &dyn RayLike<V>,
    query: &Query<V::Scalar>,
    mut out: impl FnMut(Span<V>),
) {
    let mut order = Ascending::new();
    let line = limited(ray, query).raw.line();
    shape.all_spans(&InstanceRay::new(&line), query, &mut |_, Span { enter, exit }| {
        // As for all hits, two close entries or ends may have been rounded in opposite directions.
        let enter = enter.map(|enter| order.next(enter));
        let least = enter.map_or(-V::Scalar::INFINITY, |enter| enter.t);
        let exit = exit.map(|exit| if exit.t < least { Hit { t: least, ..exit } } else { exit });
        out(Span { enter, exit });
    });
}

/// All hits of each ray. The query is [of all hits](Query::of_all_hits).
pub(crate) fn all_hits<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RayBatch<'_, V>,
    query: &Query<V::Scalar>,
) -> HitLists<V> {
    let each =
        |ray: &dyn RayLike<V>, out: &mut Vec<Hit<V>>| each_hit(shape, ray, (query, usize::MAX), |hit| out.push(hit));
    HitLists::from_hits(|append| lists(rays, each, append))
}

fn all_spans<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RayBatch<'_, V>,
    query: &Query<V::Scalar>,
) -> SpanLists<V> {
    let each = |ray: &dyn RayLike<V>, out: &mut Vec<Span<V>>| each_span(shape, ray, query, |span| out.push(span));
    SpanLists::from_spans(|append| lists(rays, each, append))
}

fn count_each<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RayBatch<'_, V>,
    query: &Query<V::Scalar>,
) -> Vec<u32> {
    let mut counts = vec![0; rays.len()];
    values(rays, &mut counts, |rays: RaySlice<'_, V>, counts| {
        for (ray, count) in rays.iter().zip(counts) {
            let number = distance_limit::count(shape, &limited(ray, query), query);
            *count = u32::try_from(number).unwrap_or(u32::MAX);
        }
    });
    counts
}
