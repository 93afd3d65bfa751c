//! The four finer arithmetics as one, which is told at run time which of them it is: for programs that have to be small.
//!
//! A kernel is compiled once for [`Dynamic`] instead of four times for `f64`, [`Pair`]s, [`Dd`] and [`Exact`]. Every operation is
//! that of the arithmetic it stands for, so the answers are the same bits; they take longer.

use super::{Dd, Exact, Pair, Wide, Wide3};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// What a [`Dynamic`] number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Single,
    Pair,
    Double,
    Exact,
}

/// A number on the tape of its thread, by its place there: four bytes to be handed around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dynamic(u32);

/// Every number of the questions that are being asked, in the order in which they were computed.
struct Tape {
    level: Level,
    /// Of `f64`, with nothing in the second part, of [`Pair`] and of [`Dd`].
    pairs: Vec<(f64, f64)>,
    exact: Vec<Exact>,
}

/// The places of zero and one.
const CONSTANTS: usize = 2;

std::thread_local! {
    static TAPE: RefCell<Tape> =
        const { RefCell::new(Tape { level: Level::Single, pairs: Vec::new(), exact: Vec::new() }) };
}

fn with<R>(f: impl FnOnce(&mut Tape) -> R) -> R {
    TAPE.with(|tape| f(&mut tape.borrow_mut()))
}

/// Asks a question at a level, and forgets its numbers afterwards: none may leave it.
pub(crate) fn at_level<R>(level: Level, question: impl FnOnce() -> R) -> R {
    let before = begin(level);
    let answer = question();
    with(|tape| {
        tape.pairs.truncate(before.1);
        tape.exact.truncate(before.2);
        tape.level = before.0;
    });
    answer
}

#[inline(never)]
fn begin(level: Level) -> (Level, usize, usize) {
    with(|tape| {
        if tape.pairs.is_empty() {
            tape.pairs.extend([(0.0, 0.0), (1.0, 0.0)]);
            tape.exact.extend([Exact::ZERO, Exact::ONE]);
        }
        debug_assert!(tape.pairs.len() >= CONSTANTS && tape.exact.len() >= CONSTANTS);
        (core::mem::replace(&mut tape.level, level), tape.pairs.len(), tape.exact.len())
    })
}

impl Tape {
    #[inline(always)]
    fn push(&mut self, pair: (f64, f64)) -> Dynamic {
        self.pairs.push(pair);
        Dynamic(self.pairs.len() as u32 - 1)
    }
    #[inline(always)]
    fn push_exact(&mut self, number: Exact) -> Dynamic {
        self.exact.push(number);
        Dynamic(self.exact.len() as u32 - 1)
    }
    #[inline(always)]
    fn single(&self, at: Dynamic) -> f64 {
        self.pairs[at.0 as usize].0
    }
    #[inline(always)]
    fn pair(&self, at: Dynamic) -> Pair<false> {
        Pair::of(self.pairs[at.0 as usize])
    }
    #[inline(always)]
    fn double(&self, at: Dynamic) -> Dd {
        Dd::of(self.pairs[at.0 as usize])
    }
    #[inline(always)]
    fn exact(&self, at: Dynamic) -> Exact {
        self.exact[at.0 as usize]
    }
}

/// An operation on some numbers: the same expression at every level.
macro_rules! operation {
    (|$($name:ident),+| $expression:expr) => {
        with(|tape| match tape.level {
            Level::Single => {
                $(let $name: f64 = tape.single($name);)+
                let result: f64 = $expression;
                tape.push((result, 0.0))
            }
            Level::Pair => {
                $(let $name: Pair<false> = tape.pair($name);)+
                let result: Pair<false> = $expression;
                tape.push(result.as_is())
            }
            Level::Double => {
                $(let $name: Dd = tape.double($name);)+
                let result: Dd = $expression;
                tape.push(result.parts())
            }
            Level::Exact => {
                $(let $name: Exact = tape.exact($name);)+
                let result: Exact = $expression;
                tape.push_exact(result)
            }
        })
    };
}

impl Dynamic {
    /// A number of exact arithmetic, at that level.
    pub(crate) fn from_exact(number: Exact) -> Self {
        with(|tape| tape.push_exact(number))
    }
    /// The same, back.
    pub(crate) fn to_exact(self) -> Exact {
        with(|tape| tape.exact(self))
    }
}

