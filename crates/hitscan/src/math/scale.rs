//! Exact scaling by powers of two.

/// Power of two that scales a positive finite `x` to 1..2 (as near as the exponents of `f64` allow); `None` for other
/// `x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn power_of_two_below(x: f64) -> Option<f64> {
    if !(x > 0.0 && x < f64::INFINITY) {
        return None;
    }
    let exponent = x.to_bits() >> 52;
    Some(f64::from_bits(2046u64.saturating_sub(exponent).clamp(1, 2045) << 52))
}
