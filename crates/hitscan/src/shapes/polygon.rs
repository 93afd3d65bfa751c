//! Convex polygon in 2D, and the 2D triangle.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector2};
use crate::math::working_ray::WorkingRay;
use crate::shapes::error::{ShapeError, ShapeErrorKind, finite};
use crate::shapes::segment::{cross, right_of};
use alloc::vec::Vec;

/// Convex polygon in 2D: a solid, its vertices counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolygon<V: Vector> {
    vertices: Vec<V>,
}

/// Triangle in 2D: a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle2<V: Vector> {
    vertices: [V; 3],
}

impl<V: Vector2> ConvexPolygon<V> {
    /// Polygon from its vertices in either order; three in a row may lie on one line.
    ///
    /// # Errors
    /// Fewer than three vertices; one that is not finite or equals its neighbour; a vertex that turns the other way; a
    /// boundary that crosses itself; all vertices on one line.
    pub fn new(vertices: impl Into<Vec<V>>) -> Result<Self, ShapeError> {
        let mut vertices = vertices.into();
        if counter_clockwise(&vertices)? {
            Ok(Self { vertices })
        } else {
            vertices.reverse();
            Ok(Self { vertices })
        }
    }
    /// The vertices, counter-clockwise.
    #[must_use]
    pub fn vertices(&self) -> &[V] {
        &self.vertices
    }
}

impl<V: Vector2> Triangle2<V> {
    /// Triangle from its vertices in either order.
    ///
    /// # Errors
    /// A vertex that is not finite; three on one line.
    pub fn new(a: V, b: V, c: V) -> Result<Self, ShapeError> {
        let vertices = [a, b, c];
        Ok(Self { vertices: if counter_clockwise(&vertices)? { vertices } else { [a, c, b] } })
    }
    /// The vertices, counter-clockwise.
    #[must_use]
    pub fn vertices(&self) -> [V; 3] {
        self.vertices
    }
}

/// Orientation of a convex polygon: whether its vertices are counter-clockwise, or an error if they do not go once
/// around. All turns have one sign or are straight, and the directions of the edges make one full turn: their x
/// component changes its sign exactly twice.
fn counter_clockwise<V: Vector2>(vertices: &[V]) -> Result<bool, ShapeError> {
    let refuse = |problem| Err(ShapeError { field: "vertices", problem });
    let n = vertices.len();
    if n < 3 {
        return refuse(ShapeErrorKind::TooFewVertices);
    }
    vertices.iter().try_for_each(|&v| finite("vertices", v))?;
    with_precision(1, || match turns(vertices) {
        Err(problem) => refuse(problem),
        Ok(left) => Ok(left),
    })
}

/// Whether all vertices turn left, in exact numbers, as in queries.
fn turns<V: Vector2>(vertices: &[V]) -> Result<bool, ShapeErrorKind> {
    let n = vertices.len();
    let edge = |i: usize| vertices[(i + 1) % n].widen::<Exact>() - vertices[i % n].widen();
    let (mut left, mut right, mut flips) = (false, false, 0);
    let zero = Exact::ZERO;
    let heading = |e: Vec3<Exact>| e.x.gt(zero) || (e.x.equals(zero) && e.y.gt(zero));
    for i in 0..n {
        let (e, f) = (edge(i), edge(i + 1));
        if e.is_zero() {
            return Err(ShapeErrorKind::NotConvex);
        }
        let turn = cross(e, f);
        left |= turn.gt(zero);
        right |= turn.lt(zero);
        // An edge straight back is no convex corner either.
        if turn.equals(zero) && e.dot(f).lt(zero) {
            return Err(if left || right { ShapeErrorKind::NotConvex } else { ShapeErrorKind::Collinear });
        }
        flips += usize::from(heading(e) != heading(f));
    }
    match (left, right) {
        (false, false) => Err(ShapeErrorKind::Collinear),
        (true, true) => Err(ShapeErrorKind::NotConvex),
        _ if flips != 2 => Err(ShapeErrorKind::NotConvex),
        _ => Ok(left),
    }
}

