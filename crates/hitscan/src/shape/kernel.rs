//! What a shape must say about a line.

use super::newton::{Refined, Start};
use crate::Aabb;
use crate::math::{Line, Probe, Vector, Wide, Wide3};

/// A point where a line crosses the boundary of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<T> {
    /// In lengths of the line's direction; infinite where an unbounded solid goes on for ever.
    pub(crate) t: T,
    /// Which part of the boundary, numbered by the shape.
    pub(crate) face: u32,
    /// For a quadric, the signed root that belongs to this crossing; for a surface, `normal . direction`, whose sign
    /// says from which side it is met.
    pub(crate) root: T,
}

impl<T: Wide> Crossing<T> {
    #[inline(always)]
    pub(crate) fn new(t: T, face: u32, root: T) -> Self {
        Self { t, face, root }
    }
}

/// Where a whole line meets a shape: for a solid the first and the last point, for a surface the same point twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<T> {
    pub(crate) enter: Crossing<T>,
    exit: Crossing<T>,
}

impl<T: Wide> Ends<T> {
    /// Where the line leaves. Rounding may swap two crossings that all but coincide: they then do.
    #[inline(always)]
    pub(crate) fn exit(&self) -> Crossing<T> {
        if self.exit.t < self.enter.t { Crossing { t: self.enter.t, ..self.exit } } else { self.exit }
    }
}

/// The same, with what the shape needs to know to tell the normals there.
#[derive(Clone, Copy, Debug)]
pub struct Meet<T, S> {
    pub(crate) ends: Ends<T>,
    /// What `normal` needs of the work already done.
    pub(crate) state: S,
}

impl<T: Wide, S> Meet<T, S> {
    /// A convex solid between two crossings.
    #[inline(always)]
    pub(crate) fn solid(enter: Crossing<T>, exit: Crossing<T>, state: S) -> Self {
        Self { ends: Ends { enter, exit }, state }
    }
    #[inline(always)]
    pub(crate) fn surface(at: Crossing<T>, state: S) -> Self {
        Self { ends: Ends { enter: at, exit: at }, state }
    }
}

/// What a shape is to a line that meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Body {
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
    const BODY: Body = if Self::SOLID { Body::Solid } else { Body::Surface };
    /// Nearly all lines that meet it are decided alike: four of them are asked together.
    const ABREAST: bool = false;
    /// What `normal` needs of the work of `meet`.
    type State<T: Wide>;
    /// The same kind of shape in `f64`.
    type Double: Kernel<Vector = <Self::Vector as Vector>::Double>;

    /// The same shape in `f64`, exactly.
    fn double(&self) -> Self::Double;

    /// Where the whole line meets the shape, in the arithmetic `T`. The line is valid, and so is the shape.
    fn meet<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Option<Meet<T, Self::State<T>>>;
    /// The outward normal (a surface's own) at a crossing, of any length.
    fn normal<T: Wide>(&self, state: &Self::State<T>, at: &Crossing<T>) -> Wide3<T>;
    /// A crossing that plain `f64` has found, to all digits of `f64`; `None` where it takes [`meet`](Self::meet) for them.
    #[inline(always)]
    fn refine<const FUSED: bool>(&self, _start: &Start<FUSED>) -> Option<Refined<FUSED>> {
        None
    }
    /// Surface coordinates of a crossing.
    fn uv<T: Wide>(&self, _state: &Self::State<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        None
    }
    /// Whether the closed solid holds the point.
    fn holds<T: Wide, P: Probe>(&self, _point: Wide3<T>, _probe: &mut P) -> bool {
        false
    }
    /// A box around the shape.
    fn bounds(&self) -> Aabb<Self::Vector>;
}
