//! Which of sixteen triangles a moving sphere may touch, and when.

use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::mesh::triangle_blocks::{AxisView, TriangleBlocks};
use crate::simd::lanes::{F32Lanes, SimdF32};

/// Lower bounds of `t` for the triangles of a leaf, and the mask of those that the sphere may touch.
///
/// # Method
/// The shear maps the ray to the origin of a plane, and every point within the margin of it to a square around the origin. A
/// triangle is passed if its box in that plane is beside the square, or the square is outside of one of its edges. The depth of
/// the nearest corner bounds `t`.
///
/// # Source
/// Separating axes; the shear is that of [`WoopShear`](crate::bvh::shear::WoopShear).
///
/// # Accuracy
/// With m the error bound of the shear, which contains the margin twice, an offset is off by less than m in all, and so is a
/// product of two offsets by less than m times the sum of all four. The area must exceed that of all edges.
///
/// # Edges
/// A NaN rules out nothing.
#[inline(always)]
pub(crate) fn swept_bounds<L: SimdF32>(
    blocks: &TriangleBlocks,
    leaf: Leaf,
    line: &PreparedRay,
    end: f32,
) -> (F32Lanes, u32) {
    let shear = &line.shear;
    let (rows, [along_x, along_y, deep]) = (blocks.rows(leaf), shear.axes);
    let deep = AxisView::of(rows, deep, leaf);
    let deep = [deep.at::<L>(0), deep.at::<L>(1), deep.at::<L>(2)];
    let offsets = |axis: u8, i: usize| {
        let view = AxisView::of(rows, axis, leaf);
        let (slope, shift) = (L::splat(shear.slope[i]), L::splat(shear.shift[i]));
        let at = |corner: usize| view.at::<L>(corner).plus(shift).minus_product(slope, deep[corner]);
        [at(0), at(1), at(2)]
    };
    let (x, y) = (offsets(along_x, 0), offsets(along_y, 1));
    let (m, less_m) = (L::splat(shear.error_bound), L::splat(-shear.error_bound));
    let [low_x, low_y] = [x, y].map(|[a, b, c]| a.min(b).min(c));
    let [high_x, high_y] = [x, y].map(|[a, b, c]| a.max(b).max(c));
    let mut beside = m.less(low_x) | m.less(low_y) | high_x.less(less_m) | high_y.less(less_m);

    // Twice the areas of the triangles that the origin forms with each edge, and what they may be off by.
    let edge = |i: usize, j: usize| {
        let doubled = x[i].times(y[j]).minus(y[i].times(x[j]));
        let sum = x[i].abs().plus(x[j].abs()).plus(y[i].abs()).plus(y[j].abs());
        // Four times m: offsets, their products, and a square's corner, which is at most m away along both axes.
        (doubled, sum.plus(m).times(L::splat(4.0 * shear.error_bound)))
    };
    let [(a, of_a), (b, of_b), (c, of_c)] = [edge(0, 1), edge(1, 2), edge(2, 0)];
    let (area, of_area) = (a.plus(b).plus(c), of_a.plus(of_b).plus(of_c));
    let (zero, ccw) = (L::splat(0.0), of_area.less(area));
    let cw = area.less(zero.minus(of_area));
    for (edge, error) in [(a, of_a), (b, of_b), (c, of_c)] {
        beside |= (edge.less(zero.minus(error)) & ccw) | (error.less(edge) & cw);
    }

    let inverse = L::splat(shear.inv_dz);
    let time = |depth: L| depth.minus(L::splat(shear.origin)).times(inverse);
    let [p, q, r] = [time(deep[0]), time(deep[1]), time(deep[2])];
    // The margin along the ray, with the roundings of the three operations above.
    let slack = L::splat(shear.error_bound * shear.inv_dz.abs() * 2.0);
    let (near, far) = (p.min(q).min(r).minus(slack), p.max(q).max(r).plus(slack));
    beside |= far.less(L::splat(shear.t_min)) | L::splat(end).less(near);
    let mut bounds = [0.0; WIDTH];
    near.store(&mut bounds);
    (bounds, !beside & ((2 << (leaf.count() - 1)) - 1))
}
