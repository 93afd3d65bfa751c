//! The smallest program: one ray and one sphere. `cargo run --example one_sphere`.

use hitscan::{Ray, RayCast, Sphere, glam::Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = Sphere::new(Vec3::new(0.0, 0.0, 10.0), 2.0)?;
    match ball.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..) {
        Some(hit) => println!("hit at t = {}, normal {}", hit.t, hit.normal),
        None => println!("miss"),
    }
    Ok(())
}
