//! A million downward rays onto hills, as rays and as columns: `cargo run --release --example many_rays`.

use hitscan::glam::Vec3;
use hitscan::{Quality, Ray, RayCast, RayColumns, Segment, TriangleMesh};

const SIDE: u32 = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let height = |x: f32, y: f32| (x * 9.0).sin() * (y * 7.0).cos() * 0.1;
    let grid = (0..=SIDE).flat_map(|j| (0..=SIDE).map(move |i| [i, j].map(|k| k as f32 / SIDE as f32)));
    let vertices: Vec<Vec3> = grid.map(|[x, y]| Vec3::new(x, y, height(x, y))).collect();
    let squares = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| j * (SIDE + 1) + i));
    let triangles = squares.flat_map(|a| [[a, a + 1, a + SIDE + 2], [a, a + SIDE + 2, a + SIDE + 1]]).collect();

    // `Quality::High` builds a better BVH in more time, which helps most for architecture.
    let mesh = TriangleMesh::with_quality(vertices, triangles, Quality::High)?;
    let places = (0..1_000_000).map(|i| [i % 1000, i / 1000].map(|k| (k as f32 + 0.5) / 1000.0));
    let rays: Vec<Ray<Vec3>> = places.map(|[x, y]| Ray::new(Vec3::new(x, y, 1.0), -Vec3::Z)).collect();

    // One hit or miss per ray, in the order of the rays.
    let hits = mesh.cast_rays(&rays, ..);
    let lowest = hits.iter().flatten().map(|hit| hit.point.z).fold(f32::INFINITY, f32::min);
    println!("{} hits, the lowest at {lowest}", hits.iter().flatten().count());

    // Shadow rays: the points that the light reaches.
    let light = Vec3::new(0.5, 0.5, 0.4);
    let sights: Vec<_> = hits.iter().flatten().map(|hit| Segment::new(hit.point + Vec3::Z * 1e-4, light)).collect();
    let shadows = mesh.intersects_rays(&sights, ..);
    println!("{} in shadow", shadows.iter().filter(|shadow| **shadow).count());

    // The same rays as columns, as tables and numerical arrays store them.
    let [x, y] = [0, 1].map(|axis| rays.iter().map(|ray| ray.origin[axis]).collect::<Vec<f32>>());
    let [zero, one, down] = [0.0, 1.0, -1.0].map(|number| vec![number; rays.len()]);
    let columns = mesh.cast_columns(&RayColumns::new(&[&x, &y, &one], &[&zero, &zero, &down])?, ..);
    println!("{} hits, the first at t = {}", columns.count_hits(), columns.t()[0]);
    Ok(())
}
