//! Spatial split: clips triangles by axis-aligned planes, and computes the bounds of the pieces.

use crate::bvh::bounds::Bounds;
use crate::math::rounding::SINGLE_ROUNDING;
use glam::Vec4;

/// Triangle to clip.
#[derive(Clone, Copy)]
pub(crate) struct SplitTriangle {
    /// The w lanes take part in the arithmetic and mean nothing; use 1.
    pub(crate) corners: [Vec4; 3],
    /// Relative error bound of each coordinate, which was rounded to nearest: 0 for exact coordinates.
    pub(crate) rounding: f32,
}

/// Corners of a primitive that is a triangle.
pub(crate) type TriangleCorners<'a> = dyn Fn(u32) -> SplitTriangle + Sync + 'a;

/// Absolute error bound of a point on an edge where products underflow. Not `f32::MIN_POSITIVE`, because half of it is
/// subnormal, and slow.
const UNDERFLOW_BOUND: f32 = f32::from_bits((127 - 100) << 23);

/// Triangle clipper: clips one triangle by planes across one axis.
///
/// # Source
/// Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High Performance Graphics, 2009,
/// section 3.1.
pub(crate) struct TriangleClipper {
    /// Corners, sorted along the axis.
    corners: [Vec4; 3],
    /// Their coordinates along the axis.
    slots: [f32; 3],
    /// Unit vector of the axis.
    axis: Vec4,
    /// Error bound of a cross section.
    error_bound: Vec4,
    /// Error bound of the corners.
    corner_error: Vec4,
}

/// Cross section of a triangle: a plane, and the bounds of the triangle's points on it.
#[derive(Clone, Copy)]
pub(crate) struct CrossSection {
    at: f32,
    low: Vec4,
    high: Vec4,
}

impl CrossSection {
    pub(crate) const BEFORE_ALL: Self = Self::nothing(f32::NEG_INFINITY);
    pub(crate) const BEYOND_ALL: Self = Self::nothing(f32::INFINITY);

    const fn nothing(at: f32) -> Self {
        Self { at, low: Vec4::INFINITY, high: Vec4::NEG_INFINITY }
    }
}

impl TriangleClipper {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(SplitTriangle { corners: [a, b, c], rounding }: SplitTriangle, axis: usize) -> Self {
        // The corners in order along the axis.
        let sorted = |a: (f32, Vec4), b: (f32, Vec4)| if b.0 < a.0 { [b, a] } else { [a, b] };
        let [a, b] = sorted((a[axis], a), (b[axis], b));
        let [b, c] = sorted(b, (c[axis], c));
        let [a, b] = sorted(a, b);
        // Error of a point on an edge, in numbers of up to twice this size: three roundings of its parameter, two of
        // the product, one of the sum.
        let size = a.1.abs().max(b.1.abs()).max(c.1.abs());
        let error_bound = size * (16.0 * SINGLE_ROUNDING) + Vec4::splat(UNDERFLOW_BOUND);
        let (slots, axis) = ([a.0, b.0, c.0], Vec4::AXES[axis]);
        let exact = Self { corners: [a.1, b.1, c.1], slots, axis, error_bound, corner_error: Vec4::ZERO };
        if rounding == 0.0 { exact } else { exact.rounded(size * rounding) }
    }

