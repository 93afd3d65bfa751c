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

        let mut sights = Vec::new();
        while sights.len() < PAIRS {
            let mut anyone = || &walkers[(random() * WALKERS as f32) as usize % WALKERS];
            sights.extend(line_of_sight(anyone(), anyone()));
        }
        let blocked = scene.intersects_rays(&sights, ..).iter().filter(|blocked| **blocked).count();
        println!("frame {frame}: {blocked} of {PAIRS} lines of sight are blocked");
    }
    Ok(())
}

fn standing_at(place: Vec2) -> Result<Transform<Vec3>, Box<dyn Error>> {
    Ok(Transform::from_translation(Vec3::new(place.x, 0.0, place.y))?)
}

/// The segment from eye to eye, without what lies in the two walkers themselves. None if they touch.
fn line_of_sight(a: &Walker, b: &Walker) -> Option<Segment<Vec3>> {
    let eye = |walker: &Walker| Vec3::new(walker.place.x, EYES, walker.place.y);
    let way = eye(b) - eye(a);
    let inset = way.normalize_or_zero() * (RADIUS * 1.01);
    (way.length() > 2.1 * RADIUS).then(|| Segment::new(eye(a) + inset, eye(b) - inset))
}

/// Numbers from 0 to 1, the same in every run.
fn random_numbers() -> impl FnMut() -> f32 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 24) as f32
    }
}
