//! Signs of numbers with their certainty, and decisions of several of them.

use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use core::cmp::Ordering;

/// The sign of a number computed from terms of this magnitude; `None` if rounding errors could have changed it. Exact numbers
/// have none.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn certain_sign<T: Arithmetic>(value: T, magnitude: T) -> Option<Ordering> {
    // A sum of zeros is zero: numbers in the ordinary range do not vanish in products of six.
    if T::SELF_VALIDATING || magnitude.equals(T::ZERO) || value.exceeds(T::sign_threshold(), magnitude) {
        return value.compare(T::ZERO);
    }
    None
}

/// Whether the number is at most zero.
#[inline(always)]
pub(crate) fn is_not_positive<T: Arithmetic>(value: T, magnitude: T) -> Option<bool> {
    certain_sign(value, magnitude).map(Ordering::is_le)
}

/// Magnitudes above this have not lost their digits below the range of `f64`.
pub(crate) const LEAST_MAGNITUDE: f64 = power(-900);

/// Whether a number of this magnitude, computed in plain `f64`, is certainly positive.
#[inline(always)]
pub(crate) fn is_certainly_positive(value: f64, magnitude: f64) -> bool {
    magnitude > LEAST_MAGNITUDE && value > f64::sign_threshold() * magnitude
}

/// The disjunction of decisions, of which some may be uncertain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyOf {
    is_uncertain: bool,
}

impl AnyOf {
    /// Adds a decision; returns whether it is certainly true, so that no other one counts.
    #[inline(always)]
    pub(crate) fn add(&mut self, decision: Option<bool>) -> bool {
        self.is_uncertain |= decision.is_none();
        decision == Some(true)
    }
    /// The disjunction, if no decision was certainly true.
    #[inline(always)]
    pub(crate) fn otherwise(self) -> Option<bool> {
        if self.is_uncertain { None } else { Some(false) }
    }
}

/// The conjunction of decisions: false as soon as one is certainly false.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn all_of<const N: usize>(decisions: [Option<bool>; N]) -> Option<bool> {
    let mut all = Some(true);
    for decision in decisions {
        match decision {
            Some(false) => return Some(false),
            None => all = None,
            Some(true) => {}
        }
    }
    all
}
