//! Spans of a line inside a solid, from its crossings with the leaves.

use crate::math::vector::Vector;
use crate::solid::evaluation::Evaluation;
use crate::solid::line_crossings::LineCrossings;
use core::ops::Range;

/// An end of a span: a crossing that decides there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpanEnd {
    /// The place of the crossing among all.
    pub(crate) crossing: usize,
    /// Whether the inside of the leaf is the outside of the solid.
    pub(crate) is_flipped: bool,
}

/// A span: where the line enters the solid and where it leaves; `None` where it has no first or no last point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergedSpan {
    pub(crate) enter: Option<SpanEnd>,
    pub(crate) exit: Option<SpanEnd>,
}

/// The spans of a whole line inside a solid, in their order. `next` computes each of them.
///
/// # Method
/// At each `t` where the line crosses leaves, the expression is evaluated before it, at it (leaves are closed, so all entries and no
/// exits are done) and after it. From outside to inside the line enters, from inside to outside it leaves. A point that is inside
/// alone is a touch, a span of that point; a point that is outside alone is filled, for a solid has its closure along the line.
///
/// # Source
/// Roth, *Ray casting for modeling solids*, Computer Graphics and Image Processing 18 (1982), with exact ties.
pub(crate) struct MergedSpans<'a, V: Vector> {
    all: &'a LineCrossings<'a, V>,
    evaluation: Evaluation<'a>,
    /// The number of the next group of crossings.
    group: usize,
    /// The beginning of the span that the line is in.
    open: Option<Option<SpanEnd>>,
}

impl<'a, V: Vector> MergedSpans<'a, V> {
    /// The evaluation is that outside of all leaves.
    pub(crate) fn new(mut evaluation: Evaluation<'a>, all: &'a LineCrossings<'a, V>) -> Self {
        all.inside.iter().for_each(|&leaf| evaluation.enter(leaf));
        let open = evaluation.value().then_some(None);
        Self { all, evaluation, group: 0, open }
    }

    /// The change of the expression by all entries or all exits of a group, as the crossing that it belongs to.
    fn step(&mut self, group: &Range<usize>, is_exit: bool) -> Option<SpanEnd> {
        let crossings = &self.all.crossings[group.clone()];
        let before = self.evaluation.value();
        self.evaluation.begin_step();
        for crossing in crossings.iter().filter(|crossing| crossing.is_exit() == is_exit) {
            if is_exit {
                self.evaluation.leave(crossing.leaf);
            } else {
                self.evaluation.enter(crossing.leaf);
            }
        }
        if self.evaluation.value() == before {
            return None;
        }
        let (leaf, is_flipped) = self.evaluation.owner()?;
        let of_leaf = crossings.iter().position(|at| at.leaf == leaf && at.is_exit() == is_exit)?;
        Some(SpanEnd { crossing: group.start + of_leaf, is_flipped })
    }
}

impl<V: Vector> Iterator for MergedSpans<'_, V> {
    type Item = MergedSpan;
    fn next(&mut self) -> Option<MergedSpan> {
        while let Some(group) = self.all.group(self.group) {
            self.group += 1;
            match (self.open, self.step(&group, false), self.step(&group, true)) {
                // Out, in, out: a touch.
                (None, Some(enter), Some(exit)) => return Some(MergedSpan { enter: Some(enter), exit: Some(exit) }),
                // In, out, in: a point that is filled.
                (Some(_), Some(_), Some(_)) | (_, None, None) => {}
                (None, Some(enter), None) | (None, None, Some(enter)) => self.open = Some(Some(enter)),
                (Some(enter), Some(exit), None) | (Some(enter), None, Some(exit)) => {
                    self.open = None;
                    return Some(MergedSpan { enter, exit: Some(exit) });
                }
            }
        }
        self.open.take().map(|enter| MergedSpan { enter, exit: None })
    }
}
