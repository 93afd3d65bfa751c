//! The closest point of a quad.

use crate::closest_point::Feature;
use crate::distance::local_point::LocalPoint;
use crate::distance::segment::on_segment;
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector3;
use crate::shapes::quad::Quad;

/// Projection on a parallelogram with a corner and two edges.
///
/// # Method
/// The foot of the perpendicular, if it lies within all four sides; else the nearest of the nearest points of the sides.
///
/// # Source
/// That of [`on_triangle`](crate::distance::triangle::on_triangle): the sides are products with the normal.
///
/// # Accuracy
/// Few roundings of the largest coordinate: `closest_point.rs`.
///
/// # Edges
/// Around a rounded product of zero the foot and the point of the side are equal up to rounding. A quad without an area is its sides.
fn project_on<T: Arithmetic>(point: Vec3<T>, corner: Vec3<T>, [e, f]: [Vec3<T>; 2]) -> Projection<T> {
    let local = LocalPoint::new(point, corner, e.max_abs_f64() + f.max_abs_f64());
    let (e, f) = (local.lengths(e), local.lengths(f));
    // Twice the area of the quad, and the coordinates of the foot, times that.
    let normal = e.cross(f);
    let (normal_sq, o) = (normal.length_sq(), local.o);
    let uv = [normal.plain_dot(o.cross(f)), normal.plain_dot(e.cross(o))];
    let is_within = |x: T| x.gt(T::ZERO) && x.lt(normal_sq);
    if is_within(uv[0]) && is_within(uv[1]) {
        let offset = -(normal * (normal.plain_dot(o) / normal_sq));
        let uv = uv.map(|x| (x / normal_sq).max(T::ZERO).min(T::ONE));
        return Projection { uv: Some(uv), ..local.projection_beside(offset, Feature::Face(0)) };
    }
    // The corners around the quad, relative to the point.
    let corners = [-o, e - o, e + f - o, f - o];
    let mut best: Option<(T, Vec3<T>, usize, T)> = None;
    for (side, edge) in [e, f, -e, -f].into_iter().enumerate() {
        let found = on_segment(corners[side], corners[(side + 1) % 4], edge);
        let distance_sq = found.offset.length_sq();
        if best.is_none_or(|(least, ..)| distance_sq.lt(least)) {
            best = Some((distance_sq, found.offset, side, found.t));
        }
    }
    let (_, offset, side, t) = best.unwrap_or((T::ZERO, -o, 0, T::ZERO));
    // An end of a side is a corner.
    let number = |i: usize| (i % 4) as u32;
    let feature = if t.equals(T::ZERO) {
        Feature::Vertex(number(side))
    } else if t.equals(T::ONE) {
        Feature::Vertex(number(side + 1))
    } else {
        Feature::Edge(number(side))
    };
    let uv = [[t, T::ZERO], [T::ONE, t], [T::ONE - t, T::ONE], [T::ZERO, T::ONE - t]][side];
    Projection { uv: Some(uv), ..local.projection_beside(offset, feature) }
}

impl<V: Vector3> Project for Quad<V> {
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        project_on(point, self.corner().widen(), [self.edge_u(), self.edge_v()].map(V::widen))
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        let edges = [self.edge_u(), self.edge_v()].map(|edge| map.vector(edge.widen()));
        project_on(point, map.point(self.corner().widen()), edges)
    }
}
