//! Repair of meshes: welding, repeated and degenerate triangles, orientation.

use crate::support::Rng;
use crate::support::meshes::{MeshArrays, build, icosphere};
use crate::untidy_meshes::{UNIT, boxes, cube, repeated, turned};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{MeshError, Shape, TriangleMesh};

/// The winding numbers of a repaired mesh at points, and whether parity takes them for inside.
fn check(mesh: &TriangleMesh<DVec3>, points: &[(DVec3, f64, bool)]) {
    for (at, winding, inside) in points {
        let found = mesh.winding_number_within(*at, 0.0).unwrap();
        assert!((found - winding).abs() < 1e-9, "{at}: {found}");
        assert_eq!(mesh.contains(*at), *inside, "{at}");
    }
}

fn random_turns(rng: &mut Rng, mesh: MeshArrays) -> MeshArrays {
    let turns: Vec<bool> = mesh.1.iter().map(|_| rng.once_in(2)).collect();
    turned(mesh, |i| turns[i])
}

/// A cube whose triangles have corners of their own, up to 1e-7 off; some turned, some twice, one degenerate.
#[test]
fn a_cube_out_of_pieces() {
    let mut rng = Rng::new(3);
    let (corners, faces) = repeated(random_turns(&mut rng, cube()), |i| i % 3 == 0);
    let mut vertices: Vec<[f64; 3]> = faces.iter().flatten().map(|&i| corners[i as usize]).collect();
    let mut triangles: Vec<[u32; 3]> = (0..faces.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    for vertex in &mut vertices {
        vertex[rng.below(3)] += rng.between(-1e-7, 1e-7);
    }
    triangles.push([0, 1, 0]);
    let untidy = build::<DVec3>((vertices, triangles));
    assert!(!untidy.topology().is_closed());
    let (mesh, report) = untidy.repaired(1e-6).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    assert_eq!((report.merged_vertices, report.degenerate_triangles, report.repeated_triangles), (40, 1, 4));
    assert_eq!((report.closed_parts, report.open_parts, report.undecided_parts), (1, 0, 0));
    assert!(mesh.topology().is_closed() && mesh.topology().unbalanced_edges == 0);
    check(&mesh, &[(DVec3::splat(0.5), 1.0, true), (DVec3::splat(2.0), 0.0, false)]);
    // It is tidy: a second repair does nothing.
    let (again, report) = mesh.repaired(1e-6).unwrap();
    assert_eq!((again.triangles(), report.turned_triangles, report.merged_vertices), (mesh.triangles(), 0, 0));
}

#[test]
fn inside_out() {
    let (mesh, report) = build::<DVec3>(turned(cube(), |_| true)).repaired(0.0).unwrap();
    assert_eq!(report.turned_triangles, 12);
    check(&mesh, &[(DVec3::splat(0.5), 1.0, true)]);
    let (_, report) = build::<Vec3>(cube()).repaired(0.0).unwrap();
    assert_eq!(report.turned_triangles, 0);
}

/// ```text
///   +---------------+      a cavity within a box, and a box within the cavity;
///   |  +---------+  |      another box overlaps the first one
///   |  |  +---+  | ++--+
///   |  |  |   |  | ||  |
///   |  |  +---+  | ++--+
///   |  +---------+  |
///   +---------------+
/// ```
#[test]
fn cavities_face_into_the_cavity_and_overlaps_outward() {
    let cube_of = |half: f64| [[-half; 3], [half; 3]];
    let mut rng = Rng::new(9);
    for _ in 0..8 {
        let overlapping = [[4.5, -0.5, -0.5], [7.0, 0.5, 0.5]];
        let arrays = random_turns(&mut rng, boxes(&[cube_of(5.0), cube_of(3.0), cube_of(1.0), overlapping]));
        let (mesh, report) = build::<DVec3>(arrays).repaired(0.0).unwrap();
        assert_eq!((report.closed_parts, report.undecided_parts, mesh.topology().unbalanced_edges), (4, 0, 0));
        let at = |x: f64| DVec3::new(x, 0.1, 0.2);
        let points = [(0.0, 1.0, true), (2.0, 0.0, false), (4.0, 1.0, true), (4.75, 2.0, false), (6.0, 1.0, true)];
        check(&mesh, &points.map(|(x, winding, inside)| (at(x), winding, inside)));
    }
}

#[test]
fn walls_between_solids_are_dropped() {
    let arrays = boxes(&[[[0.0; 3], [1.0, 1.0, 0.5]], [[0.0, 0.0, 0.5], [1.0; 3]]]);
    let (mesh, report) = build::<DVec3>(random_turns(&mut Rng::new(5), arrays)).repaired(0.0).unwrap();
    assert_eq!((report.repeated_triangles, mesh.triangles().len(), report.closed_parts), (4, 20, 1));
    check(&mesh, &[(DVec3::new(0.3, 0.6, 0.5), 1.0, true)]);
}

/// The diagonals of both sides differ: the wall stays, and its sides face apart.
#[test]
fn walls_of_other_triangles_face_apart() {
    let mut arrays = boxes(&[[[0.0; 3], [1.0, 1.0, 0.5]], [[0.0, 0.0, 0.5], [1.0; 3]]]);
    let is_upper = |mesh: &MeshArrays, t: &[u32; 3]| t.iter().all(|&i| i >= 8 && mesh.0[i as usize][2] == 0.5);
    let wall: Vec<usize> = (0..24).filter(|&i| is_upper(&arrays, &arrays.1[i])).collect();
    // The corners of the wall: the second diagonal in place of the first.
    let [[a, b, c], [_, _, d]] = [arrays.1[wall[0]], arrays.1[wall[1]]];
    (arrays.1[wall[0]], arrays.1[wall[1]]) = ([a, b, d], [b, c, d]);
    for seed in 0..8 {
        let untidy = build::<DVec3>(random_turns(&mut Rng::new(seed), arrays.clone()));
        assert!(untidy.topology().is_closed() && untidy.topology().repeated_triangles == 0);
        let (mesh, report) = untidy.repaired(0.0).unwrap();
        assert_eq!((mesh.triangles().len(), report.closed_parts, mesh.topology().unbalanced_edges), (24, 1, 0));
        check(&mesh, &[(DVec3::new(0.3, 0.6, 0.25), 1.0, true), (DVec3::new(0.3, 0.6, 0.75), 1.0, true)]);
    }
}

/// Four sheets around an axis that meet in two rings, each of which all four have: no sheet is closed by itself.
///
/// ```text
///       M4               a section through one side: the solids are between M4 and M3,
///      /  \              and between M2 and M1
///     / M3 \
///    A /  \ B
///     \ M2 /
///      \  /
///       M1
/// ```
#[test]
fn sheets_that_meet_four_at_an_edge() {
    let mut vertices = Vec::new();
    let steps = 12u32;
    for step in 0..steps {
        let (sin, cos) = (f64::from(step) / f64::from(steps) * std::f64::consts::TAU).sin_cos();
        let section = [[2.0, 0.0], [4.0, 0.0], [3.0, -3.0], [3.0, -1.0], [3.0, 1.0], [3.0, 3.0]];
        vertices.extend(section.map(|[r, z]| [r * cos, r * sin, z]));
    }
    let at = |step: u32, i: u32| step % steps * 6 + i;
    let mut triangles = Vec::new();
    for step in 0..steps {
        for middle in 2..6 {
            for [p, q] in [[0, middle], [middle, 1]] {
                triangles.push([at(step, p), at(step + 1, p), at(step + 1, q)]);
                triangles.push([at(step, p), at(step + 1, q), at(step, q)]);
            }
        }
    }
    let untidy = build::<DVec3>(random_turns(&mut Rng::new(6), (vertices, triangles)));
    assert!(untidy.topology().is_closed() && untidy.topology().non_manifold_edges == 24);
    let (mesh, report) = untidy.repaired(0.0).unwrap();
    assert_eq!((report.closed_parts, report.undecided_parts, mesh.topology().unbalanced_edges), (1, 0, 0));
    let points = [(-2.0, 1.0, true), (0.0, 0.0, false), (2.0, 1.0, true), (4.0, 0.0, false)];
    check(&mesh, &points.map(|(z, winding, inside)| (DVec3::new(2.9, 0.1, z), winding, inside)));
}

/// A Klein bottle has no outer side: its triangles stay as they are.
#[test]
fn one_sided_surfaces_stay_as_they_are() {
    let (n, m) = (16u32, 12u32);
    let mut vertices = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let tau = std::f64::consts::TAU;
            let (u, v) = (f64::from(i) / f64::from(n) * tau, f64::from(j) / f64::from(m) * tau);
            let r = 3.0 + (u / 2.0).cos() * v.sin() - (u / 2.0).sin() * (2.0 * v).sin();
            vertices.push([r * u.cos(), r * u.sin(), (u / 2.0).sin() * v.sin() + (u / 2.0).cos() * (2.0 * v).sin()]);
        }
    }
    // After one turn, v runs backward.
    let at = |i: u32, j: u32| if i == n { (m - j % m) % m } else { i * m + j % m };
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    let bottle = build::<DVec3>((vertices, triangles));
    assert!(bottle.topology().is_closed() && bottle.topology().unbalanced_edges > 0);
    let (mesh, report) = bottle.repaired(0.0).unwrap();
    assert_eq!((report.undecided_parts, report.closed_parts, report.turned_triangles), (1, 0, 0));
    assert_eq!(mesh.triangles(), bottle.triangles());
}

