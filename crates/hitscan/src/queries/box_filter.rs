//! Box filter of a batch: the rays that may meet the bounding box of a shape, 16 at a time in `f32`. The others miss the shape.
//!
//! # Method
//! The slab test (Kay and Kajiya 1986) for one box and many rays, with bounds of its rounding as in Ize 2013. With
//! `u = 2^-24`, the `t` of a face is a difference, a reciprocal and a product: off by at most `4 u` of itself, for the
//! direction of a segment or of an `f64` ray was rounded, too. The origin of an `f64` ray is off by `u` of itself. If a
//! face is far from the origin, by a quarter of the coordinate or more, that is at most `4 u` of the difference. If it
//! is nearer, the box makes up for it: its faces are two numbers further outward, less half a number for their own
//! rounding. The sum is less than [`T_ROOM`] = `16 u`. Numbers beyond [`LARGEST_FILTERED`] or below its reciprocal
//! pass, so reciprocals and differences neither overflow nor lose digits. A ray that only touches the outer box misses
//! the shape. See docs/proofs.md, Lemma 27.

use crate::aabb::Aabb;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::ray_block::RayBlock;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::{F32Lanes, LANES, SimdF32};
use crate::simd::rows::BLOCK;
use crate::simd::task::SimdKernel;
use crate::target::COMPACT;

/// The fewest rays of a batch that are worth a filter. Fuzzing casts small batches, because some of its rays
/// take milliseconds.
const MIN_FILTERED: usize = if cfg!(fuzzing) { 1 } else { 4 * LANES };

/// One ray in so many must miss the box; else the filter costs more than it saves.
const WORTH: usize = 5;

/// Blocks without a filter after one that was not worth it.
const UNFILTERED_BLOCKS: usize = 31;

/// Relative room for all roundings of a `t`: 2^-20.
const T_ROOM: f32 = 1.0 / (1 << 20) as f32;

/// The largest coordinate or component that the filter is for: 2^100.
const LARGEST_FILTERED: f32 = (1u128 << 100) as f32;

/// Rows of one number of each ray of a block.
type BlockLanes = [F32Lanes; BLOCK / LANES];

/// Filter of rays by a box, and its memory.
pub(crate) struct BoxFilter {
    /// The corners of the box, moved outward.
    corners: [[f32; 3]; 2],
    /// Blocks to pass without a test.
    backoff: usize,
    origin: [BlockLanes; 3],
    direction: [BlockLanes; 3],
    /// The ends of the ranges of `t` of ranged rays.
    ranges: [BlockLanes; 2],
}

impl BoxFilter {
    /// Filter by the bounding box of a shape, for a batch of so many rays; `None` where it would not save time, and for an unbounded box.
    #[inline(never)]
    pub(crate) fn new<V: Vector>(bounds: &Aabb<V>, rays: usize) -> Option<Self> {
        if COMPACT || rays < MIN_FILTERED {
            return None;
        }
        // The box in `f32`, two numbers outward on each side: that covers the rounding of corners and of origins (see
        // Method).
        let round = |corner: V| corner.to_xyz().map(|x| x.to_f64() as f32);
        let (min, max) = (round(bounds.min), round(bounds.max));
        let mut corners = [min.map(|x| x.next_down().next_down()), max.map(|x| x.next_up().next_up())];
        if V::DIM == 2 {
            // Every z is in the box.
            (corners[0][2], corners[1][2]) = (-1.0, 1.0);
        }
        // Beyond the largest size, or for an unbounded box, the room would not cover all roundings.
        let row = [[0.0; LANES]; BLOCK / LANES];
        corners.as_flattened().iter().all(|x| x.abs() <= LARGEST_FILTERED).then_some(Self {
            corners,
            backoff: 0,
            origin: [row; 3],
            direction: [row; 3],
            ranges: [row; 2],
        })
    }

    /// Writes the places of the rays of a block that may meet the box within the range of a query in order, and returns their count.
    /// The other rays certainly miss the shape. `None` for a block whose rays all pass.
    #[inline(never)]
    pub(crate) fn candidates(
        &mut self,
        rays: &RayBlock,
        [t_min, t_max]: [f64; 2],
        places: &mut [u8; BLOCK],
    ) -> Option<usize> {
        // After a block in which few rays missed, some blocks pass without a test.
        if self.backoff > 0 {
            self.backoff -= 1;
            return None;
        }
        // The range that all rays have in common: that of the query, cut by that of the rays where it is the same for
        // all.
        let is_ranged = rays.ranges.is_some();
        let own = if is_ranged { [f64::NEG_INFINITY, f64::INFINITY] } else { [rays.kind.t_min, rays.kind.t_max] };
        // A NaN of the query stays, and passes every ray.
        let range =
            [if t_min < own[0] { own[0] } else { t_min } as f32, if t_max > own[1] { own[1] } else { t_max } as f32];
        // If too few rays missed, the test of this block cost more than it saved.
        let kept = dispatch(BlockTest { filter: self, rays, range, is_ranged, places });
        if (rays.count - kept) * WORTH < rays.count {
            self.backoff = UNFILTERED_BLOCKS;
        }
        (kept < rays.count).then_some(kept)
    }

