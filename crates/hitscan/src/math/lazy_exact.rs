//! `LazyExact`: lazy exact arithmetic, which computes in balls and asks exact numbers only where balls cannot decide.
//!
//! # Method
//! A number is a ball around its value, and the operation that computed it. If two balls overlap where a kernel compares them,
//! or a ball is too wide for the digits of a result, the numbers are computed again from their operations in [`Exact`]
//! numbers. So one evaluation decides everything, and only the few numbers that need it are exact: of a ray that touches a
//! sphere, the discriminant alone.
//!
//! # Source
//! Pion, Fabri, *A Generic Lazy Evaluation Scheme for Exact Geometric Computations*, Sci. Comput. Program. 76(4), 2011.

use crate::math::arithmetic::Arithmetic;
use crate::math::ball::{Ball, BallValue, ROUND_UP, UNDERFLOW};
use crate::math::dd::Dd;
use crate::math::double_word::DoubleWord;
use crate::math::exact::exact::Exact;
use crate::math::rounding::power;
use crate::target::COMPACT;
use alloc::vec::Vec;
use core::cmp::Ordering;
pub(super) use current::with;
use smallvec::{SmallVec, smallvec};

/// Lazy exact number: twice the place in the [`NumberArena`] of the current evaluation, plus one if that number is negated. One word,
/// because every operation of a kernel is a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LazyExact(u32);

/// The constants at the start of an arena.
pub(super) const ZERO: LazyExact = LazyExact(0);

pub(super) const ONE: LazyExact = LazyExact(2);

/// How a number was computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// It was given.
    Input,
    Sum(LazyExact, LazyExact),
    Product(LazyExact, LazyExact),
    Quotient(LazyExact, LazyExact),
    Root(LazyExact),
    /// Product with a power of two.
    Scaled(LazyExact, f64),
}

/// A number of the current evaluation.
#[derive(Clone, Copy, Debug)]
struct Node {
    ball: Ball<Dd>,
    operation: Operation,
    /// Index of its exact number, or [`UNKNOWN`].
    exact: u32,
}

/// Of a number whose exact number is not computed yet.
const UNKNOWN: u32 = u32::MAX;

/// Numbers of the current evaluation, in the order in which they were computed.
pub(super) struct NumberArena {
    nodes: Vec<Node>,
    exact: Vec<Exact>,
    pub(super) weight: Option<LazyExact>,
    /// Whether a comparison needed exact numbers.
    is_exact_needed: bool,
    /// Whether the evaluation is one in double-words: see [`in_double_words`].
    in_double_words: bool,
}

/// Builds with evaluations in double-words.
const HAS_DOUBLE_WORDS: bool = COMPACT || cfg!(test);

