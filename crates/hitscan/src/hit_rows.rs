//! `HitRows`: rows of the columns of hits, for writing.

use crate::block_hits::{BlockHits, Numbers};
use crate::hit::{Hit, ObjectId, Side};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::simd::rows::{BLOCK, BlockRow, narrow};

/// Rows of [`HitColumns`](crate::HitColumns) that a thread writes.
pub struct HitRows<'a, V: Vector> {
    pub(crate) is_hit: &'a mut [bool],
    pub(crate) t: &'a mut [V::Scalar],
    pub(crate) distance: &'a mut [V::Scalar],
    pub(crate) point: [&'a mut [V::Scalar]; 3],
    pub(crate) normal: [&'a mut [V::Scalar]; 3],
    pub(crate) is_front: &'a mut [bool],
    pub(crate) has_uv: &'a mut [bool],
    pub(crate) uv: [&'a mut [V::Scalar]; 2],
    pub(crate) has_primitive: &'a mut [bool],
    pub(crate) primitive: &'a mut [u32],
    pub(crate) has_object: &'a mut [bool],
    pub(crate) object: &'a mut [u32],
    pub(crate) has_member: &'a mut [bool],
    pub(crate) member: &'a mut [u32],
    pub(crate) generation: &'a mut [u32],
    pub(crate) is_trigger: &'a mut [bool],
}

/// Rows that stay in the cache while they are written twice.
const CACHED_ROWS: usize = 128;

impl<V: Vector> HitRows<'_, V> {
    pub(crate) fn len(&self) -> usize {
        self.is_hit.len()
    }

    /// Splits off the first rows, at most `most`.
    pub(crate) fn split_off(&mut self, most: usize) -> Self {
        Self {
            is_hit: first(&mut self.is_hit, most),
            t: first(&mut self.t, most),
            distance: first(&mut self.distance, most),
            point: self.point.each_mut().map(|column| first(column, most)),
            normal: self.normal.each_mut().map(|column| first(column, most)),
            is_front: first(&mut self.is_front, most),
            has_uv: first(&mut self.has_uv, most),
            uv: self.uv.each_mut().map(|column| first(column, most)),
            has_primitive: first(&mut self.has_primitive, most),
            primitive: first(&mut self.primitive, most),
            has_object: first(&mut self.has_object, most),
            object: first(&mut self.object, most),
            has_member: first(&mut self.has_member, most),
            member: first(&mut self.member, most),
            generation: first(&mut self.generation, most),
            is_trigger: first(&mut self.is_trigger, most),
        }
    }

    /// Writes one item per row. `hit` is its hit.
    pub(crate) fn write<T>(mut self, items: &[T], hit: impl Fn(&T) -> Option<&Hit<V>> + Copy) {
        for items in items.chunks(CACHED_ROWS) {
            self.split_off(items.len()).write_cached(items, hit);
        }
    }

    #[inline(always)]
    fn write_cached<T>(mut self, items: &[T], hit: impl Fn(&T) -> Option<&Hit<V>>) {
        self.clear();
        for (row, item) in items.iter().enumerate() {
            // One branch for all columns: it is unpredictable.
            if let Some(hit) = hit(item) {
                self.put(row, hit);
            }
        }
    }

    /// Writes a hit to a row that was a miss.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, hit: &Hit<V>) {
        put(self.is_hit, row, true);
        put(self.t, row, hit.t);
        put(self.distance, row, hit.distance);
        let (at, facing) = (hit.point.to_xyz(), hit.normal.to_xyz());
        for axis in 0..V::DIM {
            put(self.point[axis], row, at[axis]);
            put(self.normal[axis], row, facing[axis]);
        }
        put(self.is_front, row, hit.side == Side::Front);
        put(self.is_trigger, row, hit.is_trigger);
        if let Some(weights) = hit.uv {
            put(self.has_uv, row, true);
            put(self.uv[0], row, weights[0]);
            put(self.uv[1], row, weights[1]);
        }
        put(self.has_primitive, row, hit.primitive.is_some());
        put(self.primitive, row, hit.primitive.unwrap_or(0));
        if let Some(id) = hit.object {
            put(self.has_object, row, true);
            put(self.object, row, id.slot());
            put(self.generation, row, id.generation());
        }
        if let Some(number) = hit.member {
            put(self.has_member, row, true);
            put(self.member, row, number);
        }
    }

    /// Writes hits of a block to rows that were misses, from the row `start` on.
    pub(crate) fn put_block(&mut self, start: usize, hits: &BlockHits, which: BlockRows<'_>) {
        which.for_each(|row, _| put(self.is_hit, start + row, true));
        put_numbers(self.t, start, &hits.t, which);
        put_numbers(self.distance, start, &hits.distance, which);
        for axis in 0..V::DIM {
            put_numbers(self.point[axis], start, &hits.point[axis], which);
            put_numbers(self.normal[axis], start, &hits.normal[axis], which);
        }
        if !self.is_front.is_empty() {
            which.for_each(|row, i| put(self.is_front, start + row, hits.is_front[i]));
        }
        if hits.has_uv && !self.has_uv.is_empty() {
            which.for_each(|row, _| put(self.has_uv, start + row, true));
            put_numbers(self.uv[0], start, &hits.uv[0], which);
            put_numbers(self.uv[1], start, &hits.uv[1], which);
        }
    }

    /// The numbers of hits that the columns need.
    pub(crate) fn numbers(&self) -> Numbers {
        let Self { t, distance, point, normal, is_front, has_uv, .. } = self;
        let others = [distance, &*point[0], &*normal[0]].iter().any(|column| !column.is_empty());
        if others || !is_front.is_empty() || !has_uv.is_empty() {
            Numbers::All
        } else if t.is_empty() {
            Numbers::None
        } else {
            Numbers::Parameter
        }
    }

    /// Makes all hits those of an object.
    pub(crate) fn mark(&mut self, id: ObjectId, is_trigger: bool) {
        for row in 0..self.len() {
            if self.is_hit[row] {
                put(self.has_object, row, true);
                put(self.object, row, id.slot());
                put(self.generation, row, id.generation());
                put(self.is_trigger, row, is_trigger);
            }
        }
    }

    /// The mask of hits.
    pub(crate) fn is_hit(&mut self) -> &mut [bool] {
        self.is_hit
    }

    /// Makes every row a miss.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        let zero = V::Scalar::ZERO;
        self.t.fill(V::Scalar::INFINITY);
        self.distance.fill(zero);
        let vectors = self.point.iter_mut().chain(&mut self.normal).chain(&mut self.uv);
        vectors.for_each(|column| column.fill(zero));
        let Self { is_hit, is_front, has_uv, has_primitive, has_object, has_member, is_trigger, .. } = self;
        for mask in [is_hit, is_front, has_uv, has_primitive, has_object, has_member, is_trigger] {
            mask.fill(false);
        }
        let Self { primitive, object, generation, member, .. } = self;
        for numbers in [primitive, object, generation, member] {
            numbers.fill(0);
        }
    }
}