    /// Loads the numbers of a block into rows of `f32`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load(&mut self, rays: &RayBlock) {
        for axis in 0..3 {
            let (o, d) = (&rays.origin[axis], &rays.target[axis]);
            let origin = self.origin[axis].as_flattened_mut();
            let direction = self.direction[axis].as_flattened_mut();
            for i in 0..BLOCK {
                let start = if rays.kind.is_segment { o[i] } else { 0.0 };
                let d = d[i] - start;
                // A component that is zero in `f32` only is no zero.
                let is_lost = d as f32 == 0.0 && d != 0.0;
                origin[i] = o[i] as f32;
                direction[i] = if is_lost { f32::NAN } else { d as f32 };
            }
        }
        for (row, ends) in self.ranges.iter_mut().zip(rays.ranges.iter().flatten()) {
            row.as_flattened_mut().iter_mut().zip(ends).for_each(|(row, end)| *row = *end as f32);
        }
    }
}

/// The test of a block.
struct BlockTest<'a> {
    filter: &'a mut BoxFilter,
    rays: &'a RayBlock,
    /// The range of `t` that all rays have in common.
    range: [f32; 2],
    /// Whether rays have ranges of their own besides.
    is_ranged: bool,
    places: &'a mut [u8; BLOCK],
}

impl SimdKernel for BlockTest<'_> {
    type Output = usize;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> usize {
        self.filter.load(self.rays);
        let mut kept = 0;
        for group in 0..self.rays.count.div_ceil(LANES) {
            // The last group may be incomplete: its other lanes count for nothing.
            let first = group * LANES;
            let lanes = LANES.min(self.rays.count - first);
            let mut passing = !self.misses::<L>(group) & (u32::MAX >> (u32::BITS - lanes as u32));
            // The places of the rays that pass, in order.
            while passing != 0 {
                self.places[kept % BLOCK] = (first + passing.trailing_zeros() as usize) as u8;
                kept += 1;
                passing &= passing - 1;
            }
        }
        kept
    }
}

