//! Decimal text of exact numbers: all digits if they are few, else 40.

use crate::number::{Dyadic, root_floor, sign};
use crate::surd::{Refined, Surd, sign_of_two};
use dashu_int::IBig;

/// Largest count of digits for a TOML number; longer ones become strings.
const SHORT: usize = 17;
/// Count of digits of numbers without a finite decimal expansion.
const LONG: usize = 40;

/// Exact number that can be compared with decimals.
pub(super) enum ExactNumber<'a> {
    /// `(x + y sqrt(d)) / r 2^e`.
    Surd { x: IBig, y: IBig, d: &'a IBig, r: &'a IBig, e: i64 },
    /// Component `i` of the unit vector along `x + y sqrt(d)`.
    Unit { x: &'a [IBig; 3], y: &'a [IBig; 3], d: &'a IBig, i: usize },
}

impl<'a> ExactNumber<'a> {
    /// Converts a surd in units of `2^e`.
    pub(super) fn surd(s: &'a Surd, e: i64) -> Self {
        Self::Surd { x: s.p.clone(), y: IBig::from(s.q), d: &s.d, r: &s.r, e }
    }

    /// Text of the number in a TOML file.
    pub(super) fn text(&self) -> String {
        let Some(near) = self.approximation() else { return "0".into() };
        for digits in 1..=LONG {
            let (n, power) = rounded(&near, digits);
            if self.equals(&n, power) {
                let text = written(&n, power);
                return if digits <= SHORT { text } else { format!("\"{text}\"") };
            }
        }
        let (n, power) = rounded(&near, LONG);
        format!("\"{}\"", written(&n, power))
    }

    /// To at least 280 bits; `None` for zero.
    fn approximation(&self) -> Option<Dyadic> {
        match self {
            Self::Surd { x, y, d, r, e } => {
                if sign_of_two(x, y, d) == 0 {
                    return None;
                }
                Some(Refined::new(d).value(x.clone(), y.clone(), r).scaled(*e))
            }
            Self::Unit { x, y, d, i } => {
                if sign_of_two(&x[*i], &y[*i], d) == 0 {
                    return None;
                }
                let one = IBig::ONE;
                let mut root = Refined::new(d);
                let component = root.value(x[*i].clone(), y[*i].clone(), &one);
                let (a, b) = squared_length(x, y, d);
                let Dyadic { m, e } = root.value(a, b, &one);
                // An even exponent, and bits enough for the root.
                let shift = 640 + (e.rem_euclid(2)) as usize;
                let length = Dyadic { m: root_floor(&(m << shift)), e: (e - shift as i64) / 2 };
                Some(Dyadic::quotient(&component.m, &length.m).scaled(component.e - length.e))
            }
        }
    }

    /// Whether the number is exactly `n 10^power`.
    fn equals(&self, n: &IBig, power: i64) -> bool {
        let ten = |power: i64| IBig::from(10).pow(power.unsigned_abs() as usize);
        match self {
            Self::Surd { x, y, d, r, e } => {
                // Compares (x + y sqrt(d)) 2^e with n r 10^power, each power on the side where it is an integer.
                let two = |power: i64| IBig::ONE << power.unsigned_abs() as usize;
                let mut left = IBig::ONE;
                let mut right = n * *r;
                if *e >= 0 {
                    left *= two(*e);
                } else {
                    right *= two(*e);
                }
                if power >= 0 {
                    right *= ten(power);
                } else {
                    left *= ten(power);
                }
                sign_of_two(&(x * &left - right), &(y * left), d) == 0
            }
            Self::Unit { x, y, d, i } => {
                if sign_of_two(&x[*i], &y[*i], d) != sign(n) {
                    return false;
                }
                // The squares: component^2 against n^2 10^(2 power) length^2.
                let (a, b) = square(&x[*i], &y[*i], d);
                let (sum, mixed) = squared_length(x, y, d);
                let (mut left, mut right) = (IBig::ONE, n * n);
                if power >= 0 {
                    right *= ten(2 * power);
                } else {
                    left *= ten(2 * power);
                }
                sign_of_two(&(a * &left - sum * &right), &(b * left - mixed * right), d) == 0
            }
        }
    }
}

/// `(x + y sqrt(d))^2` as `a + b sqrt(d)`.
fn square(x: &IBig, y: &IBig, d: &IBig) -> (IBig, IBig) {
    (x * x + y * y * d, IBig::from(2) * x * y)
}

fn squared_length(x: &[IBig; 3], y: &[IBig; 3], d: &IBig) -> (IBig, IBig) {
    (0..3).map(|i| square(&x[i], &y[i], d)).fold((IBig::ZERO, IBig::ZERO), |(a, b), (p, q)| (a + p, b + q))
}

