//! Implicit function along a line: a polynomial of degree 2, its roots, and the intervals where it is at most zero.

use crate::implicit::Implicit;
use crate::line::Line;
use crate::number::sign;
use crate::surd::Surd;
use dashu_int::IBig;

/// Polynomial `a s^2 + 2 b s + c`, up to a positive factor.
#[derive(Clone, Debug)]
pub struct Poly {
    /// Coefficient of `s^2`.
    pub a: IBig,
    /// Half the coefficient of `s`.
    pub b: IBig,
    /// Value at 0.
    pub c: IBig,
}

/// End of an interval of the line.
#[derive(Clone, Debug)]
pub enum End {
    /// End at infinity.
    Unbounded,
    /// End at a finite parameter.
    At(Surd),
}

/// Interval where a polynomial is at most zero.
pub type Interval = (End, End);

impl Poly {
    /// Interpolates the implicit function at three points of the line.
    pub fn along(implicit: &Implicit, line: &Line) -> Self {
        let at = |s| implicit.at(&line.at(s));
        let (zero, up) = (at(0), at(1));
        if implicit.is_flat() {
            // Two points determine a line; doubled, so that half the slope is an integer.
            let two = IBig::from(2);
            return Self { a: IBig::ZERO, b: &up - &zero, c: two * zero };
        }
        let down = at(-1);
        // Four times g: g(1) + g(-1) - 2 g(0) is twice the quadratic coefficient, g(1) - g(-1) twice the linear one.
        let (two, four) = (IBig::from(2), IBig::from(4));
        Self { a: &two * (&up + &down) - &four * &zero, b: up - down, c: four * zero }
    }
    /// Coefficients `[a, b, c]`.
    pub fn coefficients(&self) -> [&IBig; 3] {
        [&self.a, &self.b, &self.c]
    }
    /// Discriminant `b^2 - a c`.
    pub fn discriminant(&self) -> IBig {
        &self.b * &self.b - &self.a * &self.c
    }
    /// Whether the polynomial is zero.
    pub fn is_zero(&self) -> bool {
        self.a.is_zero() && self.b.is_zero() && self.c.is_zero()
    }
    /// Roots by increasing `s`: none, one, or two.
    pub fn roots(&self) -> Vec<Surd> {
        if self.a.is_zero() {
            return if self.b.is_zero() { vec![] } else { vec![Surd::rational(-&self.c, IBig::from(2) * &self.b)] };
        }
        let d = self.discriminant();
        let (p, r) = if sign(&self.a) > 0 { (-&self.b, self.a.clone()) } else { (self.b.clone(), -&self.a) };
        match sign(&d) {
            -1 => vec![],
            0 => vec![Surd { p, q: 0, d, r }],
            _ => [-1, 1].map(|q| Surd { p: p.clone(), q, d: d.clone(), r: r.clone() }).into(),
        }
    }
    /// Intervals where the polynomial is at most zero, from its roots.
    pub fn intervals(&self, roots: &[Surd]) -> Vec<Interval> {
        let at = |i: usize| End::At(roots[i].clone());
        match (sign(&self.a), roots.len()) {
            (1, 0) => vec![],
            (1, 1) => vec![(at(0), at(0))],
            (1, _) => vec![(at(0), at(1))],
            (-1, 2) => vec![(End::Unbounded, at(0)), (at(1), End::Unbounded)],
            (-1, _) => vec![(End::Unbounded, End::Unbounded)],
            _ => match sign(&self.b) {
                1 => vec![(End::Unbounded, at(0))],
                -1 => vec![(at(0), End::Unbounded)],
                _ if sign(&self.c) <= 0 => vec![(End::Unbounded, End::Unbounded)],
                _ => vec![],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(a: i64, b: i64, c: i64) -> Vec<(Option<f64>, Option<f64>)> {
        let poly = Poly { a: a.into(), b: b.into(), c: c.into() };
        let number = |end: &End| match end {
            End::Unbounded => None,
            End::At(x) => {
                Some((x.p.to_f64().value() + f64::from(x.q) * x.d.to_f64().value().sqrt()) / x.r.to_f64().value())
            }
        };
        poly.intervals(&poly.roots()).iter().map(|(low, high)| (number(low), number(high))).collect()
    }

    #[test]
    fn where_it_is_not_positive() {
        assert_eq!(intervals(1, 0, -4), [(Some(-2.0), Some(2.0))]);
        assert_eq!(intervals(-1, 0, 4), [(None, Some(-2.0)), (Some(2.0), None)]);
        assert_eq!(intervals(1, 1, 1), [(Some(-1.0), Some(-1.0))]);
        assert_eq!(intervals(-1, 1, -1), [(None, None)]);
        assert_eq!(intervals(1, 1, 2), []);
        assert_eq!(intervals(0, 1, 2), [(None, Some(-1.0))]);
        assert_eq!(intervals(0, -1, 2), [(Some(1.0), None)]);
        assert_eq!(intervals(0, 0, 0), [(None, None)]);
        assert_eq!(intervals(0, 0, 1), []);
    }
}
