//! Lower bounds of the distances from a point to sixteen triangles.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::node::Leaf;
use crate::math::rounding::{SINGLE_ROUNDING, power, round_down_f32};
use crate::math::vec3::Vec3;
use crate::mesh::triangle_blocks::{AxisView, TriangleBlocks};
use crate::simd::lanes::SimdF32;

/// Bound of the errors of a projection, as a multiple of its largest offset and the sum of the direction's components: a
/// difference, the scale, three products and two sums have five roundings at most; the rest makes room for the bound's own.
const PROJECTION_ERROR: f32 = 16.0 * SINGLE_ROUNDING;

/// What a quotient of squares may lose by its few roundings: the share that is left.
const QUOTIENT_SHARE: f32 = 1.0 - 32.0 * SINGLE_ROUNDING;

/// What an offset may lose besides, where all coordinates are below 8: 2^-45 for the distance of the triangle in `f64`
/// (see [`BoxDistance`]), and 2^-20 if the corners were rounded.
const EXACT_CORNER_SLACK: f32 = f32::from_bits((127 - 45) << 23);

const ROUNDED_CORNER_SLACK: f32 = f32::from_bits((127 - 20) << 23);

/// What a root or a square may lack by its few roundings.
const ROOT_EXCESS: f32 = 1.0 + 16.0 * SINGLE_ROUNDING;

/// What the squares may lose below the range of normal numbers.
const VANISHING_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// Squares above this keep their digits in `f32`.
const LEAST_SQUARE: f64 = power(-60);

/// A point prepared for the triangles of leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleBounds {
    point: [f32; 3],
    pub(crate) scale: f32,
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
    /// With u = 2^-24, R the largest offset of a corner from the point along an axis, s the slack and w the direction:
    /// an offset is off by 2 u R + s, a projection by less than `(5 u R + s) |w|_1` with the sum of the absolute
    /// components `|w|_1 >= |w|`. Three times that is subtracted. `what_is_certain_of_distances_is_true`. See
    /// docs/proofs.md, Lemma 30.
    ///
    /// # Edges
    /// A direction of zero is a NaN, which becomes zero.
    #[inline(always)]
    pub(crate) fn bounds<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf) -> L {
        let [x, y, z] = self.all_offsets::<L>(blocks, leaf);
        let (u, v, w) = (x[0].plus(x[1]).plus(x[2]), y[0].plus(y[1]).plus(y[2]), z[0].plus(z[1]).plus(z[2]));
        self.lower([x, y, z], [u, v, w], largest_offset([x, y, z]))
    }

    /// Lower bounds of the squared distances to the triangles of a leaf, and upper ones for a point and triangles in the same
    /// coordinates.
    ///
    /// # Method
    /// The direction of [`bounds`](Self::bounds) is the one to the closest point of the triangle, up to rounding: the foot of the
    /// perpendicular if it is inside, else a point of the nearest edge. Whatever the roundings do, it is a point of the triangle,
    /// so its distance is an upper bound, and the lower bound holds for every direction.
    ///
    /// # Source
    /// The duality between points and separating planes ends GJK, too: Gilbert, Johnson, Keerthi, *A Fast Procedure for
    /// Computing the Distance Between Complex Objects*, 1988, section IV.
    ///
    /// # Accuracy
    /// Weights or a parameter that are rounded are those of another point of the triangle. Its offset is off by less than
    /// 8 u R + s along each axis, so its distance by less than 16 u R + 2 s. `what_is_certain_of_distances_is_true`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn close_bounds<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf) -> (L, L) {
        let offsets = self.all_offsets::<L>(blocks, leaf);
        let largest = largest_offset(offsets);
        let closest = closest_points(offsets);
        let error = largest.times(L::splat(PROJECTION_ERROR)).plus(L::splat(3.0 * self.slack));
        let upper = length_sq(closest).sqrt().times(L::splat(ROOT_EXCESS)).plus(error);
        let upper = upper.times(upper).times(L::splat(ROOT_EXCESS)).plus(L::splat(VANISHING_SQUARE));
        (self.lower(offsets, closest, largest), upper)
    }

    /// Lower bounds along one direction for each triangle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lower<L: SimdF32>(&self, [x, y, z]: [[L; 3]; 3], way: [L; 3], largest: L) -> L {
        let [u, v, w] = way;
        let a = dot([x[0], y[0], z[0]], way);
        let b = dot([x[1], y[1], z[1]], way);
        let c = dot([x[2], y[2], z[2]], way);
        let sum = u.abs().plus(v.abs()).plus(w.abs());
        let error = largest.times(L::splat(PROJECTION_ERROR)).plus(L::splat(3.0 * self.slack)).times(sum);
        let least = a.min(b).min(c).minus(error).max(L::splat(0.0));
        let bound = least.times(least).div(length_sq(way)).times(L::splat(QUOTIENT_SHARE));
        bound.minus(L::splat(VANISHING_SQUARE)).max(L::splat(0.0))
    }

    /// Scaled offsets of the three corners of each triangle of a leaf, along each axis.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn all_offsets<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf) -> [[L; 3]; 3] {
        let (rows, scale) = (blocks.rows(leaf), L::splat(self.scale));
        [
            self.offsets::<L>(&AxisView::of(rows, 0, leaf), 0, scale),
            self.offsets::<L>(&AxisView::of(rows, 1, leaf), 1, scale),
            self.offsets::<L>(&AxisView::of(rows, 2, leaf), 2, scale),
        ]
    }

    /// Scaled offsets of the three corners along one axis.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn offsets<L: SimdF32>(&self, view: &AxisView<'_>, axis: usize, scale: L) -> [L; 3] {
        let point = L::splat(self.point[axis]);
        [
            view.at::<L>(0).minus(point).times(scale),
            view.at::<L>(1).minus(point).times(scale),
            view.at::<L>(2).minus(point).times(scale),
        ]
    }
}

