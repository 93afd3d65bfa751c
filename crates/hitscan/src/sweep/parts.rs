//! The parts of each shape that a moving sphere meets.

use crate::kernel::sweep_core::{SweepCore, SweepParts};
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
use glam::DVec3;

fn in_space<V: Vector>(v: V) -> DVec3 {
    DVec3::from_array(v.to_f64())
}

/// The sides of a polygon.
fn sides<V: Vector>(vertices: &[V], each: &mut dyn FnMut(SweepCore)) {
    for (i, &a) in vertices.iter().enumerate() {
        let b = vertices[(i + 1) % vertices.len()];
        each(SweepCore::Segment { a: in_space(a), b: in_space(b), radius: 0.0 });
    }
}

impl<V: Vector> SweepParts for Sphere<V> {
    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        let center = in_space(self.center());
        each(SweepCore::Segment { a: center, b: center, radius: self.radius().to_f64() });
    }
}

impl<V: Vector> SweepParts for Capsule<V> {
    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        each(SweepCore::Segment { a: in_space(self.a()), b: in_space(self.b()), radius: self.radius().to_f64() });
    }
}

impl<V: Vector> SweepParts for Cuboid<V> {
    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        let (center, half_extents) = (in_space(self.center()), in_space(self.half_extents()));
        each(if V::DIM == 2 {
            SweepCore::Rectangle { center, half_extents }
        } else {
            SweepCore::Cuboid { center, half_extents }
        });
    }
}

impl<V: Vector> SweepParts for Plane<V> {
    const IS_ONE_FACE: bool = true;

    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        each(SweepCore::Plane { point: in_space(self.point()), normal: in_space(self.normal()) });
    }
}

impl<V: Vector> SweepParts for HalfSpace<V> {
    const IS_ONE_FACE: bool = true;

    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        each(SweepCore::HalfSpace { point: in_space(self.point()), normal: in_space(self.normal()) });
    }
}

impl<V: Vector3> SweepParts for Triangle<V> {
    const IS_ONE_FACE: bool = true;

    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        each(SweepCore::Triangle(self.vertices().map(in_space)));
    }
}

impl<V: Vector2> SweepParts for SegmentShape<V> {
    const IS_ONE_FACE: bool = true;

    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        each(SweepCore::Segment { a: in_space(self.a()), b: in_space(self.b()), radius: 0.0 });
    }
}

impl<V: Vector2> SweepParts for Triangle2<V> {
    const PARTS_LACK_INSIDE: bool = true;

    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        sides(&self.vertices(), each);
    }
}

impl<V: Vector2> SweepParts for ConvexPolygon<V> {
    const PARTS_LACK_INSIDE: bool = true;

    fn sweep_parts(&self, each: &mut dyn FnMut(SweepCore)) {
        sides(self.vertices(), each);
    }
}

// Shapes that a sphere meets along tori and other surfaces: the sphere advances by measured distances.

impl<V: Vector> SweepParts for OrientedBox<V> {}

impl<V: Vector> SweepParts for Ellipsoid<V> {}

impl<V: Vector> SweepParts for TaperedCapsule<V> {}

impl<V: Vector3> SweepParts for Disk<V> {
    const IS_ONE_FACE: bool = true;
}

impl<V: Vector3> SweepParts for Quad<V> {
    const IS_ONE_FACE: bool = true;
}

impl<V: Vector3> SweepParts for Cylinder<V> {}

impl<V: Vector3> SweepParts for Cone<V> {}

impl<V: Vector3> SweepParts for Frustum<V> {}
