//! Generalized winding numbers, and the containment and signed distances that they decide.

use crate::support::meshes::{MeshArrays, build, hall, icosphere, slivers, torus, trefoil};
use crate::support::{Rng, Sample};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{InsideRule, PointQuery, Quality, Real, Shape, TriangleMesh, Vector3};
use std::f64::consts::{PI, TAU};

const RULES: [InsideRule; 3] = [InsideRule::Parity, InsideRule::WindingNumber, InsideRule::ParityIfClosed];

/// Sum over all triangles.
fn direct<V: Vector3>(mesh: &TriangleMesh<V>, point: V) -> f64 {
    mesh.winding_number_within(point, V::Scalar::ZERO).unwrap().to_f64()
}

fn number<V: Vector3>(mesh: &TriangleMesh<V>, point: V) -> f64 {
    mesh.winding_number(point).unwrap().to_f64()
}

fn point<V: Vector3>(xyz: [f64; 3]) -> V {
    V::from_xyz(xyz.map(V::Scalar::from_f64))
}

/// A point in a cube, sometimes near the surface or far away.
fn any_point<V: Vector3>(rng: &mut Rng, mesh: &TriangleMesh<V>) -> V {
    let scalar = V::Scalar::from_f64;
    match rng.below(8) {
        0 => rng.in_cube::<V>() * scalar(50.0),
        1 => mesh.vertices()[rng.below(mesh.vertices().len())] + rng.in_cube::<V>() * scalar(0.01),
        _ => rng.in_cube::<V>() * scalar(1.5),
    }
}

fn flipped((vertices, triangles): MeshArrays) -> MeshArrays {
    (vertices, triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

fn scaled((vertices, triangles): MeshArrays, factor: f64) -> MeshArrays {
    (vertices.into_iter().map(|v| v.map(|x| x * factor)).collect(), triangles)
}

fn joined((mut vertices, mut triangles): MeshArrays, (more, others): MeshArrays) -> MeshArrays {
    let first = vertices.len() as u32;
    vertices.extend(more);
    triangles.extend(others.into_iter().map(|t| t.map(|i| i + first)));
    (vertices, triangles)
}

/// Without each of `every` triangles.
fn with_holes((vertices, triangles): MeshArrays, every: usize) -> MeshArrays {
    (vertices, triangles.into_iter().enumerate().filter(|(i, _)| i % every != 0).map(|(_, t)| t).collect())
}

/// Axis-parallel cube from -1 to 1, faces outward.
fn cube() -> MeshArrays {
    let vertices = (0..8).map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { 1.0 } else { -1.0 })).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (vertices, faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// The upper half of an octahedron: a pyramid without its base.
fn pyramid() -> MeshArrays {
    let (vertices, triangles) = icosphere(0);
    (vertices, triangles.into_iter().filter(|t| !t.contains(&5)).collect())
}

fn check_closed<V: Vector3>(rng: &mut Rng, arrays: MeshArrays) {
    let (mesh, inward) = (build::<V>(arrays.clone()), build::<V>(flipped(arrays)));
    assert!(mesh.topology().is_closed());
    let mut inside = 0;
    for _ in 0..300 {
        let point = any_point(rng, &mesh);
        let is_inside = mesh.contains(point);
        inside += usize::from(is_inside);
        let expected = f64::from(u8::from(is_inside));
        let sum = direct(&mesh, point);
        assert!((sum - expected).abs() < 1e-6, "{point:?}: {sum} {expected}");
        assert!((number(&mesh, point) - expected).abs() <= 1.0 / 32.0, "{point:?}");
        assert!((number(&inward, point) + expected).abs() <= 1.0 / 32.0, "{point:?}");
        for rule in RULES {
            let found = mesh.contains_by(point, rule);
            let used = if rule == InsideRule::WindingNumber { rule } else { InsideRule::Parity };
            assert_eq!((found.is_inside, found.rule), (is_inside, used), "{point:?}");
            let signed = mesh.signed_distance_by(point, rule).unwrap();
            assert_eq!((Some(signed.distance), signed.rule), (mesh.signed_distance(point), used), "{point:?}");
        }
        assert!(!inward.contains_by(point, InsideRule::WindingNumber).is_inside);
    }
    assert!(inside > 10, "{inside}");
}

#[test]
fn closed_meshes_have_whole_numbers_and_agree_with_parity() {
    let mut rng = Rng::new(31);
    for arrays in [icosphere(0), icosphere(3), torus(40, 20), trefoil(100, 12), cube()] {
        check_closed::<Vec3>(&mut rng, arrays.clone());
        check_closed::<DVec3>(&mut rng, arrays);
    }
}

#[test]
fn nested_and_doubled_solids_add_up() {
    let sphere = || icosphere(2);
    let nested = build::<DVec3>(joined(sphere(), scaled(sphere(), 0.5)));
    let hollow = build::<DVec3>(joined(sphere(), flipped(scaled(sphere(), 0.5))));
    let doubled = build::<Vec3>(joined(sphere(), sphere()));
    for (x, expected) in [(0.1, [2.0, 0.0, 2.0]), (0.7, [1.0, 1.0, 2.0]), (1.2, [0.0, 0.0, 0.0])] {
        let at = DVec3::new(x, 0.02, -0.01);
        let found = [direct(&nested, at), direct(&hollow, at), direct(&doubled, at.as_vec3())];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        let found = [number(&nested, at), number(&hollow, at), number(&doubled, at.as_vec3())];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1.0 / 32.0), "{found:?}");
        // Parity takes an overlap for outside; the winding number does not.
        assert_eq!(doubled.contains_by(at.as_vec3(), InsideRule::WindingNumber).is_inside, x < 1.0);
        assert_eq!(hollow.contains_by(at, InsideRule::WindingNumber).is_inside, x == 0.7);
    }
}

