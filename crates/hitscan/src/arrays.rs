//! Shapes, rays and transforms from arrays and to arrays, whatever types hold their vectors elsewhere.

use crate::aabb::Aabb;
use crate::basis::{Basis, BasisError};
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::ray::{Ray, Segment};
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::Disk;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::error::{ShapeError, ShapeErrorKind};
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::plane::Plane;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::quad::Quad;
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::shapes::triangle::Triangle;
use crate::transform::{Transform, TransformError};
use alloc::vec::Vec;
use core::convert::Infallible;

/// Conversions of a shape, a ray or a transform from arrays and to arrays: one pair of methods for values of programs that have
/// their vectors in another version of glam, in mint, nalgebra or types of their own.
///
/// The arrays are the parameters of the constructor in their order, as a tuple if there are several: a vector is an array of its
/// coordinates, a number is itself. Nothing is rounded.
///
/// | type | arrays in space, in `f32` |
/// |---|---|
/// | [`Ray`], [`Segment`], [`Aabb`] (least and greatest corner) | `([f32; 3], [f32; 3])` |
/// | [`Transform`]: images of the unit vectors, then the translation, as `to_cols_array_2d` of `Affine3A` | `[[f32; 3]; 4]` |
/// | [`Basis`]: its axes, as `to_cols_array_2d` of `Mat3` | `[[f32; 3]; 3]` |
/// | [`Sphere`] | `([f32; 3], f32)` |
/// | [`Plane`], [`HalfSpace`], [`Cuboid`] | `([f32; 3], [f32; 3])` |
/// | [`Disk`], [`Capsule`], [`Cylinder`], [`Cone`] | `([f32; 3], [f32; 3], f32)` |
/// | [`TaperedCapsule`], [`Frustum`] | `([f32; 3], [f32; 3], f32, f32)` |
/// | [`OrientedBox`], [`Ellipsoid`] (with its axes) | `([f32; 3], [f32; 3], [[f32; 3]; 3])` |
/// | [`Triangle`] | `[[f32; 3]; 3]` |
/// | [`Quad`] | `([f32; 3], [f32; 3], [f32; 3])` |
///
/// In the plane arrays have two numbers, and there are:
///
/// | type | arrays in the plane, in `f32` |
/// |---|---|
/// | [`Triangle2`] | `[[f32; 2]; 3]` |
/// | [`SegmentShape`] | `([f32; 2], [f32; 2])` |
/// | [`ConvexPolygon`] | `Vec<[f32; 2]>` |
///
/// [`from_arrays`](Self::from_arrays) takes everything that [`IntoArrays`] converts in the place of an array. The vectors of a
/// result are those of glam, which has `to_array`: `hit.point.to_array()`.
///
/// ```
/// use hitscan::{glam::Vec3, Arrays, Ray, RayCast, Sphere, Transform};
/// let ball = Sphere::<Vec3>::from_arrays(([0.0, 0.0, 5.0], 1.0))?;
/// assert_eq!(ball.to_arrays(), ([0.0, 0.0, 5.0], 1.0));
/// let Ok(ray) = Ray::<Vec3>::from_arrays(([0.0; 3], [0.0, 0.0, 1.0]));
/// let hit = ball.cast_ray(&ray, ..).ok_or("a miss")?;
/// assert_eq!(hit.point.to_array(), [0.0, 0.0, 4.0]);
/// let place = Transform::<Vec3>::from_arrays([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [7.0, 8.0, 9.0]])?;
/// assert_eq!(place.translation(), Vec3::new(7.0, 8.0, 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Arrays: Sized {
    /// The parameters as arrays and numbers.
    type Arrays;
    /// The error of the constructor.
    type Error;
    /// The value with these parameters: anything that converts to the arrays.
    ///
    /// # Errors
    /// Those of the constructor; for a polygon, those of [`ConvexPolygon::new`].
    fn from_arrays(arrays: impl IntoArrays<Self::Arrays>) -> Result<Self, Self::Error>;
    /// The parameters, as they were given.
    fn to_arrays(&self) -> Self::Arrays;
}

/// What converts to arrays without rounding: arrays and numbers themselves, the vectors of glam (also `Vec3A`) and its matrices, with
/// the feature `mint` the points, vectors and matrices of mint, with the feature `nalgebra` its points and vectors, and
/// arrays, vectors and tuples of these. Implement it for a vector type of your own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not convert to `{A}`",
    label = "expected `{A}`, or vectors in the place of its arrays",
    note = "the features `mint` and `nalgebra` of hitscan add the types of those crates"
)]
pub trait IntoArrays<A> {
    /// The arrays.
    fn into_arrays(self) -> A;
}

