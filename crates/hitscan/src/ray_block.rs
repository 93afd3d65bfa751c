//! `RayBlock`: some rays of a batch as rows of numbers.

use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::ray::{Ray, RayLike, RaySlice};
use crate::ray_columns::RayColumns;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::rows::{BLOCK, BlockRow};
use crate::simd::task::SimdKernel;
use core::marker::PhantomData;
use core::ops::Range;

/// Rays, or segments, as structure of arrays.
pub(crate) struct RayBlock {
    pub(crate) count: usize,
    pub(crate) origin: [BlockRow; 3],
    /// Directions of rays, second ends of segments.
    pub(crate) target: [BlockRow; 3],
    /// The smallest `t` of each ray and the largest one, if rays have ranges of their own.
    pub(crate) ranges: Option<[BlockRow; 2]>,
    /// A ray that stands for all in their common fields: whether they are segments, and the range of `t` if they have none of their own.
    pub(crate) kind: InputRay,
}

impl Default for RayBlock {
    fn default() -> Self {
        let row = [0.0; BLOCK];
        Self { count: 0, origin: [row; 3], target: [row; 3], ranges: None, kind: InputRay::point([0.0; 3]) }
    }
}

impl RayBlock {
    /// Loads rays: at least one, and no more than the block holds.
    pub(crate) fn load<V: Vector>(&mut self, rays: RaySlice<'_, V>) {
        self.kind = rays.raw(0);
        self.ranges = rays.is_ranged().then_some([[0.0; BLOCK]; 2]);
        self.count = rays.len().min(BLOCK);
        // One loop for each kind of rays; the two that most batches have, in the widest vectors.
        match rays {
            RaySlice::Rays(rays) => dispatch(Load(self, rays, PhantomData::<V>)),
            RaySlice::Segments(segments) => dispatch(Load(self, segments, PhantomData::<V>)),
            RaySlice::RangedRays(rays) => self.load_numbers(rays),
            RaySlice::RangedSegments(segments) => self.load_numbers(segments),
            RaySlice::Limited(rays) => self.load_numbers::<V>(rays),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load_numbers<V: Vector>(&mut self, rays: &[impl RayLike<V>]) {
        let ([x, y, z], [to_x, to_y, to_z]) = (&mut self.origin, &mut self.target);
        for (i, ray) in rays.iter().take(BLOCK).enumerate() {
            let InputRay { origin, target, t_min, t_max, .. } = ray.raw();
            [x[i], y[i], z[i]] = origin;
            [to_x[i], to_y[i], to_z[i]] = target;
            if let Some([least, most]) = &mut self.ranges {
                (least[i], most[i]) = (t_min, t_max);
            }
        }
    }

    /// Loads these rows of columns that have no limits by a distance: at least one, and no more than the block holds.
    pub(crate) fn load_columns<V: Vector>(&mut self, rays: &RayColumns<'_, V>, rows: Range<usize>) {
        self.count = rows.len();
        self.kind = rays.kind();
        rays.origin_rows(rows.clone(), &mut self.origin);
        rays.target_rows(rows.clone(), &mut self.target);
        self.ranges = rays.has_ranges().then(|| {
            let mut ranges = [[0.0; BLOCK]; 2];
            for (i, row) in rows.enumerate() {
                let [t_min, t_max] = rays.range(row);
                let InputRay { t_min, t_max, .. } = self.kind.within(t_min, t_max, u32::MAX);
                (ranges[0][i], ranges[1][i]) = (t_min, t_max);
            }
            ranges
        });
    }

    /// Bit mask of all rays.
    pub(crate) fn all(&self) -> u128 {
        if self.count == BLOCK { u128::MAX } else { (1 << self.count) - 1 }
    }

    /// The numbers of a ray.
    #[inline(always)]
    pub(crate) fn ray(&self, i: usize) -> InputRay {
        let i = i % BLOCK;
        let ([x, y, z], [to_x, to_y, to_z]) = (&self.origin, &self.target);
        let (t_min, t_max) = match &self.ranges {
            Some([least, most]) => (least[i], most[i]),
            None => (self.kind.t_min, self.kind.t_max),
        };
        InputRay { origin: [x[i], y[i], z[i]], target: [to_x[i], to_y[i], to_z[i]], t_min, t_max, ..self.kind }
    }

    /// Whether these are rays, not segments, without ranges of their own.
    pub(crate) fn are_plain(&self) -> bool {
        !self.kind.is_segment && self.ranges.is_none()
    }

    /// The numbers of a ray of a [plain](Self::are_plain) block.
    #[inline(always)]
    pub(crate) fn plain_ray<V: Vector>(&self, i: usize) -> InputRay {
        let ([x, y, z], [to_x, to_y, to_z], i) = (&self.origin, &self.target, i % BLOCK);
        InputRay { origin: [x[i], y[i], z[i]], target: [to_x[i], to_y[i], to_z[i]], ..Ray::<V>::default().raw() }
    }

    /// Keeps the rays at these places, in order.
    pub(crate) fn keep(&mut self, places: &[u8]) {
        self.count = places.len();
        let ranges = self.ranges.iter_mut().flatten();
        for row in self.origin.iter_mut().chain(&mut self.target).chain(ranges) {
            places.iter().enumerate().for_each(|(i, &place)| row[i] = row[usize::from(place) % BLOCK]);
        }
    }
}

/// Loads rays in the widest vectors.
struct Load<'a, V, R>(&'a mut RayBlock, &'a [R], PhantomData<V>);

impl<V: Vector, R: RayLike<V>> SimdKernel for Load<'_, V, R> {
    type Output = ();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) {
        self.0.load_numbers(self.1);
    }
}
