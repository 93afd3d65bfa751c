//! Adaptive-precision evaluation: one evaluation in one arithmetic after the other, until every decision is certain.

use crate::explain::Trace;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::double_word::DoubleWord;
use crate::math::dyn_number::{DynNumber, Stage, at_stage};
use crate::math::exact::arena::with_precision;
use crate::math::filter_f64::FilterF64;
use crate::math::observer::{FilterFlag, Observer, Unfiltered};
use crate::math::real::{Precision, Real};
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::simd::dispatch::dispatch_fma;
use crate::simd::task::FmaKernel;

/// Evaluation of one ray against one shape, generic over the arithmetic.
pub(crate) trait Evaluate {
    type Output;
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output;
}

/// Filter: the evaluation in plain `f64` with norm-wise bounds; `None` where a decision is uncertain.
#[inline(always)]
pub(crate) fn evaluate_filter<Q: Evaluate>(evaluation: &Q, input: impl Fn() -> InputRay) -> Option<Q::Output> {
    let mut flag = FilterFlag::default();
    // The caller converts the ray again where the filter fails: a reference would keep it in memory on the fast path.
    let output = evaluation.evaluate(&input().line::<FilterF64>(), &mut flag);
    (!flag.is_uncertain).then_some(output)
}

/// Closest hit: by the filter where that is certain, else by `exactly`. For `f32` the filter result is accurate enough.
/// For `f64` the hit is recomputed by `decided`, in double-word arithmetic.
#[inline(always)]
pub(crate) fn with_filter<S: Real, A, Q: Evaluate<Output = Option<A>>>(
    evaluation: &Q,
    input: impl Fn() -> InputRay,
    decided: impl FnOnce(InputRay) -> Option<A>,
    exactly: impl FnOnce(InputRay) -> Option<A>,
) -> Option<A> {
    match evaluate_filter(evaluation, &input) {
        None => exactly(input()),
        // Where `t` overflows in double words, `decided` finds nothing.
        Some(Some(_)) if S::PRECISION == Precision::Double => decided(input()).or_else(|| exactly(input())),
        Some(output) => output,
    }
}

/// Precision of quotients and roots for one shape, as a multiple of the digits of its numbers: parameters that differ,
/// differ within three times those digits. See `math/exact`.
const SHAPE_PRECISION: usize = 3;

/// Evaluates in one arithmetic after the other, starting with that of `precision`, until every decision is certain. The
/// last one, exact numbers, always decides: two parameters that it cannot separate are a tie.
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
    if precision == Precision::Single {
        let output = at(Stage::F64, trace);
        if !trace.retry_if_uncertain() {
            return output;
        }
    }
    let output = at(Stage::Dd, trace);
    if !trace.retry_if_uncertain() {
        return output;
    }
    with_precision(SHAPE_PRECISION, || {
        trace.clear();
        at(Stage::Exact, trace)
    })
}

/// Values in double-word arithmetic, where the filter was certain of every decision.
#[inline(always)]
pub(crate) fn evaluate_decided<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    dispatch_fma(Decided(evaluation, input))
}

/// Those values without fused products, the same bits: for evaluations that are not worth compiling twice.
#[inline(always)]
pub(crate) fn evaluate_unfused<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    Decided(evaluation, input).run::<false>()
}

/// Those values by the type-erased body: for builds where code size counts more than speed.
pub(crate) fn evaluate_decided_compactly<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    at_stage(Stage::DoubleWord, || evaluation.evaluate(&input.line::<DynNumber>(), &mut Trace::default()))
}

/// Those values in normalised double-double: all hits and spans, whose last digits are those of the stage [`Stage::Dd`].
#[inline(always)]
pub(crate) fn evaluate_decided_in_dd<Q: Evaluate>(evaluation: &Q, input: &InputRay) -> Q::Output {
    evaluation.evaluate(&input.line::<Dd>(), &mut Unfiltered)
}

struct Decided<'a, Q>(&'a Q, &'a InputRay);

impl<Q: Evaluate> FmaKernel for Decided<'_, Q> {
    type Output = Q::Output;
    #[inline(always)]
    fn run<const FMA: bool>(self) -> Q::Output {
        self.0.evaluate(&self.1.line::<DoubleWord<FMA>>(), &mut Unfiltered)
    }
}
