//! Orthonormal bases.

use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use glam::DVec3;

/// An orthonormal basis, that is, an orientation: two unit vectors at right angles in the plane, three in space.
///
/// The [`Default`] is the [`identity`](Self::identity).
///
/// ```
/// use hitscan::{glam::DVec2, Basis};
/// let basis = Basis::new([DVec2::new(0.6, 0.8), DVec2::new(-0.8, 0.6)]).unwrap();
/// let local = basis.to_local(DVec2::new(5.0, 10.0));
/// assert!((local - DVec2::new(11.0, 2.0)).length() < 1e-14);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Basis<V> {
    axes: [V; 3],
}

/// The reason why the given vectors are not a basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BasisError {
    /// The number of axes is not the number of dimensions.
    Count {
        /// The number of axes given.
        given: usize,
        /// The number of axes needed.
        needed: usize,
    },
    /// An axis is not of length 1, within 16 units of rounding.
    NotUnit {
        /// Its index.
        axis: usize,
    },
    /// Two axes are not at right angles, within 16 units of rounding.
    NotOrthogonal {
        /// Index of the first.
        first: usize,
        /// Index of the second.
        second: usize,
    },
    /// The direction is zero or not finite.
    NoDirection,
    /// The quaternion is zero or not finite.
    NoRotation,
    /// An axis is zero, or in the span of those before it: nothing is left of it at right angles to them.
    Dependent {
        /// Its index.
        axis: usize,
    },
}

impl core::fmt::Display for BasisError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Count { given, needed } => write!(f, "{given} axes given, {needed} needed"),
            Self::NotUnit { axis } => write!(f, "axis {axis} is not of length 1"),
            Self::NotOrthogonal { first, second } => write!(f, "axes {first} and {second} are not at right angles"),
            Self::NoDirection => write!(f, "the direction must be finite and not zero"),
            Self::NoRotation => write!(f, "the quaternion must be finite and not zero"),
            Self::Dependent { axis } => write!(f, "axis {axis} is zero, or in the span of the axes before it"),
        }
    }
}

impl core::error::Error for BasisError {}

impl<V: Vector> Default for Basis<V> {
    fn default() -> Self {
        Self::identity()
    }
}

/// 2^-90: a unit vector of which less than this is left beside other axes is in their span, within the rounding of `Dd`.
const INDEPENDENT: f64 = power(-90);

/// Right-handed axes with the unit vector `n` as the third: the formula of Duff et al.
fn axes_beside<T: Arithmetic>(n: Vec3<T>) -> [Vec3<T>; 3] {
    let one = T::ONE;
    let sign = if n.z.ge(T::ZERO) { one } else { -one };
    let a = -one / (sign + n.z);
    let b = n.x * n.y * a;
    [Vec3::new(one + sign * n.x * n.x * a, sign * b, -sign * n.x), Vec3::new(b, sign + n.y * n.y * a, -n.y), n]
}

impl<V: Vector> Basis<V> {
    /// The basis of the coordinate axes.
    #[must_use]
    pub fn identity() -> Self {
        let (o, i) = (V::Scalar::ZERO, V::Scalar::ONE);
        Self { axes: [[i, o, o], [o, i, o], [o, o, i]].map(V::from_xyz) }
    }

    /// The basis in `f64`; the conversion is exact.
    pub(crate) fn double(&self) -> Basis<V::Double> {
        Basis { axes: self.axes.map(Vector::double) }
    }

    /// The basis in `f64`, and in space: that of the plane gets the unit vector along z as its third axis. The conversion is exact.
    pub(crate) fn in_space(&self) -> Basis<DVec3> {
        let [a, b, c] = self.axes.map(V::in_space);
        Basis { axes: [a, b, if V::DIM == 2 { DVec3::Z } else { c }] }
    }

