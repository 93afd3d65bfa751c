//! One question, asked in one arithmetic after the other until there is no doubt.

use crate::explain::Recorder;
use crate::math::{Line, Probe, Real, Watch, Wide};

/// What is asked of one shape and one line, in any arithmetic.
pub(crate) trait Question {
    type Answer;
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer;
}

/// Asks in the first arithmetic; `None` when that is in doubt.
#[inline]
pub(crate) fn ask_first<T: Wide, Q: Question>(question: &Q, line: &Line<T>) -> Option<Q::Answer> {
    let mut watch = Watch::default();
    let answer = question.ask(line, &mut watch);
    (!watch.doubtful).then_some(answer)
}

/// Whether plain `f64` is sure that the answer is "nothing", for precisions whose first arithmetic is slow: most shapes
/// are missed by most rays. Inputs that do not fit are rounded once more, which the margins of the doubts allow for.
#[inline]
pub(crate) fn surely_none<S: Real, A, Q: Question<Answer = Option<A>>>(question: &Q, line: &Line<S::Wide>) -> bool {
    S::FILTERED && matches!(ask_first(question, &line.again::<f64>()), Some(None))
}

/// Asks in one arithmetic after the other, until there is no doubt. The widest one decides in any case: what it cannot
/// tell apart are ties.
#[inline(never)]
pub(crate) fn climb<S: Real, Q: Question>(question: &Q, line: &Line<S::Wide>, recorder: &mut Recorder) -> Q::Answer {
    let answer = question.ask(line, recorder);
    if !recorder.start_again() {
        return answer;
    }
    let answer = question.ask(&line.again::<S::Second>(), recorder);
    if !recorder.start_again() {
        return answer;
    }
    question.ask(&line.again::<S::Exact>(), recorder)
}
