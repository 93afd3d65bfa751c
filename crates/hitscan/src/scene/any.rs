//! Enums of all shapes of the plane and of space, the elements of a scene.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::Hit;
use crate::hit_rows::HitRows;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::{InstanceLevel, InstanceMap};
use crate::math::real::{Precision, Real};
use crate::math::vector::Working;
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::math::working_ray::InputRay;
use crate::mesh::inside_rule::{Containment, InsideRule};
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::outline::outline::Outline;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OnSurfaces, OverlapGoal, Shape, SingleCast, SpanEnds};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::ray_columns::RayColumns;
use crate::scene::group::Group;
use crate::scene::saved_shape::SavedShape;
use crate::scene::split_shape::SplitShape;
use crate::scene::user_shape::UserShape;
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::Disk;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::plane::Plane;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::quad::Quad;
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::shapes::triangle::Triangle;
use crate::solid::solid::Solid;
use crate::sweep_hit::SweepResult;
use crate::transform::Transform;
use alloc::sync::Arc;
use core::ops::ControlFlow;

/// A map from vector types to types: for example to the type of a function that takes a scene of these vectors.
#[doc(hidden)]
pub trait SpaceFamily {
    type Of<V: Space>;
}

/// A value for each vector type. Its type is that of the family.
#[doc(hidden)]
pub struct EachSpace<F: SpaceFamily> {
    pub(crate) vec2: F::Of<glam::Vec2>,
    pub(crate) dvec2: F::Of<glam::DVec2>,
    pub(crate) vec3: F::Of<glam::Vec3>,
    pub(crate) dvec3: F::Of<glam::DVec3>,
}

/// Vector type with an enum of the shapes in its space.
pub trait Space: Vector {
    /// Any shape of this space.
    type Shape: Shape<Self>
        + SavedShape<Self>
        + SplitShape<Self>
        + Outline<Self>
        + Clone
        + core::fmt::Debug
        + Send
        + Sync
        + From<Sphere<Self>>
        + From<Group<Self>>
        + From<Solid<Self>>
        + From<UserShape<Self>>
        + 'static;
    /// The value for this vector type. The compiler knows it, so a function that is chosen is called directly.
    #[doc(hidden)]
    fn choose<F: SpaceFamily>(each: EachSpace<F>) -> F::Of<Self>;
    /// The group that a shape is, if it is one.
    #[doc(hidden)]
    fn as_group(shape: &Self::Shape) -> Option<&Group<Self>>;
    /// The solid that a shape is, if it is one.
    #[doc(hidden)]
    fn as_solid(shape: &Self::Shape) -> Option<&Solid<Self>>;
    /// Whether a shape contains a finite point by a rule, below the instance stack for that point. Not for a group: its
    /// shapes are visited one by one.
    #[doc(hidden)]
    fn contains_by(
        shape: &Self::Shape,
        point: Self,
        level: Option<&InstanceLevel<'_>>,
        _rule: InsideRule,
    ) -> Containment {
        Containment { is_inside: shape.contains_point(point, level), rule: InsideRule::Parity }
    }
    /// Whether two shapes are certainly one set of points: kernels with equal numbers, or one mesh. So they have equal hits, with no
    /// arithmetic.
    #[doc(hidden)]
    fn is_same(shape: &Self::Shape, other: &Self::Shape) -> bool;
    /// Whether a ray certainly crosses two shapes at one `t`, which is near both crossings: two boxes whose faces have a common plane.
    #[doc(hidden)]
    fn meet_in_one_face(shape: &Self::Shape, other: &Self::Shape, ray: &InputRay, t: f64) -> bool;
    /// Whether the shape is much faster with a batch of rays than with single ones, with or without a transform: a large mesh.
    #[doc(hidden)]
    fn gains_by_streams(_shape: &Self::Shape, _is_placed: bool) -> bool {
        false
    }
}

