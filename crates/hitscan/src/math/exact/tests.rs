//! Exact arithmetic against f64, integers and identities.

use super::arena;
use super::arena::with_precision;
use super::exact::{Exact, TWO_64};
use crate::math::arithmetic::Arithmetic;
use crate::math::eft::sqrt;
use core::cmp::Ordering;
use test_support::random::Lcg;

type E = Exact;

// Operators, for the identities of these tests only.
impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.equals(*other)
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.compare(*other)
    }
}

fn e(x: f64) -> E {
    E::from_f64(x)
}

/// Finite numbers of every exponent, and some near one another.
fn random(count: u64) -> impl Iterator<Item = f64> {
    let mut rng = Lcg::new(12345);
    let mut next = move || {
        let state = rng.state();
        state ^ state >> 29
    };
    (0..count)
        .map(move |i| {
            let (bits, near) = (next(), 1023 - 40 + next() % 80);
            f64::from_bits(if i % 4 < 2 { bits & !(0x7ff << 52) | near << 52 } else { bits })
        })
        .filter(|x| x.is_finite())
}

fn pairs(count: u64) -> impl Iterator<Item = (f64, f64)> {
    random(count).zip(random(count).skip(1))
}

#[test]
fn rounds_as_f64_does() {
    for (a, b) in pairs(100_000) {
        let (x, y) = (e(a), e(b));
        assert_eq!((x.to_f64(), x.partial_cmp(&y), x == y), (a, a.partial_cmp(&b), a == b));
        let exact = [x + y, x - y, x * y, x / y, x.abs().sqrt()].map(E::to_f64);
        assert_eq!(exact, [a + b, a - b, a * b, a / b, sqrt(a.abs())], "{a:e} {b:e}");
        let small = f64::from_bits(b.to_bits() % 1000); // subnormal numbers, and ties among them
        assert_eq!([(e(small) / e(16.0)).to_f64(), (x * e(small)).to_f64()], [small / 16.0, a * small]);
    }
    let tie = e(1.0) + e(f64::EPSILON / 2.0);
    assert_eq!((tie.to_f64(), (tie + e(5e-324)).to_f64()), (1.0, 1.0 + f64::EPSILON));
    assert_eq!((e(f64::MAX) + e(f64::MAX)).to_parts(), (f64::INFINITY, 0.0));
}

#[test]
fn sums_and_products_are_exact() {
    let numbers: [f64; 400] = core::array::from_fn({
        let mut numbers = random(10_000);
        move |_| numbers.next().unwrap()
    });
    for w in numbers.windows(4) {
        let [a, b, c, d] = [e(w[0]), e(w[1]), e(w[2]), e(w[3])];
        assert_eq!((a + b) - b, a);
        assert_eq!((a + b) * (c - d), E::sum([a * c, b * c, -(a * d), -(b * d)]));
        assert_eq!((a * b * c).sq() - (c * d).sq(), (a * b * c - c * d) * (c * d + a * b * c));
        assert_eq!(a.times_power_of_two(5e-324) + b, (a + b * e(2f64.powi(1000)) * e(2f64.powi(74))) * e(5e-324));
    }
    // Degree 12, against integers.
    for w in numbers.windows(12) {
        let integers: [i16; 12] = core::array::from_fn(|i| (w[i].to_bits() % 2001) as i16 - 1000);
        let (high, low) = integers.iter().fold((E::ONE, 1_i128), |(x, n), &i| (x * e(i.into()), n * i128::from(i)));
        let limbs = [(low >> 64) as f64 * TWO_64, (low as u64 >> 32) as f64 * 2f64.powi(32), f64::from(low as u32)];
        assert_eq!(high, e(limbs[0]) + e(limbs[1]) + e(limbs[2]));
    }
}

#[test]
fn quotients_and_roots() {
    let bound = e(2f64.powi(-250));
    for (a, b) in pairs(10_000) {
        // Numbers of about 150 bits; a quotient or root of that many bits must be exact.
        let (x, y) = (e(a) * e(b) * e(1.1), e(b) * e(b) * e(0.7));
        assert!((x / y * y - x).abs() <= x.abs() * bound && x * y / y == x && x / x == E::ONE);
        assert!((x.abs().sqrt().sq() - x.abs()).abs() <= x.abs() * bound && x.sq().sqrt() == x.abs());
    }
    assert_eq!((e(6.0) / e(-3.0), e(2.25).sqrt(), e(0.0) / e(3.0)), (e(-2.0), e(1.5), E::ZERO));
    // Expected values: integer division and `math.isqrt` in Python.
    assert_eq!((e(1.0) / e(3.0)).to_parts(), (1.0 / 3.0, 1.850371707708594e-17));
    assert_eq!(e(2.0).sqrt().to_parts(), (core::f64::consts::SQRT_2, -9.667293313452913e-17));
}

#[test]
fn not_finite() {
    let (inf, nan) = (e(f64::INFINITY), e(f64::NAN));
    assert_eq!((inf.to_f64(), (-inf).to_f64(), inf.sqrt(), inf + e(-1e300)), (f64::INFINITY, -f64::INFINITY, inf, inf));
    assert!(inf > e(f64::MAX).sq() && -inf < -e(f64::MAX).sq() && inf == inf && E::ONE / inf == E::ZERO);
    for x in [nan, inf - inf, inf * E::ZERO, E::ONE / E::ZERO, inf / E::ZERO, nan + E::ONE, nan * inf, (-E::ONE).sqrt()]
    {
        assert!(x.to_f64().is_nan() && x.partial_cmp(&E::ONE).is_none() && x != x && x.sign() == 0);
    }
    assert_eq!(((-E::ZERO).to_f64().to_bits(), e(-0.0), e(-2.0).sign()), (0, E::ZERO, -1));
}

#[test]
fn no_limits_of_range_or_length() {
    let (huge, tiny) = (e(f64::MAX), e(5e-324));
    let product = (0..12).fold(E::ONE, |p, _| p * (huge + tiny));
    assert_eq!((0..12).fold(product, |p, _| p / (huge + tiny)), E::ONE);
    assert!(product > (0..12).fold(E::ONE, |p, _| p * huge));
    let square = (huge + tiny).sq();
    assert_eq!((square.sqrt(), square / (huge + tiny)), (huge + tiny, huge + tiny));
    assert_eq!((huge + tiny - huge, (huge * huge + tiny * tiny) - huge * huge), (tiny, tiny * tiny));
}

#[test]
fn digits_are_forgotten_after_the_question() {
    let limbs = || arena::with(|arena| arena.limbs.len());
    let before = limbs();
    with_precision(8, || {
        let third = E::ONE / e(3.0);
        assert!(limbs() > before);
        // Equal within the error bound, although the digits differ.
        assert_eq!(third * e(3.0), E::ONE);
        assert!((third * e(3.0) - E::ONE).abs() < e(2f64.powi(-600)).sq());
    });
    assert_eq!(limbs(), before);
}

/// A product with an exact zero is exact, whatever the error of the other factor.
#[test]
fn products_with_zero_are_exact() {
    with_precision(3, || {
        let tiny = Exact::from_f64(1e-300);
        let third = Exact::ONE / Exact::from_f64(3.0);
        assert!(!third.is_exact() && (Exact::ZERO * third).is_exact() && (third * Exact::ZERO).is_exact());
        // A large factor with an error does not hide a small number beside the product.
        let large = Arithmetic::sqrt(Exact::from_f64(2.0)).times_power_of_two(crate::math::rounding::power(1000))
            * Exact::from_f64(1e300);
        assert_eq!((Exact::ZERO * large).compare(tiny), Some(Ordering::Less));
    });
}
