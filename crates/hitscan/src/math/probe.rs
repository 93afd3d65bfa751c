//! A kernel's own numbers and doubts, heard while it decides.

use super::Wide;
use core::marker::PhantomData;

/// Listens to a kernel: one hears what is in doubt, another one writes the numbers down. So an
/// [`Explanation`](crate::Explanation) cannot differ from the decision.
pub trait Probe {
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

    /// A decision hangs on the sign of `value`, which was computed from terms of magnitude `reach`.
    #[inline(always)]
    fn sign<T: Wide>(&mut self, value: T, reach: T) {
        self.weigh(value, reach, T::sign_doubt());
    }
    /// A digit of the answer hangs on `value`, which was computed from terms of magnitude `reach`.
    #[inline(always)]
    fn value<T: Wide>(&mut self, value: T, reach: T) {
        self.weigh(value, reach, T::value_doubt());
    }
    /// Whether a kernel ends with a miss, because `value` is less than zero. Where it goes on it has to weigh `value` itself.
    #[inline(always)]
    fn misses<T: Wide>(&mut self, value: T, reach: T) -> bool {
        if Self::SURE {
            return value.rules_out();
        }
        let (out, sure) = value.rules_out_surely(T::sign_doubt(), reach);
        // In exact numbers, whose share is zero, everything is certain but a NaN.
        if !sure {
            self.doubt();
        }
        out
    }
    /// A number that is not certain to be zero at least leaves a doubt.
    #[inline(always)]
    fn is_not_negative<T: Wide>(&mut self, value: T) {
        if !Self::SURE && !value.is_not_negative() {
            self.doubt();
        }
    }
    /// A number that is infinite, or none, leaves a doubt.
    #[inline(always)]
    fn is_finite<T: Wide>(&mut self, value: T) {
        if !Self::SURE && !T::from_f64(f64::INFINITY).exceeds(1.0, value) {
            self.doubt();
        }
    }
    /// [`value`](Self::value) of two squares.
    #[inline(always)]
    fn value_sq<T: Wide>(&mut self, value_sq: T, reach_sq: T) {
        self.weigh(value_sq, reach_sq, T::value_doubt() * T::value_doubt());
    }
    #[doc(hidden)]
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn weigh<T: Wide>(&mut self, value: T, reach: T, share: f64) {
        if Self::SURE {
            return;
        }
        // Terms that all are zero leave no doubt; a NaN does.
        let nothing = !T::COARSE && reach == T::ZERO;
        if !(value.exceeds(share, reach) || nothing) {
            self.doubt();
        }
    }
}

/// Remembers a doubt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    pub(crate) doubtful: bool,
}

impl Probe for Watch {
    #[inline]
    fn doubt(&mut self) {
        self.doubtful = true;
    }
}

/// Hears nothing: for the second run of a test whose first, in coarser arithmetic, was certain of every decision.
#[cfg(not(feature = "small"))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sure;

#[cfg(not(feature = "small"))]
impl Probe for Sure {
    const SURE: bool = true;
    #[inline(always)]
    fn doubt(&mut self) {}
}

/// Remembers doubts that may not matter, on behalf of another probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aside<P> {
    pub(crate) doubtful: bool,
    on_behalf_of: PhantomData<P>,
}

impl<P> Aside<P> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { doubtful: false, on_behalf_of: PhantomData }
    }
}

impl<P: Probe> Probe for Aside<P> {
    const SURE: bool = P::SURE;
    #[inline(always)]
    fn doubt(&mut self) {
        self.doubtful = true;
    }
}

/// Passes on doubts, and no more: for the second run of a test whose first has told its numbers.
pub(crate) struct Quiet<'a, P>(pub(crate) &'a mut P);

impl<P: Probe> Probe for Quiet<'_, P> {
    const SURE: bool = P::SURE;
    #[inline]
    fn doubt(&mut self) {
        self.0.doubt();
    }
}
