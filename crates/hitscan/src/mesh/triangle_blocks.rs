//! Triangle blocks: the corners of the triangles of each leaf as a structure of arrays.

use crate::bvh::node::{Leaf, WIDTH};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::parallel::join_if;
use crate::simd::huge_pages::with_huge_pages;
use crate::simd::lanes::{SimdF32, prefetch};
use crate::simd::xyz::Xyz;
use alloc::vec::Vec;

/// Structure of arrays of all triangles in `f32`, leaf by leaf of a BVH; coordinates of an `f64` mesh are rounded. A
/// leaf of `n` triangles has nine rows of `n` numbers: x, y, z of each corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct TriangleBlocks {
    rows: Vec<f32>,
    /// Whether no coordinate was rounded.
    pub(crate) are_exact: bool,
}

/// Fixed-size window that starts at the first row of a leaf, for loads without bounds checks.
pub(crate) type LeafRows = [f32; 10 * WIDTH];

/// Coordinates of a leaf's corners along one axis.
pub(crate) struct AxisView<'a> {
    /// Rows from the first corner's on, including the other axes in between.
    rows: &'a [f32; 7 * WIDTH],
    count: usize,
}

impl<'a> AxisView<'a> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of(rows: &'a LeafRows, axis: u8, leaf: Leaf) -> Self {
        const ZERO_ROWS: [f32; 7 * WIDTH] = [0.0; 7 * WIDTH];
        // Slice once per axis, which saves a multiplication per row.
        let rows = rows[usize::from(axis % 4) * leaf.count()..].first_chunk().unwrap_or(&ZERO_ROWS);
        Self { rows, count: leaf.count() }
    }

    /// Coordinates of one corner, one triangle per lane. Lanes beyond the leaf's triangles hold unrelated numbers.
    #[inline(always)]
    pub(crate) fn at<L: SimdF32>(&self, corner: usize) -> L {
        self.rows[3 * corner * self.count..].first_chunk().map_or_else(|| L::splat(0.0), L::load)
    }
}

/// Leaves above which a second thread pays off.
const BLOCKS_PER_THREAD: usize = 1024;

/// Writes the corners of consecutive leaves into their rows; returns whether no coordinate was rounded.
fn write(
    leaves: &[Leaf],
    prim_ids: &[u32],
    rows: &mut [f32],
    corners: &(impl Fn(u32) -> [[f64; 3]; 3] + Sync),
) -> bool {
    let Some(first) = leaves.first().map(|leaf| leaf.first()) else { return true };
    // Leaves are consecutive in memory, so the halves have disjoint rows.
    if leaves.len() > BLOCKS_PER_THREAD {
        let (one, two) = leaves.split_at(leaves.len() / 2);
        let (to_one, to_two) = rows.split_at_mut(9 * (two[0].first() - first));
        let (a, b) = join_if(true, || write(one, prim_ids, to_one, corners), || write(two, prim_ids, to_two, corners));
        return a && b;
    }
    // Row by row, so that a query loads a coordinate of all triangles at once.
    let mut are_exact = true;
    for leaf in leaves {
        let rows = &mut rows[9 * (leaf.first() - first)..];
        for (lane, &part) in leaf.of_all(prim_ids).iter().enumerate() {
            for (row, x) in corners(part).as_flattened().iter().enumerate() {
                let near = *x as f32;
                are_exact &= f64::from(near) == *x;
                rows[row * leaf.count() + lane] = near;
            }
        }
    }
    are_exact
}

impl TriangleBlocks {
    /// Writes the triangles of all leaves.
    pub(crate) fn fill<V: Vector>(
        &mut self,
        vertices: &[V],
        triangles: &[[u32; 3]],
        leaves: &[Leaf],
        prim_ids: &[u32],
    ) {
        // Padding for a full window at the last leaf; its contents do not matter.
        let count = 9 * prim_ids.len() + size_of::<LeafRows>() / size_of::<f32>();
        if self.rows.len() != count {
            self.rows = with_huge_pages(count);
            self.rows.resize(count, 0.0);
        }
        let corners = |part: u32| triangles[part as usize].map(|i| vertices[i as usize].to_f64());
        self.are_exact = write(leaves, prim_ids, &mut self.rows, &corners);
    }

    /// Memory of the blocks in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }

    #[inline(always)]
    pub(crate) fn rows(&self, leaf: Leaf) -> &LeafRows {
        const ZERO_ROWS: LeafRows = [0.0; 10 * WIDTH];
        self.rows.get(9 * leaf.first()..).and_then(<[f32]>::first_chunk).unwrap_or(&ZERO_ROWS)
    }

    /// Corners of one triangle in `f64`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of(&self, slot: (Leaf, u32)) -> [Vec3<f64>; 3] {
        let numbers = self.numbers(slot);
        let at = |row: usize| f64::from(numbers[row]);
        // Written out, because `array::map` compiles to a call.
        [Vec3::new(at(0), at(1), at(2)), Vec3::new(at(3), at(4), at(5)), Vec3::new(at(6), at(7), at(8))]
    }

    /// Corners of one triangle as they are stored: those of the mesh if it is in `f32`.
    #[inline(always)]
    pub(crate) fn in_registers<const FMA: bool>(&self, slot: (Leaf, u32)) -> [Xyz<FMA>; 3] {
        let [a, b, c, d, e, f, g, h, i] = self.numbers(slot);
        [Xyz::from_singles([a, b, c, 0.0]), Xyz::from_singles([d, e, f, 0.0]), Xyz::from_singles([g, h, i, 0.0])]
    }

    /// Coordinates of the corners of one triangle: x, y, z of each.
    #[inline(always)]
    pub(crate) fn numbers(&self, (leaf, lane): (Leaf, u32)) -> [f32; 9] {
        let (rows, count) = (self.rows(leaf), leaf.count());
        let at = |row: usize| rows[row * count + lane as usize % WIDTH];
        [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)]
    }

    /// Prefetches the rows of a leaf.
    #[inline(always)]
    pub(crate) fn fetch(&self, leaf: Leaf) {
        let rows = &self.rows[9 * leaf.first()..][..9 * leaf.count()];
        rows.iter().step_by(16).for_each(prefetch);
    }
}
