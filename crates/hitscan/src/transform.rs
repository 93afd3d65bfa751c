//! Affine transforms: where an object of a scene places its shape.

use crate::aabb::Aabb;
use crate::basis::Basis;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::is_singular;
use crate::math::real::Real;
use crate::math::rounding::ROUNDING;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use core::fmt;

/// An affine transform: `point -> axes[0] * x + axes[1] * y (+ axes[2] * z) + translation`.
///
/// It may rotate, scale, mirror, shear and translate. Its numbers are exact: an object of a scene is the exact image of
/// its shape. A transform is never singular.
///
/// The [`Default`] is the [`identity`](Self::identity).
///
/// Affine types and matrices of glam convert to a transform, and a transform converts to the affine type. Rotations, products and
/// inverses are those of glam, which are rounded; the transform is exactly the matrix that results.
///
/// ```
/// use hitscan::{glam::{Affine3A, Quat, Vec3}, Transform};
/// let parent = Affine3A::from_rotation_translation(Quat::from_rotation_z(0.5), Vec3::X);
/// let child = Affine3A::from_scale_rotation_translation(Vec3::splat(2.0), Quat::from_rotation_y(0.1), Vec3::Y);
/// let transform = Transform::try_from(parent * child)?;
/// assert_eq!(Affine3A::from(transform), parent * child);
/// # Ok::<(), hitscan::TransformError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform<V> {
    /// Images of the unit vectors: the columns of the matrix. In the plane, the third one is not used.
    pub(crate) axes: [V; 3],
    pub(crate) translation: V,
}

/// Room for the roundings of an image of points: three products and three sums, each off by at most 2^-53 of the sum of all terms.
pub(crate) const IMAGE_ROUNDINGS: f64 = 16.0 * ROUNDING;

/// The reason why numbers are not a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformError {
    /// The number of axes is not the number of dimensions.
    Count {
        /// The number of axes given.
        given: usize,
        /// The number of axes needed.
        needed: usize,
    },
    /// A number is NaN or infinite.
    NotFinite,
    /// The determinant is zero: the image of a solid would have no volume.
    Singular,
    /// The last row of a homogeneous matrix is not zeros and a one.
    NotAffine,
    /// The quaternion is zero.
    NoRotation,
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { given, needed } => write!(f, "{given} axes given, {needed} needed"),
            Self::NotFinite => write!(f, "a number of the transform is not finite"),
            Self::Singular => write!(f, "the transform is singular: its determinant is zero"),
            Self::NotAffine => write!(f, "the matrix is not affine: its last row is not zeros and a one"),
            Self::NoRotation => write!(f, "the quaternion of the rotation is zero"),
        }
    }
}

impl core::error::Error for TransformError {}

impl<V: Vector> Default for Transform<V> {
    fn default() -> Self {
        Self::identity()
    }
}

