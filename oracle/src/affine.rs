//! Affine maps: a transform in plain numbers, and the same as an exact map in integers, with products and preimages.
//!
//! # Method
//! The linear part is an integer matrix in units of a power of two, and so is the translation; a product of maps adds
//! exponents. A point of the image goes back through the adjugate matrix: `|det| A^-1 = sgn(det) adj(A)` has integer
//! entries, so the preimage is an integer point in units of `1 / |det|` times a power of two. No step divides.

use crate::body::{World, vector};
use crate::line::{Whole, cross, dot, minus, on, plus};
use crate::number::{grid_of, sign};
use dashu_int::IBig;
use hitscan::{Transform, TransformError};
use std::fmt;

/// Transform of an instance in plain numbers: `p -> axes[0] x + axes[1] y + axes[2] z + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainTransform {
    /// Images of the unit vectors. In 2D the third is (0, 0, 1).
    pub axes: [[f64; 3]; 3],
    /// Translation.
    pub translation: [f64; 3],
}

impl PlainTransform {
    /// Map that leaves every point where it is.
    pub const IDENTITY: Self =
        Self { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    /// Transform of the library.
    ///
    /// # Errors
    /// That of the library.
    pub fn build<V: World>(&self) -> Result<Transform<V>, TransformError> {
        let axes = self.axes.map(vector::<V>);
        Transform::new(&axes[..V::DIM], vector(self.translation))
    }
    /// Whether all numbers are finite and the exact determinant is not zero.
    pub fn is_valid(&self) -> bool {
        self.numbers().all(f64::is_finite) && !Affine::new(self).determinant().is_zero()
    }
    /// All numbers: the axes, then the translation.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        self.axes.iter().chain([&self.translation]).flatten().copied()
    }
    /// Approximate image of a vector.
    #[must_use]
    pub fn vector(&self, v: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|j| self.axes[j][i] * v[j]).sum())
    }
    /// Approximate image of a point.
    #[must_use]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let image = self.vector(p);
        std::array::from_fn(|i| image[i] + self.translation[i])
    }
    /// Approximate preimage of a point, by Cramer's rule.
    #[must_use]
    pub fn preimage(&self, p: [f64; 3]) -> [f64; 3] {
        let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
        };
        let dot = |a: [f64; 3], b: [f64; 3]| -> f64 { (0..3).map(|i| a[i] * b[i]).sum() };
        let [a, b, c] = self.axes;
        let w = std::array::from_fn(|i| p[i] - self.translation[i]);
        let determinant = dot(cross(a, b), c);
        [cross(b, c), cross(c, a), cross(a, b)].map(|row| dot(row, w) / determinant)
    }
}

/// Prints all digits.
impl fmt::Display for PlainTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "axes={:?} translation={:?}", self.axes, self.translation)
    }
}

/// Exact affine map `p -> columns p 2^exponent + translation 2^grid`.
#[derive(Clone, Debug)]
pub struct Affine {
    /// Columns of the matrix.
    columns: [Whole; 3],
    exponent: i32,
    translation: Whole,
    grid: i32,
}

impl Affine {
    /// Converts exactly.
    pub fn new(plain: &PlainTransform) -> Self {
        let exponent = grid_of(plain.axes.into_iter().flatten());
        let grid = grid_of(plain.translation);
        Self {
            columns: plain.axes.map(|axis| on(&axis, exponent)),
            exponent,
            translation: on(&plain.translation, grid),
            grid,
        }
    }
    /// Exponent of a grid on which the translation is an integer.
    pub fn grid(&self) -> i32 {
        self.grid
    }
    /// Determinant of the matrix of integers.
    pub fn determinant(&self) -> IBig {
        let [a, b, c] = &self.columns;
        dot(&cross(a, b), c)
    }
    fn linear(&self, v: &Whole) -> Whole {
        let [a, b, c] = &self.columns;
        std::array::from_fn(|i| &a[i] * &v[0] + &b[i] * &v[1] + &c[i] * &v[2])
    }
    /// Product: first the inner map, then this one. A chain of nested groups is a product.
    #[must_use]
    pub fn times(&self, inner: &Self) -> Self {
        let moved = (self.linear(&inner.translation), self.exponent + inner.grid);
        let grid = moved.1.min(self.grid);
        Self {
            columns: [0, 1, 2].map(|i| self.linear(&inner.columns[i])),
            exponent: self.exponent + inner.exponent,
            translation: plus(
                &shifted(moved.0, (moved.1 - grid) as usize),
                &shifted(self.translation.clone(), (self.grid - grid) as usize),
            ),
            grid,
        }
    }
    /// Image of a point with coordinates in units of `2^grid`, and the exponent of the unit of the image.
    pub fn image(&self, p: &Whole, grid: i32) -> (Whole, i32) {
        let at =
            Self { columns: Affine::new(&PlainTransform::IDENTITY).columns, exponent: 0, translation: p.clone(), grid };
        let moved = self.times(&at);
        (moved.translation, moved.grid)
    }
    /// Map back from points in units of `2^grid`, which must divide the translation. Its results are in units that
    /// divide `2^finest`.
    pub fn preimage(&self, grid: i32, finest: i32) -> Preimage {
        let det = self.determinant();
        let [a, b, c] = &self.columns;
        let orientation = IBig::from(sign(&det));
        let row = |v: Whole| v.map(|x| x * &orientation);
        // A^-1 = 2^-exponent adj / det, and points are in units of 2^grid.
        let unit = grid - self.exponent;
        let common = unit.min(finest);
        Preimage {
            rows: [row(cross(b, c)), row(cross(c, a)), row(cross(a, b))],
            translation: shifted(self.translation.clone(), (self.grid - grid) as usize),
            shift: (unit - common) as usize,
            units: Units { grid: common, factor: det * orientation },
        }
    }
}

