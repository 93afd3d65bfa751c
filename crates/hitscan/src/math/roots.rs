//! Quadratics without cancellation, and signs of expressions with square roots without taking the roots.

use super::Wide;
use core::cmp::Ordering;

/// `a t^2 - 2 b t + c = 0`, with `root = sqrt(b^2 - a c)` found by the caller in a form that does not cancel.
pub(crate) struct Quadratic<T> {
    pub(crate) a: T,
    pub(crate) b: T,
    pub(crate) c: T,
    pub(crate) root: T,
}

impl<T: Wide> Quadratic<T> {
    /// `(b - root) / a` and `(b + root) / a`, each computed from a sum of equal signs and never from the other one's
    /// rounded value: Press et al., *Numerical Recipes*, section 5.6. `a` must not be zero.
    #[inline(always)]
    pub(crate) fn roots(&self) -> (T, T) {
        if self.b >= T::ZERO {
            let q = self.b + self.root;
            let low = if q == T::ZERO { T::ZERO } else { self.c / q };
            (low, q / self.a)
        } else {
            let q = self.b - self.root;
            (q / self.a, self.c / q)
        }
    }
}

/// The sign of `p sqrt(alpha) + q sqrt(beta)` for `alpha, beta >= 0`, decided on squares: a tie in real arithmetic
/// stays a tie.
#[inline(always)]
pub(crate) fn sign_of_roots<T: Wide>(p: T, alpha: T, q: T, beta: T) -> Ordering {
    let left = if alpha == T::ZERO { Ordering::Equal } else { sign(p) };
    let right = if beta == T::ZERO { Ordering::Equal } else { sign(q) };
    if left == right || right == Ordering::Equal {
        return left;
    }
    if left == Ordering::Equal {
        return right;
    }
    let (l, r) = (p * p * alpha, q * q * beta);
    if l > r {
        left
    } else if l < r {
        right
    } else {
        Ordering::Equal
    }
}

#[inline(always)]
fn sign<T: Wide>(x: T) -> Ordering {
    if x > T::ZERO {
        Ordering::Greater
    } else if x < T::ZERO {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_roots_keep_their_digits() {
        // t^2 - 2e8 t + 1: the small root is 5e-9 and would be lost in 1e8 - sqrt(1e16 - 1).
        let q = Quadratic { a: 1.0, b: 1e8, c: 1.0, root: 1e8 };
        assert_eq!(q.roots(), (5e-9, 2e8));
        let q = Quadratic { a: 1.0, b: -1e8, c: 1.0, root: 1e8 };
        assert_eq!(q.roots(), (-2e8, -5e-9));
        let q = Quadratic { a: 2.0, b: 0.0, c: 0.0, root: 0.0 };
        assert_eq!(q.roots(), (0.0, 0.0));
    }

    #[test]
    fn signs_with_roots() {
        // 3 sqrt(2) against 2 sqrt(4.5): equal.
        assert_eq!(sign_of_roots(3.0, 2.0, -2.0, 4.5), Ordering::Equal);
        assert_eq!(sign_of_roots(3.0, 2.0, -2.0, 4.4), Ordering::Greater);
        assert_eq!(sign_of_roots(-3.0, 2.0, 2.0, 4.6), Ordering::Greater);
        assert_eq!(sign_of_roots(-3.0, 2.0, 0.0, 4.6), Ordering::Less);
        assert_eq!(sign_of_roots(-3.0, 0.0, 1.0, 4.6), Ordering::Greater);
    }
}
