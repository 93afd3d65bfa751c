//! `structures FILE...`: how long a mesh takes to build, to refit, to save and to load, and what rays make of its trees.
//!
//! Best of some rounds, on as many threads as the library uses. `docs/performance.md` has what was measured with it.

use hitscan::glam::Vec3;
use hitscan::{Quality, Ray, RayCast, Shape, TriangleMesh};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use test_support::random::Lcg;

const ROUNDS: usize = 5;
const RAYS: usize = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        measure(&file)?;
    }
    Ok(())
}

/// Milliseconds of the best round.
fn best<T>(mut work: impl FnMut() -> T) -> f64 {
    let once = |_| {
        let start = Instant::now();
        let done = work();
        let seconds = start.elapsed().as_secs_f64();
        drop(black_box(done));
        1e3 * seconds
    };
    (0..ROUNDS).map(once).fold(f64::INFINITY, f64::min)
}

fn measure(file: &str) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let data = hitscan_io::parse_mesh(Path::new(file), &bytes)?;
    let vertices: Vec<Vec3> = data.vertices.iter().map(|v| Vec3::from_array(v.map(|x| x as f32))).collect();
    let build = |quality| TriangleMesh::with_quality(vertices.clone(), data.triangles.clone(), quality);
    println!("{file}: {} triangles", data.triangles.len());
    let qualities = [Quality::Fast, Quality::Default, Quality::High];
    let mut meshes = Vec::new();
    for quality in qualities {
        meshes.push(build(quality)?);
        println!("  build {quality:?}: {:.2} ms", best(|| build(quality)));
    }
    let mut moved = meshes[1].clone();
    println!("  refit: {:.2} ms", best(|| moved.refit(&vertices)));
    let saved = meshes[1].to_bytes();
    println!("  save {} bytes: {:.2} ms", saved.len(), best(|| meshes[1].to_bytes()));
    println!("  load: {:.2} ms", best(|| TriangleMesh::<Vec3>::from_bytes(&saved)));
    println!("  parse the file: {:.2} ms", best(|| hitscan_io::parse_mesh(Path::new(file), &bytes)));
    println!("  topology: {:.2} ms", best(|| *meshes[1].linear_scan().topology()));
    let rays = rays(&meshes[0]);
    // They take turns.
    let mut times = vec![f64::INFINITY; meshes.len()];
    for _ in 0..ROUNDS {
        for (mesh, time) in meshes.iter().zip(&mut times) {
            let start = Instant::now();
            black_box(rays.iter().filter(|ray| mesh.cast_ray(*ray, ..).is_some()).count());
            *time = time.min(start.elapsed().as_secs_f64());
        }
    }
    for (quality, time) in qualities.iter().zip(&times) {
        println!("  rays {quality:?}: {:.2} M/s", RAYS as f64 / time / 1e6);
    }
    Ok(())
}

/// Half of them from one point at the mesh, half between points of a larger box.
fn rays(mesh: &TriangleMesh<Vec3>) -> Vec<Ray<Vec3>> {
    let (center, half) = (mesh.aabb().center(), mesh.aabb().half_extents());
    let mut random = Lcg::new(1);
    let mut number = || random.signed_unit() as f32;
    let mut point = || center + 1.2 * half * Vec3::new(number(), number(), number());
    let eye = center + half * Vec3::new(0.3, 0.2, 2.5);
    let one = |i| {
        let (from, to) = (point(), point());
        if i % 2 == 0 { Ray::new(from, to - from) } else { Ray::new(eye, from - eye) }
    };
    (0..RAYS).map(one).collect()
}
