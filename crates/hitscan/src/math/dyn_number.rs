//! `DynNumber`: a number whose arithmetic is selected at run time, so that a kernel is compiled once for all of them.
//!
//! A kernel is compiled for [`DynNumber`] instead of for `f64`, [`Dd`] and [`Exact`] separately: the stages beyond
//! the filter run rarely, and each would repeat the whole kernel in machine code. Every operation is the one of the
//! selected arithmetic, so results have the same bits; the dispatch costs each some nanoseconds.

use crate::math::arithmetic::Arithmetic;
use crate::math::ball::Ball;
use crate::math::dd::Dd;
use crate::math::double_word::DoubleWord;
use crate::math::exact::exact::Exact;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};
use current::with;
use smallvec::SmallVec;

/// Precision stage of a [`DynNumber`]: the arithmetic that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// `f64` with component-wise bounds.
    F64,
    /// Double words, where [`COMPACT`](crate::target::COMPACT) builds have no code of their own for them.
    DoubleWord,
    /// Double-double.
    Dd,
    /// Balls around double-double numbers, for inputs that are rounded: a ray in the coordinates of an instance.
    Ball,
    /// Exact numbers.
    Exact,
}

/// Number of the current evaluation: an index into its [`NumberArena`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynNumber(u32);

/// Numbers of the current evaluation, in the order in which they were computed.
struct NumberArena {
    stage: Stage,
    /// `f64` numbers, with 0 as the second part, or [`Dd`] numbers.
    parts: Vec<(f64, f64)>,
    balls: Vec<Ball<Dd>>,
    exact: Vec<Exact>,
    weight: Option<DynNumber>,
}

/// Number of constants at the start of an arena: zero and one.
const CONSTANTS: usize = 2;

impl NumberArena {
    const fn new() -> Self {
        Self { stage: Stage::F64, parts: Vec::new(), balls: Vec::new(), exact: Vec::new(), weight: None }
    }
    #[inline(always)]
    fn push(&mut self, parts: (f64, f64)) -> DynNumber {
        self.parts.push(parts);
        DynNumber(self.parts.len() as u32 - 1)
    }
    #[inline(always)]
    fn push_ball(&mut self, number: Ball<Dd>) -> DynNumber {
        self.balls.push(number);
        DynNumber(self.balls.len() as u32 - 1)
    }
    #[inline(always)]
    fn push_exact(&mut self, number: Exact) -> DynNumber {
        self.exact.push(number);
        DynNumber(self.exact.len() as u32 - 1)
    }
    #[inline(always)]
    fn f64(&self, at: DynNumber) -> f64 {
        self.parts[at.0 as usize].0
    }
    #[inline(always)]
    fn double_word(&self, at: DynNumber) -> DoubleWord<false> {
        DoubleWord::of(self.parts[at.0 as usize])
    }
    #[inline(always)]
    fn dd(&self, at: DynNumber) -> Dd {
        Dd::of(self.parts[at.0 as usize])
    }
    #[inline(always)]
    fn ball(&self, at: DynNumber) -> Ball<Dd> {
        self.balls[at.0 as usize]
    }
    #[inline(always)]
    fn exact(&self, at: DynNumber) -> Exact {
        self.exact[at.0 as usize]
    }
    fn begin(&mut self, stage: Stage) {
        self.parts.clear();
        self.balls.clear();
        self.exact.clear();
        (self.stage, self.weight) = (stage, None);
        self.parts.extend([(0.0, 0.0), (1.0, 0.0)]);
        self.balls.extend([Ball::ZERO, Ball::ONE]);
        self.exact.extend([Exact::ZERO, Exact::ONE]);
        debug_assert!(self.parts.len() == CONSTANTS && self.exact.len() == CONSTANTS);
    }
}

#[cfg(feature = "std")]
mod current {
    use super::NumberArena;
    use core::cell::RefCell;

