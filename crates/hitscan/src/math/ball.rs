//! `Ball`: ball arithmetic, a number with a running bound of its error.

use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::rounding::power;
use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Ball arithmetic: a computed value, and a bound of its absolute error that every operation updates.
///
/// # Method
/// Each operation adds the errors that its operands pass on to the rounding error of its own result. A comparison of two
/// balls that overlap is recorded as undecided: see [`if_decided`]. If no comparison of an evaluation was undecided, then
/// each had the result of real arithmetic, so the evaluation took the branches of real arithmetic. This needs no bound per
/// kernel, and it holds for inputs with errors, as the ray in the coordinates of an instance is one.
///
/// # Source
/// Running error analysis: Wilkinson 1986; Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 3.3.
/// Balls: Johansson, *Arb: Efficient Arbitrary-Precision Midpoint-Radius Interval Arithmetic*, IEEE Trans. Comput. 66(8),
/// 2017.
///
/// Operations are not inlined: every kernel is compiled for balls, and would grow several times.
///
/// # Accuracy
/// The bound of an error is itself a sum of at most five rounded terms: [`ROUND_UP`] covers their rounding, and
/// [`UNDERFLOW`] what an operation loses below the range of normal numbers. See docs/proofs.md, Lemma 10.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<T> {
    pub(crate) value: T,
    /// Bound of the absolute error. NaN or infinite if there is none.
    pub(crate) error: f64,
}

/// Number type of the values of a ball.
pub(crate) trait BallValue: Arithmetic {
    /// Bound of the relative rounding error of one operation.
    const ROUNDING: f64;
    /// Largest error of a result relative to its value: what is left is enough for the digits of a hit.
    const DIGITS: f64;
}

impl BallValue for f64 {
    const ROUNDING: f64 = power(-53);
    const DIGITS: f64 = power(-28);
}

impl BallValue for Dd {
    /// Quotients have the largest error of [`Dd`], `15 u^2`.
    const ROUNDING: f64 = power(-102);
    const DIGITS: f64 = power(-60);
}

pub(crate) const ROUND_UP: f64 = 1.0 + power(-50);

/// Below the least number whose products and quotients keep all digits, in `Dd` too.
const UNDERFLOW_LIMIT: f64 = power(-900);

/// Bound of the error of an operation whose result is below [`UNDERFLOW_LIMIT`].
pub(crate) const UNDERFLOW: f64 = power(-990);

impl<T: BallValue> Ball<T> {
    pub(crate) fn new(value: T, error: f64) -> Self {
        Self { value, error }
    }
    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.value.to_f64().abs()
    }
    #[inline(always)]
    pub(crate) fn is_exact_zero(self) -> bool {
        self.error == 0.0 && self.value.to_f64() == 0.0
    }
    /// Difference to an exact number. Inlined, unlike others.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn minus_exact(self, x: f64) -> Self {
        let value = self.value - T::from_f64(x);
        // Differences do not underflow, and one to zero is exact.
        let own = if x == 0.0 { 0.0 } else { value.to_f64().abs() * T::ROUNDING };
        Self { value, error: (self.error + own) * ROUND_UP }
    }
    /// The ball of a rounded result whose operands pass on `inherited`.
    #[inline(always)]
    fn rounded(value: T, inherited: f64) -> Self {
        let size = value.to_f64().abs();
        let lost = if size < UNDERFLOW_LIMIT { UNDERFLOW } else { 0.0 };
        Self { value, error: (inherited + size * T::ROUNDING) * ROUND_UP + lost }
    }
    /// Order of two balls; `None` if they overlap.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn certain_order(self, other: Self) -> Option<Ordering> {
        let error = self.error + other.error;
        let gap = (self.value - other.value).to_f64();
        // Nearly all: the rest are equal, exact, infinite, or overlap.
        if error > 0.0 && gap.abs() > error * (1.0 + power(-40)) && gap.abs() < f64::INFINITY {
            return gap.compare(0.0);
        }
        self.rare_order(other)
    }
    #[cold]
    #[inline(never)]
    fn rare_order(self, other: Self) -> Option<Ordering> {
        let error = self.error + other.error;
        if error == 0.0 || self.magnitude() == f64::INFINITY || other.magnitude() == f64::INFINITY {
            return if error < f64::INFINITY { self.value.compare(other.value) } else { None };
        }
        let gap = (self.value - other.value).to_f64();
        if gap.abs() > error * (1.0 + power(-40)) { gap.compare(0.0) } else { None }
    }
}

impl<T: BallValue> Add for Ball<T> {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (value, inherited) = (self.value + other.value, self.error + other.error);
        // Sums do not underflow, and a sum with an exact zero is exact.
        if (self.error == 0.0) | (other.error == 0.0) {
            if self.is_exact_zero() {
                return other;
            }
            if other.is_exact_zero() {
                return self;
            }
        }
        Self { value, error: (inherited + value.to_f64().abs() * T::ROUNDING) * ROUND_UP }
    }
}

