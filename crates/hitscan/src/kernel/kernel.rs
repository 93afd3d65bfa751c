//! Kernel of a shape: its intersection with a line.

use crate::aabb::Aabb;
use crate::block_hits::Numbers;
use crate::convex::convex_shape::ToConvex;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::crossing::{Crossing, Intersection, Normal, ShapeClass};
use crate::kernel::flat_shape::ToFlat;
use crate::kernel::newton::{Refined, Start};
use crate::kernel::projection::Project;
use crate::kernel::sweep_core::SweepParts;
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;

/// Kernel of a convex solid, or of a surface that a line crosses once.
pub trait Kernel: Project + SweepParts + ToConvex + ToFlat + Send + Sync + 'static {
    /// Vector type of the parameters.
    type Vector: Vector;
    /// Name in scene files.
    const NAME: &'static str;
    /// Whether the shape encloses points; otherwise it is a surface.
    const SOLID: bool;
    #[doc(hidden)]
    const CLASS: ShapeClass = if Self::SOLID { ShapeClass::Solid } else { ShapeClass::Surface };
    /// The most numbers that packets of rays compute for batches; `None` where rays that meet the shape take different branches too often.
    const PACKETS: Option<Numbers> = None;
    /// Intermediate results of `intersect` that the other methods use.
    type State<T: Arithmetic>;
    /// The same shape type in `f64`.
    type Double: Kernel<Vector = <Self::Vector as Vector>::Double>;

    /// The same shape in `f64`, converted exactly.
    fn double(&self) -> Self::Double;

    /// The type of the slow path: the shape in `f64`, in space with z = 0, or as another shape with the same formula, so that the slow
    /// path of each formula is compiled once.
    type Slow: Kernel<Vector: Vector<Scalar = f64>>;

    /// The same shape for the slow path, with the same numbers.
    fn slow(&self) -> Self::Slow;

    /// First crossing of the whole line with the shape, in the arithmetic `T`. Line and shape are valid.
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, Self::State<T>>>;
    /// Exit crossing of the line. For a surface, it is the entry.
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(
        &self,
        meet: &Intersection<T, Self::State<T>>,
        _observer: &mut P,
    ) -> Crossing<T> {
        meet.enter
    }
    /// Outward normal at a crossing; of a surface, its own.
    fn normal<T: Arithmetic>(&self, state: &Self::State<T>, at: &Crossing<T>) -> Normal<T>;
    /// The same normal as a vector of any length that is not rounded to length 1 before: the transform of an instance would
    /// magnify the error.
    #[inline(always)]
    fn normal_direction<T: Arithmetic>(&self, state: &Self::State<T>, at: &Crossing<T>) -> Vec3<T> {
        self.normal(state, at).vector()
    }
    /// Whether the filter may decide a ray that is rounded, with stricter thresholds: all its magnitudes bound terms by norms
    /// of the ray's numbers (docs/proofs.md, Lemma 16).
    const FILTERS_ROUNDED_RAYS: bool = false;
    /// Whether [`refine`](Self::refine) is implemented.
    const REFINES: bool = false;
    /// Refines a crossing from the filter to all digits of `f64`; `None` if that needs another
    /// [`intersect`](Self::intersect).
    #[inline(always)]
    fn refine<const FMA: bool>(&self, _start: &Start<FMA>) -> Option<Refined<FMA>> {
        None
    }
    /// Surface coordinates of a crossing.
    fn uv<T: Arithmetic>(&self, _state: &Self::State<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        None
    }
    /// Whether the closed solid contains the point.
    fn contains<T: Arithmetic, P: Observer>(&self, _point: Vec3<T>, _observer: &mut P) -> bool {
        false
    }
    /// Centre and half extents of a shape that is a box along the axes.
    #[inline(always)]
    fn axis_box(&self) -> Option<[Vec3<f64>; 2]> {
        None
    }
    /// The plane of a face, as the kernel numbers it, if that lies across a coordinate axis. A line with this direction crosses it
    /// where it enters the shape, or leaves it.
    fn axis_plane(&self, _face: u32, _is_exit: bool, _direction: [f64; 3]) -> Option<AxisPlane> {
        None
    }
    /// Bounding box of the shape.
    fn bounds(&self) -> Aabb<Self::Vector>;
}
