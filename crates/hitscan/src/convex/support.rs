//! Support maps: the farthest point of a convex shape in a direction.

use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS, inverse_columns};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use arrayvec::ArrayVec;

/// A bounded convex set by its support map: the set of all points within a margin of a core.
pub(crate) trait SupportMap {
    /// A farthest point of the core in a direction of any length. Any point of the core for a direction of zero.
    fn support(&self, direction: Vec3<f64>) -> Vec3<f64>;
    /// The distance from the core up to which points belong to the set.
    fn margin(&self) -> f64;
}

/// Vector of length `length` along `direction`; zero for a direction of zero.
fn along(direction: Vec3<f64>, length: f64) -> Vec3<f64> {
    // Scaled, so that no square vanishes.
    let scaled = direction.normalize_exponent();
    let length_sq = scaled.length_sq();
    if length_sq > 0.0 { scaled * (length / Arithmetic::sqrt(length_sq)) } else { Vec3::default() }
}

fn farthest(points: &[Vec3<f64>], direction: Vec3<f64>) -> Vec3<f64> {
    let mut best = points.first().copied().unwrap_or_default();
    let mut most = direction.plain_dot(best);
    for &point in points.iter().skip(1) {
        let along = direction.plain_dot(point);
        if along > most {
            (best, most) = (point, along);
        }
    }
    best
}

/// The rim point of a disk that is farthest in a direction, relative to its centre.
fn rim(normal: Vec3<f64>, radius: f64, direction: Vec3<f64>) -> Vec3<f64> {
    let (n, d) = (normal.normalize_exponent(), direction.normalize_exponent());
    // The part of the direction along the disk, as a double cross product: it keeps its digits near the normal.
    along(n.cross(d).cross(n), radius)
}

impl ConvexShape {
    /// Support point of the core: for a ball its centre, for a capsule its segment, for a tapered capsule itself less the least
    /// radius. An unbounded shape has none: any point.
    /// `columns` are the [`columns`](Self::columns) of the shape.
    fn core_support(&self, columns: &[Vec3<f64>; 3], direction: Vec3<f64>) -> Vec3<f64> {
        match self {
            Self::Ball { center, .. } => *center,
            Self::Capsule { ends, .. } => farthest(ends, direction),
            Self::TaperedCapsule { ends, radii } => {
                let least = radii[0].min(radii[1]);
                let at = |i: usize| ends[i] + along(direction, radii[i] - least);
                farthest(&[at(0), at(1)], direction)
            }
            Self::Box { center, half, .. } => {
                let term = |i: usize| {
                    let length = half.get(i);
                    columns[i] * if columns[i].plain_dot(direction) < 0.0 { -length } else { length }
                };
                *center + term(0) + term(1) + term(2)
            }
            Self::Bounds { min, max } => {
                let along = |i: usize| if direction.get(i) < 0.0 { min.get(i) } else { max.get(i) };
                Vec3::new(along(0), along(1), along(2))
            }
            Self::Polygon(vertices) => farthest(vertices, direction),
            Self::Hexahedron(corners) => farthest(corners, direction),
            Self::Points(points) => farthest(points, direction),
            Self::Quad { corner, edges } => {
                let along = |edge: Vec3<f64>| if edge.plain_dot(direction) > 0.0 { edge } else { Vec3::default() };
                *corner + along(edges[0]) + along(edges[1])
            }
            Self::Disk { center, normal, radius } => *center + rim(*normal, *radius, direction),
            Self::Revolved { ends, radii } => {
                let axis = ends[1] - ends[0];
                let at = |i: usize| ends[i] + rim(axis, radii[i], direction);
                farthest(&[at(0), at(1)], direction)
            }
            Self::Ellipsoid { center, radii, .. } => {
                let (d, [a, b, c]) = (direction.normalize_exponent(), *columns);
                let local = Vec3::new(a.plain_dot(d), b.plain_dot(d), c.plain_dot(d)).scale(*radii);
                let Vec3 { x, y, z } = along(local, 1.0).scale(*radii);
                *center + a * x + b * y + c * z
            }
            Self::HalfSpace { point, .. } | Self::Plane { point, .. } => *point,
        }
    }

    /// The radius around the core.
    fn core_margin(&self) -> f64 {
        match self {
            Self::Ball { radius, .. } | Self::Capsule { radius, .. } => *radius,
            Self::TaperedCapsule { radii, .. } => radii[0].min(radii[1]),
            _ => 0.0,
        }
    }
}

/// A convex shape under an affine map, relative to a reference point and scaled by a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedShape<'a> {
    shape: &'a ConvexShape,
    /// See [`ConvexShape::columns`].
    columns: [Vec3<f64>; 3],
    map: Option<AffineMap<f64>>,
    reference: Vec3<f64>,
    scale: f64,
    /// Factor of the margin: `None` if the map bends a ball into an ellipsoid, so that the margin is part of the core.
    margin_factor: Option<f64>,
}

impl<'a> PlacedShape<'a> {
    /// `similarity` is the factor by which the map multiplies all lengths, if there is one.
    pub(crate) fn new(
        shape: &'a ConvexShape,
        map: Option<AffineMap<f64>>,
        similarity: Option<f64>,
        reference: Vec3<f64>,
        scale: f64,
    ) -> Self {
        let margin_factor = if map.is_some() { similarity } else { Some(1.0) };
        Self { shape, columns: shape.columns(), map, reference, scale, margin_factor }
    }

