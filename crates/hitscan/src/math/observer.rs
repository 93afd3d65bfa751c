//! A kernel's own numbers and doubts, heard while it decides.

use crate::math::arithmetic::Arithmetic;
use core::marker::PhantomData;

/// Listens to a kernel: one hears what is in doubt, another one writes the numbers down. So an
/// [`Explanation`](crate::Explanation) cannot differ from the decision.
pub trait Observer {
    /// Doubts are out of the question: what would be weighed need not be computed.
    #[doc(hidden)]
    const SURE: bool = false;
    /// A quantity of the test, by its name in the field. Kernels work relative to the shape, scaled by powers of two;
    /// what is named here is either free of units or in those of the scene.
    fn number(&mut self, _name: &'static str, _value: impl FnOnce() -> f64) {}
    /// The comparison that decided.
    fn verdict(&mut self, _text: &'static str) {}
    /// A decision or a value that this arithmetic cannot answer for.
    fn doubt(&mut self);

    /// A decision hangs on the sign of `value`, which was computed from terms of magnitude `magnitude`.
    #[inline(always)]
    fn sign<T: Arithmetic>(&mut self, value: T, magnitude: T) {
        self.weigh(value, magnitude, T::sign_threshold());
    }
    /// A digit of the answer hangs on `value`, which was computed from terms of magnitude `magnitude`.
    #[inline(always)]
    fn value<T: Arithmetic>(&mut self, value: T, magnitude: T) {
        self.weigh(value, magnitude, T::value_threshold());
    }
    /// Whether a kernel ends with a miss, because `value` is less than zero. Where it goes on it has to weigh `value` itself.
    #[inline(always)]
    fn misses<T: Arithmetic>(&mut self, value: T, magnitude: T) -> bool {
        if Self::SURE {
            return value.is_miss();
        }
        let (out, sure) = value.is_certain_miss(T::sign_threshold(), magnitude);
        // In exact numbers, whose share is zero, everything is certain but a NaN.
        if !sure {
            self.doubt();
        }
        out
    }
    /// A number that is not certain to be zero at least leaves a doubt.
    #[inline(always)]
    fn is_not_negative<T: Arithmetic>(&mut self, value: T) {
        if !Self::SURE && !value.is_not_negative() {
            self.doubt();
        }
    }
    /// A number that is infinite, or none, leaves a doubt.
    #[inline(always)]
    fn is_finite<T: Arithmetic>(&mut self, value: T) {
        if !Self::SURE && !T::from_f64(f64::INFINITY).exceeds(1.0, value) {
            self.doubt();
        }
    }
    /// [`value`](Self::value) of two squares.
    #[inline(always)]
    fn value_sq<T: Arithmetic>(&mut self, value_sq: T, magnitude_sq: T) {
        self.weigh(value_sq, magnitude_sq, T::value_threshold() * T::value_threshold());
    }
    #[doc(hidden)]
    #[inline(always)]
    fn weigh<T: Arithmetic>(&mut self, value: T, magnitude: T, share: f64) {
        T::outlined(|| {
            if Self::SURE {
                return;
            }
            // Terms that all are zero leave no doubt; a NaN does.
            let nothing = !T::NORMWISE_BOUNDS && magnitude == T::ZERO;
            if !(value.exceeds(share, magnitude) || nothing) {
                self.doubt();
            }
        })
    }
}

/// Remembers a doubt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterFlag {
    pub(crate) is_uncertain: bool,
}

impl Observer for FilterFlag {
    #[inline]
    fn doubt(&mut self) {
        self.is_uncertain = true;
    }
}

/// Hears nothing: for the second run of a test whose first, in coarser arithmetic, was certain of every decision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unfiltered;

impl Observer for Unfiltered {
    const SURE: bool = true;
    #[inline(always)]
    fn doubt(&mut self) {}
}

/// Remembers doubts that may not matter, on behalf of another probe.
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
    const SURE: bool = P::SURE;
    #[inline(always)]
    fn doubt(&mut self) {
        self.is_uncertain = true;
    }
}

/// Passes on doubts, and no more: for the second run of a test whose first has told its numbers.
pub(crate) struct NoTrace<'a, P>(pub(crate) &'a mut P);

impl<P: Observer> Observer for NoTrace<'_, P> {
    const SURE: bool = P::SURE;
    #[inline]
    fn doubt(&mut self) {
        self.0.doubt();
    }
}
