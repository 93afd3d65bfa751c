//! Volumes: the shapes that overlap queries ask about.

use crate::aabb::Aabb;
use crate::convex::convex_shape::ConvexShape;
use crate::hit::ObjectId;
use crate::kernel::kernel::Kernel;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::overlap::pair::ConvexPair;
use crate::overlap::view_frustum::ViewFrustum;
use crate::shapes::bounds::{bounds_around, bounds_beyond};
use crate::shapes::capped_cone;
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::error::{ShapeError, ShapeErrorKind, finite};
use crate::shapes::frustum::Frustum;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::shapes::triangle::Triangle;
use alloc::vec::Vec;

/// A bounded convex volume for an [`OverlapQuery`](crate::OverlapQuery) and for
/// [`SweepQuery::cast_volume`](crate::SweepQuery::cast_volume).
///
/// It converts from spheres, boxes, oriented boxes, capsules, tapered capsules and triangles, from bounds ([`Aabb`]), which may be a
/// single point (`Aabb::from_points([point])`); in space from cylinders, cones, frusta and a [`ViewFrustum`], in the plane from segments and
/// polygons. [`Volume::hull`] is the convex hull of points in space, [`ConvexPolygon::hull`] that in the plane.
///
/// A volume is closed and solid. Queries take the shapes themselves; a volume that is made once serves many queries. Pass a
/// slice of volumes for several convex parts that belong together: see [`IntoVolumes`](crate::IntoVolumes).
#[derive(Clone, Debug)]
pub struct Volume<V: Vector> {
    pub(crate) shape: ConvexShape,
    /// Its bounds, rounded outward; empty for a volume without points.
    pub(crate) bounds: Aabb<V>,
    /// A point of the volume.
    pub(crate) point: V,
}

/// A shape that a volume overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Overlap {
    /// The object, for a scene.
    pub object: Option<ObjectId>,
    /// The number of the shape within the group, for a [`Group`](crate::Group).
    pub member: Option<u32>,
    /// The number of the triangle, for a mesh. `None` for a mesh whose surface the volume does not touch, if it lies inside.
    pub primitive: Option<u32>,
    /// The order among all results: that of insertion, or of triangles.
    pub(crate) order: u64,
}

impl Overlap {
    /// The result of a shape that is neither a mesh nor a scene.
    pub(crate) const WHOLE: Self = Self { object: None, member: None, primitive: None, order: 0 };
}

impl<V: Vector> Volume<V> {
    // Inlined: the shape is written in its place, not copied there.
    #[inline(always)]
    fn of_kernel<K: Kernel<Vector = V>>(kernel: &K, point: V) -> Self {
        Self::new(kernel.convex_shape(), kernel.bounds(), point)
    }

    #[inline(always)]
    fn new(shape: ConvexShape, bounds: Aabb<V>, point: V) -> Self {
        Self { shape, bounds, point }
    }

    /// Whether the volume overlaps a convex shape under the transforms of an instance.
    pub(crate) fn overlaps_convex(&self, shape: &ConvexShape, level: Option<&InstanceLevel<'_>>) -> bool {
        ConvexPair { volume: &self.shape, shape, level, dimension: V::DIM }.overlap::<V>()
    }

    /// The volume at another place: the sum of the offset and each of its points (a center, the ends of an axis, vertices), rounded to
    /// the precision of the vector type. One that leaves the range of numbers has no points.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Capsule, Cuboid, OverlapQuery, SweepQuery, Volume};
    /// let wall = Cuboid::new(Vec3::X * 5.0, Vec3::ONE)?;
    /// let character: Volume<Vec3> = Capsule::new(Vec3::ZERO, Vec3::Z, 0.5)?.into();
    /// let hit = wall.cast_volume(&character, Vec3::X, ..).ok_or("a miss")?;
    /// let before_the_wall = character.moved_by(Vec3::X * (hit.t - 0.01));
    /// assert!(!wall.overlaps(&before_the_wall));
    /// assert!(wall.overlaps(before_the_wall.moved_by(Vec3::X * 0.02)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("translated", "translate"))]
    #[must_use]
    pub fn moved_by(&self, offset: V) -> Self {
        let by = offset.widen::<f64>();
        let to = |point: Vec3<f64>| V::narrow::<f64>(point + by);
        let shape = self.shape.moved(&|point| to(point).widen());
        let bounds = bounds_of(&shape);
        Self::new(shape, bounds, to(self.point.widen()))
    }

