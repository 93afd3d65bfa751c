//! Quick answers in `f64`, each with a certificate: what they leave open goes to the exact tests.

use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS};
use crate::convex::gjk::convex_distance;
use crate::convex::support::SupportMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::{LEAST_MAGNITUDE, certain_sign};
use crate::overlap::swept_hull::SweptHull;
use core::cmp::Ordering;

impl SupportMap for SweptHull<f64> {
    fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let mut best = self.points.first().copied().unwrap_or_default();
        let mut most = best.plain_dot(direction);
        for &point in self.points.iter().skip(1) {
            let along = point.plain_dot(direction);
            if along > most {
                (best, most) = (point, along);
            }
        }
        for axis in &self.half_axes {
            let is_behind = axis.vector.plain_dot(direction) < 0.0;
            best = if is_behind { best - axis.vector } else { best + axis.vector };
        }
        best
    }
    fn margin(&self) -> f64 {
        self.radius
    }
}

/// Whether two hulls in space with their radii overlap, if the search for their distance finds a proof.
///
/// # Method
/// GJK ends with an axis, or with points of both hulls. If the axis certainly separates the hulls by more than the radii, they are
/// disjoint: any axis proves it, rounded or not. If four differences of points certainly enclose the origin, or if the points are
/// certainly nearer than the radii, the hulls overlap.
///
/// # Source
/// Ours, after Gilbert, Johnson and Keerthi 1988.
///
/// # Accuracy
/// Support points and their combinations have errors of less than 2^-48 of the size of both hulls; certainty takes 2^-42.
///
/// # Edges
/// What touches has no certificate.
pub(crate) fn certified_answer(a: &SweptHull<f64>, b: &SweptHull<f64>) -> Option<bool> {
    let size = a.size() + b.size();
    let radius = a.radius + b.radius;
    // The nearest points of both hulls, with the plane between them, or a tetrahedron around the origin (GJK).
    let found = convex_distance(a, b, 0.0);
    if let Some([p, q, r, s]) = found.tetrahedron {
        // Four points of the difference: they enclose the origin if the four volumes have one certain sign.
        let cube = size * size * size;
        let volume = |p: Vec3<f64>, q: Vec3<f64>, r: Vec3<f64>| certain_sign(p.plain_dot(q.cross(r)), cube);
        let volumes = [volume(q, r, s), volume(p, s, r), volume(p, q, s), volume(p, r, q)];
        let is_inside = matches!(volumes[0], Some(Ordering::Less | Ordering::Greater))
            && volumes.iter().all(|volume| *volume == volumes[0]);
        return is_inside.then_some(true);
    }
    // Two points that are certainly nearer than the radii prove an overlap.
    let between = found.points[0] - found.points[1];
    if certain_sign(radius * radius - between.length_sq(), size * size + radius * radius) == Some(Ordering::Greater) {
        return Some(true);
    }
    // The direction between them is an axis. If it separates the hulls by more than the radii, they are apart.
    let axis = found.axis;
    let [[least, most], [from, to]] = [a.extent(axis), b.extent(axis)];
    let (gap, magnitude) = ((from - most).max(least - to), axis.l1_norm() * size);
    let (limit, terms) = (radius * radius * axis.length_sq(), magnitude * magnitude);
    let is_beyond = certain_sign(gap, magnitude) == Some(Ordering::Greater)
        && certain_sign(gap * gap - limit, terms + limit) == Some(Ordering::Greater);
    is_beyond.then_some(false)
}

/// A ball or an axis-aligned box: its centre, half extents and radius.
#[cfg_attr(not(debug_assertions), inline(always))]
fn aligned(shape: &ConvexShape) -> Option<(Vec3<f64>, Vec3<f64>, f64)> {
    match shape {
        ConvexShape::Ball { center, radius } => Some((*center, Vec3::default(), *radius)),
        ConvexShape::Box { center, half, rows } if *rows == UNIT_ROWS => Some((*center, *half, 0.0)),
        _ => None,
    }
}

/// Whether two balls, two axis-aligned boxes, or one of each overlap, if `f64` is certain.
#[inline]
pub(crate) fn aligned_answer(a: &ConvexShape, b: &ConvexShape) -> Option<bool> {
    // The distance along each axis, beyond the extents of both.
    let ((p, half, r), (q, other, s)) = (aligned(a)?, aligned(b)?);
    let (offset, extent, radius) = ((p - q).map(f64::abs), half + other, r + s);
    let (beyond, magnitude) = (offset - extent, offset + extent);
    let is_certain =
        |value: f64, magnitude: f64| magnitude > LEAST_MAGNITUDE && value.exceeds(f64::sign_threshold(), magnitude);
    // With a radius, the distance of the boxes' cores decides.
    if radius > 0.0 {
        let outside = beyond.map(|x| x.max(0.0));
        let (value, terms) = (outside.length_sq() - radius * radius, magnitude.length_sq() + radius * radius);
        return is_certain(value, terms).then_some(value < 0.0);
    }
    // Without one, a certain gap along an axis separates the boxes; overlaps along all axes must be certain, too.
    let axes = [0, 1, 2].map(|i| (beyond.get(i), magnitude.get(i)));
    if axes.iter().any(|(value, terms)| *value > 0.0 && is_certain(*value, *terms)) {
        return Some(false);
    }
    axes.iter().all(|(value, terms)| is_certain(*value, *terms)).then_some(true)
}

/// Whether the shape is an axis-aligned box.
pub(crate) fn is_aligned_box(shape: &ConvexShape) -> bool {
    match shape {
        ConvexShape::Box { rows, .. } => *rows == UNIT_ROWS,
        ConvexShape::Bounds { .. } => true,
        _ => false,
    }
}