    /// The greatest coordinate or length, before the reference point is subtracted, in a space of this dimension.
    pub(crate) fn largest(shape: &ConvexShape, map: Option<&AffineMap<f64>>, dimension: usize) -> f64 {
        map.map_or(shape.largest(), |map| map.largest_image(2.0 * shape.largest(), dimension))
    }

    /// Factor that brings numbers up to `largest` to at most 2.
    pub(crate) fn scale_of(largest: f64) -> f64 {
        power_of_two_below(largest).unwrap_or(1.0)
    }
}

impl SupportMap for PlacedShape<'_> {
    fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let own = match &self.map {
            None => direction,
            Some(map) => {
                let [x, y, z] = map.columns.map(Vec3::normalize_exponent);
                // Each row by the power of two that its column was scaled by: products with the transpose do not overflow.
                let back = |scaled: Vec3<f64>, column: Vec3<f64>| {
                    let factor = power_of_two_below(column.max_abs_f64()).unwrap_or(1.0);
                    scaled.plain_dot(direction) * (1.0 / factor)
                };
                Vec3::new(back(x, map.columns[0]), back(y, map.columns[1]), back(z, map.columns[2]))
            }
        };
        let mut point = self.shape.core_support(&self.columns, own);
        if self.margin_factor.is_none() {
            point = point + along(own, self.shape.core_margin());
        }
        match &self.map {
            None => (point - self.reference) * self.scale,
            Some(map) => (map.vector(point) + (map.translation - self.reference)) * self.scale,
        }
    }
    fn margin(&self) -> f64 {
        self.margin_factor.map_or(0.0, |factor| self.shape.core_margin() * factor * self.scale)
    }
}

impl ConvexShape {
    /// Directions in which the shape is thin beside its axis-aligned bounds: normals of its faces, and for a capsule those of a box
    /// around it. A ball and an axis-aligned box have none. Their largest components are between 1/2 and 4.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn thin_directions(&self) -> ArrayVec<Vec3<f64>, 6> {
        let mut directions = ArrayVec::new();
        match self {
            Self::Box { rows, .. } if *rows != UNIT_ROWS => directions.extend(*rows),
            Self::Capsule { ends, .. } => {
                let axis = (ends[1] - ends[0]).normalize_exponent();
                let [x, y, z] = [axis.x, axis.y, axis.z].map(f64::abs);
                // The unit vector along the least component.
                let least = if x < y && x < z { UNIT_ROWS[0] } else { UNIT_ROWS[if y < z { 1 } else { 2 }] };
                let side = axis.cross(least);
                directions.extend([axis, side, axis.cross(side)]);
            }
            Self::Polygon(vertices) if vertices.len() == 3 => {
                let [a, b, c] = [vertices[0], vertices[1], vertices[2]];
                let edges = [(b - a).normalize_exponent(), (c - b).normalize_exponent(), (a - c).normalize_exponent()];
                let normal = edges[0].cross(edges[1]).normalize_exponent();
                directions.extend([normal, normal.cross(edges[0]), normal.cross(edges[1]), normal.cross(edges[2])]);
            }
            Self::Hexahedron(corners) => {
                let scale = PlacedShape::scale_of(self.largest());
                let face = |base: usize, u: usize, v: usize| {
                    let at = |i: usize| corners[i] * scale;
                    let normal = (at(base | u) - at(base | v)).cross(at(base | u | v) - at(base));
                    normal.normalize_exponent()
                };
                directions.extend([
                    face(0, 1, 2),
                    face(4, 1, 2),
                    face(0, 2, 4),
                    face(1, 2, 4),
                    face(0, 4, 1),
                    face(2, 4, 1),
                ]);
            }
            _ => {}
        }
        directions
    }

    /// The least and the greatest product of a direction with a point of a bounded shape, but for rounding.
    #[inline]
    pub(crate) fn interval(&self, direction: Vec3<f64>) -> [f64; 2] {
        let along = |p: Vec3<f64>| direction.plain_dot(p);
        let of_points = |points: &[Vec3<f64>]| {
            let mut interval = [f64::INFINITY, f64::NEG_INFINITY];
            for p in points {
                let height = along(*p);
                // Not `min` and `max`, which take care of NaN.
                interval[0] = if height < interval[0] { height } else { interval[0] };
                interval[1] = if height > interval[1] { height } else { interval[1] };
            }
            interval
        };
        match self {
            Self::Polygon(vertices) => return of_points(vertices),
            Self::Hexahedron(corners) => return of_points(corners),
            Self::Points(points) => return of_points(points),
            Self::Capsule { ends, radius } => {
                let ([least, most], margin) = (of_points(ends), radius * direction.length());
                return [least - margin, most + margin];
            }
            Self::Box { center, half, rows } => {
                let (at, [a, b, c]) = (along(*center), inverse_columns(rows));
                let half_width = half.scale(Vec3::new(along(a), along(b), along(c))).l1_norm();
                return [at - half_width, at + half_width];
            }
            _ => {}
        }
        let (margin, columns) = (self.core_margin() * direction.length(), self.columns());
        let end = |direction: Vec3<f64>| direction.plain_dot(self.core_support(&columns, direction)) + margin;
        [-end(-direction), end(direction)]
    }
}
