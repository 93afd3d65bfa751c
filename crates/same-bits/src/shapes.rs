//! One shape of every kind, and each under a few transforms.

use alloc::vec;
use alloc::vec::Vec;
use hitscan::{
    AnyShape2, AnyShape3, Basis, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipse, Ellipsoid,
    Frustum, HalfPlane, HalfSpace, Line, Object, OrientedBox, Plane, Quad, Rectangle, SegmentShape, ShapeError, Space,
    Sphere, TaperedCapsule, Transform, TransformError, Triangle, Triangle2,
};
use hitscan::{Real, Vector, Vector2, Vector3};

pub(crate) fn point<V: Vector>(x: f64, y: f64, z: f64) -> V {
    V::from_xyz([x, y, z].map(V::Scalar::from_f64))
}

/// The shapes of the plane. The constructors accept all of these numbers.
pub(crate) fn plane_shapes<V: Vector2>() -> Result<[AnyShape2<V>; 10], ShapeError> {
    let n = V::Scalar::from_f64;
    let at = |x, y| point::<V>(x, y, 0.0);
    let tilted = Basis::from_direction(at(0.6, 0.7)).unwrap_or(Basis::identity());
    Ok([
        Circle::new(at(0.1, 0.2), n(1.5))?.into(),
        HalfPlane::new(at(0.3, -0.5), at(-1.0, 2.0))?.into(),
        Line::new(at(0.3, -0.5), at(1.0, 0.3))?.into(),
        SegmentShape::new(at(1.0, -2.0), at(0.7, 3.0))?.into(),
        Rectangle::new(at(0.0, 0.5), at(1.0, 0.5))?.into(),
        OrientedBox::new(at(0.0, 0.1), at(1.0, 0.5), tilted)?.into(),
        Capsule::new(at(-1.0, 0.0), at(1.0, 0.3), n(0.4))?.into(),
        Triangle2::new(at(-1.0, -1.0), at(1.3, 0.0), at(0.0, 1.7))?.into(),
        ConvexPolygon::new(vec![at(-1.0, -1.0), at(1.3, 0.0), at(0.0, 1.7), at(-1.0, 1.0)])?.into(),
        Ellipse::with_basis(at(0.2, 0.1), at(2.0, 0.7), tilted)?.into(),
    ])
}

/// The shapes of space, without a mesh. The constructors accept all of these numbers.
pub(crate) fn space_shapes<V: Vector3>() -> Result<[AnyShape3<V>; 12], ShapeError> {
    let n = V::Scalar::from_f64;
    let at = point::<V>;
    let tilted = Basis::from_direction(at(0.6, 0.7, -0.2)).unwrap_or(Basis::identity());
    let (a, b) = (at(-0.5, -1.0, 0.2), at(0.4, 1.2, -0.3));
    Ok([
        Sphere::new(at(0.1, 0.2, 0.3), n(1.5))?.into(),
        HalfSpace::new(at(0.3, -0.5, 0.0), at(-1.0, 2.0, 0.1))?.into(),
        Plane::new(at(0.3, -0.5, 0.0), at(1.0, 0.3, 0.2))?.into(),
        Disk::new(at(0.3, 0.1, 0.0), at(1.0, 0.3, 0.2), n(2.0))?.into(),
        Cuboid::new(at(0.0, 0.5, 0.0), at(1.0, 0.5, 0.7))?.into(),
        OrientedBox::new(at(0.0, 0.1, 0.0), at(1.0, 0.5, 0.7), tilted)?.into(),
        Capsule::new(a, b, n(0.4))?.into(),
        Cylinder::new(a, b, n(0.6))?.into(),
        Cone::new(a, b, n(0.9))?.into(),
        Frustum::new(a, b, n(0.9), n(0.3))?.into(),
        Ellipsoid::with_basis(at(0.2, 0.1, 0.0), at(2.0, 0.7, 0.9), tilted)?.into(),
        Triangle::new(at(0.5, -2.0, -2.0), at(0.6, 2.0, -2.0), at(0.3, 0.0, 3.0))?.into(),
    ])
}

/// Further shapes of the plane. Their subjects come last, so that those before keep their rays.
pub(crate) fn further_plane_shapes<V: Vector2>() -> Result<[AnyShape2<V>; 1], ShapeError> {
    let n = V::Scalar::from_f64;
    let at = |x, y| point::<V>(x, y, 0.0);
    Ok([TaperedCapsule::new(at(-1.0, 0.0), at(1.0, 0.3), n(0.4), n(0.9))?.into()])
}

/// Further shapes of space: see [`further_plane_shapes`].
pub(crate) fn further_space_shapes<V: Vector3>() -> Result<[AnyShape3<V>; 2], ShapeError> {
    let n = V::Scalar::from_f64;
    let at = point::<V>;
    Ok([
        TaperedCapsule::new(at(-0.5, -1.0, 0.2), at(0.4, 1.2, -0.3), n(0.9), n(0.4))?.into(),
        Quad::new(at(0.5, -2.0, -2.0), at(0.1, 3.5, 0.3), at(-0.2, 0.4, 3.7))?.into(),
    ])
}

/// Fixed transforms: a quarter turn and a translation; a mirror with a shear and another scale along each axis; a
/// rotation, rounded (in the plane it shears); a matrix near a singular one.
fn transforms<V: Vector>() -> Result<[Transform<V>; 4], TransformError> {
    let at = point::<V>;
    let ninths = |[x, y, z]: [f64; 3]| at(x / 9.0, y / 9.0, z / 9.0);
    let new = |axes: [V; 3], translation| Transform::new(&axes[..V::DIM], translation);
    Ok([
        new([at(0.0, 1.0, 0.0), at(-1.0, 0.0, 0.0), at(0.0, 0.0, 1.0)], at(0.5, -0.25, 0.125))?,
        new([at(-0.75, 0.0, 0.0), at(0.5, 1.5, 0.0), at(0.25, -0.5, 1.25)], at(0.1, 0.2, -0.3))?,
        new([[1.0, 8.0, -4.0], [-4.0, 4.0, 7.0], [8.0, 1.0, 4.0]].map(ninths), at(0.0, 0.0, 0.0))?,
        new([at(1.0, 0.5, 0.25), at(0.5, 0.250_244_140_625, 0.125), at(0.0, 0.0, 1.0)], at(0.25, 0.0, 0.0))?,
    ])
}

/// Each shape under each transform.
pub(crate) fn placed<V: Space>(shapes: impl Iterator<Item = V::Shape>) -> Vec<Object<V>> {
    let transforms = transforms::<V>();
    let under_all = |shape: V::Shape| {
        let all = transforms.iter().flatten();
        all.map(move |transform| Object::new(shape.clone()).with_transform(*transform)).collect::<Vec<_>>()
    };
    shapes.flat_map(under_all).collect()
}
