//! Closest points of meshes, and batches.

use crate::closest_point::{P, box_distance, largest, length, sub, times, triangle_distance, xyz};
use crate::support::{Rng, Sample, meshes};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Ellipsoid, Feature, PointQuery, Real, Shape, Sphere, TriangleMesh, Vector3};

/// A point of the mesh, near it, or far away.
fn mesh_points<V: Vector3>(rng: &mut Rng, mesh: &TriangleMesh<V>) -> V {
    let triangle = mesh.triangles()[rng.below(mesh.triangles().len())];
    let [a, b, c] = triangle.map(|i| mesh.vertices()[i as usize]);
    let half = V::Scalar::from_f64(0.5);
    match rng.below(8) {
        0 => a,
        1 => (a + b) * half,
        2 => (a + b) * half + rng.in_cube::<V>() * V::Scalar::from_f64(0.01),
        3 => (a + b + c) * V::Scalar::from_f64(1.0 / 3.0),
        4 => rng.in_cube::<V>() * V::Scalar::from_f64(100.0),
        5 => V::default(),
        _ => rng.in_cube::<V>() * V::Scalar::from_f64(2.0),
    }
}

fn check_mesh<V: Vector3>(rng: &mut Rng, mesh: &TriangleMesh<V>, count: usize) -> f64 {
    let linear = mesh.linear_scan();
    let corners: Vec<[P; 3]> =
        mesh.triangles().iter().map(|triangle| triangle.map(|i| xyz(mesh.vertices()[i as usize]))).collect();
    let largest_vertex = largest(&mesh.vertices().iter().map(|&v| xyz(v)).collect::<Vec<_>>());
    let mut worst = 0.0f64;
    for _ in 0..count {
        let point = mesh_points(rng, mesh);
        let found = mesh.closest_point(point).unwrap();
        assert_eq!(linear.closest_point(point), Some(found), "{point:?}");
        let (x, q, distance) = (xyz(point), xyz(found.point), found.distance.to_f64());
        let unit = largest_vertex.max(largest(&[x])) * V::Scalar::EPSILON.to_f64();
        let expected = corners.iter().map(|&corners| triangle_distance(x, corners)).fold(f64::INFINITY, f64::min);
        let (triangle, [u, v]) = (corners[found.primitive.unwrap() as usize], found.uv.unwrap().map(Real::to_f64));
        let place = [0, 1, 2].map(|i| triangle[0][i] * (1.0 - u - v) + triangle[1][i] * u + triangle[2][i] * v);
        let errors = [distance - expected, length(sub(q, x)) - distance, length(sub(place, q))];
        let error = errors.iter().map(|error| error.abs() / unit).fold(0.0, f64::max);
        let bound = if V::Scalar::EPSILON.to_f64() == f64::EPSILON { 8.0 } else { 4.0 };
        assert!(error <= bound, "{errors:?} in {error} ulp: {point:?} {found:?} {expected}");
        worst = worst.max(error);
        assert_eq!(mesh.closest_point_within(point, found.distance), Some(found), "{point:?}");
        assert_eq!(linear.closest_point_within(point, found.distance), Some(found), "{point:?}");
        if distance > 0.0 {
            assert_eq!(mesh.closest_point_within(point, found.distance.next_down()), None);
        }
        let signed = mesh.signed_distance(point).unwrap().to_f64();
        assert_eq!((signed.abs(), signed < 0.0), (distance, mesh.contains(point) && distance > 0.0), "{point:?}");
    }
    worst
}

#[test]
fn meshes_are_their_triangles() {
    let mut rng = Rng::new(7);
    let mut worst = [0.0f64; 2];
    for arrays in
        [meshes::icosphere(0), meshes::icosphere(3), meshes::torus(40, 20), meshes::trefoil(100, 12), meshes::hall()]
    {
        worst[0] = worst[0].max(check_mesh(&mut rng, &meshes::build::<Vec3>(arrays.clone()), 300));
        worst[1] = worst[1].max(check_mesh(&mut rng, &meshes::build::<DVec3>(arrays), 100));
    }
    println!("{worst:?}");
}

