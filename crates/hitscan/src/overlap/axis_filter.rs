//! Separating axes of boxes and triangles in plain `f64`, with bounds of all errors.

use crate::convex::convex_shape::UNIT_ROWS;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::is_certainly_positive;
use crate::overlap::filter_core::{BoxCore, FilterCore, TriangleCore};

/// The axes tested so far.
#[derive(Default)]
struct AxisFilter {
    is_uncertain: bool,
}

impl AxisFilter {
    /// Whether the axis certainly separates two intervals; notes if they do not certainly overlap.
    #[inline(always)]
    fn separates(&mut self, [a, b]: [f64; 2], [c, d]: [f64; 2], magnitude: f64) -> bool {
        let gap = (c - b).max(a - d);
        self.is_uncertain |= !is_certainly_positive(-gap, magnitude);
        is_certainly_positive(gap, magnitude)
    }
    #[inline(always)]
    fn overlap(&self) -> Option<bool> {
        if self.is_uncertain { None } else { Some(true) }
    }
}

/// Whether a box and a triangle overlap, if `f64` is certain.
///
/// # Method
/// In the coordinates of the box, where an affine map takes both, it is a box along the axes: 13 axes suffice. Any axis, rounded
/// or not, may prove a gap. If the two overlap on all 13 by more than the errors, no axis separates them.
///
/// # Source
/// Akenine-Möller, *Fast 3D Triangle-Box Overlap Testing*, 2001; the bounds are ours.
///
/// # Accuracy
/// An offset has one rounding, its coordinate three products and two sums: less than `6 u |p|_1` with u = 2^-53. An
/// edge has its own difference, so its error is as small relative to the edge. A product with an axis that is the cross
/// product of vectors v and w is off by less than `32 u |v|_1 |w|_1 size`, with the errors of the axis itself;
/// certainty takes 2^-42 of that product. See docs/proofs.md, Lemma 33.
///
/// # Edges
/// An axis of zero is one that is not certain, but where an edge is parallel to an axis of an axis-aligned box: then it is exactly
/// zero, and no normal of a face of the difference of the two.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn box_and_triangle(cuboid: &BoxCore, triangle: &TriangleCore, dimension: usize) -> Option<bool> {
    // The triangle in the coordinates of the box, whose axes are the unit vectors there.
    let half = cuboid.half;
    // Written out: `array::map` compiles to a call.
    let [a, b, c] = triangle.corners;
    let corners = [cuboid.local(a - cuboid.center), cuboid.local(b - cuboid.center), cuboid.local(c - cuboid.center)];
    let [p, q, r] = corners;
    // The corners relative to the center have lost digits to the reference point, too.
    let size = p.l1_norm().max(q.l1_norm()).max(r.l1_norm())
        + half.l1_norm()
        + 2.0 * (triangle.size() + cuboid.center.l1_norm());
    // The three axes of the box: most pairs that are apart are separated by one of them.
    let mut axes = AxisFilter::default();
    for i in 0..dimension {
        let (p, q, r, half) = (p.get(i), q.get(i), r.get(i), half.get(i));
        if axes.separates([p.min(q).min(r), p.max(q).max(r)], [-half, half], size) {
            return Some(false);
        }
    }
    // A corner certainly inside of the box proves an overlap.
    let is_inside = |v: Vec3<f64>| (0..dimension).all(|i| is_certainly_positive(half.get(i) - v.get(i).abs(), size));
    if is_inside(p) || is_inside(q) || is_inside(r) {
        return Some(true);
    }
    // The normal of the triangle, in space: the plane may pass the box.
    let [e, f, g] = triangle.edges;
    let edges = [cuboid.local(e), cuboid.local(f), cuboid.local(g)];
    if dimension == 3 {
        let normal = edges[0].cross(edges[1]);
        let level = normal.plain_dot(p);
        let half_width = normal.map(f64::abs).plain_dot(half);
        if axes.separates([level; 2], [-half_width, half_width], edges[0].l1_norm() * edges[1].l1_norm() * size) {
            return Some(false);
        }
    }
    // The cross products of edges and axes: nine, in the plane three, since all edges of boxes that leave it are along
    // z.
    let least = if dimension == 3 { 0 } else { 2 };
    for edge in edges {
        let magnitude = edge.l1_norm() * size;
        for i in least..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            // The cross product of axis i and the edge.
            let (v, w) = (-edge.get(k), edge.get(j));
            if cuboid.is_aligned && v == 0.0 && w == 0.0 {
                continue;
            }
            let along = |p: Vec3<f64>| v * p.get(j) + w * p.get(k);
            let (p, q, r) = (along(p), along(q), along(r));
            let half_width = v.abs() * half.get(j) + w.abs() * half.get(k);
            if axes.separates([p.min(q).min(r), p.max(q).max(r)], [-half_width, half_width], magnitude) {
                return Some(false);
            }
        }
    }
    // No axis separates the two. That is an answer if each of them was certain.
    axes.overlap()
}