    /// The clipper of a triangle whose corners are off by `error`, rounded to nearest.
    ///
    /// # Accuracy
    /// Rounding keeps the order of corners and planes, so a corner is never on the wrong side of a plane. An edge from
    /// `x` to `y` meets a plane at the share `s = (at - x) / (y - x)` of its length. With the true ends `x'`, `y'` and
    /// share `s'`, `s - s' = ((x' - x) (1 - s') + (y' - y) s') / (y - x)`: at most the error of an end over `y - x`,
    /// and at most 1. The bound of an end is doubled, for roundings of the bound. See docs/proofs.md, Lemma 25.
    // Not inlined: meshes in `f32`, whose corners are exact, should not pay for it.
    #[inline(never)]
    fn rounded(self, error: Vec4) -> Self {
        let Self { corners: [a, b, c], slots: [x, y, z], axis, error_bound, .. } = self;
        let error = error * 2.0 + Vec4::splat(UNDERFLOW_BOUND);
        let error_along = (error * axis).max_element();
        let moved = |(p, x): (Vec4, f32), (q, y): (Vec4, f32)| {
            if x < y { (q - p).abs() * (error_along / (y - x)).min(1.0) } else { Vec4::ZERO }
        };
        let (a, b, c) = ((a, x), (b, y), (c, z));
        let error_bound = error_bound + error + moved(a, b).max(moved(b, c)).max(moved(a, c)) * 2.0;
        Self { error_bound, corner_error: error, ..self }
    }
    /// Cross section at a plane, rounded outward; empty where the plane meets at most a corner.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn section(&self, at: f32) -> CrossSection {
        let Self { corners: [a, b, c], slots: [x, y, z], error_bound, corner_error, .. } = *self;
        // A plane beside the triangle has no points of it.
        if !(x < at && at < z) {
            if corner_error != Vec4::ZERO && (x == at || at == z) {
                // The true corner may be beside the plane: anything of the triangle may be on it.
                return CrossSection { at, low: a.min(b).min(c) - corner_error, high: a.max(b).max(c) + corner_error };
            }
            return CrossSection::nothing(at);
        }
        // Between the corners, the plane meets the longest edge and one of the two others.
        let point = |(p, x): (Vec4, f32), (q, y): (Vec4, f32)| p + (q - p) * ((at - x) / (y - x));
        // The edges used here have nonzero length along the axis.
        let (p, q) = if at < y { ((a, x), (b, y)) } else { ((b, y), (c, z)) };
        let (one, two) = (point((a, x), (c, z)), point(p, q));
        CrossSection { at, low: one.min(two) - error_bound, high: one.max(two) + error_bound }
    }
    /// Bounds of the piece between two planes, clipped to another box. They contain every point of the piece in that
    /// box; empty where there is none.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn between(&self, from: &CrossSection, to: &CrossSection, within: &Bounds) -> Bounds {
        // The bounds of the cut faces, and of the corners between them.
        let (mut low, mut high) = (from.low.min(to.low), from.high.max(to.high));
        for (corner, slot) in self.corners.into_iter().zip(self.slots) {
            if from.at <= slot && slot <= to.at {
                (low, high) = (low.min(corner - self.corner_error), high.max(corner + self.corner_error));
            }
        }
        // Along the axis the piece ends at the planes, elsewhere at the box to which it belongs.
        let axis = self.axis.cmpeq(Vec4::ONE);
        let first = Vec4::select(axis, Vec4::splat(from.at), Vec4::NEG_INFINITY);
        let last = Vec4::select(axis, Vec4::splat(to.at), Vec4::INFINITY);
        let low = low.max(first).max(Vec4::from_array(within.low));
        let high = high.min(last).min(Vec4::from_array(within.high));
        // All bounds are rounded outward, so an inverted box proves that the piece is empty.
        let there = low.cmple(high).bitmask() & 0b111 == 0b111;
        if there { Bounds { low: low.to_array(), high: high.to_array() } } else { Bounds::EMPTY }
    }
}

