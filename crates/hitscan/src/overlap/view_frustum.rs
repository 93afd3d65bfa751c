//! The view frustum of a camera.

use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use core::fmt;

/// What a camera sees: the convex hull of eight corners, four on the near plane and four on the far plane.
///
/// A [`Volume`](crate::Volume) of it finds the objects of a scene that a camera may see. The corners are rounded to the precision
/// of the vector type; the frustum is the hull of the rounded corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewFrustum<V: Vector> {
    corners: [V; 8],
}

/// The reason why there is no [`ViewFrustum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewFrustumError {
    /// A number of a field is not finite, or a corner would not be.
    NotFinite {
        /// The field.
        field: &'static str,
    },
    /// The matrix is singular: it has no inverse.
    Singular,
    /// A corner is infinitely far away or behind the camera. A projection needs a finite far plane, or a depth at which
    /// [`ViewFrustum::from_view_projection_to`] ends it.
    Unbounded,
    /// The corners have no volume between them, or do not form a convex body in this order.
    NotConvex,
}

impl fmt::Display for ViewFrustumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { field } => write!(f, "{field}: not finite"),
            Self::Singular => f.write_str("the matrix is singular"),
            Self::Unbounded => f.write_str(
                "the frustum has no end: give a finite far plane, or a depth to ViewFrustum::from_view_projection_to",
            ),
            Self::NotConvex => f.write_str("the corners are not those of a convex body"),
        }
    }
}

impl core::error::Error for ViewFrustumError {}

impl<V: Vector3> ViewFrustum<V> {
    /// The frustum with these corners. Bit 0 of the number of a corner is 1 on the right, bit 1 at the top and bit 2 on the far
    /// side; any three pairs of opposite faces will do.
    ///
    /// # Errors
    ///
    /// [`NotFinite`](ViewFrustumError::NotFinite) for a corner with a NaN or an infinity, and
    /// [`NotConvex`](ViewFrustumError::NotConvex) if the corners have no volume between them, or if a face turns inward.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, OverlapQuery, Sphere, ViewFrustum};
    /// let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
    /// let cube = ViewFrustum::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(corner))?;
    /// assert!(Sphere::new(Vec3::splat(2.0), 2.0)?.overlaps(cube));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_corners(corners: [V; 8]) -> Result<Self, ViewFrustumError> {
        if !corners.iter().all(|corner| corner.all_finite()) {
            return Err(ViewFrustumError::NotFinite { field: "corners" });
        }
        // Quarters, so that no difference overflows.
        let at = |i: usize| corners[i].widen::<f64>() * 0.25;
        let scale = corners.iter().map(|corner| corner.widen::<f64>().max_abs_f64()).fold(0.0, f64::max);
        let scale = crate::math::scale::power_of_two_below(scale).unwrap_or(1.0);
        let at = |i: usize| at(i) * scale;
        let volume = |a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>| a.cross(b).plain_dot(c);
        let mut sides = (0..8usize).map(|i| {
            let [x, y, z] = [1, 2, 4].map(|bit| at(i ^ bit) - at(i));
            let turned = volume(x, y, z);
            if i.count_ones() % 2 == 0 { turned } else { -turned }
        });
        let first = sides.next().unwrap_or(0.0);
        let is_convex =
            first != 0.0 && sides.all(|side| side * first > 0.0 || (side > 0.0) == (first > 0.0) && side != 0.0);
        if is_convex { Ok(Self { corners }) } else { Err(ViewFrustumError::NotConvex) }
    }

    /// The frustum of a view-projection matrix, by columns, that takes the points that the camera sees to -1..=1 in x and y and to
    /// 0..=1 in depth. `Mat4::to_cols_array_2d` of glam gives the columns. The depth may be reversed.
    ///
    /// # Errors
    ///
    /// [`NotFinite`](ViewFrustumError::NotFinite), [`Singular`](ViewFrustumError::Singular),
    /// [`Unbounded`](ViewFrustumError::Unbounded) for a projection without a far plane, which
    /// [`from_view_projection_to`](Self::from_view_projection_to) takes, and
    /// [`NotConvex`](ViewFrustumError::NotConvex).
    ///
    /// ```
    /// use hitscan::{glam::{Vec3, camera::rh}, OverlapQuery, Sphere, ViewFrustum};
    /// let projection = rh::proj::directx::perspective(1.0, 1.5, 0.5, 100.0);
    /// let view = rh::view::look_at_mat4(Vec3::ZERO, Vec3::NEG_Z, Vec3::Y);
    /// let seen = ViewFrustum::<Vec3>::from_view_projection((projection * view).to_cols_array_2d())?;
    /// assert!(Sphere::new(Vec3::NEG_Z * 50.0, 1.0)?.overlaps(seen));
    /// assert!(!Sphere::new(Vec3::Z * 50.0, 1.0)?.overlaps(seen));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_view_projection(columns: [[V::Scalar; 4]; 4]) -> Result<Self, ViewFrustumError> {
        // The inverse takes the corners of the clip space to the world. In `f64`, so that only the matrix as given is
        // rounded.
        let columns = columns.map(|column| column.map(Real::to_f64));
        if !columns.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(ViewFrustumError::NotFinite { field: "matrix" });
        }
        let inverse = inverse(columns).ok_or(ViewFrustumError::Singular)?;
        // What rounding the matrix leaves of a sum of these terms that cancels.
        let roundoff = match V::Scalar::PRECISION {
            Precision::Single => power(-23),
            Precision::Double => power(-52),
        };
        let mut corners = [V::default(); 8];
        let mut weights = [0.0; 8];
        // Each corner of the clip space, in homogeneous coordinates.
        for (i, corner) in corners.iter_mut().enumerate() {
            let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let clip = [side(0), side(1), if i >> 2 == 1 { 1.0 } else { 0.0 }, 1.0];
            let [x, y, z, w] =
                [0, 1, 2, 3].map(|row| (0..4).map(|column| inverse[column][row] * clip[column]).sum::<f64>());
            let terms: f64 = (0..4).map(|column| (inverse[column][3] * clip[column]).abs()).sum();
            // A sum that cancels is the point at infinity.
            weights[i] = if w.abs() <= terms * roundoff { 0.0 } else { w };
            *corner = V::from_xyz([x / w, y / w, z / w].map(V::Scalar::from_f64));
        }
        // All weights must have one sign: otherwise a corner is behind the camera, or at infinity.
        if weights.iter().any(|w| !(w * weights[0] > 0.0)) {
            return Err(ViewFrustumError::Unbounded);
        }
        if !corners.iter().all(|corner| corner.all_finite()) {
            return Err(ViewFrustumError::NotFinite { field: "corners" });
        }
        Self::from_corners(corners)
    }

    /// The corners: see [`from_corners`](Self::from_corners).
    #[must_use]
    pub fn corners(&self) -> &[V; 8] {
        &self.corners
    }
}

