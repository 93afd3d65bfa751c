//! Batches of rays, cut into chunks that threads cast in parallel with the feature `rayon`.

use crate::columns::{HitColumns, HitRows, RayColumns};
use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::ray::Ray;
use crate::simd::huge_pages::with_huge_pages;
use alloc::vec;
use alloc::vec::Vec;

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
        use rayon::prelude::*;
        let piece = piece(rays.len());
        rays.par_chunks(piece).zip(out.par_chunks_mut(piece)).for_each(|(rays, out)| each(rays, out));
        return;
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

/// The hits of all rays as columns.
pub(crate) fn columns<V: Vector>(
    rays: &RayColumns<'_, V>,
    each: impl Fn(&[Ray<V>], &mut [Option<Hit<V>>]) + Sync,
) -> HitColumns<V> {
    let mut hits = HitColumns::new(rays.len());
    let mut rows = hits.rows();
    let pieces = (0..rays.len()).step_by(BATCH).map(|first| (first, rows.split_off(BATCH)));
    let cast = |(first, rows): (usize, HitRows<'_, V>)| {
        let rays: Vec<Ray<V>> = (first..first + rows.len()).map(|row| rays.ray(row)).collect();
        let mut hits = vec![None; rays.len()];
        each(&rays, &mut hits);
        rows.write(&hits);
    };
    #[cfg(feature = "rayon")]
    if on_threads(rays.len()) {
        use rayon::prelude::*;
        pieces.collect::<Vec<_>>().into_par_iter().for_each(cast);
        return hits;
    }
    pieces.for_each(cast);
    hits
}