#[test]
fn open_parts_stay_as_they_are() {
    let mut arrays = turned(cube(), |i| i == 4);
    let first = arrays.0.len() as u32;
    let (more, triangles) = icosphere(1);
    arrays.0.extend(more.iter().map(|p| [p[0] + 9.0, p[1], p[2]]));
    arrays.1.extend(triangles[1..].iter().map(|t| t.map(|i| i + first)));
    let untidy = build::<Vec3>(turned(arrays, |i| i == 20));
    let (mesh, report) = untidy.repaired(0.0).unwrap();
    assert_eq!((report.closed_parts, report.open_parts, report.turned_triangles), (1, 1, 1));
    assert_eq!(mesh.triangles()[12..], untidy.triangles()[12..]);
    assert!(!mesh.topology().is_closed());
    // Rays and distances of the repaired mesh see the turned triangles.
    assert!(mesh.topology().odd_edges == 3 && mesh.linear_scan().triangles() == mesh.triangles());
}

#[test]
fn a_flat_part_has_no_outer_side() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let flat = build::<DVec3>((square.to_vec(), vec![[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]]));
    let (mesh, report) = flat.repaired(0.0).unwrap();
    assert_eq!((report.undecided_parts, mesh.triangles()), (1, flat.triangles()));
}

#[test]
fn what_is_refused() {
    let mesh = build::<Vec3>(boxes(&[UNIT]));
    for tolerance in [-1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(mesh.repaired(tolerance).unwrap_err(), MeshError::Tolerance);
    }
    let error = mesh.repaired(10.0).unwrap_err();
    assert_eq!(error, MeshError::NothingLeft);
    assert_eq!(error.to_string(), "repairing the mesh leaves no triangle (use a smaller tolerance)");
}
