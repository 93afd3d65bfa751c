//! `Observer`: receives the numbers, decisions and filter failures of a kernel while it runs.

use crate::math::arithmetic::{Arithmetic, outlined};
use crate::math::rounding::power;
use core::marker::PhantomData;

/// Observer of a kernel. One records whether a filter test failed, another one the trace: both come from the
/// evaluation that decides, so an [`Explanation`](crate::Explanation) cannot differ from the decision.
pub trait Observer {
    /// Whether this observer ignores filter tests: then the kernel does not compute them.
    #[doc(hidden)]
    const UNFILTERED: bool = false;
    /// Traces a quantity of the test by its name in the field. Kernels compute relative to the shape, scaled by
    /// powers of two; a traced quantity is either dimensionless or in units of the scene.
    fn number(&mut self, _name: &'static str, _value: impl FnOnce() -> f64) {}
    /// Traces the comparison that decided.
    fn verdict(&mut self, _text: &'static str) {}
    /// Flags a decision or a value that this arithmetic cannot certify.
    fn set_uncertain(&mut self);
    /// Factor of the thresholds of filter tests: above 1 for a ray that is rounded.
    #[doc(hidden)]
    #[inline(always)]
    fn strictness(&self) -> f64 {
        1.0
    }
    /// Filter test of the origin of a rounded ray, relative to a reference point of the shape, by the sum of its components'
    /// magnitudes: that must be large beside their errors.
    #[doc(hidden)]
    #[inline(always)]
    fn check_origin_size<T: Arithmetic>(&mut self, _size: T) {}

    /// Filter test of a sign: a decision depends on the sign of `value`, computed from terms of magnitude
    /// `magnitude`.
    #[inline(always)]
    fn sign<T: Arithmetic>(&mut self, value: T, magnitude: T) {
        self.check_filter(value, magnitude, T::sign_threshold() * self.strictness());
    }
    /// Filter test of a value: the digits of the result depend on `value`, computed from terms of magnitude
    /// `magnitude`.
    #[inline(always)]
    fn value<T: Arithmetic>(&mut self, value: T, magnitude: T) {
        self.check_filter(value, magnitude, T::value_threshold() * self.strictness());
    }
    /// Filter test of a miss: returns whether the kernel ends with a miss because `value` is negative or NaN. A
    /// kernel that continues must test `value` itself.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_miss<T: Arithmetic>(&mut self, value: T, magnitude: T) -> bool {
        if Self::UNFILTERED {
            return value.is_miss();
        }
        let (out, sure) = value.is_certain_miss(T::sign_threshold() * self.strictness(), magnitude);
        // For exact numbers the threshold is zero: every number but a NaN is certain.
        if !sure {
            self.set_uncertain();
        }
        out
    }
    /// Flags a number that may be negative.
    #[inline(always)]
    fn is_not_negative<T: Arithmetic>(&mut self, value: T) {
        if !Self::UNFILTERED && !value.is_not_negative() {
            self.set_uncertain();
        }
    }
    /// Flags a number that is infinite or NaN.
    #[inline(always)]
    fn is_finite<T: Arithmetic>(&mut self, value: T) {
        if !Self::UNFILTERED && !T::from_f64(f64::INFINITY).exceeds(1.0, value) {
            self.set_uncertain();
        }
    }
    /// [`value`](Self::value) for the squares of a value and its magnitude.
    #[inline(always)]
    fn value_sq<T: Arithmetic>(&mut self, value_sq: T, magnitude_sq: T) {
        let share = T::value_threshold() * self.strictness();
        self.check_filter(value_sq, magnitude_sq, share * share);
    }
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_filter<T: Arithmetic>(&mut self, value: T, magnitude: T, share: f64) {
        if Self::UNFILTERED {
            return;
        }
        outlined!(T, {
            // A sum of zeros is certain; a NaN is not.
            let nothing = !T::NORMWISE_BOUNDS && magnitude.equals(T::ZERO);
            if !(value.exceeds(share, magnitude) || nothing) {
                self.set_uncertain();
            }
        });
    }
}

/// Uncertainty flag: records that a filter test failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterFlag {
    pub(crate) is_uncertain: bool,
    /// Bound of the errors of the components of the origin; 0 for a ray that is exact.
    origin_error: f64,
}

/// 2^-46: largest error of a component of a rounded ray, relative to the sum of all magnitudes, for the filter.
pub(crate) const ROUNDED_RAY: f64 = power(-46);

/// 2^8: factor of the thresholds for such a ray (docs/proofs.md, Lemma 16).
const STRICTNESS: f64 = power(8);

impl FilterFlag {
    /// Flag for a ray whose origin has such errors, greater than 0.
    #[inline(always)]
    pub(crate) fn of_rounded_ray(origin_error: f64) -> Self {
        Self { is_uncertain: false, origin_error }
    }
    #[inline(always)]
    fn is_exact(&self) -> bool {
        self.origin_error == 0.0
    }
}

impl Observer for FilterFlag {
    #[inline]
    fn set_uncertain(&mut self) {
        self.is_uncertain = true;
    }
    #[inline(always)]
    fn strictness(&self) -> f64 {
        if self.is_exact() { 1.0 } else { STRICTNESS }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_origin_size<T: Arithmetic>(&mut self, size: T) {
        // Written so that a NaN is uncertain.
        if !self.is_exact() && !(self.origin_error < ROUNDED_RAY * size.to_f64()) {
            self.set_uncertain();
        }
    }
}

/// Ignores filter tests: for the second run of a kernel after coarser arithmetic has certified every decision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unfiltered;

impl Observer for Unfiltered {
    const UNFILTERED: bool = true;
    #[inline(always)]
    fn set_uncertain(&mut self) {}
}

/// Private uncertainty flag within the run of another observer: for failures that may not affect the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopedFlag<P> {
    pub(crate) is_uncertain: bool,
    on_behalf_of: PhantomData<P>,
}

impl<P> ScopedFlag<P> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { is_uncertain: false, on_behalf_of: PhantomData }
    }
}

impl<P: Observer> Observer for ScopedFlag<P> {
    const UNFILTERED: bool = P::UNFILTERED;
    #[inline(always)]
    fn set_uncertain(&mut self) {
        self.is_uncertain = true;
    }
}

/// Forwards uncertainty without the trace: for the second run of a kernel whose first run has traced its numbers.
pub(crate) struct NoTrace<'a, P>(pub(crate) &'a mut P);

impl<P: Observer> Observer for NoTrace<'_, P> {
    const UNFILTERED: bool = P::UNFILTERED;
    #[inline]
    fn set_uncertain(&mut self) {
        self.0.set_uncertain();
    }
    #[inline(always)]
    fn strictness(&self) -> f64 {
        self.0.strictness()
    }
    #[inline(always)]
    fn check_origin_size<T: Arithmetic>(&mut self, size: T) {
        self.0.check_origin_size(size);
    }
}
