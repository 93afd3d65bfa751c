//! Affine transforms: where an object of a scene places its shape.

use crate::aabb::Aabb;
use crate::basis::Basis;
use crate::math::instance_stack::is_singular;
use crate::math::real::Real;
use crate::math::rounding::ROUNDING;
use crate::math::vector::Vector;
use core::fmt;

/// An affine transform: `point -> axes[0] * x + axes[1] * y (+ axes[2] * z) + translation`.
///
/// It may rotate, scale, mirror, shear and translate. Its numbers are exact: an object of a scene is the exact image of
/// its shape. A transform is never singular.
///
/// The [`Default`] is the [`identity`](Self::identity).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform<V> {
    /// Images of the unit vectors: the columns of the matrix. In the plane, the third one is not used.
    pub(crate) axes: [V; 3],
    pub(crate) translation: V,
}

/// Room for the roundings of an image of points: three products and three sums, each off by at most 2^-53 of the sum of all terms.
pub(crate) const IMAGE_ROUNDINGS: f64 = 16.0 * ROUNDING;

/// The reason why numbers are not a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformError {
    /// The number of axes is not the number of dimensions.
    Count {
        /// The number of axes given.
        given: usize,
        /// The number of axes needed.
        needed: usize,
    },
    /// A number is NaN or infinite.
    NotFinite,
    /// The determinant is zero: the image of a solid would have no volume.
    Singular,
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { given, needed } => write!(f, "{given} axes given, {needed} needed"),
            Self::NotFinite => write!(f, "a number of the transform is not finite"),
            Self::Singular => write!(f, "the transform is singular: its determinant is zero"),
        }
    }
}

impl core::error::Error for TransformError {}

impl<V: Vector> Default for Transform<V> {
    fn default() -> Self {
        Self::identity()
    }
}

impl<V: Vector> Transform<V> {
    /// The identity: every point stays where it is.
    #[must_use]
    pub fn identity() -> Self {
        let (o, i) = (V::Scalar::ZERO, V::Scalar::ONE);
        Self { axes: [[i, o, o], [o, i, o], [o, o, i]].map(V::from_xyz), translation: V::default() }
    }
    /// The transform by the images of the unit vectors (the columns of the matrix) and a translation.
    ///
    /// # Errors
    /// `axes` not of the number of dimensions; a number not finite; the determinant zero, decided exactly.
    pub fn new(axes: impl AsRef<[V]>, translation: V) -> Result<Self, TransformError> {
        let given = axes.as_ref();
        if given.len() != V::DIM {
            return Err(TransformError::Count { given: given.len(), needed: V::DIM });
        }
        let mut all = Self::identity().axes;
        all[..V::DIM].copy_from_slice(given);
        if !(translation.all_finite() && given.iter().all(|axis| axis.all_finite())) {
            return Err(TransformError::NotFinite);
        }
        let transform = Self { axes: all, translation };
        if is_singular(transform.columns()) { Err(TransformError::Singular) } else { Ok(transform) }
    }
    /// The transform that moves every point by a vector, which must be finite.
    ///
    /// # Errors
    /// A number not finite.
    pub fn from_translation(translation: V) -> Result<Self, TransformError> {
        Self::new(&Self::identity().axes[..V::DIM], translation)
    }
    /// The transform that rotates to the axes of a basis, then moves by `translation`.
    ///
    /// # Errors
    /// A number not finite.
    pub fn from_basis(basis: &Basis<V>, translation: V) -> Result<Self, TransformError> {
        Self::new(basis.axes(), translation)
    }
    /// The same transform after a scale along the axes of the shape; a negative factor mirrors.
    ///
    /// # Errors
    /// A factor not finite or zero; a product that overflows.
    pub fn with_scale(self, factors: V) -> Result<Self, TransformError> {
        let scaled = [0, 1, 2].map(|i| self.axes[i] * factors.component(i));
        Self::new(&scaled[..V::DIM], self.translation)
    }
    /// The images of the unit vectors: the columns of the matrix.
    #[must_use]
    pub fn axes(&self) -> &[V] {
        &self.axes[..V::DIM]
    }
    /// The translation.
    #[must_use]
    pub fn translation(&self) -> V {
        self.translation
    }
    /// Whether every point stays where it is.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::identity()
    }
    /// Columns of the matrix in `f64`. In the plane, the third is the unit vector along z.
    pub(crate) fn columns(&self) -> [[f64; 3]; 3] {
        let [x, y, z] = self.axes.map(V::to_f64);
        [x, y, if V::DIM == 2 { [0.0, 0.0, 1.0] } else { z }]
    }
    /// Bounding box of the image of a box, rounded outward; everything for an unbounded box.
    pub(crate) fn image_of(&self, local: &Aabb<V>) -> Aabb<V> {
        if local.is_empty() {
            return Aabb::empty();
        }
        if !local.is_bounded() {
            return Aabb::everything();
        }
        let (least, most) = (local.min.to_f64(), local.max.to_f64());
        let largest = [0, 1, 2].map(|axis| least[axis].abs().max(most[axis].abs()));
        let interval = |row: [f64; 3]| {
            let mut interval = [0.0; 2];
            for axis in 0..V::DIM {
                let [a, b] = [least[axis] * row[axis], most[axis] * row[axis]];
                interval[0] += a.min(b);
                interval[1] += a.max(b);
            }
            interval
        };
        self.image_by_rows(interval, (largest, IMAGE_ROUNDINGS))
    }
    /// Bounding box of an image, rounded outward: along each axis, the interval of the shape along that row of the matrix, which
    /// `interval` gives. Its error is at most `room` of the sum of the terms with the `largest` coordinates.
    pub(crate) fn image_by_rows(
        &self,
        interval: impl Fn([f64; 3]) -> [f64; 2],
        (largest, room): ([f64; 3], f64),
    ) -> Aabb<V> {
        let (columns, origin) = (self.columns(), self.translation.to_f64());
        let mut image = [[0.0; 3]; 2];
        for axis in 0..V::DIM {
            let row = columns.map(|column| column[axis]);
            let [least, most] = interval(row);
            let size = origin[axis].abs() + row.iter().zip(largest).map(|(x, largest)| x.abs() * largest).sum::<f64>();
            let slack = size * room + f64::MIN_POSITIVE;
            let ends = [origin[axis] + least - slack, origin[axis] + most + slack];
            // A number beyond the range of `f64` bounds nothing.
            image[0][axis] = if ends[0].is_finite() { ends[0] } else { f64::NEG_INFINITY };
            image[1][axis] = if ends[1].is_finite() { ends[1] } else { f64::INFINITY };
        }
        Aabb::rounded_outward(image)
    }
}