/// Writes an item of a column, unless the column is left out.
#[inline(always)]
fn put<T>(column: &mut [T], row: usize, value: T) {
    if let Some(place) = column.get_mut(row) {
        *place = value;
    }
}

/// The hits of a block that go to rows.
#[derive(Clone, Copy)]
pub(crate) enum BlockRows<'a> {
    /// The first ones, to the first rows.
    First(usize),
    /// The row of each, and its number in the block.
    Each(&'a [(u8, u8)]),
}

impl BlockRows<'_> {
    #[inline(always)]
    fn for_each(self, mut put: impl FnMut(usize, usize)) {
        match self {
            Self::First(count) => (0..count.min(BLOCK)).for_each(|i| put(i, i)),
            Self::Each(rows) => rows.iter().for_each(|&(row, i)| put(usize::from(row), usize::from(i) % BLOCK)),
        }
    }
}

/// Writes numbers of a block to the rows of a column from `start` on, unless the column is left out.
fn put_numbers<S: Real>(column: &mut [S], start: usize, numbers: &BlockRow, which: BlockRows<'_>) {
    let Some(column) = column.get_mut(start..).filter(|column| !column.is_empty()) else { return };
    match which {
        BlockRows::First(count) => narrow(&numbers[..count], column),
        BlockRows::Each(_) => which.for_each(|row, i| put(column, row, S::from_f64(numbers[i]).of_result())),
    }
}

/// Splits off the first elements of a slice.
fn first<'a, T>(slice: &mut &'a mut [T], most: usize) -> &'a mut [T] {
    let all = core::mem::take(slice);
    let (first, rest) = all.split_at_mut(most.min(all.len()));
    *slice = rest;
    first
}
