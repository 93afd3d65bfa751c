//! Every shape, alone and in a scene.

use crate::casts::{Digest, ask};
use alloc::vec;
use hitscan::{
    AnyShape2, AnyShape3, Basis, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipse, Ellipsoid,
    Frustum, HalfPlane, HalfSpace, Line, Object, OrientedBox, Plane, Rectangle, SceneBuilder, SegmentShape, ShapeError,
    Space, Sphere, Triangle, Triangle2, TriangleMesh,
};
use hitscan::{Real, Vector, Vector2, Vector3};

fn point<V: Vector>(x: f64, y: f64, z: f64) -> V {
    V::from_xyz([x, y, z].map(V::Scalar::from_f64))
}

/// All shapes of the plane.
///
/// # Errors
/// None: the numbers are good.
pub fn flat_shapes<V: Vector2>() -> Result<[AnyShape2<V>; 10], ShapeError> {
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

/// All shapes of space, without the mesh.
pub fn spatial_shapes<V: Vector3>() -> Result<[AnyShape3<V>; 12], ShapeError> {
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

/// A tetrahedron.
fn mesh<V: Vector3>() -> Option<TriangleMesh<V>> {
    let at = point::<V>;
    let corners = vec![at(-1.0, -1.0, -1.0), at(1.5, -0.5, -1.0), at(0.0, 1.5, -1.0), at(0.0, 0.0, 1.5)];
    TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).ok()
}

/// Every question at every shape of the plane, and at a scene of all of them.
pub fn flat<V: Vector2 + Space<Shape = AnyShape2<V>>>(digest: &mut Digest) {
    let mut builder = SceneBuilder::<V>::new();
    for shape in flat_shapes().into_iter().flatten() {
        ask::<V>(&shape, digest);
        let _ = builder.insert(Object::new(shape).on_layers(1));
    }
    ask::<V>(&builder.build(), digest);
}

/// The same in space, with a mesh.
pub fn space<V: Vector3 + Space<Shape = AnyShape3<V>>>(digest: &mut Digest) {
    let mut builder = SceneBuilder::<V>::new();
    for shape in spatial_shapes().into_iter().flatten().chain(mesh().map(AnyShape3::from)) {
        ask::<V>(&shape, digest);
        let _ = builder.insert(Object::new(shape).on_layers(1));
    }
    ask::<V>(&builder.build(), digest);
}
