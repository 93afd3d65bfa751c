//! What the explanation of an answer consists of, and its text.

use hitscan::Explanation;
use std::fmt::{self, Display, Formatter};

/// The shapes that an [`ExplainReport`] lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// When there are more than 8 shapes, those whose bounding boxes are near: those that the line or the volume meets, or that
    /// are no farther than the closest point.
    Near,
    /// Every shape.
    All,
}

/// The explanation of one answer: the answer, then each shape, nearest first. Its text is the output of `hitscan explain`.
#[derive(Clone, Debug)]
pub struct ExplainReport {
    /// The answer, or that there is none: one line.
    pub outcome: String,
    /// The shape that is the answer, then the others.
    pub shapes: Vec<ShapeReport>,
    /// The number of shapes that the report does not list.
    pub left_out: usize,
    /// Why it does not: `whose bounding box the line does not meet`.
    pub left_out_because: &'static str,
}

/// The test of one shape in an [`ExplainReport`].
#[derive(Clone, Debug)]
pub struct ShapeReport {
    /// The number of the shape.
    pub shape: usize,
    /// Its name, or its type and number.
    pub name: String,
    /// Its type, as scene files name it.
    pub kind: &'static str,
    /// Whether it is an object that places a shape by a transform.
    pub is_placed: bool,
    /// Whether it is the answer: the hit, the closest shape, or one that overlaps.
    pub is_hit: bool,
    /// The reason why it is the answer, or is not: one line.
    pub why: String,
    /// The numbers of the test: no steps for a shape that is not tested: one on other layers, or a trigger.
    pub explanation: Explanation,
}

impl Display for ExplainReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.outcome)?;
        for report in &self.shapes {
            let called = called(&report.name, report.kind, report.is_placed, report.shape);
            writeln!(f, "\n{called}: {}", report.why)?;
            // The first line of the explanation is the type of the shape, which is printed already.
            report.explanation.to_string().lines().skip(1).try_for_each(|line| writeln!(f, "{line}"))?;
        }
        match self.left_out {
            0 => Ok(()),
            n => writeln!(f, "\nleft out: {n} {} (--all lists them too)", self.left_out_because),
        }
    }
}

/// A shape, as reports call it.
pub(super) fn called(name: &str, kind: &str, is_placed: bool, number: usize) -> String {
    let what = if is_placed { "object" } else { "shape" };
    format!("{name} ({kind}, {what} {number})")
}
