//! Adaptive-precision evaluation: the filter, and lazy exact arithmetic where it is uncertain.

use crate::explain::Trace;
use crate::math::arithmetic::Arithmetic;
use crate::math::double_word::DoubleWord;
use crate::math::exact::arena::with_precision;
use crate::math::filter_f64::FilterF64;
use crate::math::lazy_exact::{LazyExact, in_double_words, lazily};
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

/// Evaluates in lazy exact arithmetic, which decides everything: two parameters that exact numbers cannot separate are a tie.
pub(crate) fn evaluate_lazily<Q: Evaluate>(evaluation: &Q, input: &InputRay, trace: &mut Trace) -> Q::Output {
    decide(SHAPE_PRECISION, &|trace| evaluation.evaluate(&input.line::<LazyExact>(), trace), trace)
}

/// Runs an evaluation in lazy exact arithmetic; compiled once for each type of result.
pub(crate) fn decide<A>(precision: usize, evaluate: &dyn Fn(&mut Trace) -> A, trace: &mut Trace) -> A {
    with_precision(precision, || {
        lazily(|| {
            trace.clear();
            let output = evaluate(trace);
            trace.set_exact(LazyExact::is_exact_needed());
            output
        })
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
    in_double_words(|| evaluation.evaluate(&input.line::<LazyExact>(), &mut Trace::default()))
}