impl NumberArena {
    const fn new() -> Self {
        Self { nodes: Vec::new(), exact: Vec::new(), weight: None, is_exact_needed: false, in_double_words: false }
    }
    fn begin(&mut self, in_double_words: bool) {
        self.nodes.clear();
        self.exact.clear();
        (self.weight, self.is_exact_needed, self.in_double_words) = (None, false, in_double_words);
        self.push(Operation::Input, Ball::ZERO);
        self.push(Operation::Input, Ball::ONE);
    }
    #[inline(always)]
    pub(super) fn is_double_word(&self) -> bool {
        HAS_DOUBLE_WORDS && self.in_double_words
    }
    #[inline(always)]
    pub(super) fn push(&mut self, operation: Operation, ball: Ball<Dd>) -> LazyExact {
        self.nodes.push(Node { ball, operation, exact: UNKNOWN });
        LazyExact::at(self.nodes.len() - 1)
    }
    pub(super) fn push_double_word(&mut self, number: DoubleWord<false>) -> LazyExact {
        self.push(Operation::Input, Ball { value: Dd::of(number.as_is()), error: 0.0 })
    }
    pub(super) fn push_exact(&mut self, number: Exact) -> LazyExact {
        let pushed = self.push(Operation::Input, ball_around(number));
        self.nodes[pushed.place()].exact = self.keep(number);
        pushed
    }
    fn keep(&mut self, number: Exact) -> u32 {
        self.exact.push(number);
        self.exact.len() as u32 - 1
    }
    #[inline(always)]
    pub(super) fn ball(&self, at: LazyExact) -> Ball<Dd> {
        let ball = self.nodes[at.place()].ball;
        if at.is_negated() { -ball } else { ball }
    }
    pub(super) fn double_word(&self, at: LazyExact) -> DoubleWord<false> {
        DoubleWord::of(self.ball(at).value.parts())
    }
    #[inline(never)]
    pub(super) fn sum(&mut self, a: LazyExact, b: LazyExact) -> LazyExact {
        if self.is_double_word() {
            return self.push_double_word(self.double_word(a) + self.double_word(b));
        }
        let (x, y) = (self.ball(a), self.ball(b));
        // A sum with an exact zero is the other number.
        if x.is_exact_zero() {
            return b;
        }
        if y.is_exact_zero() {
            return a;
        }
        self.push(Operation::Sum(a, b), x + y)
    }
    #[inline(never)]
    pub(super) fn product(&mut self, a: LazyExact, b: LazyExact) -> LazyExact {
        if self.is_double_word() {
            return self.push_double_word(self.double_word(a) * self.double_word(b));
        }
        let (x, y) = (self.ball(a), self.ball(b));
        let is_finite = |x: Ball<Dd>| x.value.to_f64().is_finite();
        if (x.is_exact_zero() && is_finite(y)) || (y.is_exact_zero() && is_finite(x)) {
            return ZERO;
        }
        self.push(Operation::Product(a, b), x * y)
    }
    pub(super) fn quotient(&mut self, a: LazyExact, b: LazyExact) -> LazyExact {
        if self.is_double_word() {
            return self.push_double_word(self.double_word(a) / self.double_word(b));
        }
        // A quotient has the digits of its operands.
        let (x, y) = (self.with_digits(a), self.with_digits(b));
        self.push(Operation::Quotient(a, b), x / y)
    }
    pub(super) fn root(&mut self, a: LazyExact) -> LazyExact {
        if self.is_double_word() {
            return self.push_double_word(Arithmetic::sqrt(self.double_word(a)));
        }
        let x = self.with_digits(a);
        self.push(Operation::Root(a), Arithmetic::sqrt(x))
    }
    pub(super) fn scaled(&mut self, a: LazyExact, factor: f64) -> LazyExact {
        if self.is_double_word() {
            return self.push_double_word(self.double_word(a).times_power_of_two(factor));
        }
        if factor == 1.0 {
            return a;
        }
        let ball = self.ball(a).times_power_of_two(factor);
        self.push(Operation::Scaled(a, factor), ball)
    }
    /// The ball of a number, from its exact number if it has too few digits.
    #[inline(always)]
    pub(super) fn with_digits(&mut self, a: LazyExact) -> Ball<Dd> {
        let ball = self.ball(a);
        // Written so that a NaN has too few.
        if ball.error <= ball.value.to_f64().abs() * Dd::DIGITS { ball } else { self.refined(a) }
    }
    #[cold]
    #[inline(never)]
    pub(super) fn refined(&mut self, a: LazyExact) -> Ball<Dd> {
        let exact = self.exact(a.positive());
        self.nodes[a.place()].ball = ball_around(exact);
        self.ball(a)
    }
    /// The exact number.
    pub(super) fn exact(&mut self, number: LazyExact) -> Exact {
        self.compute(number.place());
        let exact = *self.known(number);
        if number.is_negated() { -exact } else { exact }
    }
    fn known(&self, number: LazyExact) -> &Exact {
        &self.exact[self.nodes[number.place()].exact as usize]
    }
    /// Computes the exact number at a place: its operands first, and theirs, from a list, because a polygon has a long chain of them.
    fn compute(&mut self, place: usize) {
        let mut pending: SmallVec<[usize; 32]> = smallvec![place];
        while let Some(&place) = pending.last() {
            let Node { ball, operation, exact } = self.nodes[place];
            if exact == UNKNOWN {
                // What is unknown comes first.
                let before = pending.len();
                match operation {
                    Operation::Input => {}
                    Operation::Root(a) | Operation::Scaled(a, _) => self.wait_for(a, &mut pending),
                    Operation::Sum(a, b) | Operation::Product(a, b) | Operation::Quotient(a, b) => {
                        self.wait_for(a, &mut pending);
                        self.wait_for(b, &mut pending);
                    }
                }
                if pending.len() > before {
                    continue;
                }
                let value = self.apply(operation, ball);
                self.nodes[place].exact = self.keep(value);
            }
            pending.pop();
        }
    }
    /// Adds an operand to the list if its exact number is unknown, and not found at once.
    fn wait_for(&mut self, operand: LazyExact, pending: &mut SmallVec<[usize; 32]>) {
        let Node { ball, operation, exact } = self.nodes[operand.place()];
        if exact != UNKNOWN {
            return;
        }
        if let Operation::Input = operation {
            self.nodes[operand.place()].exact = self.keep(input(ball));
        } else {
            pending.push(operand.place());
        }
    }
    /// The operation on exact numbers.
    fn apply(&self, operation: Operation, ball: Ball<Dd>) -> Exact {
        let (mut value, is_negated) = match operation {
            Operation::Input => (input(ball), false),
            Operation::Sum(a, b) => {
                let (x, y) = (self.known(a), self.known(b));
                // -(x + y) where the first one is negated.
                (x.plus(y, if a.is_negated() == b.is_negated() { y.sign } else { -y.sign }), a.is_negated())
            }
            Operation::Product(a, b) => (self.known(a).times(self.known(b)), a.is_negated() != b.is_negated()),
            Operation::Quotient(a, b) => (*self.known(a) / *self.known(b), a.is_negated() != b.is_negated()),
            Operation::Root(a) => {
                let x = *self.known(a);
                (Arithmetic::sqrt(if a.is_negated() { -x } else { x }), false)
            }
            Operation::Scaled(a, factor) => (self.known(a).times_power_of_two(factor), a.is_negated()),
        };
        if is_negated {
            value.sign = -value.sign;
        }
        value
    }
    /// The exact number as a fraction, so that a comparison divides nothing; `None` stands for a denominator of one.
    fn fraction(&mut self, number: LazyExact) -> (Exact, Option<Exact>) {
        // The quotient, and the power of two that it is multiplied by.
        let operation = |number: LazyExact| self.nodes[number.place()].operation;
        let (quotient, factor, is_negated) = match operation(number) {
            Operation::Scaled(a, factor) => (operation(a), factor, number.is_negated() != a.is_negated()),
            other => (other, 1.0, number.is_negated()),
        };
        if let Operation::Quotient(a, b) = quotient {
            let (numerator, denominator) = (self.exact(a), self.exact(b));
            // A quotient by zero is a NaN.
            if denominator.sign.is_finite() && denominator.sign != 0.0 && numerator.sign.is_finite() {
                let scaled = numerator.times_power_of_two(factor);
                // A negative denominator turns the signs of both.
                let is_negative = is_negated != (denominator.sign < 0.0);
                return (if is_negative { -scaled } else { scaled }, Some(denominator.abs()));
            }
        }
        // What was computed for a comparison serves the digits as well.
        let exact = self.exact(number);
        self.nodes[number.place()].ball = ball_around(*self.known(number));
        (exact, None)
    }
    #[inline(always)]
    pub(super) fn compare(&mut self, a: LazyExact, b: LazyExact) -> Option<Ordering> {
        if self.is_double_word() {
            return self.double_word(a).compare(self.double_word(b));
        }
        let (x, y) = (self.ball(a), self.ball(b));
        // Most comparisons are those of signs.
        let (value, least) = (x.value.to_f64(), x.error * (1.0 + power(-40)));
        if b.is_zero() && value.abs() > least && value.abs() < f64::INFINITY {
            return value.compare(0.0);
        }
        x.certain_order(y).or_else(|| self.compare_exactly(a, b))
    }
    #[cold]
    #[inline(never)]
    fn compare_exactly(&mut self, a: LazyExact, b: LazyExact) -> Option<Ordering> {
        self.is_exact_needed = true;
        let ((a, c), (b, d)) = (self.fraction(a), self.fraction(b));
        let times = |x: Exact, y: Option<Exact>| y.map_or(x, |y| x * y);
        times(a, d).compare(times(b, c))
    }
}