/// Nearest `n 10^power` to the nonzero number, with `n` of a given count of digits.
fn rounded(x: &Dyadic, digits: usize) -> (IBig, i64) {
    let top = x.magnitude().unwrap_or(0);
    // One less than the decimal exponent, or equal.
    let mut exponent = (top as f64 * std::f64::consts::LOG10_2).floor() as i64;
    loop {
        let power = exponent + 1 - digits as i64;
        let n = scaled_to_whole(x, -power);
        let limit = IBig::from(10).pow(digits);
        if n.clone() * IBig::from(sign(&n)) >= limit {
            exponent += 1;
            continue;
        }
        return (n, power);
    }
}

/// Value of `x 10^power`, rounded to the nearest integer.
fn scaled_to_whole(x: &Dyadic, power: i64) -> IBig {
    let ten = IBig::from(10).pow(power.unsigned_abs() as usize);
    let (mut n, mut d) = (x.m.clone(), IBig::ONE);
    if power >= 0 {
        n *= ten;
    } else {
        d *= ten;
    }
    let two = IBig::ONE << x.e.unsigned_abs() as usize;
    if x.e >= 0 {
        n *= two;
    } else {
        d *= two;
    }
    let way = IBig::from(sign(&n));
    (IBig::from(2) * n + way * &d) / (IBig::from(2) * d)
}

/// `n 10^power` as text, without zeros at the end.
fn written(n: &IBig, mut power: i64) -> String {
    let text = n.to_string();
    let (minus, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let kept = digits.trim_end_matches('0');
    power += (digits.len() - kept.len()) as i64;
    let (kept, length) = (if kept.is_empty() { "0" } else { kept }, kept.len() as i64);
    // The exponent of the first digit.
    let first = length + power - 1;
    if !(-10..21).contains(&first) {
        let (head, tail) = kept.split_at(1);
        let point = if tail.is_empty() { "" } else { "." };
        return format!("{minus}{head}{point}{tail}e{first}");
    }
    if power >= 0 {
        return format!("{minus}{kept}{}", "0".repeat(power as usize));
    }
    if first >= 0 {
        let (head, tail) = kept.split_at(first as usize + 1);
        return format!("{minus}{head}.{tail}");
    }
    format!("{minus}0.{}{kept}", "0".repeat((-first - 1) as usize))
}

/// An input number with all of its digits.
pub(super) fn input(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf".into() } else { "-inf".into() };
    }
    if x == 0.0 {
        return if x.is_sign_negative() { "-0.0".into() } else { "0".into() };
    }
    let Dyadic { m, e } = Dyadic::from_f64(x);
    let size = e.unsigned_abs() as usize;
    if e >= 0 { written(&(m << size), 0) } else { written(&(m * IBig::from(5).pow(size)), e) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_all_digits() {
        assert_eq!(input(0.1f32.into()), "0.100000001490116119384765625");
        assert_eq!([4.0, -0.5, 1e300, 5e-324].map(|x| input(x).parse::<f64>().unwrap()), [4.0, -0.5, 1e300, 5e-324]);
        assert_eq!(input(-1024.0), "-1024");
        assert_eq!(input(2f64.powi(-20)), "0.00000095367431640625");
        assert_eq!([0.0, -0.0, f64::NAN, -f64::INFINITY].map(input), ["0", "-0.0", "nan", "-inf"]);
    }

    #[test]
    fn surds_are_short_only_where_they_are_exact() {
        let int = |x: i64| IBig::from(x);
        let (two, one) = (int(2), int(1));
        let text = |x: i64, y: i64, d: &IBig, e: i64| ExactNumber::Surd { x: int(x), y: int(y), d, r: &one, e }.text();
        assert_eq!(text(0, 1, &two, 0), "\"1.41421356237309504880168872420969807857\"");
        assert_eq!(text(3, 0, &two, -1), "1.5");
        assert_eq!(text(3, -1, &int(9), 0), "0");
        assert_eq!(text(-25, 0, &two, 2), "-100");
        // 1 - 2^-20 has 20 digits, which is all of them; 1 + 2^-400 is not 1.
        assert_eq!(text((1 << 20) - 1, 0, &two, -20), "\"0.99999904632568359375\"");
        let beside = ExactNumber::Surd { x: (int(1) << 400) + int(1), y: int(0), d: &two, r: &one, e: -400 };
        assert_eq!(beside.text(), "\"1\"");
    }

    #[test]
    fn unit_vectors() {
        let (zero, two) = ([0; 3].map(IBig::from), IBig::from(2));
        let unit = |x: [i64; 3], i| {
            let x = x.map(IBig::from);
            ExactNumber::Unit { x: &x, y: &zero, d: &two, i }.text()
        };
        assert_eq!([0, 1, 2].map(|i| unit([3, -4, 0], i)), ["0.6", "-0.8", "0"]);
        assert_eq!(unit([1, 1, 0], 0), "\"0.7071067811865475244008443621048490392848\"");
    }
}
