//! The distance between two convex shapes, by GJK.

use crate::convex::simplex::{Simplex, SimplexVertex};
use crate::convex::support::SupportMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;

/// The distance between two convex sets, margins included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvexDistance {
    /// The distance: an upper bound, 0 if the sets overlap. Up to [`TOLERANCE`] it is the distance itself.
    pub(crate) distance: f64,
    /// A proved lower bound, but for rounding.
    pub(crate) lower_bound: f64,
    /// The closest points of the cores; if the cores overlap, a common point.
    pub(crate) points: [Vec3<f64>; 2],
    /// The direction of the supporting plane that gives the lower bound, of any length.
    pub(crate) axis: Vec3<f64>,
    /// Four differences of points of the cores that enclose the origin, if the search has found some.
    pub(crate) tetrahedron: Option<[Vec3<f64>; 4]>,
    /// The number of support points that were computed.
    #[cfg(test)]
    iterations: u32,
}

/// Sets whose distance is at most this share of the largest coordinate overlap: 2^-44, rounding errors of the support points
/// and of the simplex. The test `distances_are_those_of_formulas` measures them.
pub(crate) const TOLERANCE: f64 = power(-44);

/// Duality gap at which a distance is final, as a share of its square: a few roundings.
const GAP: f64 = power(-50);

/// Most support points. Polytopes need a few, curved shapes a few dozen.
const MAX_ITERATIONS: u32 = 96;