    std::thread_local! {
        static ARENA: RefCell<NumberArena> = const { RefCell::new(NumberArena::new()) };
    }
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

/// Evaluates `evaluation` in the arithmetic of `stage`. Its numbers are invalid afterwards. Evaluations do not nest.
pub(crate) fn at_stage<R>(stage: Stage, evaluation: impl FnOnce() -> R) -> R {
    current::exclusively(|| {
        with(|arena| arena.begin(stage));
        evaluation()
    })
}

/// Operation of the current stage on some numbers: the same expression in every arithmetic.
macro_rules! operation {
    (|$($name:ident),+| $expression:expr) => {
        with(|arena| match arena.stage {
            Stage::F64 => {
                $(let $name: f64 = arena.f64($name);)+
                let result: f64 = $expression;
                arena.push((result, 0.0))
            }
            Stage::DoubleWord => {
                $(let $name: DoubleWord<false> = arena.double_word($name);)+
                let result: DoubleWord<false> = $expression;
                arena.push(result.as_is())
            }
            Stage::Dd => {
                $(let $name: Dd = arena.dd($name);)+
                let result: Dd = $expression;
                arena.push(result.parts())
            }
            Stage::Ball => {
                $(let $name: Ball<Dd> = arena.ball($name);)+
                let result: Ball<Dd> = $expression;
                arena.push_ball(result)
            }
            Stage::Exact => {
                $(let $name: Exact = arena.exact($name);)+
                let result: Exact = $expression;
                arena.push_exact(result)
            }
        })
    };
}

impl DynNumber {
    /// Sets the weight of the evaluation: see [`Arithmetic::weight`].
    pub(crate) fn set_weight(weight: Self) {
        with(|arena| arena.weight = Some(weight));
    }
    /// Runs an evaluation that is not at a stage: without thread-local storage, one at a time.
    pub(crate) fn exclusively<R>(evaluation: impl FnOnce() -> R) -> R {
        current::exclusively(evaluation)
    }
    /// Wraps an exact number, at [`Stage::Exact`].
    pub(crate) fn from_exact(number: Exact) -> Self {
        with(|arena| arena.push_exact(number))
    }
    /// Returns the exact number, at [`Stage::Exact`].
    pub(crate) fn to_exact(self) -> Exact {
        with(|arena| arena.exact(self))
    }
}

impl Add for DynNumber {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a + b)
    }
}

impl Sub for DynNumber {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a - b)
    }
}

impl Mul for DynNumber {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a * b)
    }
}

impl Div for DynNumber {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a / b)
    }
}

impl Neg for DynNumber {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        let a = self;
        operation!(|a| -a)
    }
}

impl Arithmetic for DynNumber {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const OUTLINED: bool = true;

    #[inline(never)]
    fn compare(self, other: Self) -> Option<Ordering> {
        with(|arena| match arena.stage {
            Stage::F64 => arena.f64(self).compare(arena.f64(other)),
            Stage::DoubleWord => arena.double_word(self).compare(arena.double_word(other)),
            Stage::Dd => arena.dd(self).compare(arena.dd(other)),
            Stage::Ball => arena.ball(self).compare(arena.ball(other)),
            Stage::Exact => arena.exact(self).compare(arena.exact(other)),
        })
    }

