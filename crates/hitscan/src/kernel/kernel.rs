//! What a shape must say about a line.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal, ShapeClass};
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;

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