/// Whether two boxes overlap, if `f64` is certain: as [`box_and_triangle`], with 15 axes. A point of one box that is certainly
/// inside of the other proves it, too.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn box_and_box(a: &BoxCore, b: &BoxCore, dimension: usize) -> Option<bool> {
    // The second box in the coordinates of the first.
    let offset = a.local(b.center - a.center);
    let columns = [a.local(b.columns[0]), a.local(b.columns[1]), a.local(b.columns[2])];
    let [u, v, w] = columns;
    let size =
        offset.l1_norm() + a.half.l1_norm() + 2.0 * b.half.l1_norm() + 2.0 * (a.center.l1_norm() + b.center.l1_norm());
    let mut axes = AxisFilter::default();
    // The extents of both boxes along an axis. Only axes with a sum of absolute components of at most 4 are tested.
    let mut separates = |axis: Vec3<f64>| {
        let level = axis.plain_dot(offset);
        let half_width = axis.map(f64::abs).plain_dot(a.half);
        let other = axis.plain_dot(u).abs() * b.half.x
            + axis.plain_dot(v).abs() * b.half.y
            + axis.plain_dot(w).abs() * b.half.z;
        axes.separates([level - other, level + other], [-half_width, half_width], 4.0 * size)
    };
    // The face normals in the plane, then those in space.
    let [x, y, z] = UNIT_ROWS;
    if separates(x) || separates(y) || separates(v.cross(w)) || separates(w.cross(u)) {
        return Some(false);
    }
    if dimension == 2 {
        return axes.overlap();
    }
    if separates(z) || separates(u.cross(v)) {
        return Some(false);
    }
    // A point of one box that is certainly inside of the other proves an overlap, and saves the nine axes below.
    if a.certainly_contains(b.nearest_to_point(a.center), size)
        || b.certainly_contains(a.nearest_to_point(b.center), size)
    {
        return Some(true);
    }
    // The cross products of the edges of both.
    for Vec3 { x, y, z } in columns {
        if separates(Vec3::new(0.0, -z, y)) || separates(Vec3::new(z, 0.0, -x)) || separates(Vec3::new(-y, x, 0.0)) {
            return Some(false);
        }
    }
    axes.overlap()
}

/// Whether two triangles overlap, if `f64` is certain: as [`box_and_triangle`], with 11 axes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn triangle_and_triangle(a: &TriangleCore, b: &TriangleCore) -> Option<bool> {
    // As for boxes: the two face normals, then the nine cross products of edges.
    let size = a.size() + b.size();
    let mut axes = AxisFilter::default();
    let mut separates = |v: Vec3<f64>, w: Vec3<f64>| {
        let axis = v.cross(w);
        axes.separates(a.interval(axis), b.interval(axis), v.l1_norm() * w.l1_norm() * size)
    };
    if separates(a.edges[0], a.edges[1]) || separates(b.edges[0], b.edges[1]) {
        return Some(false);
    }
    for edge in a.edges {
        if separates(edge, b.edges[0]) || separates(edge, b.edges[1]) || separates(edge, b.edges[2]) {
            return Some(false);
        }
    }
    axes.overlap()
}
