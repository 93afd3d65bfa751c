//! Which of sixteen triangles a moving sphere may touch, and when.

use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::PreparedRay;
use crate::math::eft::sqrt;
use crate::math::rounding::SINGLE_ROUNDING;
use crate::mesh::triangle_blocks::{AxisView, TriangleBlocks};
use crate::simd::lanes::SimdF32;

/// No point of a triangle is farther from the nearest corner than this share of the longest edge: the radius of the circle around
/// an equilateral one, `1 / sqrt(3)`, rounded up.
const CORNER_SHARE: f32 = 0.577_351;

/// What squares of offsets and their roots may lose: far more than the twenty roundings of the formulas below.
const LENGTH_SHARE: f32 = 1.0 - 64.0 * SINGLE_ROUNDING;

const LENGTH_EXCESS: f32 = 1.0 + 64.0 * SINGLE_ROUNDING;

/// Lower bounds of `t` for the triangles of a leaf, and the mask of those that the sphere may touch. `line` is inflated by
/// `margin`, the radius of the sphere or a bound of it.
///
/// # Method
/// Every point of a triangle is at least as far from the line as the nearest corner is, less the greatest distance from a point to
/// a corner; call that bound `h`. A point that is `h` away from the line is touched no earlier than `sqrt(r^2 - h^2)` before the
/// sphere's center passes it, and no point of the triangle is passed before the first corner. In the plane to which the shear maps
/// the line as the origin, the triangle is passed, too, if a square around the origin is beside it or outside of an edge.
///
/// # Source
/// Our derivation; the shear is that of [`WoopShear`](crate::bvh::shear::WoopShear), the last test is that of separating axes.
///
/// # Accuracy
/// With b the error bound of the shear, an offset is off by less than b, a length by less than 2 b and the factors
/// above. The square has the half side of the inflated bound, b + 2 r; a product of two offsets is off by less than
/// that times the sum of all four. `no_contact_is_ruled_out`. See docs/proofs.md, Lemma 37.
///
/// # Edges
/// A NaN rules out nothing.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn swept_bounds<L: SimdF32>(
    (blocks, leaf): (&TriangleBlocks, Leaf),
    line: &PreparedRay,
    margin: f32,
    end: f32,
) -> (L, u32) {
    // The corners in the sheared plane, where the line is the origin. A square around the origin stands for the sphere.
    let shear = &line.shear;
    let (rows, [along_x, along_y, deep]) = (blocks.rows(leaf), shear.axes);
    let deep = AxisView::of(rows, deep, leaf);
    let deep = [deep.at::<L>(0), deep.at::<L>(1), deep.at::<L>(2)];
    let x = offsets(&AxisView::of(rows, along_x, leaf), deep, shear.slope[0], shear.shift[0]);
    let y = offsets(&AxisView::of(rows, along_y, leaf), deep, shear.slope[1], shear.shift[1]);
    let (m, less_m, zero) = (L::splat(shear.error_bound), L::splat(-shear.error_bound), L::splat(0.0));
    // The square is beside the box of the triangle.
    let (low_x, low_y) = (x[0].min(x[1]).min(x[2]), y[0].min(y[1]).min(y[2]));
    let (high_x, high_y) = (x[0].max(x[1]).max(x[2]), y[0].max(y[1]).max(y[2]));
    let mut beside = m.less(low_x) | m.less(low_y) | high_x.less(less_m) | high_y.less(less_m);

    // Twice the areas of the triangles that the origin forms with each edge, and what they may be off by.
    let (a, of_a) = edge(x[0], y[0], x[1], y[1], m);
    let (b, of_b) = edge(x[1], y[1], x[2], y[2], m);
    let (c, of_c) = edge(x[2], y[2], x[0], y[0], m);
    let (area, of_area) = (a.plus(b).plus(c), of_a.plus(of_b).plus(of_c));
    let outside = a.less(zero.minus(of_a)) | b.less(zero.minus(of_b)) | c.less(zero.minus(of_c));
    let inside = of_a.less(a) | of_b.less(b) | of_c.less(c);
    beside |= (outside & of_area.less(area)) | (inside & area.less(zero.minus(of_area)));

    let (slope_x, slope_y) = (L::splat(shear.slope[0]), L::splat(shear.slope[1]));
    let k = 1.0 / (1.0 + shear.slope[0] * shear.slope[0] + shear.slope[1] * shear.slope[1]);
    let inverse_sq = L::splat(k);
    // Parts along the direction, which is (slope, slope, 1) over the root of `1 / k`, and squared lengths across it.
    let along_0 = x[0].times(slope_x).plus(y[0].times(slope_y));
    let along_1 = x[1].times(slope_x).plus(y[1].times(slope_y));
    let along_2 = x[2].times(slope_x).plus(y[2].times(slope_y));
    let corner_0 = across_sq(x[0], y[0], along_0, inverse_sq);
    let corner_1 = across_sq(x[1], y[1], along_1, inverse_sq);
    let corner_2 = across_sq(x[2], y[2], along_2, inverse_sq);
    let side_0 = across_sq(x[1].minus(x[0]), y[1].minus(y[0]), along_1.minus(along_0), inverse_sq);
    let side_1 = across_sq(x[2].minus(x[1]), y[2].minus(y[1]), along_2.minus(along_1), inverse_sq);
    let side_2 = across_sq(x[0].minus(x[2]), y[0].minus(y[2]), along_0.minus(along_2), inverse_sq);
    let (corner_sq, side_sq) = (corner_0.min(corner_1).min(corner_2), side_0.max(side_1).max(side_2));
    // What a length may be off by: the error bound without the margin, four times.
    let slack = 4.0 * (shear.error_bound * LENGTH_EXCESS - 2.0 * margin);
    let least = corner_sq.max(zero).sqrt().times(L::splat(LENGTH_SHARE)).minus(L::splat(slack));
    let least = least.minus(side_sq.max(zero).sqrt().times(L::splat(CORNER_SHARE * LENGTH_EXCESS))).max(zero);
    let rest_sq = L::splat(margin * margin * LENGTH_EXCESS).minus(least.times(least).times(L::splat(LENGTH_SHARE)));
    beside |= rest_sq.less(zero);

    // Where the feet of the corners are on the line, in `t`, and how much earlier the sphere may touch.
    let (origin, inverse) = (L::splat(shear.origin), L::splat(shear.inv_dz));
    let foot_0 = deep[0].minus(origin).plus(along_0.times(inverse_sq)).times(inverse);
    let foot_1 = deep[1].minus(origin).plus(along_1.times(inverse_sq)).times(inverse);
    let foot_2 = deep[2].minus(origin).plus(along_2.times(inverse_sq)).times(inverse);
    let speed = shear.inv_dz.abs();
    let before = rest_sq.max(zero).sqrt().times(L::splat(sqrt(f64::from(k)) as f32 * speed * LENGTH_EXCESS));
    let before = before.plus(L::splat(4.0 * slack * speed));
    let near = foot_0.min(foot_1).min(foot_2).minus(before);
    let far = foot_0.max(foot_1).max(foot_2).plus(before);
    beside |= far.less(L::splat(shear.t_min)) | L::splat(end).less(near);
    (near, !beside & ((2 << (leaf.count() - 1)) - 1))
}

