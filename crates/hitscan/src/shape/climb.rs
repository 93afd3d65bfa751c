//! One question, asked in one arithmetic after the other until there is no doubt.

use crate::explain::Recorder;
use crate::math::{Line, Probe, Quick, Raw, Real, Sure, Watch, Wide, with_room};

/// What is asked of one shape and one line, in any arithmetic.
pub(crate) trait Question {
    type Answer;
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer;
}

/// The answer to a question about the first hit: in plain `f64` if that is certain of every decision, else `slowly`.
#[inline(always)]
pub(crate) fn answer<S: Real, A, Q: Question<Answer = Option<A>>>(
    question: Q,
    raw: impl Fn() -> Raw,
    slowly: impl FnOnce(Q, Raw) -> Option<A>,
) -> Option<A> {
    let mut watch = Watch::default();
    let answer = question.ask(&raw().line::<Quick>(), &mut watch);
    if watch.doubtful {
        // By value, and the line formed anew: references would keep them in memory on the quick way too.
        slowly(question, raw())
    } else if S::FILTERED && answer.is_some() {
        // A hit is told to all digits of the precision, of which plain `f64` has enough for `f32` only. Numbers that
        // vanish beside others are not numbers there, and nothing is hit.
        answer_surely::<S, _, _>(&question, raw()).or_else(|| slowly(question, raw()))
    } else {
        answer
    }
}

// What was certain in `f64` is certain in wider arithmetic, so that only the digits are left to be computed.
#[inline(never)]
fn answer_surely<S: Real, A, Q: Question<Answer = Option<A>>>(question: &Q, raw: Raw) -> Option<A> {
    question.ask(&raw.line::<S::Sure>(), &mut Sure)
}

/// Asks in one arithmetic after the other, from that of the precision on, until there is no doubt. The widest one decides in any case: what it cannot
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
    with_room(1, || question.ask(&line.again::<S::Exact>(), recorder))
}