/// Defines the enum of the shapes of a space, its conversions, and its queries, which forward to the variant.
macro_rules! any_shape {
    ($(#[$doc:meta])* $any:ident, $vector:ident, { $($variant:ident($shape:ty)),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum $any<V: Vector> {
            $($variant($shape)),+
        }
        $(impl<V: $vector> From<$shape> for $any<V> {
            fn from(shape: $shape) -> Self {
                Self::$variant(shape)
            }
        })+

        impl<V: $vector> $any<V> {
            /// The group, if the shape is one.
            #[must_use]
            pub fn as_group(&self) -> Option<&Group<V>> {
                match self {
                    Self::Group(group) => Some(group),
                    _ => None,
                }
            }
            /// The solid of several shapes, if the shape is one.
            #[must_use]
            pub fn as_solid(&self) -> Option<&Solid<V>> {
                match self {
                    Self::Solid(solid) => Some(solid),
                    _ => None,
                }
            }
        }

        impl<V: $vector> Shape<V> for $any<V> {
            fn name(&self) -> &'static str {
                match self { $(Self::$variant(s) => s.name()),+ }
            }
            fn aabb(&self) -> Aabb<V> {
                match self { $(Self::$variant(s) => s.aabb()),+ }
            }
            fn image_bounds(&self, transform: &Transform<V>) -> Aabb<V> {
                match self { $(Self::$variant(s) => s.image_bounds(transform)),+ }
            }
            fn nesting(&self) -> u32 {
                match self { $(Self::$variant(s) => s.nesting()),+ }
            }
            fn encloses_points(&self) -> bool {
                match self { $(Self::$variant(s) => s.encloses_points()),+ }
            }
            fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
                match self { $(Self::$variant(s) => s.contains_point(point, level)),+ }
            }
            fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
                match self { $(Self::$variant(s) => s.project_point(point, level, goal)),+ }
            }
            fn sweep(&self, ray: &InstanceRay<'_, V>, swept: SweptVolume<'_, V>, query: &Query<V::Scalar>, limit: f64) -> SweepResult<V> {
                match self { $(Self::$variant(s) => s.sweep(ray, swept, query, limit)),+ }
            }
            fn project_primitives(&self, point: V, level: Option<&InstanceLevel<'_>>, limit: f64, out: &mut OnPrimitive<'_, V>) {
                match self { $(Self::$variant(s) => s.project_primitives(point, level, limit, out)),+ }
            }
            fn visit_overlaps(&self, volume: &Volume<V>, level: Option<&InstanceLevel<'_>>, goal: OverlapGoal, found: &mut dyn FnMut(Overlap) -> ControlFlow<()>) -> ControlFlow<()> {
                match self { $(Self::$variant(s) => s.visit_overlaps(volume, level, goal, found)),+ }
            }
            // Kernels have no faster way for a ray as given, and would be compiled once more.
            fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
                match self.as_mesh() {
                    Some(mesh) => mesh.cast_closest(ray, query),
                    None => self.closest_hit(&InstanceRay::new(&ray.line()), query),
                }
            }
            fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
                match self.as_mesh() {
                    Some(mesh) => mesh.cast_any(ray, query),
                    None => self.any_hit(&InstanceRay::new(&ray.line()), query),
                }
            }
            fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
                match self { $(Self::$variant(s) => s.cast_closest_each(rays, query, out)),+ }
            }
            fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
                match self { $(Self::$variant(s) => s.cast_any_each(rays, query, out)),+ }
            }
            fn cast_rows(&self, rays: (&RayColumns<'_, V>, usize), query: &Query<V::Scalar>, out: &mut HitRows<'_, V>) -> bool {
                match self { $(Self::$variant(s) => s.cast_rows(rays, query, out)),+ }
            }
            fn cast_closest_each_placed(&self, map: &dyn InstanceMap, rays: (RaySlice<'_, V>, &Query<V::Scalar>), single: SingleCast<'_, V, Option<Hit<V>>>, out: &mut [Option<Hit<V>>]) {
                match self { $(Self::$variant(s) => s.cast_closest_each_placed(map, rays, single, out)),+ }
            }
            fn cast_any_each_placed(&self, map: &dyn InstanceMap, rays: (RaySlice<'_, V>, &Query<V::Scalar>), single: SingleCast<'_, V, bool>, out: &mut [bool]) {
                match self { $(Self::$variant(s) => s.cast_any_each_placed(map, rays, single, out)),+ }
            }
            fn candidate(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, limit: f64, hit: &mut Option<Hit<V>>) -> Option<HitCandidate<Working<V>>> {
                match self { $(Self::$variant(s) => s.candidate(line, query, limit, hit)),+ }
            }
            fn finish(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, at: &HitCandidate<Working<V>>) -> Option<Hit<V>> {
                match self { $(Self::$variant(s) => s.finish(line, query, at)),+ }
            }
            fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
                // In `f32` a candidate has its hit: so the kernels are compiled once for both.
                if V::Scalar::PRECISION == Precision::Single && self.as_mesh().is_none() {
                    let mut hit = None;
                    let found = self.candidate(line, query, f64::INFINITY, &mut hit)?;
                    return hit.or_else(|| self.finish(line, query, &found));
                }
                match self { $(Self::$variant(s) => s.closest_hit(line, query)),+ }
            }
            fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
                match self { $(Self::$variant(s) => s.any_hit(line, query)),+ }
            }
            fn all_hits(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, most: usize, out: &mut dyn FnMut(Working<V>, Hit<V>)) {
                match self { $(Self::$variant(s) => s.all_hits(line, query, most, out)),+ }
            }
            fn exact_first(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, at: &HitCandidate<Working<V>>) -> Option<Exact> {
                match self { $(Self::$variant(s) => s.exact_first(line, query, at)),+ }
            }
            fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
                match self { $(Self::$variant(s) => s.exact_all_t(line, query, out)),+ }
            }
            fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
                match self { $(Self::$variant(s) => s.count(line, query)),+ }
            }
            fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
                match self { $(Self::$variant(s) => s.all_spans(line, query, out)),+ }
            }
            fn plane_of_face(&self, face: u32, is_exit: bool, direction: [f64; 3]) -> Option<AxisPlane> {
                match self { $(Self::$variant(s) => s.plane_of_face(face, is_exit, direction)),+ }
            }
            fn span_ends(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> SpanEnds {
                match self { $(Self::$variant(s) => s.span_ends(line, query)),+ }
            }
            fn spans_with_surfaces(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSurfaces<'_, V>) {
                match self { $(Self::$variant(s) => s.spans_with_surfaces(line, query, out)),+ }
            }
            fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
                match self { $(Self::$variant(s) => s.exact_spans(line, query, out)),+ }
            }
            fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
                match self { $(Self::$variant(s) => s.explain_ray(line, query, explanation)),+ }
            }
        }
    };
}

