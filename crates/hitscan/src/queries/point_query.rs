//! The trait [`PointQuery`]: the distance queries that shapes, meshes and scenes have in common.

use crate::batch::{batches, compressed_rows};
use crate::closest_point::{ClosestPoint, NotMeasured, PointGoal};
use crate::compressed_rows::CompressedRows;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::nearest_points::NearestPoints;
use crate::queries::shape::Shape;
use crate::query::{Query, Triggers};
use crate::ray::Ray;
use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

/// The distance queries of every [`Shape`]: closest points, distances and signed distances.
///
/// Distances are lengths in the units of the coordinates. They are measured to the *surface*, from a point inside a solid
/// too, and never negative; [`signed_distance`](Self::signed_distance) says on which side a point is.
///
/// # Accuracy
/// The distance is within 4 units in the last place of the largest coordinate or length that takes part: the coordinates of
/// the query point, of the shape, and its radii. So is each coordinate of the closest point, where one point is closest. Near a
/// place from which several points are equally close, such as the centre of a sphere, the point returned is as close as the
/// true one within that bound. The sign is exact. `docs/distances.md` has the measurements.
///
/// # Results that are missing
/// No query has a result for a point that is not finite, or for an empty mesh or scene. A [`UserShape`](crate::UserShape) has
/// none if it does not measure ([`UserGeometry::closest_point`](crate::UserGeometry::closest_point)), or is under a transform
/// that shears or scales unevenly. A scene has none if such an object may be the closest;
/// [`try_closest_point_within`](Self::try_closest_point_within) tells this case.
///
/// ```
/// use hitscan::{glam::Vec3, Feature, PointQuery, Sphere};
/// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
/// let found = ball.closest_point(Vec3::X * 3.0).ok_or("no point")?;
/// assert_eq!((found.point, found.distance, found.feature), (Vec3::X, 2.0, Feature::Face(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PointQuery<V: Vector>: Shape<V> {
    /// The point of the surface that is closest to `point`. From inside a solid, that is a point of its surface, too.
    ///
    /// Of several points that are equally close, one is chosen by fixed rules: from the centre of a sphere the one along +x,
    /// from an axis of revolution the one along the coordinate axis most nearly perpendicular to it, of a box the first face, of
    /// a mesh the first triangle, of a scene the object inserted first. All objects of a scene count, triggers too, unless a view leaves
    /// some out: see [`FilteredScene`](crate::FilteredScene).
    /// `None`: see [missing results](Self#results-that-are-missing).
    ///
    /// O(1) for a shape, O(vertices) for a polygon; for a mesh about O(log triangles).
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Cuboid, Feature, PointQuery};
    /// let cuboid = Cuboid::new(Vec3::ZERO, Vec3::new(3.0, 2.0, 1.0))?;
    /// let found = cuboid.closest_point(Vec3::new(0.5, 0.5, 0.75)).ok_or("no point")?;
    /// assert_eq!((found.point, found.feature), (Vec3::new(0.5, 0.5, 1.0), Feature::Face(5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("project_point", "nearest_point"))]
    #[must_use]
    fn closest_point(&self, point: V) -> Option<ClosestPoint<V>> {
        self.closest_point_within(point, V::Scalar::INFINITY)
    }

    /// The [closest point](Self::closest_point), if its distance is at most `max_distance`. A negative `max_distance` or a NaN
    /// finds nothing. At a mesh, a small one saves time.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, PointQuery, TriangleMesh};
    /// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
    /// let point = Vec3::new(0.25, 0.25, 2.0);
    /// assert!(mesh.closest_point_within(point, 1.5).is_none());
    /// let found = mesh.closest_point_within(point, 2.0).ok_or("too far")?;
    /// assert_eq!((found.distance, found.primitive, found.uv), (2.0, Some(0), Some([0.25, 0.25])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn closest_point_within(&self, point: V, max_distance: V::Scalar) -> Option<ClosestPoint<V>> {
        self.try_closest_point_within(point, max_distance).ok()?
    }

    /// The [`closest_point_within`](Self::closest_point_within), with an error where that is missing because of a shape. So
    /// `Ok(None)` means that no surface is within the distance.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if the closest shape within the distance may be one that cannot be measured.
    ///
    /// ```
    /// use core::ops::RangeInclusive;
    /// use hitscan::{glam::Vec3, Aabb, NotMeasured, PointQuery, Ray, UserGeometry, UserHit, UserShape};
    /// /// A shape that only knows its bounds.
    /// #[derive(Debug)]
    /// struct Fog;
    /// impl UserGeometry<Vec3> for Fog {
    ///     fn aabb(&self) -> Aabb<Vec3> {
    ///         Aabb { min: -Vec3::ONE, max: Vec3::ONE }
    ///     }
    ///     fn cast(&self, _: &Ray<Vec3>, _: RangeInclusive<f32>) -> Option<UserHit<Vec3>> {
    ///         None
    ///     }
    /// }
    /// assert_eq!(UserShape::new(Fog).try_closest_point_within(Vec3::X * 3.0, 5.0), Err(NotMeasured));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn try_closest_point_within(
        &self,
        point: V,
        max_distance: V::Scalar,
    ) -> Result<Option<ClosestPoint<V>>, NotMeasured> {
        if !(point.all_finite() && max_distance >= V::Scalar::ZERO) {
            return Ok(None);
        }
        self.project_point(point, None, PointGoal::Within(max_distance.to_f64()))
    }

    /// The closest points of the `count` nearest primitives, the nearest first: k nearest neighbours.
    ///
    /// The primitives are the triangles of meshes; any other shape is one primitive by itself. Those of a scene are the
    /// primitives of all its objects, also of the members of groups; [`Scene::closest_objects`](crate::Scene::closest_objects)
    /// takes each object once. At the same distance, the object inserted first comes first, then the shape of a group inserted
    /// first, then the first triangle. So the first distance is that of [`closest_point`](Self::closest_point).
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if a shape that cannot be measured may be among them.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, PointQuery, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::new(5.0, 5.0, 0.0)];
    /// let mesh = TriangleMesh::new(corners, vec![[3, 4, 1], [0, 1, 2], [1, 3, 2]])?;
    /// let found = mesh.closest_primitives(Vec3::new(0.25, 0.25, 1.0), 2)?;
    /// assert_eq!(found.iter().map(|found| found.primitive).collect::<Vec<_>>(), [Some(1), Some(2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("knn", "k_nearest", "nearest_neighbors"))]
    fn closest_primitives(&self, point: V, count: usize) -> Result<Vec<ClosestPoint<V>>, NotMeasured> {
        let mut found = Vec::new();
        self.closest_primitives_into(point, V::Scalar::INFINITY, count, &mut found)?;
        Ok(found)
    }

    /// The closest points of all primitives that are at most `max_distance` away, in the order of
    /// [`closest_primitives`](Self::closest_primitives). A negative `max_distance` or a NaN finds nothing.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if a shape that cannot be measured may be among them.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, PointQuery, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let balls = [9.0, 2.0, 3.0].map(|x| Sphere::new(Vec3::X * x, 1.0));
    /// for ball in balls {
    ///     scene.insert(Object::new(ball?))?;
    /// }
    /// let found = scene.primitives_within(Vec3::ZERO, 2.0)?;
    /// assert_eq!(found.iter().map(|found| found.distance).collect::<Vec<_>>(), [1.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("radius_search", "range_search"))]
    fn primitives_within(&self, point: V, max_distance: V::Scalar) -> Result<Vec<ClosestPoint<V>>, NotMeasured> {
        let mut found = Vec::new();
        self.closest_primitives_into(point, max_distance, usize::MAX, &mut found)?;
        Ok(found)
    }

    /// Replaces the content of `found` by the first `count` points of [`primitives_within`](Self::primitives_within).
    /// Nothing is allocated if its capacity is `count`, or twice as much for a `count` above 64.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if a shape that cannot be measured may be among them; then `found` is empty.
    fn closest_primitives_into(
        &self,
        point: V,
        max_distance: V::Scalar,
        count: usize,
        found: &mut Vec<ClosestPoint<V>>,
    ) -> Result<(), NotMeasured> {
        let count = if point.all_finite() { count } else { 0 };
        NearestPoints::collect(self, (max_distance, count), found, |limit, out| {
            self.project_primitives(point, None, limit, out);
        })
    }

    /// The [`closest_primitives`](Self::closest_primitives) up to a distance of each point, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if for any point a shape that cannot be measured may be among them.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, PointQuery, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let mut balls = Vec::new();
    /// for x in [2.0, 4.0, 9.0] {
    ///     balls.push(scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0)?))?);
    /// }
    /// let found = scene.closest_primitives_each(&[Vec3::ZERO, Vec3::X * 8.0], 4.0, 2)?;
    /// let objects = |point| found.get(point).iter().filter_map(|found| found.object).collect::<Vec<_>>();
    /// assert_eq!(objects(0), balls[..2]);
    /// assert_eq!(objects(1), [balls[2], balls[1]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("knn", "k_nearest"))]
    fn closest_primitives_each(
        &self,
        points: &[V],
        max_distance: V::Scalar,
        count: usize,
    ) -> Result<CompressedRows<ClosestPoint<V>>, NotMeasured> {
        let is_measured = AtomicBool::new(true);
        let found = compressed_rows(points, |&point, all| {
            let mut found = Vec::new();
            match self.closest_primitives_into(point, max_distance, count, &mut found) {
                Ok(()) => all.append(&mut found),
                Err(NotMeasured) => is_measured.store(false, Ordering::Relaxed),
            }
        });
        if is_measured.into_inner() { Ok(found) } else { Err(NotMeasured) }
    }

    /// The distance to the surface: a length, at least 0.
    ///
    /// ```
    /// use hitscan::{glam::DVec2, Circle, PointQuery};
    /// let circle = Circle::new(DVec2::ZERO, 5.0)?;
    /// assert_eq!(circle.distance(DVec2::new(6.0, 8.0)), Some(5.0));
    /// assert_eq!(circle.distance(DVec2::ZERO), Some(5.0));
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn distance(&self, point: V) -> Option<V::Scalar> {
        Some(self.closest_point(point)?.distance)
    }

    /// The distance to the surface, negative inside a solid. Inside is where [`contains`](Shape::contains) says so, exactly; on
    /// the surface the result is 0. A distance that is too small for its bound of error to tell it from 0 is the least number
    /// above 0, or its negative inside; so is that at a triangle without area, which no ray crosses.
    ///
    /// Half-spaces and closed meshes are solids. A surface (plane, disk, triangle, segment, open mesh) has no inside: the result
    /// is the [`distance`](Self::distance). For a scene it is the least of all objects: exact outside of all solids and inside of
    /// one; where solids overlap, the depth may be greater.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, HalfSpace, PointQuery};
    /// let ground = HalfSpace::new(Vec3::ZERO, Vec3::Y)?;
    /// assert_eq!(ground.signed_distance(Vec3::Y * 2.0), Some(2.0));
    /// assert_eq!(ground.signed_distance(Vec3::Y * -3.0), Some(-3.0));
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[doc(alias = "sdf")]
    #[must_use]
    fn signed_distance(&self, point: V) -> Option<V::Scalar> {
        if !point.all_finite() {
            return None;
        }
        let depth = self.project_point(point, None, PointGoal::Depth).ok()?.map(|found| found.distance);
        let is_inside = depth.is_some();
        let distance = zero_on_surface(self, point, depth.or_else(|| self.distance(point))?);
        // Not the negative: of zero that would be minus zero.
        Some(if is_inside { V::Scalar::ZERO - distance } else { distance })
    }

    /// The [`closest_point_within`](Self::closest_point_within) of each point, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, PointQuery, Sphere};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// let found = ball.closest_points(&[Vec3::X * 2.0, Vec3::Y * 9.0], 3.0);
    /// assert_eq!(found[0].map(|found| found.point), Some(Vec3::X));
    /// assert!(found[1].is_none());
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn closest_points(&self, points: &[V], max_distance: V::Scalar) -> Vec<Option<ClosestPoint<V>>> {
        let mut found = vec![None; points.len()];
        batches(points, &mut found, |points, found| {
            for (&point, found) in points.iter().zip(found) {
                *found = self.closest_point_within(point, max_distance);
            }
        });
        found
    }

    /// The [`signed_distance`](Self::signed_distance) of each point, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Capsule, PointQuery};
    /// let capsule = Capsule::new(Vec3::ZERO, Vec3::X * 4.0, 1.0)?;
    /// assert_eq!(capsule.signed_distances(&[Vec3::Y * 3.0, Vec3::X * 2.0]), [Some(2.0), Some(-1.0)]);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn signed_distances(&self, points: &[V]) -> Vec<Option<V::Scalar>> {
        let mut found = vec![None; points.len()];
        batches(points, &mut found, |points, found| {
            for (&point, found) in points.iter().zip(found) {
                *found = self.signed_distance(point);
            }
        });
        found
    }
}

