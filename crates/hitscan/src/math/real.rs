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
    ($t:ident, $precision:ident, $wide:ty) => {
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
            #[inline(always)]
            fn next_up(self) -> Self {
                $t::next_up(self)
            }
            #[inline(always)]
            fn next_down(self) -> Self {
                $t::next_down(self)
            }
        }
    };
}

real!(f32, Single, f64);

real!(f64, Double, Dd);