any_shape!(
    /// Any shape of the plane.
    AnyShape2, Vector2, {
        Circle(Sphere<V>),
        HalfPlane(HalfSpace<V>),
        Line(Plane<V>),
        Segment(SegmentShape<V>),
        Rectangle(Cuboid<V>),
        OrientedRectangle(OrientedBox<V>),
        Capsule(Capsule<V>),
        TaperedCapsule(TaperedCapsule<V>),
        Triangle(Triangle2<V>),
        Polygon(ConvexPolygon<V>),
        Ellipse(Ellipsoid<V>),
        Group(Group<V>),
        Solid(Solid<V>),
        User(UserShape<V>),
    }
);

any_shape!(
    /// Any shape of space. Clones share the mesh.
    AnyShape3, Vector3, {
        Sphere(Sphere<V>),
        HalfSpace(HalfSpace<V>),
        Plane(Plane<V>),
        Disk(Disk<V>),
        Cuboid(Cuboid<V>),
        OrientedBox(OrientedBox<V>),
        Capsule(Capsule<V>),
        TaperedCapsule(TaperedCapsule<V>),
        Cylinder(Cylinder<V>),
        Cone(Cone<V>),
        Frustum(Frustum<V>),
        Ellipsoid(Ellipsoid<V>),
        Triangle(Triangle<V>),
        Quad(Quad<V>),
        Mesh(Arc<TriangleMesh<V>>),
        Group(Group<V>),
        Solid(Solid<V>),
        User(UserShape<V>),
    }
);

