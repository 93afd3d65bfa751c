//! Bounds in `f32`, rounded outward: a BVH stores nothing else of its primitives.

use crate::aabb::Aabb;
use crate::math::rounding::{round_down_f32, round_up_f32};
use crate::math::vector::Vector;

/// Axis-aligned box; the empty one is inverted. Four lanes per side fill one SIMD register; w means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Bounds {
    pub(crate) low: [f32; 4],
    pub(crate) high: [f32; 4],
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] };

    /// Bounds of a box, rounded outward; in 2D with zero depth.
    pub(crate) fn around<V: Vector>(aabb: &Aabb<V>) -> Self {
        let (low, high) = (aabb.min.widen::<f64>(), aabb.max.widen::<f64>());
        Self {
            low: [round_down_f32(low.x), round_down_f32(low.y), round_down_f32(low.z), 0.0],
            high: [round_up_f32(high.x), round_up_f32(high.y), round_up_f32(high.z), 0.0],
        }
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self { low: each(self.low, other.low, smaller), high: each(self.high, other.high, larger) }
    }

    #[inline(always)]
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        Self { low: each(self.low, other.low, larger), high: each(self.high, other.high, smaller) }
    }

    /// Largest absolute coordinate.
    pub(crate) fn largest(&self) -> f32 {
        self.low[..3].iter().chain(&self.high[..3]).fold(0.0, |largest: f32, x| largest.max(x.abs()))
    }

    /// Centre. Halves are added, so that the sum cannot overflow.
    #[inline(always)]
    pub(crate) fn center(&self) -> [f32; 4] {
        each(self.low, self.high, halfway)
    }
    /// Centre along one axis.
    #[inline(always)]
    pub(crate) fn center_along(&self, axis: usize) -> f32 {
        halfway(self.low[axis], self.high[axis])
    }
}

/// Lane-wise operation. Written out, because `array::map` compiles to a call.
#[inline(always)]
pub(crate) fn each([a, b, c, d]: [f32; 4], [w, x, y, z]: [f32; 4], f: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    [f(a, w), f(b, x), f(c, y), f(d, z)]
}

#[inline(always)]
fn halfway(a: f32, b: f32) -> f32 {
    0.5 * a + 0.5 * b
}

// One instruction each: unlike `f32::min` and `max` these return the second operand if one is NaN.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