impl<V: Vector> Transform<V> {
    /// The identity: every point stays where it is.
    #[must_use]
    pub fn identity() -> Self {
        let (o, i) = (V::Scalar::ZERO, V::Scalar::ONE);
        Self { axes: [[i, o, o], [o, i, o], [o, o, i]].map(V::from_xyz), translation: V::default() }
    }
    /// The transform by the images of the unit vectors (the columns of the matrix) and a translation.
    ///
    /// # Errors
    /// `axes` not of the number of dimensions; a number not finite; the determinant zero, decided exactly.
    pub fn new(axes: impl AsRef<[V]>, translation: V) -> Result<Self, TransformError> {
        let given = axes.as_ref();
        if given.len() != V::DIM {
            return Err(TransformError::Count { given: given.len(), needed: V::DIM });
        }
        let mut all = Self::identity().axes;
        all[..V::DIM].copy_from_slice(given);
        if !(translation.all_finite() && given.iter().all(|axis| axis.all_finite())) {
            return Err(TransformError::NotFinite);
        }
        let transform = Self { axes: all, translation };
        if is_singular(transform.columns()) { Err(TransformError::Singular) } else { Ok(transform) }
    }
    /// The transform that moves every point by a vector, which must be finite.
    ///
    /// # Errors
    /// A number not finite.
    pub fn from_translation(translation: V) -> Result<Self, TransformError> {
        Self::new(&Self::identity().axes[..V::DIM], translation)
    }
    /// The transform that rotates to the axes of a basis, then moves by `translation`.
    ///
    /// # Errors
    /// A number not finite.
    pub fn from_basis(basis: &Basis<V>, translation: V) -> Result<Self, TransformError> {
        Self::new(basis.axes(), translation)
    }
    /// The same transform after a scale along the axes of the shape; a negative factor mirrors.
    ///
    /// # Errors
    /// A factor not finite or zero; a product that overflows.
    pub fn with_scale(self, factors: V) -> Result<Self, TransformError> {
        let scaled = [0, 1, 2].map(|i| self.axes[i] * factors.component(i));
        Self::new(&scaled[..V::DIM], self.translation)
    }
    /// The images of the unit vectors: the columns of the matrix.
    #[must_use]
    pub fn axes(&self) -> &[V] {
        &self.axes[..V::DIM]
    }
    /// The translation.
    #[must_use]
    pub fn translation(&self) -> V {
        self.translation
    }
    /// Whether every point stays where it is.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::identity()
    }
    /// Columns of the matrix in working arithmetic.
    pub(crate) fn axes_in<T: Arithmetic>(&self) -> [Vec3<T>; 3] {
        self.axes.map(V::widen)
    }
    /// Columns of the matrix in `f64`. In the plane, the third is the unit vector along z.
    pub(crate) fn columns(&self) -> [[f64; 3]; 3] {
        let [x, y, z] = self.axes.map(V::to_f64);
        [x, y, if V::DIM == 2 { [0.0, 0.0, 1.0] } else { z }]
    }
    /// Bounding box of the image of a box, rounded outward; everything for an unbounded box.
    pub(crate) fn image_of(&self, local: &Aabb<V>) -> Aabb<V> {
        if local.is_empty() {
            return Aabb::empty();
        }
        if !local.is_bounded() {
            return Aabb::everything();
        }
        let (least, most) = (local.min.to_f64(), local.max.to_f64());
        let largest = [0, 1, 2].map(|axis| least[axis].abs().max(most[axis].abs()));
        let interval = |row: [f64; 3]| {
            let mut interval = [0.0; 2];
            for axis in 0..V::DIM {
                let [a, b] = [least[axis] * row[axis], most[axis] * row[axis]];
                interval[0] += a.min(b);
                interval[1] += a.max(b);
            }
            interval
        };
        self.image_by_rows(interval, (largest, IMAGE_ROUNDINGS))
    }
    /// Bounding box of an image, rounded outward: along each axis, the interval of the shape along that row of the matrix, which
    /// `interval` gives. Its error is at most `room` of the sum of the terms with the `largest` coordinates.
    pub(crate) fn image_by_rows(
        &self,
        interval: impl Fn([f64; 3]) -> [f64; 2],
        (largest, room): ([f64; 3], f64),
    ) -> Aabb<V> {
        let (columns, origin) = (self.columns(), self.translation.to_f64());
        let mut image = [[0.0; 3]; 2];
        for axis in 0..V::DIM {
            let row = columns.map(|column| column[axis]);
            let [least, most] = interval(row);
            let size = origin[axis].abs() + row.iter().zip(largest).map(|(x, largest)| x.abs() * largest).sum::<f64>();
            let slack = size * room + f64::MIN_POSITIVE;
            let ends = [origin[axis] + least - slack, origin[axis] + most + slack];
            // A number beyond the range of `f64` bounds nothing.
            image[0][axis] = if ends[0].is_finite() { ends[0] } else { f64::NEG_INFINITY };
            image[1][axis] = if ends[1].is_finite() { ends[1] } else { f64::INFINITY };
        }
        Aabb::rounded_outward(image)
    }
}

impl<V: Vector3> Transform<V> {
    /// The transform that rotates by a quaternion `[x, y, z, w]`, such as glam's `Quat` and `DQuat` of any version, then moves by
    /// `translation`. The quaternion may have any length but zero; the axes are those of [`Basis::from_quat`].
    ///
    /// ```
    /// use hitscan::{glam::{Quat, Vec3}, Object, Ray, RayCast, Scene, Cuboid, Transform};
    /// let door = Cuboid::new(Vec3::X, Vec3::new(1.0, 2.0, 0.05))?; // its hinge is the axis y
    /// let mut scene = Scene::new();
    /// let id = scene.insert(Object::new(door))?;
    /// let open = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2);
    /// scene.set_transform(id, Transform::from_rotation_translation(open, Vec3::Z * 5.0)?)?;
    /// let ray = Ray::new(Vec3::X * 0.5, Vec3::Z);
    /// assert!(scene.cast_ray(&ray, ..).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A number not finite; a quaternion of zeros.
    #[doc(alias("from_rotation", "from_quat"))]
    pub fn from_rotation_translation(
        rotation: impl Into<[V::Scalar; 4]>,
        translation: V,
    ) -> Result<Self, TransformError> {
        let rotation = rotation.into();
        let is_finite = rotation.iter().all(|part| part.is_finite());
        let error = if is_finite { TransformError::NoRotation } else { TransformError::NotFinite };
        Self::from_basis(&Basis::from_quat(rotation).map_err(|_| error)?, translation)
    }
}

