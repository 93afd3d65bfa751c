//! Crossings of a line with the boundary of a shape.

use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;

/// Crossing of a line with the boundary of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<T> {
    /// Parameter in lengths of the line's direction; infinite at the unbounded end of a solid.
    pub(crate) t: T,
    /// Parameter in lengths of the frame's direction, for shapes whose normal depends on it.
    pub(crate) local: T,
    /// Index of the face, numbered by the shape.
    pub(crate) face: u32,
    /// Negative where the line enters, or meets the front of a surface; positive where it leaves, or meets the back.
    /// For a box: the sign of the outward normal along its axis.
    pub(crate) sign: T,
}

impl<T: Arithmetic> Crossing<T> {
    #[inline(always)]
    pub(crate) fn new(t: T, face: u32, sign: T) -> Self {
        Self { t, local: t, face, sign }
    }
}

/// First crossing of a line with a shape, and the state for further queries on it.
#[derive(Clone, Copy, Debug)]
pub struct Intersection<T, S> {
    pub(crate) enter: Crossing<T>,
    /// Intermediate results that `exit` and `normal` share with `intersect`.
    pub(crate) state: S,
}

impl<T: Arithmetic, S> Intersection<T, S> {
    #[inline(always)]
    pub(crate) fn new(enter: Crossing<T>, state: S) -> Self {
        Self { enter, state }
    }
}

/// Normal before rounding and normalization.
#[derive(Clone, Copy, Debug)]
pub enum Normal<T> {
    /// Vector of any length.
    Direction(Vec3<T>),
    /// Vector and its length, known from the algebra to a relative error of 2^-27.
    Long(Vec3<T>, T),
    /// Unit vector, its components accurate enough for the hit.
    Unit(Vec3<T>),
}

impl<T: Arithmetic> Normal<T> {
    /// Vector of any length.
    #[inline(always)]
    pub(crate) fn vector(&self) -> Vec3<T> {
        match *self {
            Self::Direction(v) | Self::Long(v, _) | Self::Unit(v) => v,
        }
    }
}

/// Class of a shape: whether its boundary encloses points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum ShapeClass {
    /// A line enters and leaves it.
    Solid,
    /// A line crosses it.
    Surface,
}