/// ```text
///        /\        The base is missing: a square with half sides a.
///       /  \       From a height h above it or below it, it covers
///      /    \      4 asin(a^2 / (a^2 + h^2)) of the sphere.
/// ```
#[test]
fn an_open_pyramid_has_the_angle_of_its_base() {
    let (single, double) = (build::<Vec3>(pyramid()), build::<DVec3>(pyramid()));
    for h in [-3.0f64, -1.0, -0.25, 0.0, 0.25, 0.5, 0.75] {
        let base = 4.0 * (0.5 / (0.5 + h * h)).asin() / (4.0 * PI);
        let expected = if h > 0.0 { 1.0 - base } else { base };
        let at = DVec3::new(0.0, 0.0, h);
        assert!((direct(&double, at) - expected).abs() < 1e-15, "{h}");
        assert!((direct(&single, at.as_vec3()) - expected).abs() < 1e-7, "{h}");
        assert!((number(&double, at) - expected).abs() <= 1.0 / 32.0, "{h}");
        assert_eq!(double.contains_by(at, InsideRule::ParityIfClosed).is_inside, h >= 0.0, "{h}");
        assert!(!double.contains_by(at, InsideRule::Parity).is_inside);
    }
}

/// Solid angle of a triangle by Girard's theorem: the excess of the angles between the planes at its corners.
fn girard(q: DVec3, corners: [DVec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| (corner - q).normalize());
    let angle = |at: DVec3, p: DVec3, r: DVec3| at.cross(p).angle_between(at.cross(r));
    let excess = angle(a, b, c) + angle(b, c, a) + angle(c, a, b) - PI;
    excess * a.dot(b.cross(c)).signum() / (2.0 * TAU)
}

#[test]
fn a_missing_triangle_is_missing_in_the_number() {
    let (vertices, mut triangles) = icosphere(2);
    let missing = triangles.remove(17).map(|i| DVec3::from(vertices[i as usize]));
    let mesh = build::<DVec3>((vertices, triangles));
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let at = rng.in_cube::<DVec3>() * 0.5;
        let expected = 1.0 - girard(at, missing);
        assert!((direct(&mesh, at) - expected).abs() < 1e-10, "{at}: {} {expected}", direct(&mesh, at));
        assert!((number(&mesh, at) - expected).abs() <= 1.0 / 32.0, "{at}");
        assert!(mesh.contains_by(at, InsideRule::WindingNumber).is_inside, "{at}");
    }
}

