//! Batches of rays at one shape, block by block: the box filter, packets, and the rays that these leave open one by one.

use crate::adaptive::fallback::ExactKernel;
use crate::block_hits::{BlockHits, Numbers};
use crate::hit::Hit;
use crate::hit_rows::{BlockRows, HitRows};
use crate::math::real::{Precision, Real};
use crate::math::vector::Vector;
use crate::queries::box_filter::BoxFilter;
use crate::queries::shape::{Shape, any_one_by_one, one_by_one};
use crate::query::Query;
use crate::ray::RaySlice;
use crate::ray_block::RayBlock;
use crate::ray_columns::RayColumns;
use crate::simd::rows::BLOCK;
use alloc::boxed::Box;
use alloc::vec;

/// Fewer rays are cast one by one: the memory of a block costs more than it saves.
const FEWEST: usize = 16;

/// Blocks that are cast one ray at a time after a block of which packets left too many rays open.
const BACKOFF_BLOCKS: usize = 63;

/// Rays of a block that are cast alone: where each result goes, and the number of the ray in the block.
pub(crate) type Singles<'a> = &'a [(u8, u8)];

/// Queries of single rays of a block: each kernel has a loop of its own, which reads the rays from their rows.
pub(crate) trait CastSingles<V: Vector> {
    /// The closest hits.
    fn closest_singles(
        &self,
        rays: &RayBlock,
        which: Singles<'_>,
        query: &Query<V::Scalar>,
        out: &mut [Option<Hit<V>>],
    );
    /// Whether there are any.
    fn any_singles(&self, rays: &RayBlock, which: Singles<'_>, query: &Query<V::Scalar>, out: &mut [bool]);
}

/// A shape, and what its batches need.
#[derive(Clone, Copy)]
pub(crate) struct BatchShape<'a, V: Vector> {
    pub(crate) shape: &'a dyn Shape<V>,
    pub(crate) singles: &'a dyn CastSingles<V>,
    /// Its kernel for packets, and for all rare rays.
    pub(crate) kernel: &'a dyn ExactKernel,
    /// Whether the filter of that kernel has the bits of the shape's own; otherwise packets only decide.
    pub(crate) has_same_bits: bool,
}

/// The memory of a block.
struct Memory {
    rays: RayBlock,
    hits: BlockHits,
    /// The places in the batch of the rays that the box filter kept.
    places: [u8; BLOCK],
    /// Whether the filter left some out.
    is_kept: bool,
    filter: Option<BoxFilter>,
}

/// The casts of one batch.
struct Casts<'a, V: Vector> {
    target: BatchShape<'a, V>,
    query: &'a Query<V::Scalar>,
    wanted: Numbers,
    /// The numbers that packets compute.
    numbers: Numbers,
    /// Blocks to cast one ray at a time.
    backoff: usize,
    memory: Box<Memory>,
}

impl<'a, V: Vector> Casts<'a, V> {
    fn new(target: BatchShape<'a, V>, rays: usize, query: &'a Query<V::Scalar>, wanted: Numbers) -> Self {
        let memory = Memory {
            rays: RayBlock::default(),
            hits: BlockHits::default(),
            places: [0; BLOCK],
            is_kept: false,
            filter: BoxFilter::new(&target.shape.aabb(), rays),
        };
        // The digits of an `f64` hit come from a Newton step, ray by ray.
        let numbers = match (wanted, V::Scalar::PRECISION) {
            (Numbers::None, _) => Numbers::None,
            (_, Precision::Single) if target.has_same_bits => wanted,
            _ => Numbers::None,
        };
        Self { target, query, wanted, numbers, backoff: 0, memory: Box::new(memory) }
    }

    /// Casts the block that was loaded, as far as box filter and packets can.
    fn block(&mut self) {
        let Memory { rays, hits, places, filter, is_kept } = &mut *self.memory;
        let range = [self.query.t_min().to_f64(), self.query.t_max().to_f64()];
        let kept = filter.as_mut().and_then(|filter| filter.candidates(rays, range, places));
        *is_kept = kept.is_some();
        if let Some(kept) = kept {
            rays.keep(&places[..kept]);
        }
        if self.backoff > 0 {
            hits.leave_open(rays);
            self.backoff -= 1;
            return;
        }
        self.target.kernel.cast_block(rays, (&self.query.double(), self.numbers), hits);
        // Where packets only decide, they are worth it for the rays that miss.
        let cast_again = if self.numbers == self.wanted { hits.open } else { hits.open | hits.hit };
        if 4 * cast_again.count_ones() as usize > 3 * rays.count {
            self.backoff = BACKOFF_BLOCKS;
        }
    }

