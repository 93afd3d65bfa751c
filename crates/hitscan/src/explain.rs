//! Explanations: the quantities of an intersection test and its decisions.

use crate::math::observer::Observer;
use alloc::vec::Vec;
use core::fmt;

/// One line of an [`Explanation`].
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A quantity and its value.
    Number(&'static str, f64),
    /// The decision of a comparison.
    Verdict(&'static str),
}

/// The quantities and decisions of the test of one ray against one shape, in the order of the computation.
///
/// `Display` prints one line per step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The kind of shape, as scene files name it: `sphere`, `cylinder` and so on.
    pub shape: &'static str,
    /// The quantities and decisions.
    pub steps: Vec<Step>,
    /// Whether balls of twice the digits of `f64` did not decide, so that exact numbers did.
    pub uncertain: bool,
}

impl Explanation {
    pub(crate) fn number(&mut self, name: &'static str, value: f64) {
        self.steps.push(Step::Number(name, value));
    }
    pub(crate) fn verdict(&mut self, text: &'static str) {
        self.steps.push(Step::Verdict(text));
    }
    pub(crate) fn append(&mut self, trace: Trace) {
        self.uncertain |= trace.is_exact;
        self.steps.extend(trace.steps.unwrap_or_default());
    }
}

/// The observer behind [`Explanation`]: the steps, if it records. It is that of lazy exact numbers, which need no filter tests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    steps: Option<Vec<Step>>,
    is_exact: bool,
}

impl Trace {
    pub(crate) fn writing() -> Self {
        Self { steps: Some(Vec::new()), ..Self::default() }
    }
    /// Whether it records steps.
    pub(crate) fn is_recording(&self) -> bool {
        self.steps.is_some()
    }
    /// Begins anew.
    pub(crate) fn clear(&mut self) {
        self.steps.iter_mut().for_each(Vec::clear);
        self.is_exact = false;
    }
    /// Records whether exact numbers decided.
    pub(crate) fn set_exact(&mut self, is_exact: bool) {
        self.is_exact = is_exact;
    }
}

impl Observer for Trace {
    const UNFILTERED: bool = true;
    fn number(&mut self, name: &'static str, value: impl FnOnce() -> f64) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Number(name, value()));
        }
    }
    fn verdict(&mut self, text: &'static str) {
        self.steps.iter_mut().for_each(|steps| steps.push(Step::Verdict(text)));
    }
    fn set_uncertain(&mut self) {}
}

/// Every number has all its digits, with an exponent if it is very large or very small.
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

/// Whether a number needs an exponent: from 1e16 on, and below 1e-5.
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
            let mut explanation = Explanation { shape: "sphere", ..Explanation::default() };
            explanation.number("t_max", value);
            assert_eq!(explanation.to_string(), alloc::format!("sphere\n  {:<44} {text}\n", "t_max"));
        }
    }
}
