//! Boxes in `f32`, which are all that a tree knows of its parts.

use super::tree::{above, below};
use crate::Aabb;
use crate::math::Vector;

/// A box: the empty one has its sides the wrong way round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// Rounded outward; without depth in the plane.
    pub(crate) fn around<V: Vector>(aabb: &Aabb<V>) -> Self {
        let (low, high) = (aabb.min.widen::<f64>(), aabb.max.widen::<f64>());
        let all = [0, 1, 2];
        Self { low: all.map(|axis| below(low.get(axis))), high: all.map(|axis| above(high.get(axis))) }
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let all = [0, 1, 2];
        Self {
            low: all.map(|i| smaller(self.low[i], other.low[i])),
            high: all.map(|i| larger(self.high[i], other.high[i])),
        }
    }

    #[inline(always)]
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let all = [0, 1, 2];
        Self {
            low: all.map(|i| larger(self.low[i], other.low[i])),
            high: all.map(|i| smaller(self.high[i], other.high[i])),
        }
    }

    /// Halves of the sides before they are added, which keeps the sum in range.
    #[inline(always)]
    pub(crate) fn center(&self) -> [f32; 3] {
        [0, 1, 2].map(|i| 0.5 * self.low[i] + 0.5 * self.high[i])
    }
}

// One instruction each, unlike `f32::min` and `max`, which mind a NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
