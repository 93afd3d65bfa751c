//! Limit of a search for the closest few hits.

use crate::kernel::candidate::upper_bound;
use crate::math::arithmetic::Arithmetic;
use alloc::collections::BinaryHeap;
use core::cmp::Ordering;

/// Limit of `t` in a search for the closest `most` hits: beyond it no hit is one of them.
pub(crate) struct NearestLimit {
    most: usize,
    /// Upper bounds of the closest `most` hits so far.
    bounds: BinaryHeap<Bound>,
}

/// A number that is ordered; no NaN.
struct Bound(f64);

impl NearestLimit {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, bounds: BinaryHeap::new() }
    }
    /// Takes a hit into account, and lowers `limit` when `most` hits are known.
    #[inline]
    pub(crate) fn add<T: Arithmetic>(&mut self, t: T, limit: &mut f64) {
        if self.most < usize::MAX {
            self.add_bound(upper_bound(t), limit);
        }
    }
    /// [`add`](Self::add) for an upper bound of `t`.
    pub(crate) fn add_bound(&mut self, bound: f64, limit: &mut f64) {
        if self.most == usize::MAX {
            return;
        }
        self.bounds.push(Bound(bound));
        if self.bounds.len() > self.most {
            self.bounds.pop();
        }
        if let Some(farthest) = self.bounds.peek().filter(|_| self.bounds.len() == self.most) {
            *limit = limit.min(farthest.0);
        }
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Bound {}
