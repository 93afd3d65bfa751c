//! Every kind of query of every shape. The shapes are instances without a transform, because the library
//! compiles the queries of instances.

use crate::digest::Digest;
use crate::distances;
use crate::shapes::{further_plane_shapes, further_space_shapes, placed, plane_shapes, point, space_shapes};
use alloc::vec;
use hitscan::{
    AnyShape2, AnyShape3, Faces, Inside, Instance, Object, Query, Ray, RayCast, SceneBuilder, Segment, Shape, Space,
    TriangleMesh,
};
use hitscan::{Real, Vector, Vector2, Vector3};

/// Casts rays from all around with every kind of query. Some rays start inside, some graze, some come from far away; one
/// has no direction.
fn every_query_of<V: Vector>(shape: &dyn Shape<V>, digest: &mut Digest) {
    let at = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let far = at(3e6, -1e6, 2e6);
    let rays = [
        Ray::new(at(-5.0, 0.25, 0.125), at(1.0, 0.0, 0.0)),
        Ray::new(at(-5.0, 4.0, 3.0), at(1.1, -0.9, -0.7)),
        Ray::new(at(0.1, 0.2, 0.3), at(0.3, 0.8, -0.4)),
        Ray::new(at(-4.0, 1.0, 0.0), at(0.5, 0.0, 0.0)),
        Ray::new(far, at(0.1, 0.2, 0.3) - far),
        Ray::new(at(1.0, 1.0, 1.0), at(0.0, 0.0, 0.0)),
    ];
    for ray in &rays {
        for query in [Query::new(), Query::line(), Query::from(V::Scalar::ZERO..=V::Scalar::ONE)] {
            for query in [query, query.inside(Inside::Hollow), query.faces(Faces::Front)] {
                cast(shape, ray, query, digest);
            }
        }
        digest.word(u64::from(shape.contains(ray.origin)));
        (0..distances::KINDS).for_each(|kind| distances::distance_query(kind, shape, ray, digest));
        let segment = Segment::new(ray.origin, ray.at(V::Scalar::from_f64(7.5)));
        shape.cast_ray_all(&segment, ..).iter().for_each(|hit| digest.hit(hit));
    }
    digest.vector(shape.aabb().min);
    digest.vector(shape.aabb().max);
}

fn cast<V: Vector>(shape: &dyn Shape<V>, ray: &Ray<V>, query: Query<V::Scalar>, digest: &mut Digest) {
    if let Some(hit) = shape.cast_ray(ray, query) {
        digest.hit(&hit);
    }
    digest.word(u64::from(shape.intersects_ray(ray, query)));
    digest.word(shape.count_hits(ray, query) as u64);
    shape.cast_ray_all(ray, query).iter().for_each(|hit| digest.hit(hit));
    for span in shape.spans(ray, query) {
        span.enter.iter().chain(&span.exit).for_each(|hit| digest.hit(hit));
    }
    // The words of an explanation may change; that it has steps may not.
    digest.word(u64::from(shape.explain(ray, query).steps.is_empty()));
}

/// A closed mesh of four triangles.
fn tetrahedron<V: Vector3>() -> Option<TriangleMesh<V>> {
    let at = point::<V>;
    let corners = vec![at(-1.0, -1.0, -1.0), at(1.5, -0.5, -1.0), at(0.0, 1.5, -1.0), at(0.0, 0.0, 1.5)];
    TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).ok()
}

/// Every query of every shape of the plane, and of a scene of all of them.
pub(crate) fn plane<V: Vector2 + Space<Shape = AnyShape2<V>>>(digest: &mut Digest) {
    let mut builder = SceneBuilder::<V>::new();
    let all = || plane_shapes().into_iter().flatten().chain(further_plane_shapes().into_iter().flatten());
    for shape in all() {
        every_query_of::<V>(&Instance::<V>::new(shape.clone()), digest);
        let _ = builder.insert(Object::new(shape).on_layers(1));
    }
    every_query_of::<V>(&builder.build(), digest);
    instances::<V>(all(), digest);
}

/// Every query of every shape under every transform, and of a scene of all of them.
fn instances<V: Space>(shapes: impl Iterator<Item = V::Shape>, digest: &mut Digest) {
    let mut all = SceneBuilder::<V>::new();
    for object in placed::<V>(shapes) {
        let mut builder = SceneBuilder::<V>::new();
        let _ = builder.insert(object.clone());
        every_query_of::<V>(&builder.build(), digest);
        let _ = all.insert(object);
    }
    every_query_of::<V>(&all.build(), digest);
}

/// Every query of every shape of space and of a mesh, and of a scene of all of them.
pub(crate) fn space<V: Vector3 + Space<Shape = AnyShape3<V>>>(digest: &mut Digest) {
    let mut builder = SceneBuilder::<V>::new();
    let single = || space_shapes().into_iter().flatten().chain(further_space_shapes().into_iter().flatten());
    let all = || single().chain(tetrahedron().map(AnyShape3::from));
    for shape in all() {
        every_query_of::<V>(&Instance::<V>::new(shape.clone()), digest);
        let _ = builder.insert(Object::new(shape).on_layers(1));
    }
    every_query_of::<V>(&builder.build(), digest);
    instances::<V>(all(), digest);
}
