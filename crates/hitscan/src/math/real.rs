//! `Real`: the two precisions of the public interface.

use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::sealed::Sealed;
use core::fmt::{Debug, Display};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// The number types of rays and shapes: `f32` and `f64`.
///
/// The trait is sealed: other crates cannot implement it.
pub trait Real:
    Sealed
    + Copy
    + Debug
    + Display
    + Default
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// The arithmetic that kernels use for this precision.
    #[doc(hidden)]
    type Arithmetic: Arithmetic;
    /// This precision, as a value.
    const PRECISION: Precision;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Largest finite number: the end of a `t` range without an upper bound.
    const MAX: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// Distance from 1 to the next number (2^-23 or 2^-52).
    const EPSILON: Self;

    /// The same number in working arithmetic, exactly.
    #[doc(hidden)]
    fn widen(self) -> Self::Arithmetic;
    /// The nearest number of this precision.
    #[doc(hidden)]
    fn narrow(x: Self::Arithmetic) -> Self;
    /// Rounds to the nearest number of this precision.
    fn from_f64(x: f64) -> Self;
    /// Converts exactly to `f64`.
    fn to_f64(self) -> f64;
    /// Runs a function for `f32`, and nothing for `f64`: the compiler compiles nothing for that either.
    #[doc(hidden)]
    fn only_in_f32<R>(run: impl FnOnce() -> R) -> Option<R>;
    /// The number of a result. A zero is positive: its sign would only tell how it was computed.
    #[doc(hidden)]
    #[inline(always)]
    fn of_result(self) -> Self {
        self + Self::ZERO
    }
    /// Whether the number is neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// The next larger number.
    fn next_up(self) -> Self;
    /// The next smaller number.
    fn next_down(self) -> Self;
}

/// Precision of a scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

macro_rules! real {
    ($t:ident, $precision:ident, $wide:ty, |$run:ident| $in_f32:expr) => {
        impl Real for $t {
            type Arithmetic = $wide;
            const PRECISION: Precision = Precision::$precision;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MAX: Self = $t::MAX;
            const INFINITY: Self = $t::INFINITY;
            const NAN: Self = $t::NAN;
            const EPSILON: Self = $t::EPSILON;

            #[inline(always)]
            fn only_in_f32<R>($run: impl FnOnce() -> R) -> Option<R> {
                $in_f32
            }
            #[inline(always)]
            fn widen(self) -> $wide {
                <$wide as Arithmetic>::from_f64(f64::from(self))
            }
            #[inline(always)]
            fn narrow(x: $wide) -> Self {
                Arithmetic::to_f64(x) as $t
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn next_up(self) -> Self {
                // Not the standard function, which branches on the sign: no processor can predict that. The sum makes -0 positive.
                let bits = (self + 0.0).to_bits().cast_signed();
                let next = $t::from_bits(bits.wrapping_add(bits >> (8 * size_of::<$t>() - 1) | 1).cast_unsigned());
                if self < $t::INFINITY { next } else { self }
            }
            #[inline(always)]
            fn next_down(self) -> Self {
                -Real::next_up(-self)
            }
        }
    };
}

real!(f32, Single, f64, |run| Some(run()));

real!(f64, Double, Dd, |_run| None);

#[cfg(test)]
mod tests {
    use super::*;

    /// The neighbours are those of the standard library, for every kind of number.
    #[test]
    fn neighbours() {
        fn check<S: Real>(x: S, [up, down]: [S; 2]) {
            let same = |a: S, b: S| a.to_f64().to_bits() == b.to_f64().to_bits();
            let is_nan = x.to_f64().is_nan();
            assert!(if is_nan { x.next_up().to_f64().is_nan() } else { same(x.next_up(), up) }, "{x:?}");
            assert!(if is_nan { x.next_down().to_f64().is_nan() } else { same(x.next_down(), down) }, "{x:?}");
        }
        let mut rng = test_support::random::Rng::new(1);
        let special =
            [0.0, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN, f64::from_bits(1), 1.0].map(f64::to_bits);
        let special_f32 =
            [0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, f32::from_bits(1), 1.0].map(f32::to_bits);
        for round in 0..20_000 {
            let (bits, index) = (rng.bits(), round % 14);
            let x = f64::from_bits(if round < 14 { special[index / 2] | (round as u64 & 1) << 63 } else { bits });
            check(x, [f64::next_up(x), f64::next_down(x)]);
            let x = f32::from_bits(if round < 14 {
                special_f32[index / 2] | (round as u32 & 1) << 31
            } else {
                bits as u32
            });
            check(x, [f32::next_up(x), f32::next_down(x)]);
        }
    }
}
