//! Cylinders, cones and frusta in plain `f64`, and whether they come near to a core.

use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::is_certainly_positive;
use crate::overlap::filter_core::{FilterCore, SegmentCore, clamped, separates};
use core::ops::Range;

/// The hull of two disks around the ends of an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RevolvedCore {
    pub(crate) axis: SegmentCore,
    pub(crate) radii: [f64; 2],
}

/// Squared lengths of axes and directions whose products with each other keep their digits.
const SQUARES: Range<f64> = power(-400)..power(400);

/// Pairs of nearest points that are tried.
const MAX_PAIRS: usize = 3;

impl RevolvedCore {
    /// Bound of the sum of the absolute coordinates of any point.
    #[inline(always)]
    fn size(&self) -> f64 {
        self.axis.size() + 2.0 * self.radii[0].max(self.radii[1])
    }

    /// The least and the greatest product of a direction with a point, rounded outward by up to 2^-22 of the radius.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn interval(&self, direction: Vec3<f64>) -> [f64; 2] {
        let ([a, b], e) = (self.radii, self.axis.edge);
        let (along, size_sq) = (direction.plain_dot(e), direction.length_sq());
        // The length of the part of the direction in the plane of the disks: the square may have lost all digits.
        let across = (size_sq - along * along / e.length_sq()).max(0.0) + size_sq * power(-45);
        let width = Arithmetic::sqrt(across);
        let start = direction.plain_dot(self.axis.start);
        let end = start + along;
        [(start - a * width).min(end - b * width), (start + a * width).max(end + b * width)]
    }

    /// About the support point: the farthest one in a direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let ([a, b], e) = (self.radii, self.axis.edge);
        let along = direction.plain_dot(e);
        let across = direction - e * (along / e.length_sq());
        let length_sq = across.length_sq();
        // A short vector has lost digits: the centre of the disk will do.
        let is_short = length_sq < direction.length_sq() * power(-8);
        let length = if is_short { 0.0 } else { Arithmetic::sqrt(length_sq) };
        let (end, radius) = if along + (b - a) * length > 0.0 { (1.0, b) } else { (0.0, a) };
        self.axis.at(end) + if is_short { Vec3::default() } else { across * (radius / length) }
    }

    /// Whether a point with errors of a core is certainly inside. `size` is the sum of both sizes.
    ///
    /// With the vector v from the first end to the point and the axis e, the square of the distance from the axis times `|e|^4` is
    /// that of `|v x e| |e|`, and the radius times `|e|^2` is `r0 (|e|^2 - v . e) + r1 v . e`: all terms have at most six factors
    /// up to the size.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn certainly_contains(&self, point: Vec3<f64>, size: f64) -> bool {
        let (v, e) = (point - self.axis.start, self.axis.edge);
        let (length_sq, along) = (e.length_sq(), v.plain_dot(e));
        let (rest, terms) = (length_sq - along, e.l1_norm() * size);
        let limit_terms = (self.radii[0] + self.radii[1]) * terms;
        let moment_sq = v.cross(e).length_sq() * length_sq;
        // The moment has errors of its own: a share of the square of its terms.
        let moment_terms = terms * terms * length_sq;
        let limit = self.radii[0] * rest + self.radii[1] * along;
        is_certainly_positive(along, terms)
            && is_certainly_positive(rest, terms)
            && is_certainly_positive(limit, limit_terms)
            && is_certainly_positive(limit * limit - moment_sq, limit_terms * limit_terms + moment_terms)
    }

    /// About the nearest point.
    ///
    /// In the half-plane of the axis and the point, the shape is a trapezoid. The nearest point is not farther from the axis than the
    /// given point. So the radial vector is only shortened, and its errors stay small.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nearest_to_point(&self, point: Vec3<f64>) -> Vec3<f64> {
        // The point in the half-plane of the axis: its height as a share of the axis, and its distance from the axis.
        let ([a, b], e) = (self.radii, self.axis.edge);
        let (v, length_sq) = (point - self.axis.start, e.length_sq());
        let t = v.plain_dot(e) / length_sq;
        let radial = v - e * t;
        let rho = Arithmetic::sqrt(radial.length_sq());
        // Beside a cap, the foot on the cap.
        if t < 0.0 && rho <= a {
            return point - e * t;
        }
        if t > 1.0 && rho <= b {
            return point - e * (t - 1.0);
        }
        // A point inside is its own nearest point; otherwise the foot on the side.
        let wider = b - a;
        if (0.0..=1.0).contains(&t) && rho <= a + wider * t {
            return point;
        }
        let on_side = clamped((t * length_sq + (rho - a) * wider) / (length_sq + wider * wider));
        self.axis.at(on_side) + radial * clamped((a + wider * on_side) / rho)
    }

    /// Whether the shape comes as near to a core as a radius, if `f64` is certain; not if the distance is about as small as `least`.
    ///
    /// # Method
    /// Points of both, each in turn the nearest one to the other, approach the nearest pair. If one is certainly in the other set,
    /// or the two are certainly nearer than the radius, that proves an overlap. If the direction between them certainly separates
    /// the sets by more than the radius, that proves a gap. Else the support point in that direction may be in the core.
    ///
    /// # Source
    /// Cheney, Goldstein, *Proximity Maps for Convex Sets*, 1959: the points converge. The certificates are ours.
    ///
    /// # Accuracy
    /// As that of two cores in `pair_filter.rs`.
    ///
    /// # Edges
    /// Sets that touch have no certificate, nor has an axis so short or long that its square leaves the range of numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn reaches(&self, core: &impl FilterCore, radius: f64, least: f64) -> Option<bool> {
        // An axis of extreme length leaves the range of the products.
        if !SQUARES.contains(&self.axis.edge.length_sq()) {
            return None;
        }
        // Whether two points are certainly nearer than the radius.
        let (size, radius_sq, margin) = (self.size() + core.size(), radius * radius, radius + least);
        let is_near = |p: Vec3<f64>, q: Vec3<f64>| {
            is_certainly_positive(radius_sq - (q - p).length_sq(), size * size + radius_sq)
        };
        // The first pair: the axis of the solid, and the core.
        let [mut p, mut q] = core.nearest_to(&self.axis);
        // Certificates in the order of their cost; then the pair comes nearer (Cheney and Goldstein).
        for _ in 0..MAX_PAIRS {
            if is_near(p, q) || core.certainly_contains(p, size) || self.certainly_contains(q, size) {
                return Some(true);
            }
            let is_ordinary = SQUARES.contains(&(q - p).length_sq());
            if is_ordinary && separates(q - p, (self.interval(q - p), self.size()), core, margin) {
                return Some(false);
            }
            if core.has_inside() && core.certainly_contains(self.support(q - p), size) {
                return Some(true);
            }
            p = self.nearest_to_point(q);
            [_, q] = core.nearest_to(&SegmentCore { start: p, edge: Vec3::default() });
        }
        None
    }
}
