//! A gauge along a line: a polynomial of degree 2, where it is at most zero, and its roots.

use crate::gauge::Gauge;
use crate::line::Line;
use crate::number::sign;
use crate::surd::Surd;
use dashu_int::IBig;

/// `a s^2 + 2 b s + c`, known up to a positive factor.
#[derive(Clone, Debug)]
pub struct Poly {
    /// Quadratic coefficient.
    pub a: IBig,
    /// Half the linear coefficient.
    pub b: IBig,
    /// The value at 0.
    pub c: IBig,
}

/// One end of a stretch of the line.
#[derive(Clone, Debug)]
pub enum End {
    /// It goes on for ever.
    Endless,
    /// It ends here.
    At(Surd),
}

/// A stretch where a polynomial is at most zero.
pub type Stretch = (End, End);

impl Poly {
    /// The polynomial by interpolation of the gauge at three points of the line.
    pub fn along(gauge: &Gauge, line: &Line) -> Self {
        let at = |s| gauge.at(&line.at(s));
        let (zero, up) = (at(0), at(1));
        if gauge.is_flat() {
            // Two points determine a line; doubled, so that half the slope is whole.
            let two = IBig::from(2);
            return Self { a: IBig::ZERO, b: &up - &zero, c: two * zero };
        }
        let down = at(-1);
        // Four times g: g(1) + g(-1) - 2 g(0) is twice the quadratic coefficient, g(1) - g(-1) twice the linear one.
        let (two, four) = (IBig::from(2), IBig::from(4));
        Self { a: &two * (&up + &down) - &four * &zero, b: up - down, c: four * zero }
    }
    /// The coefficients.
    pub fn parts(&self) -> [&IBig; 3] {
        [&self.a, &self.b, &self.c]
    }
    /// `b^2 - a c`.
    pub fn discriminant(&self) -> IBig {
        &self.b * &self.b - &self.a * &self.c
    }
    /// Zero everywhere.
    pub fn vanishes(&self) -> bool {
        self.a.is_zero() && self.b.is_zero() && self.c.is_zero()
    }
    /// The roots by rising `s`: none, one, or two.
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
    /// Where the polynomial is at most zero, given its roots.
    pub fn stretches(&self, roots: &[Surd]) -> Vec<Stretch> {
        let at = |i: usize| End::At(roots[i].clone());
        match (sign(&self.a), roots.len()) {
            (1, 0) => vec![],
            (1, 1) => vec![(at(0), at(0))],
            (1, _) => vec![(at(0), at(1))],
            (-1, 2) => vec![(End::Endless, at(0)), (at(1), End::Endless)],
            (-1, _) => vec![(End::Endless, End::Endless)],
            _ => match sign(&self.b) {
                1 => vec![(End::Endless, at(0))],
                -1 => vec![(at(0), End::Endless)],
                _ if sign(&self.c) <= 0 => vec![(End::Endless, End::Endless)],
                _ => vec![],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(a: i64, b: i64, c: i64) -> Vec<(Option<f64>, Option<f64>)> {
        let poly = Poly { a: a.into(), b: b.into(), c: c.into() };
        let number = |end: &End| match end {
            End::Endless => None,
            End::At(x) => {
                Some((x.p.to_f64().value() + f64::from(x.q) * x.d.to_f64().value().sqrt()) / x.r.to_f64().value())
            }
        };
        poly.stretches(&poly.roots()).iter().map(|(low, high)| (number(low), number(high))).collect()
    }

    #[test]
    fn where_it_is_not_positive() {
        assert_eq!(stretches(1, 0, -4), [(Some(-2.0), Some(2.0))]);
        assert_eq!(stretches(-1, 0, 4), [(None, Some(-2.0)), (Some(2.0), None)]);
        assert_eq!(stretches(1, 1, 1), [(Some(-1.0), Some(-1.0))]);
        assert_eq!(stretches(-1, 1, -1), [(None, None)]);
        assert_eq!(stretches(1, 1, 2), []);
        assert_eq!(stretches(0, 1, 2), [(None, Some(-1.0))]);
        assert_eq!(stretches(0, -1, 2), [(Some(1.0), None)]);
        assert_eq!(stretches(0, 0, 0), [(None, None)]);
        assert_eq!(stretches(0, 0, 1), []);
    }
}