/// The exact number of an input.
fn input(ball: Ball<Dd>) -> Exact {
    let (high, low) = ball.value.parts();
    if low == 0.0 { Exact::from_f64(high) } else { Exact::from_parts((high, low)) }
}

/// The ball around an exact number.
fn ball_around(number: Exact) -> Ball<Dd> {
    if number.sign == 0.0 && number.is_exact() {
        return Ball::ZERO;
    }
    let value = Dd::from_parts(number.parts());
    // Two parts hold 2^-106 of a number, or what is left above the least number.
    let rounding = value.to_f64().abs() * power(-104) + UNDERFLOW;
    let error = if number.is_exact() { rounding } else { (rounding + number.error_bound()) * ROUND_UP };
    Ball { value, error }
}

#[cfg(feature = "std")]
mod current {
    use super::NumberArena;
    use core::cell::RefCell;

    std::thread_local! {
        static ARENA: RefCell<NumberArena> = const { RefCell::new(NumberArena::new()) };
    }
    #[inline(always)]
    pub(crate) fn with<R>(f: impl FnOnce(&mut NumberArena) -> R) -> R {
        ARENA.with(|arena| f(&mut arena.borrow_mut()))
    }
    /// Runs without a lock: each thread has its own arena.
    pub(crate) fn exclusively<R>(evaluation: impl FnOnce() -> R) -> R {
        evaluation()
    }
}

