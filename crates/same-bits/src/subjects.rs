//! A million queries for each subject.

use crate::digest::Digest;
use crate::distances::{KINDS, distance_query};
use crate::shapes::{further_plane_shapes, further_space_shapes, placed, plane_shapes, space_shapes};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{AnyShape2, AnyShape3, Instance, Object, Ray, RayCast, SceneBuilder, Shape, Space, TriangleMesh};
use hitscan::{Real, Vector, Vector2, Vector3};
use test_support::random::Lcg;

/// Chunks of a subject.
pub const CHUNKS: u32 = 64;
/// Queries of a chunk.
pub const CASTS: u32 = 15_625;

const PLANE: u32 = 10;
const SPACE: u32 = 12;
/// Scene of the shapes of space with a mesh; instances of the shapes of the plane; of those of space and the mesh.
const SCENE: u32 = PLANE + SPACE;
const PLANE_INSTANCES: u32 = SCENE + 1;
const SPACE_INSTANCES: u32 = SCENE + 2;
/// Queries beside those of rays, of the shapes of the plane, of those of space, of instances of both, a mesh and scenes.
const PLANE_DISTANCES: u32 = SCENE + 3;
const SPACE_DISTANCES: u32 = SCENE + 4;
/// All of these queries for one further shape of the plane, and two of space.
const FURTHER_PLANE: u32 = SCENE + 5;
const FURTHER_SPACE: u32 = FURTHER_PLANE + 1;
/// Shapes of the plane, then those of space, then a scene of these with a mesh, then instances, then distances, then further shapes;
/// each in `f32`, then in `f64`.
pub const SUBJECTS: u32 = 2 * (FURTHER_SPACE + 2);

/// The digest of one chunk of a subject.
#[must_use]
pub fn chunk(subject: u32, chunk: u32) -> u64 {
    if subject.is_multiple_of(2) {
        of::<Vec2, Vec3>(subject / 2, chunk)
    } else {
        of::<DVec2, DVec3>(subject / 2, chunk)
    }
}

/// The name of a subject.
#[must_use]
pub fn name(subject: u32) -> String {
    let kind = subject / 2;
    let shape = if kind < PLANE {
        format!("plane/{}", plane_shapes::<Vec2>().map_or("?", |all| kind_of(all[kind as usize].clone(), Vec2::X)))
    } else if kind < SCENE {
        format!(
            "space/{}",
            space_shapes::<Vec3>().map_or("?", |all| kind_of(all[(kind - PLANE) as usize].clone(), Vec3::X))
        )
    } else if kind >= FURTHER_SPACE {
        let at = (kind - FURTHER_SPACE) as usize;
        format!("space/{}", further_space_shapes::<Vec3>().map_or("?", |all| kind_of(all[at].clone(), Vec3::X)))
    } else if kind >= FURTHER_PLANE {
        let at = (kind - FURTHER_PLANE) as usize;
        format!("plane/{}", further_plane_shapes::<Vec2>().map_or("?", |all| kind_of(all[at].clone(), Vec2::X)))
    } else {
        String::from(match kind {
            PLANE_INSTANCES => "plane/instances",
            SPACE_INSTANCES => "space/instances",
            PLANE_DISTANCES => "plane/distances",
            SPACE_DISTANCES => "space/distances",
            _ => "scene",
        })
    };
    format!("{shape}/{}", if subject.is_multiple_of(2) { "f32" } else { "f64" })
}

/// The name of the kind of a shape.
fn kind_of<V: Space>(shape: V::Shape, direction: V) -> &'static str {
    Instance::<V>::new(shape).explain(&Ray::new(V::default(), direction), ..).shape
}

trait Plane: Vector2 + Space<Shape = AnyShape2<Self>> {}
impl<V: Vector2 + Space<Shape = AnyShape2<V>>> Plane for V {}
trait Spatial: Vector3 + Space<Shape = AnyShape3<Self>> {}
impl<V: Vector3 + Space<Shape = AnyShape3<V>>> Spatial for V {}

fn of<P: Plane, S: Spatial>(kind: u32, chunk: u32) -> u64 {
    let mut digest = Digest::new();
    if kind < PLANE {
        plane_shapes::<P>().iter().for_each(|all| one_shape::<P>(&all[kind as usize], kind, chunk, &mut digest));
    } else if kind < SCENE {
        let at = (kind - PLANE) as usize;
        space_shapes::<S>().iter().for_each(|all| one_shape::<S>(&all[at], kind, chunk, &mut digest));
    } else if kind == PLANE_INSTANCES {
        instances::<P>(plane_shapes().into_iter().flatten(), kind, chunk, &mut digest);
    } else if kind == SPACE_INSTANCES {
        let shapes = space_shapes().into_iter().flatten();
        instances::<S>(shapes.chain(ball(2).map(AnyShape3::from)), kind, chunk, &mut digest);
    } else if kind == PLANE_DISTANCES {
        distances::<P>(plane_shapes().into_iter().flatten(), kind, chunk, &mut digest);
    } else if kind == SPACE_DISTANCES {
        let shapes = space_shapes().into_iter().flatten();
        distances::<S>(shapes.chain(ball(2).map(AnyShape3::from)), kind, chunk, &mut digest);
    } else if kind >= FURTHER_SPACE {
        let at = (kind - FURTHER_SPACE) as usize;
        further_space_shapes::<S>().iter().for_each(|all| every_query::<S>(&all[at], kind, chunk, &mut digest));
    } else if kind >= FURTHER_PLANE {
        let at = (kind - FURTHER_PLANE) as usize;
        further_plane_shapes::<P>().iter().for_each(|all| every_query::<P>(&all[at], kind, chunk, &mut digest));
    } else {
        let mut builder = SceneBuilder::<S>::new();
        let shapes = space_shapes::<S>().into_iter().flatten();
        for shape in shapes.chain(ball(5).map(AnyShape3::from)) {
            // Unbounded shapes would hide the others.
            if shape.aabb().is_bounded() {
                let _ = builder.insert(Object::new(shape).on_layers(1));
            }
        }
        casts::<S>(&[&builder.build()], kind, chunk, &mut digest);
    }
    digest.value()
}