    /// A basis from `V::DIM` axes. They must be orthonormal within 16 units of rounding, as the product of a few rotations is.
    /// Axes that were turned many times drift farther: [`orthonormalized`](Self::orthonormalized) takes them, and
    /// [`from_quat`](Self::from_quat) a quaternion of any length.
    ///
    /// # Errors
    /// An error that names the axis that is not of length 1, or the two axes that are not at right angles.
    pub fn new(axes: impl AsRef<[V]>) -> Result<Self, BasisError> {
        let given = axes.as_ref();
        if given.len() != V::DIM {
            return Err(BasisError::Count { given: given.len(), needed: V::DIM });
        }
        let mut all = Self::identity().axes;
        all[..V::DIM].copy_from_slice(given);
        let slack = 16.0 * V::Scalar::EPSILON.to_f64();
        let product = |i: usize, j: usize| all[i].widen::<f64>().dot(all[j].widen());
        for i in 0..V::DIM {
            if !((product(i, i) - 1.0).abs() <= slack) {
                return Err(BasisError::NotUnit { axis: i });
            }
            for j in 0..i {
                if !(product(i, j).abs() <= slack) {
                    return Err(BasisError::NotOrthogonal { first: j, second: i });
                }
            }
        }
        Ok(Self { axes: all })
    }

    /// A basis whose **last** axis points along `direction` (of any length), the others at right angles to it,
    /// right-handed; continuous except at `z = 0` in space.
    ///
    /// # Source
    /// Duff et al., *Building an Orthonormal Basis, Revisited*, JCGT 6(1), 2017: no branch, and no loss near an axis.
    ///
    /// # Errors
    /// The direction is zero or not finite.
    pub fn from_direction(direction: V) -> Result<Self, BasisError> {
        type T<V> = Working<V>;
        if !direction.all_finite() {
            return Err(BasisError::NoDirection);
        }
        let n: Vec3<T<V>> = direction.widen().unit().ok_or(BasisError::NoDirection)?;
        let (one, zero) = (T::<V>::ONE, T::<V>::ZERO);
        let axes =
            if V::DIM == 2 { [Vec3::new(n.y, -n.x, zero), n, Vec3::new(zero, zero, one)] } else { axes_beside(n) };
        Ok(Self { axes: axes.map(V::narrow) })
    }

    /// The basis of axes that are orthonormal but for errors, as those of an object that is turned a little in each frame: the first
    /// axis keeps its direction, the second one its half plane, and the third one its side.
    ///
    /// The axes may have any lengths and angles, as long as none is in the span of the others. A mirrored basis stays mirrored.
    ///
    /// ```
    /// use hitscan::{glam::{Quat, Vec3}, Basis, BasisError};
    /// let (turn, mut axes) = (Quat::from_rotation_z(0.01), [Vec3::X, Vec3::Y, Vec3::Z]);
    /// for frame in 0..10_000 {
    ///     axes = axes.map(|axis| turn * axis);
    /// }
    /// assert!(Basis::new(axes).is_err()); // too many roundings
    /// let basis = Basis::orthonormalized(axes)?;
    /// assert!(basis.axes()[0].abs_diff_eq(axes[0].normalize(), 1e-6));
    /// # Ok::<(), BasisError>(())
    /// ```
    ///
    /// # Method
    /// Gram-Schmidt, twice, in twice the digits: see Giraud, Langou, Rozložník, *The loss of orthogonality in the Gram-Schmidt
    /// orthogonalization process*, Computers and Mathematics with Applications 50 (2005). The axes are then rounded once.
    ///
    /// # Errors
    /// An error that names an axis that is zero, not finite, or in the span of those before it.
    pub fn orthonormalized(axes: impl AsRef<[V]>) -> Result<Self, BasisError> {
        let given = axes.as_ref();
        if given.len() != V::DIM {
            return Err(BasisError::Count { given: given.len(), needed: V::DIM });
        }
        // The input in a type that is wide enough, each axis as a unit vector.
        let mut unit = Self::identity().rows::<Dd>();
        for (axis, (unit, given)) in unit.iter_mut().zip(given).enumerate() {
            let dependent = BasisError::Dependent { axis };
            if !given.all_finite() {
                return Err(dependent);
            }
            *unit = given.widen::<Dd>().unit().ok_or(dependent)?;
        }
        // What is left of each axis without its parts along those before it. The second time removes what rounding left.
        for axis in 1..V::DIM {
            for _ in 0..2 {
                for before in 0..axis {
                    unit[axis] = unit[axis] - unit[before] * unit[axis].dot(unit[before]);
                }
                // A rest as small as the rounding of unit vectors has no direction.
                if !(unit[axis].max_abs_f64() > INDEPENDENT) {
                    return Err(BasisError::Dependent { axis });
                }
                unit[axis] = unit[axis].unit().ok_or(BasisError::Dependent { axis })?;
            }
        }
        Ok(Self { axes: unit.map(V::narrow) })
    }