impl<V: Vector, S: Shape<V> + ?Sized> PointQuery<V> for S {}

/// A distance that is zero only on the surface: one that rounds to zero becomes the least number above, so that it keeps its side.
pub(crate) fn zero_on_surface<V: Vector>(shape: &(impl Shape<V> + ?Sized), point: V, distance: V::Scalar) -> V::Scalar {
    if distance == V::Scalar::ZERO && !is_on_surface(shape, point) { distance.next_up() } else { distance }
}

/// Whether a point is on the surface: decided exactly.
///
/// # Method
/// At a point of the surface, one of the coordinate axes is not in the tangent plane. A line along it crosses the surface there, so
/// it has a hit at the point itself. In both directions, for surfaces of which one side counts.
#[cold]
fn is_on_surface<V: Vector>(shape: &(impl Shape<V> + ?Sized), point: V) -> bool {
    let query = Query::new().range(V::Scalar::ZERO, V::Scalar::ZERO).triggers(Triggers::Hit).of_boundaries();
    (0..V::DIM).flat_map(|axis| [(axis, V::Scalar::ONE), (axis, -V::Scalar::ONE)]).any(|(axis, one)| {
        let mut along = [V::Scalar::ZERO; 3];
        along[axis] = one;
        shape.cast_any(&Ray::new(point, V::from_xyz(along)), &query)
    })
}
