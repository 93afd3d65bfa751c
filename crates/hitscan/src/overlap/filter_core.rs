//! Cores of convex shapes in plain `f64`, and points of two cores that are about as near to each other as any.

use crate::convex::convex_shape::UNIT_ROWS;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::is_certainly_positive;

/// A segment, or a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentCore {
    pub(crate) start: Vec3<f64>,
    pub(crate) edge: Vec3<f64>,
}

/// A triangle by its corners and the edges from the first corner to the others, and between these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleCore {
    pub(crate) corners: [Vec3<f64>; 3],
    pub(crate) edges: [Vec3<f64>; 3],
}

/// A box: the points `center + sum c[i] columns[i]` with `|c[i]| <= half[i]`. The columns are those of the inverse of the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCore {
    pub(crate) center: Vec3<f64>,
    pub(crate) half: Vec3<f64>,
    pub(crate) rows: [Vec3<f64>; 3],
    pub(crate) columns: [Vec3<f64>; 3],
    /// Whether the rows are the unit vectors.
    pub(crate) is_aligned: bool,
}

/// The set of all points of a core, relative to a reference point.
///
/// Each number is the difference of two exact ones, rounded once, or a few products and sums of such: its error is less than
/// 2^-48 of the [`size`](FilterCore::size).
pub(crate) trait FilterCore {
    /// Bound of the sum of the absolute coordinates of any point.
    fn size(&self) -> f64;
    /// The least and the greatest product of a direction with a point.
    fn interval(&self, direction: Vec3<f64>) -> [f64; 2];
    /// A point of the segment and a point of the core, about the nearest ones.
    fn nearest_to(&self, segment: &SegmentCore) -> [Vec3<f64>; 2];
    /// Whether the core has points inside.
    #[inline(always)]
    fn has_inside(&self) -> bool {
        false
    }
    /// Whether a point that has such errors, too, is certainly inside of the core. `size` is the sum of both sizes.
    #[inline(always)]
    fn certainly_contains(&self, _p: Vec3<f64>, _size: f64) -> bool {
        false
    }
}

/// Whether a number of this magnitude is certainly greater than the root of a square.
#[inline(always)]
fn certainly_exceeds_root(value: f64, magnitude: f64, square: f64) -> bool {
    is_certainly_positive(value, magnitude)
        && is_certainly_positive(value * value - square, magnitude * magnitude + square)
}

/// Whether a direction certainly separates a set, given by its interval and size, and a core by more than a radius.
#[inline(always)]
pub(crate) fn separates(
    direction: Vec3<f64>,
    ([least, most], size): ([f64; 2], f64),
    core: &impl FilterCore,
    radius: f64,
) -> bool {
    let [from, to] = core.interval(direction);
    let (gap, magnitude) = ((from - most).max(least - to), direction.l1_norm() * (size + core.size()));
    certainly_exceeds_root(gap, magnitude, radius * radius * direction.length_sq())
}

/// A number of 0..=1; zero for a NaN.
#[inline(always)]
pub(crate) fn clamped(t: f64) -> f64 {
    if t > 0.0 { t.min(1.0) } else { 0.0 }
}

/// The nearer one of two pairs of points.
#[inline(always)]
fn nearer(a: [Vec3<f64>; 2], b: [Vec3<f64>; 2]) -> [Vec3<f64>; 2] {
    if (b[1] - b[0]).length_sq() < (a[1] - a[0]).length_sq() { b } else { a }
}

impl SegmentCore {
    #[inline(always)]
    pub(crate) fn at(&self, t: f64) -> Vec3<f64> {
        self.start + self.edge * t
    }
}

