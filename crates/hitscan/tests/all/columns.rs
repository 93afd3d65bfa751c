//! Rays and hits as columns: the answers of one ray at a time, bit for bit.

use crate::support::meshes::torus;
use crate::support::{Rng, Sample};
use hitscan::glam::{DVec2, Vec3};
use hitscan::{Real, Vector};
use hitscan::{
    Capsule, ColumnsError, Hit, HitColumns, NONE, Plane, Query, Ray, RayColumns, Scene, SceneBuilder, Shape, Space,
    Sphere, Triangle, TriangleMesh,
};

/// More than are cast at a time, and not a multiple of that.
const RAYS: usize = 10_001;

fn rays<V: Vector>() -> Vec<Ray<V>> {
    let mut rng = Rng::new(21);
    let mut rays: Vec<Ray<V>> = (0..RAYS)
        .map(|_| {
            let (from, to): (V, V) = (rng.in_cube(), rng.in_cube());
            Ray::new(from + from, to - from)
        })
        .collect();
    // Not a ray.
    rays[17].direction = V::splat(V::Scalar::NAN);
    rays
}

/// Casts the columns of the rays.
fn cast<V: Vector>(shape: &(impl Shape<V> + Sync), rays: &[Ray<V>], query: Query<V::Scalar>) -> HitColumns<V> {
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

fn check<V: Vector>(shape: &(impl Shape<V> + Sync), queries: &[Query<V::Scalar>]) -> HitColumns<V> {
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
    let row = (0..RAYS).find(|&row| hits.t[row].is_finite()).expect("a hit");
    assert!(hits.primitive[row] < 2000 && hits.shape[row] == NONE && hits.uv[0][row] >= 0.0);
    assert!(hits.t[17] == f32::INFINITY && hits.primitive[17] == NONE);
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
    assert!([0, 1, 2, NONE].iter().all(|number| hits.shape.contains(number)));
    let (vertices, triangles) = torus(20, 12);
    let vertices = vertices.into_iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    let hits = check(&scene::<Vec3>([mesh.into()]), &[Query::new(), Query::from(..=0.5)]);
    assert!(hits.shape.iter().all(|&shape| shape == 0 || shape == NONE));
    // On no layer of the query there is nothing.
    let scene = scene::<Vec3>([ball.into()]);
    assert_eq!(cast(&scene, &rays(), Query::new().layers(0)).count_hits(), 0);
}

#[test]
fn the_plane_in_f64() {
    let capsule = Capsule::new(DVec2::new(-0.5, 0.0), DVec2::new(0.5, 0.25), 0.25).expect("a capsule");
    let hits = check(&capsule, &[Query::new(), Query::from(0.2..=0.7)]);
    assert!(hits.point[2].is_empty() && hits.normal[2].is_empty() && hits.point[1].len() == RAYS);
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
    assert!(RayColumns::<Vec3>::new(&[&[], &[], &[]], &[&[], &[], &[]]).expect("no rays").is_empty());
}

/// On several threads the columns come together in order.
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