// Functions, not closures: over registers, closures would compile to calls.

/// Offsets of the three corners from the sheared line, along one axis.
#[cfg_attr(not(debug_assertions), inline(always))]
fn offsets<L: SimdF32>(view: &AxisView<'_>, deep: [L; 3], slope: f32, shift: f32) -> [L; 3] {
    let (slope, shift) = (L::splat(slope), L::splat(shift));
    [
        view.at::<L>(0).plus(shift).minus_product(slope, deep[0]),
        view.at::<L>(1).plus(shift).minus_product(slope, deep[1]),
        view.at::<L>(2).plus(shift).minus_product(slope, deep[2]),
    ]
}

/// Twice the area of the triangle of the origin and an edge, and what it may be off by.
#[inline(always)]
fn edge<L: SimdF32>(x: L, y: L, u: L, v: L, m: L) -> (L, L) {
    let doubled = x.times(v).minus(y.times(u));
    let sum = x.abs().plus(u.abs()).plus(y.abs()).plus(v.abs());
    (doubled, sum.plus(m).times(m).times(L::splat(4.0)))
}

/// Squared length of an offset across the direction.
#[inline(always)]
fn across_sq<L: SimdF32>(x: L, y: L, along: L, inverse_sq: L) -> L {
    x.times(x).plus(y.times(y)).minus(along.times(along).times(inverse_sq))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::node::WIDTH;
    use crate::bvh::ray::RayF32;
    use crate::bvh::traverse::local_ray::SweptRay;
    use crate::distance::triangle::project_on;
    use crate::kernel::sweep_core::SweepCore;
    use crate::math::real::Precision;
    use crate::math::rounding::round_up_f32;
    use crate::math::vector::Vector;
    use crate::query::Query;
    use crate::simd::dispatch::dispatch;
    use crate::simd::lanes::F32Lanes;
    use crate::simd::task::SimdKernel;
    use crate::sweep::contact_time::first_contact;
    use crate::{Ray, RayLike};
    use alloc::vec::Vec;
    use glam::DVec3;
    use test_support::random::Rng;

    struct Bounds<'a>(&'a TriangleBlocks, Leaf, &'a PreparedRay, f32);
    impl SimdKernel for Bounds<'_> {
        type Output = (F32Lanes, u32);
        fn run<L: SimdF32>(self) -> Self::Output {
            let (near, mask) = swept_bounds::<L>((self.0, self.1), self.2, self.3, f32::MAX);
            let mut bounds = [0.0; WIDTH];
            near.store(&mut bounds);
            (bounds, mask)
        }
    }

    /// Triangles of every size, with corners in `f32` and in `f64`: those that the sphere touches are in the mask, no earlier than
    /// their bounds; most of the others are not, and the bounds of small triangles are tight.
    #[test]
    fn no_contact_is_ruled_out() {
        let mut rng = Rng::new(1);
        let (mut touched, mut later, mut tight, mut kept) = (0, 0, 0, 0);
        for round in 0..6_000 {
            let (unit, size) = (rng.pick(&[1.0, 1e-6, 1e6]), rng.pick(&[1e-3, 0.05, 1.0]));
            let number = |x: f64| if round % 2 == 0 { f64::from(x as f32) } else { x };
            // Sixteen triangles of one size, in a leaf.
            let vector = |rng: &mut Rng, size: f64| DVec3::from(rng.cube(3).map(|x| number(x * size * unit)));
            let triangles: Vec<[DVec3; 3]> = (0..WIDTH)
                .map(|_| {
                    let center = vector(&mut rng, 1.0);
                    [0; 3].map(|_| center + vector(&mut rng, size))
                })
                .collect();
            let vertices = triangles.as_flattened();
            let ids: Vec<u32> = (0..WIDTH as u32).collect();
            let corners: Vec<[u32; 3]> = ids.iter().map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let (mut blocks, leaf) = (TriangleBlocks::default(), Leaf::new(0, WIDTH));
            blocks.fill::<DVec3>(vertices, &corners, &[leaf], &ids);
            // A sphere that moves past them, prepared as a traversal does.
            let ray = Ray::new(vector(&mut rng, 2.0), vector(&mut rng, 1.0) / unit).raw();
            let radius = f64::from((rng.pick(&[0.01, 0.1, 1.0]) * unit) as f32);
            let largest = (2.0 * unit) as f32;
            let swept = SweptRay::new::<DVec3>(&ray, None, radius, largest);
            let margin = round_up_f32(swept.margin);
            let Some(aim) = RayF32::of(&swept.ray, 0.0, largest) else { continue };
            let line = PreparedRay::inflated(&aim, largest, margin);
            let (bounds, mask) = dispatch(Bounds(&blocks, leaf, &line, margin));
            // The exact contact with each triangle is the truth.
            for (lane, triangle) in triangles.iter().enumerate() {
                let part = SweepCore::Triangle(*triangle);
                let found =
                    first_contact((&part, None), radius, &ray, &Query::new(), (Precision::Double, f64::INFINITY));
                kept += usize::from(found.is_none() && mask >> lane & 1 == 1);
                let Some(found) = found else { continue };
                let t = found.t.0;
                // A touched triangle must be in the mask, and no earlier than its bound.
                assert!(mask >> lane & 1 == 1, "{round} {lane} {found:?}");
                assert!(f64::from(bounds[lane]) <= t, "{round} {lane} {} {found:?}", bounds[lane]);
                touched += 1;
                later += usize::from(!found.at_start);
                // The contact is one: the distance is the radius there.
                let (center, _) = ray.line::<f64>().at(t);
                let distance = project_on(center, triangle.map(Vector::widen::<f64>)).distance;
                assert!(found.at_start || (distance - radius).abs() <= 1e-9 * unit, "{distance} {radius}");
                // The bound is tight for most small triangles.
                let way = (t - f64::from(bounds[lane])) * ray.line::<f64>().direction.length();
                tight += usize::from(!found.at_start && way <= radius * 0.3 + 2.0 * size * unit);
            }
        }
        assert!(touched > 5_000 && tight > later / 2 && kept < touched, "{touched} {later} {tight} {kept}");
    }
}
