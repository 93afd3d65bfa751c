//! The closest point of a segment, and of the shapes made of segments: segment, polygon, triangle of the plane.

use crate::closest_point::Feature;
use crate::distance::local_point::LocalPoint;
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector2};
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::segment::SegmentShape;

/// Nearest point of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentPoint<T> {
    /// From the query point.
    pub(crate) offset: Vec3<T>,
    /// Parameter from the first end, 0, to the second, 1: exactly 0 and 1 at the ends.
    pub(crate) t: T,
}

/// Nearest point of the segment from `a` to `b`, which are relative to the query point; `edge` is `b - a`.
///
/// # Method
/// The parameter of the foot of the perpendicular, clamped to 0..=1. Two segments with the same ends give the same bits in
/// either direction, because the computation begins at the smaller end.
///
/// # Source
/// Ericson, *Real-Time Collision Detection*, 2005, section 5.1.2; the order of the ends is ours.
///
/// # Accuracy
/// A quotient, a product and a sum, each within a rounding of the largest coordinate: `closest_point.rs`.
///
/// # Edges
/// At an end the offset is that of the end itself. A segment without a length is its first end.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn on_segment<T: Arithmetic>(a: Vec3<T>, b: Vec3<T>, edge: Vec3<T>) -> SegmentPoint<T> {
    if precedes(b, a) {
        let SegmentPoint { offset, t } = forward(b, a, -edge);
        return SegmentPoint { offset, t: T::ONE - t };
    }
    forward(a, b, edge)
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn forward<T: Arithmetic>(a: Vec3<T>, b: Vec3<T>, edge: Vec3<T>) -> SegmentPoint<T> {
    let (along, length_sq) = (-edge.plain_dot(a), edge.length_sq());
    // A NaN falls to the first end.
    if !(along.gt(T::ZERO) && length_sq.gt(T::ZERO)) {
        return SegmentPoint { offset: a, t: T::ZERO };
    }
    if along.ge(length_sq) {
        return SegmentPoint { offset: b, t: T::ONE };
    }
    let t = along / length_sq;
    SegmentPoint { offset: a + edge * t, t }
}

/// Lexicographic order of two points.
#[inline(always)]
fn precedes<T: Arithmetic>(a: Vec3<T>, b: Vec3<T>) -> bool {
    let by_z = || a.z.lt(b.z);
    let by_y = || a.y.lt(b.y) || (a.y.equals(b.y) && by_z());
    a.x.lt(b.x) || (a.x.equals(b.x) && by_y())
}

/// Nearest point on the closed line through vertices, or on one segment, or on its image under a map.
///
/// # Method
/// The nearest of the nearest points of all sides; at equal distance the lowest side. A vertex has the same distance from
/// both of its sides.
///
/// # Source
/// See [`on_segment`].
///
/// # Accuracy
/// That of [`on_segment`].
///
/// # Edges
/// The foot of a perpendicular may fall on a vertex, which then is the feature. O(vertices).
fn on_sides<V: Vector, T: Arithmetic>(
    vertices: &[V],
    is_closed: bool,
    point: Vec3<T>,
    map: Option<&AffineMap<T>>,
) -> Projection<T> {
    // The vertices, under the map if there is one.
    let at = |i: usize| {
        let vertex = vertices[i % vertices.len()].widen();
        map.map_or(vertex, |map| map.point(vertex))
    };
    // Everything relative to the first vertex, and scaled.
    let first = at(0);
    let extent = (0..vertices.len()).map(|i| (at(i) - first).max_abs_f64()).fold(0.0, f64::max);
    let local = LocalPoint::new(point, first, extent);
    let sides = vertices.len() - usize::from(!is_closed);
    // The nearest of all sides; at equal distance the first.
    let mut best: Option<(T, usize, SegmentPoint<T>)> = None;
    for side in 0..sides {
        let (a, b) = (at(side), at(side + 1));
        let found = on_segment(local.offset(a) - local.o, local.offset(b) - local.o, local.between(a, b));
        let distance_sq = found.offset.length_sq();
        if best.is_none_or(|(least, ..)| distance_sq.lt(least)) {
            best = Some((distance_sq, side, found));
        }
    }
    let (side, found) =
        best.map_or((0, SegmentPoint { offset: -local.o, t: T::ZERO }), |(_, side, found)| (side, found));
    // An end of the nearest side is a vertex.
    let number = |i: usize| u32::try_from(i % vertices.len()).unwrap_or(u32::MAX);
    let feature = if found.t.equals(T::ZERO) {
        Feature::Vertex(number(side))
    } else if found.t.equals(T::ONE) {
        Feature::Vertex(number(side + 1))
    } else {
        Feature::Face(number(side))
    };
    let projection = local.projection_beside(found.offset, feature);
    if is_closed { projection } else { Projection { uv: Some([found.t, T::ZERO]), ..projection } }
}

macro_rules! project_on_sides {
    ($shape:ident, $is_closed:literal, |$s:ident| $vertices:expr) => {
        impl<V: Vector2> Project for $shape<V> {
            fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
                let $s = self;
                on_sides::<V, T>(&$vertices, $is_closed, point, None)
            }
            fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
                let $s = self;
                on_sides::<V, T>(&$vertices, $is_closed, point, Some(map))
            }
        }
    };
}

project_on_sides!(SegmentShape, false, |s| [s.a(), s.b()]);

project_on_sides!(ConvexPolygon, true, |s| s.vertices());

project_on_sides!(Triangle2, true, |s| s.vertices());
