//! The exact orientation of three points of the plane: the sign of a determinant of any `f64` numbers.
//!
//! Source: Shewchuk, *Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates*, 1997, for the filter;
//! Kulisch, *Computer Arithmetic and Validity*, 2008, for sums of products in a fixed-point register that is as long as all
//! products of two numbers need. Such a register has neither overflow nor underflow, unlike expansions of floating-point numbers.
//!
//! The library decides the turns of its convex hulls by its own exact numbers. These are private, and this crate calls its public
//! items only.

use std::cmp::Ordering;

pub(super) type Point = [f64; 2];

/// Where a path turns at its second of three points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Left,
    Right,
    /// The points are on one line.
    Straight,
}

impl From<Ordering> for Turn {
    fn from(sign: Ordering) -> Self {
        match sign {
            Ordering::Greater => Self::Left,
            Ordering::Less => Self::Right,
            Ordering::Equal => Self::Straight,
        }
    }
}

/// The exact turn of the path `a b c`, whose coordinates are finite.
pub(super) fn turn(a: Point, b: Point, c: Point) -> Turn {
    // Shewchuk's bound of the error of the determinant, relative to the sum of its two products.
    const BOUND: f64 = (3.0 + 8.0 * f64::EPSILON) * (0.5 * f64::EPSILON);
    let (ax, ay) = (a[0] - c[0], a[1] - c[1]);
    let (bx, by) = (b[0] - c[0], b[1] - c[1]);
    let (left, right) = (ax * by, ay * bx);
    let determinant = left - right;
    // Products that underflow are off by less than the smallest normal number; an overflow makes the comparison false.
    if determinant.abs() > BOUND * (left.abs() + right.abs()) + f64::MIN_POSITIVE {
        return if determinant > 0.0 { Turn::Left } else { Turn::Right };
    }
    // A difference is zero only if the numbers are equal: rows along an axis need no exact numbers.
    if (ax == 0.0 || by == 0.0) && (ay == 0.0 || bx == 0.0) {
        return Turn::Straight;
    }
    // Differences without an error and products with their errors decide most of what is left, such as points on a slanted line.
    let is_exact = |x: f64, c: f64, difference: f64| difference + c == x && x - difference == c;
    let offsets = [(a[0], c[0], ax), (a[1], c[1], ay), (b[0], c[0], bx), (b[1], c[1], by)];
    let is_normal = |product: f64| (SMALLEST..=LARGEST).contains(&product.abs());
    if offsets.into_iter().all(|(x, c, difference)| is_exact(x, c, difference)) && is_normal(left) && is_normal(right) {
        // Rounding is monotonic: of products that are rounded to different numbers the larger one is larger.
        let (left_error, right_error) = (ax.mul_add(by, -left), ay.mul_add(bx, -right));
        let order = left.partial_cmp(&right).zip(left_error.partial_cmp(&right_error));
        if let Some((products, errors)) = order {
            return products.then(errors).into();
        }
    }
    let mut sum = ExactSum::default();
    for (p, q) in [(a, b), (b, c), (c, a)] {
        sum.add_cross(p, q);
    }
    sum.sign().into()
}

/// Products between these have errors that are numbers.
const SMALLEST: f64 = f64::MIN_POSITIVE / f64::EPSILON / f64::EPSILON;
const LARGEST: f64 = f64::MAX / 2.0;

/// The exact sign of the area inside a closed path: positive for a counterclockwise one.
pub(super) fn area_sign(points: &[Point]) -> Ordering {
    let mut sum = ExactSum::default();
    for (p, next) in points.iter().zip(points.iter().cycle().skip(1)) {
        sum.add_cross(*p, *next);
    }
    sum.sign()
}

/// A sum of products of two numbers without an error: a whole number of 2^-2148, in two's complement.
struct ExactSum {
    limbs: [u64; ExactSum::LIMBS],
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { limbs: [0; Self::LIMBS] }
    }
}

impl ExactSum {
    /// A product has its bits from 2^-2148 to 2^2048, and a sum has fewer than 2^64 products.
    const LIMBS: usize = (2148 + 2048 + 64 + 1_usize).div_ceil(64);

