//! Lower bounds of the distances from a point to sixteen triangles.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::node::{Leaf, WIDTH};
use crate::math::rounding::{SINGLE_ROUNDING, power, round_down_f32};
use crate::math::vec3::Vec3;
use crate::mesh::triangle_blocks::{AxisView, TriangleBlocks};
use crate::simd::lanes::{F32Lanes, SimdF32};

/// Bound of the errors of a projection, as a multiple of its largest offset and the sum of the direction's components: a
/// difference, the scale, three products and two sums have five roundings at most; the rest makes room for the bound's own.
const PROJECTION_ERROR: f32 = 16.0 * SINGLE_ROUNDING;

/// What a quotient of squares may lose by its few roundings: the share that is left.
const QUOTIENT_SHARE: f32 = 1.0 - 32.0 * SINGLE_ROUNDING;

/// What an offset may lose besides, where all coordinates are below 8: 2^-45 for the distance of the triangle in `f64`
/// (see [`BoxDistance`]), and 2^-20 if the corners were rounded.
const EXACT_CORNER_SLACK: f32 = f32::from_bits((127 - 45) << 23);

const ROUNDED_CORNER_SLACK: f32 = f32::from_bits((127 - 20) << 23);

/// What the squares may lose below the range of normal numbers.
const VANISHING_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// Squares above this keep their digits in `f32`.
const LEAST_SQUARE: f64 = power(-60);

/// A point prepared for the triangles of leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleBounds {
    point: [f32; 3],
    scale: f32,
    /// Bound of the scaled errors of a corner, and of the point.
    slack: f32,
}

impl TriangleBounds {
    pub(crate) fn new(point: &BoxDistance, are_exact: bool) -> Self {
        let corner = if are_exact { EXACT_CORNER_SLACK } else { ROUNDED_CORNER_SLACK };
        // A point between two numbers, or one that is known in part only: twice the difference makes room for its rounding.
        let [x, y, z] = point.differences();
        Self { point: point.low, scale: point.scale, slack: corner + 2.0 * point.scale * x.max(y).max(z) }
    }

    /// Lower bounds of the squared distances to the triangles of a leaf, scaled as those of boxes are; zero beyond its
    /// triangles.
    ///
    /// # Method
    /// All points of a triangle are at least as far from the point as its nearest corner is along any direction. The direction
    /// to the centroid is nearly that of the closest point, unless the triangle is large beside its distance; then zero is the
    /// bound.
    ///
    /// # Source
    /// Separating planes: Ericson, *Real-Time Collision Detection*, 2005, section 5.2.
    ///
    /// # Accuracy
    /// With u = 2^-24, R the largest offset of a corner from the point along an axis, s the slack and w the direction: an offset
    /// is off by 2 u R + s, a projection by less than `(5 u R + s) |w|_1` with the sum of the absolute components
    /// `|w|_1 >= |w|`. Three times that is subtracted. `what_is_certain_of_distances_is_true`.
    ///
    /// # Edges
    /// A direction of zero is a NaN, which becomes zero.
    #[inline(always)]
    pub(crate) fn bounds<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf) -> L {
        let (rows, scale) = (blocks.rows(leaf), L::splat(self.scale));
        let x = self.offsets::<L>(&AxisView::of(rows, 0, leaf), 0, scale);
        let y = self.offsets::<L>(&AxisView::of(rows, 1, leaf), 1, scale);
        let z = self.offsets::<L>(&AxisView::of(rows, 2, leaf), 2, scale);
        let (u, v, w) = (x[0].plus(x[1]).plus(x[2]), y[0].plus(y[1]).plus(y[2]), z[0].plus(z[1]).plus(z[2]));
        let a = x[0].times(u).plus(y[0].times(v)).plus(z[0].times(w));
        let b = x[1].times(u).plus(y[1].times(v)).plus(z[1].times(w));
        let c = x[2].times(u).plus(y[2].times(v)).plus(z[2].times(w));
        let largest_x = x[0].larger(x[1]).larger(x[2]);
        let largest_y = y[0].larger(y[1]).larger(y[2]);
        let largest_z = z[0].larger(z[1]).larger(z[2]);
        let largest = largest_x.larger(largest_y).larger(largest_z);
        let sum = u.abs().plus(v.abs()).plus(w.abs());
        let error = largest.times(L::splat(PROJECTION_ERROR)).plus(L::splat(3.0 * self.slack)).times(sum);
        let least = a.min(b).min(c).minus(error).max(L::splat(0.0));
        let length_sq = u.times(u).plus(v.times(v)).plus(w.times(w));
        let bound = least.times(least).div(length_sq).times(L::splat(QUOTIENT_SHARE));
        bound.minus(L::splat(VANISHING_SQUARE)).max(L::splat(0.0))
    }

    /// Scaled offsets of the three corners along one axis.
    #[inline(always)]
    fn offsets<L: SimdF32>(&self, view: &AxisView<'_>, axis: usize, scale: L) -> [L; 3] {
        let point = L::splat(self.point[axis]);
        [
            view.at::<L>(0).minus(point).times(scale),
            view.at::<L>(1).minus(point).times(scale),
            view.at::<L>(2).minus(point).times(scale),
        ]
    }
}

