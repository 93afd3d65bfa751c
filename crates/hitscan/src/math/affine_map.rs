//! `AffineMap`: the map from a shape to the world in working arithmetic.

use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;

/// Greatest condition number of a map by which boxes are skipped: its rounded inverse is off by far less than 2^-20.
const MAX_CONDITION: f64 = power(20);

/// 1 + 2^-20: room for the rounding of distances and of maps.
pub(crate) const ROOM: f64 = 1.0 + power(-20);

/// Affine map: a matrix by its columns, and a translation.
#[derive(Clone, Copy, Debug)]
pub struct AffineMap<T> {
    pub(crate) columns: [Vec3<T>; 3],
    pub(crate) translation: Vec3<T>,
}

impl<T: Arithmetic> AffineMap<T> {
    /// Image of a vector.
    #[inline(always)]
    pub(crate) fn vector(&self, v: Vec3<T>) -> Vec3<T> {
        let [x, y, z] = self.columns;
        x * v.x + y * v.y + z * v.z
    }
    /// Image of a point.
    #[inline(always)]
    pub(crate) fn point(&self, p: Vec3<T>) -> Vec3<T> {
        self.vector(p) + self.translation
    }
    /// Normal of the image of a plane with the normal `n`, of any length: the product with the transpose of the inverse.
    pub(crate) fn normal(&self, n: Vec3<T>) -> Vec3<T> {
        let [x, y, z] = self.inverse_rows();
        x * n.x + y * n.y + z * n.z
    }
    /// Whether products of six of its numbers keep their digits.
    pub(crate) fn is_ordinary(&self) -> bool {
        self.translation.is_ordinary() && self.columns.iter().all(|column| column.is_ordinary())
    }
    /// Normal of the image of a plane with the normal `n`, of any length, by products alone: the cofactors take normals to normals.
    /// `terms` is the map of the absolute values of all terms. Also the determinant, and the magnitude of its terms: the normal
    /// points to the right side if that sign is certain, because a mirror image turns the cofactors around.
    pub(crate) fn cofactor_normal(&self, terms: &Self, n: Vec3<T>) -> (BoundedVector<T>, [T; 2]) {
        let ([a, b, c], [p, q, r]) = (self.columns, terms.columns);
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let bound = |v: Vec3<T>, w: Vec3<T>| BoundedVector::new(v).cross(BoundedVector::new(w)).magnitude;
        let bounds = [bound(q, r), bound(r, p), bound(p, q)];
        let vector = cofactors[0] * n.x + cofactors[1] * n.y + cofactors[2] * n.z;
        let magnitude = bounds[0] * n.x.abs() + bounds[1] * n.y.abs() + bounds[2] * n.z.abs();
        let determinant = [a.plain_dot(cofactors[0]), p.plain_dot(bounds[0])];
        let vector = if determinant[0].lt(T::ZERO) { -vector } else { vector };
        (BoundedVector { vector, magnitude }, determinant)
    }
    /// Upper bound of the coordinates of images of points with coordinates up to `largest`, in a space of this dimension: in
    /// the plane the third column is a unit vector, whatever the unit of length, and has no part in an image.
    pub(crate) fn largest_image(&self, largest: f64, dimension: usize) -> f64 {
        let columns = self.columns[..dimension].iter().map(|column| column.max_abs_f64()).sum::<f64>();
        (self.translation.max_abs_f64() + columns * largest).min(f64::MAX)
    }
    /// Rows of the inverse matrix: the cofactors over the determinant, of columns scaled by powers of two so that no product
    /// leaves the range of `f64`.
    #[inline(never)]
    pub(crate) fn inverse_rows(&self) -> [Vec3<T>; 3] {
        let scales = [0, 1, 2].map(|i| power_of_two_below(self.columns[i].max_abs_f64()).unwrap_or(1.0));
        let scaled = |i: usize, v: Vec3<T>| v.map(|x: T| x.times_power_of_two(scales[i]));
        let [a, b, c] = [0, 1, 2].map(|i| scaled(i, self.columns[i]));
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.dot(cofactors[0]);
        [0, 1, 2].map(|i| scaled(i, cofactors[i].map(|cofactor| cofactor / determinant)))
    }
    /// Bound of the factor by which the inverse multiplies lengths; infinite where the matrix is so nearly singular that the
    /// rounded inverse says little.
    #[inline(never)]
    pub(crate) fn inverse_norm<V: Vector>(&self) -> f64 {
        if let Some(factor) = self.similarity::<V>() {
            return ROOM / factor.to_f64();
        }
        // No length is multiplied by more than the Frobenius norm.
        let norm = |rows: [Vec3<T>; 3]| Arithmetic::sqrt(rows.iter().map(|row| row.length_sq().to_f64()).sum::<f64>());
        let (own, inverse) = (norm(self.columns), norm(self.inverse_rows()));
        // A NaN is no bound.
        if own * inverse <= MAX_CONDITION { inverse * ROOM } else { f64::INFINITY }
    }
    /// Whether the map mirrors.
    pub(crate) fn is_mirror(&self) -> bool {
        let [a, b, c] = self.columns.map(Vec3::normalize_exponent);
        a.dot(b.cross(c)).lt(T::ZERO)
    }
    /// Point of the shape whose image is `p`.
    #[inline(never)]
    pub(crate) fn preimage(&self, p: Vec3<T>) -> Vec3<T> {
        let (rows, o) = (self.inverse_rows(), p - self.translation);
        Vec3::new(rows[0].dot(o), rows[1].dot(o), rows[2].dot(o))
    }
    /// Scale factor of a similarity: a rotation or mirror image with one factor for all lengths. `None` if two columns differ
    /// in length, or from a right angle, by more than 8 units in the last place of the precision.
    #[inline(never)]
    pub(crate) fn similarity<V: Vector>(&self) -> Option<T> {
        let slack = match V::Scalar::PRECISION {
            Precision::Single => power(3 - 23),
            Precision::Double => power(3 - 52),
        };
        let scale = power_of_two_below(self.columns[0].max_abs_f64())?;
        let columns = [0, 1, 2].map(|i| self.columns[i].map(|x| x.times_power_of_two(scale)));
        let columns = &columns[..V::DIM];
        let size_sq = columns[0].length_sq();
        let limit = size_sq.to_f64() * slack;
        let is_alike = columns.iter().enumerate().all(|(i, column)| {
            let is_right = |other: &Vec3<T>| column.dot(*other).to_f64().abs() <= limit;
            (column.length_sq() - size_sq).to_f64().abs() <= 2.0 * limit && columns[..i].iter().all(is_right)
        });
        is_alike.then(|| size_sq.sqrt().times_power_of_two(1.0 / scale))
    }
}
