//! How far the numbers of a file may be from those that were meant.

/// The rounding of the coordinates of a file, by the numbers that were seen of it.
#[derive(Clone, Debug)]
pub(in crate::mesh) struct Rounding {
    /// Whether each number is an `f32`, or the decimals of one.
    is_single: bool,
    /// The most digits of a decimal from its first one that is not zero, and the most behind its point.
    digits: i32,
    decimals: i32,
}

impl Default for Rounding {
    fn default() -> Self {
        Self { is_single: true, digits: 0, decimals: 0 }
    }
}

/// A decimal number of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mesh) struct Decimal {
    digits: i32,
    /// The places behind the point; fewer than none for `1e3`.
    decimals: i32,
}

impl Decimal {
    /// Counts the digits of a number; it has an exponent or none.
    pub(in crate::mesh) fn of(word: &[u8]) -> Self {
        let (mut digits, mut decimals, mut is_fraction) = (0, 0, false);
        for (at, byte) in word.iter().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    digits += i32::from(digits > 0 || *byte != b'0');
                    decimals += i32::from(is_fraction);
                }
                b'.' => is_fraction = true,
                b'e' | b'E' => {
                    let exponent = std::str::from_utf8(&word[at + 1..]).ok().and_then(|text| text.parse().ok());
                    return Self { digits, decimals: i32::saturating_sub(decimals, exponent.unwrap_or(0)) };
                }
                _ => {}
            }
        }
        Self { digits, decimals }
    }

    /// Whether `value`, which these decimals are, is an `f32` or the decimals of one: the nearest `f32` has the same digits.
    pub(in crate::mesh) fn is_single(self, value: f64) -> bool {
        let off = (value - f64::from(value as f32)).abs();
        off == 0.0 || off <= 0.5 * power_of_ten(-self.decimals)
    }
}

impl Rounding {
    /// Files whose numbers have fewer digits than this were written by hand: they are meant as they are.
    const ROUNDED_DIGITS: i32 = 5;
    const ROUNDED_DECIMALS: i32 = 4;

    /// Whether the numbers of a vertex are looked at: all of the first ones, and then some.
    pub(in crate::mesh) fn looks_at(vertex: usize) -> bool {
        vertex < 256 || vertex.is_multiple_of(16)
    }

    /// Looks at a number of a text. One that is not finite tells nothing.
    pub(in crate::mesh) fn see_decimal(&mut self, word: &[u8], value: f64) {
        if !value.is_finite() {
            return;
        }
        let decimal = Decimal::of(word);
        self.is_single &= decimal.is_single(value);
        self.digits = self.digits.max(decimal.digits);
        self.decimals = self.decimals.max(decimal.decimals);
    }

    /// Looks at a number of a binary file. One that is not finite tells nothing.
    pub(in crate::mesh) fn see(&mut self, value: f64) {
        self.is_single &= !value.is_finite() || f64::from(value as f32) == value;
    }

    /// The most by which a number up to this magnitude may be off.
    pub(super) fn of(&self, magnitude: f64) -> f64 {
        let unit = if self.is_single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let binary = 0.5 * unit * magnitude;
        if self.digits < Self::ROUNDED_DIGITS && self.decimals < Self::ROUNDED_DECIMALS {
            return binary;
        }
        // Numbers of so many decimals (`%f` in C), or of so many digits (`%g`), which have fewer decimals where they are large.
        let fixed = 0.5 * power_of_ten(-self.decimals);
        let mut whole = 0;
        while whole < 22 && power_of_ten(whole) <= magnitude {
            whole += 1;
        }
        binary.max(fixed).max(0.5 * power_of_ten(whole - self.digits))
    }
}

/// 10 to a power, the same on every machine; 0 and infinity for what no file has.
fn power_of_ten(power: i32) -> f64 {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    match (POWERS.get(power.unsigned_abs() as usize), power < 0) {
        (Some(power), false) => *power,
        (Some(power), true) => 1.0 / power,
        (None, false) => f64::INFINITY,
        (None, true) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_decimals() {
        let of = |word: &str| {
            let Decimal { digits, decimals } = Decimal::of(word.as_bytes());
            (digits, decimals)
        };
        assert_eq!(of("-12.50"), (4, 2));
        assert_eq!(of("0.000120"), (3, 6));
        assert_eq!(of("1.25e-3"), (3, 5));
        assert_eq!(of("7"), (1, 0));
        assert_eq!(of("0"), (0, 0));
    }

    #[test]
    fn decimals_of_a_single() {
        let single = |word: &str| Decimal::of(word.as_bytes()).is_single(word.parse().unwrap());
        assert!(
            ["0.1", "5400000.5", "0.333333343", "-1e-3", "16777216", "0.1000000015"].iter().all(|word| single(word))
        );
        assert!(!["5400000.654321", "0.333333333333", "16777217"].iter().any(|word| single(word)));
    }

    #[test]
    fn rounding_by_the_digits() {
        let of = |words: &[&str], magnitude: f64| {
            let mut rounding = Rounding::default();
            words.iter().for_each(|word| rounding.see_decimal(word.as_bytes(), word.parse().unwrap()));
            rounding.of(magnitude)
        };
        assert_eq!(of(&["1.000000", "123.456789"], 100.0), 0.5 / 1e6);
        assert_eq!(of(&["123.456", "0.00123456"], 100.0), 0.5 / 1e3, "six digits, however many decimals");
        assert_eq!(of(&["0.25", "1"], 1.0), 0.5 * f64::from(f32::EPSILON), "written by hand");
        assert_eq!(of(&["0.25", "nan", "-inf"], 1.0), 0.5 * f64::from(f32::EPSILON), "not finite");
    }
}