fn check_bounds<V: Vector3>(rng: &mut Rng, arrays: &MeshArrays, count: usize) -> f64 {
    let vertices: Vec<V> = arrays.0.iter().map(|&xyz| point(xyz)).collect();
    let mut worst = 0.0f64;
    for quality in [Quality::Fast, Quality::Default, Quality::High] {
        let mesh = TriangleMesh::with_quality(vertices.clone(), arrays.1.clone(), quality).unwrap();
        let linear = mesh.linear_scan();
        for _ in 0..count {
            let at = any_point(rng, &mesh);
            let sum = direct(&mesh, at);
            assert_eq!(mesh.winding_number_within(at, V::Scalar::ZERO), linear.winding_number(at));
            assert_eq!(mesh.winding_number_within(at, V::Scalar::NAN), linear.winding_number(at));
            for max_error in [0.5, 0.125, 1.0 / 32.0, 1.0 / 256.0, 1.0 / 4096.0] {
                let found = mesh.winding_number_within(at, V::Scalar::from_f64(max_error)).unwrap().to_f64();
                worst = worst.max((found - sum).abs() / max_error);
                assert!((found - sum).abs() <= max_error, "{at:?}: {found} {sum} {max_error}");
            }
            let rule = InsideRule::WindingNumber;
            assert_eq!(mesh.contains_by(at, rule), linear.contains_by(at, rule), "{at:?}");
            assert_eq!(mesh.signed_distance_by(at, rule), linear.signed_distance_by(at, rule), "{at:?}");
        }
    }
    worst
}

#[test]
fn estimates_keep_their_bound() {
    let mut rng = Rng::new(77);
    let mut worst = 0.0f64;
    for arrays in [
        icosphere(4),
        with_holes(torus(60, 30), 7),
        with_holes(trefoil(100, 12), 3),
        joined(icosphere(3), scaled(icosphere(3), 0.3)),
        flipped(with_holes(icosphere(3), 2)),
        hall(),
        slivers(),
    ] {
        worst = worst.max(check_bounds::<Vec3>(&mut rng, &arrays, 40));
        worst = worst.max(check_bounds::<DVec3>(&mut rng, &arrays, 40));
    }
    assert!(worst > 0.005, "the series was not used: {worst}");
}

#[test]
fn the_surface_has_the_mean_of_its_sides() {
    let mesh = build::<DVec3>(cube());
    let face = DVec3::new(1.0, 0.25, 0.5);
    let edge = DVec3::new(1.0, 1.0, 0.5);
    for (at, expected) in [(face, 0.5), (edge, 0.25), (DVec3::ONE, 0.125)] {
        assert!((direct(&mesh, at) - expected).abs() < 1e-15, "{at}");
        assert!((number(&mesh, at) - expected).abs() <= 1.0 / 32.0, "{at}");
        assert_eq!(mesh.signed_distance_by(at, InsideRule::WindingNumber).map(|d| d.distance), Some(0.0));
    }
    let sphere = build::<Vec3>(icosphere(3));
    for &vertex in sphere.vertices() {
        let found = number(&sphere, vertex);
        assert!((0.3..0.55).contains(&found), "{vertex}: {found}");
    }
}

#[test]
fn far_points_are_outside() {
    let (single, double) = (build::<Vec3>(with_holes(icosphere(3), 5)), build::<DVec3>(icosphere(3)));
    for far in [1e3f32, 1e6, 1e12, 1e30, f32::MAX] {
        let at = Vec3::new(far, -far, 0.5 * far);
        assert!(number(&single, at).abs() < 1e-5 && direct(&single, at).abs() < 1e-5, "{far}");
        assert!(!single.contains_by(at, InsideRule::WindingNumber).is_inside);
    }
    for far in [1e15, 1e40, 1e200, f64::MAX] {
        let at = DVec3::new(far, -far, 0.5 * far);
        assert!(number(&double, at).abs() < 1e-12 && direct(&double, at).abs() < 1e-12, "{far}");
    }
}

#[test]
fn degenerate_triangles_have_no_angle() {
    let (vertices, mut triangles) = icosphere(2);
    let plain = build::<DVec3>((vertices.clone(), triangles.clone()));
    triangles.extend([[0, 0, 1], [2, 2, 2], [7, 9, 7]]);
    let more = build::<DVec3>((vertices, triangles));
    let flat = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0], vec![[0, 1, 2], [1, 1, 1]]).unwrap();
    let mut rng = Rng::new(8);
    for _ in 0..100 {
        let at: DVec3 = rng.in_cube::<DVec3>() * 1.5;
        assert!((direct(&plain, at) - direct(&more, at)).abs() < 1e-14, "{at}");
        assert!((number(&plain, at) - number(&more, at)).abs() <= 1.0 / 16.0, "{at}");
        assert!(number(&flat, at.as_vec3()).abs() < 1e-6, "{at}");
    }
    for at in [Vec3::ZERO, Vec3::X, Vec3::X * 0.5, Vec3::X * 3.0] {
        assert_eq!(number(&flat, at), 0.0);
    }
}

