//! Rays against one shape and a scene: `cargo run --example first_hit`.

use hitscan::glam::Vec3;
use hitscan::{Cylinder, Object, Ray, RayCast, SceneBuilder3, Segment, Sphere};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One shape: the closest hit, any hit in a range, all hits.
    let ball = Sphere::new(Vec3::new(5.0, 5.0, 5.0), 1.0)?;
    let ray = Ray::new(Vec3::ZERO, Vec3::ONE); // t counts in lengths of the direction
    if let Some(hit) = ball.cast_ray(&ray, ..) {
        println!("t {} point {} normal {} {:?}", hit.t, hit.point, hit.normal, hit.side);
    }
    assert!(!ball.intersects_ray(&ray, ..=4.0));
    assert_eq!(ball.cast_ray_all(&Segment::new(Vec3::ZERO, Vec3::splat(10.0)), ..).len(), 2);

    // A scene: all hits with the names of their shapes.
    let mut builder = SceneBuilder3::new();
    builder.insert(Object::new(ball).named("ball"))?;
    builder.insert(Object::new(Cylinder::new(Vec3::splat(7.0), Vec3::splat(9.0), 0.5)?).named("post"))?;
    let scene = builder.build();
    for hit in scene.cast_ray_all(&ray, ..) {
        println!("{:?} at {}", hit.object.and_then(|id| scene.get(id)?.name()), hit.t);
    }
    Ok(())
}
