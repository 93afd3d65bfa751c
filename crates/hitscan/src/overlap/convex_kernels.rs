//! Every convex shape as plain numbers.

use crate::convex::convex_shape::{ConvexShape, ToConvex, UNIT_ROWS};
use crate::math::real::Real;
use crate::math::vector::{Vector, Vector2, Vector3};
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

macro_rules! to_convex {
    ($($space:ident $shape:ident: |$s:ident| $convex:expr;)+) => {$(
        impl<V: $space> ToConvex for $shape<V> {
            #[inline(always)]
            fn convex_shape(&self) -> ConvexShape {
                let $s = self;
                $convex
            }
        }
    )+};
}

/// The polygon with these vertices.
fn polygon<V: Vector>(vertices: &[V]) -> ConvexShape {
    ConvexShape::Polygon(vertices.iter().map(|vertex| vertex.widen()).collect())
}

/// The hull of two disks.
fn revolved<V: Vector>(ends: [V; 2], radii: [V::Scalar; 2]) -> ConvexShape {
    ConvexShape::Revolved { ends: ends.map(Vector::widen), radii: radii.map(Real::to_f64) }
}

to_convex! {
    Vector Sphere: |s| ConvexShape::Ball { center: s.center().widen(), radius: s.radius().to_f64() };
    Vector Capsule: |s| ConvexShape::Capsule { ends: [s.a(), s.b()].map(Vector::widen), radius: s.radius().to_f64() };
    Vector TaperedCapsule: |s| ConvexShape::TaperedCapsule {
        ends: [s.a(), s.b()].map(Vector::widen),
        radii: [s.radius_a(), s.radius_b()].map(Real::to_f64),
    };
    Vector Cuboid: |s| {
        ConvexShape::Box { center: s.center().widen(), half: s.half_extents().widen(), rows: UNIT_ROWS }
    };
    Vector OrientedBox: |s| {
        ConvexShape::Box { center: s.center().widen(), half: s.half_extents().widen(), rows: s.basis().rows() }
    };
    Vector Ellipsoid: |s| {
        ConvexShape::Ellipsoid { center: s.center().widen(), radii: s.radii().widen(), rows: s.basis().rows() }
    };
    Vector Plane: |s| ConvexShape::Plane { point: s.point().widen(), normal: s.normal().widen() };
    Vector HalfSpace: |s| ConvexShape::HalfSpace { point: s.point().widen(), normal: s.normal().widen() };
    Vector3 Triangle: |s| polygon(&s.vertices());
    Vector3 Quad: |s| {
        ConvexShape::Quad { corner: s.corner().widen(), edges: [s.edge_u(), s.edge_v()].map(Vector::widen) }
    };
    Vector3 Disk: |s| {
        ConvexShape::Disk { center: s.center().widen(), normal: s.normal().widen(), radius: s.radius().to_f64() }
    };
    Vector3 Cylinder: |s| revolved([s.a(), s.b()], [s.radius(); 2]);
    Vector3 Cone: |s| revolved([s.base(), s.apex()], [s.radius(), V::Scalar::ZERO]);
    Vector3 Frustum: |s| revolved([s.a(), s.b()], [s.radius_a(), s.radius_b()]);
    Vector2 SegmentShape: |s| polygon(&[s.a(), s.b()]);
    Vector2 Triangle2: |s| polygon(&s.vertices());
    Vector2 ConvexPolygon: |s| polygon(s.vertices());
}
