//! Comparison of exact and rounded numbers.

use super::arena;
use crate::math::exact::exact::{EXACT, Exact};
use core::cmp::Ordering;

impl Exact {
    /// Compares two numbers that quotients or roots contribute to. They are equal if they differ by less than their
    /// error bound; the digits must suffice for the lowest bit of their difference, else the evaluation runs again.
    #[inline(never)]
    pub(crate) fn cmp_rounded(self, other: Self) -> Ordering {
        let gap = self - other;
        let equal = gap.sign == 0.0 || gap.bit_length() <= gap.error;
        if equal {
            if !gap.is_exact() {
                arena::with(|arena| arena.budget.undecided());
            }
            return Ordering::Equal;
        }
        if gap.sign > 0.0 { Ordering::Greater } else { Ordering::Less }
    }

    /// Compares two numbers; `None` for a NaN. A comparison that the digits leave open is recorded, and then the evaluation
    /// runs again with more of them.
    #[inline(never)]
    pub(crate) fn order(self, other: Self) -> Option<Ordering> {
        if self.error.max(other.error) > EXACT && self.sign.is_finite() && other.sign.is_finite() {
            return Some(self.cmp_rounded(other));
        }
        match self.sign.partial_cmp(&other.sign) {
            // Infinities and zero have no limbs and compare equal here.
            Some(Ordering::Equal) => {
                let order = self.order_of_magnitude(&other);
                Some(if self.sign > 0.0 { order } else { order.reverse() })
            }
            decided => decided,
        }
    }

    /// The [`order`](Self::order) for a sort: a NaN has no order, and stays where it is.
    pub(crate) fn order_or_equal(self, other: Self) -> Ordering {
        self.order(other).unwrap_or(Ordering::Equal)
    }
}
