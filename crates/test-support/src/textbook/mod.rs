//! The formulas of the textbooks, in the plain arithmetic of `f32` or `f64`.
//!
//! They are kept as they are found: lengths are compared after rounding, a discriminant is the difference of two large
//! numbers, a slab test divides by numbers near zero. Tests measure where they fail, benchmarks how fast they are, and the
//! ray lab shows them beside the answers of the library.
//!
//! [`whole_line`] gives both ends of the part of a line inside a solid, [`closest`] the first hit of a ray that starts
//! outside, [`triangle`] the tests of ray and triangle.

pub mod closest;
mod float;
pub mod triangle;
mod vec3;
pub mod whole_line;

pub use float::Float;
pub use vec3::Vec3;

/// The line `origin + t direction`.
#[derive(Clone, Copy, Debug)]
pub struct Line<S> {
    /// The point at `t = 0`.
    pub origin: Vec3<S>,
    /// The change of the point for each unit of `t`.
    pub direction: Vec3<S>,
}

impl<S: Float> Line<S> {
    /// The point at `t`.
    #[inline(always)]
    pub fn at(&self, t: S) -> Vec3<S> {
        self.origin + self.direction * t
    }
}

/// A point of a line on a surface: `t`, and the outward normal of any length.
pub type Crossing<S> = (S, Vec3<S>);
