//! Units of relative rounding error, and directed rounding of `f64` to `f32`.

/// Rounds down: the largest `f32` at or below `x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn round_down_f32(x: f64) -> f32 {
    let near = x as f32;
    // In integers, because no processor predicts a branch on the direction of rounding. A number that was rounded up is not +0.
    let (bits, was_rounded_up) = (near.to_bits().cast_signed(), f64::from(near) > x);
    f32::from_bits((bits - (bits >> 31 | 1) * i32::from(was_rounded_up)).cast_unsigned())
}

/// Rounds up: the smallest `f32` at or above `x`.
#[inline(always)]
pub(crate) fn round_up_f32(x: f64) -> f32 {
    -round_down_f32(-x)
}

/// 2^exponent, of a normal number.
pub(crate) const fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Unit roundoff of `f64`, 2^-53.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Unit roundoff of `f32`, 2^-24.
pub(crate) const SINGLE_ROUNDING: f32 = f32::EPSILON / 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_down() {
        assert_eq!(round_down_f32(1e300), f32::MAX);
        assert_eq!(round_down_f32(-1e300), f32::NEG_INFINITY);
        assert!(f64::from(round_down_f32(0.1)) <= 0.1 && f64::from(round_down_f32(0.1).next_up()) > 0.1);
        assert_eq!(round_down_f32(-1e-300), -f32::from_bits(1));
        assert_eq!(round_down_f32(f64::INFINITY), f32::INFINITY);
        assert!(round_down_f32(f64::NAN).is_nan());
        let mut rng = test_support::random::Rng::new(1);
        for exponent in [0, 0, 127, -130, -149, -160] {
            for _ in 0..2_000 {
                let x = rng.between(-1.0, 1.0) * power(exponent);
                let low = round_down_f32(x);
                assert!(f64::from(low) <= x && f64::from(low.next_up()) > x, "{x:e} {low:e}");
                assert!(f64::from(round_up_f32(x)) >= x && f64::from(round_up_f32(x).next_down()) < x, "{x:e}");
            }
        }
    }
}
