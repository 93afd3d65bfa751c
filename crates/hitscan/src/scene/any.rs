//! Any shape of the plane or of space: what a scene holds.

use crate::math::{Exact, Vector, Vector2, Vector3, W, WorkingRay};
#[cfg(not(feature = "small"))]
use crate::shape::Contender;
use crate::shape::{Candidate, Queries};
use crate::{
    Aabb, Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Explanation, Frustum, HalfSpace, Hit,
    OrientedBox, Plane, Query, RayLike, SegmentShape, Span, Sphere, Triangle, Triangle2, TriangleMesh,
};
use alloc::sync::Arc;

/// A vector type whose space has a set of shapes.
pub trait Space: Vector {
    /// Any shape of it.
    type Shape: Queries<Self> + Clone + core::fmt::Debug + Send + Sync;
}

/// The shapes of a space as one type: an enum, its conversions, and its queries, which are those of the variant.
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

        impl<V: $vector> Queries<V> for $any<V> {
            fn name(&self) -> &'static str {
                match self { $(Self::$variant(s) => s.name()),+ }
            }
            fn bounding_box(&self) -> Aabb<V> {
                match self { $(Self::$variant(s) => s.bounding_box()),+ }
            }
            fn contains_point(&self, point: V) -> bool {
                match self { $(Self::$variant(s) => s.contains_point(point)),+ }
            }
            fn cast_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
                match self { $(Self::$variant(s) => s.cast_each(casts, query, out)),+ }
            }
            fn meets_each(&self, casts: &[impl RayLike<V>], query: &Query<V::Scalar>, out: &mut [bool]) {
                match self { $(Self::$variant(s) => s.meets_each(casts, query, out)),+ }
            }
            fn candidate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>> {
                match self { $(Self::$variant(s) => s.candidate(line, query, limit)),+ }
            }
            #[cfg(not(feature = "small"))]
            fn contender(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Contender<V>> {
                match self { $(Self::$variant(s) => s.contender(line, query, limit)),+ }
            }
            fn finish(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, at: &Candidate<W<V>>) -> Option<Hit<V>> {
                match self { $(Self::$variant(s) => s.finish(line, query, at)),+ }
            }
            fn first(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
                match self { $(Self::$variant(s) => s.first(line, query)),+ }
            }
            fn any(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> bool {
                match self { $(Self::$variant(s) => s.any(line, query)),+ }
            }
            fn every(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
                match self { $(Self::$variant(s) => s.every(line, query, out)),+ }
            }
            fn exact_first(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, at: &Candidate<W<V>>) -> Option<Exact> {
                match self { $(Self::$variant(s) => s.exact_first(line, query, at)),+ }
            }
            fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
                match self { $(Self::$variant(s) => s.exact_every(line, query, out)),+ }
            }
            fn count(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>) -> usize {
                match self { $(Self::$variant(s) => s.count(line, query)),+ }
            }
            fn stretches(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
                match self { $(Self::$variant(s) => s.stretches(line, query, out)),+ }
            }
            fn narrate(&self, line: &WorkingRay<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
                match self { $(Self::$variant(s) => s.narrate(line, query, explanation)),+ }
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
        Triangle(Triangle2<V>),
        Polygon(ConvexPolygon<V>),
        Ellipse(Ellipsoid<V>),
    }
);

any_shape!(
    /// Any shape of space. Meshes are shared, not copied.
    AnyShape3, Vector3, {
        Sphere(Sphere<V>),
        HalfSpace(HalfSpace<V>),
        Plane(Plane<V>),
        Disk(Disk<V>),
        Cuboid(Cuboid<V>),
        OrientedBox(OrientedBox<V>),
        Capsule(Capsule<V>),
        Cylinder(Cylinder<V>),
        Cone(Cone<V>),
        Frustum(Frustum<V>),
        Ellipsoid(Ellipsoid<V>),
        Triangle(Triangle<V>),
        Mesh(Arc<TriangleMesh<V>>),
    }
);

impl<V: Vector3> From<TriangleMesh<V>> for AnyShape3<V> {
    fn from(mesh: TriangleMesh<V>) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

impl Space for glam::Vec2 {
    type Shape = AnyShape2<Self>;
}
impl Space for glam::DVec2 {
    type Shape = AnyShape2<Self>;
}
impl Space for glam::Vec3 {
    type Shape = AnyShape3<Self>;
}
impl Space for glam::DVec3 {
    type Shape = AnyShape3<Self>;
}