/// Casts at each shape under each of the fixed transforms in turn, and at a scene of all bounded ones.
fn instances<V: Space>(shapes: impl Iterator<Item = V::Shape>, subject: u32, chunk: u32, digest: &mut Digest) {
    let placed = placed::<V>(shapes);
    let mut all = SceneBuilder::new();
    for object in placed.iter().filter(|object| object.shape().aabb().is_bounded()) {
        let _ = all.insert(object.clone());
    }
    let mut scenes = vec![all.build()];
    scenes.extend(placed.into_iter().map(|object| {
        let mut builder = SceneBuilder::new();
        let _ = builder.insert(object);
        builder.build()
    }));
    casts(&scenes.iter().collect::<Vec<_>>(), subject, chunk, digest);
}

/// A ball of `8 * 4^depth` triangles around a point beside the shapes: an octahedron, halved again and again.
fn ball<V: Spatial>(depth: u32) -> Option<TriangleMesh<V>> {
    let at = |[x, y, z]: [f64; 3]| V::from_xyz([x + 1.25, y - 0.5, z + 1.0].map(V::Scalar::from_f64));
    let mut corners = vec![];
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    for i in 0..4 {
        corners.push([axes[i], axes[(i + 1) % 4], [0.0, 0.0, 1.0]]);
        corners.push([axes[(i + 1) % 4], axes[i], [0.0, 0.0, -1.0]]);
    }
    let unit = |v: [f64; 3]| {
        let length = DVec3::from_array(v).length();
        v.map(|x| x / length)
    };
    let between = |a: [f64; 3], b: [f64; 3]| unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    for _ in 0..depth {
        corners = corners
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (between(a, b), between(b, c), between(c, a));
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriangleMesh::new(corners.into_iter().flatten().map(at).collect(), triangles).ok()
}

/// Queries beside those of rays of each shape, bare and under each of the fixed transforms, and of a scene of all, in turn.
fn distances<V: Space>(shapes: impl Iterator<Item = V::Shape> + Clone, subject: u32, chunk: u32, digest: &mut Digest) {
    let mut all = SceneBuilder::new();
    let mut subjects: Vec<Box<dyn Shape<V>>> = Vec::new();
    for object in placed::<V>(shapes.clone()) {
        subjects.push(Box::new(object.instance().clone()));
        let _ = all.insert(object);
    }
    subjects.push(Box::new(all.build()));
    subjects.extend(shapes.map(|shape| Box::new(Instance::<V>::new(shape)) as Box<dyn Shape<V>>));
    let mut number = 0;
    each_ray::<V>(subject, chunk, |ray| {
        // A query of each kind for each shape, before the next one of the same kind.
        let (kind, shape) = (number % KINDS, number / KINDS);
        distance_query(kind, &*subjects[shape as usize % subjects.len()], &ray, digest);
        number += 1;
    });
}

/// Casts at a shape, as an instance without a transform: the library compiles the queries of instances.
fn one_shape<V: Space>(shape: &V::Shape, subject: u32, chunk: u32, digest: &mut Digest) {
    casts::<V>(&[&Instance::new(shape.clone())], subject, chunk, digest);
}

/// Of each four chunks, two with casts at a shape, one with casts at its instances, and one with its other queries.
fn every_query<V: Space>(shape: &V::Shape, subject: u32, chunk: u32, digest: &mut Digest) {
    let shapes = core::iter::once(shape.clone());
    match chunk % 4 {
        1 => instances::<V>(shapes, subject, chunk, digest),
        3 => distances::<V>(shapes, subject, chunk, digest),
        _ => one_shape::<V>(shape, subject, chunk, digest),
    }
}

/// Casts at the shapes in turn.
fn casts<V: Vector>(shapes: &[&impl Shape<V>], subject: u32, chunk: u32, digest: &mut Digest) {
    let mut shapes = shapes.iter().cycle();
    each_ray::<V>(subject, chunk, |ray| match shapes.next().and_then(|shape| shape.cast_ray(&ray, ..)) {
        Some(hit) => digest.hit(&hit),
        None => digest.word(0),
    });
}

/// Rays from all around: most are ordinary, some run along the axes of a lattice, where ties are.
fn each_ray<V: Vector>(subject: u32, chunk: u32, mut each: impl FnMut(Ray<V>)) {
    let mut lcg = Lcg::new(u64::from(subject * CHUNKS + chunk));
    let mut random = move || {
        let state = lcg.state();
        state ^ state >> 31
    };
    let mut draw = |size: f64, lattice: bool| {
        let whole = |random: u64| ((random >> 40) % 9) as f64 / 4.0 - 1.0;
        let any = |random: u64| (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let xyz = [0; 3].map(|_| size * if lattice { whole(random()) } else { any(random()) });
        V::from_xyz(xyz.map(V::Scalar::from_f64))
    };
    for i in 0..CASTS {
        let lattice = i % 8 == 0;
        let (origin, target) = (draw(6.0, lattice), draw(1.5, lattice));
        each(Ray::new(origin, target - origin));
    }
}
