use super::float::Float;
use core::ops::{Add, Mul, Neg, Sub};

/// A vector of three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3<S>(pub [S; 3]);

impl<S: Float> Vec3<S> {
    /// The zero vector.
    pub const ZERO: Self = Self([S::ZERO; 3]);
    /// The unit vectors along the coordinate axes.
    pub const AXES: [Self; 3] =
        [Self([S::ONE, S::ZERO, S::ZERO]), Self([S::ZERO, S::ONE, S::ZERO]), Self([S::ZERO, S::ZERO, S::ONE])];

    /// The scalar product.
    #[inline(always)]
    #[must_use]
    pub fn dot(self, other: Self) -> S {
        let (Self(a), Self(b)) = (self, other);
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    /// The vector product.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        let (Self(a), Self(b)) = (self, other);
        Self([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    }
    /// The length.
    #[inline(always)]
    #[must_use]
    pub fn length(self) -> S {
        self.dot(self).sqrt()
    }
    /// The vector of length 1 in the same direction.
    #[inline(always)]
    #[must_use]
    pub fn normalized(self) -> Self {
        self * (S::ONE / self.length())
    }
}

impl<S: Float> Add for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, Self(b): Self) -> Self {
        let Self(a) = self;
        Self([a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }
}
impl<S: Float> Sub for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, Self(b): Self) -> Self {
        let Self(a) = self;
        Self([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
    }
}
impl<S: Float> Mul<S> for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: S) -> Self {
        Self(self.0.map(|x| x * k))
    }
}
impl<S: Float> Neg for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}