/// Conversions between transforms and the affine types of glam, and from its homogeneous matrices.
macro_rules! glam_types {
    ($($vector:ty: $affine:ty, $part:ident, $matrix:ty { $($axis:ident),+ } $origin:ident, $last:expr;)+) => {$(
        impl TryFrom<$affine> for Transform<$vector> {
            type Error = TransformError;
            /// Fails for a singular map, and for numbers that are not finite.
            fn try_from(map: $affine) -> Result<Self, TransformError> {
                Self::new([$(map.$part.$axis.into()),+], map.translation.into())
            }
        }

        impl TryFrom<$matrix> for Transform<$vector> {
            type Error = TransformError;
            /// Fails for a matrix whose last row is not zeros and a one, a singular one, and for numbers that are not finite.
            fn try_from(matrix: $matrix) -> Result<Self, TransformError> {
                if matrix.row($last).to_array() != <$matrix>::IDENTITY.row($last).to_array() {
                    return Err(TransformError::NotAffine);
                }
                Self::new([$(matrix.$axis.truncate()),+], matrix.$origin.truncate())
            }
        }

        impl From<Transform<$vector>> for $affine {
            fn from(transform: Transform<$vector>) -> Self {
                let mut map = Self::IDENTITY;
                let mut axes = transform.axes.into_iter();
                $(map.$part.$axis = axes.next().unwrap_or_default().into();)+
                map.translation = transform.translation.into();
                map
            }
        }
    )+};
}

glam_types! {
    glam::Vec2: glam::Affine2, matrix2, glam::Mat3 { x_axis, y_axis } z_axis, 2;
    glam::DVec2: glam::DAffine2, matrix2, glam::DMat3 { x_axis, y_axis } z_axis, 2;
    glam::Vec3: glam::Affine3A, matrix3, glam::Mat4 { x_axis, y_axis, z_axis } w_axis, 3;
    glam::DVec3: glam::DAffine3, matrix3, glam::DMat4 { x_axis, y_axis, z_axis } w_axis, 3;
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Affine2, Affine3A, DAffine2, DAffine3, DMat3, DMat4, DVec2, DVec3, Mat4, Quat, Vec2, Vec3, Vec4};

    #[test]
    fn glam_types_convert_there_and_back() {
        let map = Affine3A::from_scale_rotation_translation(
            Vec3::new(1.0, -2.0, 3.0),
            Quat::from_rotation_x(0.3),
            Vec3::new(4.0, 5.0, 6.0),
        );
        let transform = Transform::<Vec3>::try_from(map).unwrap();
        assert_eq!((Affine3A::from(transform), Transform::try_from(Mat4::from(map))), (map, Ok(transform)));
        assert_eq!((transform.axes()[1], transform.translation()), (map.matrix3.y_axis.into(), map.translation.into()));
        let map = DAffine3::from_translation(DVec3::X);
        let transform = Transform::<DVec3>::try_from(map).unwrap();
        assert_eq!((DAffine3::from(transform), Transform::try_from(DMat4::from(map))), (map, Ok(transform)));
        let map = Affine2::from_scale_angle_translation(Vec2::new(2.0, 3.0), 0.5, Vec2::Y);
        let transform = Transform::<Vec2>::try_from(map).unwrap();
        assert_eq!((Affine2::from(transform), transform.translation()), (map, Vec2::Y));
        let map = DAffine2::from_angle(0.5);
        let transform = Transform::<DVec2>::try_from(map).unwrap();
        assert_eq!((DAffine2::from(transform), Transform::try_from(DMat3::from(map))), (map, Ok(transform)));
    }

    #[test]
    fn rotations_by_quaternions() {
        let (turn, at) = (Quat::from_rotation_z(0.5), Vec3::new(1.0, 2.0, 3.0));
        let map = Affine3A::from_rotation_translation(turn, at);
        let transform = Transform::from_rotation_translation(turn, at).unwrap();
        assert!(Affine3A::from(transform).abs_diff_eq(map, 2.0 * f32::EPSILON));
        assert_eq!(transform.translation(), at);
        let half = Transform::<DVec3>::from_rotation_translation([0.0, 0.0, 2.0, 0.0], DVec3::X).unwrap();
        assert_eq!(half.axes(), [-DVec3::X, -DVec3::Y, DVec3::Z]);
        let error = |parts: [f32; 4], at| Transform::from_rotation_translation(parts, at).unwrap_err();
        assert_eq!(error([0.0; 4], Vec3::X), TransformError::NoRotation);
        assert_eq!(error([f32::NAN, 0.0, 0.0, 1.0], Vec3::X), TransformError::NotFinite);
        assert_eq!(error([0.0, 0.0, 0.0, 1.0], Vec3::NAN), TransformError::NotFinite);
    }

    #[test]
    fn matrices_that_are_no_transforms_are_refused() {
        let flat = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::ZERO, Vec4::W);
        assert_eq!(Transform::try_from(flat), Err(TransformError::Singular));
        let perspective = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::Z + Vec4::W, Vec4::W);
        assert_eq!(Transform::try_from(perspective), Err(TransformError::NotAffine));
        assert_eq!(Transform::try_from(Mat4::IDENTITY * f32::NAN), Err(TransformError::NotAffine));
        assert_eq!(Transform::<Vec3>::try_from(Affine3A::NAN), Err(TransformError::NotFinite));
    }
}
