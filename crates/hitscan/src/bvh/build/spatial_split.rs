//! Triangles cut by planes, for the tree: only the boxes around the pieces are wanted.

use crate::bvh::bounds::Bounds;
use crate::math::rounding::SINGLE_ROUNDING;
use glam::Vec4;

/// The corners of a part that is a triangle. Fourth numbers mean nothing, but are computed with: 1 will do.
pub(crate) type Corners<'a> = dyn Fn(u32) -> [Vec4; 3] + Sync + 'a;

/// What a point of an edge may be off by for products that vanish. Not the least there is: half of that would be subnormal, and
/// slow.
const NEXT_TO_NOTHING: f32 = f32::from_bits((127 - 100) << 23);

/// A triangle that is cut by planes across one axis.
///
/// # Source
/// Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High Performance Graphics, 2009, section
/// 3.1.
pub(crate) struct Sliced {
    /// Along the axis, from the first to the last.
    corners: [Vec4; 3],
    /// Where they are along it.
    places: [f32; 3],
    /// Of length 1.
    axis: Vec4,
    off: Vec4,
}

/// A plane, and the box around what a triangle has in common with it.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    at: f32,
    low: Vec4,
    high: Vec4,
}

impl Section {
    pub(crate) const BEFORE_ALL: Self = Self::nothing(f32::NEG_INFINITY);
    pub(crate) const BEYOND_ALL: Self = Self::nothing(f32::INFINITY);

    const fn nothing(at: f32) -> Self {
        Self { at, low: Vec4::INFINITY, high: Vec4::NEG_INFINITY }
    }
}

