//! Batches of rays and other inputs, cut into chunks that threads cast in parallel with the feature `rayon`.

use crate::columns::{Columns, HitColumns};
use crate::compressed_rows::CompressedRows;
use crate::hit::Hit;
use crate::hit_rows::HitRows;
use crate::math::vector::Vector;
#[cfg(feature = "rayon")]
use crate::parallel::for_each_on_threads;
use crate::ray::{RayLike, RaySlice};
use crate::ray_columns::{RayBuffer, RayColumns};
use crate::simd::huge_pages::with_huge_pages;
use alloc::vec::Vec;
use core::iter::repeat_with;
use core::ops::Range;

/// The number of rays in a chunk: the size of a ray stream through a mesh.
const BATCH: usize = 4096;

/// The number of rays in a chunk for several threads: up to four times as many if every thread gets enough chunks, since
/// each chunk allocates.
#[cfg(feature = "rayon")]
fn piece(rays: usize) -> usize {
    (rays / (8 * rayon::current_num_threads())).clamp(BATCH, 4 * BATCH).next_multiple_of(BATCH)
}

/// Whether to use several threads. For few rays, waking them takes longer than the casts.
#[cfg(feature = "rayon")]
fn on_threads(rays: usize) -> bool {
    rays > BATCH && crate::parallel::is_parallel()
}

/// Calls `each` with the whole batch, or with its chunks on several threads.
pub(crate) fn batches<R: Sync, O: Send>(rays: &[R], out: &mut [O], each: impl Fn(&[R], &mut [O]) + Sync) {
    #[cfg(feature = "rayon")]
    if on_threads(rays.len()) {
        let piece = piece(rays.len());
        let pieces = rays.chunks(piece).zip(out.chunks_mut(piece));
        return for_each_on_threads(pieces, |_: &mut (), (rays, out)| each(rays, out));
    }
    each(rays, out);
}

/// The hits of all rays, newly allocated.
pub(crate) fn hits<V: Vector, C: Sync>(
    rays: &[C],
    each: impl Fn(&[C], &mut [Option<Hit<V>>]) + Sync,
) -> Vec<Option<Hit<V>>> {
    let mut hits = with_huge_pages(rays.len());
    #[cfg(feature = "rayon")]
    if on_threads(rays.len()) {
        use rayon::prelude::*;
        hits.par_extend(rayon::iter::repeat_n(None, rays.len()));
        batches(rays, &mut hits, each);
        return hits;
    }
    // Chunk by chunk: memory is in the cache when it is written the second time. Smaller chunks would lose the statistics that
    // one ray stream passes to the next.
    for rays in rays.chunks(4 * BATCH) {
        let first = hits.len();
        hits.resize(first + rays.len(), None);
        each(rays, &mut hits[first..]);
    }
    hits
}

/// Rays in either form.
#[derive(Clone, Copy)]
pub(crate) enum RayBatch<'a, V: Vector> {
    Slice(RaySlice<'a, V>),
    Columns(&'a RayColumns<'a, V>),
}

impl<V: Vector> RayBatch<'_, V> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Slice(rays) => rays.len(),
            Self::Columns(rays) => rays.len(),
        }
    }
    /// The rays with these indices.
    fn load<'b>(&'b self, buffer: &'b mut RayBuffer<V>, indices: Range<usize>) -> RaySlice<'b, V> {
        match self {
            Self::Slice(rays) => rays.part(indices),
            Self::Columns(rays) => buffer.load(rays, indices),
        }
    }
}

/// Calls `work` with each piece of a batch, on several threads if it has enough rays. Pieces share the buffer of their
/// thread.
fn for_each_piece<P: Send, B: Default + Send>(
    rays: usize,
    pieces: impl Iterator<Item = P>,
    work: impl Fn(&mut B, P) + Sync + Send,
) {
    #[cfg(feature = "rayon")]
    if on_threads(rays) {
        return for_each_on_threads(pieces, work);
    }
    let _ = rays;
    let mut buffer = B::default();
    pieces.for_each(|piece| work(&mut buffer, piece));
}

/// The beginnings of the chunks of a batch.
fn chunk_starts(rays: Range<usize>) -> impl Iterator<Item = usize> {
    rays.step_by(BATCH)
}

