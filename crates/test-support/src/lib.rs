#![no_std]
//! Support for tests, benchmarks and the ray lab: the intersection formulas of the textbooks ([`textbook`]) and random
//! numbers that repeat for a seed ([`random`]).
//!
//! The crate depends on nothing, so that any crate of the workspace can use it in its tests.

#[cfg(feature = "std")]
extern crate std;

pub mod random;
#[cfg(feature = "std")]
pub mod textbook;