    /// The bounds of the volume, rounded outward.
    #[must_use]
    pub fn aabb(&self) -> Aabb<V> {
        self.bounds
    }

    /// Whether planes around the volume pay off among boxes with an extent of `size`: those around a small volume rule out few boxes.
    pub(crate) fn is_large(&self, size: f64) -> bool {
        matches!(self.shape, ConvexShape::Hexahedron(_)) || self.bounds.greatest_extent() > size / 32.0
    }

    /// Whether the volume is a set of finite numbers that is not empty.
    pub(crate) fn is_valid(&self) -> bool {
        // Numbers within finite bounds are finite.
        self.bounds.is_bounded() || !self.bounds.is_empty() && self.shape.is_finite()
    }
}

impl<V: Vector3> Volume<V> {
    /// The convex hull of points in space, in any order; some may be inside of the hull, or given twice. It may be flat, a segment, or a
    /// point.
    ///
    /// Queries take time in proportion to the number of points: leave out those that are known to be inside.
    ///
    /// # Accuracy
    /// Its overlaps and contacts are measured, as those of cylinders: see [`OverlapQuery`](crate::OverlapQuery) and
    /// [`SweepQuery::cast_volume`](crate::SweepQuery::cast_volume).
    ///
    /// # Errors
    /// No point; one that is not finite.
    ///
    /// ```
    /// use hitscan::{glam::DVec3, Cuboid, OverlapQuery, SweepQuery, Volume};
    /// let octahedron = Volume::hull([DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z])?;
    /// let cube = Cuboid::new(DVec3::splat(3.0), DVec3::ONE)?; // its next corner is at (2, 2, 2)
    /// assert!(!cube.overlaps(&octahedron));
    /// let hit = cube.cast_volume(&octahedron, DVec3::ONE, ..).ok_or("a miss")?;
    /// assert!((hit.t - 5.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "convex_hull")]
    pub fn hull(points: impl IntoIterator<Item = V>) -> Result<Self, ShapeError> {
        let points: Vec<V> = points.into_iter().collect();
        points.iter().try_for_each(|&point| finite("points", point))?;
        let first = *points.first().ok_or(ShapeError { field: "points", problem: ShapeErrorKind::Empty })?;
        let shape = ConvexShape::Points(points.iter().map(|point| point.widen()).collect());
        Ok(Self::new(shape, Aabb::from_points(points), first))
    }
}

/// Bounds of the shape of a volume, whose numbers are those of the vector type.
fn bounds_of<V: Vector>(shape: &ConvexShape) -> Aabb<V> {
    let narrow = |point: &Vec3<f64>| V::narrow::<f64>(*point);
    let of = |points: &[Vec3<f64>]| Aabb::from_points(points.iter().map(narrow));
    match shape {
        ConvexShape::Ball { center, radius } => bounds_around(narrow(center), Vec3::new(*radius, *radius, *radius)),
        ConvexShape::Capsule { ends, radius } => bounds_beyond(of(ends), Vec3::new(*radius, *radius, *radius)),
        ConvexShape::TaperedCapsule { ends, radii } => {
            let around = |i: usize| bounds_around(narrow(&ends[i]), Vec3::new(radii[i], radii[i], radii[i]));
            around(0).union(around(1))
        }
        ConvexShape::Box { center, half, .. } => {
            let [x, y, z] = shape.columns();
            let extent = |axis: Vec3<f64>, half: f64| axis.map(|component| component.abs() * half);
            bounds_around(narrow(center), extent(x, half.x) + extent(y, half.y) + extent(z, half.z))
        }
        ConvexShape::Revolved { ends, radii } => {
            capped_cone::bounds(ends.map(|end| narrow(&end)), radii.map(Real::from_f64))
        }
        ConvexShape::Bounds { min, max } => {
            let bounds = Aabb { min: narrow(min), max: narrow(max) };
            if bounds.is_bounded() { bounds } else { Aabb::empty() }
        }
        ConvexShape::Polygon(vertices) => of(vertices).outward(),
        ConvexShape::Hexahedron(corners) => of(corners),
        ConvexShape::Points(points) => of(points),
        // No volume is one of these.
        ConvexShape::HalfSpace { .. }
        | ConvexShape::Plane { .. }
        | ConvexShape::Disk { .. }
        | ConvexShape::Quad { .. }
        | ConvexShape::Ellipsoid { .. } => Aabb::empty(),
    }
}