impl<T: BallValue> Neg for Ball<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl<T: BallValue> Sub for Ball<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<T: BallValue> Mul for Ball<T> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        let inherited = self.magnitude() * other.error + other.magnitude() * self.error + self.error * other.error;
        // An exact zero times anything is zero. The product of the values is then zero or, with an infinite one, NaN.
        let is_large = value.to_f64().abs() >= UNDERFLOW_LIMIT;
        if !is_large && (self.is_exact_zero() || other.is_exact_zero()) {
            return Self::ZERO;
        }
        Self::rounded(value, inherited)
    }
}

impl<T: BallValue> Div for Ball<T> {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let least = other.magnitude() * (1.0 - power(-50)) - other.error;
        if !(least > 0.0) {
            return Self { value: T::from_f64(f64::NAN), error: f64::NAN };
        }
        if self.is_exact_zero() {
            return Self::ZERO;
        }
        let value = self.value / other.value;
        // The remainder of a small dividend underflows.
        let error = self.error + if self.magnitude() < UNDERFLOW_LIMIT { UNDERFLOW } else { 0.0 };
        Self::rounded(value, (error + value.to_f64().abs() * ROUND_UP * other.error) / least * ROUND_UP)
    }
}

impl<T: BallValue> Arithmetic for Ball<T> {
    const ZERO: Self = Self { value: T::ZERO, error: 0.0 };
    const ONE: Self = Self { value: T::ONE, error: 0.0 };
    const SELF_VALIDATING: bool = true;

    /// Order of the values. If the balls overlap, records that.
    #[inline(never)]
    fn compare(self, other: Self) -> Option<Ordering> {
        self.certain_order(other).or_else(|| {
            set_undecided();
            self.value.compare(other.value)
        })
    }
    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        self.value.parts()
    }
    #[inline(always)]
    fn from_parts(parts: (f64, f64)) -> Self {
        Self { value: T::from_parts(parts), error: 0.0 }
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self { value: T::from_f64(x), error: 0.0 }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn to_f64(self) -> f64 {
        let value = self.value.to_f64();
        // Kernels test numbers of this form for NaN.
        if value.is_nan() {
            set_undecided();
        }
        value
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        if self.is_exact_zero() {
            return self;
        }
        let size = self.value.to_f64();
        if !(size > self.error) {
            if !(size >= -self.error) {
                return Self { value: T::from_f64(f64::NAN), error: f64::NAN };
            }
            // The true root lies between zero and the root of the largest number of the ball.
            let largest = (size.abs() + self.error) * ROUND_UP;
            return Self { value: T::ZERO, error: Arithmetic::sqrt(largest) * ROUND_UP + UNDERFLOW };
        }
        let root = self.value.sqrt();
        // The remainder of a small radicand underflows.
        let error = self.error + if size < UNDERFLOW_LIMIT { UNDERFLOW } else { 0.0 };
        Self::rounded(root, error / root.to_f64() * ROUND_UP)
    }
    #[inline(never)]
    fn times_power_of_two(self, factor: f64) -> Self {
        if self.is_exact_zero() {
            return self;
        }
        let value = self.value.times_power_of_two(factor);
        // A product beyond the range has no bound.
        let lost = match value.to_f64().abs() {
            size if size < UNDERFLOW_LIMIT => UNDERFLOW,
            size if size < f64::INFINITY => 0.0,
            _ => f64::INFINITY,
        };
        Self { value, error: self.error * factor * ROUND_UP + lost }
    }
    #[inline(always)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        (a + b) + (c + d)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }
    /// The error of the larger number is at most the larger error, whichever of the two is larger.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self { value: self.value.max(other.value), error: larger(self.error, other.error) }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self { value: self.value.min(other.value), error: larger(self.error, other.error) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_digits(numbers: &[Self]) {
        let largest = numbers.iter().fold(0.0, |most, number| larger(most, number.magnitude()));
        // Written so that a NaN fails.
        if !numbers.iter().all(|number| number.error <= largest * T::DIGITS) {
            set_undecided();
        }
    }
}

/// The larger of two numbers; NaN if one is NaN.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

#[cfg(feature = "std")]
mod flag {
    use core::cell::Cell;

    std::thread_local! {
        static UNDECIDED: Cell<bool> = const { Cell::new(false) };
    }
    #[inline(always)]
    pub(crate) fn replace(undecided: bool) -> bool {
        UNDECIDED.replace(undecided)
    }
}

#[cfg(not(feature = "std"))]
mod flag {
    use core::sync::atomic::{AtomicBool, Ordering};

    // Evaluations exclude each other: see `LazyExact::exclusively`.
    static UNDECIDED: AtomicBool = AtomicBool::new(false);

