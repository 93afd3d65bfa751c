//! Error-free transformations of sums and products, and the IEEE 754 square root.

/// IEEE 754 square root: correctly rounded, so the same bits from `std` and from `libm`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrt(x);
}

/// Rounded sum and its exact error (Knuth, TAOCP vol. 2, section 4.2.2).
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_part = s - a;
    (s, (a - (s - b_part)) + (b - b_part))
}

/// [`two_sum`] for |a| >= |b| or a = 0 (Dekker 1971).
#[inline(always)]
pub(crate) fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// Rounded product and its exact error: two instructions with hardware FMA. Without it, Dekker's splitting gives the
/// same two numbers, so results do not depend on the machine.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn two_prod(a: f64, b: f64) -> (f64, f64) {
    #[cfg(all(feature = "std", any(target_feature = "fma", target_arch = "aarch64")))]
    return two_prod_fused(a, b);
    #[cfg(not(all(feature = "std", any(target_feature = "fma", target_arch = "aarch64"))))]
    {
        let p = a * b;
        let ((ah, al), (bh, bl)) = (split(a), split(b));
        (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
    }
}

/// [`two_prod`] by FMA: slow on machines without it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn two_prod_fused(a: f64, b: f64) -> (f64, f64) {
    #[cfg(feature = "std")]
    return (a * b, a.mul_add(b, -(a * b)));
    #[cfg(not(feature = "std"))]
    return two_prod(a, b);
}

/// Splits a number into two halves of 26 bits (Veltkamp 1968). Overflows above 2^996, so kernels scale their numbers
/// near 1 first.
#[cfg(not(all(feature = "std", any(target_feature = "fma", target_arch = "aarch64"))))]
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a; // 2^27 + 1
    let high = c - (c - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_prod_is_exact() {
        // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60: the last bit lies beyond an f64.
        let x = 1.0 + (-30f64).exp2();
        assert_eq!(two_prod(x, x), (1.0 + (-29f64).exp2(), (-60f64).exp2()));
    }
}
