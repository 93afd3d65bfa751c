//! Distance from a point to the boxes of a node.

use crate::bvh::node::NodeBounds;
use crate::bvh::slab::SlabTest;
use crate::math::instance_stack::InstanceLevel;
use crate::math::rounding::{SINGLE_ROUNDING, round_down_f32, round_up_f32};
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::simd::lanes::SimdF32;

/// A point prepared for distances to many boxes. In place of entry distances of a ray, its node test gives squared
/// distances. See docs/proofs.md, Lemma 29.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxDistance {
    /// The point, rounded down and up.
    pub(crate) low: [f32; 3],
    high: [f32; 3],
    /// Factor of all distances, so that their squares neither overflow nor vanish.
    pub(crate) scale: f32,
}

/// What scaled distances may lose: the coordinates of the triangles are below 4 in this scale, and their distances have errors
/// of at most 2^-48 in `f64`.
const DISTANCE_SLACK: f32 = f32::from_bits((127 - 45) << 23);

/// What the squares may lose below the range of normal numbers: far more than 2^-149 for each of a few operations.
const UNDERFLOW_SLACK: f32 = f32::from_bits((127 - 120) << 23);

/// Bound of the relative error of a squared distance: a difference, the scale, a square and two sums have seven roundings, the
/// product with this number one more. The rest makes room for the roundings of `f32` results that are compared with it.
const ROUNDED_DOWN: f32 = 1.0 - 32.0 * SINGLE_ROUNDING;
const ROUNDED_UP: f32 = 1.0 + 32.0 * SINGLE_ROUNDING;

/// Range of scales in which the bound holds.
const SCALES: core::ops::RangeInclusive<f64> = f64::from_bits((1023 - 126) << 52)..=f64::from_bits((1023 + 126) << 52);

impl BoxDistance {
    /// The point between `low` and `high`. Distances are multiplied by `scale`, which brings the largest coordinate of point
    /// and boxes to at most 4; outside of the range of `f32` all distances are zero, and no box is skipped.
    pub(crate) fn new(low: [f64; 3], high: [f64; 3], scale: f64) -> Self {
        let scale = if SCALES.contains(&scale) { round_down_f32(scale) } else { 0.0 };
        Self { low: low.map(round_down_f32), high: high.map(round_up_f32), scale }
    }

    /// The point among boxes with coordinates up to `largest`, and the factor of all distances. Boxes of a placed tree are in
    /// its own coordinates, distances in those of the world: there a length is at least the one among the boxes, times the
    /// least factor by which the map multiplies lengths.
    pub(crate) fn of_point<V: Vector>(point: V, level: Option<&InstanceLevel<'_>>, largest: f64) -> (Self, f64) {
        // The scale makes the largest coordinate about 1, so that squares stay in range.
        let (at, largest) = (point.to_f64(), largest.min(f64::MAX));
        let scale = |largest: f64| power_of_two_below(point.widen::<f64>().max_abs_f64().max(largest)).unwrap_or(1.0);
        let Some(level) = level else {
            let scale = scale(largest);
            return (Self::new(at, at, scale), scale);
        };
        // A tree of an instance: the point in its coordinates is a ball, and `low` and `high` are its ends.
        let map = level.affine_map::<Working<V>>();
        let Vec3 { x, y, z } = level.local().origin;
        let [low, high] = [-1.0, 1.0].map(|sign| [x, y, z].map(|c| c.value + sign * c.error));
        // The least factor by which the map multiplies lengths makes a distance among the boxes a bound of that in the
        // world.
        let factor = 1.0 / map.inverse_norm::<V>();
        let is_bounded = low.iter().chain(&high).all(|c| c.is_finite());
        // The scale belongs to the world, where the caller compares distances.
        let scale = scale(map.largest_image(largest, V::DIM));
        (Self::new(low, high, if is_bounded { scale * factor } else { 0.0 }), scale)
    }

    /// Differences of the two roundings of the point.
    pub(crate) fn differences(&self) -> [f32; 3] {
        core::array::from_fn(|axis| self.high[axis] - self.low[axis])
    }

    /// Squared distance to the farthest point of each box, rounded up; infinite beyond the range of `f32`.
    #[inline(always)]
    pub(crate) fn farthest<L: SimdF32>(&self, planes: &NodeBounds) -> L {
        let sum = self.farthest_along::<L>(planes, 0).plus(self.farthest_along::<L>(planes, 1));
        let sum = sum.plus(self.farthest_along::<L>(planes, 2));
        sum.times(L::splat(ROUNDED_UP)).plus(L::splat(UNDERFLOW_SLACK))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn farthest_along<L: SimdF32>(&self, planes: &NodeBounds, axis: usize) -> L {
        let above = L::load(&planes[axis + 3]).minus(L::splat(self.low[axis]));
        let below = L::splat(self.high[axis]).minus(L::load(&planes[axis]));
        let distance = above.max(below).times(L::splat(self.scale));
        distance.times(distance)
    }

    /// Squared distance along one axis to each box, rounded down.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn along<L: SimdF32>(&self, planes: &NodeBounds, axis: usize) -> L {
        let below = L::load(&planes[axis]).minus(L::splat(self.high[axis]));
        let above = L::splat(self.low[axis]).minus(L::load(&planes[axis + 3]));
        // Infinite differences are at least the largest number.
        let distance = below.max(above).min(L::splat(f32::MAX)).times(L::splat(self.scale));
        // Differences of infinities are NaN, which the maximum takes to zero.
        let distance = distance.minus(L::splat(DISTANCE_SLACK)).max(L::splat(0.0));
        distance.times(distance)
    }
}