impl<V: Vector> From<&Self> for Volume<V> {
    fn from(volume: &Self) -> Self {
        volume.clone()
    }
}

impl<V: Vector> From<Sphere<V>> for Volume<V> {
    #[inline]
    fn from(sphere: Sphere<V>) -> Self {
        Self::of_kernel(&sphere, sphere.center())
    }
}

impl<V: Vector> From<Cuboid<V>> for Volume<V> {
    #[inline]
    fn from(cuboid: Cuboid<V>) -> Self {
        Self::of_kernel(&cuboid, cuboid.center())
    }
}

impl<V: Vector> From<OrientedBox<V>> for Volume<V> {
    #[inline]
    fn from(oriented: OrientedBox<V>) -> Self {
        Self::of_kernel(&oriented, oriented.center())
    }
}

impl<V: Vector> From<Capsule<V>> for Volume<V> {
    #[inline]
    fn from(capsule: Capsule<V>) -> Self {
        Self::of_kernel(&capsule, capsule.a())
    }
}

impl<V: Vector> From<TaperedCapsule<V>> for Volume<V> {
    fn from(capsule: TaperedCapsule<V>) -> Self {
        Self::of_kernel(&capsule, capsule.a())
    }
}

impl<V: Vector3> From<Cylinder<V>> for Volume<V> {
    fn from(cylinder: Cylinder<V>) -> Self {
        Self::of_kernel(&cylinder, cylinder.a())
    }
}

impl<V: Vector3> From<Cone<V>> for Volume<V> {
    fn from(cone: Cone<V>) -> Self {
        Self::of_kernel(&cone, cone.base())
    }
}

impl<V: Vector3> From<Frustum<V>> for Volume<V> {
    fn from(frustum: Frustum<V>) -> Self {
        Self::of_kernel(&frustum, frustum.a())
    }
}

impl<V: Vector3> From<Triangle<V>> for Volume<V> {
    #[inline]
    fn from(triangle: Triangle<V>) -> Self {
        Self::of_kernel(&triangle, triangle.vertices()[0])
    }
}

impl<V: Vector2> From<Triangle2<V>> for Volume<V> {
    fn from(triangle: Triangle2<V>) -> Self {
        Self::of_kernel(&triangle, triangle.vertices()[0])
    }
}

impl<V: Vector2> From<ConvexPolygon<V>> for Volume<V> {
    fn from(polygon: ConvexPolygon<V>) -> Self {
        Self::of_kernel(&polygon, polygon.vertices().first().copied().unwrap_or_default())
    }
}

impl<V: Vector2> From<SegmentShape<V>> for Volume<V> {
    fn from(segment: SegmentShape<V>) -> Self {
        Self::of_kernel(&segment, segment.a())
    }
}

impl<V: Vector3> From<ViewFrustum<V>> for Volume<V> {
    fn from(frustum: ViewFrustum<V>) -> Self {
        let bounds = Aabb::from_points(frustum.corners().iter().copied());
        Self::new(ConvexShape::Hexahedron(frustum.widened()), bounds, frustum.first_corner())
    }
}

/// The box between the corners of the bounds; without points if they are empty or not finite.
impl<V: Vector> From<Aabb<V>> for Volume<V> {
    fn from(bounds: Aabb<V>) -> Self {
        let bounds = if bounds.is_bounded() { bounds } else { Aabb::empty() };
        let shape = ConvexShape::Bounds { min: bounds.min.widen(), max: bounds.max.widen() };
        Self::new(shape, bounds, bounds.min)
    }
}