// Functions, not closures: over registers, closures would compile to calls.

/// Largest offset of a corner along an axis.
#[cfg_attr(not(debug_assertions), inline(always))]
fn largest_offset<L: SimdF32>([x, y, z]: [[L; 3]; 3]) -> L {
    let largest_x = x[0].larger(x[1]).larger(x[2]);
    let largest_y = y[0].larger(y[1]).larger(y[2]);
    let largest_z = z[0].larger(z[1]).larger(z[2]);
    largest_x.larger(largest_y).larger(largest_z)
}

#[inline(always)]
fn dot<L: SimdF32>([a, b, c]: [L; 3], [u, v, w]: [L; 3]) -> L {
    a.mul_add(u, b.mul_add(v, c.times(w)))
}

#[inline(always)]
fn length_sq<L: SimdF32>(v: [L; 3]) -> L {
    dot(v, v)
}

#[inline(always)]
fn cross<L: SimdF32>([a, b, c]: [L; 3], [u, v, w]: [L; 3]) -> [L; 3] {
    [b.times_minus(w, c.times(v)), c.times_minus(u, a.times(w)), a.times_minus(v, b.times(u))]
}

#[inline(always)]
fn blend<L: SimdF32>(a: [L; 3], mask: u32, b: [L; 3]) -> [L; 3] {
    [a[0].blend(mask, b[0]), a[1].blend(mask, b[1]), a[2].blend(mask, b[2])]
}

/// Offsets of a point of each triangle that is the closest one up to rounding.
///
/// # Source
/// As [`on_triangle`](crate::distance::triangle::on_triangle).
#[cfg_attr(not(debug_assertions), inline(always))]
fn closest_points<L: SimdF32>([x, y, z]: [[L; 3]; 3]) -> [L; 3] {
    // The corners relative to the point, and the edges around the triangle.
    let (a, b, c) = ([x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]);
    let (ab, bc, ca) = (minus(b, a), minus(c, b), minus(a, c));
    // The weights of the foot of the perpendicular, each as a volume with the normal: all are positive if the foot is
    // inside.
    let normal = cross(ca, ab);
    let zero = L::splat(0.0);
    // Weights of the third, first and second corner.
    let (of_c, of_a, of_b) = (dot(normal, cross(a, ab)), dot(normal, cross(b, bc)), dot(normal, cross(c, ca)));
    let weights = [of_a, of_b, of_c];
    let sum = of_a.plus(of_b).plus(of_c);
    let inside = zero.less(of_a) & zero.less(of_b) & zero.less(of_c);
    // The foot itself, a mean of the corners.
    let face = [dot(x, weights).div(sum), dot(y, weights).div(sum), dot(z, weights).div(sum)];
    // Otherwise the nearest of the points on the three edges.
    let (on_ab, on_bc, on_ca) = (on_edge(a, ab), on_edge(b, bc), on_edge(c, ca));
    let (ab_sq, bc_sq, ca_sq) = (length_sq(on_ab), length_sq(on_bc), length_sq(on_ca));
    let edge = blend(on_bc, bc_sq.less(ab_sq), on_ab);
    let edge = blend(on_ca, ca_sq.less(ab_sq.min(bc_sq)), edge);
    blend(face, inside, edge)
}

