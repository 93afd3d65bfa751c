//! Exact decimals against binary numbers.

use num_bigint::BigInt;

/// A decimal number to about 106 bits: the nearest `f64`, and what is left, to its own 53 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    pub(crate) hi: f64,
    lo: f64,
}

impl Decimal {
    /// Any number that TOML or Rust writes: `-1.5e-3`, `inf`.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.replace('_', "");
        let hi: f64 = text.parse().unwrap();
        Self { hi, lo: if hi.is_finite() { remainder(&text, hi) } else { 0.0 } }
    }

    /// Distance of `x` from this number.
    pub(crate) fn error(self, x: f64) -> f64 {
        if x == self.hi { self.lo.abs() } else { (x - self.hi - self.lo).abs() }
    }
}

/// `text - hi`, from the exact difference.
fn remainder(text: &str, hi: f64) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let power = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
    let decimal: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let bits = hi.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let mantissa = BigInt::from(if exponent == 0 { fraction } else { fraction | 1 << 52 });
    let mantissa = if hi < 0.0 { -mantissa } else { mantissa };
    // decimal * 10^power - mantissa * 2^binary, over the denominator 10^down * 2^1100.
    let binary = exponent.max(1) - 1075;
    let (up, down) = (power.max(0) as u32, (-power).max(0) as u32);
    let ten = BigInt::from(10);
    let difference = ((decimal * ten.pow(up)) << 1100) - ((mantissa * ten.pow(down)) << (1100 + binary));
    // To 400 places, which `parse` rounds as it should.
    let places: BigInt = difference * ten.pow(400) / (ten.pow(down) << 1100);
    format!("{places}e-400").parse().unwrap()
}

#[test]
fn remainders_are_right() {
    assert_eq!(Decimal::parse("4").lo, 0.0);
    // 0.1 as an f64 is 0.1000000000000000055511151231257827...
    assert_eq!(Decimal::parse("0.1").lo, -5.551_115_123_125_783e-18);
    assert_eq!(Decimal::parse("-0.1").lo, 5.551_115_123_125_783e-18);
    let third = Decimal::parse("0.3333333333333333333333333333333333333333");
    assert!((third.lo - 1.0 / 3.0 / 2f64.powi(54)).abs() < 1e-30);
    assert_eq!(third.error(third.hi.next_up()), 2f64.powi(-54) - third.lo);
    assert_eq!(Decimal::parse("inf").hi, f64::INFINITY);
}