    #[inline(never)]
    fn sign_threshold() -> f64 {
        match with(|arena| arena.stage) {
            Stage::F64 => f64::sign_threshold(),
            Stage::DoubleWord => DoubleWord::<false>::sign_threshold(),
            Stage::Dd => Dd::sign_threshold(),
            Stage::Ball => Ball::<Dd>::sign_threshold(),
            Stage::Exact => Exact::sign_threshold(),
        }
    }
    #[inline(never)]
    fn value_threshold() -> f64 {
        match with(|arena| arena.stage) {
            Stage::F64 => f64::value_threshold(),
            Stage::DoubleWord => DoubleWord::<false>::value_threshold(),
            Stage::Dd => Dd::value_threshold(),
            Stage::Ball => Ball::<Dd>::value_threshold(),
            Stage::Exact => Exact::value_threshold(),
        }
    }
    #[inline(never)]
    fn from_f64(x: f64) -> Self {
        with(|arena| match arena.stage {
            Stage::Ball => arena.push_ball(Ball::from_f64(x)),
            Stage::Exact => arena.push_exact(Exact::from_f64(x)),
            _ => arena.push((x, 0.0)),
        })
    }
    #[inline(never)]
    fn to_f64(self) -> f64 {
        with(|arena| match arena.stage {
            Stage::Ball => arena.ball(self).to_f64(),
            Stage::Exact => arena.exact(self).to_f64(),
            Stage::DoubleWord => arena.double_word(self).to_f64(),
            _ => arena.f64(self),
        })
    }
    #[inline(never)]
    fn parts(self) -> (f64, f64) {
        with(|arena| match arena.stage {
            Stage::Ball => arena.ball(self).parts(),
            Stage::Exact => arena.exact(self).parts(),
            Stage::DoubleWord => arena.double_word(self).parts(),
            _ => arena.parts[self.0 as usize],
        })
    }
    #[inline(never)]
    fn from_parts(parts: (f64, f64)) -> Self {
        with(|arena| match arena.stage {
            Stage::F64 => arena.push((parts.0, 0.0)),
            Stage::DoubleWord => arena.push(parts),
            Stage::Dd => arena.push(Dd::from_parts(parts).parts()),
            Stage::Ball => arena.push_ball(Ball::from_parts(parts)),
            Stage::Exact => arena.push_exact(Exact::from_parts(parts)),
        })
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        let a = self;
        operation!(|a| Arithmetic::sqrt(a))
    }
    #[inline(never)]
    fn times_power_of_two(self, factor: f64) -> Self {
        let a = self;
        operation!(|a| a.times_power_of_two(factor))
    }
    #[inline(never)]
    fn normalize_exponent(v: [Self; 3]) -> [Self; 3] {
        with(|arena| match arena.stage {
            Stage::F64 => f64::normalize_exponent(v.map(|c| arena.f64(c))).map(|c| arena.push((c, 0.0))),
            Stage::DoubleWord => {
                DoubleWord::normalize_exponent(v.map(|c| arena.double_word(c))).map(|c| arena.push(c.as_is()))
            }
            Stage::Dd => Dd::normalize_exponent(v.map(|c| arena.dd(c))).map(|c| arena.push(c.parts())),
            Stage::Ball => Ball::normalize_exponent(v.map(|c| arena.ball(c))).map(|c| arena.push_ball(c)),
            Stage::Exact => Exact::normalize_exponent(v.map(|c| arena.exact(c))).map(|c| arena.push_exact(c)),
        })
    }
    #[inline(never)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        operation!(|a, b, c, d| Arithmetic::sum([a, b, c, d]))
    }
    #[inline(never)]
    fn weight() -> Option<Self> {
        with(|arena| arena.weight)
    }
    #[inline(never)]
    fn check_digits(numbers: &[Self]) {
        with(|arena| {
            if arena.stage == Stage::Ball {
                let balls: SmallVec<[Ball<Dd>; 3]> = numbers.iter().map(|number| arena.ball(*number)).collect();
                Ball::check_digits(&balls);
            }
        });
    }
    #[inline(never)]
    fn abs(self) -> Self {
        let a = self;
        operation!(|a| a.abs())
    }
    #[inline(never)]
    fn max(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| Arithmetic::max(a, b))
    }
    #[inline(never)]
    fn min(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| Arithmetic::min(a, b))
    }
    #[inline(never)]
    fn dot_sum(a: [Self; 3], b: [Self; 3], rest: Self) -> Self {
        Self::sum([a[0] * b[0], a[1] * b[1], a[2] * b[2], rest])
    }
}