#[inline(always)]
fn minus<L: SimdF32>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0].minus(b[0]), a[1].minus(b[1]), a[2].minus(b[2])]
}

/// A point of each edge from a corner.
#[inline(always)]
fn on_edge<L: SimdF32>(corner: [L; 3], edge: [L; 3]) -> [L; 3] {
    // The quotient of an edge without a length is a NaN, which the maximum takes to zero.
    let t = L::splat(0.0).minus(dot(corner, edge)).div(length_sq(edge)).max(L::splat(0.0)).min(L::splat(1.0));
    [edge[0].mul_add(t, corner[0]), edge[1].mul_add(t, corner[1]), edge[2].mul_add(t, corner[2])]
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
        // The roundings of offsets and squares, as shares of radius and edge, shrink the radius.
        let share = 32.0 * f64::from(SINGLE_ROUNDING);
        let rest = radius - share * (radius + 2.0 * edge.l1_norm()) - 4.0 * f64::from(start.slack);
        // An edge without length is a point: any parameter will do.
        let length_sq = edge.length_sq();
        let inverse = if length_sq > LEAST_SQUARE { 1.0 / length_sq } else { 0.0 };
        let limit_sq = round_down_f32(rest * rest * f64::from(QUOTIENT_SHARE));
        // Smaller numbers would lose their digits in `f32`, and a scale of zero says that nothing is known of the
        // distances.
        let is_usable = start.scale > 0.0 && rest * rest > LEAST_SQUARE && rest > 0.0 && limit_sq.is_finite();
        let edge = [edge.x, edge.y, edge.z].map(|x| x as f32);
        is_usable.then_some(Self { start: *start, edge, inverse_sq: inverse as f32, limit_sq })
    }

    /// The mask of the triangles of a leaf with a corner that is certainly no farther from the segment than the radius.
    #[inline(always)]
    pub(crate) fn mask<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf) -> u32 {
        let [x, y, z] = self.start.all_offsets::<L>(blocks, leaf);
        self.corner::<L>(x[0], y[0], z[0]) | self.corner::<L>(x[1], y[1], z[1]) | self.corner::<L>(x[2], y[2], z[2])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn corner<L: SimdF32>(&self, x: L, y: L, z: L) -> u32 {
        let [u, v, w] = [L::splat(self.edge[0]), L::splat(self.edge[1]), L::splat(self.edge[2])];
        let along = x.times(u).plus(y.times(v)).plus(z.times(w)).times(L::splat(self.inverse_sq));
        let t = along.max(L::splat(0.0)).min(L::splat(1.0));
        let (x, y, z) = (x.minus(u.times(t)), y.minus(v.times(t)), z.minus(w.times(t)));
        x.times(x).plus(y.times(y)).plus(z.times(z)).le(L::splat(self.limit_sq))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::node::WIDTH;
    use crate::distance::triangle::on_triangle;
    use crate::math::arithmetic::Arithmetic;
    use crate::math::dd::Dd;
    use crate::math::vector::Vector;
    use crate::simd::dispatch::dispatch;
    use crate::simd::lanes::F32Lanes;
    use crate::simd::task::SimdKernel;
    use alloc::vec::Vec;
    use glam::DVec3;
    use test_support::random::Rng;

    struct Bounds<'a>(&'a TriangleBounds, &'a TriangleBlocks, Leaf);
    impl SimdKernel for Bounds<'_> {
        /// Lower bounds by the centroids, lower and upper ones by the closest points.
        type Output = [F32Lanes; 3];
        fn run<L: SimdF32>(self) -> Self::Output {
            let (lower, upper) = self.0.close_bounds::<L>(self.1, self.2);
            let mut out = [[0.0; WIDTH]; 3];
            self.0.bounds::<L>(self.1, self.2).store(&mut out[0]);
            lower.store(&mut out[1]);
            upper.store(&mut out[2]);
            out
        }
    }

    /// Triangles of every size near and far, thin ones and points, with corners in `f32` and in `f64`, are never nearer than their
    /// lower bounds and never farther than their upper ones. The bounds are tight: those by centroids for small triangles, those by
    /// closest points for all.
    #[test]
    fn what_is_certain_of_distances_is_true() {
        let mut rng = Rng::new(1);
        let (mut tight, mut small, mut closely_tight, mut all) = (0, 0, 0, 0);
        for round in 0..20_000 {
            let (unit, size) = (rng.pick(&[1.0, 1e-9, 1e9]), rng.pick(&[1e-3, 0.05, 1.0]));
            let is_exact = round % 2 == 0;
            let number = |x: f64| if is_exact { f64::from(x as f32) } else { x };
            let vector = |rng: &mut Rng, size: f64| rng.cube(3).map(|x| x * size * unit);
            // Sixteen triangles, among them a thin one, a segment and a point.
            let mut vertices: Vec<DVec3> = Vec::new();
            for lane in 0..WIDTH {
                let center = vector(&mut rng, 1.0);
                let corners = [0; 3].map(|_| {
                    let offset = vector(&mut rng, size);
                    DVec3::from([0, 1, 2].map(|i| number(center[i] + offset[i])))
                });
                let [a, b, c] = corners;
                vertices.extend(match lane {
                    0 => [a, b, DVec3::from(((a + b) / 2.0).to_array().map(number))],
                    1 => [a, b, a],
                    2 => [a; 3],
                    _ => [a, b, c],
                });
            }
            let spread = rng.pick(&[1.0, 10.0]);
            // Some points are on a triangle, or above it.
            let [a, b, c] = [18, 19, 20].map(|i| vertices[i]);
            let above = (b - a).cross(c - a) / unit * rng.pick(&[0.0, 1e-6, 0.1]);
            let on = a * 0.5 + b * 0.25 + c * 0.25 + above;
            let point = if round % 8 < 2 { on.to_array() } else { vector(&mut rng, spread) };
            let point = DVec3::from(point.map(number));
            // The leaf, and the point as a search prepares it.
            let triangles: Vec<[u32; 3]> = (0..WIDTH as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let (mut blocks, ids, leaf) =
                (TriangleBlocks::default(), Vec::from_iter(0..WIDTH as u32), Leaf::new(0, WIDTH));
            blocks.fill::<DVec3>(&vertices, &triangles, &[leaf], &ids);
            let (test, scale) = BoxDistance::of_point(point, None, 2.0 * unit);
            let bounds = TriangleBounds::new(&test, blocks.are_exact);
            // In registers and in arrays: no bound may be on the wrong side of the true distance.
            for found in [dispatch(Bounds(&bounds, &blocks, leaf)), Bounds(&bounds, &blocks, leaf).run::<F32Lanes>()] {
                for (lane, corners) in vertices.chunks(3).enumerate() {
                    let place = |v: DVec3| v.widen::<Dd>().map(|c| c.times_power_of_two(scale));
                    let truth = on_triangle(place(point), [place(corners[0]), place(corners[1]), place(corners[2])]);
                    let [rough, lower, upper] = found.map(|bounds| f64::from(bounds[lane]));
                    let truth = truth.distance_sq.to_f64();
                    assert!(rough <= truth && lower <= truth, "{rough} {lower} {truth} {point} {corners:?}");
                    assert!(truth <= upper, "{upper} {truth} {point} {corners:?}");
                    // Bounds by centroids are tight for small triangles, bounds by closest points nearly always.
                    if size < 0.01 {
                        small += 1;
                        tight += usize::from(rough >= truth * 0.99);
                    }
                    all += 1;
                    closely_tight += usize::from(lower >= truth * 0.99 && upper <= truth * 1.01);
                }
            }
        }
        assert!(tight > small * 9 / 10, "{tight} {small}");
        assert!(closely_tight > all * 97 / 100, "{closely_tight} {all}");
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
            // A ball or capsule of some size.
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
            // The leaf, and the test as a search prepares it.
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
            // The true distance of each corner, as a share of the radius.
            for (lane, corners) in vertices.chunks(3).enumerate() {
                let distance = |p: &DVec3| {
                    let (offset, edge) = ((*p - start) / unit, (end - start) / unit);
                    let t = if edge == DVec3::ZERO { 0.0 } else { (offset.dot(edge) / edge.dot(edge)).clamp(0.0, 1.0) };
                    (offset - edge * t).length() / (radius / unit)
                };
                let least = corners.iter().map(distance).fold(f64::INFINITY, f64::min);
                let is_found = mask >> lane & 1 == 1;
                // A corner that counts as inside must be inside, and few of those inside may be missed.
                assert!(!is_found || least <= 1.0, "{least} {start} {end} {radius} {corners:?}");
                inside += usize::from(least < 0.9);
                found += usize::from(is_found);
            }
        }
        assert!(found * 10 > inside * 9, "{found} {inside}");
    }
}
