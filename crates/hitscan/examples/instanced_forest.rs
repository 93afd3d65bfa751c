//! A forest of 10,000 trees that share one geometry: groups, instances, and their memory. Run it with
//! `cargo run --release --example instanced_forest`.

use hitscan::glam::{Vec2, Vec3};
use hitscan::prelude::*;
use std::error::Error;
use std::time::Instant;

const TREES: usize = 10_000;

/// The side of the square of the forest.
const SIDE: f32 = 600.0;

fn main() -> Result<(), Box<dyn Error>> {
    let tree = tree()?;
    let mut random = random_numbers();
    let mut builder = SceneBuilder3::new();
    builder.insert(Object::new(HalfSpace::new(Vec3::ZERO, Vec3::Y)?).named("ground"))?;
    for _ in 0..TREES {
        let place = Vec3::new(random() - 0.5, 0.0, random() - 0.5) * SIDE;
        // Each tree is turned, of its own height, and leans a little.
        let (sin, cos) = (random() * core::f32::consts::TAU).sin_cos();
        let (height, width) = (0.7 + 0.8 * random(), 0.7 + 0.6 * random());
        let lean = Vec3::new(random() - 0.5, 0.0, random() - 0.5) * 0.2;
        let axes = [Vec3::new(cos, 0.0, sin) * width, Vec3::Y * height + lean, Vec3::new(-sin, 0.0, cos) * width];
        builder.insert(Object::new(tree.clone()).with_transform(Transform::new(axes, place)?))?;
    }
    let scene = builder.build();
    println!("{TREES} trees of {} shapes, {} kB for the objects", 1 + CROWNS, scene.statistics().bytes / 1024);

    // A picture from above the edge of the forest.
    let eye = Vec3::new(0.0, 30.0, SIDE * 0.5 + 20.0);
    let (rows, columns) = (26, 78);
    let rays: Vec<_> = (0..rows * columns)
        .map(|pixel| {
            let at = Vec2::new((pixel % columns) as f32 + 0.5, (pixel / columns) as f32 + 0.5);
            let (x, y) = (at.x / columns as f32 - 0.5, 0.5 - at.y / rows as f32);
            Ray::new(eye, Vec3::new(x * 1.5, y * 1.1 - 0.42, -1.0))
        })
        .collect();
    let start = Instant::now();
    let hits = scene.cast_rays(&rays, ..);
    let micros = start.elapsed().as_micros() as f64 / rays.len() as f64;
    let light = Vec3::new(-0.4, 0.8, 0.45).normalize();
    let lit: Vec<_> = hits.iter().flatten().map(|hit| hit.spawn_ray(light)).collect();
    let mut in_shadow = scene.intersects_rays(&lit, ..).into_iter();
    for row in hits.chunks(columns) {
        let line: String = row
            .iter()
            .map(|hit| {
                let Some(hit) = hit else { return ' ' };
                let is_dark = in_shadow.next().unwrap_or_default();
                let shade = if is_dark { 0.0 } else { hit.normal.dot(light).max(0.0) };
                // Crowns have other signs than trunks and ground.
                let signs = if hit.member.is_some_and(|member| member > 0) { b"a:+*#%@" } else { b".,-~=^\"" };
                signs[(shade * 6.9) as usize % 7].into()
            })
            .collect();
        println!("{}", line.trim_end());
    }
    println!("{micros:.1} microseconds a ray on this machine");
    Ok(())
}

const CROWNS: usize = 3;

/// A tree: a trunk, and cones above each other.
fn tree() -> Result<Group<Vec3>, Box<dyn Error>> {
    let mut parts = Scene3::new();
    parts.insert(Object::new(Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 0.3)?).named("trunk"))?;
    for i in 0..CROWNS {
        let (foot, width) = (Vec3::Y * (2.0 + 2.0 * i as f32), 2.2 - 0.5 * i as f32);
        parts.insert(Object::new(Cone::new(foot, foot + Vec3::Y * 3.0, width)?))?;
    }
    Ok(Group::new(parts)?)
}

/// Numbers from 0 to 1, the same in every run.
fn random_numbers() -> impl FnMut() -> f32 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 24) as f32
    }
}
