//! Boxes in `f32`, which are all that a tree knows of its parts.

use crate::aabb::Aabb;
use crate::math::rounding::{above, below};
use crate::math::vector::Vector;

/// A box: the empty one has its sides the wrong way round. Four numbers a side are one register; the fourth ones mean
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Bounds {
    pub(crate) low: [f32; 4],
    pub(crate) high: [f32; 4],
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] };

    /// Rounded outward; without depth in the plane.
    pub(crate) fn around<V: Vector>(aabb: &Aabb<V>) -> Self {
        let (low, high) = (aabb.min.widen::<f64>(), aabb.max.widen::<f64>());
        Self {
            low: [below(low.x), below(low.y), below(low.z), 0.0],
            high: [above(high.x), above(high.y), above(high.z), 0.0],
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

    /// The largest coordinate, without its sign.
    pub(crate) fn largest(&self) -> f32 {
        self.low[..3].iter().chain(&self.high[..3]).fold(0.0, |most: f32, x| most.max(x.abs()))
    }

    /// Halves of the sides before they are added, which keeps the sum in range.
    #[inline(always)]
    pub(crate) fn center(&self) -> [f32; 4] {
        each(self.low, self.high, halfway)
    }
    /// The same along one axis.
    #[inline(always)]
    pub(crate) fn center_along(&self, axis: usize) -> f32 {
        halfway(self.low[axis], self.high[axis])
    }
}

/// Written out: `array::map` is a call.
#[inline(always)]
pub(crate) fn each([a, b, c, d]: [f32; 4], [w, x, y, z]: [f32; 4], f: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    [f(a, w), f(b, x), f(c, y), f(d, z)]
}

#[inline(always)]
fn halfway(a: f32, b: f32) -> f32 {
    0.5 * a + 0.5 * b
}

// One instruction each, unlike `f32::min` and `max`, which mind a NaN: here the second one is taken.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
