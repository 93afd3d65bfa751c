//! Affine transforms: where an object of a scene places its shape.

use crate::basis::Basis;
use crate::math::real::Real;
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
        Ok(Self { axes: all, translation })
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
}
