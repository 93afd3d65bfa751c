//! A kernel's own numbers, shown while it decides.

use alloc::vec::Vec;
use core::fmt;

/// Listens to a kernel. The silent one, `()`, compiles to nothing; an [`Explanation`] writes the numbers down. So an
/// explanation cannot differ from the decision.
pub trait Probe {
    /// A quantity of the test, by its name in the field. Kernels work relative to the shape and scaled by powers of
    /// two; `number` is told the power that turns the value back into the scene's units.
    fn number(&mut self, _name: &'static str, _value: f64) {}
    /// The comparison that decided.
    fn verdict(&mut self, _text: &'static str) {}
}

impl Probe for () {}

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
}

impl Probe for Explanation {
    fn number(&mut self, name: &'static str, value: f64) {
        self.steps.push(Step::Number(name, value));
    }
    fn verdict(&mut self, text: &'static str) {
        self.steps.push(Step::Verdict(text));
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