    /// The `V::DIM` axes.
    #[must_use]
    pub fn axes(&self) -> &[V] {
        &self.axes[..V::DIM]
    }

    /// The coordinates of `v` in this basis: its dot products with the axes.
    #[must_use]
    pub fn to_local(&self, v: V) -> V {
        V::narrow(self.local::<Working<V>>(v.widen()))
    }

    /// The vector whose coordinates in this basis are `v`.
    #[must_use]
    pub fn to_world(&self, v: V) -> V {
        V::narrow(self.world::<Working<V>>(v.widen()))
    }

    /// The axes in working arithmetic; in the plane, the third one is the unit vector along z.
    #[inline(always)]
    pub(crate) fn rows<T: Arithmetic>(&self) -> [Vec3<T>; 3] {
        let [a, b, c] = self.widened();
        [a, b, if V::DIM == 2 { Vec3::new(T::ZERO, T::ZERO, T::ONE) } else { c }]
    }

    /// The axes in working arithmetic. Written out: `array::map` may be a call.
    #[inline(always)]
    fn widened<T: Arithmetic>(&self) -> [Vec3<T>; 3] {
        let [a, b, c] = self.axes;
        [a.widen(), b.widen(), c.widen()]
    }

    #[inline(always)]
    pub(crate) fn local<T: Arithmetic>(&self, v: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.widened();
        Vec3::new(a.dot(v), b.dot(v), if V::DIM == 2 { T::ZERO } else { c.dot(v) })
    }

    #[inline(always)]
    pub(crate) fn world<T: Arithmetic>(&self, v: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.widened();
        a * v.x + b * v.y + if V::DIM == 2 { Vec3::new(T::ZERO, T::ZERO, T::ZERO) } else { c * v.z }
    }

    /// The moment `o x d` in local coordinates, by the cofactor matrix. That is exact for axes that are not quite orthonormal.
    #[inline(always)]
    pub(crate) fn local_moment<T: Arithmetic>(&self, m: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.widened();
        if V::DIM == 2 {
            return Vec3::new(T::ZERO, T::ZERO, (a.x * b.y - a.y * b.x) * m.z);
        }
        Vec3::new(b.cross(c).dot(m), c.cross(a).dot(m), a.cross(b).dot(m))
    }

    /// The magnitudes of the terms of [`local`](Self::local).
    #[inline(always)]
    pub(crate) fn magnitude_of<T: Arithmetic>(&self, v: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.widened();
        Vec3::new(a.dot_magnitude(v), b.dot_magnitude(v), if V::DIM == 2 { T::ZERO } else { c.dot_magnitude(v) })
    }

    /// The magnitudes of the terms of [`local_moment`](Self::local_moment), from those of the moment.
    #[inline(always)]
    pub(crate) fn magnitude_of_moment<T: Arithmetic>(&self, m: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.widened();
        if V::DIM == 2 {
            return Vec3::new(T::ZERO, T::ZERO, m.z);
        }
        Vec3::new(b.cross_magnitude(c).dot(m), c.cross_magnitude(a).dot(m), a.cross_magnitude(b).dot(m))
    }

