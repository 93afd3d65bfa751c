//! Vectors in other forms: arrays, `Vec3A`, and the types of mint and nalgebra.

use crate::math::vector::Vector;

/// A point or a direction in a form that converts to the vector type `V`, for `Ray::from((origin, direction))` and
/// `Segment::from((a, b))`.
///
/// `V` itself, arrays of its coordinates, and for `Vec3` also [`glam::Vec3A`]; with the feature `mint` the points and vectors
/// of mint, with the feature `nalgebra` those of nalgebra. Implement it for a vector type of your own.
///
/// ```
/// use hitscan::glam::{DVec2, Vec3, Vec3A};
/// use hitscan::{Ray, Segment};
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert_eq!(Ray::from(([0.0, 0.0, 0.0], Vec3A::X)), ray);
/// assert_eq!(Segment::<DVec2>::from(([0.0, 1.0], [2.0, 3.0])), Segment::new(DVec2::new(0.0, 1.0), DVec2::new(2.0, 3.0)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not convert to the vector `{V}`",
    label = "expected `{V}` or an array of its coordinates",
    note = "the features `mint` and `nalgebra` of hitscan add the points and vectors of those crates"
)]
pub trait IntoVector<V> {
    /// The vector.
    fn into_vector(self) -> V;
}

impl<V: Vector> IntoVector<V> for V {
    #[inline]
    fn into_vector(self) -> V {
        self
    }
}

impl IntoVector<glam::Vec3> for glam::Vec3A {
    #[inline]
    fn into_vector(self) -> glam::Vec3 {
        self.into()
    }
}

macro_rules! into_vector {
    ($($v:ident, $s:ident, $dim:literal, $point:ident, $vector:ident;)+) => {$(
        impl IntoVector<glam::$v> for [$s; $dim] {
            #[inline]
            fn into_vector(self) -> glam::$v {
                self.into()
            }
        }

        #[cfg(feature = "mint")]
        #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
        impl IntoVector<glam::$v> for mint::$point<$s> {
            #[inline]
            fn into_vector(self) -> glam::$v {
                self.into()
            }
        }

        #[cfg(feature = "mint")]
        #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
        impl IntoVector<glam::$v> for mint::$vector<$s> {
            #[inline]
            fn into_vector(self) -> glam::$v {
                self.into()
            }
        }

        #[cfg(feature = "nalgebra")]
        #[cfg_attr(docsrs, doc(cfg(feature = "nalgebra")))]
        impl IntoVector<glam::$v> for nalgebra::$point<$s> {
            #[inline]
            fn into_vector(self) -> glam::$v {
                <[$s; $dim]>::from(self).into()
            }
        }

        #[cfg(feature = "nalgebra")]
        #[cfg_attr(docsrs, doc(cfg(feature = "nalgebra")))]
        impl IntoVector<glam::$v> for nalgebra::$vector<$s> {
            #[inline]
            fn into_vector(self) -> glam::$v {
                <[$s; $dim]>::from(self).into()
            }
        }
    )+};
}

into_vector! {
    Vec2, f32, 2, Point2, Vector2;
    Vec3, f32, 3, Point3, Vector3;
    DVec2, f64, 2, Point2, Vector2;
    DVec3, f64, 3, Point3, Vector3;
}
