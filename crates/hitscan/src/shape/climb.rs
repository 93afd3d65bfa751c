//! One question, asked in one arithmetic after the other until there is no doubt.

use crate::explain::Recorder;
use crate::math::{InputRay, Precision, Probe, Quick, Real, Watch, Wide, WorkingRay, with_room};

/// What is asked of one shape and one line, in any arithmetic.
pub(crate) trait Question {
    type Answer;
    fn ask<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> Self::Answer;
}

/// The answer in plain `f64`, unless there is a doubt.
#[inline(always)]
pub(super) fn ask<Q: Question>(question: &Q, raw: impl Fn() -> InputRay) -> Option<Q::Answer> {
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
    raw: impl Fn() -> InputRay,
    surely: impl FnOnce(InputRay) -> Option<A>,
    slowly: impl FnOnce(InputRay) -> Option<A>,
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
pub(crate) fn climb<Q: Question>(
    question: &Q,
    raw: &InputRay,
    precision: Precision,
    recorder: &mut Recorder,
) -> Q::Answer {
    #[cfg(feature = "small")]
    let question = &|line: &WorkingRay<_>, recorder: &mut _| question.ask(line, recorder);
    up(&Finer(question), raw, precision, recorder)
}

/// A question in each of the finer arithmetics.
trait Ladder {
    type Answer;
    fn single(&self, raw: &InputRay, recorder: &mut Recorder) -> Self::Answer;
    fn double(&self, raw: &InputRay, recorder: &mut Recorder) -> Self::Answer;
    fn exact(&self, raw: &InputRay, recorder: &mut Recorder) -> Self::Answer;
}

fn up<L: Ladder>(ladder: &L, raw: &InputRay, precision: Precision, recorder: &mut Recorder) -> L::Answer {
    if precision == Precision::Single {
        let answer = ladder.single(raw, recorder);
        if !recorder.start_again() {
            return answer;
        }
    }
    let answer = ladder.double(raw, recorder);
    if !recorder.start_again() {
        return answer;
    }
    with_room(ROOM, || {
        recorder.forget();
        ladder.exact(raw, recorder)
    })
}

use finer::Finer;
pub(crate) use finer::surely;

#[cfg(not(feature = "small"))]
mod finer {
    use super::{Ladder, Question, Recorder};
    use crate::math::{Dd, Exact, InputRay, Pair, Sure};
    use crate::simd::{FusedTask, fused};

    /// Compiled for every question and arithmetic.
    pub(super) struct Finer<'a, Q>(pub(super) &'a Q);
    impl<Q: Question> Ladder for Finer<'_, Q> {
        type Answer = Q::Answer;
        #[inline(always)]
        fn single(&self, raw: &InputRay, recorder: &mut Recorder) -> Q::Answer {
            self.0.ask(&raw.line::<f64>(), recorder)
        }
        #[inline(always)]
        fn double(&self, raw: &InputRay, recorder: &mut Recorder) -> Q::Answer {
            self.0.ask(&raw.line::<Dd>(), recorder)
        }
        #[inline(always)]
        fn exact(&self, raw: &InputRay, recorder: &mut Recorder) -> Q::Answer {
            self.0.ask(&raw.line::<Exact>(), recorder)
        }
    }

    /// Asks for values where every decision was certain in `f64`, and therefore is in wider arithmetic.
    #[inline(always)]
    pub(crate) fn surely<Q: Question>(question: &Q, raw: &InputRay) -> Q::Answer {
        fused(Surely(question, raw))
    }

    struct Surely<'a, Q>(&'a Q, &'a InputRay);
    impl<Q: Question> FusedTask for Surely<'_, Q> {
        type Output = Q::Answer;
        #[inline(always)]
        fn run<const FUSED: bool>(self) -> Q::Answer {
            self.0.ask(&self.1.line::<Pair<FUSED>>(), &mut Sure)
        }
    }
}

#[cfg(feature = "small")]
mod finer {
    use super::{Ladder, Question, Recorder};
    use crate::math::{Dynamic, InputRay, Level, WorkingRay, at_level};

    /// Compiled once for all arithmetics, and for all questions with the same kind of answer.
    pub(super) struct Finer<'a, A>(pub(super) &'a dyn Fn(&WorkingRay<Dynamic>, &mut Recorder) -> A);
    impl<A> Finer<'_, A> {
        fn at(&self, level: Level, raw: &InputRay, recorder: &mut Recorder) -> A {
            at_level(level, || self.0(&raw.line(), recorder))
        }
    }
    impl<A> Ladder for Finer<'_, A> {
        type Answer = A;
        fn single(&self, raw: &InputRay, recorder: &mut Recorder) -> A {
            self.at(Level::Single, raw, recorder)
        }
        fn double(&self, raw: &InputRay, recorder: &mut Recorder) -> A {
            self.at(Level::Double, raw, recorder)
        }
        fn exact(&self, raw: &InputRay, recorder: &mut Recorder) -> A {
            self.at(Level::Exact, raw, recorder)
        }
    }

    /// Asks for values where every decision was certain in `f64`: what is weighed again comes to the same.
    pub(crate) fn surely<Q: Question>(question: &Q, raw: &InputRay) -> Q::Answer {
        let question = |line: &WorkingRay<_>, recorder: &mut Recorder| question.ask(line, recorder);
        Finer(&question).at(Level::Pair, raw, &mut Recorder::default())
    }
}