    /// Adds `p.x q.y - p.y q.x`.
    fn add_cross(&mut self, p: Point, q: Point) {
        self.add_product(p[0], q[1]);
        self.add_product(-p[1], q[0]);
    }

    fn add_product(&mut self, a: f64, b: f64) {
        let ((a_digits, a_exponent), (b_digits, b_exponent)) = (parts(a), parts(b));
        let product = u128::from(a_digits) * u128::from(b_digits);
        if product == 0 {
            return;
        }
        // The product has 106 bits at most: with the shift it covers up to three limbs.
        let (first, shift) = ((a_exponent + b_exponent) / 64, (a_exponent + b_exponent) % 64);
        let low = product << shift;
        let high = if shift == 0 { 0 } else { (product >> (128 - shift)) as u64 };
        let words = [low as u64, (low >> 64) as u64, high];
        let subtracts = a.is_sign_negative() != b.is_sign_negative();
        let mut carry = false;
        for (number, limb) in self.limbs[first..].iter_mut().enumerate() {
            let word = words.get(number).copied().unwrap_or(0);
            if number >= words.len() && !carry {
                break;
            }
            let carried = u64::from(carry);
            let (part, over) = if subtracts { limb.overflowing_sub(word) } else { limb.overflowing_add(word) };
            let (whole, again) = if subtracts { part.overflowing_sub(carried) } else { part.overflowing_add(carried) };
            (*limb, carry) = (whole, over || again);
        }
    }

    fn sign(&self) -> Ordering {
        let is_negative = self.limbs[Self::LIMBS - 1] >> 63 == 1;
        match self.limbs.iter().all(|limb| *limb == 0) {
            true => Ordering::Equal,
            false if is_negative => Ordering::Less,
            false => Ordering::Greater,
        }
    }
}

/// The digits of a finite number, and the place of the last one, from 0 for 2^-1074.
fn parts(x: f64) -> (u64, usize) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as usize, bits & ((1 << 52) - 1));
    if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use test_support::random::Lcg;

    /// The number as a whole number of 2^-1074.
    fn whole(x: f64) -> BigInt {
        let (digits, place) = parts(x);
        let size = BigInt::from(digits) << place;
        if x.is_sign_negative() { -size } else { size }
    }

    fn exact(a: Point, b: Point, c: Point) -> Turn {
        let [a, b, c] = [a, b, c].map(|point| point.map(whole));
        let left = (&a[0] - &c[0]) * (&b[1] - &c[1]);
        left.cmp(&((&a[1] - &c[1]) * (&b[0] - &c[0]))).into()
    }

    #[test]
    fn turns_are_those_of_whole_numbers() {
        let mut random = Lcg::new(7);
        for scale in [1.0, 1e-300, 5e-324, 1e12, 1e300, f64::MAX / 8.0] {
            for _ in 0..3000 {
                let mut number = || {
                    let x = (random.below(9) as f64 - 4.0) * scale;
                    match random.below(4) {
                        0 => x.next_up(),
                        1 => x + random.below(3) as f64,
                        _ => x,
                    }
                };
                let [a, b, c] = [(); 3].map(|()| [number(), number()]);
                assert_eq!(turn(a, b, c), exact(a, b, c), "{a:?} {b:?} {c:?}");
            }
        }
    }

    #[test]
    fn points_one_ulp_from_a_line_turn() {
        let line = |t: f64| [0.5 + t, 0.5 + t];
        assert_eq!(turn(line(0.0), line(12.0), line(24.0)), Turn::Straight);
        let above = [24.5, 24.5_f64.next_up()];
        assert_eq!(turn(line(0.0), line(12.0), above), Turn::Left);
        assert_eq!(turn(above, line(12.0), line(0.0)), Turn::Right);
        assert_eq!(turn([-f64::MAX, 0.0], [f64::MAX, 0.0], [0.0, 5e-324]), Turn::Left);
    }

    #[test]
    fn areas_have_exact_signs() {
        let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(area_sign(&bow_tie), Ordering::Equal);
        let sliver = [[-1e300, 0.0], [1e300, 0.0], [0.0, 5e-324]];
        assert_eq!(area_sign(&sliver), Ordering::Greater);
        assert_eq!(area_sign(&[sliver[2], sliver[1], sliver[0]]), Ordering::Less);
    }
}
