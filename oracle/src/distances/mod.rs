//! Distances: closest points in hundreds of bits, and cases to compare them on.

mod judge;
pub mod nearest;
mod run;

pub use run::run;
