//! The flat surfaces as plain numbers, and the side that a ray comes from, decided exactly.

use crate::adaptive::instance::{EvaluateInstance, evaluate_instance};
use crate::adaptive::stages::{Evaluate, evaluate_lazily};
use crate::explain::Trace;
use crate::kernel::flat_shape::{FlatShape, ToFlat};
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::{InstanceLevel, PlacedRay};
use crate::math::observer::Observer;
use crate::math::real::{Precision, Real};
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::math::working_ray::{InputRay, WorkingRay};
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
use core::cmp::Ordering;

/// Order of the product of the normal of a surface and the direction of a ray with zero: less where the ray meets the front.
pub(crate) fn facing(shape: &FlatShape, ray: &InputRay, level: Option<&InstanceLevel<'_>>) -> Ordering {
    match level {
        None => evaluate_lazily(&Facing(shape), ray, &mut Trace::default()),
        Some(level) => evaluate_instance(&Facing(shape), level, Precision::Single, &mut Trace::default()),
    }
}

/// Evaluation of [`facing`].
struct Facing<'a>(&'a FlatShape);

impl Evaluate for Facing<'_> {
    type Output = Ordering;
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, _observer: &mut P) -> Ordering {
        self.0.slope(line).compare(T::ZERO).unwrap_or(Ordering::Equal)
    }
}

impl EvaluateInstance for Facing<'_> {
    type Output = Ordering;
    fn evaluate<T: Arithmetic, P: Observer>(&self, ray: &PlacedRay<T>, observer: &mut P) -> Ordering {
        Evaluate::evaluate(self, &ray.line, observer)
    }
    fn has_no_numbers(_: &Ordering) -> bool {
        true
    }
}

impl<V: Vector> ToFlat for Plane<V> {
    fn flat_shape(&self) -> Option<FlatShape> {
        Some(FlatShape::Plane { point: self.point().in_space(), normal: self.normal().in_space() })
    }
}

impl<V: Vector3> ToFlat for Disk<V> {
    fn flat_shape(&self) -> Option<FlatShape> {
        let (center, normal) = (self.center().in_space(), self.normal().in_space());
        Some(FlatShape::Disk { center, normal, radius: self.radius().to_f64() })
    }
}

impl<V: Vector3> ToFlat for Triangle<V> {
    fn flat_shape(&self) -> Option<FlatShape> {
        Some(FlatShape::Triangle(self.vertices().map(V::in_space)))
    }
}

impl<V: Vector3> ToFlat for Quad<V> {
    fn flat_shape(&self) -> Option<FlatShape> {
        let edges = [self.edge_u(), self.edge_v()].map(V::in_space);
        Some(FlatShape::Quad { corner: self.corner().in_space(), edges })
    }
}

impl<V: Vector2> ToFlat for SegmentShape<V> {
    fn flat_shape(&self) -> Option<FlatShape> {
        Some(FlatShape::Segment([self.a().in_space(), self.b().in_space()]))
    }
}

// Solids are no surfaces.

impl<V: Vector> ToFlat for Sphere<V> {}

impl<V: Vector> ToFlat for Capsule<V> {}

impl<V: Vector> ToFlat for TaperedCapsule<V> {}

impl<V: Vector> ToFlat for Cuboid<V> {}

impl<V: Vector> ToFlat for OrientedBox<V> {}

impl<V: Vector> ToFlat for Ellipsoid<V> {}

impl<V: Vector> ToFlat for HalfSpace<V> {}

impl<V: Vector2> ToFlat for Triangle2<V> {}

impl<V: Vector2> ToFlat for ConvexPolygon<V> {}

impl<V: Vector3> ToFlat for Cylinder<V> {}

impl<V: Vector3> ToFlat for Cone<V> {}

impl<V: Vector3> ToFlat for Frustum<V> {}
