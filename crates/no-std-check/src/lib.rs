#![no_std]
//! Calls hitscan's interface without std: every shape, every question, scenes, meshes, explanations, in both
//! precisions. A target without std links this only if the library keeps off std, and [`digest`] tells whether the
//! answers are the same bits as with std (`tests/same_bits.rs`).

extern crate alloc;

mod casts;
mod shapes;

pub use casts::{Digest, ask};
pub use shapes::{flat, flat_shapes, space, spatial_shapes};

use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};

/// One number of everything that is asked here, which depends on every bit of every answer.
pub fn digest() -> u64 {
    let mut digest = Digest::new();
    flat::<Vec2>(&mut digest);
    flat::<DVec2>(&mut digest);
    space::<Vec3>(&mut digest);
    space::<DVec3>(&mut digest);
    digest.value()
}
