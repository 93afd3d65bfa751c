//! Batches: rays in pieces, on several threads with the feature `rayon`.

use crate::columns::{HitColumns, HitRows, RayColumns};
use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::ray::Ray;
use crate::simd::huge_pages::with_large_pages;
use alloc::vec;
use alloc::vec::Vec;

/// Rays of a batch that one thread takes at a time: as many as go through a mesh together.
const BATCH: usize = 4096;

/// Or up to four times as many, while there is enough for all threads: each piece has memory of its own.
#[cfg(feature = "rayon")]
fn piece(rays: usize) -> usize {
    (rays / (8 * rayon::current_num_threads())).clamp(BATCH, 4 * BATCH).next_multiple_of(BATCH)
}

/// Whether a batch is worth other threads, where there are any: to wake them takes longer than to cast few rays.
#[cfg(feature = "rayon")]
fn on_threads(rays: usize) -> bool {
    rays > BATCH && crate::parallel::several()
}

/// All of it, or on several threads piece by piece.
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

/// What is hit by each ray, in new memory.
pub(crate) fn hits<V: Vector, C: Sync>(
    rays: &[C],
    each: impl Fn(&[C], &mut [Option<Hit<V>>]) + Sync,
) -> Vec<Option<Hit<V>>> {
    let mut hits = with_large_pages(rays.len());
    #[cfg(feature = "rayon")]
    if on_threads(rays.len()) {
        use rayon::prelude::*;
        hits.par_extend(rayon::iter::repeat_n(None, rays.len()));
        batches(rays, &mut hits, each);
        return hits;
    }
    // Piece by piece: memory that was just written for the first time is near when it is written again. Not less: what streams
    // learn of each other is forgotten.
    for rays in rays.chunks(4 * BATCH) {
        let first = hits.len();
        hits.resize(first + rays.len(), None);
        each(rays, &mut hits[first..]);
    }
    hits
}

/// The same in columns.
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
