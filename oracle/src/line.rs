//! Ray or segment in integers, on the common grid of ray and shapes.

use crate::body::Body;
use crate::number::{grid_of, on_grid};
use dashu_int::IBig;

/// Point or vector with integer coordinates.
pub type Whole = [IBig; 3];

/// Ray or segment with the numbers of the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayOrSegment {
    /// Origin of the ray; start of the segment.
    pub origin: [f64; 3],
    /// Direction of a ray; end of a segment.
    pub target: [f64; 3],
    /// Whether this is a segment: `target` is its end, and `t` runs from 0 to 1.
    pub is_segment: bool,
}

impl RayOrSegment {
    /// Whether the numbers are finite and the direction is not zero. Any other ray misses every shape.
    pub fn is_valid(&self) -> bool {
        let finite = self.origin.iter().chain(&self.target).all(|x| x.is_finite());
        finite && if self.is_segment { self.origin != self.target } else { self.target != [0.0; 3] }
    }
}

/// The line `o + s d` in units of `2^grid`; the ray's own parameter is `t = s 2^scale`.
#[derive(Clone, Debug)]
pub struct Line {
    /// Exponent of the unit of length, a power of two.
    pub grid: i32,
    /// Exponent of the unit of `t`, a power of two.
    pub scale: i32,
    /// Origin, in units of `2^grid`.
    pub o: Whole,
    /// Direction, in units of its own (see `scale`).
    pub d: Whole,
}

impl Line {
    /// Converts a ray or segment to integers on a grid that represents its numbers and those of the shapes.
    pub fn new(given: &RayOrSegment, bodies: &[&Body]) -> Self {
        Self::with_grid(given, grid_of(bodies.iter().flat_map(|body| body.lengths())))
    }
    /// Converts a ray or segment to integers on a grid that represents its numbers and divides `2^finest`.
    pub fn with_grid(given: &RayOrSegment, finest: i32) -> Self {
        let ends: &[f64] = if given.is_segment { &given.target } else { &[] };
        let grid = grid_of(given.origin.into_iter().chain(ends.iter().copied())).min(finest);
        let o = on(&given.origin, grid);
        if given.is_segment {
            return Self { grid, scale: 0, d: minus(&on(&given.target, grid), &o), o };
        }
        // The direction has its own unit, so a step of s is a step of 2^scale in t.
        let unit = grid_of(given.target);
        Self { grid, scale: grid - unit, d: on(&given.target, unit), o }
    }
    /// Point at `s`, one of -1, 0, 1.
    pub fn at(&self, s: i8) -> Whole {
        match s {
            0 => self.o.clone(),
            s if s > 0 => plus(&self.o, &self.d),
            _ => minus(&self.o, &self.d),
        }
    }
}

/// Converts a vector to integers on a grid.
pub fn on(v: &[f64; 3], grid: i32) -> Whole {
    v.map(|x| on_grid(x, grid))
}
/// Sum `a + b`.
pub fn plus(a: &Whole, b: &Whole) -> Whole {
    std::array::from_fn(|i| &a[i] + &b[i])
}
/// Difference `a - b`.
pub fn minus(a: &Whole, b: &Whole) -> Whole {
    std::array::from_fn(|i| &a[i] - &b[i])
}
/// Scalar product `a . b`.
pub fn dot(a: &Whole, b: &Whole) -> IBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
/// Cross product `a x b`.
pub fn cross(a: &Whole, b: &Whole) -> Whole {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}
