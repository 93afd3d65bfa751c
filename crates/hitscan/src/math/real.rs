//! The two precisions of the public interface.

use super::{Dd, Double, Exact, Wide};
use core::fmt::{Debug, Display};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `f32` or `f64`.
pub trait Real:
    Copy
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
    type Wide: Wide;
    /// Plain `f64` is asked first whether there is any hit at all, because the arithmetic proper is much slower.
    const FILTERED: bool;
    /// The same numbers, for values that no decision hangs on any more.
    type Sure: Wide;
    /// What decides when that is in doubt.
    type Second: Wide;
    /// What decides when that is in doubt too: exact for sums and products, without limits of range.
    type Exact: Wide;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The largest finite number: the end of a range of `t` that is not given.
    const MAX: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The distance from 1 to the next number (2^-23 or 2^-52).
    const EPSILON: Self;

    /// The same number in working arithmetic, exactly.
    fn widen(self) -> Self::Wide;
    /// The nearest number of this precision.
    fn narrow(x: Self::Wide) -> Self;
    /// The nearest number of this precision.
    fn from_f64(x: f64) -> Self;
    /// The same number, exactly.
    fn to_f64(self) -> f64;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// The next larger number.
    fn next_up(self) -> Self;
    /// The next smaller number.
    fn next_down(self) -> Self;
}

macro_rules! real {
    ($t:ident, $filtered:literal, $wide:ty, $sure:ty, $second:ty, $exact:ty) => {
        impl Real for $t {
            type Wide = $wide;
            const FILTERED: bool = $filtered;
            type Sure = $sure;
            type Second = $second;
            type Exact = $exact;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MAX: Self = $t::MAX;
            const INFINITY: Self = $t::INFINITY;
            const EPSILON: Self = $t::EPSILON;

            #[inline(always)]
            fn widen(self) -> $wide {
                <$wide as Wide>::from_f64(f64::from(self))
            }
            #[inline(always)]
            fn narrow(x: $wide) -> Self {
                Wide::to_f64(x) as $t
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
real!(f32, false, f64, f64, Dd, Exact);
real!(f64, true, Dd, Double<true>, Exact, Exact);