/// Slivers: the textbook loses digits, the mesh does not.
#[test]
fn slivers_have_a_distance() {
    let mut rng = Rng::new(8);
    let small = meshes::build::<Vec3>(meshes::slivers());
    check_mesh(&mut rng, &small, 500);
    let large = meshes::build::<DVec3>(meshes::slivers());
    for _ in 0..500 {
        let point = rng.in_cube::<DVec3>() * 2.0;
        let found = large.closest_point(point).unwrap();
        assert_eq!(large.linear_scan().closest_point(point), Some(found));
        let expected = box_distance(xyz(point), [1.0; 3], 3);
        assert!((found.distance - expected.abs()).abs() <= 8.0 * f64::EPSILON, "{point} {found:?} {expected}");
    }
}

/// Where triangles share the closest point, the first one has it: at vertices and edges, whatever the tree.
#[test]
fn shared_edges_belong_to_the_first_triangle() {
    let mesh = meshes::build::<Vec3>(meshes::icosphere(2));
    for (number, &triangle) in mesh.triangles().iter().enumerate() {
        let [a, b, _] = triangle.map(|i| mesh.vertices()[i as usize]);
        let vertex = mesh.closest_point(a * 1.5).unwrap();
        let first = mesh.triangles().iter().position(|other| other.contains(&triangle[0]));
        assert_eq!((vertex.point, vertex.primitive.map(|i| i as usize)), (a, first));
        let edge = mesh.closest_point((a + b) * 0.75).unwrap();
        let shares = |other: &[u32; 3]| other.contains(&triangle[0]) && other.contains(&triangle[1]);
        let first = mesh.triangles().iter().position(shares);
        if let Feature::Edge(_) = edge.feature {
            assert_eq!(edge.primitive.map(|i| i as usize), first, "{number}");
        }
    }
}

/// Coordinates beyond the range of `f32`, and meshes so small that their boxes in `f32` are all the same.
#[test]
fn meshes_of_any_size() {
    let mut rng = Rng::new(9);
    let arrays = meshes::icosphere(2);
    let (unit, points): (TriangleMesh<DVec3>, Vec<DVec3>) =
        (meshes::build(arrays.clone()), (0..40).map(|_| rng.in_cube::<DVec3>() * 3.0).collect());
    for power in [-900, -140, -100, 100, 127, 140, 900] {
        let factor = f64::from(power).exp2();
        let scaled = meshes::build::<DVec3>((arrays.0.iter().map(|&v| times(v, factor)).collect(), arrays.1.clone()));
        for &point in &points {
            let mut expected = unit.closest_point(point).unwrap();
            (expected.point, expected.distance) = (expected.point * factor, expected.distance * factor);
            assert_eq!(scaled.closest_point(point * factor), Some(expected), "{power}");
        }
    }
    for power in [-120, -60, 60, 120] {
        let factor = f64::from(power).exp2();
        let scaled = meshes::build::<Vec3>((arrays.0.iter().map(|&v| times(v, factor)).collect(), arrays.1.clone()));
        for &point in &points {
            let point = (point * factor).as_vec3();
            assert_eq!(scaled.closest_point(point), scaled.linear_scan().closest_point(point), "{power}");
        }
    }
}

#[test]
fn a_mesh_without_triangles_has_no_point() {
    if let Ok(mesh) = TriangleMesh::<Vec3>::new(vec![], vec![]) {
        assert!(mesh.closest_point(Vec3::ZERO).is_none() && mesh.signed_distance(Vec3::ZERO).is_none());
    }
}

#[test]
fn batches_are_single_queries() {
    let mut rng = Rng::new(10);
    let mesh = meshes::build::<Vec3>(meshes::torus(20, 10));
    let points: Vec<Vec3> = (0..9000).map(|_| rng.in_cube::<Vec3>() * 3.0).collect();
    let found = mesh.closest_points(&points, 0.5);
    let signed = mesh.signed_distances(&points);
    assert!(found.iter().flatten().count() > 100);
    for (i, &point) in points.iter().enumerate() {
        assert_eq!(found[i], mesh.closest_point_within(point, 0.5));
        assert_eq!(signed[i], mesh.signed_distance(point));
    }
    let shapes: [Box<dyn Shape<Vec3>>; 2] = [
        Box::new(Sphere::new(Vec3::ZERO, 1.0).unwrap()),
        Box::new(Ellipsoid::new(Vec3::X, Vec3::new(1.0, 2.0, 3.0)).unwrap()),
    ];
    for shape in shapes {
        let (found, signed) = (shape.closest_points(&points[..200], 1.0), shape.signed_distances(&points[..200]));
        for (i, &point) in points[..200].iter().enumerate() {
            assert_eq!((found[i], signed[i]), (shape.closest_point_within(point, 1.0), shape.signed_distance(point)));
        }
    }
}