/// Whether two shapes are kernels of one kind with equal numbers.
macro_rules! equal_kernels {
    ($any:ident, $a:expr, $b:expr; $($variant:ident),+) => {
        match ($a, $b) {
            $(($any::$variant(a), $any::$variant(b)) => a == b,)+
            _ => false,
        }
    };
}

impl<V: Vector2> AnyShape2<V> {
    /// See [`Space::meet_in_one_face`].
    fn meet_in_one_face(&self, other: &Self, ray: &InputRay, t: f64) -> bool {
        matches!((self, other), (Self::Rectangle(a), Self::Rectangle(b)) if a.meet_in_one_face(b, ray, t))
    }
    /// See [`Space::is_same`].
    fn is_same(&self, other: &Self) -> bool {
        equal_kernels!(
            AnyShape2, self, other;
            Circle, HalfPlane, Line, Segment, Rectangle, OrientedRectangle, Capsule, TaperedCapsule, Triangle, Polygon,
            Ellipse
        )
    }
    /// The mesh, if the shape is one: none in the plane.
    #[inline]
    fn as_mesh(&self) -> Option<&dyn Shape<V>> {
        None
    }
}

impl<V: Vector3> AnyShape3<V> {
    /// See [`Space::meet_in_one_face`].
    fn meet_in_one_face(&self, other: &Self, ray: &InputRay, t: f64) -> bool {
        matches!((self, other), (Self::Cuboid(a), Self::Cuboid(b)) if a.meet_in_one_face(b, ray, t))
    }
    /// See [`Space::is_same`].
    fn is_same(&self, other: &Self) -> bool {
        if let (Self::Mesh(a), Self::Mesh(b)) = (self, other) {
            return Arc::ptr_eq(a, b);
        }
        equal_kernels!(
            AnyShape3, self, other;
            Sphere, HalfSpace, Plane, Disk, Cuboid, OrientedBox, Capsule, TaperedCapsule, Cylinder, Cone, Frustum, Ellipsoid,
            Triangle, Quad
        )
    }
    /// The mesh, if the shape is one.
    #[inline]
    fn as_mesh(&self) -> Option<&dyn Shape<V>> {
        match self {
            Self::Mesh(mesh) => Some(&**mesh),
            _ => None,
        }
    }
}

