//! Convex hulls of points in 2D.

use crate::math::real::Real;
use crate::math::vector::Vector2;
use crate::shapes::error::{ShapeError, ShapeErrorKind, finite};
use crate::shapes::orientation::turn;
use crate::shapes::polygon::ConvexPolygon;
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::cmp::Ordering;

impl<V: Vector2> ConvexPolygon<V> {
    /// The convex hull of points in any order: the smallest convex polygon that contains all of them. Its vertices are the corners
    /// of the hull, counter-clockwise, from the leftmost one (the lowest of those). Points inside, on an edge, or given twice are
    /// no vertices.
    ///
    /// Which points are corners is decided exactly. O(n log n).
    ///
    /// ```
    /// use hitscan::{glam::Vec2, ConvexPolygon};
    /// let square = [(1, 1), (0, 0), (2, 0), (1, 0), (2, 2), (0, 2), (0, 0)].map(|(x, y)| Vec2::new(x as f32, y as f32));
    /// let hull = ConvexPolygon::hull(square)?;
    /// assert_eq!(hull.vertices(), [Vec2::ZERO, Vec2::new(2.0, 0.0), Vec2::splat(2.0), Vec2::new(0.0, 2.0)]);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    ///
    /// # Source
    /// Andrew, *Another efficient algorithm for convex hulls in two dimensions*, Information Processing Letters 9 (1979), with the
    /// filter of Shewchuk, *Adaptive precision floating-point arithmetic and fast robust geometric predicates*, Discrete and
    /// Computational Geometry 18 (1997).
    ///
    /// # Errors
    /// Fewer than three points; one that is not finite; all of them on one line.
    #[doc(alias = "convex_hull")]
    pub fn hull(points: impl Into<Vec<V>>) -> Result<Self, ShapeError> {
        let refuse = |problem| Err(ShapeError { field: "points", problem });
        let mut points = points.into();
        if points.len() < 3 {
            return refuse(ShapeErrorKind::TooFewVertices);
        }
        points.iter().try_for_each(|&point| finite("points", point))?;
        // From left to right, at equal x upward, each point once. -0 and 0 are one number.
        let order = |a: V::Scalar, b| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        stable_sort_by(&mut points, |a: &V, b| {
            order(a.component(0), b.component(0)).then(order(a.component(1), b.component(1)))
        });
        points.dedup();
        // The lower chain from left to right, then the upper one back: a point that makes no left turn is no corner.
        let mut corners = Vec::with_capacity(points.len() + 1);
        add_chain(&mut corners, points.iter().copied(), turns_left);
        add_chain(&mut corners, points.iter().rev().copied(), turns_left);
        if corners.len() < 3 {
            return refuse(ShapeErrorKind::Collinear);
        }
        Self::new(corners)
    }
}

/// Adds the corners of a chain of points in order, without its last one. `turns_left` tells whether the way over three points does.
pub(crate) fn add_chain<P: Copy>(
    corners: &mut Vec<P>,
    points: impl Iterator<Item = P>,
    turns_left: impl Fn([P; 3]) -> bool,
) {
    let first = corners.len();
    for point in points {
        while let [.., a, b] = corners[first..]
            && !turns_left([a, b, point])
        {
            corners.pop();
        }
        corners.push(point);
    }
    corners.pop();
}

/// Whether the way over three points turns left.
fn turns_left<V: Vector2>(points: [V; 3]) -> bool {
    turn(points.map(|point| [0, 1].map(|axis| point.component(axis).to_f64()))).is_gt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::shape::Shape;
    use glam::{DVec2, Vec2};
    use test_support::random::Rng;

    /// Points on a grid, most of them on common lines: the hull contains all of them, each of its corners is needed, and the
    /// order of the points does not matter.
    #[test]
    fn hulls_of_grids() {
        let mut rng = Rng::new(30);
        for round in 0..3_000 {
            let size = 1 + rng.below(4) as i32;
            // Far from the origin, where coordinates have few digits, and at both ends of the exponents.
            let (shift, unit) =
                rng.pick(&[(0.0, 1.0), (2f64.powi(50), 1.0), (0.0, 2f64.powi(-1070)), (0.0, 2f64.powi(1019))]);
            let mut points: Vec<DVec2> = (0..3 + rng.below(12))
                .map(|_| [(); 2].map(|()| shift + f64::from(rng.int(-size, size)) * unit).into())
                .collect();
            let hull = ConvexPolygon::hull(points.clone());
            for i in (1..points.len()).rev() {
                points.swap(i, rng.below(i + 1));
            }
            assert_eq!(ConvexPolygon::hull(points.clone()), hull, "round {round}");
            let Ok(hull) = hull else {
                let [a, b] = [points[0], points.iter().copied().find(|p| *p != points[0]).unwrap_or(points[0])];
                assert!(
                    points.iter().all(|&c| !turns_left([a, b, c]) && !turns_left([b, a, c])),
                    "round {round}: {points:?}"
                );
                continue;
            };
            assert!(points.iter().all(|&point| hull.contains(point)), "round {round}: {points:?}");
            let corners = hull.vertices();
            for i in 0..corners.len() {
                let [a, b, c] = [0, 1, 2].map(|k| corners[(i + k) % corners.len()]);
                assert!(points.contains(&b) && turns_left([a, b, c]), "round {round}: {points:?}");
            }
        }
    }

    #[test]
    fn refusals() {
        let problem = |points: &[Vec2]| ConvexPolygon::hull(points).unwrap_err().problem;
        assert_eq!(problem(&[Vec2::X, Vec2::Y]), ShapeErrorKind::TooFewVertices);
        assert_eq!(problem(&[Vec2::X; 5]), ShapeErrorKind::Collinear);
        assert_eq!(problem(&[Vec2::X, Vec2::ZERO, Vec2::X * 3.0, Vec2::X * -1.0]), ShapeErrorKind::Collinear);
        assert_eq!(problem(&[Vec2::X, Vec2::NAN, Vec2::Y]), ShapeErrorKind::NotFinite);
        // One part in 2^24 from the line.
        assert!(ConvexPolygon::hull([Vec2::ZERO, Vec2::new(0.5, f32::from_bits(1)), Vec2::X]).is_ok());
    }
}
