//! A character, a capsule, that walks over hills and onto a moving platform: `cargo run --release --example character_controller`.
//!
//! Each frame it moves as far as nothing is in the way, then slides along what it touches. `cast_volume` finds both: the way that is
//! free, and the normal in which to slide.

use hitscan::glam::DVec3;
use hitscan::prelude::*;
use std::error::Error;

/// Seconds of a frame.
const FRAME: f64 = 1.0 / 60.0;

const RADIUS: f64 = 0.4;

/// Length of the capsule's core.
const BODY: f64 = 1.0;

/// The character keeps this distance from what it walks on, so that rounding never makes it touch.
const SKIN: f64 = 0.01;

const GRAVITY: f64 = 20.0;

const SPEED: f64 = 3.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut scene = Scene::new();
    scene.insert(Object::new(hills()?).named("hills"))?;
    let lift = scene.insert(Object::new(Cuboid::new(DVec3::ZERO, DVec3::new(2.0, 2.0, 0.25))?).named("lift"))?;
    let mut walker = Walker { feet: DVec3::new(-12.0, 0.0, 4.0), falling: 0.0, ground: None };
    println!("{:>6} {:>8} {:>8} {:>8}  stands on", "s", "x", "height", "lift");
    for frame in 0..=60 * 12 {
        let seconds = f64::from(frame) * FRAME;
        let lift_at = DVec3::new(9.0, 0.0, 0.6 - (seconds * 0.8).cos() * 1.75);
        scene.set_transform(lift, Transform::from_translation(lift_at)?)?;
        if walker.ground == Some(lift) {
            // Out of the lift, if that rose into the skin.
            walker.feet.z = walker.feet.z.max(lift_at.z + 0.25 + SKIN);
        }
        scene.commit();
        // It stops on the lift.
        let walk = if walker.feet.x < 9.0 { DVec3::X * SPEED } else { DVec3::ZERO };
        walker.step(&scene, walk)?;
        if frame % 60 == 0 {
            let name = walker.ground.and_then(|id| scene.get(id)).and_then(Object::name).unwrap_or("nothing");
            let Walker { feet, .. } = walker;
            println!("{seconds:6.1} {:8.3} {:8.3} {:8.3}  {name}", feet.x, feet.z, lift_at.z + 0.25);
        }
    }
    assert_eq!(walker.ground, Some(lift), "it rides on the lift");
    Ok(())
}

/// The character: its lowest point, its speed downwards, and what it stands on.
struct Walker {
    feet: DVec3,
    falling: f64,
    ground: Option<ObjectId>,
}

impl Walker {
    fn body(&self) -> Result<Capsule<DVec3>, Box<dyn Error>> {
        let low = self.feet + DVec3::Z * RADIUS;
        Ok(Capsule::new(low, low + DVec3::Z * BODY, RADIUS)?)
    }

    /// One frame: the walk along the ground, then the fall.
    fn step(&mut self, scene: &Scene<DVec3>, walk: DVec3) -> Result<(), Box<dyn Error>> {
        self.falling += GRAVITY * FRAME;
        self.slide(scene, walk * FRAME)?;
        let fall = DVec3::NEG_Z * self.falling * FRAME;
        self.ground = self.slide(scene, fall)?;
        if self.ground.is_some() {
            self.falling = 0.0;
        }
        Ok(())
    }

    /// Moves by `way`, and along what is in it; returns the object on which the character stands, if it touches one that is not
    /// too steep.
    fn slide(&mut self, scene: &Scene<DVec3>, mut way: DVec3) -> Result<Option<ObjectId>, Box<dyn Error>> {
        let mut ground = None;
        for _ in 0..4 {
            let length = way.length();
            if length < 1e-9 {
                break;
            }
            // The way and the skin behind it.
            let reach = way * (1.0 + SKIN / length);
            let Some(hit) = scene.cast_volume(self.body()?, reach, ..=1.0) else {
                self.feet += way;
                break;
            };
            if hit.normal.z > 0.7 {
                ground = hit.object;
            }
            if let Some(depth) = hit.depth {
                self.feet += hit.normal * (depth + SKIN);
                continue;
            }
            let free = (hit.t * reach.length() - SKIN).max(0.0);
            self.feet += way * (free / length);
            // What is left of the way, along the surface.
            let left = way * (1.0 - free / length);
            way = left - hit.normal * left.dot(hit.normal).min(0.0);
            // On the ground gravity does not slide the character down.
            if ground.is_some() && way.z < 0.0 {
                break;
            }
        }
        Ok(ground)
    }
}

/// Hills of 24 by 8 metres.
fn hills() -> Result<TriangleMesh<DVec3>, Box<dyn Error>> {
    let (columns, rows) = (96, 32);
    let height = |x: f64, y: f64| if x > 6.0 { -1.0 } else { 0.6 * (x * 0.9).sin() + 0.2 * (y * 1.3).cos() };
    let point = |i: usize| {
        let (x, y) = ((i % (columns + 1)) as f64 * 0.25 - 12.0, (i / (columns + 1)) as f64 * 0.25 - 4.0);
        DVec3::new(x, y, height(x, y))
    };
    let vertices = (0..(columns + 1) * (rows + 1)).map(point).collect();
    let quad = |i: usize| {
        let a = (i / columns * (columns + 1) + i % columns) as u32;
        let c = a + columns as u32 + 1;
        [[a, a + 1, c + 1], [a, c + 1, c]]
    };
    Ok(TriangleMesh::new(vertices, (0..columns * rows).flat_map(quad).collect())?)
}
