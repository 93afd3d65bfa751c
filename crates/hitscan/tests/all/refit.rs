//! Refit: the answers equal those of a new mesh, and those of a linear scan.

use crate::support::meshes::{MeshArrays, hall, icosphere, slivers, torus};
use crate::support::{Draw, Rng, Sample, rounds};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{MeshError, Quality, Query, Ray, RayCast, Shape, TriangleMesh};
use hitscan::{Real, Vector3};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Default, Quality::High];

/// New position of each vertex, by its index and its first position.
type Motion = fn(usize, [f64; 3]) -> [f64; 3];

const MOTIONS: [(&str, Motion); 10] = [
    ("a wave", |_, [x, y, z]| [x, y + 0.3 * (4.0 * x).sin(), z]),
    ("a twist", |_, [x, y, z]| {
        let (sin, cos) = (2.0 * y).sin_cos();
        [cos * x - sin * z, y, sin * x + cos * z]
    }),
    ("a million times as large", |_, p| p.map(|x| 1e6 * x)),
    // Out of the safe range of `f32`, and back.
    ("far too large", |_, p| p.map(|x| 1e12 * x)),
    ("far too small", |_, p| p.map(|x| 1e-30 * x)),
    ("flat", |_, [x, _, z]| [x, 0.25, z]),
    ("on a lattice", |_, p| p.map(|x| (4.0 * x).round() / 4.0)),
    ("a part of it at one point", |i, p| if i % 3 == 0 { [0.1, 0.2, 0.3] } else { p }),
    ("each vertex elsewhere", |i, [x, y, z]| if i % 2 == 0 { [z, x, y] } else { [-y, z, -x] }),
    ("as it was", |_, p| p),
];

fn narrow<V: Vector3>(vertices: &[[f64; 3]]) -> Vec<V> {
    vertices.iter().map(|p| V::from_xyz(p.map(V::Scalar::from_f64))).collect()
}

/// Answers of every query to every ray, as text.
fn answers<V: Vector3>(mesh: &TriangleMesh<V>, rays: &[Ray<V>]) -> Vec<String> {
    let line = Query::line();
    let one = |ray: &Ray<V>| {
        let first = [mesh.cast_ray(ray, ..), mesh.cast_ray(ray, line)];
        let all = (mesh.cast_ray_all(ray, line), mesh.count_hits(ray, ..), mesh.spans(ray, line));
        format!("{first:?} {} {all:?} {}", mesh.intersects_ray(ray, ..), mesh.contains(ray.origin))
    };
    let mut said: Vec<String> = rays.iter().map(one).collect();
    said.push(format!("{:?} {:?} {:?}", mesh.cast_rays(rays, ..), mesh.aabb(), mesh.topology()));
    said
}

