//! The arctangent of two numbers, from IEEE operations: the same bits on every machine.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Coefficients of `(atan(t) / t - 1) / t^2` in powers of `t^2`, for `t` up to 7/16.
const MINIMAX: [f64; 11] = [
    -0.333_333_333_333_329_3,
    0.199_999_999_998_764_83,
    -0.142_857_142_725_034_66,
    0.111_111_104_054_623_56,
    -0.090_908_871_334_365_07,
    0.076_918_762_050_448_3,
    -0.066_610_731_373_875_31,
    0.058_335_701_337_905_735,
    -0.049_768_779_946_159_324,
    0.036_531_572_744_216_916,
    -0.016_285_820_115_365_782,
];

/// The arctangent of 1/2, and the digits that `f64` does not hold.
const ATAN_HALF: [f64; 2] = [0.463_647_609_000_806_1, f64::from_bits(0x3C7A_2B7F_222F_65E2)];

/// The digits of pi/4 that `f64` does not hold.
const FRAC_PI_4_REST: f64 = f64::from_bits(0x3C81_A626_3314_5C07);

/// The angle of the point `(x, y)` from the positive x axis, in `-pi..=pi`; 0 for the origin. The sign of a zero has no
/// effect: on the negative x axis the angle is pi.
///
/// # Method
/// Symmetry reduces to a ratio `t` in 0..=1. From 7/16 on, the angle of 1/2 or 1 is split off by the addition theorem; the
/// rest is an odd polynomial.
///
/// # Source
/// Sun Microsystems, *fdlibm* 5.3, `s_atan.c` (1993): the polynomial and the reductions.
///
/// # Accuracy
/// Within 3 units of 2^-53 of the angle, for finite numbers whose ratio does not underflow
/// (`angles_are_those_of_the_standard_library`).
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn arctangent(y: f64, x: f64) -> f64 {
    let (rise, run) = (y.abs(), x.abs());
    let is_steep = rise > run;
    let (less, more) = if is_steep { (run, rise) } else { (rise, run) };
    if !(more > 0.0) {
        return 0.0;
    }
    let acute = of_ratio(less / more);
    let acute = if is_steep { FRAC_PI_2 - (acute - 2.0 * FRAC_PI_4_REST) } else { acute };
    let angle = if x < 0.0 { PI - (acute - 4.0 * FRAC_PI_4_REST) } else { acute };
    if y < 0.0 { -angle } else { angle }
}

/// The arctangent of a number in 0..=1.
#[cfg_attr(not(debug_assertions), inline(always))]
fn of_ratio(t: f64) -> f64 {
    let (high, rest, t) = if t < 0.4375 {
        (0.0, 0.0, t)
    } else if t < 0.6875 {
        (ATAN_HALF[0], ATAN_HALF[1], (2.0 * t - 1.0) / (2.0 + t))
    } else {
        (FRAC_PI_4, FRAC_PI_4_REST, (t - 1.0) / (t + 1.0))
    };
    let t_sq = t * t;
    let tail = MINIMAX.iter().rev().fold(0.0, |sum, coefficient| sum * t_sq + coefficient) * t_sq;
    high + (t + (t * tail + rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_standard_library() {
        let mut worst = 0.0f64;
        for i in -40_000..=40_000 {
            let (sin, cos) = (f64::from(i) * 1.1e-4).sin_cos();
            for (x, y) in [(cos, sin), (cos * 1e-3, sin), (cos, sin * 1e-9), (cos * 1e200, sin * 1e200), (sin, cos)] {
                let (found, expected) = (arctangent(y, x), y.atan2(x));
                // The standard library may be off by a unit, too.
                let error = (found - expected).abs() / (expected.abs() * f64::EPSILON / 2.0).max(f64::MIN_POSITIVE);
                worst = worst.max(error);
                assert!(error <= 3.0, "{x} {y}: {found} {expected}");
            }
        }
        assert!(worst >= 1.0, "the bound could be smaller: {worst}");
    }

    #[test]
    fn axes() {
        assert_eq!(arctangent(0.0, 0.0), 0.0);
        assert_eq!([arctangent(0.0, -2.0), arctangent(-0.0, -2.0)], [PI, PI]);
        assert_eq!([arctangent(3.0, 0.0), arctangent(-3.0, -0.0)], [FRAC_PI_2, -FRAC_PI_2]);
        assert_eq!([arctangent(3.0, 3.0), arctangent(-3.0, -3.0)], [FRAC_PI_4, -3.0 * FRAC_PI_4]);
    }
}