    /// Sets the filter flag if a component is so small that its products with others may underflow: see [`Frame::check_scale`].
    #[inline(always)]
    pub(crate) fn check_scale<T: Arithmetic, P: Observer>(&self, observer: &mut P) {
        // Norm-wise bounds cover the whole vector.
        if !T::NORMWISE_BOUNDS {
            self.axes.iter().for_each(|axis| Frame::check_direction::<V::Scalar, _>(axis.widen::<T>(), observer));
        }
    }

    /// The factor by which a basis that is orthonormal within 16 units of rounding may lengthen a vector.
    pub(crate) fn slack() -> f64 {
        1.0 + 64.0 * V::Scalar::EPSILON.to_f64()
    }

    /// Half extents that enclose a box or an ellipsoid, from those that it has if the axes are exactly orthonormal. `largest` is its
    /// largest half extent or radius.
    ///
    /// # Accuracy
    /// A box is the set of points whose products with the axes are within the half extents, so its edges are along the *dual* basis,
    /// the rows of `G^-1 A` for the axes `A` and their products `G`. With `e` the largest sum of a row of `|G - I|`, at most 2^-15, no
    /// component of the dual basis is farther than `2 e` from that of the axis. Three edges make `6 e` of the largest extent: where a
    /// plate is thinner than that, far more than its thickness.
    pub(crate) fn enclosing(&self, half: Vec3<f64>, largest: f64) -> Vec3<f64> {
        let [a, b, c] = self.rows::<Dd>();
        let excess = |x: Dd| x.to_f64().abs();
        let [ab, ac, bc] = [a.dot(b), a.dot(c), b.dot(c)].map(excess);
        let [aa, bb, cc] = [a, b, c].map(|axis| excess(axis.length_sq() - Dd::ONE));
        let skew = (aa + ab + ac).max(ab + bb + bc).max(ac + bc + cc);
        // The products have roundings of 2^-104.
        let room = 6.0 * (skew + power(-100)) * largest;
        half.map(|extent| extent * Self::slack() + room)
    }

    /// The half extents of the axis-aligned box around an oriented box with the half extents `half`.
    pub(crate) fn extents_of(&self, half: Vec3<f64>) -> Vec3<f64> {
        let [a, b, c] = self.axes.map(|v| v.widen::<f64>().map(Arithmetic::abs));
        // Rounded up, so that no product vanishes.
        let times =
            |v: Vec3<f64>, length: f64| v.map(|c| if c * length == 0.0 { 0.0f64.next_up() } else { c * length });
        let flat = times(a, half.x) + times(b, half.y);
        if V::DIM == 2 { flat } else { flat + times(c, half.z) }
    }
}