impl SlabTest for BoxDistance {
    const SIGNED: bool = false;

    /// Squared distance to each box, and a mask of the boxes at most `limit` away.
    ///
    /// # Method
    /// Along each axis the distance is how far the point lies outside of the interval of the box. All errors make the result
    /// smaller, so it is a lower bound of the squared distance to everything in the box.
    ///
    /// # Source
    /// Roussopoulos, Kelley, Vincent, *Nearest Neighbor Queries*, SIGMOD 1995: MINDIST.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32) {
        let sum = self.along::<L>(planes, 0).plus(self.along::<L>(planes, 1)).plus(self.along::<L>(planes, 2));
        let bound = sum.times(L::splat(ROUNDED_DOWN)).minus(L::splat(UNDERFLOW_SLACK)).max(L::splat(0.0));
        // Invalid children have inverted boxes.
        let valid = L::load(&planes[0]).le(L::load(&planes[3]));
        (bound, bound.le(L::splat(limit)) & valid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::node::WIDTH;
    use crate::simd::dispatch::dispatch;
    use crate::simd::lanes::F32Lanes;
    use crate::simd::task::SimdKernel;
    use test_support::random::Rng;

    struct Enter<'a>(&'a BoxDistance, &'a NodeBounds);
    impl SimdKernel for Enter<'_> {
        type Output = ([f32; WIDTH], u32);
        fn run<L: SimdF32>(self) -> Self::Output {
            let (bound, mask) = self.0.enter::<L>(self.1, f32::INFINITY);
            let mut out = [0.0; WIDTH];
            bound.store(&mut out);
            (out, mask)
        }
    }

    /// Points of random boxes are never nearer than the bound, at every scale, and the bound is tight.
    #[test]
    fn boxes_are_never_farther_than_their_points() {
        let mut rng = Rng::new(1);
        let mut tight = 0;
        for round in 0..20_000 {
            // Sixteen boxes and a point, at each scale: the true distance is computed in `f64` beside them.
            let size = [1.0, 1e-30, 1e30, 1e-3][round % 4];
            let point: [f64; 3] = core::array::from_fn(|_| rng.between(-size, size));
            let mut planes = [[0.0f32; WIDTH]; 6];
            let mut distance_sq = [0.0; WIDTH];
            for axis in 0..3 {
                for lane in 0..WIDTH {
                    let low = rng.between(-size, size);
                    let high = low + rng.between(0.0, size / 4.0);
                    let x: f64 = point[axis].clamp(low, high) - point[axis];
                    distance_sq[lane] += x * x;
                    (planes[axis][lane], planes[axis + 3][lane]) = (round_down_f32(low), round_up_f32(high));
                }
            }
            // An invalid child must never be in the mask.
            planes[0][WIDTH - 1] = f32::INFINITY;
            planes[3][WIDTH - 1] = f32::NEG_INFINITY;
            let scale = power_of_two_below(2.0 * size).unwrap();
            let test = BoxDistance::new(point, point, scale);
            // The bound is the same in registers and in arrays.
            let (bound, mask) = dispatch(Enter(&test, &planes));
            assert_eq!((bound.map(f32::to_bits), mask), {
                let (bound, mask) = Enter(&test, &planes).run::<F32Lanes>();
                (bound.map(f32::to_bits), mask)
            });
            assert_eq!(mask, (1 << (WIDTH - 1)) - 1);
            // No bound is above the true distance, and most are close to it.
            for lane in 0..WIDTH - 1 {
                let true_sq = distance_sq[lane] * scale * scale;
                assert!(f64::from(bound[lane]) <= true_sq, "{point:?} {planes:?} {lane}");
                tight += usize::from(f64::from(bound[lane]) >= true_sq * 0.999);
            }
        }
        assert!(tight > 200_000, "{tight}");
    }

    #[test]
    fn huge_numbers_skip_nothing_wrongly() {
        let mut planes =
            [[f32::MIN; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [f32::INFINITY; WIDTH], [0.0; WIDTH], [0.0; WIDTH]];
        for scale in [1e-300, f64::from(f32::MIN_POSITIVE), 1.0, 1e300] {
            let (bound, mask) =
                dispatch(Enter(&BoxDistance::new([1e300, 0.0, 0.0], [1e300, 0.0, 0.0], scale), &planes));
            assert_eq!((bound, mask), ([0.0; WIDTH], 0xFFFF));
        }
        planes[3] = [f32::MIN; WIDTH];
        let (bound, _) = dispatch(Enter(&BoxDistance::new([1e30; 3], [1e30; 3], (-127f64).exp2() * 2.0), &planes));
        assert!(bound.iter().all(|bound| *bound <= 32.0));
    }
}
