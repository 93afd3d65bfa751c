//! What a shape must say about a line.

use super::newton::{Refined, Start};
use crate::Aabb;
use crate::math::{Arithmetic, Observer, Vec3, Vector, WorkingRay};

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

/// A convex solid, or a surface that a line crosses once.
pub trait Kernel: 'static {
    /// The vectors of its parameters.
    type Vector: Vector;
    /// The kind, in the words of scene files.
    const NAME: &'static str;
    /// Encloses points; otherwise a surface.
    const SOLID: bool;
    #[doc(hidden)]
    const CLASS: ShapeClass = if Self::SOLID { ShapeClass::Solid } else { ShapeClass::Surface };
    /// Nearly all lines that meet it are decided alike: four of them are asked together.
    const ABREAST: bool = false;
    /// What `normal` needs of the work of `meet`.
    type State<T: Arithmetic>;
    /// The same kind of shape in `f64`.
    type Double: Kernel<Vector = <Self::Vector as Vector>::Double>;

    /// The same shape in `f64`, exactly.
    fn double(&self) -> Self::Double;

    /// Where the whole line enters the shape, in the arithmetic `T`. The line is valid, and so is the shape.
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, Self::State<T>>>;
    /// Where it leaves again: asked only where that matters. A surface is left where it is met.
    #[inline(always)]
    fn leave<T: Arithmetic, P: Observer>(&self, meet: &Intersection<T, Self::State<T>>, _probe: &mut P) -> Crossing<T> {
        meet.enter
    }
    /// The outward normal (a surface's own) at a crossing.
    fn normal<T: Arithmetic>(&self, state: &Self::State<T>, at: &Crossing<T>) -> Normal<T>;
    /// Whether [`refine`](Self::refine) is implemented.
    const REFINES: bool = false;
    /// A crossing that plain `f64` has found, to all digits of `f64`; `None` where it takes [`meet`](Self::meet) for them.
    #[inline(always)]
    fn refine<const FMA: bool>(&self, _start: &Start<FMA>) -> Option<Refined<FMA>> {
        None
    }
    /// Surface coordinates of a crossing.
    fn uv<T: Arithmetic>(&self, _state: &Self::State<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        None
    }
    /// Whether the closed solid holds the point.
    fn contains<T: Arithmetic, P: Observer>(&self, _point: Vec3<T>, _probe: &mut P) -> bool {
        false
    }
    /// A box around the shape.
    fn bounds(&self) -> Aabb<Self::Vector>;
}
