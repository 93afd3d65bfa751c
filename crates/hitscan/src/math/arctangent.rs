//! The arctangent of two numbers, from IEEE operations: the same bits on every machine.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Coefficients of `(atan(t) / t - 1) / t^2` in powers of `t^2`, for `t` up to 7/16.
const MINIMAX: [f64; 11] = [
    -3.333_333_333_333_293_180_27e-1,
    1.999_999_999_987_648_324_76e-1,
    -1.428_571_427_250_346_637_11e-1,
    1.111_111_040_546_235_578_80e-1,
    -9.090_887_133_436_506_561_96e-2,
    7.691_876_205_044_829_994_95e-2,
    -6.661_073_137_387_531_206_69e-2,
    5.833_570_133_790_573_486_45e-2,
    -4.976_877_994_615_932_360_17e-2,
    3.653_157_274_421_691_552_70e-2,
    -1.628_582_011_536_578_236_23e-2,
];

/// The arctangent of 1/2, and the digits that `f64` does not hold.
const HALF: [f64; 2] = [4.636_476_090_008_060_935_15e-1, 2.269_877_745_296_168_709_24e-17];

/// The digits of pi/4 that `f64` does not hold.
const FRAC_PI_4_REST: f64 = 3.061_616_997_868_383_017_93e-17;

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
#[inline(always)]
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
#[inline(always)]
fn of_ratio(t: f64) -> f64 {
    let (high, rest, t) = if t < 0.4375 {
        (0.0, 0.0, t)
    } else if t < 0.6875 {
        (HALF[0], HALF[1], (2.0 * t - 1.0) / (2.0 + t))
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
