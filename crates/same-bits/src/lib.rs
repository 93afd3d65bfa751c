#![no_std]
//! Digests of the library's answers: equal digests prove that every build gives the same bits, without std too.
//!
//! - [`every_query`]: every kind of query of every shape, of scenes and of a mesh, in one digest. A target without std
//!   links it only if the library does without std.
//! - [`chunk`]: a million casts, or queries of other kinds, for each of [`SUBJECTS`] subjects, in [`CHUNKS`] chunks with rays of their own, so that
//!   threads can share them and a slow build can compute the first chunk only. `expected.txt` has the digests.

extern crate alloc;

mod digest;
mod distances;
mod queries;
mod shapes;
mod subjects;

pub use digest::{Digest, digest32};
pub use subjects::{CASTS, CHUNKS, SUBJECTS, chunk, name};

use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};

/// One digest of every query of `queries`, which depends on every bit of every answer.
#[must_use]
pub fn every_query() -> u64 {
    let mut digest = Digest::new();
    queries::plane::<Vec2>(&mut digest);
    queries::plane::<DVec2>(&mut digest);
    queries::space::<Vec3>(&mut digest);
    queries::space::<DVec3>(&mut digest);
    digest.value()
}
