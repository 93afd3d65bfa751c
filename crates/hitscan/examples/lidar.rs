//! A simulated lidar in a small yard, which prints a table of points: `cargo run --example lidar > scan.csv`.

use hitscan::glam::Vec3;
use hitscan::{Cone, Cuboid, Cylinder, HalfSpace, Object, Ray, RayCast, Scene3, SceneBuilder3, Sphere};

fn yard() -> Result<Scene3, Box<dyn std::error::Error>> {
    let mut yard = SceneBuilder3::new();
    yard.insert(Object::new(HalfSpace::new(Vec3::ZERO, Vec3::Z)?).named("ground"))?;
    yard.insert(Object::new(Cuboid::new(Vec3::new(8.0, 0.0, 1.5), Vec3::new(1.0, 4.0, 1.5))?).named("shed"))?;
    let trunk = Cylinder::new(Vec3::new(-3.0, 4.0, 0.0), Vec3::new(-3.0, 4.0, 2.0), 0.3)?;
    yard.insert(Object::new(trunk).named("trunk"))?;
    let crown = Cone::new(Vec3::new(-3.0, 4.0, 1.5), Vec3::new(-3.0, 4.0, 6.0), 1.6)?;
    yard.insert(Object::new(crown).named("crown"))?;
    yard.insert(Object::new(Sphere::new(Vec3::new(1.0, -5.0, 0.7), 0.7)?).named("ball"))?;
    Ok(yard.build())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let yard = yard()?;
    let scanner = Vec3::new(0.0, 0.0, 1.8);
    let (beams, turns, range) = (8, 24, 30.0);
    println!("azimuth,elevation,x,y,z,distance,cosine,what");
    for beam in 0..beams {
        let elevation = -20.0 + 40.0 * beam as f32 / (beams - 1) as f32;
        for turn in 0..turns {
            let azimuth = 360.0 * turn as f32 / turns as f32;
            let (up, around) = (elevation.to_radians(), azimuth.to_radians());
            // A direction may have any length: `t` counts in lengths of it, while `hit.distance` is a length.
            let direction = Vec3::new(around.cos() * up.cos(), around.sin() * up.cos(), up.sin());
            let Some(hit) = yard.cast_ray(&Ray::new(scanner, direction), ..=range) else { continue };
            let what = hit.object.and_then(|id| yard.get(id)).and_then(Object::name).unwrap_or("");
            let Vec3 { x, y, z } = hit.point;
            let cosine = -hit.normal.dot(direction);
            println!("{azimuth},{elevation:.1},{x:.3},{y:.3},{z:.3},{:.3},{cosine:.3},{what}", hit.distance);
        }
    }
    Ok(())
}