fn check<V: Vector3>(name: &str, (vertices, triangles): &MeshArrays) {
    let first: Vec<V> = narrow(vertices);
    let mut moving = QUALITIES.map(|q| TriangleMesh::with_quality(first.clone(), triangles.clone(), q).unwrap());
    let mut all = moving[1].linear_scan();
    let (mut rng, mut hits) = (Rng::new(17), 0);
    for (motion, place) in MOTIONS {
        let moved: Vec<_> = vertices.iter().enumerate().map(|(i, p)| place(i, *p)).collect();
        let moved: Vec<V> = narrow(&moved);
        let anew = TriangleMesh::new(moved.clone(), triangles.clone()).unwrap();
        let aabb = anew.aabb();
        let size = aabb.half_extents().to_xyz().into_iter().fold(V::Scalar::ZERO, |a, b| if b > a { b } else { a });
        // Rays from around the box, which may be flat, or from inside.
        let aim = |rng: &mut Rng| {
            let (around, to): (V, V) = (aabb.center() + rng.in_cube::<V>() * (size + size), rng.point_in(&aabb));
            let from = if rng.below(4) == 0 { rng.point_in(&aabb) } else { around };
            Ray::new(from, to - from)
        };
        let mut rays: Vec<Ray<V>> = (0..rounds(24)).map(|_| aim(&mut rng)).collect();
        rays.extend((0..rounds(8)).map(|_| rng.ray(Draw::Ordinary, &aabb)));
        let truth = answers(&anew.linear_scan(), &rays);
        assert!(answers(&anew, &rays) == truth, "{name}, {motion}: built anew");
        for (mesh, quality) in moving.iter_mut().zip(QUALITIES) {
            let shape = (mesh.statistics().nodes, mesh.statistics().depth);
            mesh.refit(&moved).unwrap();
            for (said, truth) in answers(mesh, &rays).iter().zip(&truth) {
                assert_eq!(said, truth, "{name}, {motion}, {quality:?}");
            }
            assert_eq!((mesh.statistics().nodes, mesh.statistics().depth), shape);
            assert_eq!(mesh.vertices(), &moved[..]);
        }
        all.refit(&moved).unwrap();
        assert!(answers(&all, &rays) == truth, "{name}, {motion}: without a tree");
        hits += rays.iter().filter(|ray| anew.intersects_ray(*ray, ..)).count();
    }
    // A hall without height keeps few walls.
    assert!(hits >= rounds(12) / 3 * MOTIONS.len(), "{name}: {hits} hits");
}

#[test]
fn moved_meshes_in_f32() {
    [("icosphere", icosphere(3)), ("torus", torus(24, 12)), ("slivers", slivers()), ("hall", hall())]
        .iter()
        .for_each(|(name, arrays)| check::<Vec3>(name, arrays));
}

#[test]
fn moved_meshes_in_f64() {
    [("icosphere", icosphere(2)), ("torus", torus(16, 8)), ("slivers", slivers()), ("hall", hall())]
        .iter()
        .for_each(|(name, arrays)| check::<DVec3>(name, arrays));
}

/// Boxes are tight: for the same vertices they equal those of a new BVH.
#[test]
fn boxes_fit_closely() {
    let (vertices, triangles) = torus(40, 24);
    // Away from zero, which has two signs.
    let vertices: Vec<Vec3> = narrow(&vertices.iter().map(|p| p.map(|x| x + 10.0)).collect::<Vec<_>>());
    for quality in [Quality::Fast, Quality::Default] {
        let built = TriangleMesh::with_quality(vertices.clone(), triangles.clone(), quality).unwrap();
        let mut moved = built.clone();
        moved.refit(&vertices.iter().map(|v| *v * 7.0).collect::<Vec<_>>()).unwrap();
        assert_ne!(moved.to_bytes(), built.to_bytes());
        moved.refit(&vertices).unwrap();
        assert!(moved.to_bytes() == built.to_bytes(), "{quality:?}");
        assert_eq!(format!("{moved:?}"), format!("{built:?}"));
    }
}

#[test]
fn what_cannot_be_moved_leaves_the_mesh_as_it_was() {
    let (vertices, triangles) = torus(12, 6);
    let vertices: Vec<Vec3> = narrow(&vertices);
    let mut mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
    let before = format!("{mesh:?}");
    let count = vertices.len();
    let mut wrong = vertices.clone();
    wrong[5].y = f32::NAN;
    assert_eq!(mesh.refit(&wrong), Err(MeshError::NotFinite { vertex: 5 }));
    wrong[2].z = f32::NEG_INFINITY;
    assert_eq!(mesh.refit(&wrong), Err(MeshError::NotFinite { vertex: 2 }));
    let short = mesh.refit(&vertices[1..]);
    assert_eq!(short, Err(MeshError::OtherCount { vertices: count, given: count - 1 }));
    assert_eq!(short.unwrap_err().to_string(), "the mesh has 72 vertices, and 71 were given");
    assert_eq!(mesh.refit(&[]), Err(MeshError::OtherCount { vertices: count, given: 0 }));
    assert_eq!(format!("{mesh:?}"), before);
}
