//! A kernel's own numbers, shown while it decides.

use crate::math::Wide;
use alloc::vec::Vec;
use core::fmt;

/// Listens to a kernel: one hears what is in doubt, another one writes the numbers down. So an
/// [`Explanation`] cannot differ from the decision.
pub trait Probe {
    /// A quantity of the test, by its name in the field. Kernels work relative to the shape, scaled by powers of two;
    /// what is named here is either free of units or in those of the scene.
    fn number(&mut self, _name: &'static str, _value: f64) {}
    /// The comparison that decided.
    fn verdict(&mut self, _text: &'static str) {}
    /// A decision or a value that this arithmetic cannot answer for.
    fn doubt(&mut self);

    /// A decision hangs on the sign of `value`, which was computed from terms of magnitude `reach`.
    #[inline(always)]
    fn sign<T: Wide>(&mut self, value: T, reach: T) {
        self.weigh(value, reach, T::SIGN_DOUBT);
    }
    /// A digit of the answer hangs on `value`, which was computed from terms of magnitude `reach`.
    #[inline(always)]
    fn value<T: Wide>(&mut self, value: T, reach: T) {
        self.weigh(value, reach, T::VALUE_DOUBT);
    }
    #[doc(hidden)]
    #[inline(always)]
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
    #[inline(always)]
    fn doubt(&mut self) {
        self.doubtful = true;
    }
}

/// Passes on doubts, and no more: for the second run of a test whose first has told its numbers.
pub(crate) struct Quiet<'a, P>(pub(crate) &'a mut P);

impl<P: Probe> Probe for Quiet<'_, P> {
    #[inline(always)]
    fn doubt(&mut self) {
        self.0.doubt();
    }
}

/// One line of an [`Explanation`].
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A quantity and its value.
    Number(&'static str, f64),
    /// What a comparison of such quantities decided.
    Verdict(&'static str),
}

/// The numbers of one ray's test against one shape, in the words of the field, and what they decided.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The kind of shape, in the words of scene files: `sphere`, `cylinder` ...
    pub shape: &'static str,
    /// Quantities and decisions, in the order in which they were found.
    pub steps: Vec<Step>,
    /// The first arithmetic could not decide, and a wider one did.
    pub doubtful: bool,
}

impl Explanation {
    pub(crate) fn number(&mut self, name: &'static str, value: f64) {
        self.steps.push(Step::Number(name, value));
    }
    pub(crate) fn verdict(&mut self, text: &'static str) {
        self.steps.push(Step::Verdict(text));
    }
    pub(crate) fn append(&mut self, recorder: Recorder) {
        self.doubtful |= recorder.tries > 0;
        self.steps.extend(recorder.steps.unwrap_or_default());
    }
}

/// Remembers a doubt, and the numbers of the last try if it is asked to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    steps: Option<Vec<Step>>,
    doubtful: bool,
    tries: u32,
}

impl Recorder {
    pub(crate) fn writing() -> Self {
        Self { steps: Some(Vec::new()), ..Self::default() }
    }
    /// Whether there was a doubt; if so, everything is forgotten for the next try.
    pub(crate) fn start_again(&mut self) -> bool {
        let again = core::mem::take(&mut self.doubtful);
        if again {
            self.tries += 1;
            self.steps.iter_mut().for_each(Vec::clear);
        }
        again
    }
}

impl Probe for Recorder {
    fn number(&mut self, name: &'static str, value: f64) {
        self.steps.iter_mut().for_each(|steps| steps.push(Step::Number(name, value)));
    }
    fn verdict(&mut self, text: &'static str) {
        self.steps.iter_mut().for_each(|steps| steps.push(Step::Verdict(text)));
    }
    fn doubt(&mut self) {
        self.doubtful = true;
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.shape)?;
        for step in &self.steps {
            match step {
                Step::Number(name, value) => writeln!(f, "  {name:<44} {value}")?,
                Step::Verdict(text) => writeln!(f, "  -> {text}")?,
            }
        }
        Ok(())
    }
}