impl<V: Vector> ViewFrustum<V> {
    pub(crate) fn widened(&self) -> [Vec3<f64>; 8] {
        self.corners.map(Vector::widen)
    }
    pub(crate) fn first_corner(&self) -> V {
        self.corners[0]
    }
}

/// Inverse of a matrix by columns, by Gauss-Jordan elimination with the largest pivots.
fn inverse(columns: [[f64; 4]; 4]) -> Option<[[f64; 4]; 4]> {
    // Rows of the matrix, beside those of the identity.
    let mut rows = [[0.0; 8]; 4];
    for (i, row) in rows.iter_mut().enumerate() {
        (0..4).for_each(|j| row[j] = columns[j][i]);
        row[4 + i] = 1.0;
    }
    // Column by column: the largest pivot keeps the errors small.
    for step in 0..4 {
        let mut pivot = step;
        for row in step..4 {
            if rows[row][step].abs() > rows[pivot][step].abs() {
                pivot = row;
            }
        }
        rows.swap(step, pivot);
        let divisor = rows[step][step];
        if divisor == 0.0 || !divisor.is_finite() {
            return None;
        }
        // The row of the pivot clears the column in all other rows.
        rows[step] = rows[step].map(|x| x / divisor);
        let own = rows[step];
        for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != step) {
            let _ = i;
            let factor = row[step];
            (0..8).for_each(|j| row[j] -= factor * own[j]);
        }
    }
    // The right half is the inverse.
    Some([0, 1, 2, 3].map(|column| [0, 1, 2, 3].map(|row| rows[row][4 + column])))
}
