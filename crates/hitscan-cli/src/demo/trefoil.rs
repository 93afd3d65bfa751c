//! A trefoil knot: the mesh of the demo.

use hitscan::glam::DVec3;
use hitscan_io::{MeshData, Precision};
use std::f64::consts::TAU;

/// The number of rings along the knot, and of vertices in a ring.
const ALONG: u32 = 240;
const AROUND: u32 = 32;

/// A trefoil knot of a round tube, about 2.6 wide, around the origin; a closed mesh.
pub(super) fn trefoil() -> MeshData {
    // Rounding to 1/1024 makes every coordinate an `f32`, and the same on every machine.
    let rounded = |p: DVec3| (p * 1024.0).round() / 1024.0;
    let mut vertices = Vec::new();
    for i in 0..ALONG {
        let angle = TAU * f64::from(i) / f64::from(ALONG);
        let (center, ahead) = (place(angle), place(angle + 1e-4) - place(angle - 1e-4));
        let side = ahead.cross(DVec3::Z).normalize();
        let top = side.cross(ahead).normalize();
        for j in 0..AROUND {
            let (sin, cos) = (TAU * f64::from(j) / f64::from(AROUND)).sin_cos();
            vertices.push(rounded(center + 0.3125 * (side * cos + top * sin)).to_array());
        }
    }
    let vertex = |i: u32, j: u32| (i % ALONG) * AROUND + j % AROUND;
    let places = (0..ALONG).flat_map(|i| (0..AROUND).map(move |j| (i, j)));
    let triangles = places.flat_map(|(i, j)| {
        let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    MeshData { vertices, triangles: triangles.collect(), precision: Precision::F32 }
}

/// The core of the tube: a trefoil.
fn place(angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    let ((sin_2, cos_2), sin_3) = ((2.0 * angle).sin_cos(), (3.0 * angle).sin());
    DVec3::new(sin + 2.0 * sin_2, cos - 2.0 * cos_2, -1.25 * sin_3) * 0.4375
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::glam::Vec3;
    use hitscan::{RayCast, Shape, TriangleMesh};

    #[test]
    fn the_mesh_is_closed_and_faces_outward() {
        let MeshData { vertices, triangles, .. } = trefoil();
        let core = place(1.0).as_vec3();
        let mesh =
            TriangleMesh::new(vertices.iter().map(|v| DVec3::from_array(*v).as_vec3()).collect(), triangles).unwrap();
        assert!(mesh.topology().is_closed());
        assert!(mesh.contains(core) && !mesh.contains(Vec3::ZERO));
        let hit = mesh.cast_ray(&hitscan::Ray::new(core, Vec3::Z), ..).unwrap();
        assert_eq!(hit.side, hitscan::Side::Back);
        assert!(hit.normal.z > 0.5);
    }
}
