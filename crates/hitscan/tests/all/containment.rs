//! Containment in closed meshes includes the boundary: axis-parallel faces, edges and vertices too.

use hitscan::glam::{DVec3, Vec3};
use hitscan::{Shape, TriangleMesh};

/// The cube |x|, |y|, |z| <= 1, two triangles a face, facing outward.
const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
const QUADS: [[u32; 4]; 6] = [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [2, 3, 7, 6], [0, 4, 7, 3], [1, 2, 6, 5]];

#[test]
fn a_cube_contains_exactly_its_closed_set() {
    let triangles: Vec<[u32; 3]> = QUADS.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let cube = TriangleMesh::new(CORNERS.map(DVec3::from).to_vec(), triangles.clone()).unwrap();
    let small = TriangleMesh::new(CORNERS.map(|c| DVec3::from(c).as_vec3()).to_vec(), triangles).unwrap();
    assert!(cube.topology().is_closed());
    // Points inside, on, and one step beyond each boundary plane, in all combinations: 9^3 points.
    let beyond = 1.0f32.next_up();
    let steps = [-beyond, -1.0, -1.0f32.next_down(), -0.5, 0.0, 0.25, 1.0f32.next_down(), 1.0, beyond];
    for x in steps {
        for y in steps {
            for z in steps {
                let p = Vec3::new(x, y, z);
                let expected = p.abs().max_element() <= 1.0;
                assert_eq!(small.contains(p), expected, "f32 {p}");
                assert_eq!(cube.contains(p.as_dvec3()), expected, "f64 {p}");
            }
        }
    }
}
