//! The numbers of a test, and what they decided.

use crate::math::observer::Observer;
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
    pub(crate) fn append(&mut self, trace: Trace) {
        self.doubtful |= trace.tries > 0;
        self.steps.extend(trace.steps.unwrap_or_default());
    }
}

/// Remembers a doubt, and the numbers of the last try if it is asked to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    steps: Option<Vec<Step>>,
    is_uncertain: bool,
    tries: u32,
}

impl Trace {
    pub(crate) fn writing() -> Self {
        Self { steps: Some(Vec::new()), ..Self::default() }
    }
    /// Whether the numbers are kept, for an [`Explanation`].
    pub(crate) fn is_recording(&self) -> bool {
        self.steps.is_some()
    }
    /// Whether there was a doubt; if so, everything is forgotten for the next try.
    pub(crate) fn retry_if_uncertain(&mut self) -> bool {
        let again = core::mem::take(&mut self.is_uncertain);
        if again {
            self.tries += 1;
            self.clear();
        }
        again
    }
    /// Forgets the numbers of the last try.
    pub(crate) fn clear(&mut self) {
        self.steps.iter_mut().for_each(Vec::clear);
    }
}

impl Observer for Trace {
    fn number(&mut self, name: &'static str, value: impl FnOnce() -> f64) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Number(name, value()));
        }
    }
    fn verdict(&mut self, text: &'static str) {
        self.steps.iter_mut().for_each(|steps| steps.push(Step::Verdict(text)));
    }
    fn doubt(&mut self) {
        self.is_uncertain = true;
    }
}

/// Every number has all its digits: as they are, or with an exponent where there would be rows of zeros.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.shape)?;
        for step in &self.steps {
            match step {
                Step::Number(name, value) if is_long(*value) => writeln!(f, "  {name:<44} {value:e}")?,
                Step::Number(name, value) => writeln!(f, "  {name:<44} {value}")?,
                Step::Verdict(text) => writeln!(f, "  -> {text}")?,
            }
        }
        Ok(())
    }
}

/// Whether its decimals would be mostly zeros that say nothing: from 1e16 on, and below 1e-5.
fn is_long(value: f64) -> bool {
    let size = value.abs();
    size >= 1e16 || (size != 0.0 && size * 1e5 < 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_have_all_their_digits_and_no_rows_of_zeros() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (9_999_999_999_999_998.0, "9999999999999998"),
            (1e16, "1e16"),
            (-f64::MAX, "-1.7976931348623157e308"),
            (1e-5, "0.00001"),
            (-1.25e-6, "-1.25e-6"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            let mut told = Explanation { shape: "sphere", ..Explanation::default() };
            told.number("t_max", value);
            assert_eq!(told.to_string(), alloc::format!("sphere\n  {:<44} {text}\n", "t_max"));
        }
    }
}
