//! Segment in 2D as a shape.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector2};
use crate::math::working_ray::WorkingRay;
use crate::shapes::error::{ShapeError, distinct};

/// Segment in 2D as a shape, to be hit; a [`Segment`](crate::Segment) is cast like a ray. Its front is on the right of
/// the direction from `a` to `b`, so the normals of a counter-clockwise polygon point outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentShape<V: Vector> {
    a: V,
    b: V,
}

impl<V: Vector2> SegmentShape<V> {
    /// Segment between two points, which must be finite and different.
    ///
    /// # Errors
    /// An end that is not finite; `b` equal to `a`.
    pub fn new(a: V, b: V) -> Result<Self, ShapeError> {
        distinct("b", b, "a", a)?;
        Ok(Self { a, b })
    }
}

impl<V: Vector> SegmentShape<V> {
    /// End with `u = 0`.
    #[must_use]
    pub fn a(&self) -> V {
        self.a
    }
    /// End with `u = 1`.
    #[must_use]
    pub fn b(&self) -> V {
        self.b
    }
}

/// Normal, and the position between the ends as `u`.
pub struct SegmentState<T> {
    pub(crate) normal: Vec3<T>,
    u: T,
}

/// 2D cross product `d x v`.
#[inline]
pub(crate) fn cross<T: Arithmetic>(d: Vec3<T>, v: Vec3<T>) -> T {
    d.x * v.y - d.y * v.x
}

/// Edge vector, rotated clockwise by a right angle.
#[inline]
pub(crate) fn right_of<T: Arithmetic>(edge: Vec3<T>) -> Vec3<T> {
    Vec3::new(edge.y, -edge.x, T::ZERO)
}

impl<V: Vector2> Kernel for SegmentShape<V> {
    type Vector = V;
    const NAME: &'static str = "segment";
    const SOLID: bool = false;
    type State<T: Arithmetic> = SegmentState<T>;
    type Double = SegmentShape<V::Double>;
    type Slow = Self::Double;

    fn double(&self) -> Self::Double {
        SegmentShape { a: self.a.double(), b: self.b.double() }
    }

    fn slow(&self) -> Self::Slow {
        self.double()
    }

    /// # Method
    /// The two ends lie on different sides of the line when `d x (a - o)` and `d x (b - o)` do not share a sign;
    /// `t = n . (a - o) / (n . d)` with the normal formed from the ends.
    ///
    /// # Source
    /// The planar form of the triangle's test; Shewchuk, *Adaptive Precision Floating-Point Arithmetic and Fast Robust
    /// Geometric Predicates*, 1997, for the orientation of three points.
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `cases.rs` on `2d/segment.toml`.
    ///
    /// # Edges
    /// The ends belong to the segment. A line along it misses.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, SegmentState<T>>> {
        let edge = self.b.widen::<T>() - self.a.widen();
        let frame = line.local(self.a.widen(), edge.max_abs_f64());
        let (edge, d) = (frame.vector(edge), frame.d);
        frame.check_scale([edge], [], observer);
        let normal = right_of(edge);
        let slope = normal.dot(d);
        // With the moment m = o x d: d x (a - o) = m, and d x (b - o) = m + d x edge.
        let m = frame.moment().z;
        let (side_a, side_b) = (m, m + cross(d, edge));
        let m_magnitude = frame.o.cross_magnitude(d).z;
        let slope_magnitude = normal.dot_magnitude(d);
        observer.sign(side_a, m_magnitude);
        observer.sign(side_b, m_magnitude + slope_magnitude);
        observer.number("side of a: d x (a - o) (scaled)", || side_a.to_f64());
        observer.number("side of b: d x (b - o) (scaled)", || side_b.to_f64());
        let gap = (side_a.le(T::ZERO) && side_b.ge(T::ZERO)) || (side_a.ge(T::ZERO) && side_b.le(T::ZERO));
        observer.sign(slope, slope_magnitude);
        if !gap || slope.equals(T::ZERO) {
            observer.verdict("miss: both ends lie on the same side of the line, or along it");
            return None;
        }
        observer.value(slope, slope_magnitude);
        observer.value(normal.dot(frame.o), normal.dot_magnitude(frame.o));
        let state = SegmentState { normal, u: side_a / (side_a - side_b) };
        Some(Intersection::new(Crossing::new(frame.t(-normal.dot(frame.o) / slope), 0, slope), state))
    }
    #[inline]
    fn normal<T: Arithmetic>(&self, state: &SegmentState<T>, _at: &Crossing<T>) -> Normal<T> {
        Normal::Direction(state.normal)
    }
    fn uv<T: Arithmetic>(&self, state: &SegmentState<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        Some([state.u, T::ZERO])
    }
    fn bounds(&self) -> Aabb<V> {
        Aabb::from_points([self.a, self.b]).outward()
    }
}
