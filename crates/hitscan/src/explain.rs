//! Explanations: the quantities of an intersection test and its decisions.

use crate::math::observer::Observer;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
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
    /// The spans of the whole line in a solid and in its leaves; empty for other shapes.
    pub lanes: Lanes,
}

/// The spans of a whole line in a [`Solid`](crate::Solid) and in its leaves, in exact order.
///
/// `Display` draws a row for each leaf, and one for the solid. The places have equal distances, whatever their `t`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Lanes {
    /// The places where the line crosses leaves: `t`, rounded. Crossings with one exact `t` are one place.
    pub places: Vec<f64>,
    /// The leaves that have a point of the line.
    pub leaves: Vec<Lane>,
    /// The spans in the solid.
    pub solid: Vec<SpanPlaces>,
}

/// The spans of a whole line in a leaf of a solid.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Lane {
    /// The number of the leaf.
    pub leaf: u32,
    /// Its kind: `box`, for example.
    pub kind: &'static str,
    /// The spans.
    pub spans: Vec<SpanPlaces>,
}

/// The places of the two ends of a span, as indices of [`Lanes::places`]; `None` where it has no end.
pub type SpanPlaces = [Option<usize>; 2];

/// The greatest number of places that a drawing of lanes shows.
const MAX_PLACES: usize = 12;

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.leaves.is_empty() && self.solid.is_empty() {
            return Ok(());
        }
        let of_leaf = |lane: &Lane| (format!("{} {}", lane.leaf, lane.kind), lane.spans.clone());
        let mut rows: Vec<(String, Vec<SpanPlaces>)> = self.leaves.iter().map(of_leaf).collect();
        rows.push(("solid".to_string(), self.solid.clone()));
        // Places have equal distances, which leave room for the labels.
        let shown = self.places.len().min(MAX_PLACES);
        let labels: Vec<String> = self.places[..shown].iter().map(|t| label(*t)).collect();
        let step = labels.iter().map(String::len).max().unwrap_or(0) + 2;
        let column = |place: usize| step * place + step / 2;
        let width = step * shown;
        let names = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, spans) in &rows {
            let mut row = vec!['.'; width];
            for &[enter, exit] in spans {
                // The columns of the ends, as far as they are shown.
                let (start, end) = (enter.map_or(0, column), exit.map_or(width, column));
                row[start.min(width)..end.min(width)].fill('=');
                let is_touch = enter.is_some() && enter == exit;
                for (place, mark) in [(enter, '['), (exit, ']')] {
                    if let Some(cell) = place.and_then(|place| row.get_mut(column(place))) {
                        *cell = if is_touch { '|' } else { mark };
                    }
                }
            }
            writeln!(f, "  {name:<names$}  {}", row.into_iter().collect::<String>())?;
        }
        write!(f, "  {:<names$}  ", "t")?;
        for label in &labels {
            write!(f, "{label:^step$}")?;
        }
        let left_out = self.places.len() - shown;
        if left_out > 0 {
            write!(f, " and {left_out} more")?;
        }
        writeln!(f)
    }
}

/// A number with up to six digits.
fn label(t: f64) -> String {
    let size = t.abs();
    if size != 0.0 && (size >= 1_000_000.0 || size * 10_000.0 < 1.0) {
        return format!("{t:.2e}");
    }
    let mut text = format!("{t:.5}");
    let whole = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(whole);
    if text == "-0" { "0".to_string() } else { text }
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
        write!(f, "{}", self.lanes)
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
    #[test]
    fn lanes_are_drawn() {
        let lane = |leaf, kind, spans: &[SpanPlaces]| Lane { leaf, kind, spans: spans.to_vec() };
        let boxes = lane(0, "box", &[[Some(0), Some(2)]]);
        let half = lane(1, "half-space", &[[None, Some(1)]]);
        let ball = lane(2, "sphere", &[[Some(2), Some(2)]]);
        let solid = vec![[Some(1), Some(2)]];
        let lanes = Lanes { places: vec![-6.5, 0.0, 1e9], leaves: vec![boxes, half, ball], solid };
        let text = "  0 box         ....[===============]...\n\
                    \x20 1 half-space  ============]...........\n\
                    \x20 2 sphere      ....................|...\n\
                    \x20 solid         ............[=======]...\n\
                    \x20 t               -6.5     0     1.00e9 \n";
        assert_eq!(lanes.to_string(), text, "\n{lanes}");
        assert_eq!(Lanes::default().to_string(), "");
    }

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
