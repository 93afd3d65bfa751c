//! A crowd of 10,000 capsules that walk about: in each frame all of them move, and lines of sight are cast between pairs.
//! Run it with `cargo run --release --example moving_crowd`.

use hitscan::Transform;
use hitscan::glam::{Vec2, Vec3};
use hitscan::prelude::*;
use std::error::Error;

const WALKERS: usize = 10_000;
const PAIRS: usize = 2_000;
const FRAMES: usize = 10;

/// Radius of a walker, and the height of its eyes.
const RADIUS: f32 = 0.3;
const EYES: f32 = 1.6;

/// The side of the square on which they walk.
const SIDE: f32 = 400.0;

struct Walker {
    id: ObjectId,
    place: Vec2,
    velocity: Vec2,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = random_numbers();
    let mut builder = SceneBuilder3::new();
    let body = Capsule::new(Vec3::Y * RADIUS, Vec3::Y * (1.8 - RADIUS), RADIUS)?;
    let mut walkers = Vec::new();
    for number in 0..WALKERS {
        let place = Vec2::new(random(), random()) * SIDE;
        let velocity = (Vec2::new(random(), random()) - 0.5) * 0.2;
        let object = Object::new(body).with_transform(standing_at(place)?).with_user_data(number as u64);
        walkers.push(Walker { id: builder.insert(object)?, place, velocity });
    }
    let mut scene = builder.build();

    for frame in 0..FRAMES {
        for walker in &mut walkers {
            walker.place = (walker.place + walker.velocity).rem_euclid(Vec2::splat(SIDE));
            scene.set_transform(walker.id, standing_at(walker.place)?)?;
        }
        scene.commit();

        // Lines of sight from eye to eye. The two walkers themselves do not block it.
        let mut anyone = || &walkers[(random() * WALKERS as f32) as usize % WALKERS];
        let pairs: Vec<[&Walker; 2]> = (0..PAIRS).map(|_| [anyone(), anyone()]).collect();
        let sights: Vec<_> = pairs.iter().map(|[a, b]| Segment::new(a.eye(), b.eye())).collect();
        let is_other = |pair: usize, hit: &Hit<Vec3>| pairs[pair].iter().all(|walker| hit.object != Some(walker.id));
        let blocked = scene.cast_rays_where(&sights, .., is_other).iter().flatten().count();
        println!("frame {frame}: {blocked} of {PAIRS} lines of sight are blocked");
    }
    Ok(())
}

fn standing_at(place: Vec2) -> Result<Transform<Vec3>, Box<dyn Error>> {
    Ok(Transform::from_translation(Vec3::new(place.x, 0.0, place.y))?)
}

impl Walker {
    fn eye(&self) -> Vec3 {
        Vec3::new(self.place.x, EYES, self.place.y)
    }
}

/// Numbers from 0 to 1, the same in every run.
fn random_numbers() -> impl FnMut() -> f32 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 24) as f32
    }
}
