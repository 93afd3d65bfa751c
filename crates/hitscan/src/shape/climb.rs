//! One question, asked in one arithmetic after the other until there is no doubt.

use crate::explain::Recorder;
use crate::math::{Line, Precision, Probe, Quick, Raw, Real, Watch, Wide, with_room};

/// What is asked of one shape and one line, in any arithmetic.
pub(crate) trait Question {
    type Answer;
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer;
}

/// The answer in plain `f64`, unless there is a doubt.
#[inline(always)]
pub(super) fn ask<Q: Question>(question: &Q, raw: impl Fn() -> Raw) -> Option<Q::Answer> {
    let mut watch = Watch::default();
    // The line is formed anew by whoever asks again: references would keep it in memory on the quick way too.
    let answer = question.ask(&raw().line::<Quick>(), &mut watch);
    (!watch.doubtful).then_some(answer)
}

/// The answer to a question about the first hit: in plain `f64` if that is certain of every decision, else `slowly`. A
/// hit is told to all digits of the precision, of which plain `f64` has enough for `f32` only: in `f64` it is found
/// again `surely`.
#[inline(always)]
pub(crate) fn answer<S: Real, A, Q: Question<Answer = Option<A>>>(
    question: &Q,
    raw: impl Fn() -> Raw,
    surely: impl FnOnce(Raw) -> Option<A>,
    slowly: impl FnOnce(Raw) -> Option<A>,
) -> Option<A> {
    match ask(question, &raw) {
        None => slowly(raw()),
        // A `t` near the ends of the range is not a number there, and nothing is hit.
        Some(Some(_)) if S::PRECISION == Precision::Double => surely(raw()).or_else(|| slowly(raw())),
        Some(answer) => answer,
    }
}

/// How fine quotients and roots are where one shape is asked: its parameters differ in three times the digits of its
/// numbers. See `math/exact`.
const ROOM: usize = 3;

/// Asks in one arithmetic after the other, from that of the precision on, until there is no doubt. The widest one
/// decides in any case: what it cannot tell apart are ties.
pub(crate) fn climb<Q: Question>(question: &Q, raw: &Raw, precision: Precision, recorder: &mut Recorder) -> Q::Answer {
    if precision == Precision::Single {
        let answer = finer::single(question, raw, recorder);
        if !recorder.start_again() {
            return answer;
        }
    }
    let answer = finer::double(question, raw, recorder);
    if !recorder.start_again() {
        return answer;
    }
    with_room(ROOM, || {
        recorder.forget();
        finer::exact(question, raw, recorder)
    })
}

pub(crate) use finer::surely;

/// A question in each of the finer arithmetics.
#[cfg(not(feature = "small"))]
mod finer {
    use super::{Question, Recorder};
    use crate::math::{Dd, Exact, Pair, Raw, Sure};
    use crate::simd::{FusedTask, fused};

    #[inline(always)]
    pub(super) fn single<Q: Question>(question: &Q, raw: &Raw, recorder: &mut Recorder) -> Q::Answer {
        question.ask(&raw.line::<f64>(), recorder)
    }
    #[inline(always)]
    pub(super) fn double<Q: Question>(question: &Q, raw: &Raw, recorder: &mut Recorder) -> Q::Answer {
        question.ask(&raw.line::<Dd>(), recorder)
    }
    #[inline(always)]
    pub(super) fn exact<Q: Question>(question: &Q, raw: &Raw, recorder: &mut Recorder) -> Q::Answer {
        question.ask(&raw.line::<Exact>(), recorder)
    }

    /// Asks for values where every decision was certain in `f64`, and therefore is in wider arithmetic.
    #[inline(always)]
    pub(crate) fn surely<Q: Question>(question: &Q, raw: &Raw) -> Q::Answer {
        fused(Surely(question, raw))
    }

    struct Surely<'a, Q>(&'a Q, &'a Raw);
    impl<Q: Question> FusedTask for Surely<'_, Q> {
        type Output = Q::Answer;
        #[inline(always)]
        fn run<const FUSED: bool>(self) -> Q::Answer {
            self.0.ask(&self.1.line::<Pair<FUSED>>(), &mut Sure)
        }
    }
}

/// The same, compiled once for all of them.
#[cfg(feature = "small")]
mod finer {
    use super::{Question, Recorder};
    use crate::math::{Dynamic, Level, Raw, at_level};

    #[inline(never)]
    fn ask<Q: Question>(question: &Q, raw: &Raw, level: Level, recorder: &mut Recorder) -> Q::Answer {
        at_level(level, || question.ask(&raw.line::<Dynamic>(), recorder))
    }
    pub(super) fn single<Q: Question>(question: &Q, raw: &Raw, recorder: &mut Recorder) -> Q::Answer {
        ask(question, raw, Level::Single, recorder)
    }
    pub(super) fn double<Q: Question>(question: &Q, raw: &Raw, recorder: &mut Recorder) -> Q::Answer {
        ask(question, raw, Level::Double, recorder)
    }
    pub(super) fn exact<Q: Question>(question: &Q, raw: &Raw, recorder: &mut Recorder) -> Q::Answer {
        ask(question, raw, Level::Exact, recorder)
    }
    /// Asks for values where every decision was certain in `f64`: what is weighed again comes to the same.
    pub(crate) fn surely<Q: Question>(question: &Q, raw: &Raw) -> Q::Answer {
        ask(question, raw, Level::Pair, &mut Recorder::default())
    }
}
