//! The closest point of a triangle in space.

use crate::closest_point::Feature;
use crate::distance::local_point::LocalPoint;
use crate::distance::segment::on_segment;
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::shapes::triangle::Triangle;

/// Nearest point of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrianglePoint<T> {
    /// From the query point.
    pub(crate) offset: Vec3<T>,
    pub(crate) distance_sq: T,
    pub(crate) feature: Feature,
    /// Barycentric weights of the second and third vertex.
    pub(crate) uv: [T; 2],
}

/// Nearest point of a triangle. All coordinates are scaled: see [`LocalPoint`].
///
/// # Method
/// Three edge functions say on which side of each edge the foot of the perpendicular lies. If it is inside of all edges,
/// it is the nearest point. Otherwise an edge that it lies beyond has the nearest point.
///
/// # Source
/// The regions are those of Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5. The edge functions are products
/// with the normal: differences of products of dot products would cancel in thin triangles.
///
/// # Accuracy
/// The offset is within a few roundings of the largest coordinate: `closest_point.rs`. Around a rounded edge function of zero
/// the foot and the point of the edge are equal up to rounding, so either choice keeps the bound.
///
/// # Edges
/// Triangles that share an edge or a vertex give the same bits there: see [`on_segment`]. A triangle without an area is
/// its edges.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn on_triangle<T: Arithmetic>(point: Vec3<T>, corners: [Vec3<T>; 3]) -> TrianglePoint<T> {
    let [a, b, c] = corners;
    // Edges and corners relative to the point.
    let (edges, corners) = ([b - a, c - b, a - c], [a - point, b - point, c - point]);
    // On which side of each edge the foot of the perpendicular lies.
    let normal = edges[2].cross(edges[0]);
    let beyond = [0, 1, 2].map(|i| normal.plain_dot(corners[i].cross(edges[i])));
    // Inside of all edges: the foot itself, with its barycentric weights.
    if beyond[0].gt(T::ZERO) && beyond[1].gt(T::ZERO) && beyond[2].gt(T::ZERO) {
        let normal_sq = normal.length_sq();
        if normal_sq.gt(T::ZERO) {
            let offset = normal * (normal.plain_dot(corners[0]) / normal_sq);
            let sum = beyond[0] + beyond[1] + beyond[2];
            let uv = [beyond[2] / sum, beyond[0] / sum];
            return TrianglePoint { offset, distance_sq: offset.length_sq(), feature: Feature::Face(0), uv };
        }
    }
    // Otherwise the nearest point of the edges that the foot lies beyond.
    let mut best: Option<TrianglePoint<T>> = None;
    for edge in 0..3 {
        if beyond[edge].gt(T::ZERO) {
            continue;
        }
        let found = on_segment(corners[edge], corners[(edge + 1) % 3], edges[edge]);
        let distance_sq = found.offset.length_sq();
        if best.is_none_or(|best| distance_sq.lt(best.distance_sq)) {
            let (t, number) = (found.t, edge as u32);
            // The end of an edge is a vertex of the triangle.
            let feature = if t.equals(T::ZERO) {
                Feature::Vertex(number)
            } else if t.equals(T::ONE) {
                Feature::Vertex((number + 1) % 3)
            } else {
                Feature::Edge(number)
            };
            let uv = match edge {
                0 => [t, T::ZERO],
                1 => [T::ONE - t, t],
                _ => [T::ZERO, T::ONE - t],
            };
            best = Some(TrianglePoint { offset: found.offset, distance_sq, feature, uv });
        }
    }
    // All edge functions are positive only together with the normal.
    let corner = || TrianglePoint {
        offset: corners[0],
        distance_sq: corners[0].length_sq(),
        feature: Feature::Vertex(0),
        uv: [T::ZERO; 2],
    };
    best.unwrap_or_else(corner)
}

/// Projection on a triangle of any coordinates.
pub(crate) fn project_on<T: Arithmetic>(point: Vec3<T>, [a, b, c]: [Vec3<T>; 3]) -> Projection<T> {
    let local = LocalPoint::new(point, a, (b - a).max_abs_f64().max((c - a).max_abs_f64()));
    let zero = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
    let found = on_triangle(local.o, [zero, local.between(a, b), local.between(a, c)]);
    Projection { uv: Some(found.uv), ..local.projection_beside(found.offset, found.feature) }
}

impl<V: Vector3> Project for Triangle<V> {
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        project_on(point, self.vertices().map(Vector::widen))
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        project_on(point, self.vertices().map(|v| map.point(v.widen())))
    }
}
