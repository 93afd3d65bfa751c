//! A ray or a segment, exactly, on the grid of the shapes it meets.

use crate::body::Body;
use crate::number::{grid_of, on_grid};
use dashu_int::IBig;

/// A point or a vector in whole numbers.
pub type Whole = [IBig; 3];

/// What is cast, as it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Given {
    /// Where it starts.
    pub origin: [f64; 3],
    /// The direction of a ray; the end of a segment.
    pub target: [f64; 3],
    /// The target is an end, and `t` runs from 0 to 1.
    pub is_segment: bool,
}

impl Given {
    /// Finite, with a direction that is not zero; no other line hits anything.
    pub fn is_valid(&self) -> bool {
        let finite = self.origin.iter().chain(&self.target).all(|x| x.is_finite());
        finite && if self.is_segment { self.origin != self.target } else { self.target != [0.0; 3] }
    }
}

/// The line `o + s d` in units of `2^grid`; the ray's own parameter is `t = s 2^scale`.
#[derive(Clone, Debug)]
pub struct Line {
    /// Exponent of the unit of length.
    pub grid: i32,
    /// Exponent of the unit of `t`.
    pub scale: i32,
    /// The origin.
    pub o: Whole,
    /// The direction.
    pub d: Whole,
}

impl Line {
    /// On a grid that holds the bodies and the line.
    pub fn new(given: &Given, bodies: &[&Body]) -> Self {
        let ends: &[f64] = if given.is_segment { &given.target } else { &[] };
        let lengths = bodies.iter().flat_map(|body| body.lengths());
        let grid = grid_of(lengths.chain(given.origin).chain(ends.iter().copied()));
        let o = on(&given.origin, grid);
        if given.is_segment {
            return Self { grid, scale: 0, d: minus(&on(&given.target, grid), &o), o };
        }
        // The direction has a unit of its own: along it, s counts in steps of 2^scale.
        let unit = grid_of(given.target);
        Self { grid, scale: grid - unit, d: on(&given.target, unit), o }
    }
    /// The point at a whole `s`.
    pub fn at(&self, s: i8) -> Whole {
        match s {
            0 => self.o.clone(),
            s if s > 0 => plus(&self.o, &self.d),
            _ => minus(&self.o, &self.d),
        }
    }
}

/// A vector on a grid.
pub fn on(v: &[f64; 3], grid: i32) -> Whole {
    v.map(|x| on_grid(x, grid))
}
/// The sum.
pub fn plus(a: &Whole, b: &Whole) -> Whole {
    std::array::from_fn(|i| &a[i] + &b[i])
}
/// The difference.
pub fn minus(a: &Whole, b: &Whole) -> Whole {
    std::array::from_fn(|i| &a[i] - &b[i])
}
/// The scalar product.
pub fn dot(a: &Whole, b: &Whole) -> IBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
/// The vector product.
pub fn cross(a: &Whole, b: &Whole) -> Whole {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}
