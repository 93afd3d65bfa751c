//! Which of two numbers is larger, as far as their digits tell.

use super::arena;
use crate::math::exact::exact::{Exact, NONE};
use core::cmp::Ordering;

impl Exact {
    /// The order of two numbers that quotients and roots were taken for: those that differ by less than was left out are
    /// equal, if the digits sufficed for the lowest bit of what would tell them apart.
    #[inline(never)]
    pub(crate) fn cmp_rounded(self, other: Self) -> Ordering {
        let gap = self - other;
        let equal = gap.sign == 0.0 || arena::with(|arena| gap.bits(&arena.limbs)) <= gap.error;
        if equal {
            if !gap.is_exact() {
                arena::with(|arena| arena.room.undecided());
            }
            return Ordering::Equal;
        }
        if gap.sign > 0.0 { Ordering::Greater } else { Ordering::Less }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Exact {
    #[inline(never)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.error.max(other.error) > NONE && self.sign.is_finite() && other.sign.is_finite() {
            return Some(self.cmp_rounded(*other));
        }
        match self.sign.partial_cmp(&other.sign) {
            // Infinities and zero have no limbs, and come out equal.
            Some(Ordering::Equal) => {
                let order = arena::with(|arena| self.cmp_magnitude(other, &arena.limbs));
                Some(if self.sign > 0.0 { order } else { order.reverse() })
            }
            decided => decided,
        }
    }
}