impl<V: Vector3> Basis<V> {
    /// The basis of a rotation by a quaternion `[x, y, z, w]`, such as glam's `Quat` and `DQuat` of any version: the images of the
    /// coordinate axes.
    ///
    /// The quaternion may have any length but zero. So one that is turned in each frame needs no normalisation, and the basis of
    /// its rotation is always accepted. The axes are rounded once.
    ///
    /// ```
    /// use hitscan::{glam::{Quat, Vec3}, Basis, OrientedBox};
    /// let mut rotation = Quat::IDENTITY;
    /// for frame in 0..10_000 {
    ///     rotation *= Quat::from_rotation_y(0.01);
    ///     let door = OrientedBox::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 0.1), Basis::from_quat(rotation)?)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A quaternion that is zero or not finite.
    #[doc(alias("from_rotation", "from_quaternion"))]
    pub fn from_quat(rotation: impl Into<[V::Scalar; 4]>) -> Result<Self, BasisError> {
        let parts = rotation.into().map(Real::to_f64);
        let size = parts.iter().fold(0.0f64, |size, part| size.max(part.abs()));
        // A NaN is lost in the maximum.
        let factor = power_of_two_below(size).filter(|_| parts.iter().all(|part| part.is_finite()));
        let factor = factor.ok_or(BasisError::NoRotation)?;
        // The matrix of the quaternion over its squared length, in twice the digits.
        let [x, y, z, w] = parts.map(|part| Dd::from_f64(part * factor));
        let twice = (Dd::ONE + Dd::ONE) / (x.sq() + y.sq() + (z.sq() + w.sq()));
        let diagonal = |a: Dd, b: Dd| Dd::ONE - (a.sq() + b.sq()) * twice;
        let [xy, xz, yz] = [x * y, x * z, y * z];
        let [wx, wy, wz] = [w * x, w * y, w * z];
        let axes = [
            Vec3::new(diagonal(y, z), (xy + wz) * twice, (xz - wy) * twice),
            Vec3::new((xy - wz) * twice, diagonal(x, z), (yz + wx) * twice),
            Vec3::new((xz + wy) * twice, (yz - wx) * twice, diagonal(x, y)),
        ];
        Ok(Self { axes: axes.map(V::narrow) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DQuat, DVec2, DVec3, Quat, Vec3};
    use test_support::random::Rng;

    /// Rotations turned ten thousand times, in both precisions, and quaternions of any length.
    #[test]
    fn rotations_never_drift() {
        let (mut single, mut double) = (Quat::IDENTITY, DQuat::IDENTITY);
        let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for _ in 0..10_000 {
            single *= Quat::from_xyzw(0.01, 0.02, -0.015, 0.9997);
            double *= DQuat::from_xyzw(0.01, 0.02, -0.015, 0.9997);
            axes = axes.map(|axis| DQuat::from_xyzw(0.01, 0.02, -0.015, 0.99962).normalize() * axis);
            Basis::<Vec3>::new(Basis::<Vec3>::from_quat(single).unwrap().axes()).unwrap();
            Basis::<DVec3>::new(Basis::<DVec3>::from_quat(double).unwrap().axes()).unwrap();
            Basis::new(Basis::orthonormalized(axes).unwrap().axes()).unwrap();
        }
        assert!(Basis::new(axes).is_err());
    }

    /// The exact matrix of a rational rotation, and that of glam within its rounding.
    #[test]
    fn the_matrix_of_a_quaternion() {
        let basis = Basis::<DVec3>::from_quat([0.0, 0.0, 3.0, 4.0]).unwrap();
        let (c, s) = (7.0 / 25.0, 24.0 / 25.0);
        assert_eq!(basis.axes(), [DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0), DVec3::Z]);
        let mut rng = Rng::new(25);
        for _ in 0..1_000 {
            let ([x, y, z], scale) = (rng.cube(3), rng.pick(&[1.0, 1e-300, 1e300, 1e-160]));
            let unit = DQuat::from_xyzw(x, y, z, rng.unit()).normalize();
            let basis = Basis::<DVec3>::from_quat((unit * scale).to_array()).unwrap();
            let [a, b, c] = *basis.axes() else { unreachable!() };
            assert!(DMat3::from_cols(a, b, c).abs_diff_eq(DMat3::from_quat(unit), 1e-14), "{unit}");
        }
        assert_eq!(Basis::<Vec3>::from_quat([0.0; 4]), Err(BasisError::NoRotation));
        assert_eq!(Basis::<Vec3>::from_quat([0.0, f32::NAN, 0.0, 1.0]), Err(BasisError::NoRotation));
        assert_eq!(Basis::<Vec3>::from_quat([0.0, f32::INFINITY, 0.0, 1.0]), Err(BasisError::NoRotation));
    }

    /// Axes far from orthonormal: the rules for their directions, and the errors.
    #[test]
    fn orthonormal_axes_of_others() {
        let basis = Basis::orthonormalized([DVec3::X * 3.0, DVec3::new(5.0, 2.0, 0.0), DVec3::new(1.0, 7.0, -0.5)]);
        assert_eq!(basis.unwrap().axes(), [DVec3::X, DVec3::Y, -DVec3::Z]);
        let basis = Basis::orthonormalized([DVec2::new(3e300, 4e300), DVec2::new(1e-300, 0.0)]).unwrap();
        assert_eq!(basis.axes(), [DVec2::new(0.6, 0.8), DVec2::new(0.8, -0.6)]);
        let mut rng = Rng::new(26);
        for _ in 0..1_000 {
            let axes = [(); 3].map(|()| {
                let [x, y, z] = rng.cube(3);
                Vec3::new(x as f32, y as f32, 1.0 + z as f32 * 1e-6)
            });
            let basis = Basis::orthonormalized(axes).unwrap();
            Basis::new(basis.axes()).unwrap();
        }
        let error = |axes: [Vec3; 3]| Basis::orthonormalized(axes).unwrap_err();
        assert_eq!(error([Vec3::X, Vec3::Y, Vec3::ONE - Vec3::Z]), BasisError::Dependent { axis: 2 });
        assert_eq!(error([Vec3::X, Vec3::X * -3.0, Vec3::Z]), BasisError::Dependent { axis: 1 });
        assert_eq!(error([Vec3::ZERO, Vec3::Y, Vec3::Z]), BasisError::Dependent { axis: 0 });
        assert_eq!(error([Vec3::X, Vec3::NAN, Vec3::Z]), BasisError::Dependent { axis: 1 });
        assert_eq!(Basis::orthonormalized([Vec3::X]), Err(BasisError::Count { given: 1, needed: 3 }));
    }

    #[test]
    fn worked_example() {
        let basis = Basis::new([DVec2::new(3.0 / 5.0, 4.0 / 5.0), DVec2::new(-4.0 / 5.0, 3.0 / 5.0)]).unwrap();
        // 3/5 and 4/5 are rounded, hence the last bit.
        assert!((basis.to_local(DVec2::new(5.0, 10.0)) - DVec2::new(11.0, 2.0)).length() <= 1e-15);
        assert!((basis.to_world(DVec2::new(11.0, 2.0)) - DVec2::new(5.0, 10.0)).length() <= 4e-15);
    }

    #[test]
    fn the_default_changes_no_vector() {
        let v = DVec3::new(1.0, -2.0, 3.0);
        assert_eq!(Basis::default().to_local(v), v);
        assert_eq!(Basis::<DVec2>::default().axes(), [DVec2::X, DVec2::Y]);
    }

    #[test]
    fn from_any_direction_is_orthonormal_and_right_handed() {
        let values = [0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 1e30, 0.3, f64::MIN_POSITIVE];
        for x in values {
            for y in values {
                for z in values {
                    let d = DVec3::new(x, y, z);
                    let Ok(basis) = Basis::from_direction(d) else {
                        assert!(d == DVec3::ZERO);
                        continue;
                    };
                    let [a, b, c] = *basis.axes() else { unreachable!() };
                    assert!(Basis::new([a, b, c]).is_ok(), "{d}: {basis:?}");
                    assert!((a.cross(b) - c).length() < 4.0 * f64::EPSILON, "{d}: {basis:?}");
                    assert!(c.dot(d / d.abs().max_element()) > 0.0);
                }
            }
        }
    }

    #[test]
    fn refusals() {
        assert_eq!(Basis::from_direction(Vec3::ZERO), Err(BasisError::NoDirection));
        assert_eq!(Basis::from_direction(Vec3::NAN), Err(BasisError::NoDirection));
        assert_eq!(Basis::new([Vec3::X, Vec3::Y]), Err(BasisError::Count { given: 2, needed: 3 }));
        assert_eq!(Basis::new([Vec3::X, Vec3::Y, Vec3::Z * 2.0]), Err(BasisError::NotUnit { axis: 2 }));
        assert_eq!(Basis::new([Vec3::X, Vec3::Y, Vec3::Y]), Err(BasisError::NotOrthogonal { first: 1, second: 2 }));
        assert!(Basis::new([Vec3::NAN, Vec3::Y, Vec3::Z]).is_err());
    }
}
