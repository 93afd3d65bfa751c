//! The view frustum of a view-projection matrix up to a depth.

use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector3;
use crate::overlap::camera::{Camera, CameraError};
use crate::overlap::view_frustum::{ViewFrustum, ViewFrustumError};

impl<V: Vector3> ViewFrustum<V> {
    /// The frustum of a view-projection matrix up to a depth, or to its far plane if that is nearer: so an infinite projection has a
    /// frustum, too. The depth is that of [`Camera`](crate::Camera): the `w` that the matrix gives to a point, for the matrices of engines the
    /// distance from the plane of the camera. A matrix without perspective has a far plane, and no use for the depth.
    ///
    /// ```
    /// use hitscan::{glam::{camera::rh, Vec3}, OverlapQuery, Sphere, ViewFrustum};
    /// let projection = rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.1);
    /// assert!(ViewFrustum::<Vec3>::from_view_projection(projection.to_cols_array_2d()).is_err());
    /// let seen = ViewFrustum::<Vec3>::from_view_projection_to(projection.to_cols_array_2d(), 1000.0)?;
    /// assert!(Sphere::new(Vec3::NEG_Z * 999.0, 1.0)?.overlaps(seen));
    /// assert!(!Sphere::new(Vec3::NEG_Z * 1002.0, 1.0)?.overlaps(seen));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`from_view_projection`](Self::from_view_projection), and [`Unbounded`](ViewFrustumError::Unbounded) for a depth that is
    /// not finite, or not greater than that of the near plane.
    pub fn from_view_projection_to(columns: [[V::Scalar; 4]; 4], depth: V::Scalar) -> Result<Self, ViewFrustumError> {
        let camera = match Camera::<V>::from_view_projection(columns, [1, 1]) {
            Ok(camera) => camera,
            Err(CameraError::NoPerspective) => return Self::from_view_projection(columns),
            Err(CameraError::Singular) => return Err(ViewFrustumError::Singular),
            Err(_) => return Err(ViewFrustumError::NotFinite { field: "matrix" }),
        };
        // The clip depth of the point at depth t is (a + b t) / t. It is 0 at one of the two planes and 1 at the other one.
        let row = |column: usize| Dd::from_f64(columns[column][2].to_f64());
        let z = Vec3::new(row(0), row(1), row(2));
        let middle: Vec3<Dd> = camera.forward.convert();
        let (a, b) = (z.dot(camera.origin.convert()) + row(3), z.dot(middle));
        // What rounding the matrix leaves of a sum that cancels, one ulp of each term: the plane at infinity.
        let ulp = V::Scalar::ONE.next_up().to_f64() - 1.0;
        let roundoff = ulp * (z.dot_magnitude(middle).to_f64() + 1.0);
        let plane = |over: Dd, below: Dd| {
            let t = (over / below).to_f64();
            (below.to_f64().abs() > roundoff && t > 0.0).then_some(t)
        };
        let planes = [plane(-a, b), plane(a, Dd::ONE - b)];
        let near = planes.iter().flatten().copied().reduce(f64::min).ok_or(ViewFrustumError::Unbounded)?;
        let far =
            if planes.contains(&None) { f64::INFINITY } else { planes.iter().flatten().copied().fold(0.0, f64::max) };
        let end = depth.to_f64().min(far);
        if !(end > near && end < f64::INFINITY) {
            return Err(ViewFrustumError::Unbounded);
        }
        camera.view_frustum(V::Scalar::from_f64(near)..=V::Scalar::from_f64(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dcamera::rh;
    use glam::{DMat4, DVec3};

    /// The frustums of finite, infinite and reversed projections, by either way.
    #[test]
    fn frustums_of_matrices() {
        let view = rh::view::look_at_mat4(DVec3::new(3.0, 2.0, 9.0), DVec3::new(-1.0, 0.5, 2.0), DVec3::Y);
        let cut = |projection: DMat4, depth| {
            ViewFrustum::<DVec3>::from_view_projection_to((projection * view).to_cols_array_2d(), depth)
        };
        let finite = rh::proj::directx::perspective(1.0, 1.5, 0.25, 100.0);
        let whole = ViewFrustum::<DVec3>::from_view_projection((finite * view).to_cols_array_2d()).unwrap();
        let is_close = |a: &ViewFrustum<DVec3>, b: &ViewFrustum<DVec3>| {
            a.corners().iter().zip(b.corners()).all(|(a, b)| a.abs_diff_eq(*b, 1e-9))
        };
        assert!(is_close(&cut(finite, 1e9).unwrap(), &whole) && is_close(&cut(finite, 100.0).unwrap(), &whole));
        for infinite in [
            rh::proj::directx::perspective_infinite(1.0, 1.5, 0.25),
            rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.25),
        ] {
            assert!(is_close(&cut(infinite, 100.0).unwrap(), &whole));
            for depth in [f64::INFINITY, f64::NAN, 0.2, -1.0] {
                assert_eq!(cut(infinite, depth), Err(ViewFrustumError::Unbounded), "{depth}");
            }
        }
        let flat = rh::proj::directx::orthographic(-4.0, 4.0, -2.0, 2.0, 0.0, 9.0);
        let whole = ViewFrustum::<DVec3>::from_view_projection((flat * view).to_cols_array_2d());
        assert_eq!(cut(flat, 1.0), whole);
    }
}