fn shifted(v: Whole, by: usize) -> Whole {
    v.map(|x| x << by)
}

/// Unit of length `2^grid / factor`: on it the numbers of a shape are integers.
#[derive(Clone, Debug)]
pub struct Units {
    /// Exponent.
    pub grid: i32,
    /// Positive divisor.
    pub factor: IBig,
}

/// Map from integer points of the image to integer points of the shape.
#[derive(Clone, Debug)]
pub struct Preimage {
    /// Rows of `sgn(det) adj(A)`.
    rows: [Whole; 3],
    translation: Whole,
    shift: usize,
    /// Unit of the results.
    pub units: Units,
}

impl Preimage {
    /// Preimage of a point.
    pub fn of(&self, p: &Whole) -> Whole {
        let w = minus(p, &self.translation);
        std::array::from_fn(|i| dot(&self.rows[i], &w) << self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(v: [i64; 3]) -> Whole {
        v.map(IBig::from)
    }

    /// 1.5 turns of unit vectors, a mirror, a shear and a translation of other exponents.
    const SKEW: PlainTransform = PlainTransform {
        axes: [[0.0, -1.5, 0.0], [0.375, 0.0, 0.0], [2.0, 0.0, 1024.0]],
        translation: [1048576.0, 0.0625, -3.0],
    };

    #[test]
    fn preimages_of_images_are_the_points() {
        let map = Affine::new(&SKEW);
        for p in [[0, 0, 0], [1, -2, 3], [7, 0, -512]] {
            // Points in quarters.
            let (image, grid) = map.image(&whole(p), -2);
            let back = map.preimage(grid, -2);
            let Units { grid: unit, factor } = &back.units;
            let expected = whole(p).map(|x| (x * factor) << (-2 - unit) as usize);
            assert_eq!(back.of(&image), expected, "{p:?}");
            assert!(sign(factor) > 0);
            let rounded = SKEW.point(p.map(|x| x as f64 / 4.0));
            let exact = std::array::from_fn::<_, 3, _>(|i| image[i].to_f64().value() * 2f64.powi(grid));
            assert_eq!(rounded, exact);
        }
    }

    #[test]
    fn products_map_as_their_factors_in_turn() {
        let (outer, inner) =
            (Affine::new(&SKEW), Affine::new(&PlainTransform { translation: [0.5, 1e9, 3.0], ..SKEW }));
        let p = whole([3, -5, 11]);
        let (q, grid) = inner.image(&p, -7);
        let (in_turn, a) = outer.image(&q, grid);
        let (at_once, b) = outer.times(&inner).image(&p, -7);
        let common = a.min(b);
        assert_eq!(shifted(in_turn, (a - common) as usize), shifted(at_once, (b - common) as usize));
    }

    #[test]
    fn singular_is_exact() {
        let nearly = |x: f64| PlainTransform { axes: [[0.1, 0.2, 0.0], [0.3, x, 0.0], [0.0, 0.0, 1.0]], ..SKEW };
        // 0.1 * 0.6 = 0.2 * 0.3 only for the rounded numbers with a true quotient: 0.2 is exactly twice 0.1.
        assert!(!nearly(2.0 * 0.3).is_valid());
        assert!(nearly((2.0f64 * 0.3).next_up()).is_valid() && nearly((2.0f64 * 0.3).next_down()).is_valid());
        assert!(!PlainTransform { translation: [f64::NAN, 0.0, 0.0], ..PlainTransform::IDENTITY }.is_valid());
    }
}
