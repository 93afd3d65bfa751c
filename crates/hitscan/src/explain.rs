//! The numbers of a test, and what they decided.

use crate::math::Probe;
use alloc::vec::Vec;
use core::fmt;

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
            self.forget();
        }
        again
    }
    /// Forgets the numbers of the last try.
    pub(crate) fn forget(&mut self) {
        self.steps.iter_mut().for_each(Vec::clear);
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
