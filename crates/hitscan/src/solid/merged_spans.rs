//! Spans of a line inside a solid, from its crossings with the leaves.

use crate::math::vector::Vector;
use crate::solid::evaluation::Evaluation;
use crate::solid::line_crossings::LineCrossings;
use smallvec::SmallVec;

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

/// Spans in their order.
pub(crate) type MergedSpans = SmallVec<[MergedSpan; 4]>;

/// The spans of a whole line inside a solid, in their order. The evaluation is that outside of all leaves.
///
/// # Method
/// At each `t` where the line crosses leaves, the expression is evaluated before it, at it (leaves are closed, so all entries and no
/// exits are done) and after it. From outside to inside the line enters, from inside to outside it leaves. A point that is inside
/// alone is a touch, a span of that point; a point that is outside alone is filled, for a solid has its closure along the line.
///
/// # Source
/// Roth, *Ray casting for modeling solids*, Computer Graphics and Image Processing 18 (1982), with exact ties.
pub(crate) fn merged_spans<V: Vector>(mut evaluation: Evaluation<'_>, all: &LineCrossings<'_, V>) -> MergedSpans {
    let mut spans = MergedSpans::new();
    all.inside.iter().for_each(|&leaf| evaluation.enter(leaf));
    // The beginning of the span that the line is in.
    let mut open = evaluation.value().then_some(None);
    for group in all.groups() {
        let crossings = &all.crossings[group.clone()];
        // The change of the expression by all entries or all exits of a group, and the crossing that it belongs to.
        let mut step = |is_exit: bool| {
            let before = evaluation.value();
            evaluation.begin_step();
            for crossing in crossings.iter().filter(|crossing| crossing.is_exit() == is_exit) {
                if is_exit {
                    evaluation.leave(crossing.leaf);
                } else {
                    evaluation.enter(crossing.leaf);
                }
            }
            if evaluation.value() == before {
                return None;
            }
            let (leaf, is_flipped) = evaluation.owner()?;
            let of_leaf = crossings.iter().position(|at| at.leaf == leaf && at.is_exit() == is_exit)?;
            Some(SpanEnd { crossing: group.start + of_leaf, is_flipped })
        };
        match (open, step(false), step(true)) {
            // Out, in, out: a touch.
            (None, Some(enter), Some(exit)) => spans.push(MergedSpan { enter: Some(enter), exit: Some(exit) }),
            // In, out, in: a point that is filled.
            (Some(_), Some(_), Some(_)) | (_, None, None) => {}
            (None, Some(enter), None) | (None, None, Some(enter)) => open = Some(Some(enter)),
            (Some(enter), Some(exit), None) | (Some(enter), None, Some(exit)) => {
                spans.push(MergedSpan { enter, exit: Some(exit) });
                open = None;
            }
        }
    }
    spans.extend(open.map(|enter| MergedSpan { enter, exit: None }));
    spans
}