impl BlockTest<'_> {
    /// The mask of the rays of a group that certainly miss the box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn misses<L: SimdF32>(&self, group: usize) -> u32 {
        let filter = &*self.filter;
        // The range of each ray, which the slabs cut.
        let [mut near, mut far] = self.range.map(L::splat);
        if self.is_ranged {
            let [least, most] = &filter.ranges;
            (near, far) = (L::load(&least[group]).max(near), L::load(&most[group]).min(far));
        }
        let (zero, one, smallest) = (L::splat(0.0), L::splat(1.0), L::splat(1.0 / LARGEST_FILTERED));
        let (mut largest, mut is_valid) = (zero, u32::MAX);
        // Each pair of faces cuts the range of `t`, as in the slab test for one ray and many boxes.
        for axis in 0..3 {
            let (o, d) = (L::load(&filter.origin[axis][group]), L::load(&filter.direction[axis][group]));
            let [min, max] = [0, 1].map(|end| L::splat(filter.corners[end][axis]));
            let inverse = one.div(d);
            let (low, high) = (min.minus(o).times(inverse), max.minus(o).times(inverse));
            // A NaN is that of a ray along a face: outside.
            near = low.min(high).max(near);
            far = low.max(high).min(far);
            // Components and coordinates out of the safe range make a ray pass.
            let size = d.abs();
            is_valid &= smallest.le(size) | size.le(zero);
            largest = largest.max(size).max(o.abs());
        }
        // The room for the roundings of each `t`; `tiny` covers underflow.
        let tiny = L::splat(f32::MIN_POSITIVE);
        let [less, more] = [1.0 - T_ROOM, 1.0 + T_ROOM].map(L::splat);
        let near = near.times(less).min(near.times(more)).minus(tiny);
        let far = far.times(less).max(far.times(more)).plus(tiny);
        far.less(near) & is_valid & largest.le(L::splat(LARGEST_FILTERED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::real::Precision;
    use crate::query::Query;
    use crate::ray::{RangedRay, Ray, RaySlice, Segment};
    use alloc::vec;
    use alloc::vec::Vec;
    use glam::{DVec2, DVec3, Vec2, Vec3};
    use test_support::random::Rng;

    /// Exact numbers are multiples of this.
    const UNIT: f64 = 1.0 / (1u64 << 30) as f64;

    /// A ray or segment and a range of `t` in units, against the box of these corners in units.
    struct Exact {
        origin: [i128; 3],
        direction: [i128; 3],
        range: [i128; 2],
        corners: [[i128; 3]; 2],
    }

    impl Exact {
        /// The least `t` and the largest one of the ray in the box, as fractions with a positive denominator.
        fn ends(&self) -> Option<[(i128, i128); 2]> {
            let unit = 1 << 30;
            let [mut near, mut far] = self.range.map(|t| (t, unit));
            let less = |a: (i128, i128), b: (i128, i128)| a.0 * b.1 < b.0 * a.1;
            for axis in 0..3 {
                let [low, high] = [0, 1].map(|end| self.corners[end][axis] - self.origin[axis]);
                let d = self.direction[axis];
                if d == 0 {
                    if low > 0 || high < 0 {
                        return None;
                    }
                    continue;
                }
                let [a, b] = if d > 0 { [(low, d), (high, d)] } else { [(-high, -d), (-low, -d)] };
                near = if less(near, a) { a } else { near };
                far = if less(b, far) { b } else { far };
            }
            (!less(far, near)).then_some([near, far])
        }
    }

    /// Numbers of eighths, or a few units beside them in `f64`.
    fn number<V: Vector>(rng: &mut Rng, most: i32) -> i128 {
        let beside = if V::Scalar::PRECISION == Precision::Double && rng.once_in(2) { rng.int(-9, 9) } else { 0 };
        (i128::from(rng.int(-most, most)) << 27) + i128::from(beside)
    }

    fn vector<V: Vector>(units: [i128; 3], scale: f64) -> V {
        V::from_xyz(units.map(|x| V::Scalar::from_f64(x as f64 * UNIT * scale)))
    }

    fn kept<V: Vector>(bounds: &Aabb<V>, rays: RaySlice<'_, V>, query: &Query<V::Scalar>) -> Vec<bool> {
        let (mut places, mut block) = ([0; BLOCK], RayBlock::default());
        let Some(mut filter) = BoxFilter::new(bounds, rays.len()) else { return vec![true; rays.len()] };
        let mut kept = vec![false; rays.len()];
        let range = [query.t_min().to_f64(), query.t_max().to_f64()];
        for (rays, kept) in rays.chunks(BLOCK).zip(kept.chunks_mut(BLOCK)) {
            filter.backoff = 0;
            block.load(rays);
            match filter.candidates(&block, range, &mut places) {
                Some(count) => places[..count].iter().for_each(|&place| kept[usize::from(place)] = true),
                None => kept.fill(true),
            }
        }
        kept
    }

    fn rays_that_touch_the_box_are_kept<V: Vector>(seed: u64) {
        let mut rng = Rng::new(seed);
        let (mut dropped, mut touching, mut missed) = (0, 0, 0);
        for _ in 0..60 {
            // Coordinates have one scale, directions another.
            let (scale, length) = (2f64.powi(rng.int(-90, 90)), 2f64.powi(rng.int(-9, 9)));
            // A box, and rays at its corners, along its faces and past it, all in whole numbers: so the truth is exact.
            let in_space = |v: [i128; 3]| [v[0], v[1], if V::DIM == 3 { v[2] } else { 0 }];
            let (a, b): ([i128; 3], [i128; 3]) = (
                core::array::from_fn(|_| number::<V>(&mut rng, 9)),
                core::array::from_fn(|_| number::<V>(&mut rng, 9)),
            );
            let corners =
                [0, 1].map(|end| in_space([0, 1, 2].map(|i| if end == 0 { a[i].min(b[i]) } else { a[i].max(b[i]) })));
            let bounds = Aabb { min: vector::<V>(corners[0], scale), max: vector::<V>(corners[1], scale) };
            let exact: Vec<Exact> = (0..300)
                .map(|_| {
                    let origin = in_space(core::array::from_fn(|_| number::<V>(&mut rng, 24)));
                    let to =
                        |i: usize| if rng.once_in(3) { corners[rng.below(2)][i] } else { number::<V>(&mut rng, 24) };
                    let to = in_space([0, 1, 2].map(to));
                    let mut direction = [0, 1, 2].map(|i| to[i] - origin[i]);
                    direction[rng.below(3)] *= i128::from(!rng.once_in(3));
                    let mut range = [number::<V>(&mut rng, 12), number::<V>(&mut rng, 12)];
                    range.sort_unstable();
                    Exact { origin, direction, range, corners }
                })
                .collect();
            // The same rays as rays, as rays with ranges, and as segments.
            let ray = |e: &Exact| Ray::new(vector::<V>(e.origin, scale), vector::<V>(e.direction, scale / length));
            let ranged = |e: &Exact| {
                let [least, most] = e.range.map(|t| V::Scalar::from_f64(t as f64 * UNIT * length));
                RangedRay::new(ray(e), least, most)
            };
            let segment = |e: &Exact| {
                let end = [0, 1, 2].map(|i| e.origin[i] + e.direction[i]);
                Segment::new(vector::<V>(e.origin, scale), vector::<V>(end, scale))
            };
            let all = Query::line();
            let (rays, rangeds): (Vec<_>, Vec<_>) = exact.iter().map(|e| (ray(e), ranged(e))).unzip();
            let segments: Vec<_> = exact.iter().map(segment).collect();
            let far = 1 << 60;
            let found = [
                (kept(&bounds, RaySlice::Rays(&rays), &all), [-far, far], false),
                (kept(&bounds, RaySlice::RangedRays(&rangeds), &all), [-far, far], true),
                (kept(&bounds, RaySlice::Segments(&segments), &all), [0, 1 << 30], false),
            ];
            // A ray that touches the box must be kept.
            for (kept, range, is_ranged) in found {
                for (e, kept) in exact.iter().zip(kept) {
                    let one = Exact { range: if is_ranged { e.range } else { range }, ..*e };
                    let touches = one.ends().is_some() && one.direction != [0; 3];
                    assert!(kept || !touches, "{:?} {:?} {:?} {:?}", e.origin, e.direction, e.range, e.corners);
                    touching += usize::from(touches);
                    missed += usize::from(!touches);
                    dropped += usize::from(!kept);
                }
            }
        }
        // Most touch by more than a rounding, or miss by more.
        assert!(touching > 3_000 && dropped * 10 > missed * 9, "{touching} {dropped} {missed}");
    }

    #[test]
    fn rays_that_touch_the_box_are_kept_and_most_others_dropped() {
        rays_that_touch_the_box_are_kept::<Vec3>(1);
        rays_that_touch_the_box_are_kept::<DVec3>(2);
        rays_that_touch_the_box_are_kept::<Vec2>(3);
        rays_that_touch_the_box_are_kept::<DVec2>(4);
    }

    /// Numbers at the ends of the range, and numbers that are none, pass unless they certainly miss.
    #[test]
    fn extreme_rays_are_kept() {
        let unit = Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let rays: Vec<Ray<DVec3>> = [1e-300, 1e-40, 1e-31, 1e31, 1e39, 1e300, f64::MAX, f64::MIN_POSITIVE]
            .into_iter()
            .flat_map(|size| {
                let aims = [DVec3::X, DVec3::new(1.0, 1e-3, 0.0), DVec3::new(1.0, 0.0, f64::MIN_POSITIVE / 4.0)];
                // Through the center, from near and from far.
                let from = |scale: f64| aims.map(|aim| Ray::new(aim * -scale, aim * size));
                [from(2.0), from(1e30), from(1e200)].concat()
            })
            .collect();
        // Extreme numbers, and a query with a NaN, must not lose a ray; a certain miss may.
        assert!(kept(&unit, RaySlice::Rays(&rays), &Query::new()).into_iter().all(|kept| kept));
        let none = vec![Ray::new(DVec3::NAN, DVec3::X); 64];
        let _ = kept(&unit, RaySlice::Rays(&none), &Query::new());
        let beside = vec![Ray::new(DVec3::Y * 2.0, DVec3::X); 64];
        for nan in [Query::new().range(f64::NAN, 1.0), Query::new().range(0.0, f64::NAN)] {
            assert!(kept(&unit, RaySlice::Rays(&rays), &nan).into_iter().all(|kept| kept));
        }
        assert!(kept(&unit, RaySlice::Rays(&beside), &Query::new()).into_iter().all(|kept| !kept));
        // A box that the filter is not for.
        let everything = Aabb::<DVec3>::everything();
        assert!(kept(&everything, RaySlice::Rays(&beside), &Query::new()).into_iter().all(|kept| kept));
    }
}
