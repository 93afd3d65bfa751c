//! Relative rounding errors, and rounding of `f64` to `f32` in a chosen direction.

/// The largest `f32` that is not larger.
#[inline(always)]
pub(crate) fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The smallest `f32` that is not smaller.
#[inline(always)]
pub(crate) fn above(x: f64) -> f32 {
    -below(-x)
}

/// The relative error of one rounding in `f64`, 2^-53.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The relative error of one rounding in `f32`, 2^-24.
pub(crate) const SINGLE_ROUNDING: f32 = f32::EPSILON / 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_down() {
        assert_eq!(below(1e300), f32::MAX);
        assert_eq!(below(-1e300), f32::NEG_INFINITY);
        assert!(f64::from(below(0.1)) <= 0.1 && f64::from(below(0.1).next_up()) > 0.1);
        assert_eq!(below(-1e-300), -f32::from_bits(1));
        assert_eq!(below(f64::INFINITY), f32::INFINITY);
    }
}