/// # Method
/// A vertex's side of the line is the sign of `d x (v - o)`. The line crosses the edges whose ends do not share a sign;
/// it enters by the edge that faces it, and leaves by the other one. `t = n . (a - o) / (n . d)` with the normal of the
/// edge.
///
/// # Source
/// Cyrus, Beck, *Generalized Two- and Three-Dimensional Clipping*, Computers and Graphics 3, 1978, with the decision
/// taken from the corners instead of from rounded parameters.
///
/// # Accuracy
/// In twice the digits of the inputs: `cases.rs` on `2d/polygon.toml`.
///
/// # Edges
/// Corners and edges belong to the polygon; a line along an edge enters and leaves at the neighbouring ones.
/// O(corners).
#[cfg_attr(not(debug_assertions), inline(always))]
fn meet_corners<V: Vector, T: Arithmetic, P: Observer>(
    vertices: &[V],
    line: &WorkingRay<T>,
    observer: &mut P,
) -> Option<Intersection<T, Crossing<T>>> {
    let first = vertices[0].widen::<T>();
    let extent = vertices.iter().map(|v| (v.widen::<T>() - first).max_abs_f64()).fold(0.0, f64::max);
    let frame = line.local(first, extent);
    let (d, m) = (frame.d, frame.moment().z);
    let corner = |i: usize| frame.vector(vertices[i].widen::<T>() - first);
    let mut ends: (Option<Crossing<T>>, Option<Crossing<T>>) = (None, None);
    let (mut last, mut from) = (vertices.len() - 1, corner(vertices.len() - 1));
    for i in 0..vertices.len() {
        let to = corner(i);
        let (side_from, side_to) = (m + cross(d, from), m + cross(d, to));
        let gap = (side_from.le(T::ZERO) && side_to.ge(T::ZERO)) || (side_from.ge(T::ZERO) && side_to.le(T::ZERO));
        let normal = right_of(frame.vector(vertices[i].widen::<T>() - vertices[last].widen()));
        let slope = normal.dot(d);
        frame.check_scale([normal], [to.x, to.y], observer);
        observer.sign(side_to, frame.o.cross_magnitude(d).z + d.cross_magnitude(to).z);
        observer.sign(slope, normal.dot_magnitude(d));
        if gap && !slope.equals(T::ZERO) {
            let height = normal.dot(from - frame.o);
            observer.value(slope, normal.dot_magnitude(d));
            observer.value(height, normal.dot_magnitude(from) + normal.dot_magnitude(frame.o));
            let at = Crossing::new(frame.t(height / slope), i as u32, slope);
            let end = if slope.lt(T::ZERO) { &mut ends.0 } else { &mut ends.1 };
            // At a vertex two edges may qualify, at the same point: the first one stays.
            *end = Some(end.unwrap_or(at));
        }
        (last, from) = (i, to);
    }
    let (Some(enter), Some(exit)) = ends else {
        observer.verdict("miss: all corners lie on one side of the line");
        return None;
    };
    observer.number("edge entered", || f64::from(enter.face));
    observer.number("edge left", || f64::from(exit.face));
    Some(Intersection::new(enter, exit))
}

fn edge_normal<V: Vector, T: Arithmetic>(vertices: &[V], at: &Crossing<T>) -> Vec3<T> {
    let i = at.face as usize;
    let before = if i == 0 { vertices.len() - 1 } else { i - 1 };
    right_of(vertices[i].widen::<T>() - vertices[before].widen())
}

fn corners_contain<V: Vector, T: Arithmetic, P: Observer>(vertices: &[V], point: Vec3<T>, observer: &mut P) -> bool {
    (0..vertices.len()).all(|i| {
        let (a, b) = (vertices[i].widen::<T>(), vertices[(i + 1) % vertices.len()].widen());
        let (edge, offset) =
            ((b - a).normalize_exponent_checked(), (point - a.weighted()).normalize_exponent_checked());
        let side = cross(edge, offset);
        observer.sign(side, edge.cross_magnitude(offset).z);
        side.ge(T::ZERO)
    })
}

macro_rules! polygon_kernel {
    ($shape:ident, $name:literal, |$s:ident| $vertices:expr) => {
        impl<V: Vector2> Kernel for $shape<V> {
            type Vector = V;
            const NAME: &'static str = $name;
            const SOLID: bool = true;
            const FILTERS_ROUNDED_RAYS: bool = true;
            type State<T: Arithmetic> = Crossing<T>;
            type Double = $shape<V::Double>;
            type Slow = Self::Double;

            fn double(&self) -> Self::Double {
                let $s = self;
                $shape { vertices: $vertices }
            }

            fn slow(&self) -> Self::Slow {
                self.double()
            }

            #[inline(always)]
            fn intersect<T: Arithmetic, P: Observer>(
                &self,
                line: &WorkingRay<T>,
                observer: &mut P,
            ) -> Option<Intersection<T, Crossing<T>>> {
                meet_corners(&self.vertices, line, observer)
            }
            #[inline]
            fn exit<T: Arithmetic, P: Observer>(
                &self,
                meet: &Intersection<T, Crossing<T>>,
                _observer: &mut P,
            ) -> Crossing<T> {
                meet.state
            }
            #[inline]
            fn normal<T: Arithmetic>(&self, _state: &Crossing<T>, at: &Crossing<T>) -> Normal<T> {
                Normal::Direction(edge_normal(&self.vertices, at))
            }
            fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
                corners_contain(&self.vertices, point, observer)
            }
            fn bounds(&self) -> Aabb<V> {
                Aabb::from_points(self.vertices.iter().copied()).outward()
            }
        }
    };
}

polygon_kernel!(ConvexPolygon, "polygon", |s| s.vertices.iter().map(|v| v.double()).collect());

polygon_kernel!(Triangle2, "triangle", |s| s.vertices.map(Vector::double));
