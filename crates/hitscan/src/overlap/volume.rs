//! Volumes: the shapes that overlap queries ask about.

use crate::aabb::Aabb;
use crate::convex::convex_shape::ConvexShape;
use crate::hit::ObjectId;
use crate::kernel::kernel::Kernel;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::overlap::pair::ConvexPair;
use crate::overlap::view_frustum::ViewFrustum;
use crate::shapes::capsule::Capsule;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;

/// A bounded volume for an [`OverlapQuery`](crate::OverlapQuery): it converts from spheres, boxes, oriented boxes, capsules and
/// triangles, from bounds ([`Aabb`]), which may be a single point (`Aabb::from_points([point])`); in space from a [`ViewFrustum`],
/// in the plane from segments and polygons.
///
/// A volume is closed and solid. Queries take the shapes themselves; a volume that is made once serves many queries.
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