/// Writes the hits of all rays of columns to the rows of `hits`, of which there are as many. `in_rows` writes a piece, from the ray of a
/// number on, if there is a way for columns; otherwise `any` marks its hits, where no other column is wanted, and `each` has them.
pub(crate) fn columns<V: Vector>(
    rays: &RayColumns<'_, V>,
    hits: &mut HitColumns<V>,
    in_rows: impl Fn(usize, &mut HitRows<'_, V>) -> bool + Sync + Send,
    any: impl Fn(RaySlice<'_, V>, &mut [bool]) + Sync + Send,
    each: impl Fn(RaySlice<'_, V>, &mut [Option<Hit<V>>]) + Sync + Send,
) {
    let (count, is_mask) = (rays.len(), hits.columns() == Columns::IS_HIT);
    let mut rows = hits.rows();
    let pieces = chunk_starts(0..count).map(|first| (first, rows.split_off(BATCH)));
    type Buffer<V> = (RayBuffer<V>, Vec<Option<Hit<V>>>);
    for_each_piece(count, pieces, |(buffer, hits): &mut Buffer<V>, (first, mut rows): (usize, HitRows<'_, V>)| {
        if in_rows(first, &mut rows) {
            return;
        }
        let rays = buffer.load(rays, first..first + rows.len());
        if is_mask {
            return any(rays, rows.is_hit());
        }
        hits.clear();
        hits.resize(rows.len(), None);
        each(rays, hits);
        rows.write(hits, Option::as_ref);
    });
}

/// Writes a number or mask for each ray.
pub(crate) fn values<V: Vector, O: Send>(
    rays: RayBatch<'_, V>,
    out: &mut [O],
    each: impl Fn(RaySlice<'_, V>, &mut [O]) + Sync + Send,
) {
    let pieces = chunk_starts(0..rays.len()).zip(out.chunks_mut(BATCH));
    for_each_piece(rays.len(), pieces, |buffer: &mut RayBuffer<V>, (first, out): (usize, &mut [O])| {
        each(rays.load(buffer, first..first + out.len()), out);
    });
}

/// Chunks whose lists are in memory at a time, besides the result.
const LIST_CHUNKS: usize = 64;

/// Lists of a chunk: all items, and for each ray or other input the end of its items.
struct ChunkLists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> ChunkLists<T> {
    /// The list of the next ray: what `each` adds.
    fn add(&mut self, each: impl FnOnce(&mut Vec<T>)) {
        each(&mut self.items);
        self.ends.push(self.items.len());
    }
}

/// Collects a list for each ray: `each` adds the items of a ray, and `append` gets those of all rays in order. Returns the
/// offsets of the lists.
pub(crate) fn lists<V: Vector, T: Send>(
    rays: RayBatch<'_, V>,
    each: impl Fn(&dyn RayLike<V>, &mut Vec<T>) + Sync + Send,
    append: &mut dyn FnMut(&[T]),
) -> Vec<usize> {
    let add = |buffer: &mut RayBuffer<V>, range: Range<usize>, chunk: &mut ChunkLists<T>| {
        rays.load(buffer, range).iter().for_each(|ray| chunk.add(|items| each(ray, items)));
    };
    chunk_lists(rays.len(), add, append)
}

/// The list for each point, volume or other input: `each` adds its items.
pub(crate) fn compressed_rows<I: Sync, T: Send + Clone>(
    inputs: &[I],
    each: impl Fn(&I, &mut Vec<T>) + Sync + Send,
) -> CompressedRows<T> {
    let mut items = Vec::new();
    let add = |_: &mut (), range: Range<usize>, chunk: &mut ChunkLists<T>| {
        inputs[range].iter().for_each(|input| chunk.add(|items| each(input, items)));
    };
    let offsets = chunk_lists(inputs.len(), add, &mut |found| items.extend_from_slice(found));
    CompressedRows { offsets, items }
}

/// Collects lists by chunks: `add` adds those of a range of the inputs, and `append` gets the items of a chunk, in order.
/// Returns the offsets of the lists.
fn chunk_lists<B: Default + Send, T: Send>(
    inputs: usize,
    add: impl Fn(&mut B, Range<usize>, &mut ChunkLists<T>) + Sync + Send,
    append: &mut dyn FnMut(&[T]),
) -> Vec<usize> {
    let (mut offsets, mut count) = (Vec::with_capacity(inputs + 1), 0);
    offsets.push(0);
    let mut chunks: Vec<ChunkLists<T>> =
        repeat_with(|| ChunkLists { items: Vec::new(), ends: Vec::new() }).take(LIST_CHUNKS).collect();
    for first in (0..inputs).step_by(LIST_CHUNKS * BATCH) {
        let group = first..inputs.min(first + LIST_CHUNKS * BATCH);
        let pieces = chunk_starts(group.clone()).zip(&mut chunks);
        for_each_piece(group.len(), pieces, |buffer: &mut B, (first, chunk): (usize, &mut ChunkLists<T>)| {
            chunk.items.clear();
            chunk.ends.clear();
            add(buffer, first..group.end.min(first + BATCH), chunk);
        });
        for ChunkLists { items, ends } in &chunks[..group.len().div_ceil(BATCH)] {
            offsets.extend(ends.iter().map(|end| count + end));
            count += items.len();
            append(items);
        }
    }
    offsets
}
