//! The operations and comparisons of [`LazyExact`]: each is one call, which borrows the arena once.

use crate::math::arithmetic::Arithmetic;
use crate::math::ball::{Ball, BallValue};
use crate::math::dd::Dd;
use crate::math::double_word::DoubleWord;
use crate::math::exact::exact::Exact;
use crate::math::lazy_exact::{LazyExact, ONE, Operation, ZERO, with};
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Whether a ball has a value: an infinity may be an overflow, unless it was given.
fn is_in_range(ball: Ball<Dd>) -> bool {
    ball.value.to_f64().is_finite() || ball.error == 0.0
}

impl Add for LazyExact {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        with(|arena| arena.sum(self, other))
    }
}

impl Sub for LazyExact {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for LazyExact {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        with(|arena| arena.product(self, other))
    }
}

impl Div for LazyExact {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        with(|arena| arena.quotient(self, other))
    }
}

impl Neg for LazyExact {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.negated()
    }
}

impl Arithmetic for LazyExact {
    const ZERO: Self = ZERO;
    const ONE: Self = ONE;
    const OUTLINED: bool = true;
    const SELF_VALIDATING: bool = true;

    #[inline(never)]
    fn compare(self, other: Self) -> Option<Ordering> {
        with(|arena| arena.compare(self, other))
    }
    #[inline(never)]
    fn from_f64(x: f64) -> Self {
        if x == 0.0 {
            return Self::ZERO;
        }
        with(|arena| arena.push(Operation::Input, Ball::from_f64(x)))
    }
    #[inline(never)]
    fn to_f64(self) -> f64 {
        with(|arena| {
            if arena.is_double_word() {
                return arena.double_word(self).to_f64();
            }
            let ball = arena.ball(self);
            // A zero is positive: its sign would only depend on how it was computed.
            (if is_in_range(ball) { ball.value.to_f64() } else { arena.exact(self).to_f64() }) + 0.0
        })
    }
    /// With the digits of a result.
    #[inline(never)]
    fn parts(self) -> (f64, f64) {
        with(|arena| {
            if arena.is_double_word() {
                return arena.double_word(self).parts();
            }
            let ball = arena.with_digits(self);
            let (high, low) = if is_in_range(ball) { ball.value.parts() } else { arena.exact(self).parts() };
            (high + 0.0, low)
        })
    }
    #[inline(never)]
    fn from_parts(parts: (f64, f64)) -> Self {
        with(|arena| {
            if arena.is_double_word() {
                return arena.push_double_word(DoubleWord::of(parts));
            }
            arena.push(Operation::Input, Ball::from_parts(parts))
        })
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        with(|arena| arena.root(self))
    }
    #[inline(never)]
    fn times_power_of_two(self, factor: f64) -> Self {
        with(|arena| arena.scaled(self, factor))
    }
    #[inline(never)]
    fn normalize_exponent(v: [Self; 3]) -> [Self; 3] {
        with(|arena| {
            if arena.is_double_word() {
                let scaled = DoubleWord::normalize_exponent(v.map(|c| arena.double_word(c)));
                return scaled.map(|c| arena.push_double_word(c));
            }
            // Numbers that have left the range of `f64`, or nearly so, are scaled as exact ones.
            let sizes = v.map(|c| arena.ball(c)).map(|ball| ball.value.to_f64().abs() + ball.error);
            let size = sizes[0].max(sizes[1]).max(sizes[2]);
            let is_ordinary = size == 0.0 || (power(-500)..power(500)).contains(&size);
            if !(is_ordinary && sizes.iter().all(|size| size.is_finite())) {
                let exact = v.map(|c| arena.exact(c));
                return Exact::normalize_exponent(exact).map(|c| arena.push_exact(c));
            }
            let scale = power_of_two_below(size).unwrap_or(1.0);
            v.map(|c| arena.scaled(c, scale))
        })
    }
    #[inline(never)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        with(|arena| {
            let (first, second) = (arena.sum(a, b), arena.sum(c, d));
            arena.sum(first, second)
        })
    }
    #[inline(never)]
    fn dot_sum(a: [Self; 3], b: [Self; 3], rest: Self) -> Self {
        with(|arena| {
            let [x, y, z] = [0, 1, 2].map(|i| arena.product(a[i], b[i]));
            let (first, second) = (arena.sum(x, y), arena.sum(z, rest));
            arena.sum(first, second)
        })
    }
    #[inline(never)]
    fn cross(a: [Self; 3], b: [Self; 3]) -> [Self; 3] {
        with(|arena| {
            [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
                let (p, q) = (arena.product(a[i], b[j]), arena.product(a[j], b[i]));
                arena.sum(p, -q)
            })
        })
    }
    #[inline(never)]
    fn square_sum(v: [Self; 3]) -> Self {
        Self::dot_sum(v, v, Self::ZERO)
    }
    #[inline(never)]
    fn weight() -> Option<Self> {
        with(|arena| arena.weight)
    }
    /// Computes the numbers exactly that have too few digits beside the largest one.
    #[inline(never)]
    fn check_digits(numbers: &[Self]) {
        with(|arena| {
            // A number that is computed exactly may turn out to be small, so that others have too few digits.
            let mut refined = 0_u32;
            for _ in numbers {
                let balls = numbers.iter().map(|number| arena.ball(*number));
                let largest = balls.fold(0.0, |most: f64, ball| most.max(ball.value.to_f64().abs() - ball.error));
                // Written so that a NaN has too few.
                let is_short = |i: &usize| !(arena.ball(numbers[*i]).error <= largest * Dd::DIGITS);
                let short = (0..numbers.len()).find(|i| refined >> i & 1 == 0 && is_short(i));
                match short {
                    Some(i) if !arena.is_double_word() => {
                        arena.refined(numbers[i]);
                        refined |= 1 << i;
                    }
                    _ => return,
                }
            }
        });
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.gt(other) { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.lt(other) { self } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exact::arena::with_precision;
    use crate::math::lazy_exact::lazily;
    use alloc::vec::Vec;
    use test_support::random::Rng;

    /// A number of any size, or a whole one, so that sums cancel.
    fn number(rng: &mut Rng) -> f64 {
        let unit = rng.cube(1)[0];
        match rng.below(8) {
            0 => 0.0,
            1 | 2 => (unit * 8.0).round(),
            3 => unit * 1e-310,
            4 => unit * 1e-160,
            5 => unit * 1e160,
            6 => unit * 1e300,
            _ => unit,
        }
    }

    /// A random operation on two numbers, in any arithmetic; none where exact numbers have no result.
    fn apply<T: Arithmetic>(kind: usize, a: T, b: T) -> Option<T> {
        Some(match kind {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 if !b.equals(T::ZERO) => a / b,
            4 if a.ge(T::ZERO) => a.sqrt(),
            5 => a.times_power_of_two(power(400)),
            6 => a.times_power_of_two(power(-400)),
            7 => -a,
            8 => a.abs().max(b),
            9 => T::cross([a, b, a], [b, b, T::ONE])[2],
            10 => T::dot_sum([a, b, T::ONE], [b, a, a], -b),
            _ => return None,
        })
    }

    /// Chains of operations, among them sums that cancel, and numbers beyond the range of `f64`: comparisons have the results of exact
    /// numbers, and results their digits.
    #[test]
    fn lazy_numbers_decide_as_exact_ones() {
        let mut rng = Rng::new(17);
        let (mut orders, mut beyond) = ([0; 3], 0);
        for round in 0..4_000 {
            with_precision(3, || {
                lazily(|| {
                    let inputs: Vec<f64> = (0..4).map(|_| number(&mut rng)).collect();
                    let mut pairs: Vec<(LazyExact, Exact)> =
                        inputs.iter().map(|x| (LazyExact::from_f64(*x), Exact::from_f64(*x))).collect();
                    for _ in 0..8 {
                        let [i, j, kind] = [rng.below(pairs.len()), rng.below(pairs.len()), rng.below(11)];
                        let ((a, x), (b, y)) = (pairs[i], pairs[j]);
                        let order = x.compare(y);
                        // Numbers with errors that are equal may differ as fractions.
                        if order != Some(Ordering::Equal) || (x.is_exact() && y.is_exact()) {
                            assert_eq!(a.compare(b), order, "{round}: {inputs:?}");
                            orders[(order.unwrap() as i8 + 1) as usize] += 1;
                        }
                        let (Some(lazy), Some(exact)) = (apply(kind, a, b), apply(kind, x, y)) else { continue };
                        // Longer rows only take time.
                        if exact.bit_length().abs() < 20_000 {
                            pairs.push((lazy, exact));
                        }
                    }
                    for (lazy, exact) in pairs {
                        let ((high, low), truth) = (lazy.parts(), exact.to_f64());
                        if exact.is_exact() && truth.abs() > power(-900) && truth.abs() < f64::INFINITY {
                            let gap = (Exact::from_f64(high) + Exact::from_f64(low) - exact).abs();
                            assert!(
                                gap.le(exact.abs().times_power_of_two(power(-59))),
                                "{round}: {inputs:?} {truth:e}"
                            );
                        } else if exact.is_exact() && !truth.is_finite() {
                            assert_eq!(high, truth, "{round}: {inputs:?}");
                            beyond += 1;
                        }
                    }
                });
            });
        }
        assert!(orders.iter().all(|count| *count > 1_000) && beyond > 100, "{orders:?} {beyond}");
    }

    /// Exact numbers are computed only where balls overlap.
    #[test]
    fn certain_comparisons_need_no_exact_numbers() {
        let needs_exact = |compare: &dyn Fn(LazyExact, LazyExact) -> bool| {
            with_precision(3, || {
                lazily(|| {
                    let third = LazyExact::ONE / LazyExact::from_f64(3.0);
                    let found = compare(third, LazyExact::ONE);
                    (found, LazyExact::is_exact_needed())
                })
            })
        };
        assert_eq!(needs_exact(&|third, one| third.lt(one)), (true, false));
        assert_eq!(needs_exact(&|third, one| (third - one).lt(LazyExact::ZERO)), (true, false));
        // Two equal quotients, as fractions: exactly equal.
        let two_sixths = |one: LazyExact| (one + one) / LazyExact::from_f64(6.0);
        assert_eq!(needs_exact(&|third, one| third.equals(two_sixths(one))), (true, true));
        assert_eq!(needs_exact(&|third, one| (-third).equals(one / LazyExact::from_f64(-3.0))), (true, true));
    }
}