impl Add for Dynamic {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a + b)
    }
}
impl Sub for Dynamic {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a - b)
    }
}
impl Mul for Dynamic {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a * b)
    }
}
impl Div for Dynamic {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let (a, b) = (self, other);
        operation!(|a, b| a / b)
    }
}
impl Neg for Dynamic {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        let a = self;
        operation!(|a| -a)
    }
}

impl PartialEq for Dynamic {
    #[inline(never)]
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}
impl PartialOrd for Dynamic {
    #[inline(never)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        with(|tape| match tape.level {
            Level::Single => tape.single(*self).partial_cmp(&tape.single(*other)),
            Level::Pair => tape.pair(*self).partial_cmp(&tape.pair(*other)),
            Level::Double => tape.double(*self).partial_cmp(&tape.double(*other)),
            Level::Exact => tape.exact(*self).partial_cmp(&tape.exact(*other)),
        })
    }
}

impl Wide for Dynamic {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    #[inline(never)]
    fn sign_doubt() -> f64 {
        match with(|tape| tape.level) {
            Level::Single => f64::sign_doubt(),
            Level::Pair => Pair::<false>::sign_doubt(),
            Level::Double => Dd::sign_doubt(),
            Level::Exact => Exact::sign_doubt(),
        }
    }
    #[inline(never)]
    fn value_doubt() -> f64 {
        match with(|tape| tape.level) {
            Level::Single => f64::value_doubt(),
            Level::Pair => Pair::<false>::value_doubt(),
            Level::Double => Dd::value_doubt(),
            Level::Exact => Exact::value_doubt(),
        }
    }
    #[inline(never)]
    fn from_f64(x: f64) -> Self {
        with(|tape| match tape.level {
            Level::Exact => tape.push_exact(Exact::from_f64(x)),
            _ => tape.push((x, 0.0)),
        })
    }
    #[inline(never)]
    fn to_f64(self) -> f64 {
        with(|tape| match tape.level {
            Level::Exact => tape.exact(self).to_f64(),
            Level::Pair => tape.pair(self).to_f64(),
            _ => tape.single(self),
        })
    }
    #[inline(never)]
    fn parts(self) -> (f64, f64) {
        with(|tape| match tape.level {
            Level::Exact => tape.exact(self).parts(),
            Level::Pair => tape.pair(self).parts(),
            _ => tape.pairs[self.0 as usize],
        })
    }
    #[inline(never)]
    fn from_parts(parts: (f64, f64)) -> Self {
        with(|tape| match tape.level {
            Level::Single => tape.push((parts.0, 0.0)),
            Level::Pair => tape.push(parts),
            Level::Double => tape.push(Dd::from_parts(parts).parts()),
            Level::Exact => tape.push_exact(Exact::from_parts(parts)),
        })
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        let a = self;
        operation!(|a| Wide::sqrt(a))
    }
    #[inline(never)]
    fn times_power_of_two(self, factor: f64) -> Self {
        let a = self;
        operation!(|a| a.times_power_of_two(factor))
    }
    #[inline(never)]
    fn near_one(v: [Self; 3]) -> [Self; 3] {
        with(|tape| match tape.level {
            Level::Single => f64::near_one(v.map(|c| tape.single(c))).map(|c| tape.push((c, 0.0))),
            Level::Pair => Pair::near_one(v.map(|c| tape.pair(c))).map(|c| tape.push(c.as_is())),
            Level::Double => Dd::near_one(v.map(|c| tape.double(c))).map(|c| tape.push(c.parts())),
            Level::Exact => Exact::near_one(v.map(|c| tape.exact(c))).map(|c| tape.push_exact(c)),
        })
    }
    #[inline(never)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        operation!(|a, b, c, d| Wide::sum([a, b, c, d]))
    }
    #[inline(never)]
    fn abs(self) -> Self {
        if self < Self::ZERO { -self } else { self }
    }
    #[inline(never)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(never)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(never)]
    fn dot_sum(a: Wide3<Self>, b: Wide3<Self>, rest: Self) -> Self {
        Self::sum([a.x * b.x, a.y * b.y, a.z * b.z, rest])
    }
}