#[test]
fn numbers_of_any_size_and_place() {
    let arrays = || with_holes(icosphere(3), 9);
    let plain = build::<DVec3>(arrays());
    let mut rng = Rng::new(21);
    for factor in [1e-300, 1e-150, 1e-30, 1e30, 1e150, 1e300] {
        let mesh = build::<DVec3>(scaled(arrays(), factor));
        for _ in 0..20 {
            let at: DVec3 = rng.in_cube::<DVec3>() * 1.2;
            let expected = direct(&plain, at);
            assert!((direct(&mesh, at * factor) - expected).abs() < 1e-10, "{factor}");
            assert!((number(&mesh, at * factor) - expected).abs() <= 1.0 / 32.0, "{factor}");
        }
    }
    for factor in [1e-36, 1e-20, 1e20, 1e36] {
        let mesh = build::<Vec3>(scaled(arrays(), factor));
        let at = DVec3::new(0.3, -0.2, 0.1);
        let found = number(&mesh, (at * factor).as_vec3());
        assert!((found - direct(&plain, at)).abs() <= 1.0 / 32.0, "{factor}: {found}");
    }
    // Far from the origin, and with details far smaller than the whole.
    let (vertices, triangles) = joined(arrays(), scaled(arrays(), 1e-5));
    let moved = vertices.into_iter().map(|[x, y, z]| [x + 4096.0, y, z - 8192.0]).collect();
    let mesh = build::<DVec3>((moved, triangles));
    for _ in 0..100 {
        let at = DVec3::new(4096.0, 0.0, -8192.0) + rng.in_cube::<DVec3>() * 2e-5;
        let sum = direct(&mesh, at);
        assert!((number(&mesh, at) - sum).abs() <= 1.0 / 32.0, "{at}: {sum}");
    }
}

#[test]
fn points_that_are_not_finite_have_no_number() {
    let mesh = build::<Vec3>(icosphere(1));
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let at = Vec3::new(0.0, bad, 0.0);
        assert_eq!((mesh.winding_number(at), mesh.winding_number_within(at, 0.0)), (None, None));
        assert!(RULES.iter().all(|&rule| !mesh.contains_by(at, rule).is_inside));
        assert!(RULES.iter().all(|&rule| mesh.signed_distance_by(at, rule).is_none()));
    }
}

#[test]
fn a_refit_moves_the_numbers() {
    let (vertices, triangles) = with_holes(icosphere(3), 11);
    for quality in [Quality::Default, Quality::High] {
        let first: Vec<Vec3> = vertices.iter().map(|&v| point(v)).collect();
        let mut mesh = TriangleMesh::with_quality(first, triangles.clone(), quality).unwrap();
        assert!(number(&mesh, Vec3::ZERO) > 0.8);
        let copy = mesh.clone();
        let moved: Vec<Vec3> = vertices.iter().map(|&v| point::<Vec3>(v) * 2.0 + Vec3::X * 10.0).collect();
        mesh.refit(&moved).unwrap();
        let new = TriangleMesh::new(moved, triangles.clone()).unwrap();
        let mut rng = Rng::new(3);
        for _ in 0..100 {
            let at = Vec3::X * 10.0 + rng.in_cube::<Vec3>() * 3.0;
            let sum = direct(&mesh, at);
            assert_eq!(sum, direct(&new, at), "{at}");
            assert!((number(&mesh, at) - sum).abs() <= 1.0 / 32.0, "{at}");
        }
        assert!(number(&mesh, Vec3::ZERO).abs() < 0.1 && number(&copy, Vec3::ZERO) > 0.8);
    }
}

#[test]
fn batches_are_their_points() {
    let mesh = build::<Vec3>(with_holes(torus(40, 20), 13));
    let mut rng = Rng::new(13);
    let points: Vec<Vec3> =
        (0..5000).map(|i| if i == 77 { Vec3::splat(f32::NAN) } else { any_point(&mut rng, &mesh) }).collect();
    let numbers: Vec<_> = points.iter().map(|&at| mesh.winding_number(at)).collect();
    assert_eq!(mesh.winding_numbers(&points), numbers);
    for rule in RULES {
        let inside: Vec<_> = points.iter().map(|&at| mesh.contains_by(at, rule)).collect();
        assert_eq!(mesh.contains_each_by(&points, rule), inside);
        let signed: Vec<_> = points.iter().map(|&at| mesh.signed_distance_by(at, rule)).collect();
        assert_eq!(mesh.signed_distances_by(&points, rule), signed);
    }
}
