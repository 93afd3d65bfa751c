//! Where a line crosses the boundary of a shape.

use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;

/// A point where a line crosses the boundary of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<T> {
    /// In lengths of the line's direction; infinite where an unbounded solid goes on for ever.
    pub(crate) t: T,
    /// The same in lengths of the frame's direction, where the shape needs it to tell the normal.
    pub(crate) local: T,
    /// Which part of the boundary, numbered by the shape.
    pub(crate) face: u32,
    /// Less than zero where the line goes in, or meets the front of a surface; greater where it comes out, or meets the back.
    /// Of a box, the sign of the outward normal along its axis.
    pub(crate) sign: T,
}

impl<T: Arithmetic> Crossing<T> {
    #[inline(always)]
    pub(crate) fn new(t: T, face: u32, sign: T) -> Self {
        Self { t, local: t, face, sign }
    }
}

/// Where a whole line first meets a shape, with what the shape needs to know to tell the rest.
#[derive(Clone, Copy, Debug)]
pub struct Intersection<T, S> {
    pub(crate) enter: Crossing<T>,
    /// What `leave` and `normal` need of the work already done.
    pub(crate) state: S,
}

impl<T: Arithmetic, S> Intersection<T, S> {
    #[inline(always)]
    pub(crate) fn new(enter: Crossing<T>, state: S) -> Self {
        Self { enter, state }
    }
}

/// A normal, as far as a kernel knows it.
#[derive(Clone, Copy, Debug)]
pub enum Normal<T> {
    /// Of any length.
    Along(Vec3<T>),
    /// Of a length that follows from the algebra, within 2^-27 of itself.
    Long(Vec3<T>, T),
    /// Of length 1, each component rounded as the hit may have it.
    Unit(Vec3<T>),
}

impl<T: Arithmetic> Normal<T> {
    /// The vector, whatever its length.
    #[inline(always)]
    pub(crate) fn vector(&self) -> Vec3<T> {
        match *self {
            Self::Along(v) | Self::Long(v, _) | Self::Unit(v) => v,
        }
    }
}

/// What a shape is to a line that meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum ShapeClass {
    /// It is entered and left.
    Solid,
    /// It is crossed.
    Surface,
}
