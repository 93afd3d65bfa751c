//! A kernel's own numbers and doubts, heard while it decides.

use super::Wide;

/// Listens to a kernel: one hears what is in doubt, another one writes the numbers down. So an
/// [`Explanation`](crate::Explanation) cannot differ from the decision.
pub trait Probe {
    /// A quantity of the test, by its name in the field. Kernels work relative to the shape, scaled by powers of two;
    /// what is named here is either free of units or in those of the scene.
    fn number(&mut self, _name: &'static str, _value: f64) {}
    /// The comparison that decided.
    fn verdict(&mut self, _text: &'static str) {}
    /// A decision or a value that this arithmetic cannot answer for.
    fn doubt(&mut self);

    /// A decision hangs on the sign of `value`, which was computed from terms of magnitude `reach`.
    #[inline]
    fn sign<T: Wide>(&mut self, value: T, reach: T) {
        self.weigh(value, reach, T::SIGN_DOUBT);
    }
    /// A digit of the answer hangs on `value`, which was computed from terms of magnitude `reach`.
    #[inline]
    fn value<T: Wide>(&mut self, value: T, reach: T) {
        self.weigh(value, reach, T::VALUE_DOUBT);
    }
    #[doc(hidden)]
    #[inline]
    fn weigh<T: Wide>(&mut self, value: T, reach: T, share: f64) {
        // Terms that all are zero leave no doubt; a NaN does.
        if !(value.abs().to_f64() > share * reach.to_f64() || reach == T::ZERO) {
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

/// Passes on doubts, and no more: for the second run of a test whose first has told its numbers.
pub(crate) struct Quiet<'a, P>(pub(crate) &'a mut P);

impl<P: Probe> Probe for Quiet<'_, P> {
    #[inline]
    fn doubt(&mut self) {
        self.0.doubt();
    }
}
