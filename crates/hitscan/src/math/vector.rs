//! `Vector`: one trait for the vector types of the public interface, which are glam's.

use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::sealed::Sealed;
use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

/// The vector types of rays and shapes: glam's `Vec2`, `Vec3`, `DVec2` and `DVec3`.
///
/// The trait is sealed: other crates cannot implement it.
///
/// Kernels do not depend on which one it is: they widen a vector to three working components (a 2D vector has z = 0),
/// compute there, and narrow the result.
pub trait Vector:
    Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<Self::Scalar, Output = Self>
    + Send
    + Sync
    + 'static
{
    /// Scalar type: `f32` or `f64`.
    type Scalar: Real;
    /// Vector type of `f64` with the same dimension.
    type Double: Vector<Scalar = f64, Double = Self::Double>;
    /// Dimension: 2 or 3.
    const DIM: usize;

    /// Vector of components x, y, z; a 2D vector drops z.
    fn from_xyz(xyz: [Self::Scalar; 3]) -> Self;
    /// Components x, y, z; z = 0 for a 2D vector.
    fn to_xyz(self) -> [Self::Scalar; 3];
    /// Converts the components exactly to `f64`.
    #[inline(always)]
    fn to_f64(self) -> [f64; 3] {
        // Written out: `array::map` may be a call.
        let [x, y, z] = self.to_xyz();
        [x.to_f64(), y.to_f64(), z.to_f64()]
    }

    /// Vector with all components equal.
    #[must_use]
    #[inline(always)]
    fn splat(x: Self::Scalar) -> Self {
        Self::from_xyz([x; 3])
    }
    /// Component `i < 3`; zero for z of a 2D vector.
    #[inline(always)]
    fn component(self, i: usize) -> Self::Scalar {
        self.to_xyz()[i]
    }
    /// Applies `f` to every component.
    #[must_use]
    #[inline(always)]
    fn map(self, f: impl FnMut(Self::Scalar) -> Self::Scalar) -> Self {
        Self::from_xyz(self.to_xyz().map(f))
    }
    /// Applies `f` to each pair of components of two vectors.
    #[must_use]
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(Self::Scalar, Self::Scalar) -> Self::Scalar) -> Self {
        let ([a, b, c], [x, y, z]) = (self.to_xyz(), other.to_xyz());
        Self::from_xyz([f(a, x), f(b, y), f(c, z)])
    }
    /// The vector of a result: see [`Real::of_result`].
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn of_result(self) -> Self {
        self.map(Real::of_result)
    }
    /// Whether no component is NaN or infinite.
    #[inline(always)]
    fn all_finite(self) -> bool {
        self.to_xyz().iter().all(|x| x.is_finite())
    }
    /// Whether every component is zero.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.to_xyz().iter().all(|&x| x == Self::Scalar::ZERO)
    }
    /// Converts exactly to the vector type of `f64`.
    #[must_use]
    #[inline(always)]
    fn double(self) -> Self::Double {
        Self::Double::from_xyz(self.to_f64())
    }
    /// Converts exactly to a vector of space in `f64`, with z = 0 for one of the plane.
    #[doc(hidden)]
    #[inline(always)]
    fn in_space(self) -> glam::DVec3 {
        glam::DVec3::from_xyz(self.to_f64())
    }
    /// Converts exactly to working arithmetic.
    #[doc(hidden)]
    #[inline(always)]
    fn widen<T: Arithmetic>(self) -> Vec3<T> {
        let [x, y, z] = self.to_xyz();
        Vec3::new(T::from_f64(x.to_f64()), T::from_f64(y.to_f64()), T::from_f64(z.to_f64()))
    }
    /// Rounds to the nearest vector of this precision.
    #[doc(hidden)]
    #[inline(always)]
    fn narrow<T: Arithmetic>(v: Vec3<T>) -> Self {
        Self::from_xyz([v.x, v.y, v.z].map(|c| Self::Scalar::from_f64(c.to_f64())))
    }
}

/// Working arithmetic of a vector type: `f64` for `f32` vectors, [`Dd`](crate::math::dd::Dd) for `f64` vectors.
pub(crate) type Working<V> = <<V as Vector>::Scalar as Real>::Arithmetic;

/// The vector types of the plane: `Vec2` and `DVec2`. Sealed, as [`Vector`] is.
pub trait Vector2: Vector<Double = glam::DVec2> {}

/// The vector types of space: `Vec3` and `DVec3`. Sealed, as [`Vector`] is.
pub trait Vector3: Vector<Double = glam::DVec3> {}

macro_rules! vector {
    ($v:ty, $double:ty, $s:ty, $dim:literal, $marker:ident, [$($c:ident),+], $z:expr) => {
        impl Vector for $v {
            type Scalar = $s;
            type Double = $double;
            const DIM: usize = $dim;
            #[inline(always)]
            fn from_xyz([x, y, z]: [$s; 3]) -> Self {
                let _ = z;
                vector!(@new $v, x, y, z, $($c),+)
            }
            #[inline(always)]
            fn to_xyz(self) -> [$s; 3] {
                [self.x, self.y, $z(self)]
            }
        }
        impl $marker for $v {}
    };
    (@new $v:ty, $x:ident, $y:ident, $z:ident, x, y) => { <$v>::new($x, $y) };
    (@new $v:ty, $x:ident, $y:ident, $z:ident, x, y, z) => { <$v>::new($x, $y, $z) };
}

vector!(glam::Vec2, glam::DVec2, f32, 2, Vector2, [x, y], |_| 0.0);

vector!(glam::Vec3, glam::DVec3, f32, 3, Vector3, [x, y, z], |v: glam::Vec3| v.z);

vector!(glam::DVec2, glam::DVec2, f64, 2, Vector2, [x, y], |_| 0.0);

vector!(glam::DVec3, glam::DVec3, f64, 3, Vector3, [x, y, z], |v: glam::DVec3| v.z);
