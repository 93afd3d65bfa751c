//! Triangles side by side, leaf by leaf.

use crate::bvh::node::{Leaf, WIDTH};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::parallel::both;
use crate::simd::huge_pages::with_large_pages;
use crate::simd::lanes::{SimdF32, prefetch};
use alloc::vec::Vec;

/// The corners of all triangles in `f32`, leaf by leaf of a tree: those of the mesh, or near them. A leaf of `n` triangles has
/// nine rows of `n` numbers: of each corner x, y, z.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corners {
    rows: Vec<f32>,
    /// Whether they are those of the mesh.
    pub(crate) are_exact: bool,
}

/// Numbers from the first row of a leaf on, whatever its length.
pub(crate) type Rows = [f32; 10 * WIDTH];

/// The coordinates of a leaf's corners along one axis.
pub(crate) struct Along<'a> {
    /// From those of the first corner on, with what lies in between.
    rows: &'a [f32; 7 * WIDTH],
    count: usize,
}

impl<'a> Along<'a> {
    #[inline(always)]
    pub(crate) fn of(rows: &'a Rows, axis: u8, leaf: Leaf) -> Self {
        const NOTHING: [f32; 7 * WIDTH] = [0.0; 7 * WIDTH];
        // Cut off here, so that there is a product for each axis, not for each row.
        let rows = rows[usize::from(axis % 4) * leaf.count()..].first_chunk().unwrap_or(&NOTHING);
        Self { rows, count: leaf.count() }
    }

    /// Those of one corner; beyond the leaf's triangles whatever comes next.
    #[inline(always)]
    pub(crate) fn at<L: SimdF32>(&self, corner: usize) -> L {
        self.rows[3 * corner * self.count..].first_chunk().map_or_else(|| L::splat(0.0), L::load)
    }
}

/// More leaves than this are worth a second thread.
const WORTH_A_THREAD: usize = 1024;

/// Writes the corners of the triangles of some leaves, one after the other, into their rows; whether none was rounded.
fn write(leaves: &[Leaf], parts: &[u32], rows: &mut [f32], corners: &(impl Fn(u32) -> [[f64; 3]; 3] + Sync)) -> bool {
    let Some(first) = leaves.first().map(|leaf| leaf.first()) else { return true };
    if leaves.len() > WORTH_A_THREAD {
        let (one, two) = leaves.split_at(leaves.len() / 2);
        let (to_one, to_two) = rows.split_at_mut(9 * (two[0].first() - first));
        let (a, b) = both(true, || write(one, parts, to_one, corners), || write(two, parts, to_two, corners));
        return a && b;
    }
    let mut are_exact = true;
    for leaf in leaves {
        let rows = &mut rows[9 * (leaf.first() - first)..];
        for (lane, &part) in leaf.of_all(parts).iter().enumerate() {
            for (row, x) in corners(part).as_flattened().iter().enumerate() {
                let near = *x as f32;
                are_exact &= f64::from(near) == *x;
                rows[row * leaf.count() + lane] = near;
            }
        }
    }
    are_exact
}

impl Corners {
    /// Of the triangles of every leaf.
    pub(crate) fn fill<V: Vector>(&mut self, vertices: &[V], triangles: &[[u32; 3]], leaves: &[Leaf], parts: &[u32]) {
        // What is read beyond the last leaf means nothing, but has to be there.
        let count = 9 * parts.len() + size_of::<Rows>() / size_of::<f32>();
        if self.rows.len() != count {
            self.rows = with_large_pages(count);
            self.rows.resize(count, 0.0);
        }
        let corners = |part: u32| triangles[part as usize].map(|i| vertices[i as usize].to_f64());
        self.are_exact = write(leaves, parts, &mut self.rows, &corners);
    }

    /// What they take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }

    #[inline(always)]
    pub(crate) fn rows(&self, leaf: Leaf) -> &Rows {
        const NOTHING: Rows = [0.0; 10 * WIDTH];
        self.rows.get(9 * leaf.first()..).and_then(<[f32]>::first_chunk).unwrap_or(&NOTHING)
    }

    /// The corners of one triangle.
    #[inline(always)]
    pub(crate) fn of(&self, place: (Leaf, u32)) -> [Vec3<f64>; 3] {
        let numbers = self.numbers(place);
        let at = |row: usize| f64::from(numbers[row]);
        // Written out: `array::map` is a call.
        [Vec3::new(at(0), at(1), at(2)), Vec3::new(at(3), at(4), at(5)), Vec3::new(at(6), at(7), at(8))]
    }

    /// Their coordinates.
    #[inline(always)]
    pub(crate) fn numbers(&self, (leaf, lane): (Leaf, u32)) -> [f32; 9] {
        let (rows, count) = (self.rows(leaf), leaf.count());
        let at = |row: usize| rows[row * count + lane as usize % WIDTH];
        [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)]
    }

    /// Asks for the memory of a leaf.
    #[inline(always)]
    pub(crate) fn fetch(&self, leaf: Leaf) {
        let rows = &self.rows[9 * leaf.first()..][..9 * leaf.count()];
        rows.iter().step_by(16).for_each(prefetch);
    }
}
