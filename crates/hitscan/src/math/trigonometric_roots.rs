//! Roots of trigonometric polynomials of degree two.

use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use crate::stable_sort::stable_sort_by;
use smallvec::SmallVec;

/// A point of the unit circle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitPoint<T> {
    pub(crate) cosine: T,
    pub(crate) sine: T,
}

/// Upper bound of the bisections: each halves an interval of length 2, down to neighbors in `f64`.
const MAX_BISECTIONS: usize = 64;

/// Greatest Newton step that corrects a root in `f64`.
const MAX_CORRECTION: f64 = power(-20);

/// The roots of `c + a1 cos t + b1 sin t + a2 cos 2t + b2 sin 2t`, and points between them: all at which the polynomial of the
/// method below is greatest or least. A double root, which rounding may hide, is one of these.
///
/// # Method
/// With `tan(t / 2)` the roots are those of a polynomial of degree four in -1..=1, and of another one for the other half of the
/// circle. Roots of its derivative separate its roots, and so on down to degree one. Bisection finds them in `f64`; two Newton
/// steps in the working arithmetic correct them.
///
/// # Source
/// Separation by derivatives: Collins, Loos, *Polynomial Real Root Isolation by Differentiation*, SYMSAC 1976.
///
/// # Accuracy
/// A simple root has all digits, up to its condition.
///
/// # Edges
/// If all coefficients are 0, the points are those with a cosine of 0, each twice.
pub(crate) fn roots_and_extrema<T: Arithmetic>(
    c: T,
    [a1, b1]: [T; 2],
    [a2, b2]: [T; 2],
) -> SmallVec<[UnitPoint<T>; 24]> {
    let mut found = SmallVec::new();
    let times = |x: T, factor: f64| x * T::from_f64(factor);
    for side in [T::ONE, -T::ONE] {
        let (a1, b1) = (a1 * side, b1 * side);
        let coefficients = [
            c + a1 + a2,
            times(b1, 2.0) + times(b2, 4.0),
            times(c, 2.0) - times(a2, 6.0),
            times(b1, 2.0) - times(b2, 4.0),
            c - a1 + a2,
        ];
        for t in separated_roots(coefficients.map(Arithmetic::to_f64)) {
            let t = corrected(&coefficients, T::from_f64(t));
            let t_sq = t.sq();
            let scale = side / (T::ONE + t_sq);
            found.push(UnitPoint { cosine: (T::ONE - t_sq) * scale, sine: (t + t) * scale });
        }
    }
    found
}

/// The value and the slope of a polynomial.
fn value_and_slope<T: Arithmetic>(coefficients: &[T], x: T) -> (T, T) {
    coefficients.iter().rev().fold((T::ZERO, T::ZERO), |(value, slope), &c| (value * x + c, slope * x + value))
}

/// The root of a polynomial near `root`.
fn corrected<T: Arithmetic>(coefficients: &[T], mut root: T) -> T {
    for _ in 0..2 {
        let (value, slope) = value_and_slope(coefficients, root);
        let step = value / slope;
        if step.to_f64().abs() <= MAX_CORRECTION {
            root = root - step;
        }
    }
    root
}

/// The roots of a polynomial of degree four in -1..=1, those of its derivative, and the ends of the interval.
fn separated_roots(coefficients: [f64; 5]) -> SmallVec<[f64; 12]> {
    // Coefficients of the derivatives, each over a factorial.
    let mut derivatives = [coefficients; 4];
    for order in 1..4 {
        let before = derivatives[order - 1];
        derivatives[order] = [0.0; 5];
        for degree in 1..5 {
            derivatives[order][degree - 1] = before[degree] * degree as f64;
        }
    }
    let mut ends = SmallVec::<[f64; 12]>::from_slice(&[-1.0, 1.0]);
    for (order, derivative) in derivatives.iter().enumerate().rev() {
        let roots = ends.windows(2).filter_map(|pair| root_between(derivative, [pair[0], pair[1]]));
        let roots: SmallVec<[f64; 4]> = roots.collect();
        if order > 0 {
            ends.retain(|end| end.abs() == 1.0);
        }
        ends.extend(roots);
        stable_sort_by(&mut ends, f64::total_cmp);
    }
    ends
}

/// The root of a polynomial that is monotonic between two numbers, if its signs there differ.
fn root_between(coefficients: &[f64; 5], [mut low, mut high]: [f64; 2]) -> Option<f64> {
    let value = |x: f64| value_and_slope(coefficients, x).0;
    let (first, last) = (value(low), value(high));
    if !((first < 0.0 && last > 0.0) || (first > 0.0 && last < 0.0)) {
        return None;
    }
    for _ in 0..MAX_BISECTIONS {
        let middle = 0.5 * (low + high);
        if !(low < middle && middle < high) {
            break;
        }
        if (value(middle) > 0.0) == (last > 0.0) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dd::Dd;
    use std::vec::Vec;
    use test_support::random::Rng;

    /// Every change of sign among many samples is a root, and a root in `Dd` has its digits.
    #[test]
    fn changes_of_sign_are_roots() {
        let mut rng = Rng::new(5);
        for _ in 0..3000 {
            let [[c, a1, b1], [a2, b2, _]] = [rng.cube(3), rng.cube(3)];
            let at = |t: f64| c + a1 * t.cos() + b1 * t.sin() + a2 * (2.0 * t).cos() + b2 * (2.0 * t).sin();
            let found = roots_and_extrema(c, [a1, b1], [a2, b2]);
            let angles: Vec<f64> = found.iter().map(|p| p.sine.atan2(p.cosine)).collect();
            const SAMPLES: usize = 720;
            let angle = |i: usize| i as f64 / SAMPLES as f64 * core::f64::consts::TAU - core::f64::consts::PI;
            for i in 0..SAMPLES {
                if at(angle(i)) * at(angle(i + 1)) < 0.0 {
                    let is_between = |t: &&f64| (angle(i)..=angle(i + 1)).contains(*t) && at(**t).abs() < 1e-13;
                    assert!(angles.iter().find(is_between).is_some(), "{c} {a1} {b1} {a2} {b2} {angles:?}");
                }
            }
            let wide = Dd::from_f64;
            for point in roots_and_extrema(wide(c), [wide(a1), wide(b1)], [wide(a2), wide(b2)]) {
                let (x, y) = (point.cosine, point.sine);
                assert!((x.sq() + y.sq() - wide(1.0)).to_f64().abs() < 1e-30);
                let value =
                    wide(c) + x * wide(a1) + y * wide(b1) + (x.sq() - y.sq()) * wide(a2) + x * y * wide(2.0 * b2);
                let slope = y * wide(a1) - x * wide(b1) + x * y * wide(4.0 * a2) - (x.sq() - y.sq()) * wide(2.0 * b2);
                // Extrema are no roots.
                let is_root = value.to_f64().abs() < 1e-13;
                assert!(!is_root || slope.to_f64().abs() < 1e-3 || value.to_f64().abs() < 1e-28, "{value:?}");
            }
        }
    }
}