macro_rules! numbers {
    ($($s:ty),+) => {$(
        impl IntoArrays<$s> for $s {
            fn into_arrays(self) -> $s {
                self
            }
        }
    )+};
}
numbers!(f32, f64);

impl<A, P: IntoArrays<A>, const N: usize> IntoArrays<[A; N]> for [P; N] {
    fn into_arrays(self) -> [A; N] {
        self.map(P::into_arrays)
    }
}

impl<A, P: IntoArrays<A>> IntoArrays<Vec<A>> for Vec<P> {
    fn into_arrays(self) -> Vec<A> {
        self.into_iter().map(P::into_arrays).collect()
    }
}

macro_rules! tuples {
    ($(($($a:ident $p:ident $value:ident),+);)+) => {$(
        impl<$($a, $p: IntoArrays<$a>),+> IntoArrays<($($a,)+)> for ($($p,)+) {
            fn into_arrays(self) -> ($($a,)+) {
                let ($($value,)+) = self;
                ($($value.into_arrays(),)+)
            }
        }
    )+};
}
tuples! {
    (A P a, B Q b);
    (A P a, B Q b, C R c);
    (A P a, B Q b, C R c, D S d);
}

/// Types with a conversion to the array.
macro_rules! convertible {
    ($($(#[$attribute:meta])* $from:ty => $to:ty: |$value:ident| $array:expr;)+) => {$(
        $(#[$attribute])*
        impl IntoArrays<$to> for $from {
            fn into_arrays(self) -> $to {
                let $value = self;
                $array
            }
        }
    )+};
}
convertible! {
    glam::Vec2 => [f32; 2]: |v| v.to_array();
    glam::Vec3 => [f32; 3]: |v| v.to_array();
    glam::Vec3A => [f32; 3]: |v| v.to_array();
    glam::DVec2 => [f64; 2]: |v| v.to_array();
    glam::DVec3 => [f64; 3]: |v| v.to_array();
    glam::Affine2 => [[f32; 2]; 3]: |map| map.to_cols_array_2d();
    glam::Affine3A => [[f32; 3]; 4]: |map| map.to_cols_array_2d();
    glam::DAffine2 => [[f64; 2]; 3]: |map| map.to_cols_array_2d();
    glam::DAffine3 => [[f64; 3]; 4]: |map| map.to_cols_array_2d();
    glam::Mat2 => [[f32; 2]; 2]: |matrix| matrix.to_cols_array_2d();
    glam::Mat3 => [[f32; 3]; 3]: |matrix| matrix.to_cols_array_2d();
    glam::DMat2 => [[f64; 2]; 2]: |matrix| matrix.to_cols_array_2d();
    glam::DMat3 => [[f64; 3]; 3]: |matrix| matrix.to_cols_array_2d();
}

/// The types of mint, and those of nalgebra.
macro_rules! other_crates {
    ($($s:ident);+) => {$(
        #[cfg(feature = "mint")]
        convertible! {
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::Point2<$s> => [$s; 2]: |v| v.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::Vector2<$s> => [$s; 2]: |v| v.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::Point3<$s> => [$s; 3]: |v| v.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::Vector3<$s> => [$s; 3]: |v| v.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::ColumnMatrix2<$s> => [[$s; 2]; 2]: |m| m.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::ColumnMatrix3<$s> => [[$s; 3]; 3]: |m| m.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::ColumnMatrix2x3<$s> => [[$s; 2]; 3]: |m| m.into();
            #[cfg_attr(docsrs, doc(cfg(feature = "mint")))]
            mint::ColumnMatrix3x4<$s> => [[$s; 3]; 4]: |m| m.into();
        }
        #[cfg(feature = "nalgebra")]
        convertible! {
            #[cfg_attr(docsrs, doc(cfg(feature = "nalgebra")))]
            nalgebra::Point2<$s> => [$s; 2]: |v| [v.x, v.y];
            #[cfg_attr(docsrs, doc(cfg(feature = "nalgebra")))]
            nalgebra::Vector2<$s> => [$s; 2]: |v| [v.x, v.y];
            #[cfg_attr(docsrs, doc(cfg(feature = "nalgebra")))]
            nalgebra::Point3<$s> => [$s; 3]: |v| [v.x, v.y, v.z];
            #[cfg_attr(docsrs, doc(cfg(feature = "nalgebra")))]
            nalgebra::Vector3<$s> => [$s; 3]: |v| [v.x, v.y, v.z];
        }
    )+};
}
other_crates!(f32; f64);

/// Implements [`Arrays`] by the type of the arrays, the constructor and the parameters.
macro_rules! arrays {
    ($($space:ident $shape:ident: $arrays:ty, $error:ty, |$given:pat_param| $new:expr, |$s:ident| $parts:expr;)+) => {$(
        impl<V: $space> Arrays for $shape<V> {
            type Arrays = $arrays;
            type Error = $error;
            fn from_arrays(arrays: impl IntoArrays<$arrays>) -> Result<Self, $error> {
                let $given = arrays.into_arrays();
                $new
            }
            fn to_arrays(&self) -> $arrays {
                let $s = self;
                $parts
            }
        }
    )+};
}

fn of<V: Vector>(array: V::Array) -> V {
    V::of_array(array)
}

fn axes_error<V: Vector>(basis: Result<Basis<V>, BasisError>) -> Result<Basis<V>, ShapeError> {
    basis.map_err(|error| ShapeError { field: "basis", problem: ShapeErrorKind::Axes(error) })
}

arrays! {
    Vector Ray: (V::Array, V::Array), Infallible, |(a, b)| Ok(Self::new(of(a), of(b))),
        |s| (s.origin.into_array(), s.direction.into_array());
    Vector Segment: (V::Array, V::Array), Infallible, |(a, b)| Ok(Self::new(of(a), of(b))),
        |s| (s.a.into_array(), s.b.into_array());
    Vector Aabb: (V::Array, V::Array), Infallible, |(min, max)| Ok(Self { min: of(min), max: of(max) }),
        |s| (s.min.into_array(), s.max.into_array());
    Vector Sphere: (V::Array, V::Scalar), ShapeError, |(center, radius)| Self::new(of(center), radius),
        |s| (s.center().into_array(), s.radius());
    Vector Plane: (V::Array, V::Array), ShapeError, |(point, normal)| Self::new(of(point), of(normal)),
        |s| (s.point().into_array(), s.normal().into_array());
    Vector HalfSpace: (V::Array, V::Array), ShapeError, |(point, normal)| Self::new(of(point), of(normal)),
        |s| (s.point().into_array(), s.normal().into_array());
    Vector Cuboid: (V::Array, V::Array), ShapeError, |(center, half)| Self::new(of(center), of(half)),
        |s| (s.center().into_array(), s.half_extents().into_array());
    Vector Capsule: (V::Array, V::Array, V::Scalar), ShapeError, |(a, b, radius)| Self::new(of(a), of(b), radius),
        |s| (s.a().into_array(), s.b().into_array(), s.radius());
    Vector TaperedCapsule: (V::Array, V::Array, V::Scalar, V::Scalar), ShapeError,
        |(a, b, radius_a, radius_b)| Self::new(of(a), of(b), radius_a, radius_b),
        |s| (s.a().into_array(), s.b().into_array(), s.radius_a(), s.radius_b());
    Vector3 Disk: (V::Array, V::Array, V::Scalar), ShapeError,
        |(center, normal, radius)| Self::new(of(center), of(normal), radius),
        |s| (s.center().into_array(), s.normal().into_array(), s.radius());
    Vector3 Cylinder: (V::Array, V::Array, V::Scalar), ShapeError, |(a, b, radius)| Self::new(of(a), of(b), radius),
        |s| (s.a().into_array(), s.b().into_array(), s.radius());
    Vector3 Cone: (V::Array, V::Array, V::Scalar), ShapeError,
        |(base, apex, radius)| Self::new(of(base), of(apex), radius),
        |s| (s.base().into_array(), s.apex().into_array(), s.radius());
    Vector3 Frustum: (V::Array, V::Array, V::Scalar, V::Scalar), ShapeError,
        |(a, b, radius_a, radius_b)| Self::new(of(a), of(b), radius_a, radius_b),
        |s| (s.a().into_array(), s.b().into_array(), s.radius_a(), s.radius_b());
    Vector3 Triangle: [V::Array; 3], ShapeError, |[a, b, c]| Self::new(of(a), of(b), of(c)),
        |s| s.vertices().map(V::into_array);
    Vector3 Quad: (V::Array, V::Array, V::Array), ShapeError,
        |(corner, edge_u, edge_v)| Self::new(of(corner), of(edge_u), of(edge_v)),
        |s| (s.corner().into_array(), s.edge_u().into_array(), s.edge_v().into_array());
    Vector2 Triangle2: [V::Array; 3], ShapeError, |[a, b, c]| Self::new(of(a), of(b), of(c)),
        |s| s.vertices().map(V::into_array);
    Vector2 SegmentShape: (V::Array, V::Array), ShapeError, |(a, b)| Self::new(of(a), of(b)),
        |s| (s.a().into_array(), s.b().into_array());
    Vector2 ConvexPolygon: Vec<V::Array>, ShapeError,
        |vertices| Self::new(vertices.into_iter().map(of).collect::<Vec<V>>()),
        |s| s.vertices().iter().map(|vertex| vertex.into_array()).collect();
}

/// Implements [`Arrays`] for the types whose arrays have as many vectors as the dimension: for each vector type by itself.
macro_rules! by_dimension {
    ($($v:ty, $s:ty, $n:literal, [$($axis:ident),+];)+) => {$(
        impl Arrays for Basis<$v> {
            type Arrays = [[$s; $n]; $n];
            type Error = BasisError;
            fn from_arrays(arrays: impl IntoArrays<Self::Arrays>) -> Result<Self, BasisError> {
                Self::new(arrays.into_arrays().map(<$v>::from_array))
            }
            fn to_arrays(&self) -> Self::Arrays {
                let mut axes = self.axes().iter().map(|axis| axis.to_array());
                core::array::from_fn(|_| axes.next().unwrap_or_default())
            }
        }

        impl Arrays for Transform<$v> {
            type Arrays = [[$s; $n]; $n + 1];
            type Error = TransformError;
            fn from_arrays(arrays: impl IntoArrays<Self::Arrays>) -> Result<Self, TransformError> {
                let [$($axis,)+ translation] = arrays.into_arrays().map(<$v>::from_array);
                Self::new([$($axis),+], translation)
            }
            fn to_arrays(&self) -> Self::Arrays {
                let mut columns = self.axes().iter().copied().chain([self.translation()]).map(|vector| vector.to_array());
                core::array::from_fn(|_| columns.next().unwrap_or_default())
            }
        }

        impl Arrays for OrientedBox<$v> {
            type Arrays = ([$s; $n], [$s; $n], [[$s; $n]; $n]);
            type Error = ShapeError;
            fn from_arrays(arrays: impl IntoArrays<Self::Arrays>) -> Result<Self, ShapeError> {
                let (center, half_extents, axes) = arrays.into_arrays();
                Self::new(of(center), of(half_extents), axes_error(Basis::from_arrays(axes))?)
            }
            fn to_arrays(&self) -> Self::Arrays {
                (self.center().to_array(), self.half_extents().to_array(), self.basis().to_arrays())
            }
        }

        impl Arrays for Ellipsoid<$v> {
            type Arrays = ([$s; $n], [$s; $n], [[$s; $n]; $n]);
            type Error = ShapeError;
            fn from_arrays(arrays: impl IntoArrays<Self::Arrays>) -> Result<Self, ShapeError> {
                let (center, radii, axes) = arrays.into_arrays();
                Self::with_basis(of(center), of(radii), axes_error(Basis::from_arrays(axes))?)
            }
            fn to_arrays(&self) -> Self::Arrays {
                (self.center().to_array(), self.radii().to_array(), self.basis().to_arrays())
            }
        }
    )+};
}
by_dimension! {
    glam::Vec2, f32, 2, [x, y];
    glam::DVec2, f64, 2, [x, y];
    glam::Vec3, f32, 3, [x, y, z];
    glam::DVec3, f64, 3, [x, y, z];
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Affine3A, DVec2, Mat3, Quat, Vec3, Vec3A};

    /// There and back, from arrays and from vectors in their place.
    fn both_ways<
        T: Arrays<Arrays: Clone + PartialEq + core::fmt::Debug, Error: core::fmt::Debug> + PartialEq + core::fmt::Debug,
    >(
        arrays: impl IntoArrays<T::Arrays>,
    ) -> T
    where
        T::Arrays: IntoArrays<T::Arrays>,
    {
        let value = T::from_arrays(arrays).unwrap();
        assert_eq!(T::from_arrays(value.to_arrays()).unwrap(), value);
        value
    }

    #[test]
    fn shapes_convert_there_and_back() {
        let (a, b) = ([1.0f32, 2.0, 3.0], Vec3A::new(4.0, 6.0, 8.0));
        assert_eq!(both_ways::<Sphere<Vec3>>((a, 0.5)).center(), Vec3::from_array(a));
        assert_eq!(both_ways::<Ray<Vec3>>((a, b)).direction, b.into());
        assert_eq!(both_ways::<Segment<Vec3>>((b, a)).b, a.into());
        assert_eq!(both_ways::<Aabb<Vec3>>((a, b)).max, b.into());
        assert_eq!(both_ways::<Plane<Vec3>>((a, b)).point(), a.into());
        assert_eq!(both_ways::<HalfSpace<Vec3>>((a, b)).normal(), b.into());
        assert_eq!(both_ways::<Cuboid<Vec3>>((a, b)).half_extents(), b.into());
        assert_eq!(both_ways::<Capsule<Vec3>>((a, b, 2.0)).radius(), 2.0);
        assert_eq!(both_ways::<TaperedCapsule<Vec3>>((a, b, 2.0, 1.0)).radius_b(), 1.0);
        assert_eq!(both_ways::<Disk<Vec3>>((a, b, 2.0)).radius(), 2.0);
        assert_eq!(both_ways::<Cylinder<Vec3>>((a, b, 2.0)).b(), b.into());
        assert_eq!(both_ways::<Cone<Vec3>>((a, b, 2.0)).apex(), b.into());
        assert_eq!(both_ways::<Frustum<Vec3>>((a, b, 2.0, 1.0)).radius_b(), 1.0);
        assert_eq!(both_ways::<Triangle<Vec3>>([a, [0.0; 3], [1.0, 0.0, 0.0]]).vertices()[0], a.into());
        assert_eq!(both_ways::<Quad<Vec3>>((b, a, [0.0, 1.0, 0.0])).edge_u(), a.into());
        let turn = Mat3::from_quat(Quat::from_rotation_x(0.5));
        assert_eq!(both_ways::<OrientedBox<Vec3>>((a, b, turn)).basis().axes()[1], turn.y_axis);
        assert_eq!(both_ways::<Ellipsoid<Vec3>>((a, b, turn)).radii(), b.into());
        assert_eq!(both_ways::<Basis<Vec3>>(turn).axes()[2], turn.z_axis);
        let map = Affine3A::from_rotation_translation(Quat::from_rotation_y(1.0), Vec3::from_array(a));
        assert_eq!(both_ways::<Transform<Vec3>>(map), Transform::try_from(map).unwrap());
        let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]];
        assert_eq!(both_ways::<Triangle2<DVec2>>(corners).vertices()[1], DVec2::X * 4.0);
        assert_eq!(both_ways::<ConvexPolygon<DVec2>>(corners.to_vec()).vertices().len(), 3);
        assert_eq!(both_ways::<SegmentShape<DVec2>>((DVec2::X, [0.0, 3.0])).a(), DVec2::X);
        assert_eq!(
            both_ways::<Transform<DVec2>>([[1.0, 0.0], [0.0, 2.0], [5.0, 6.0]]).translation(),
            DVec2::new(5.0, 6.0)
        );
    }

    #[test]
    fn errors_are_those_of_constructors() {
        assert_eq!(Sphere::<Vec3>::from_arrays(([0.0; 3], -1.0)), Sphere::new(Vec3::ZERO, -1.0));
        let flat = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let error = OrientedBox::<Vec3>::from_arrays(([0.0; 3], [1.0; 3], flat)).unwrap_err();
        assert_eq!(error.problem, ShapeErrorKind::Axes(BasisError::NotOrthogonal { first: 0, second: 1 }));
    }

    #[cfg(feature = "mint")]
    #[test]
    fn types_of_mint() {
        let (point, vector) = (mint::Point3 { x: 1.0f32, y: 2.0, z: 3.0 }, mint::Vector3 { x: 4.0f32, y: 5.0, z: 6.0 });
        assert_eq!(both_ways::<Cuboid<Vec3>>((point, vector)).center(), Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(both_ways::<Sphere<Vec3>>((point, 2.0)).radius(), 2.0);
        let map = Affine3A::from_rotation_translation(Quat::from_rotation_y(1.0), Vec3::X);
        let matrix = mint::ColumnMatrix3x4::from(map.to_cols_array_2d());
        assert_eq!(both_ways::<Transform<Vec3>>(matrix), Transform::try_from(map).unwrap());
        let turn = Quat::from_rotation_z(0.25);
        let same = Transform::<Vec3>::from_rotation_translation(mint::Quaternion::from(turn), Vec3::X);
        assert_eq!(same, Transform::from_rotation_translation(turn, Vec3::X));
    }
}