impl<V: Vector3> From<TriangleMesh<V>> for AnyShape3<V> {
    fn from(mesh: TriangleMesh<V>) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

/// The fewest triangles of a mesh that is much faster with a batch of rays.
const LARGE_MESH: usize = 256;

/// [`Space::gains_by_streams`] in space.
fn gains_by_streams<V: Vector3>(shape: &AnyShape3<V>) -> bool {
    matches!(shape, AnyShape3::Mesh(mesh) if mesh.triangles().len() >= LARGE_MESH && mesh.searched().is_some())
}

/// [`Space::contains_by`] in space, where a shape may be a mesh.
fn contains_by<V: Vector3>(
    shape: &AnyShape3<V>,
    point: V,
    level: Option<&InstanceLevel<'_>>,
    rule: InsideRule,
) -> Containment {
    match shape {
        AnyShape3::Mesh(mesh) => mesh.contains_point_by(point, level, rule),
        _ => Containment { is_inside: shape.contains_point(point, level), rule: InsideRule::Parity },
    }
}

impl Space for glam::Vec2 {
    type Shape = AnyShape2<Self>;
    #[inline(always)]
    fn choose<F: SpaceFamily>(each: EachSpace<F>) -> F::Of<Self> {
        each.vec2
    }
    fn as_group(shape: &Self::Shape) -> Option<&Group<Self>> {
        shape.as_group()
    }
    fn as_solid(shape: &Self::Shape) -> Option<&Solid<Self>> {
        shape.as_solid()
    }
    fn is_same(shape: &Self::Shape, other: &Self::Shape) -> bool {
        shape.is_same(other)
    }
    fn meet_in_one_face(shape: &Self::Shape, other: &Self::Shape, ray: &InputRay, t: f64) -> bool {
        shape.meet_in_one_face(other, ray, t)
    }
}

impl Space for glam::DVec2 {
    type Shape = AnyShape2<Self>;
    #[inline(always)]
    fn choose<F: SpaceFamily>(each: EachSpace<F>) -> F::Of<Self> {
        each.dvec2
    }
    fn as_group(shape: &Self::Shape) -> Option<&Group<Self>> {
        shape.as_group()
    }
    fn as_solid(shape: &Self::Shape) -> Option<&Solid<Self>> {
        shape.as_solid()
    }
    fn is_same(shape: &Self::Shape, other: &Self::Shape) -> bool {
        shape.is_same(other)
    }
    fn meet_in_one_face(shape: &Self::Shape, other: &Self::Shape, ray: &InputRay, t: f64) -> bool {
        shape.meet_in_one_face(other, ray, t)
    }
}

impl Space for glam::Vec3 {
    type Shape = AnyShape3<Self>;
    #[inline(always)]
    fn choose<F: SpaceFamily>(each: EachSpace<F>) -> F::Of<Self> {
        each.vec3
    }
    fn as_group(shape: &Self::Shape) -> Option<&Group<Self>> {
        shape.as_group()
    }
    fn as_solid(shape: &Self::Shape) -> Option<&Solid<Self>> {
        shape.as_solid()
    }
    fn is_same(shape: &Self::Shape, other: &Self::Shape) -> bool {
        shape.is_same(other)
    }
    fn meet_in_one_face(shape: &Self::Shape, other: &Self::Shape, ray: &InputRay, t: f64) -> bool {
        shape.meet_in_one_face(other, ray, t)
    }
    fn contains_by(
        shape: &Self::Shape,
        point: Self,
        level: Option<&InstanceLevel<'_>>,
        rule: InsideRule,
    ) -> Containment {
        contains_by(shape, point, level, rule)
    }
    fn gains_by_streams(shape: &Self::Shape, _is_placed: bool) -> bool {
        gains_by_streams(shape)
    }
}

impl Space for glam::DVec3 {
    type Shape = AnyShape3<Self>;
    #[inline(always)]
    fn choose<F: SpaceFamily>(each: EachSpace<F>) -> F::Of<Self> {
        each.dvec3
    }
    fn as_group(shape: &Self::Shape) -> Option<&Group<Self>> {
        shape.as_group()
    }
    fn as_solid(shape: &Self::Shape) -> Option<&Solid<Self>> {
        shape.as_solid()
    }
    fn is_same(shape: &Self::Shape, other: &Self::Shape) -> bool {
        shape.is_same(other)
    }
    fn meet_in_one_face(shape: &Self::Shape, other: &Self::Shape, ray: &InputRay, t: f64) -> bool {
        shape.meet_in_one_face(other, ray, t)
    }
    fn contains_by(
        shape: &Self::Shape,
        point: Self,
        level: Option<&InstanceLevel<'_>>,
        rule: InsideRule,
    ) -> Containment {
        contains_by(shape, point, level, rule)
    }
    // A placed mesh in `f64` has no stream.
    fn gains_by_streams(shape: &Self::Shape, is_placed: bool) -> bool {
        !is_placed && gains_by_streams(shape)
    }
}
