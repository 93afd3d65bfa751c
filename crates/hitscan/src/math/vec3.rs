//! `Vec3`: a 3-vector of working numbers, with the magnitudes of its products.

use crate::math::arithmetic::{Arithmetic, outlined};
use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use core::ops::{Add, Mul, Neg, Sub};

/// 3-vector of working numbers. A 2D problem has z = 0 throughout, so one kernel serves circle and sphere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<T> {
    pub(crate) x: T,
    pub(crate) y: T,
    pub(crate) z: T,
}

impl<T: Arithmetic> Vec3<T> {
    #[inline(always)]
    pub(crate) fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
    #[inline(always)]
    pub(crate) fn map(self, f: impl Fn(T) -> T) -> Self {
        Self::new(f(self.x), f(self.y), f(self.z))
    }
    /// Applies `f` to every component; the result may have another number type.
    #[inline(always)]
    pub(crate) fn map_to<U>(self, f: impl Fn(T) -> U) -> Vec3<U> {
        Vec3 { x: f(self.x), y: f(self.y), z: f(self.z) }
    }
    #[inline(always)]
    fn components(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }
    #[inline(always)]
    pub(crate) fn get(self, i: usize) -> T {
        [self.x, self.y, self.z][i]
    }
    /// Product with the weight of the current evaluation: see [`Arithmetic::weight`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn weighted(self) -> Self {
        match T::weight() {
            Some(weight) => self * weight,
            None => self,
        }
    }
    /// Component-wise product.
    #[inline(always)]
    pub(crate) fn scale(self, by: Self) -> Self {
        outlined!(T, Self::new(self.x * by.x, self.y * by.y, self.z * by.z))
    }
    #[inline(always)]
    pub(crate) fn dot(self, v: Self) -> T {
        T::dot(self.components(), v.components())
    }
    /// `self . v + rest`, compensated: accurate when the terms cancel.
    #[inline(always)]
    pub(crate) fn dot_plus(self, v: Self, rest: T) -> T {
        T::dot_sum(self.components(), v.components(), rest)
    }
    #[inline(always)]
    pub(crate) fn cross(self, v: Self) -> Self {
        let [x, y, z] = T::cross(self.components(), v.components());
        Self::new(x, y, z)
    }
    /// Magnitude of each component of the cross product: the sum of the absolute values of its terms, zero if all are
    /// zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cross_magnitude(self, v: Self) -> Self {
        if T::SELF_VALIDATING {
            return Self::new(T::ZERO, T::ZERO, T::ZERO);
        }
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                let all = self.l1_norm() * v.l1_norm();
                return Self::new(all, all, all);
            }
            let (a, b) = (self.map(Arithmetic::abs), v.map(Arithmetic::abs));
            Self::new(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x)
        })
    }
    /// Sum of the absolute values of the components: the norm-wise bound of each.
    #[inline(always)]
    pub(crate) fn l1_norm(self) -> T {
        outlined!(T, self.x.abs() + self.y.abs() + self.z.abs())
    }
    /// [`dot_magnitude`](Self::dot_magnitude) of two input vectors. For `f32` inputs the bound stays term by term,
    /// because their products do not underflow.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn input_dot_magnitude<S: Real>(self, v: Self) -> T {
        if T::SELF_VALIDATING {
            return T::ZERO;
        }
        outlined!(T, {
            if T::NORMWISE_BOUNDS && S::PRECISION == Precision::Double {
                return self.l1_norm() * v.l1_norm();
            }
            (self.x * v.x).abs() + (self.y * v.y).abs() + (self.z * v.z).abs()
        })
    }
    /// Magnitude of the dot product: the sum of the absolute values of its terms.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn dot_magnitude(self, v: Self) -> T {
        if T::SELF_VALIDATING {
            return T::ZERO;
        }
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                return self.l1_norm() * v.l1_norm();
            }
            (self.x * v.x).abs() + (self.y * v.y).abs() + (self.z * v.z).abs()
        })
    }
    /// Magnitude of `self . self`, where each component is a sum of terms of magnitude `magnitude`. The last term
    /// remains where a component cancels to nothing (docs/proofs.md, Lemma 2).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn square_magnitude(self, magnitude: Self) -> T {
        if T::SELF_VALIDATING {
            return T::ZERO;
        }
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                let magnitude = magnitude.max_abs();
                return magnitude * (self.l1_norm() + magnitude * T::from_f64(3.0 * T::sign_threshold()));
            }
            self.dot_magnitude(magnitude) + magnitude.length_sq() * T::from_f64(T::sign_threshold())
        })
    }
    #[inline(always)]
    pub(crate) fn length_sq(self) -> T {
        T::square_sum(self.components())
    }
    #[inline(always)]
    pub(crate) fn is_zero(self) -> bool {
        outlined!(T, self.x.equals(T::ZERO) && self.y.equals(T::ZERO) && self.z.equals(T::ZERO))
    }
    /// Whether products of six such numbers keep their digits. Exact numbers always do.
    pub(crate) fn is_ordinary(self) -> bool {
        let is_ordinary = |x: T| x.equals(T::ZERO) || ORDINARY.contains(&x.to_f64().abs());
        T::SELF_VALIDATING || (is_ordinary(self.x) && is_ordinary(self.y) && is_ordinary(self.z))
    }
    /// `self . v` without compensation.
    #[inline(always)]
    pub(crate) fn plain_dot(self, v: Self) -> T {
        outlined!(T, self.x * v.x + self.y * v.y + self.z * v.z)
    }
    /// Converts to another arithmetic.
    #[inline(always)]
    pub(crate) fn convert<U: Arithmetic>(self) -> Vec3<U> {
        let number = |c: T| U::from_parts(c.parts());
        Vec3::new(number(self.x), number(self.y), number(self.z))
    }
    /// Maximum norm, as `f64`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn max_abs_f64(self) -> f64 {
        outlined!(T, {
            let size = |c: T| c.to_f64().abs();
            size(self.x).max(size(self.y)).max(size(self.z))
        })
    }
    /// Maximum norm.
    #[inline(always)]
    pub(crate) fn max_abs(self) -> T {
        outlined!(T, self.x.abs().max(self.y.abs()).max(self.z.abs()))
    }
    /// Euclidean length as `f64`, without overflow or underflow of the squares.
    pub(crate) fn length(self) -> f64 {
        let [x, y, z] = [self.x.to_f64(), self.y.to_f64(), self.z.to_f64()];
        let length_sq = x * x + y * y + z * z;
        if (power(-500)..power(500)).contains(&length_sq) {
            return Arithmetic::sqrt(length_sq);
        }
        let scale = power_of_two_below(self.max_abs_f64()).unwrap_or(1.0);
        let [x, y, z] = [x * scale, y * scale, z * scale];
        Arithmetic::sqrt(x * x + y * y + z * z) * (1.0 / scale)
    }
    /// Scales by a power of two so that the largest component is in 1..2.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn normalize_exponent(self) -> Self {
        outlined!(T, {
            let [x, y, z] = T::normalize_exponent([self.x, self.y, self.z]);
            Self::new(x, y, z)
        })
    }
    /// [`normalize_exponent`](Self::normalize_exponent) for a vector that decisions depend on: a component that
    /// underflows relative to the others becomes NaN, and so uncertain.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn normalize_exponent_checked(self) -> Self {
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                return self;
            }
            let scale = power_of_two_below(self.max_abs_f64()).unwrap_or(1.0);
            self.map(|c| shrunk(c, scale))
        })
    }
    /// Unit vector of this direction in `f64`; `None` for a vector without direction.
    ///
    /// # Accuracy
    /// With u = 2^-53, to first order in it: rounding the components c to `f64` moves one of them by u c; its share of
    /// the length takes u c^2 of that back, and the others add u (1 - c^2). Squares and sum have an error of 3 u of the
    /// sum, which is 1.5 u of the root; root and quotient add u each. That is c (5.5 - 2 c^2) u, at most 3.6 u: less
    /// than two units in the last place of 1 in `f64`, which are 4 u. For `f32` a product with the inverse length is
    /// accurate enough. See docs/proofs.md, Lemma 19.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn direction(self) -> Option<Vec3<f64>> {
        outlined!(T, {
            let plain = |v: Self| Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64());
            let mut v = plain(self);
            let mut length_sq = v.length_sq();
            // In this range squares lose no digits, so scaling would change none.
            let coarse = T::NORMWISE_BOUNDS && !T::VALUES_ONLY;
            if !(coarse || length_sq > 1.0 / SQUARE_RANGE && length_sq < SQUARE_RANGE) {
                v = plain(self.normalize_exponent());
                length_sq = v.length_sq();
            }
            // Subnormal squares have lost digits; the squares of a vector scaled near 1 have not.
            if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&length_sq) {
                return None;
            }
            let length = Arithmetic::sqrt(length_sq);
            Some(if coarse { v * (1.0 / length) } else { v.map(|c| c / length) })
        })
    }
    /// Unit vector perpendicular to this one: the coordinate axis that is most nearly so, the first of several, without its part
    /// along this vector.
    pub(crate) fn perpendicular(self, dimension: usize) -> Self {
        let mut axis = 0;
        for other in 1..dimension {
            if self.get(other).abs().lt(self.get(axis).abs()) {
                axis = other;
            }
        }
        let one = |i: usize| if i == axis { T::ONE } else { T::ZERO };
        let e = Self::new(one(0), one(1), one(2));
        (e - self * (self.get(axis) / self.length_sq())).unit().unwrap_or(e)
    }
    /// Unit vector of this direction; `None` for a vector without direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn unit(self) -> Option<Self> {
        outlined!(T, {
            let v = if T::NORMWISE_BOUNDS && !T::VALUES_ONLY { self } else { self.normalize_exponent() };
            let length_sq = v.length_sq();
            if !(length_sq.gt(T::ZERO) && length_sq.to_f64() < f64::INFINITY) {
                return None;
            }
            let inv = T::ONE / length_sq.sqrt();
            Some(v.map(|c| c * inv))
        })
    }
}