/// The distance between two convex sets with coordinates of at most 4. A search that only needs to know whether the distance is
/// at most `limit` stops as soon as that is decided; then `distance` or `lower_bound` tells. With an infinite limit the distance
/// is computed to the end.
///
/// # Method
/// The closest point of the Minkowski difference to the origin, by a sequence of simplices of its support points. The lower bound
/// is the distance of the supporting plane.
///
/// # Source
/// Gilbert, Johnson, Keerthi, *A Fast Procedure for Computing the Distance Between Complex Objects in Three-Dimensional Space*,
/// 1988; the bounds after van den Bergen, *A Fast and Robust GJK Implementation*, 1999; simplices: see [`Simplex::reduce`].
///
/// # Accuracy
/// [`TOLERANCE`].
///
/// # Edges
/// The search ends: if the distance does not decrease, if a support point returns, or after [`MAX_ITERATIONS`] steps.
pub(crate) fn convex_distance(a: &impl SupportMap, b: &impl SupportMap, limit: f64) -> ConvexDistance {
    let margins = a.margin() + b.margin();
    let vertex = |direction: Vec3<f64>| {
        let of = [a.support(direction), b.support(-direction)];
        SimplexVertex { difference: of[0] - of[1], of }
    };
    let first = vertex(b.support(Vec3::default()) - a.support(Vec3::default()));
    let mut simplex = Simplex::default();
    simplex.vertices.push(first);
    simplex.reduce();
    let mut v = simplex.point();
    let (mut lower, mut axis, mut iterations) = (0.0f64, v, 1);
    loop {
        let length_sq = v.length_sq();
        let length = Arithmetic::sqrt(length_sq);
        let distance = (length - margins).max(0.0);
        let result = ConvexDistance {
            distance,
            lower_bound: (lower - margins).max(0.0),
            points: simplex.points(),
            axis,
            tetrahedron: match simplex.vertices[..] {
                [a, b, c, d] => Some([a, b, c, d].map(|vertex| vertex.difference)),
                _ => None,
            },
            #[cfg(test)]
            iterations,
        };
        let is_decided = limit < f64::INFINITY && (distance <= limit || result.lower_bound > limit + TOLERANCE);
        if is_decided || simplex.vertices.len() > 3 || !(length > TOLERANCE * TOLERANCE) || iterations >= MAX_ITERATIONS
        {
            let inside = simplex.vertices.len() > 3 || !(length > TOLERANCE * TOLERANCE);
            return ConvexDistance { distance: if inside { 0.0 } else { distance }, ..result };
        }
        let next = vertex(-v);
        iterations += 1;
        let height = v.plain_dot(next.difference) / length;
        if height >= lower {
            (lower, axis) = (height, v);
        }
        let is_known = simplex.vertices.iter().any(|vertex| vertex.difference == next.difference);
        if is_known || length_sq - v.plain_dot(next.difference) <= GAP * length_sq {
            return ConvexDistance { lower_bound: (lower - margins).max(0.0), axis, ..result };
        }
        let before = simplex.clone();
        simplex.vertices.push(next);
        simplex.reduce();
        v = simplex.point();
        if !(v.length_sq() < length_sq) {
            // No progress: rounding errors are as large as the steps.
            let points = before.points();
            return ConvexDistance { points, lower_bound: (lower - margins).max(0.0), axis, ..result };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS};
    use crate::convex::support::PlacedShape;
    use std::vec::Vec;
    use test_support::random::Rng;

    fn distance(a: &ConvexShape, b: &ConvexShape) -> ConvexDistance {
        let place = |shape| PlacedShape::new(shape, None, None, Vec3::default(), 1.0);
        convex_distance(&place(a), &place(b), f64::INFINITY)
    }

    fn vector(rng: &mut Rng) -> Vec3<f64> {
        let [x, y, z] = rng.cube(3);
        Vec3::new(x, y, z)
    }

    fn length(v: Vec3<f64>) -> f64 {
        v.length_sq().sqrt()
    }

    /// Distances of two segments, by the textbook: the least of the four ends, and of the common perpendicular if it is within.
    fn of_segments([a, b]: [Vec3<f64>; 2], [c, d]: [Vec3<f64>; 2]) -> f64 {
        let to = |p: Vec3<f64>, [a, b]: [Vec3<f64>; 2]| {
            let e = b - a;
            let t = ((p - a).dot(e) / e.length_sq()).clamp(0.0, 1.0);
            length(p - (a + e * t))
        };
        let (e, f, r) = (b - a, d - c, a - c);
        let ends = to(a, [c, d]).min(to(b, [c, d])).min(to(c, [a, b])).min(to(d, [a, b]));
        let (ee, ef, ff) = (e.length_sq(), e.dot(f), f.length_sq());
        let determinant = ee * ff - ef * ef;
        let (s, t) = ((ef * f.dot(r) - ff * e.dot(r)) / determinant, (ee * f.dot(r) - ef * e.dot(r)) / determinant);
        let is_within = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
        if is_within { ends.min(length(r + e * s - f * t)) } else { ends }
    }

    #[test]
    fn distances_are_those_of_formulas() {
        let (mut rng, mut worst) = (Rng::new(3), 0.0f64);
        for round in 0..30_000 {
            let mut near = || vector(&mut rng);
            let (p, q, r, s) = (near(), near(), near(), near());
            let shift = Vec3::new(1.5, 0.0, 0.0) * [0.0, 1.0, 0.7][round % 3];
            let radii = [rng.between(0.0, 0.3), rng.between(0.0, 0.3)];
            let ball = |center, radius| ConvexShape::Ball { center, radius };
            let cases = [
                (ball(p, radii[0]), ball(q + shift, radii[1]), length(p - q - shift) - radii[0] - radii[1]),
                (
                    ConvexShape::Capsule { ends: [p, q], radius: radii[0] },
                    ConvexShape::Capsule { ends: [r + shift, s + shift], radius: radii[1] },
                    of_segments([p, q], [r + shift, s + shift]) - radii[0] - radii[1],
                ),
                {
                    let (half, other) = (r.map(f64::abs), s.map(f64::abs));
                    let gap = (p - q - shift).map(f64::abs) - half - other;
                    let cuboid = |center, half| ConvexShape::Box { center, half, rows: UNIT_ROWS };
                    (cuboid(p, half), cuboid(q + shift, other), length(gap.map(|x| x.max(0.0))))
                },
                {
                    // A ball beside a cylinder: in the half-plane of the axis a rectangle.
                    let axis = Vec3::new(0.0, 0.0, radii[1] + 0.1);
                    let ends = [p - axis, p + axis];
                    let o = q + shift - p;
                    let out = ((o.x * o.x + o.y * o.y).sqrt() - 0.3).max(0.0);
                    let above = (o.z.abs() - axis.z).max(0.0);
                    let expected = (out * out + above * above).sqrt() - radii[0];
                    (ConvexShape::Revolved { ends, radii: [0.3; 2] }, ball(q + shift, radii[0]), expected)
                },
            ];
            for (i, (a, b, expected)) in cases.iter().enumerate() {
                let found = distance(a, b);
                let error = (found.distance - expected.max(0.0)).abs();
                assert!(error <= TOLERANCE, "{i} {error:e} {a:?} {b:?} {found:?} {expected}");
                assert!(found.lower_bound <= expected.max(0.0) + TOLERANCE, "{i} {a:?} {b:?} {found:?} {expected}");
                worst = worst.max(error);
            }
        }
        assert!(worst > 0.0, "{worst:e}");
    }

    /// Random polytopes: the closest points are in both, and the planes through them separate the two.
    #[test]
    fn polytopes_have_separating_planes() {
        let (mut rng, mut apart, mut steps) = (Rng::new(4), 0, 0);
        for round in 0..30_000 {
            let count = [1, 2, 3, 5, 8][round % 5];
            let shift = Vec3::new(rng.between(0.0, 3.0), 0.0, 0.0);
            let mut points = |count, shift| (0..count).map(|_| vector(&mut rng) + shift).collect::<Vec<_>>();
            let (a, b) = (points(count, Vec3::default()), points(8, shift));
            let polygon = |points: &Vec<Vec3<f64>>| ConvexShape::Polygon(points.iter().copied().collect());
            let found = distance(&polygon(&a), &polygon(&b));
            steps += found.iterations;
            let [p, q] = found.points;
            let n = q - p;
            assert!((length(n) - found.distance).abs() <= TOLERANCE, "{found:?}");
            if found.distance > 0.0 {
                apart += 1;
                let beyond =
                    a.iter().all(|v| n.dot(*v - p) <= TOLERANCE) && b.iter().all(|v| n.dot(*v - q) >= -TOLERANCE);
                assert!(beyond, "{a:?} {b:?} {found:?}");
            }
        }
        assert!(apart > 5_000 && apart < 28_000, "{apart}");
        assert!(steps < 30_000 * 8, "{steps}");
    }

    /// Searches with a limit decide as those without.
    #[test]
    fn a_limit_saves_steps_and_changes_no_decision() {
        let (mut rng, mut widest) = (Rng::new(6), 0.0f64);
        for _ in 0..20_000 {
            let shift = Vec3::new(rng.between(0.0, 2.5), 0.0, 0.0);
            let ends = [vector(&mut rng), vector(&mut rng)];
            let a = ConvexShape::Revolved { ends, radii: [0.5, 0.1] };
            let b = ConvexShape::Ellipsoid {
                center: vector(&mut rng) + shift,
                radii: Vec3::new(0.5, 0.3, 0.1),
                rows: UNIT_ROWS,
            };
            let whole = distance(&a, &b);
            let place = |shape| PlacedShape::new(shape, None, None, Vec3::default(), 1.0);
            let limit = rng.between(0.0, 1.0);
            let found = convex_distance(&place(&a), &place(&b), limit);
            widest = widest.max(whole.distance - whole.lower_bound);
            assert!(found.iterations <= whole.iterations);
            if (whole.distance - limit).abs() > TOLERANCE {
                assert_eq!(found.distance <= limit, whole.distance <= limit, "{a:?} {b:?} {limit}");
            }
        }
        // The gap between the bounds of curved shapes closes more slowly than the distance converges.
        assert!(widest < power(-30), "{widest:e}");
    }
}
