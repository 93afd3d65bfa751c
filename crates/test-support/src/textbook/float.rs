//! The number trait of the textbook formulas.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// A floating-point format: `f32` or `f64`.
pub trait Float:
    Copy
    + PartialOrd
    + core::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The magnitude.
    #[must_use]
    fn abs(self) -> Self;
    /// 1 with the sign of the number.
    #[must_use]
    fn signum(self) -> Self;
}

macro_rules! float {
    ($($float:ident)+) => {$(
        impl Float for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = $float::INFINITY;
            #[inline(always)]
            fn sqrt(self) -> Self {
                $float::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $float::abs(self)
            }
            #[inline(always)]
            fn signum(self) -> Self {
                $float::signum(self)
            }
        }
    )+};
}
float!(f32 f64);
