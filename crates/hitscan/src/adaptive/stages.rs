//! Adaptive-precision evaluation: repeats an evaluation with more digits until every decision is certain.

use crate::explain::Trace;
use crate::math::arithmetic::Arithmetic;
use crate::math::double_word::DoubleWord;
use crate::math::dyn_number::{DynNumber, Stage, at_stage};
use crate::math::exact::arena::with_precision;
use crate::math::filter_f64::FilterF64;
use crate::math::observer::{FilterFlag, Observer, Unfiltered};
use crate::math::real::{Precision, Real};
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::simd::dispatch::dispatch_fma;
use crate::simd::task::FmaKernel;
use crate::target::COMPACT;

/// Evaluation of one ray against one shape, generic over the arithmetic.
pub(crate) trait Evaluate {
    type Output;
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output;
}

/// Filter: the evaluation in plain `f64` with norm-wise bounds; `None` if a decision is uncertain.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn evaluate_filter<Q: Evaluate>(evaluation: &Q, input: impl Fn() -> InputRay) -> Option<Q::Output> {
    let mut flag = FilterFlag::default();
    // If the filter fails, the caller converts the ray again: a reference would keep it in memory on the fast path.
    let output = evaluation.evaluate(&input().line::<FilterF64>(), &mut flag);
    (!flag.is_uncertain).then_some(output)
}

/// The evaluation in plain `f64` with component-wise bounds; `None` if a decision is uncertain.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn evaluate_in_f64<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Option<Q::Output> {
    if COMPACT {
        let mut trace = Trace::default();
        let output = at_stage(Stage::F64, || evaluation.evaluate(&input.line::<DynNumber>(), &mut trace));
        return (!trace.retry_if_uncertain()).then_some(output);
    }
    let mut flag = FilterFlag::default();
    let output = evaluation.evaluate(&input.line::<f64>(), &mut flag);
    (!flag.is_uncertain).then_some(output)
}

/// Closest hit: by the filter if it is certain, else by `exactly`. For `f32` the filter result is accurate enough. For
/// `f64`, `decided` recomputes the hit in double-word arithmetic.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn with_filter<S: Real, A, Q: Evaluate<Output = Option<A>>>(
    evaluation: &Q,
    input: impl Fn() -> InputRay,
    decided: impl FnOnce(InputRay) -> Option<A>,
    exactly: impl FnOnce(InputRay) -> Option<A>,
) -> Option<A> {
    match evaluate_filter(evaluation, &input) {
        None => exactly(input()),
        // If `t` overflows in double-word arithmetic, `decided` returns `None`.
        Some(Some(_)) if S::PRECISION == Precision::Double => decided(input()).or_else(|| exactly(input())),
        Some(output) => output,
    }
}

/// Precision of quotients and roots for one shape, as a multiple of the digits of its numbers: two different parameters
/// differ within three times those digits. See `math/exact`.
pub(crate) const SHAPE_PRECISION: usize = 3;

/// Evaluates stage by stage, from the arithmetic of `precision` on, until every decision is certain. The last stage,
/// exact numbers, always decides: two parameters that it cannot separate are a tie.
pub(crate) fn evaluate_adaptive<Q: Evaluate>(
    evaluation: &Q,
    input: &InputRay,
    precision: Precision,
    trace: &mut Trace,
) -> Q::Output {
    escalate(&|line, trace| evaluation.evaluate(line, trace), input, precision, trace)
}

/// The stages, compiled once for each type of result.
fn escalate<A>(
    evaluate: &dyn Fn(&WorkingRay<DynNumber>, &mut Trace) -> A,
    input: &InputRay,
    precision: Precision,
    trace: &mut Trace,
) -> A {
    let at = |stage, trace: &mut Trace| at_stage(stage, || evaluate(&input.line(), trace));
    // For `f32`, `f64` with component-wise bounds comes first: its numbers have all digits if its decisions are
    // certain.
    if precision == Precision::Single {
        let output = at(Stage::F64, trace);
        if !trace.retry_if_uncertain() {
            return output;
        }
    }
    // Double-double numbers, with a filter of their own.
    let output = at(Stage::Dd, trace);
    if !trace.retry_if_uncertain() {
        return output;
    }
    // Exact numbers always decide. The trace begins anew, so that it shows the numbers of the stage that decided.
    with_precision(SHAPE_PRECISION, || {
        trace.clear();
        at(Stage::Exact, trace)
    })
}

/// Values in double-word arithmetic, after an earlier stage was certain of every decision.
#[inline(always)]
pub(crate) fn evaluate_decided<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    dispatch_fma(Decided(evaluation, input))
}

struct Decided<'a, Q>(&'a Q, &'a InputRay);

impl<Q: Evaluate> FmaKernel for Decided<'_, Q> {
    type Output = Q::Output;
    #[inline(always)]
    fn run<const FMA: bool>(self) -> Q::Output {
        self.0.evaluate(&self.1.line::<DoubleWord<FMA>>(), &mut Unfiltered)
    }
}

/// The same values without FMA, bit for bit: for evaluations that are too rare to be compiled twice.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn evaluate_unfused<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    if COMPACT {
        return evaluate_decided_compactly(evaluation, input);
    }
    evaluation.evaluate(&input.line::<DoubleWord<false>>(), &mut Unfiltered)
}

/// The same values by the type-erased body, for `COMPACT` builds.
pub(crate) fn evaluate_decided_compactly<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    at_stage(Stage::DoubleWord, || evaluation.evaluate(&input.line::<DynNumber>(), &mut Trace::default()))
}
