//! A shape of your own: a signed-distance field, met by sphere tracing, in a scene with other shapes. Run it with
//! `cargo run --release --example own_shape`.
//!
//! # Source
//! Hart, *Sphere Tracing: A Geometric Method for the Antialiased Ray Tracing of Implicit Surfaces*, 1996.

use core::ops::RangeInclusive;
use hitscan::glam::Vec3;
use hitscan::prelude::*;
use hitscan::{UserGeometry, UserHit, UserShape};
use std::error::Error;

/// Two balls that melt into each other.
#[derive(Debug)]
struct Drop {
    centers: [Vec3; 2],
    radius: f32,
    /// Width of the seam.
    blend: f32,
}

impl Drop {
    /// Signed distance to the surface, or less: negative inside.
    fn distance(&self, point: Vec3) -> f32 {
        let [a, b] = self.centers.map(|center| point.distance(center) - self.radius);
        let h = (0.5 + 0.5 * (b - a) / self.blend).clamp(0.0, 1.0);
        b + (a - b) * h - self.blend * h * (1.0 - h)
    }
    /// Gradient of the distance, by central differences.
    fn normal(&self, point: Vec3) -> Vec3 {
        const STEP: f32 = 1e-3;
        let along = |axis: Vec3| self.distance(point + axis * STEP) - self.distance(point - axis * STEP);
        Vec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z))
    }
}

/// A distance that counts as none.
const CLOSE: f32 = 1e-4;

impl UserGeometry<Vec3> for Drop {
    fn aabb(&self) -> Aabb<Vec3> {
        let corner = Vec3::splat(self.radius + self.blend);
        Aabb::from_points(self.centers.iter().flat_map(|center| [*center - corner, *center + corner]))
    }
    fn contains(&self, point: Vec3) -> bool {
        self.distance(point) <= 0.0
    }
    fn cast(&self, ray: &Ray<Vec3>, range: RangeInclusive<f32>) -> Option<UserHit<Vec3>> {
        let speed = ray.direction.length();
        // Nothing is hit outside of the bounds.
        let (bounds, last) = (self.aabb(), *range.end());
        let within = Cuboid::new(bounds.center(), bounds.half_extents()).ok()?.spans(ray, range).first().copied()?;
        let (mut t, end) = (within.enter?.t, within.exit.map_or(last, |exit| exit.t));
        // Behind a crossing the search leaves the surface first.
        let mut is_away = false;
        for _ in 0..1000 {
            if t > end {
                break;
            }
            let distance = self.distance(ray.at(t)).abs();
            if is_away && distance < CLOSE {
                return Some(UserHit::new(t, self.normal(ray.at(t))));
            }
            is_away |= distance >= CLOSE;
            t += distance.max(CLOSE) / speed;
        }
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let drop = UserShape::new(Drop { centers: [Vec3::ZERO, Vec3::X * 1.6], radius: 1.0, blend: 0.8 });
    let mut scene = Scene3::new();
    scene.insert(Object::new(drop.clone()).named("drop"))?;
    let aside = Transform::from_translation(Vec3::new(5.5, 0.0, 0.0))?;
    scene.insert(Object::new(drop).named("flat drop").with_transform(aside.with_scale(Vec3::new(1.0, 0.4, 1.0))?))?;
    scene.insert(Object::new(Sphere::new(Vec3::new(3.8, 1.2, 0.0), 0.7)?).named("ball"))?;
    scene.insert(Object::new(HalfSpace::new(Vec3::Y * -1.4, Vec3::Y)?).named("floor"))?;
    scene.commit();

    // A picture: the light comes from the upper left.
    let light = Vec3::new(-0.5, 0.8, 0.6).normalize();
    for row in 0..24 {
        let line: String = (0..78)
            .map(|column| {
                let target = Vec3::new(column as f32 * 0.15 - 2.2, 2.6 - row as f32 * 0.21, 0.0);
                let eye = Vec3::new(3.0, 1.5, 14.0);
                match scene.cast_ray(&Ray::new(eye, target - eye), ..) {
                    None => ' ',
                    Some(hit) => {
                        let is_lit = !scene.intersects_ray(&hit.spawn_ray(light), 0.01..);
                        let shade = if is_lit { hit.normal.dot(light).max(0.0) } else { 0.0 };
                        b".:-=+*#%@"[(0.5 + shade * 8.0) as usize % 9].into()
                    }
                }
            })
            .collect();
        println!("{}", line.trim_end());
    }
    let through = Ray::new(Vec3::new(-5.0, 0.2, 0.0), Vec3::X);
    for hit in scene.cast_ray_all(&through, ..) {
        let name = hit.object.and_then(|id| scene.get(id)?.name()).unwrap_or_default();
        println!("t = {:<8.3} {:?} of {name}", hit.t, hit.side);
    }
    Ok(())
}