impl Sliced {
    #[inline(always)]
    pub(crate) fn new([a, b, c]: [Vec4; 3], axis: usize) -> Self {
        let sorted = |a: (f32, Vec4), b: (f32, Vec4)| if b.0 < a.0 { [b, a] } else { [a, b] };
        let [a, b] = sorted((a[axis], a), (b[axis], b));
        let [b, c] = sorted(b, (c[axis], c));
        let [a, b] = sorted(a, b);
        // A point of an edge is off by three roundings of its share, two more of the product, one of the sum: of numbers of
        // twice this size.
        let size = a.1.abs().max(b.1.abs()).max(c.1.abs());
        let off = size * (16.0 * SINGLE_ROUNDING) + Vec4::splat(NEXT_TO_NOTHING);
        let places = [a.0, b.0, c.0];
        Self { corners: [a.1, b.1, c.1], places, axis: Vec4::AXES[axis], off }
    }
    /// Rounded outward; nothing where the plane meets a corner at most.
    #[inline(always)]
    pub(crate) fn section(&self, at: f32) -> Section {
        let Self { corners: [a, b, c], places: [x, y, z], off, .. } = *self;
        if !(x < at && at < z) {
            return Section::nothing(at);
        }
        let point = |(p, x): (Vec4, f32), (q, y): (Vec4, f32)| p + (q - p) * ((at - x) / (y - x));
        // The edges that are asked have a length along the axis.
        let (p, q) = if at < y { ((a, x), (b, y)) } else { ((b, y), (c, z)) };
        let (one, two) = (point((a, x), (c, z)), point(p, q));
        Section { at, low: one.min(two) - off, high: one.max(two) + off }
    }
    /// The box around the piece between two planes, within another box: it holds every point there that the triangle has
    /// within that box. Empty where there is none.
    #[inline(always)]
    pub(crate) fn between(&self, from: &Section, to: &Section, within: &Bounds) -> Bounds {
        let (mut low, mut high) = (from.low.min(to.low), from.high.max(to.high));
        for (corner, place) in self.corners.into_iter().zip(self.places) {
            if from.at <= place && place <= to.at {
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
        let axis = self.axis.cmpeq(Vec4::ONE);
        let first = Vec4::select(axis, Vec4::splat(from.at), Vec4::NEG_INFINITY);
        let last = Vec4::select(axis, Vec4::splat(to.at), Vec4::INFINITY);
        let low = low.max(first).max(Vec4::from_array(within.low));
        let high = high.min(last).min(Vec4::from_array(within.high));
        // All is rounded outward: a piece whose sides have passed each other is not there.
        let there = low.cmple(high).bitmask() & 0b111 == 0b111;
        if there { Bounds { low: low.to_array(), high: high.to_array() } } else { Bounds::EMPTY }
    }
}

/// The boxes around the pieces of a triangle within a box, below `at` along an axis and above it: together they hold every
/// point of the triangle within the box; empty where there is none.
pub(crate) fn cut(corners: [Vec4; 3], within: &Bounds, axis: usize, at: f32) -> [Bounds; 2] {
    let triangle = Sliced::new(corners, axis);
    let middle = triangle.section(at);
    [(&Section::BEFORE_ALL, &middle), (&middle, &Section::BEYOND_ALL)]
        .map(|(from, to)| triangle.between(from, to, within))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const CORNERS: [Vec4; 3] =
        [Vec4::new(0.0, 0.0, 0.0, 0.0), Vec4::new(4.0, 0.0, 1.0, 0.0), Vec4::new(0.0, 3.0, 2.0, 0.0)];
    const WHOLE: Bounds = Bounds { low: [0.0; 4], high: [4.0, 3.0, 2.0, 0.0] };

    fn points() -> impl Iterator<Item = [f32; 3]> {
        let [a, b, c] = CORNERS;
        let point = move |i: u8, j: u8| {
            let (u, v) = (f32::from(i) / 20.0, f32::from(j) / 20.0);
            (a + u * (b - a) + v * (c - a)).truncate().to_array()
        };
        (0..=20).flat_map(move |i| (0..=20 - i).map(move |j| point(i, j)))
    }

    fn holds(b: &Bounds, p: [f32; 3]) -> bool {
        (0..3).all(|k| b.low[k] - 1e-6 <= p[k] && p[k] <= b.high[k] + 1e-6)
    }

    #[test]
    fn pieces_hold_the_triangle() {
        let [below, beyond] = cut(CORNERS, &WHOLE, 0, 1.0);
        assert_eq!(below.low[..3], [0.0; 3]);
        assert_eq!((below.high[0], beyond.low[0], beyond.high[0]), (1.0, 1.0, 4.0));
        // The edge from (4, 0, 1) to (0, 3, 2) meets the plane at (1, 2.25, 1.75).
        assert!(beyond.high[1] >= 2.25 && beyond.high[1] < 2.2501, "{beyond:?}");
        assert!(beyond.high[2] >= 1.75 && beyond.low[2] <= 0.25 && beyond.low[2] > 0.2499, "{beyond:?}");
        for p in points() {
            assert!(holds(&below, p) || holds(&beyond, p), "{p:?}");
            assert!(p[0] != 1.0 || (holds(&below, p) && holds(&beyond, p)), "{p:?}");
        }
    }

    /// However it is turned, and wherever the planes are: also through corners, and past all of it.
    #[test]
    fn slices_hold_the_triangle_and_little_more() {
        for axis in 0..3 {
            for turn in 0..6 {
                let [mut a, mut b, c] = [0, 1, 2].map(|i| CORNERS[(i + turn) % 3]);
                if turn >= 3 {
                    core::mem::swap(&mut a, &mut b);
                }
                let triangle = Sliced::new([a, b, c], axis);
                let planes = [-1.0, 0.0, 0.5, 1.0, 1.75, 2.0, 3.0, 5.0].map(|at| triangle.section(at));
                let mut slices = vec![triangle.between(&Section::BEFORE_ALL, &planes[0], &WHOLE)];
                slices.extend(planes.windows(2).map(|pair| triangle.between(&pair[0], &pair[1], &WHOLE)));
                slices.push(triangle.between(&planes[7], &Section::BEYOND_ALL, &WHOLE));
                for p in points() {
                    for (k, slice) in slices.iter().enumerate() {
                        let from = k.checked_sub(1).map_or(f32::NEG_INFINITY, |k| planes[k].at);
                        let inside = from <= p[axis] && planes.get(k).is_none_or(|to| p[axis] <= to.at);
                        assert!(!inside || holds(slice, p), "{axis} {turn} {k} {p:?} {slice:?}");
                    }
                }
                // Before the first corner and beyond the last there is nothing.
                assert_eq!((slices[0], slices[8]), (Bounds::EMPTY, Bounds::EMPTY));
                let width = |slice: &Bounds, k: usize| f64::from(slice.high[k]) - f64::from(slice.low[k]);
                let all: f64 = slices.iter().map(|slice| width(slice, axis).max(0.0)).sum();
                assert!((all - width(&WHOLE, axis)).abs() < 1e-5, "{axis} {turn} {slices:?}");
            }
        }
        // Between x = 1 and 1.75: the line above ends at y = 3 - 3 x / 4, the one below is y = 0.
        let triangle = Sliced::new(CORNERS, 0);
        let slice = triangle.between(&triangle.section(1.0), &triangle.section(1.75), &WHOLE);
        assert!((slice.high[1] - 2.25).abs() < 1e-5 && (slice.low[2] - 0.25).abs() < 1e-5, "{slice:?}");
    }
}
