//! Distances: closest points in hundreds of bits, and cases to compare them on.

pub mod nearest;