/// A segment with a radius, prepared for the corners of triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentInside {
    start: TriangleBounds,
    edge: [f32; 3],
    inverse_sq: f32,
    limit_sq: f32,
}

impl SegmentInside {
    /// The segment from the point of the bounds along an edge, which is scaled as distances are, with a scaled radius. `None` if
    /// nothing is certain.
    ///
    /// # Accuracy
    /// With u = 2^-24, the offset o of a corner, the edge e and the slack s of a coordinate: any t of 0..=1 is that of a point of the
    /// segment, and `o - t e` is off by at most `4 u (|o| + |e|) + 2 s`. `|o|` is at most the distance plus `|e|`, and the square is off by
    /// a share of 4 u. So 32 u of the radius and the edge, and twice the slack, are room enough.
    pub(crate) fn new(start: &TriangleBounds, edge: Vec3<f64>, radius: f64) -> Option<Self> {
        let share = 32.0 * f64::from(SINGLE_ROUNDING);
        let rest = radius - share * (radius + 2.0 * edge.l1_norm()) - 4.0 * f64::from(start.slack);
        let length_sq = edge.length_sq();
        let inverse = if length_sq > LEAST_SQUARE { 1.0 / length_sq } else { 0.0 };
        let limit_sq = round_down_f32(rest * rest * f64::from(QUOTIENT_SHARE));
        let is_usable = start.scale > 0.0 && rest * rest > LEAST_SQUARE && rest > 0.0 && limit_sq.is_finite();
        let edge = [edge.x, edge.y, edge.z].map(|x| x as f32);
        is_usable.then_some(Self { start: *start, edge, inverse_sq: inverse as f32, limit_sq })
    }

    /// The mask of the triangles of a leaf with a corner that is certainly no farther from the segment than the radius.
    #[inline(always)]
    pub(crate) fn mask<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf) -> u32 {
        let (rows, scale) = (blocks.rows(leaf), L::splat(self.start.scale));
        let x = self.start.offsets::<L>(&AxisView::of(rows, 0, leaf), 0, scale);
        let y = self.start.offsets::<L>(&AxisView::of(rows, 1, leaf), 1, scale);
        let z = self.start.offsets::<L>(&AxisView::of(rows, 2, leaf), 2, scale);
        self.corner::<L>(x[0], y[0], z[0]) | self.corner::<L>(x[1], y[1], z[1]) | self.corner::<L>(x[2], y[2], z[2])
    }

    #[inline(always)]
    fn corner<L: SimdF32>(&self, x: L, y: L, z: L) -> u32 {
        let [u, v, w] = [L::splat(self.edge[0]), L::splat(self.edge[1]), L::splat(self.edge[2])];
        let along = x.times(u).plus(y.times(v)).plus(z.times(w)).times(L::splat(self.inverse_sq));
        let t = along.max(L::splat(0.0)).min(L::splat(1.0));
        let (x, y, z) = (x.minus(u.times(t)), y.minus(v.times(t)), z.minus(w.times(t)));
        x.times(x).plus(y.times(y)).plus(z.times(z)).le(L::splat(self.limit_sq))
    }
}