impl FilterCore for SegmentCore {
    #[inline(always)]
    fn size(&self) -> f64 {
        self.start.l1_norm() + self.edge.l1_norm()
    }
    #[inline(always)]
    fn interval(&self, direction: Vec3<f64>) -> [f64; 2] {
        let (start, along) = (direction.plain_dot(self.start), direction.plain_dot(self.edge));
        [start + along.min(0.0), start + along.max(0.0)]
    }
    /// Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nearest_to(&self, segment: &SegmentCore) -> [Vec3<f64>; 2] {
        // The parameters on both lines where they are nearest.
        let (d, e, between) = (segment.edge, self.edge, segment.start - self.start);
        let (dd, ee, de) = (d.length_sq(), e.length_sq(), d.plain_dot(e));
        let (d_between, e_between) = (d.plain_dot(between), e.plain_dot(between));
        let s = clamped((de * e_between - d_between * ee) / (dd * ee - de * de));
        // If the parameter on the second segment is clamped, that on the first follows from it.
        let free = (de * s + e_between) / ee;
        let t = clamped(free);
        let s = if t == free { s } else { clamped((de * t - d_between) / dd) };
        [segment.at(s), self.at(t)]
    }
}

impl TriangleCore {
    #[inline(always)]
    pub(crate) fn new(corners: [Vec3<f64>; 3], reference: Vec3<f64>) -> Self {
        let [a, b, c] = corners;
        Self { corners: [a - reference, b - reference, c - reference], edges: [b - a, c - a, c - b] }
    }

    /// Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nearest_to_point(&self, p: Vec3<f64>) -> Vec3<f64> {
        let ([a, b, c], [ab, ac, bc]) = (self.corners, self.edges);
        let (ap, bp, cp) = (p - a, p - b, p - c);
        // The regions of the corners, then those of the edges, each by the signs of a few products; what is left is the
        // face.
        let (d1, d2) = (ab.plain_dot(ap), ac.plain_dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return a;
        }
        let (d3, d4) = (ab.plain_dot(bp), ac.plain_dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return b;
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return a + ab * clamped(d1 / (d1 - d3));
        }
        let (d5, d6) = (ab.plain_dot(cp), ac.plain_dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return c;
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return a + ac * clamped(d2 / (d2 - d6));
        }
        let va = d3 * d6 - d5 * d4;
        let (from_b, from_c) = (d4 - d3, d5 - d6);
        if va <= 0.0 && from_b >= 0.0 && from_c >= 0.0 {
            return b + bc * clamped(from_b / (from_b + from_c));
        }
        // The foot in the face, by its barycentric weights.
        let sum = va + vb + vc;
        let v = clamped(vb / sum);
        a + ab * v + ac * clamped(vc / sum).min(1.0 - v)
    }
}

impl FilterCore for TriangleCore {
    #[inline(always)]
    fn size(&self) -> f64 {
        let [a, b, c] = self.corners.map(Vec3::l1_norm);
        a.max(b).max(c)
    }
    #[inline(always)]
    fn interval(&self, direction: Vec3<f64>) -> [f64; 2] {
        let [a, b, c] = self.corners;
        let (a, b, c) = (direction.plain_dot(a), direction.plain_dot(b), direction.plain_dot(c));
        [a.min(b).min(c), a.max(b).max(c)]
    }
    /// Where the segment crosses the plane, at its ends, or at an edge of the triangle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nearest_to(&self, segment: &SegmentCore) -> [Vec3<f64>; 2] {
        // Candidates: the ends of the segment, its crossing with the plane, and the nearest points of each edge. The
        // best is near enough, as certainty does not depend on it.
        let with = |p: Vec3<f64>| [p, self.nearest_to_point(p)];
        let mut best = with(segment.start);
        if segment.edge.is_zero() {
            return best;
        }
        best = nearer(best, with(segment.at(1.0)));
        let normal = self.edges[0].cross(self.edges[1]);
        let t = normal.plain_dot(self.corners[0] - segment.start) / normal.plain_dot(segment.edge);
        if (0.0..=1.0).contains(&t) {
            best = nearer(best, with(segment.at(t)));
        }
        for (corner, edge) in [0, 0, 1].into_iter().zip(self.edges) {
            best = nearer(best, SegmentCore { start: self.corners[corner], edge }.nearest_to(segment));
        }
        best
    }
}

