//! Columns of rays and hits: the answers of single rays, bit for bit.

use crate::support::meshes::torus;
use crate::support::{Rng, Sample};
use hitscan::glam::{DVec2, Vec3};
use hitscan::{
    Capsule, ColumnsError, Hit, HitColumns, ObjectId, Plane, Query, Ray, RayCast, RayColumns, Scene, SceneBuilder,
    Shape, Space, Sphere, Triangle, TriangleMesh,
};
use hitscan::{Real, Vector};

/// More rays than one chunk, and not a multiple of it.
const RAYS: usize = 10_001;

fn rays<V: Vector>() -> Vec<Ray<V>> {
    let mut rng = Rng::new(21);
    let mut rays: Vec<Ray<V>> = (0..RAYS)
        .map(|_| {
            let (from, to): (V, V) = (rng.in_cube(), rng.in_cube());
            Ray::new(from + from, to - from)
        })
        .collect();
    // Invalid ray.
    rays[17].direction = V::splat(V::Scalar::NAN);
    rays
}

/// Casts the columns of the rays.
fn cast<V: Vector>(shape: &impl Shape<V>, rays: &[Ray<V>], query: Query<V::Scalar>) -> HitColumns<V> {
    let column = |axis: usize, part: fn(&Ray<V>) -> V| -> Vec<V::Scalar> {
        rays.iter().map(|ray| part(ray).to_xyz()[axis]).collect()
    };
    let axes = 0..V::DIM;
    let origin: Vec<_> = axes.clone().map(|axis| column(axis, |ray| ray.origin)).collect();
    let direction: Vec<_> = axes.map(|axis| column(axis, |ray| ray.direction)).collect();
    let origin: Vec<&[V::Scalar]> = origin.iter().map(|column| &column[..]).collect();
    let direction: Vec<&[V::Scalar]> = direction.iter().map(|column| &column[..]).collect();
    let columns = RayColumns::<V>::new(&origin, &direction).expect("columns");
    assert_eq!((columns.len(), columns.get(3), columns.get(RAYS)), (RAYS, Some(rays[3]), None));
    shape.cast_columns(&columns, query)
}

fn check<V: Vector>(shape: &impl Shape<V>, queries: &[Query<V::Scalar>]) -> HitColumns<V> {
    let rays = rays::<V>();
    for &query in queries {
        let hits = cast(shape, &rays, query);
        assert_eq!(hits.len(), RAYS);
        let expected: Vec<Option<Hit<V>>> = rays.iter().map(|ray| shape.cast_ray(ray, query)).collect();
        let got: Vec<Option<Hit<V>>> = (0..RAYS).map(|row| hits.get(row)).collect();
        assert!(got == expected);
        assert_eq!(hits.count_hits(), expected.iter().flatten().count());
        assert!(hits.count_hits() > 500);
    }
    cast(shape, &rays, queries[0])
}

#[test]
fn a_mesh_in_f32() {
    let (vertices, triangles) = torus(40, 24);
    let vertices = vertices.into_iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    let hits = check(&mesh, &[Query::new(), Query::from(0.1..=0.6), Query::from(-1.0..=0.5)]);
    let row = hits.is_hit().iter().position(|hit| *hit).expect("a hit");
    assert!(hits.primitive(row).is_some_and(|triangle| triangle < 2000 && triangle == hits.primitive_values()[row]));
    assert!(hits.object(row).is_none() && hits.has_uv()[row] && hits.uv_values()[0][row] >= 0.0);
    assert_eq!((hits.is_hit(), hits.is_hit()), (hits.has_primitive(), hits.has_uv()));
    assert!(hits.has_object().iter().all(|has| !has));
    assert!(hits.t()[17] == f32::INFINITY && !hits.is_hit()[17]);
    assert_eq!((hits.get(17), hits.primitive(17), hits.primitive(RAYS), hits.get(RAYS)), (None, None, None, None));
}

fn scene<V: Space>(shapes: impl IntoIterator<Item = V::Shape>) -> Scene<V> {
    let mut builder = SceneBuilder::new();
    for shape in shapes {
        builder.add(shape).expect("a shape");
    }
    builder.build()
}

