//! The segment of the plane as a shape.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector2};
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::outward;
use crate::shapes::error::{ShapeError, distinct};

/// Segment of the plane as a shape. A [`Segment`](crate::Segment) is what is cast, this is what is hit. Its front is on the right of the way from `a` to `b`, so the
/// normals of a polygon that goes around counter-clockwise point outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentShape<V: Vector> {
    a: V,
    b: V,
}

impl<V: Vector2> SegmentShape<V> {
    /// A segment that can be hit: both ends finite and different.
    ///
    /// # Errors
    /// An end that is not finite; `b` equal to `a`.
    pub fn new(a: V, b: V) -> Result<Self, ShapeError> {
        distinct("b", b, "a", a)?;
        Ok(Self { a, b })
    }
}

impl<V: Vector> SegmentShape<V> {
    /// Where `u = 0`.
    pub fn a(&self) -> V {
        self.a
    }
    /// Where `u = 1`.
    pub fn b(&self) -> V {
        self.b
    }
}

/// The normal, and the place between the ends as `u`.
pub struct State<T> {
    pub(crate) normal: Vec3<T>,
    u: T,
}

/// `d x v` in the plane.
#[inline]
pub(crate) fn cross<T: Arithmetic>(d: Vec3<T>, v: Vec3<T>) -> T {
    d.x * v.y - d.y * v.x
}

/// The way from `a` to `b` turned right.
#[inline]
pub(crate) fn right_of<T: Arithmetic>(edge: Vec3<T>) -> Vec3<T> {
    Vec3::new(edge.y, -edge.x, T::ZERO)
}

impl<V: Vector2> Kernel for SegmentShape<V> {
    type Vector = V;
    const NAME: &'static str = "segment";
    const SOLID: bool = false;
    type State<T: Arithmetic> = State<T>;
    type Double = SegmentShape<V::Double>;

    fn double(&self) -> Self::Double {
        SegmentShape { a: self.a.double(), b: self.b.double() }
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
    #[inline]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, State<T>>> {
        let edge = self.b.widen::<T>() - self.a.widen();
        let frame = line.local(self.a.widen(), edge.extent());
        let (edge, d) = (frame.vector(edge), frame.d);
        frame.vouch([edge], [], observer);
        let normal = right_of(edge);
        let slope = normal.dot(d);
        // With the moment m = o x d: d x (a - o) = m, and d x (b - o) = m + d x edge.
        let m = frame.moment().z;
        let (side_a, side_b) = (m, m + cross(d, edge));
        let m_reach = frame.o.cross_magnitude(d).z;
        let slope_reach = normal.dot_magnitude(d);
        observer.sign(side_a, m_reach);
        observer.sign(side_b, m_reach + slope_reach);
        observer.number("side of a: d x (a - o) (scaled)", || side_a.to_f64());
        observer.number("side of b: d x (b - o) (scaled)", || side_b.to_f64());
        let apart = (side_a <= T::ZERO && side_b >= T::ZERO) || (side_a >= T::ZERO && side_b <= T::ZERO);
        observer.sign(slope, slope_reach);
        if !(apart && slope != T::ZERO) {
            observer.verdict("miss: both ends lie on the same side of the line, or along it");
            return None;
        }
        observer.value(slope, slope_reach);
        observer.value(normal.dot(frame.o), normal.dot_magnitude(frame.o));
        let state = State { normal, u: side_a / (side_a - side_b) };
        Some(Intersection::new(Crossing::new(frame.t(-normal.dot(frame.o) / slope), 0, slope), state))
    }
    #[inline]
    fn normal<T: Arithmetic>(&self, state: &State<T>, _at: &Crossing<T>) -> Normal<T> {
        Normal::Along(state.normal)
    }
    fn uv<T: Arithmetic>(&self, state: &State<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        Some([state.u, T::ZERO])
    }
    fn bounds(&self) -> Aabb<V> {
        outward(Aabb::from_points([self.a, self.b]))
    }
}