/// Least and largest size of a number other than zero whose products of six neither vanish nor overflow.
const ORDINARY: core::ops::RangeInclusive<f64> = power(-150)..=power(150);

/// 2^800: squares between its inverse and it are far from both ends of the range of `f64`.
const SQUARE_RANGE: f64 = f64::from_bits((1023 + 800) << 52);

impl<T: Arithmetic> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, v: Self) -> Self {
        outlined!(T, Self::new(self.x + v.x, self.y + v.y, self.z + v.z))
    }
}

impl<T: Arithmetic> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, v: Self) -> Self {
        outlined!(T, Self::new(self.x - v.x, self.y - v.y, self.z - v.z))
    }
}

impl<T: Arithmetic> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        outlined!(T, self.map(|c| -c))
    }
}

impl<T: Arithmetic> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: T) -> Self {
        outlined!(T, self.map(|c| c * k))
    }
}

/// 2^-80: products of a dozen such numbers are still in the range of `f64`.
pub(crate) const TINY: f64 = f64::from_bits((1023 - 80) << 52);

/// Product with a power of two. If a nonzero number underflows to zero, the result is NaN, and so uncertain, unless
/// only values are needed or the number has a bound of its error.
#[inline(always)]
pub(crate) fn shrunk<T: Arithmetic>(x: T, factor: f64) -> T {
    let product = x.times_power_of_two(factor);
    let is_checked = !T::VALUES_ONLY && !T::SELF_VALIDATING;
    if is_checked && product.equals(T::ZERO) && !x.equals(T::ZERO) { T::from_f64(f64::NAN) } else { product }
}