    pub(crate) fn replace(undecided: bool) -> bool {
        UNDECIDED.swap(undecided, Ordering::Relaxed)
    }
}

#[cold]
fn set_undecided() {
    flag::replace(true);
}

/// Runs an evaluation in balls; `None` if a comparison was undecided, or a number of the result has too few digits.
#[inline(always)]
pub(crate) fn if_decided<R>(evaluation: impl FnOnce() -> R) -> Option<R> {
    flag::replace(false);
    let result = evaluation();
    (!flag::replace(false)).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exact::arena::with_precision;
    use crate::math::exact::exact::Exact;
    use test_support::random::Lcg;

    /// Deterministic numbers of many sizes, and the last state of the generator.
    struct Numbers(Lcg, u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.1 = self.0.state();
            let unit = (self.1 >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            match self.1 >> 3 & 7 {
                0 => 0.0,
                1 => (unit * 8.0).round(),
                2 => unit * 1e-8,
                3 => unit * 1e-310,
                4 => unit * 1e150,
                _ => unit,
            }
        }
    }

    /// A ball, and a number in it: the center, or a point near one end.
    fn ball<T: BallValue>(numbers: &mut Numbers) -> (Ball<T>, Exact) {
        let (value, error) = (numbers.next(), numbers.next().abs());
        let error = if error > value.abs() { 0.0 } else { error * 1e-3 };
        let place = [0.0, 0.75, -0.75][(numbers.1 >> 20) as usize % 3];
        let ball = Ball { value: T::from_f64(value), error };
        (ball, Exact::from_f64(value) + Exact::from_f64(error * place))
    }

    fn contains<T: BallValue>(ball: Ball<T>, x: Exact, what: &str) {
        // A ball without a bound contains everything.
        if ball.error < f64::INFINITY && !ball.value.to_f64().is_nan() {
            let (high, low) = ball.value.parts();
            let gap = (Exact::from_f64(high) + Exact::from_f64(low) - x).abs();
            assert!(gap.le(Exact::from_f64(ball.error)), "{what}: {ball:?}, off by {}", gap.to_f64());
        }
    }

    fn every_operation_contains_the_true_result<T: BallValue>() {
        let mut numbers = Numbers(Lcg::new(1), 0);
        for _ in 0..20_000 {
            with_precision(3, || {
                let ((a, x), (b, y)) = (ball::<T>(&mut numbers), ball::<T>(&mut numbers));
                contains(a + b, x + y, "sum");
                contains(a - b, x - y, "difference");
                contains(a * b, x * y, "product");
                contains(a * b + b, x * y + y, "product and sum");
                contains(a.max(b), x.max(y), "maximum");
                contains(a.min(b), x.min(y), "minimum");
                contains(a.abs(), x.abs(), "absolute value");
                contains(a.times_power_of_two(0.125), x.times_power_of_two(0.125), "scaling");
                if !y.equals(Exact::ZERO) {
                    contains(a / b, x / y, "quotient");
                }
                if x.ge(Exact::ZERO) {
                    contains(a.sqrt(), x.sqrt(), "root");
                }
                // A certain order is that of the true numbers.
                if let Some(order) = a.certain_order(b) {
                    assert_eq!(Some(order), x.compare(y), "{a:?} {b:?}");
                }
            });
        }
    }

    #[test]
    fn balls_contain_the_true_result() {
        every_operation_contains_the_true_result::<f64>();
        every_operation_contains_the_true_result::<Dd>();
    }

    #[test]
    fn overlaps_are_undecided() {
        let ball = |value, error| Ball::<f64> { value, error };
        assert_eq!(if_decided(|| ball(1.0, 0.25).lt(ball(2.0, 0.25))), Some(true));
        assert_eq!(if_decided(|| ball(1.0, 0.5).lt(ball(2.0, 0.5))), None);
        assert_eq!(if_decided(|| ball(1.0, 0.0).equals(ball(1.0, 0.0))), Some(true));
        assert_eq!(if_decided(|| ball(1.0, 0.0).equals(ball(1.0, 1e-30))), None);
        assert_eq!(if_decided(|| ball(f64::NAN, 0.0).lt(ball(1.0, 0.0))), None);
        assert_eq!(if_decided(|| ball(1.0, f64::INFINITY).lt(ball(f64::MAX, 0.0))), None);
        assert_eq!(if_decided(|| ball(1.0, 0.0).lt(ball(f64::INFINITY, 0.0))), Some(true));
        // A product with a power of two may leave the range.
        let beyond = || ball(power(100), 1.0).times_power_of_two(power(1000));
        assert_eq!(if_decided(|| beyond().lt(ball(f64::MAX, 0.0))), None);
        assert_eq!(if_decided(|| Ball::check_digits(&[ball(1.0, 1e-9)])), Some(()));
        assert_eq!(if_decided(|| Ball::check_digits(&[ball(1.0, 1e-8)])), None);
    }
}