#[test]
fn a_scene_and_a_scene_of_one() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let triangle = Triangle::new(Vec3::X, Vec3::Y, Vec3::Z).expect("a triangle");
    let floor = Plane::new(Vec3::Z * -0.5, Vec3::Z).expect("a floor");
    let hits = check(&scene::<Vec3>([ball.into(), triangle.into(), floor.into()]), &[Query::new()]);
    let seen = |hits: &HitColumns<Vec3>, id| (0..RAYS).any(|row| hits.object(row).map(ObjectId::index) == id);
    assert!([Some(0), Some(1), Some(2), None].into_iter().all(|id| seen(&hits, id)));
    // Only the triangle has weights, and no shape here has primitives.
    let weights = (0..RAYS).map(|row| hits.object(row).map(ObjectId::index) == Some(1));
    assert!(weights.eq(hits.has_uv().iter().copied()));
    assert_eq!(hits.has_object(), hits.is_hit());
    assert!(hits.has_primitive().iter().all(|has| !has));
    let (vertices, triangles) = torus(20, 12);
    let vertices = vertices.into_iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    let hits = check(&scene::<Vec3>([mesh.into()]), &[Query::new(), Query::from(..=0.5)]);
    assert!((0..RAYS).all(|row| hits.object(row).map(ObjectId::index) == hits.is_hit()[row].then_some(0)));
    // A query whose layers have no shape misses.
    let scene = scene::<Vec3>([ball.into()]);
    assert_eq!(cast(&scene, &rays(), Query::new().layers(0)).count_hits(), 0);
}

#[test]
fn the_plane_in_f64() {
    let capsule = Capsule::new(DVec2::new(-0.5, 0.0), DVec2::new(0.5, 0.25), 0.25).expect("a capsule");
    let hits = check(&capsule, &[Query::new(), Query::from(0.2..=0.7)]);
    assert!(hits.point()[2].is_empty() && hits.normal()[2].is_empty() && hits.point()[1].len() == RAYS);
}

#[test]
fn what_is_no_columns() {
    let (two, three) = ([0.0f32; 2], [0.0f32; 3]);
    let all = [&three[..]; 3];
    let error = |origin: &[&[f32]], direction: &[&[f32]]| {
        RayColumns::<Vec3>::new(origin, direction).map(|_| ()).expect_err("no columns")
    };
    assert_eq!(error(&all[..2], &all), ColumnsError::Count { what: "origin", given: 2, needed: 3 });
    let short = error(&all, &[&three, &two, &three]);
    assert_eq!(short, ColumnsError::Length { what: "direction", axis: 1, given: 2, needed: 3 });
    assert_eq!(short.to_string(), "direction y: 2 rows, but origin x has 3: all columns must be equally long");
    let points = |origins: &[[f32; 3]], directions: &[[f32; 3]]| {
        RayColumns::<Vec3>::from_points(origins, directions).map(|rays| rays.len())
    };
    assert_eq!(points(&[[0.0; 3]; 2], &[[1.0; 3]; 2]), Ok(2));
    assert_eq!(points(&[], &[]), Ok(0));
    let uneven = ColumnsError::Length { what: "direction", axis: 0, given: 1, needed: 2 };
    assert_eq!(points(&[[0.0; 3]; 2], &[[1.0; 3]]), Err(uneven));
    let flat = RayColumns::<Vec3>::from_points(&[[0.0; 2]], &[[1.0; 2]]).map(|rays| rays.len());
    assert_eq!(flat, Err(ColumnsError::Count { what: "origin", given: 2, needed: 3 }));
    assert!(RayColumns::<Vec3>::new(&[&[], &[], &[]], &[&[], &[], &[]]).expect("no rays").is_empty());
}

#[test]
fn points_are_the_same_rays() {
    let rays = rays::<Vec3>();
    let [origins, directions] = [|ray: &Ray<Vec3>| ray.origin, |ray: &Ray<Vec3>| ray.direction]
        .map(|part| -> Vec<[f32; 3]> { rays.iter().map(|ray| part(ray).to_array()).collect() });
    let points = RayColumns::<Vec3>::from_points(&origins, &directions).expect("rays");
    assert_eq!((points.get(3), points.get(RAYS)), (Some(rays[3]), None));
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    assert!(ball.cast_columns(&points, ..) == cast(&ball, &rays, Query::new()));
}

/// Threads return their columns in order.
#[cfg(feature = "rayon")]
#[test]
fn the_same_on_any_number_of_threads() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| format!("{:?}", cast(&ball, &rays(), Query::new())))
    };
    let one = run(1);
    for threads in [2, 3] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