impl BoxCore {
    /// `None` if the rows are not orthonormal up to rounding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(center: Vec3<f64>, half: Vec3<f64>, rows: &[Vec3<f64>; 3]) -> Option<Self> {
        let is_aligned = *rows == UNIT_ROWS;
        let mut columns = *rows;
        if !is_aligned {
            let [a, b, c] = *rows;
            let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
            let determinant = a.plain_dot(cofactors[0]);
            if !(0.99..1.01).contains(&determinant.abs()) {
                return None;
            }
            let factor = 1.0 / determinant;
            columns = [cofactors[0] * factor, cofactors[1] * factor, cofactors[2] * factor];
        }
        Some(Self { center, half, rows: *rows, columns, is_aligned })
    }

    /// Coordinates along the axes of the box: those of its own points are at most half the extents.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn local(&self, v: Vec3<f64>) -> Vec3<f64> {
        if self.is_aligned {
            v
        } else {
            Vec3::new(self.rows[0].plain_dot(v), self.rows[1].plain_dot(v), self.rows[2].plain_dot(v))
        }
    }

    #[inline(always)]
    fn global(&self, v: Vec3<f64>) -> Vec3<f64> {
        if self.is_aligned { v } else { self.columns[0] * v.x + self.columns[1] * v.y + self.columns[2] * v.z }
    }

    /// The part of a vector in coordinates of the box that is outside.
    #[inline(always)]
    fn excess(&self, v: Vec3<f64>) -> Vec3<f64> {
        let excess = |v: f64, half: f64| v - v.max(-half).min(half);
        Vec3::new(excess(v.x, self.half.x), excess(v.y, self.half.y), excess(v.z, self.half.z))
    }

    #[inline(always)]
    pub(crate) fn nearest_to_point(&self, p: Vec3<f64>) -> Vec3<f64> {
        let local = self.local(p - self.center);
        self.center + self.global(local - self.excess(local))
    }
}

impl FilterCore for BoxCore {
    #[inline(always)]
    fn size(&self) -> f64 {
        // A column has a length of about 1, and a sum of absolute components of less than 2.
        self.center.l1_norm() + 2.0 * self.half.l1_norm()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn interval(&self, direction: Vec3<f64>) -> [f64; 2] {
        let along = if self.is_aligned {
            direction
        } else {
            let [a, b, c] = self.columns;
            Vec3::new(direction.plain_dot(a), direction.plain_dot(b), direction.plain_dot(c))
        };
        let (center, half_width) = (direction.plain_dot(self.center), along.map(f64::abs).plain_dot(self.half));
        [center - half_width, center + half_width]
    }
    #[inline(always)]
    fn has_inside(&self) -> bool {
        true
    }
    #[inline(always)]
    fn certainly_contains(&self, p: Vec3<f64>, size: f64) -> bool {
        let local = self.local(p - self.center);
        (0..3).all(|i| is_certainly_positive(self.half.get(i) - local.get(i).abs(), size))
    }
    /// The squared distance from the box is a convex function on the segment, with a derivative that is linear between the
    /// planes of the faces.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nearest_to(&self, segment: &SegmentCore) -> [Vec3<f64>; 2] {
        if segment.edge.is_zero() {
            return [segment.start, self.nearest_to_point(segment.start)];
        }
        // The slope of the squared distance along the segment, in the coordinates of the box.
        let (start, edge) = (self.local(segment.start - self.center), self.local(segment.edge));
        let slope = |t: f64| self.excess(start + edge * t).plain_dot(edge);
        let (mut low, mut high) = ((0.0, slope(0.0)), (1.0, slope(1.0)));
        // At an end, if the distance ascends from there; else between the planes of the faces, where the slope is
        // linear.
        let t = if low.1 >= 0.0 {
            0.0
        } else if high.1 <= 0.0 {
            1.0
        } else {
            for i in 0..3 {
                let (s, e, half) = (start.get(i), edge.get(i), self.half.get(i));
                for plane in [-half, half] {
                    let t = (plane - s) / e;
                    if low.0 < t && t < high.0 {
                        let slope = slope(t);
                        if slope < 0.0 {
                            low = (t, slope);
                        } else {
                            high = (t, slope);
                        }
                    }
                }
            }
            clamped(low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1))
        };
        let p = segment.at(t);
        [p, self.nearest_to_point(p)]
    }
}
