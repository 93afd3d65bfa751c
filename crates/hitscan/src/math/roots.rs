//! Quadratic equations without cancellation, and signs of expressions with square roots without taking the roots.

use crate::math::arithmetic::{Arithmetic, outlined};
use crate::math::observer::Observer;
use core::cmp::Ordering;

/// Quadratic equation `a t^2 - 2 b t + c = 0`, with `root = sqrt(b^2 - a c)` computed by the caller in a form that
/// does not cancel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quadratic<T> {
    pub(crate) a: T,
    pub(crate) b: T,
    pub(crate) c: T,
    pub(crate) root: T,
}

impl<T: Arithmetic> Quadratic<T> {
    /// `(b - root) / a`, the smaller root for `a > 0`: computed from a sum of equal signs, never from a difference of
    /// nearby numbers (Press et al., *Numerical Recipes*, section 5.6). `a` must not be zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn minus(&self) -> T {
        let Self { a, b, c, .. } = *self;
        let (numerator, denominator) = if self.is_tangent() {
            (b, a)
        } else if b.ge(T::ZERO) {
            (c, self.sum())
        } else {
            (-self.sum(), a)
        };
        numerator / denominator
    }
    /// `(b + root) / a`, computed like [`minus`](Self::minus).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn plus(&self) -> T {
        let Self { a, b, c, .. } = *self;
        let (numerator, denominator) = if self.is_tangent() {
            (b, a)
        } else if b.ge(T::ZERO) {
            (self.sum(), a)
        } else {
            (c, -self.sum())
        };
        numerator / denominator
    }
    /// A tangent has one contact point: rounding must not split it in two. With norm-wise bounds a zero root is
    /// uncertain, and the case needs no test.
    #[inline(always)]
    fn is_tangent(&self) -> bool {
        !T::NORMWISE_BOUNDS && self.root.equals(T::ZERO)
    }
    /// `abs(b) + root`: the larger one of `abs(b + root)` and `abs(b - root)`.
    #[inline(always)]
    pub(crate) fn sum(&self) -> T {
        self.b.abs() + self.root
    }
    /// Filter test of the values of both roots, given the magnitudes of `a`, `b` and `c`, and that of the square of
    /// `root`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn check_filter<P: Observer>(&self, magnitude: [T; 3], root_sq_magnitude: T, observer: &mut P) {
        if P::UNFILTERED {
            return;
        }
        observer.value(self.a, magnitude[0]);
        observer.value(self.sum(), magnitude[1]);
        observer.value(self.c, magnitude[2]);
        // A small root has lost digits: its error is the error of its square, divided by twice the root.
        observer.value(self.root * self.sum(), root_sq_magnitude);
    }
}

/// A number, and the magnitude of the terms of the sum behind it.
#[derive(Clone, Copy)]
pub(crate) struct Bounded<T> {
    pub(crate) value: T,
    pub(crate) magnitude: T,
}

impl<T: Arithmetic> Bounded<T> {
    /// A number, and its magnitude if the arithmetic needs that.
    #[inline(always)]
    pub(crate) fn new(value: T, magnitude: impl FnOnce() -> T) -> Self {
        Self { value, magnitude: if T::SELF_VALIDATING { T::ZERO } else { magnitude() } }
    }
}

/// The sign of `p sqrt(alpha) + q sqrt(beta)` for `alpha, beta >= 0`, decided on squares: a tie in real arithmetic
/// stays a tie. `alpha` must be accurate. See docs/proofs.md, Lemma 18.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sign_of_roots<T: Arithmetic, P: Observer>(
    p: Bounded<T>,
    alpha: T,
    q: Bounded<T>,
    beta: Bounded<T>,
    observer: &mut P,
) -> Ordering {
    outlined!(T, {
        let (l, r) = (p.value.sq() * alpha, q.value.sq() * beta.value);
        let left = if alpha.equals(T::ZERO) { Ordering::Equal } else { sign(p.value) };
        let right = if beta.value.equals(T::ZERO) { Ordering::Equal } else { sign(q.value) };
        // Error bound of the squares; the last two terms count where a factor is smaller than its own error.
        let magnitude = if P::UNFILTERED {
            T::ZERO
        } else {
            p.value.abs() * p.magnitude * alpha
                + q.value.abs() * q.magnitude * beta.value
                + q.value.sq() * beta.magnitude
                + (p.magnitude.sq() * alpha + q.magnitude.sq() * beta.magnitude) * T::from_f64(T::sign_threshold())
        };
        if left == right || right == Ordering::Equal || left == Ordering::Equal {
            observer.sign(l + r, magnitude);
            return if left == Ordering::Equal { right } else { left };
        }
        observer.sign(l - r, magnitude);
        if l.gt(r) {
            left
        } else if l.lt(r) {
            right
        } else {
            Ordering::Equal
        }
    })
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn sign<T: Arithmetic>(x: T) -> Ordering {
    if x.gt(T::ZERO) {
        Ordering::Greater
    } else if x.lt(T::ZERO) {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::observer::FilterFlag;

    #[test]
    fn both_roots_keep_their_digits() {
        let roots = |a, b, c, root| {
            let quadratic = Quadratic { a, b, c, root };
            (quadratic.minus(), quadratic.plus())
        };
        // t^2 - 2e8 t + 1: the small root is 5e-9 and would be lost in 1e8 - sqrt(1e16 - 1).
        assert_eq!(roots(1.0, 1e8, 1.0, 1e8), (5e-9, 2e8));
        assert_eq!(roots(1.0, -1e8, 1.0, 1e8), (-2e8, -5e-9));
        assert_eq!(roots(2.0, 0.0, 0.0, 0.0), (0.0, 0.0));
    }

    #[test]
    fn signs_with_roots() {
        let sum = |value: f64| Bounded { value, magnitude: value.abs() };
        let of = |p, alpha, q, beta| {
            let mut flag = FilterFlag::default();
            (sign_of_roots(sum(p), alpha, sum(q), sum(beta), &mut flag), flag.is_uncertain)
        };
        // 3 sqrt(2) against 2 sqrt(4.5): equal, so f64 must be uncertain.
        assert_eq!(of(3.0, 2.0, -2.0, 4.5), (Ordering::Equal, true));
        assert_eq!(of(3.0, 2.0, -2.0, 4.4), (Ordering::Greater, false));
        assert_eq!(of(-3.0, 2.0, 2.0, 4.6), (Ordering::Greater, false));
        assert_eq!(of(-3.0, 2.0, 0.0, 4.6), (Ordering::Less, false));
        assert_eq!(of(0.0, 2.0, 0.0, 4.6), (Ordering::Equal, false));
    }
}