    /// Calls `each` with the places of these rays in the batch, and their numbers in the block.
    #[inline]
    fn for_each(&self, mask: u128, mut each: impl FnMut(usize, usize)) {
        let Memory { places, is_kept, .. } = &*self.memory;
        for (half, first) in [(mask as u64, 0), ((mask >> 64) as u64, 64)] {
            let mut half = half;
            while half != 0 {
                let i = (first + half.trailing_zeros() as usize) % BLOCK;
                each(if *is_kept { usize::from(places[i]) } else { i }, i);
                half &= half - 1;
            }
        }
    }

    /// Lists the places of these rays in the batch, and their numbers in the block. Returns how many there are.
    fn list(&self, mask: u128, out: &mut [(u8, u8); BLOCK]) -> usize {
        let mut count = 0;
        self.for_each(mask, |place, i| {
            out[count % BLOCK] = (place as u8, i as u8);
            count += 1;
        });
        count
    }

    /// Marks the rays of the block that hit.
    fn mark(&self, out: &mut [bool]) {
        let BlockHits { hit, open, .. } = self.memory.hits;
        self.for_each(hit, |place, _| out[place] = true);
        let mut singles = [(0, 0); BLOCK];
        let count = self.list(open, &mut singles);
        self.target.singles.any_singles(&self.memory.rays, &singles[..count], self.query, out);
    }

    /// The rays that hit and have their numbers, and those that are cast alone.
    #[inline]
    fn masks(&self) -> [u128; 2] {
        let BlockHits { hit, open, .. } = self.memory.hits;
        if self.numbers == self.wanted { [hit, open] } else { [0, hit | open] }
    }
}

/// The closest hit of each ray.
pub(crate) fn closest_each<V: Vector>(
    target: BatchShape<'_, V>,
    (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
    out: &mut [Option<Hit<V>>],
) {
    if rays.len() < FEWEST {
        return one_by_one(target.shape, rays, query, out);
    }
    let (mut casts, mut singles) = (Casts::new(target, rays.len(), query, Numbers::All), [(0, 0); BLOCK]);
    for (rays, out) in rays.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        out.iter_mut().for_each(|out| *out = None);
        casts.memory.rays.load(rays);
        casts.block();
        let [hit, open] = casts.masks();
        casts.for_each(hit, |place, i| out[place] = Some(casts.memory.hits.hit(i)));
        let count = casts.list(open, &mut singles);
        target.singles.closest_singles(&casts.memory.rays, &singles[..count], query, out);
    }
}

/// Whether each ray hits.
pub(crate) fn any_each<V: Vector>(
    target: BatchShape<'_, V>,
    (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
    out: &mut [bool],
) {
    if rays.len() < FEWEST {
        return any_one_by_one(target.shape, rays, query, out);
    }
    let mut casts = Casts::new(target, rays.len(), query, Numbers::None);
    for (rays, out) in rays.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        out.fill(false);
        casts.memory.rays.load(rays);
        casts.block();
        casts.mark(out);
    }
}

/// The closest hits of the rays of columns from `first` on, as rows.
pub(crate) fn closest_rows<V: Vector>(
    target: BatchShape<'_, V>,
    (rays, first): (&RayColumns<'_, V>, usize),
    query: &Query<V::Scalar>,
    out: &mut HitRows<'_, V>,
) {
    let numbers = out.numbers();
    let mut casts = Casts::new(target, out.len(), query, numbers);
    let (mut places, mut singles) = ([(0, 0); BLOCK], vec![None; BLOCK]);
    out.clear();
    for start in (0..out.len()).step_by(BLOCK) {
        let end = out.len().min(start + BLOCK);
        casts.memory.rays.load_columns(rays, first + start..first + end);
        casts.block();
        if numbers == Numbers::None {
            casts.mark(&mut out.is_hit()[start..end]);
            continue;
        }
        let [hit, open] = casts.masks();
        // Hits of packets go to the columns one column at a time.
        let Memory { hits, rays, is_kept, .. } = &*casts.memory;
        if hit == rays.all() && !is_kept {
            out.put_block(start, hits, BlockRows::First(rays.count));
            continue;
        }
        let count = casts.list(hit, &mut places);
        out.put_block(start, hits, BlockRows::Each(&places[..count]));
        // The others are cast alone, each to the place of its number.
        let count = casts.list(open, &mut places);
        places[..count].iter_mut().for_each(|(out, i)| *out = *i);
        target.singles.closest_singles(rays, &places[..count], query, &mut singles);
        casts.for_each(open, |place, i| {
            if let Some(hit) = &singles[i] {
                out.put(start + place, hit);
            }
        });
    }
}