#[cfg(not(feature = "std"))]
mod current {
    use super::NumberArena;

    static ARENA: spin::Mutex<NumberArena> = spin::Mutex::new(NumberArena::new());
    static EVALUATION: spin::Mutex<()> = spin::Mutex::new(());

    pub(crate) fn with<R>(f: impl FnOnce(&mut NumberArena) -> R) -> R {
        f(&mut ARENA.lock())
    }
    /// Runs one evaluation at a time: without thread-local storage all threads share one arena.
    pub(crate) fn exclusively<R>(evaluation: impl FnOnce() -> R) -> R {
        let _evaluation = EVALUATION.lock();
        evaluation()
    }
}

/// Evaluates lazily, within [`with_precision`](crate::math::exact::arena::with_precision). The numbers of the evaluation are
/// invalid afterwards. Evaluations do not nest.
pub(crate) fn lazily<R>(evaluation: impl FnOnce() -> R) -> R {
    current::exclusively(|| {
        with(|arena| arena.begin(false));
        evaluation()
    })
}

/// Evaluates in double-words, where [`COMPACT`] builds have no code of their own for them. Others evaluate lazily, and have no use for
/// it outside of tests.
pub(crate) fn in_double_words<R>(evaluation: impl FnOnce() -> R) -> R {
    current::exclusively(|| {
        with(|arena| arena.begin(HAS_DOUBLE_WORDS));
        evaluation()
    })
}

impl LazyExact {
    /// Sets the weight of the evaluation: see [`Arithmetic::weight`].
    pub(crate) fn set_weight(weight: Self) {
        with(|arena| arena.weight = Some(weight));
    }
    /// Runs an evaluation in other arithmetic: without thread-local storage, one at a time.
    pub(crate) fn exclusively<R>(evaluation: impl FnOnce() -> R) -> R {
        current::exclusively(evaluation)
    }
    /// Whether a comparison of the current evaluation needed exact numbers.
    pub(crate) fn is_exact_needed() -> bool {
        with(|arena| arena.is_exact_needed)
    }
    fn at(place: usize) -> Self {
        Self(place as u32 * 2)
    }
    #[inline(always)]
    fn place(self) -> usize {
        (self.0 / 2) as usize
    }
    #[inline(always)]
    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
    fn positive(self) -> Self {
        Self(self.0 & !1)
    }
    #[inline(always)]
    pub(super) fn negated(self) -> Self {
        Self(self.0 ^ 1)
    }
    /// Whether it is the constant zero, as the magnitudes are that kernels compute for other arithmetic.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        self.0 <= 1
    }
    pub(crate) fn from_exact(number: Exact) -> Self {
        with(|arena| arena.push_exact(number))
    }
    pub(crate) fn to_exact(self) -> Exact {
        with(|arena| arena.exact(self))
    }
}