/// Splits a triangle within a box at the plane `at` of an axis. Returns the bounds of the pieces below and above. Their
/// union contains every point of the triangle within the box; bounds are empty where there is none.
pub(crate) fn cut(triangle: SplitTriangle, within: &Bounds, axis: usize, at: f32) -> [Bounds; 2] {
    let triangle = TriangleClipper::new(triangle, axis);
    let middle = triangle.section(at);
    [(&CrossSection::BEFORE_ALL, &middle), (&middle, &CrossSection::BEYOND_ALL)]
        .map(|(from, to)| triangle.between(from, to, within))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use glam::DVec3;
    use test_support::random::Lcg;

    const CORNERS: [Vec4; 3] =
        [Vec4::new(0.0, 0.0, 0.0, 0.0), Vec4::new(4.0, 0.0, 1.0, 0.0), Vec4::new(0.0, 3.0, 2.0, 0.0)];
    const WHOLE: Bounds = Bounds { low: [0.0; 4], high: [4.0, 3.0, 2.0, 0.0] };

    fn exact(corners: [Vec4; 3]) -> SplitTriangle {
        SplitTriangle { corners, rounding: 0.0 }
    }

    fn points() -> impl Iterator<Item = [f32; 3]> {
        let [a, b, c] = CORNERS;
        let point = move |i: u8, j: u8| {
            let (u, v) = (f32::from(i) / 20.0, f32::from(j) / 20.0);
            (a + u * (b - a) + v * (c - a)).truncate().to_array()
        };
        (0..=20).flat_map(move |i| (0..=20 - i).map(move |j| point(i, j)))
    }

    fn contains(b: &Bounds, p: [f32; 3]) -> bool {
        (0..3).all(|k| b.low[k] - 1e-6 <= p[k] && p[k] <= b.high[k] + 1e-6)
    }

    #[test]
    fn pieces_hold_the_triangle() {
        let [round_down_f32, beyond] = cut(exact(CORNERS), &WHOLE, 0, 1.0);
        assert_eq!(round_down_f32.low[..3], [0.0; 3]);
        assert_eq!((round_down_f32.high[0], beyond.low[0], beyond.high[0]), (1.0, 1.0, 4.0));
        // The edge from (4, 0, 1) to (0, 3, 2) meets the plane at (1, 2.25, 1.75).
        assert!(beyond.high[1] >= 2.25 && beyond.high[1] < 2.2501, "{beyond:?}");
        assert!(beyond.high[2] >= 1.75 && beyond.low[2] <= 0.25 && beyond.low[2] > 0.2499, "{beyond:?}");
        for p in points() {
            assert!(contains(&round_down_f32, p) || contains(&beyond, p), "{p:?}");
            assert!(p[0] != 1.0 || (contains(&round_down_f32, p) && contains(&beyond, p)), "{p:?}");
        }
    }

    /// Slices contain the triangle and little more, for all corner orders and for planes through corners and outside
    /// it.
    #[test]
    fn slices_hold_the_triangle_and_little_more() {
        for axis in 0..3 {
            for turn in 0..6 {
                let [mut a, mut b, c] = [0, 1, 2].map(|i| CORNERS[(i + turn) % 3]);
                if turn >= 3 {
                    core::mem::swap(&mut a, &mut b);
                }
                let triangle = TriangleClipper::new(exact([a, b, c]), axis);
                let planes = [-1.0, 0.0, 0.5, 1.0, 1.75, 2.0, 3.0, 5.0].map(|at| triangle.section(at));
                let mut slices = vec![triangle.between(&CrossSection::BEFORE_ALL, &planes[0], &WHOLE)];
                slices.extend(planes.windows(2).map(|pair| triangle.between(&pair[0], &pair[1], &WHOLE)));
                slices.push(triangle.between(&planes[7], &CrossSection::BEYOND_ALL, &WHOLE));
                for p in points() {
                    for (k, slice) in slices.iter().enumerate() {
                        let from = k.checked_sub(1).map_or(f32::NEG_INFINITY, |k| planes[k].at);
                        let inside = from <= p[axis] && planes.get(k).is_none_or(|to| p[axis] <= to.at);
                        assert!(!inside || contains(slice, p), "{axis} {turn} {k} {p:?} {slice:?}");
                    }
                }
                // Slices before the first corner and beyond the last are empty.
                assert_eq!((slices[0], slices[8]), (Bounds::EMPTY, Bounds::EMPTY));
                let width = |slice: &Bounds, k: usize| f64::from(slice.high[k]) - f64::from(slice.low[k]);
                let all: f64 = slices.iter().map(|slice| width(slice, axis).max(0.0)).sum();
                assert!((all - width(&WHOLE, axis)).abs() < 1e-5, "{axis} {turn} {slices:?}");
            }
        }
        // Between x = 1 and 1.75: the line above ends at y = 3 - 3 x / 4, the one below is y = 0.
        let triangle = TriangleClipper::new(exact(CORNERS), 0);
        let slice = triangle.between(&triangle.section(1.0), &triangle.section(1.75), &WHOLE);
        assert!((slice.high[1] - 2.25).abs() < 1e-5 && (slice.low[2] - 0.25).abs() < 1e-5, "{slice:?}");
    }

    /// Pieces of a rounded triangle contain the points of the true one, also where planes pass through rounded corners and
    /// where edges are nearly parallel to them; and cuts that pass no corner leave little more.
    #[test]
    fn pieces_of_a_rounded_triangle_hold_the_true_one() {
        let mut numbers = Lcg::new(3);
        let mut next = || numbers.signed_unit();
        let (mut points, mut small) = (0, 0);
        for round in 0..40_000 {
            let thin = [1.0, 1e-3, 1e-7, 1e-8][round % 4];
            let axis = round / 4 % 3;
            // A triangle whose edges may be nearly parallel to the planes, and its corners as `f32` rounds them.
            let from = DVec3::new(next(), next(), next()) * 3.0;
            let mut edge = || {
                let mut edge = DVec3::new(next(), next(), next());
                edge[axis] *= thin;
                edge
            };
            let corners = [from, from + edge(), from + edge()];
            let rounded = corners.map(|v| v.as_vec3().extend(1.0));
            let whole = corners.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
            let bounds = Bounds::around(&crate::Aabb { min: whole.0, max: whole.1 });
            // The plane is between the corners, or passes through one of the rounded ones.
            let slots = rounded.map(|v| v[axis]);
            let inside = slots[0] + (slots[1] - slots[0]) * 0.3;
            let at = [inside, slots[0], slots[1], slots[2].next_up()][round / 12 % 4];
            let pieces = cut(SplitTriangle { corners: rounded, rounding: SINGLE_ROUNDING }, &bounds, axis, at);
            let at = f64::from(at);
            // Points of the true triangle, among them those where its edges cross the plane, are in the pieces on their
            // side.
            let [a, b, c] = corners;
            let crossing = |p: DVec3, q: DVec3| p + (q - p) * ((at - p[axis]) / (q[axis] - p[axis])).clamp(0.0, 1.0);
            for p in [a, b, c, crossing(a, b), crossing(b, c), crossing(c, a), (a + b + c) / 3.0] {
                for (piece, there) in pieces.iter().zip([p[axis] <= at, p[axis] >= at]) {
                    let off = |k: usize| (f64::from(piece.low[k]) - p[k]).max(p[k] - f64::from(piece.high[k]));
                    // `crossing` is computed in `f64`.
                    assert!(!there || (0..3).all(|k| off(k) <= 1e-14), "{corners:?} {axis} {at} {p:?} {piece:?}");
                    points += usize::from(there);
                }
            }
            // A cut through the middle must leave pieces that are smaller than the whole.
            let width = |bounds: &Bounds| (0..3).map(|k| f64::from(bounds.high[k] - bounds.low[k])).sum::<f64>();
            small += usize::from(
                round / 12 % 4 == 0 && thin == 1.0 && pieces.iter().any(|piece| width(piece) < 0.8 * width(&bounds)),
            );
        }
        assert!(points > 200_000 && small > 1500, "{points} {small}");
    }
}
