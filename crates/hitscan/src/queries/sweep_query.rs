//! The trait [`SweepQuery`]: moving spheres and convex volumes against shapes, meshes and scenes.

use crate::batch::batches;
use crate::closest_point::NotMeasured;
use crate::explain::Explanation;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::overlap::into_volumes::{IntoVolumes, VolumeList};
use crate::queries::explained_sweep::ExplainedSweep;
use crate::queries::moving_part::{MovingPart, contacts_with_each, first_contact};
use crate::queries::shape::Shape;
use crate::query::IntoQuery;
use crate::ray::RayLike;
use crate::sweep_hit::SweepHit;
use alloc::vec;
use alloc::vec::Vec;

/// Sweeps of every [`Shape`]: the first contact of a sphere that moves along a ray, also called a thick ray. In the plane it is a
/// circle.
///
/// The center moves along the ray within the range of the [`Query`](crate::Query). The layers, triggers and the rules of objects are
/// those of rays, and so are the views of a scene: [`excluding`](crate::Scene::excluding), [`filtered`](crate::Scene::filtered) by a
/// predicate, [`on_layers`](crate::Scene::on_layers) and [`without_triggers`](crate::Scene::without_triggers). Touching is a contact.
///
/// ```
/// use hitscan::{glam::Vec3, Object, Ray, Scene, Sphere, SweepQuery};
/// let mut scene = Scene::new();
/// for (team, x) in [(1, 0.0), (1, 4.0), (2, 8.0)] {
///     scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0)?).with_user_data(team))?;
/// }
/// let enemies = scene.filtered(|_id, object| object.user_data() != 1);
/// let hit = enemies.cast_sphere(&Ray::new(Vec3::ZERO, Vec3::X), 0.5, ..).ok_or("a miss")?;
/// assert_eq!(hit.t, 6.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// - A sphere that touches a shape where the range begins has its contact there, with [`SweepHit::depth`] and the normal in which
///   it leaves. With [`Inside::Hollow`](crate::Inside::Hollow), shapes (of a mesh, triangles) that it touches there do not count.
/// - [`Faces`](crate::Faces) holds for all surfaces (triangles, meshes, planes, disks, 2D segments and lines), by the direction of the
///   motion. A motion parallel to a surface comes from neither side.
/// - With [`Approach::Only`](crate::Approach::Only), only contacts against whose normal the sphere moves count: so it leaves what it
///   touches at the start, and slides along it. A user geometry that may not be convex is passed once it is left.
/// - Of two contacts at the same `t` in twice the digits, that of the object inserted first wins, or of the first triangle; where the
///   range begins, that of the greatest depth.
/// - A radius of 0 is the point that moves along the ray: it touches what the ray hits. A radius that is negative or not finite touches
///   nothing.
///
/// # Accuracy
/// Whether there is a contact is decided exactly where the inflated shape consists of planes, spheres and cylinders: spheres,
/// capsules, boxes, planes, half-spaces, triangles, segments, polygons, and meshes; planes and half-spaces under any transform, too.
/// The vertices of a mesh under a transform are rounded to `f64` first. Cylinders, cones, frusta, disks, ellipsoids, oriented boxes,
/// and all other shapes under a transform are approached by distances: a sphere touches within 2^-48 of the largest coordinate for
/// `f32`, 2^-70 for `f64`. A sphere that is thinner meets such a shape where the ray of its center does, and no sphere misses one
/// that this ray hits. `t` is rounded from twice the digits.
///
/// # Results that are missing
/// A user geometry that does not measure ([`UserGeometry::closest_point`](crate::UserGeometry::closest_point)) is met at its bounds.
/// Without bounds it has no result; a scene has none if such an object may be the first.
///
/// ```
/// use hitscan::{glam::Vec3, Cuboid, Feature, Ray, SweepQuery};
/// let wall = Cuboid::new(Vec3::X * 5.0, Vec3::ONE)?;
/// let hit = wall.cast_sphere(&Ray::new(Vec3::ZERO, Vec3::X), 0.5, ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.center, hit.point, hit.normal), (3.5, Vec3::X * 3.5, Vec3::X * 4.0, -Vec3::X));
/// // A ray would pass the wall here; the sphere touches the edge.
/// let beside = Ray::new(Vec3::Y * 1.25, Vec3::X);
/// let hit = wall.cast_sphere(&beside, 0.5, ..).ok_or("a miss")?;
/// assert_eq!((hit.point, hit.feature), (Vec3::new(4.0, 1.0, 0.0), Feature::Edge(10)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SweepQuery<V: Vector>: Shape<V> {
    /// The first contact of a sphere of `radius` that moves along the ray.
    ///
    /// O(1) for a shape, O(vertices) for a polygon; for a mesh or scene about O(log n), and the number of triangles or objects
    /// that the sphere passes near.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Ray, Sphere, SweepQuery};
    /// let ball = Sphere::new(Vec3::X * 10.0, 2.0)?;
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X);
    /// assert_eq!(ball.cast_sphere(&ray, 1.0, ..).map(|hit| hit.t), Some(7.0));
    /// assert!(ball.cast_sphere(&ray, 1.0, ..=6.5).is_none()); // the range ends before
    /// let near = ball.cast_sphere(&Ray::new(Vec3::X * 7.5, Vec3::X), 1.0, ..).ok_or("a miss")?;
    /// assert_eq!((near.t, near.depth, near.normal), (0.0, Some(0.5), -Vec3::X));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("sphere_cast", "SphereCast", "thick ray", "sweep", "cast_shape"))]
    #[must_use]
    fn cast_sphere(
        &self,
        ray: &(impl RayLike<V> + ?Sized),
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Option<SweepHit<V>> {
        self.try_cast_sphere(ray, radius, query).ok()?
    }

    /// The [`cast_sphere`](Self::cast_sphere), with an error where that is missing because of a shape. So `Ok(None)` means that
    /// there is no contact within the range.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if the first shape may be one that cannot be measured.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Instance, Ray, Sphere, SweepQuery, Transform};
    /// let twice_as_wide = Transform::identity().with_scale(Vec3::new(2.0, 1.0, 1.0))?;
    /// let ellipsoid = Instance::new(Sphere::new(Vec3::ZERO, 1.0)?).with_transform(twice_as_wide);
    /// let ray = Ray::new(Vec3::X * 5.0, -Vec3::X);
    /// assert_eq!(ellipsoid.try_cast_sphere(&ray, 0.5, ..)?.map(|hit| hit.t), Some(2.5));
    /// assert_eq!(ellipsoid.try_cast_sphere(&ray, 0.5, ..=2.0)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn try_cast_sphere(
        &self,
        ray: &(impl RayLike<V> + ?Sized),
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Option<SweepHit<V>>, NotMeasured> {
        let query = query.into_query();
        first_contact(self, MovingPart::of_sphere(ray, radius, &query).into_iter(), &query)
    }

    /// The first contact of a sphere with each object of a scene, the earliest one first: of contacts at the same `t` in the order in
    /// which [`cast_sphere`](Self::cast_sphere) chooses, so that the first of them is its result. Any other shape has its own first
    /// contact: a mesh that of one triangle, a group of one member.
    ///
    /// As for the list of all hits of a ray, triggers count unless the query ignores them: see [`SweepHit::is_trigger`]. A view of the
    /// scene leaves objects out: see [`FilteredScene`](crate::FilteredScene). Empty where the contacts are missing because of a shape,
    /// as [`try_cast_sphere_all`](Self::try_cast_sphere_all) tells.
    ///
    /// The time of `cast_sphere` for each object within the range that the sphere passes near.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, Scene, Sphere, SweepQuery};
    /// let mut scene = Scene::new();
    /// let mut ids = Vec::new();
    /// for (x, y) in [(9.0, 1.0), (3.0, 0.0), (6.0, 5.0)] {
    ///     ids.push(scene.insert(Object::new(Sphere::new(Vec3::new(x, y, 0.0), 1.0)?))?);
    /// }
    /// let touched = scene.cast_sphere_all(&Ray::new(Vec3::ZERO, Vec3::X), 0.5, ..);
    /// assert_eq!(touched.iter().map(|hit| hit.object).collect::<Vec<_>>(), [Some(ids[1]), Some(ids[0])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("SphereCastAll", "sweep_all"))]
    #[must_use]
    fn cast_sphere_all(
        &self,
        ray: &(impl RayLike<V> + ?Sized),
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<SweepHit<V>> {
        self.try_cast_sphere_all(ray, radius, query).unwrap_or_default()
    }

    /// The [`cast_sphere_all`](Self::cast_sphere_all), with an error where contacts are missing because of a shape.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if a shape that cannot be measured may be touched within the range.
    fn try_cast_sphere_all(
        &self,
        ray: &(impl RayLike<V> + ?Sized),
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Vec<SweepHit<V>>, NotMeasured> {
        let query = query.into_query();
        contacts_with_each(self, MovingPart::of_sphere(ray, radius, &query).into_iter(), &query)
    }

    /// The computation of [`cast_sphere`](Self::cast_sphere): the numbers of the first contact, or the rule by which there is none.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Ray, Sphere, SweepQuery};
    /// let ball = Sphere::new(Vec3::X * 5.0, 1.0)?;
    /// let text = ball.explain_sphere(&Ray::new(Vec3::ZERO, Vec3::X), 0.5, ..=2.0).to_string();
    /// assert!(text.contains("the volume touches outside of the range of t"));
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn explain_sphere(
        &self,
        ray: &(impl RayLike<V> + ?Sized),
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Explanation {
        let query = query.into_query();
        let Some(sphere) = MovingPart::of_sphere(ray, radius, &query) else {
            let mut explanation = Explanation { shape: self.name(), ..Explanation::default() };
            explanation.number("radius", radius.to_f64());
            explanation.verdict("no contact: the radius is not finite, or negative");
            return explanation;
        };
        ExplainedSweep { shape: self, parts: &[sphere] }.explain(&query)
    }

    /// The first contact of a convex [`Volume`](crate::Volume) (a box, oriented box, capsule, cylinder, cone, frustum, triangle, view frustum, or the
    /// hull of points) that moves from its place along `direction`: by `t * direction`. It does not turn. For a sphere, the result is
    /// that of [`cast_sphere`](Self::cast_sphere).
    ///
    /// Two polytopes (boxes, triangles, in the plane polygons and segments) meet by a closed form, within 2^-48 of their size; where
    /// they touch along several axes, the normal is that of a face of the shape. Other pairs are approached by the planes between the
    /// two sets, as GJK finds them: a volume touches if the distance is at most 2^-44 of the largest coordinate, for curved shapes
    /// about 2^-20. [`SweepHit::center`] is that of the bounding box.
    /// A direction of zeros is invalid; the range `..=0.0` with any other asks for overlaps at the start alone.
    /// Where the volume overlaps a shape from the start, [`SweepHit::depth`] and the normal are the shortest translation that
    /// separates the two, by EPA: never shorter than the true one, but for curved shapes up to 2^-10 of their size longer. Of a mesh
    /// they separate the volume from one triangle. Ties and rules are those of spheres.
    ///
    /// Of a slice of volumes ([`IntoVolumes`]), the result is the first contact of any of them, with its number in
    /// [`SweepHit::part`]; of equal contacts, that of the first part. Center and depth are those of the part.
    ///
    /// Complexity: as [`cast_sphere`](Self::cast_sphere), with some ten iterations of GJK for each shape or triangle that is near the
    /// way. A user geometry is met at its bounds.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Capsule, Cuboid, SweepQuery};
    /// let step = Cuboid::new(Vec3::new(5.0, 0.0, 0.25), Vec3::new(1.0, 4.0, 0.25))?;
    /// let character = Capsule::new(Vec3::new(0.0, 0.0, 0.5), Vec3::new(0.0, 0.0, 1.5), 0.5)?;
    /// let hit = step.cast_volume(character, Vec3::X, ..).ok_or("a miss")?;
    /// assert!((hit.t - 3.5).abs() < 1e-6 && hit.normal.abs_diff_eq(-Vec3::X, 1e-6));
    /// assert!(step.cast_volume(character, Vec3::Z, ..).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("cast_box", "cast_capsule", "BoxCast", "CapsuleCast", "shape_cast"))]
    #[must_use]
    fn cast_volume(
        &self,
        volume: impl IntoVolumes<V>,
        direction: V,
        query: impl IntoQuery<V::Scalar>,
    ) -> Option<SweepHit<V>> {
        self.try_cast_volume(volume, direction, query).ok()?
    }

    /// The [`cast_volume`](Self::cast_volume), with an error where that is missing because of a shape.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if the first shape may be one that cannot be measured.
    ///
    /// ```
    /// use hitscan::{glam::DVec2, Circle, Rectangle, SweepQuery};
    /// let circle = Circle::new(DVec2::X * 5.0, 1.0)?;
    /// let hit = circle.try_cast_volume(Rectangle::new(DVec2::ZERO, DVec2::ONE)?, DVec2::X, ..)?.ok_or("a miss")?;
    /// assert!((hit.t - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn try_cast_volume(
        &self,
        volume: impl IntoVolumes<V>,
        direction: V,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Option<SweepHit<V>>, NotMeasured> {
        let query = query.into_query();
        volume.with_volumes(|volumes| first_contact(self, MovingPart::of_volumes(volumes, direction, &query), &query))
    }

    /// The first contact of a volume with each object of a scene, the earliest one first: as
    /// [`cast_sphere_all`](Self::cast_sphere_all), in the order in which [`cast_volume`](Self::cast_volume) chooses.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Approach, Cuboid, Object, Query, Scene, SweepQuery};
    /// let mut scene = Scene::new();
    /// let floor = scene.insert(Object::new(Cuboid::new(Vec3::Z * -1.0, Vec3::new(9.0, 9.0, 1.0))?))?;
    /// let wall = scene.insert(Object::new(Cuboid::new(Vec3::X * 5.0, Vec3::ONE)?))?;
    /// let standing = Cuboid::new(Vec3::Z, Vec3::ONE)?;
    /// let ids = |query: Query<f32>| -> Vec<_> {
    ///     scene.cast_volume_all(standing, Vec3::X, query).iter().map(|hit| hit.object).collect()
    /// };
    /// assert_eq!(ids(Query::new()), [Some(floor), Some(wall)]);
    /// assert_eq!(ids(Query::new().approach(Approach::Only)), [Some(wall)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("BoxCastAll", "CapsuleCastAll", "shape_cast_all"))]
    #[must_use]
    fn cast_volume_all(
        &self,
        volume: impl IntoVolumes<V>,
        direction: V,
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<SweepHit<V>> {
        self.try_cast_volume_all(volume, direction, query).unwrap_or_default()
    }

    /// The [`cast_volume_all`](Self::cast_volume_all), with an error where contacts are missing because of a shape.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if a shape that cannot be measured may be touched within the range.
    fn try_cast_volume_all(
        &self,
        volume: impl IntoVolumes<V>,
        direction: V,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Vec<SweepHit<V>>, NotMeasured> {
        let query = query.into_query();
        volume.with_volumes(|volumes| {
            contacts_with_each(self, MovingPart::of_volumes(volumes, direction, &query), &query)
        })
    }

    /// The computation of [`cast_volume`](Self::cast_volume): the numbers of the first contact, or the rule by which there is none.
    #[must_use]
    fn explain_volume(
        &self,
        volume: impl IntoVolumes<V>,
        direction: V,
        query: impl IntoQuery<V::Scalar>,
    ) -> Explanation {
        let query = query.into_query();
        volume.with_volumes(|volumes| {
            let parts: Vec<_> = MovingPart::of_volumes(volumes, direction, &query).collect();
            ExplainedSweep { shape: self, parts: &parts }.explain(&query)
        })
    }

    /// The [`cast_volume`](Self::cast_volume) of a volume along each direction, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Cuboid, Sphere, SweepQuery};
    /// let ball = Sphere::new(Vec3::X * 5.0, 1.0)?;
    /// let hits = ball.cast_volume_along(Cuboid::new(Vec3::ZERO, Vec3::ONE)?, &[Vec3::X, Vec3::Y], ..);
    /// assert!(hits[0].is_some() && hits[1].is_none());
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn cast_volume_along(
        &self,
        volume: impl IntoVolumes<V>,
        directions: &[V],
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<Option<SweepHit<V>>> {
        let (query, mut hits) = (query.into_query(), vec![None; directions.len()]);
        let first = |volumes: VolumeList<'_, V>, direction| {
            first_contact(self, MovingPart::of_volumes(volumes, direction, &query), &query).ok()?
        };
        volume.with_volumes(|volumes| {
            batches(directions, &mut hits, |directions, hits| {
                for (&direction, hit) in directions.iter().zip(hits) {
                    *hit = first(volumes, direction);
                }
            });
        });
        hits
    }

    /// The [`cast_sphere`](Self::cast_sphere) of each ray, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::DVec2, Circle, Ray, SweepQuery};
    /// let circle = Circle::new(DVec2::X * 5.0, 1.0)?;
    /// let rays = [0.0, 1.5, 9.0].map(|y| Ray::new(DVec2::Y * y, DVec2::X));
    /// let hits = circle.cast_spheres(&rays, 0.5, ..);
    /// assert_eq!(hits.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false]);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn cast_spheres<R: RayLike<V> + Sync>(
        &self,
        rays: &[R],
        radius: V::Scalar,
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<Option<SweepHit<V>>> {
        let (query, mut hits) = (query.into_query(), vec![None; rays.len()]);
        batches(rays, &mut hits, |rays, hits| {
            for (ray, hit) in rays.iter().zip(hits) {
                *hit = self.cast_sphere(ray, radius, query);
            }
        });
        hits
    }
}

impl<V: Vector, S: Shape<V> + ?Sized> SweepQuery<V> for S {}