/// The lane of the mask with the least number. The mask is not empty.
#[inline(always)]
pub(crate) fn nearest_lane(numbers: &F32Lanes, mask: u32) -> usize {
    let mut nearest = mask.trailing_zeros() as usize % WIDTH;
    let mut others = mask & mask.wrapping_sub(1);
    while others != 0 {
        let lane = others.trailing_zeros() as usize % WIDTH;
        others &= others - 1;
        if numbers[lane] < numbers[nearest] {
            nearest = lane;
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::triangle::on_triangle;
    use crate::math::arithmetic::Arithmetic;
    use crate::math::dd::Dd;
    use crate::math::vector::Vector;
    use crate::simd::dispatch::dispatch;
    use crate::simd::task::SimdKernel;
    use alloc::vec::Vec;
    use glam::DVec3;
    use test_support::random::Rng;

    struct Bounds<'a>(&'a TriangleBounds, &'a TriangleBlocks, Leaf);
    impl SimdKernel for Bounds<'_> {
        type Output = [u32; WIDTH];
        fn run<L: SimdF32>(self) -> Self::Output {
            let mut out = [0.0; WIDTH];
            self.0.bounds::<L>(self.1, self.2).store(&mut out);
            out.map(f32::to_bits)
        }
    }

    /// Triangles of every size near and far, with corners in `f32` and in `f64`, are never nearer than their bounds, and the
    /// bounds of small triangles are tight.
    #[test]
    fn what_is_certain_of_distances_is_true() {
        let mut rng = Rng::new(1);
        let (mut tight, mut small) = (0, 0);
        for round in 0..20_000 {
            let (unit, size) = (rng.pick(&[1.0, 1e-9, 1e9]), rng.pick(&[1e-3, 0.05, 1.0]));
            let is_exact = round % 2 == 0;
            let number = |x: f64| if is_exact { f64::from(x as f32) } else { x };
            let vector = |rng: &mut Rng, size: f64| rng.cube(3).map(|x| x * size * unit);
            let mut vertices = Vec::new();
            for _ in 0..WIDTH {
                let center = vector(&mut rng, 1.0);
                for _ in 0..3 {
                    let offset = vector(&mut rng, size);
                    vertices.push(DVec3::from([0, 1, 2].map(|i| number(center[i] + offset[i]))));
                }
            }
            let spread = rng.pick(&[1.0, 10.0]);
            let point = DVec3::from(vector(&mut rng, spread).map(number));
            let triangles: Vec<[u32; 3]> = (0..WIDTH as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let (mut blocks, ids, leaf) =
                (TriangleBlocks::default(), Vec::from_iter(0..WIDTH as u32), Leaf::new(0, WIDTH));
            blocks.fill::<DVec3>(&vertices, &triangles, &[leaf], &ids);
            let (test, scale) = BoxDistance::of_point(point, None, 2.0 * unit);
            let bounds = TriangleBounds::new(&test, blocks.are_exact);
            let found = dispatch(Bounds(&bounds, &blocks, leaf));
            assert_eq!(found, Bounds(&bounds, &blocks, leaf).run::<F32Lanes>());
            for (bound, corners) in found.iter().zip(vertices.chunks(3)) {
                let place = |v: DVec3| v.widen::<Dd>().map(|c| c.times_power_of_two(scale));
                let truth = on_triangle(place(point), [place(corners[0]), place(corners[1]), place(corners[2])]);
                let (bound, truth) = (f64::from(f32::from_bits(*bound)), truth.distance_sq.to_f64());
                assert!(bound <= truth, "{bound} {truth} {point} {corners:?}");
                if size < 0.01 {
                    small += 1;
                    tight += usize::from(bound >= truth * 0.99);
                }
            }
        }
        assert!(tight > small * 9 / 10, "{tight} {small}");
    }

    struct CornerMask<'a>(&'a SegmentInside, &'a TriangleBlocks, Leaf);
    impl SimdKernel for CornerMask<'_> {
        type Output = u32;
        fn run<L: SimdF32>(self) -> u32 {
            self.0.mask::<L>(self.1, self.2)
        }
    }

    /// Corners that count as inside of a ball or capsule are, and nearly all that are inside count.
    #[test]
    fn what_is_certain_of_corners_is_true() {
        let mut rng = Rng::new(2);
        let (mut inside, mut found) = (0, 0);
        for round in 0..20_000 {
            let unit = rng.pick(&[1.0, 1e-9, 1e9]);
            let is_exact = round % 2 == 0;
            let number = |x: f64| if is_exact { f64::from(x as f32) } else { x };
            let vector = |rng: &mut Rng, size: f64| DVec3::from(rng.cube(3).map(|x| number(x * size * unit)));
            let (start, radius) = (vector(&mut rng, 1.0), number(rng.pick(&[1e-3, 0.1, 0.5]) * unit));
            let size = rng.pick(&[0.0, 1e-3, 1.0, 30.0]);
            let end = start + vector(&mut rng, size);
            // Near the segment, at about the radius.
            let vertices: Vec<DVec3> = (0..3 * WIDTH)
                .map(|_| {
                    let way = vector(&mut rng, 1.0).normalize_or(DVec3::X);
                    let place =
                        start + (end - start) * rng.between(-0.1, 1.1) + way * radius * rng.pick(&[0.5, 1.0, 1.2]);
                    place.to_array().map(number).into()
                })
                .collect();
            let triangles: Vec<[u32; 3]> = (0..WIDTH as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let (mut blocks, ids, leaf) =
                (TriangleBlocks::default(), Vec::from_iter(0..WIDTH as u32), Leaf::new(0, WIDTH));
            blocks.fill::<DVec3>(&vertices, &triangles, &[leaf], &ids);
            let largest = vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
            let (test, scale) = BoxDistance::of_point(start, None, largest);
            let edge = (end - start).widen::<f64>() * scale;
            let start_bounds = TriangleBounds::new(&test, blocks.are_exact);
            let Some(corners) = SegmentInside::new(&start_bounds, edge, radius * scale) else { continue };
            let mask = dispatch(CornerMask(&corners, &blocks, leaf));
            assert_eq!(mask, CornerMask(&corners, &blocks, leaf).run::<F32Lanes>());
            for (lane, corners) in vertices.chunks(3).enumerate() {
                let distance = |p: &DVec3| {
                    let (offset, edge) = ((*p - start) / unit, (end - start) / unit);
                    let t = if edge == DVec3::ZERO { 0.0 } else { (offset.dot(edge) / edge.dot(edge)).clamp(0.0, 1.0) };
                    (offset - edge * t).length() / (radius / unit)
                };
                let least = corners.iter().map(distance).fold(f64::INFINITY, f64::min);
                let is_found = mask >> lane & 1 == 1;
                assert!(!is_found || least <= 1.0, "{least} {start} {end} {radius} {corners:?}");
                inside += usize::from(least < 0.9);
                found += usize::from(is_found);
            }
        }
        assert!(found * 10 > inside * 9, "{found} {inside}");
    }
}
