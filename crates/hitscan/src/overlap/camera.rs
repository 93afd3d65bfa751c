//! Cameras: from pixels to rays and view frustums, and back.

use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::instance_stack::is_singular;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::overlap::view_frustum::{ViewFrustum, ViewFrustumError};
use crate::ray::Ray;
use crate::transform::Transform;
use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

/// A camera with an image of pixels: the ray and the view frustum of a pixel, a position of the mouse, or a rectangle; and the pixel
/// of a point.
///
/// Pixels are counted from the top left: `[0.0, 0.0]` is that corner of the image, `[width, height]` the opposite one, and
/// `[0.5, 0.5]` the middle of the first pixel. The *depth* of a point is its distance from the plane through the camera at right
/// angles to the line of sight, not from the camera itself; the `t` of a ray of the camera is the depth of its points.
///
/// | camera | constructor | looks along | up |
/// |---|---|---|---|
/// | of a game | [`perspective`](Self::perspective), [`orthographic`](Self::orthographic) | -Z | +Y |
/// | of a view-projection matrix, also infinite, reversed or off-centre | [`from_view_projection`](Self::from_view_projection) | as the matrix | as the matrix |
/// | of OpenCV | [`pinhole`](Self::pinhole) | +Z | -Y |
///
/// A new camera stands in the origin; [`placed`](Self::placed) moves it to its place, and
/// [`with_extrinsics`](Self::with_extrinsics) is the inverse, as OpenCV gives it.
///
/// ```
/// use hitscan::{glam::Vec3, Camera, Query, RayCast, Sphere, Transform};
/// let camera = Camera::<Vec3>::perspective(1.0, [640, 480])?.placed(&Transform::from_translation(Vec3::Z * 10.0)?)?;
/// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
/// let hit = ball.cast_ray(&camera.ray([320.0, 240.0]), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.point), (9.0, Vec3::Z));
/// let (pixel, depth) = camera.project(hit.point).ok_or("behind the camera")?;
/// assert_eq!((pixel, depth), ([320.0, 240.0], 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Accuracy
/// A camera is four vectors in `f64`, which its constructor rounds from twice the digits: the origin, the steps of the direction
/// from pixel to pixel to the right and downward, and the direction of the middle of the image or of the principal point. The camera
/// with these numbers is exact: a ray is computed in twice the digits from them and rounded once, so no error grows with the size of the image, and the
/// frustum of a rectangle is the hull of rounded points on the rays of its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera<V: Vector> {
    pub(crate) origin: Vec3<f64>,
    /// Step from pixel to pixel: of the direction, or of the origin of an orthographic camera.
    right: Vec3<f64>,
    down: Vec3<f64>,
    /// The direction of the center; of an orthographic camera, of all rays.
    pub(crate) forward: Vec3<f64>,
    /// The pixel that the steps count from.
    center: [f64; 2],
    kind: CameraKind,
    size: [u32; 2],
    vector: PhantomData<V>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CameraKind {
    /// All rays begin in one point.
    Perspective,
    /// All rays are parallel.
    Orthographic,
}

/// The reason why there is no [`Camera`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CameraError {
    /// A number of the field is a NaN or an infinity, or a number of the camera would not be finite.
    NotFinite {
        /// The field.
        field: &'static str,
    },
    /// A number of the field must be greater than zero.
    NotPositive {
        /// The field.
        field: &'static str,
    },
    /// A field of view must be less than half a turn.
    FieldOfView,
    /// The matrix has no perspective: use [`Camera::orthographic`].
    NoPerspective,
    /// The matrix is singular: its pixels are no rays.
    Singular,
}

impl fmt::Display for CameraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { field } => write!(f, "{field}: not finite"),
            Self::NotPositive { field } => write!(f, "{field}: must be greater than 0"),
            Self::FieldOfView => f.write_str("vertical_fov: must be less than pi, half a turn in radians"),
            Self::NoPerspective => f.write_str("the matrix has no perspective: use Camera::orthographic"),
            Self::Singular => f.write_str("the matrix is singular"),
        }
    }
}

impl core::error::Error for CameraError {}

impl<V: Vector3> Camera<V> {
    /// The perspective camera with a vertical field of view in radians, as engines have it: it looks along -Z, with +Y up.
    /// Pixels are square.
    ///
    /// # Errors
    /// A field of view that is not finite, not greater than zero, or not less than pi; an image without pixels.
    pub fn perspective(vertical_fov: V::Scalar, size: [u32; 2]) -> Result<Self, CameraError> {
        let [_, height] = pixels(size)?;
        let fov = positive("vertical_fov", vertical_fov)?;
        // Half of a number below pi has a tangent.
        if fov >= core::f64::consts::PI {
            return Err(CameraError::FieldOfView);
        }
        let step = tangent(fov / 2.0) / Dd::from_f64(height / 2.0);
        Self::of_squares(CameraKind::Perspective, step, size)
    }

    /// The orthographic camera whose image has this height in units of the scene: it looks along -Z, with +Y up. Pixels are square.
    ///
    /// # Errors
    /// A height that is not finite or not greater than zero; an image without pixels.
    pub fn orthographic(height: V::Scalar, size: [u32; 2]) -> Result<Self, CameraError> {
        let [_, rows] = pixels(size)?;
        let step = Dd::from_f64(positive("height", height)?) / Dd::from_f64(rows);
        Self::of_squares(CameraKind::Orthographic, step, size)
    }

    /// The pinhole camera of OpenCV by its focal lengths `fx`, `fy` and its principal point `cx`, `cy`, in pixels: it looks along +Z,
    /// with +Y down. Lens distortion is not part of it: undistort the pixels first.
    ///
    /// OpenCV counts from the middle of the first pixel: its pixel `(u, v)` is `[u + 0.5, v + 0.5]` here, if the principal point
    /// was counted in the same way. Calibrations of OpenCV are: add 0.5 to `cx` and `cy`, or pass `(u, v)` as they are.
    ///
    /// # Errors
    /// A number that is not finite; a focal length not greater than zero; an image without pixels.
    #[doc(alias("intrinsics", "camera_matrix", "OpenCV"))]
    pub fn pinhole(focal: [V::Scalar; 2], center: [V::Scalar; 2], size: [u32; 2]) -> Result<Self, CameraError> {
        pixels(size)?;
        let [fx, fy] = [positive("focal", focal[0])?, positive("focal", focal[1])?].map(Dd::from_f64);
        if !center.iter().all(|c| c.is_finite()) {
            return Err(CameraError::NotFinite { field: "center" });
        }
        let (zero, one) = (Dd::ZERO, Dd::ONE);
        Self {
            origin: Vec3::default(),
            right: rounded(Vec3::new(one / fx, zero, zero)),
            down: rounded(Vec3::new(zero, one / fy, zero)),
            forward: Vec3::new(0.0, 0.0, 1.0),
            center: center.map(Real::to_f64),
            kind: CameraKind::Perspective,
            size,
            vector: PhantomData,
        }
        .finite()
    }

    /// The camera of a view-projection matrix with perspective, by columns, which takes the points that the camera sees to -1..=1 in
    /// x and y. `Mat4::to_cols_array_2d` of glam gives the columns. The depth may have any range, be infinite or reversed, and the
    /// projection may be off-centre: rays do not depend on the near and the far plane.
    ///
    /// # Errors
    /// A number that is not finite; a matrix that is singular or has no perspective; an image without pixels.
    ///
    /// ```
    /// use hitscan::{glam::{camera::rh, Vec3}, Camera};
    /// // As in Bevy: infinite and reversed.
    /// let projection = rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.1);
    /// let view = rh::view::look_at_mat4(Vec3::new(0.0, 2.0, 5.0), Vec3::new(0.0, 2.0, 0.0), Vec3::Y);
    /// let camera = Camera::<Vec3>::from_view_projection((projection * view).to_cols_array_2d(), [600, 400])?;
    /// let ray = camera.ray([300.0, 200.0]);
    /// assert!(ray.origin.abs_diff_eq(Vec3::new(0.0, 2.0, 5.0), 1e-5) && ray.direction.abs_diff_eq(-Vec3::Z, 1e-6));
    /// # Ok::<(), hitscan::CameraError>(())
    /// ```
    pub fn from_view_projection(columns: [[V::Scalar; 4]; 4], size: [u32; 2]) -> Result<Self, CameraError> {
        let [width, height] = pixels(size)?;
        let columns = columns.map(|column| column.map(Real::to_f64));
        if !columns.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(CameraError::NotFinite { field: "columns" });
        }
        // The rows of x, y and w: their linear parts must be independent, and that of w not zero.
        let linear = |row: usize| [columns[0][row], columns[1][row], columns[2][row]];
        if linear(3) == [0.0; 3] {
            return Err(CameraError::NoPerspective);
        }
        if is_singular([linear(0), linear(1), linear(3)]) {
            return Err(CameraError::Singular);
        }
        let row = |row: usize| {
            let [x, y, z] = linear(row).map(Dd::from_f64);
            (Vec3::new(x, y, z), Dd::from_f64(columns[3][row]))
        };
        // Pixels from the middle of the image times w, as linear functions of a point.
        let ((x, x0), (y, y0), (w, w0)) = (row(0), row(1), row(3));
        let center = [width / 2.0, height / 2.0];
        let [half_width, half_height] = center.map(Dd::from_f64);
        let (u, u0, v, v0) = (x * half_width, x0 * half_width, -y * half_height, -y0 * half_height);
        // Their inverse: the direction of a pixel, at which w is 1, and the point at which all three are 0. The rows of the inverse of
        // the transpose are its columns.
        let zero = Vec3::<f64>::default().convert();
        let [right, down, forward] = AffineMap { columns: [u, v, w], translation: zero }.inverse_rows();
        let origin = -(right * u0 + down * v0 + forward * w0);
        let [origin, right, down, forward] = [origin, right, down, forward].map(rounded);
        let kind = CameraKind::Perspective;
        Self { origin, right, down, forward, center, kind, size, vector: PhantomData }.finite()
    }

    /// The camera at the image of its place under a transform, from its own coordinates to those of the scene: the transform of its
    /// entity or node. A scale changes the unit of depth, too.
    ///
    /// # Errors
    /// [`NotFinite`](CameraError::NotFinite) if a number of the camera overflows.
    pub fn placed(self, transform: &Transform<V>) -> Result<Self, CameraError> {
        let map = AffineMap { columns: transform.axes_in::<Dd>(), translation: transform.translation().widen() };
        let origin = rounded(map.point(self.origin.convert()));
        let [right, down, forward] = [self.right, self.down, self.forward].map(|v| rounded(map.vector(v.convert())));
        Self { origin, right, down, forward, ..self }.finite()
    }

    /// The camera with these extrinsics: the transform from the coordinates of the scene to its own, as OpenCV's `solvePnP` and
    /// `calibrateCamera` give it by a rotation matrix and a translation.
    ///
    /// ```
    /// use hitscan::{glam::DVec3, Camera, Transform};
    /// // A camera at (0, 0, -4), which looks along +Z.
    /// let extrinsics = Transform::from_translation(DVec3::Z * 4.0)?;
    /// let camera = Camera::<DVec3>::pinhole([500.0; 2], [320.0, 240.0], [640, 480])?.with_extrinsics(&extrinsics)?;
    /// let ray = camera.ray([820.0, 240.0]);
    /// assert_eq!((ray.origin, ray.direction), (DVec3::Z * -4.0, DVec3::new(1.0, 0.0, 1.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFinite`](CameraError::NotFinite) if a number of the camera overflows.
    pub fn with_extrinsics(self, transform: &Transform<V>) -> Result<Self, CameraError> {
        let map = AffineMap { columns: transform.axes_in::<Dd>(), translation: transform.translation().widen() };
        let origin = rounded(map.preimage(self.origin.convert()));
        let linear = AffineMap { translation: Vec3::<f64>::default().convert(), ..map };
        let [right, down, forward] =
            [self.right, self.down, self.forward].map(|v| rounded(linear.preimage(v.convert())));
        Self { origin, right, down, forward, ..self }.finite()
    }

    /// The width and the height of the image, in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The ray of a position in the image, from the camera; its `t` is the depth. A position outside of the image has its ray as
    /// well.
    #[doc(alias("viewport_to_world", "screen_to_world", "unproject"))]
    #[must_use]
    pub fn ray(&self, pixel: [V::Scalar; 2]) -> Ray<V> {
        let [origin, direction] = self.line(pixel);
        Ray::new(V::narrow(origin), V::narrow(direction))
    }

    /// The rays of the middles of all pixels, row by row from the top left, as images are stored.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Camera, RayCast, Sphere};
    /// let rays: Vec<_> = Camera::<Vec3>::perspective(1.0, [64, 48])?.rays().collect();
    /// let depths = Sphere::new(Vec3::Z * -5.0, 1.0)?.cast_rays(&rays, ..);
    /// assert_eq!((depths.len(), depths[64 * 24 + 32].map(|hit| hit.t.round())), (64 * 48, Some(4.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rays(&self) -> impl Iterator<Item = Ray<V>> + '_ {
        let middle = |pixel: u32| V::Scalar::from_f64(f64::from(pixel) + 0.5);
        let [width, height] = self.size;
        (0..height).flat_map(move |row| (0..width).map(move |column| self.ray([middle(column), middle(row)])))
    }

    /// What the camera sees within a rectangle of the image, between two positions of opposite corners, for depths in a range: for
    /// example what a player selects by dragging the mouse.
    ///
    /// # Errors
    /// [`Unbounded`](ViewFrustumError::Unbounded) for a far end that is not finite, [`NotFinite`](ViewFrustumError::NotFinite) for other
    /// numbers, and [`NotConvex`](ViewFrustumError::NotConvex) for a rectangle or a range that is empty; the depth of a perspective
    /// camera begins above zero.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Camera, Object, OverlapQuery, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let left = scene.insert(Object::new(Sphere::new(Vec3::new(-2.0, 0.0, -9.0), 0.5)?))?;
    /// scene.insert(Object::new(Sphere::new(Vec3::new(2.0, 0.0, -9.0), 0.5)?))?;
    /// let camera = Camera::<Vec3>::perspective(1.0, [640, 480])?;
    /// let selected = scene.overlapping(camera.frustum([0.0, 0.0], [320.0, 480.0], 0.1..=100.0)?);
    /// assert_eq!(selected.iter().map(|overlap| overlap.object).collect::<Vec<_>>(), [Some(left)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frustum(
        &self,
        from: [V::Scalar; 2],
        to: [V::Scalar; 2],
        depths: RangeInclusive<V::Scalar>,
    ) -> Result<ViewFrustum<V>, ViewFrustumError> {
        let (near, far) = (*depths.start(), *depths.end());
        if far == V::Scalar::INFINITY {
            return Err(ViewFrustumError::Unbounded);
        }
        if !(near < far) || (self.kind == CameraKind::Perspective && !(near > V::Scalar::ZERO)) {
            return Err(ViewFrustumError::NotConvex);
        }
        // From left to right and from bottom to top, whichever corners are given.
        let low_high =
            |axis: usize| if from[axis] < to[axis] { [from[axis], to[axis]] } else { [to[axis], from[axis]] };
        let (columns, rows) = (low_high(0), low_high(1));
        let corner = |i: usize| {
            let [origin, direction] = self.line([columns[i & 1], rows[1 - (i >> 1 & 1)]]);
            let depth = if i >> 2 == 1 { far } else { near };
            V::narrow(origin + direction * Dd::from_f64(depth.to_f64()))
        };
        ViewFrustum::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(corner))
    }

    /// What the camera sees within the whole image, for depths in a range.
    ///
    /// # Errors
    /// Those of [`frustum`](Self::frustum).
    pub fn view_frustum(&self, depths: RangeInclusive<V::Scalar>) -> Result<ViewFrustum<V>, ViewFrustumError> {
        let end = self.size.map(|pixels| V::Scalar::from_f64(f64::from(pixels)));
        self.frustum([V::Scalar::ZERO; 2], end, depths)
    }

    /// What the camera sees within one pixel, by its column and row, for depths in a range.
    ///
    /// # Errors
    /// Those of [`frustum`](Self::frustum).
    pub fn pixel_frustum(
        &self,
        [column, row]: [u32; 2],
        depths: RangeInclusive<V::Scalar>,
    ) -> Result<ViewFrustum<V>, ViewFrustumError> {
        let at = |end: f64| [column, row].map(|pixel| V::Scalar::from_f64(f64::from(pixel) + end));
        self.frustum(at(0.0), at(1.0), depths)
    }

    /// The position of a point in the image, and its depth; it may be outside of the image. `None` for a point that is not in front
    /// of the camera. Each number is rounded once from twice the digits.
    #[doc(alias("world_to_viewport", "world_to_screen", "projectPoints"))]
    #[must_use]
    pub fn project(&self, point: V) -> Option<([V::Scalar; 2], V::Scalar)> {
        // The weights of the three vectors in the way from the camera to the point.
        let columns = [self.right, self.down, self.forward].map(Vec3::convert::<Dd>);
        let Vec3 { x: u, y: v, z: depth } =
            AffineMap { columns, translation: self.origin.convert() }.preimage(point.widen());
        if !depth.gt(Dd::ZERO) {
            return None;
        }
        let [u, v] = match self.kind {
            CameraKind::Perspective => [u / depth, v / depth],
            CameraKind::Orthographic => [u, v],
        };
        let narrow = |x: Dd| V::Scalar::from_f64(x.to_f64());
        let [column, row] = self.center.map(Dd::from_f64);
        Some(([u + column, v + row].map(narrow), narrow(depth)))
    }

    /// A camera in the origin that looks along -Z and whose pixels are squares with this step.
    fn of_squares(kind: CameraKind, step: Dd, size: [u32; 2]) -> Result<Self, CameraError> {
        Self {
            origin: Vec3::default(),
            right: rounded(Vec3::new(step, Dd::ZERO, Dd::ZERO)),
            down: rounded(Vec3::new(Dd::ZERO, -step, Dd::ZERO)),
            forward: Vec3::new(0.0, 0.0, -1.0),
            center: size.map(|pixels| f64::from(pixels) / 2.0),
            kind,
            size,
            vector: PhantomData,
        }
        .finite()
    }

    /// The camera, if its numbers are finite.
    fn finite(self) -> Result<Self, CameraError> {
        let is_finite = [self.origin, self.right, self.down, self.forward].iter().all(|v| v.max_abs_f64().is_finite());
        if is_finite { Ok(self) } else { Err(CameraError::NotFinite { field: "camera" }) }
    }

    /// Origin and direction of the ray of a position.
    fn line(&self, [u, v]: [V::Scalar; 2]) -> [Vec3<Dd>; 2] {
        let [origin, right, down, forward] =
            [self.origin, self.right, self.down, self.forward].map(Vec3::convert::<Dd>);
        let steps = |at: V::Scalar, center: f64| Dd::from_f64(at.to_f64()) - Dd::from_f64(center);
        let way = right * steps(u, self.center[0]) + down * steps(v, self.center[1]);
        match self.kind {
            CameraKind::Perspective => [origin, way + forward],
            CameraKind::Orthographic => [origin + way, forward],
        }
    }
}

fn rounded(v: Vec3<Dd>) -> Vec3<f64> {
    v.map_to(Arithmetic::to_f64)
}

fn positive<S: Real>(field: &'static str, x: S) -> Result<f64, CameraError> {
    if !x.is_finite() {
        return Err(CameraError::NotFinite { field });
    }
    if x > S::ZERO { Ok(x.to_f64()) } else { Err(CameraError::NotPositive { field }) }
}

fn pixels(size: [u32; 2]) -> Result<[f64; 2], CameraError> {
    if size.contains(&0) { Err(CameraError::NotPositive { field: "size" }) } else { Ok(size.map(f64::from)) }
}

/// Number of terms of the series of sine and cosine: up to a quarter of a turn, the next ones are below 2^-110.
const TERMS: u32 = 36;

/// The tangent of an angle from 0 to a quarter of a turn, the same on every machine.
///
/// # Method
/// The Taylor series of sine and cosine in `Dd`: their terms have alternating signs and fall from the second one on, so that what is
/// left out is below the next term, and what cancels in the cosine is its distance to zero at `pi / 2`.
fn tangent(angle: f64) -> Dd {
    let x = Dd::from_f64(angle);
    let (mut term, mut sine, mut cosine) = (Dd::ONE, Dd::ZERO, Dd::ONE);
    for n in 1..=TERMS {
        term = term * x / Dd::from_f64(f64::from(n));
        match n % 4 {
            0 => cosine = cosine + term,
            1 => sine = sine + term,
            2 => cosine = cosine - term,
            _ => sine = sine - term,
        }
    }
    sine / cosine
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::camera::lh;
    use glam::dcamera::rh;
    use glam::{DMat4, DQuat, DVec3, Mat4, Vec3 as Single};
    use test_support::random::Rng;

    #[test]
    fn tangents() {
        for i in 1..1_000 {
            let angle = f64::from(i) * 0.001_57;
            let (found, expected) = (tangent(angle).to_f64(), angle.tan());
            // The standard function is off by less than two units.
            assert!((found - expected).abs() <= 4.0 * f64::EPSILON * expected, "{angle}: {found} {expected}");
        }
        assert_eq!(tangent(core::f64::consts::FRAC_PI_4).to_f64(), 1.0f64.next_down());
    }

    /// The rays of cameras by angles and by matrices are the same, and go where the matrix of glam puts them.
    #[test]
    fn rays_agree_with_matrices() {
        let mut rng = Rng::new(24);
        for _ in 0..400 {
            let ([x, y, z], [a, b, c]) = (rng.cube(3), rng.cube(3));
            let (eye, turn) = (DVec3::new(x, y, z) * 10.0, DQuat::from_xyzw(a, b, c, rng.unit() + 0.1).normalize());
            let (fov, size) = (rng.between(0.1, 2.5), [1 + rng.below(900) as u32, 1 + rng.below(900) as u32]);
            let aspect = f64::from(size[0]) / f64::from(size[1]);
            let place = Transform::from_rotation_translation(turn, eye).unwrap();
            let camera = Camera::<DVec3>::perspective(fov, size).unwrap().placed(&place).unwrap();
            let view = DMat4::from_rotation_translation(turn, eye).inverse();
            let projections = [
                rh::proj::directx::perspective(fov, aspect, 0.1, 100.0),
                rh::proj::directx::perspective_infinite(fov, aspect, 0.1),
                rh::proj::directx::perspective_infinite_reverse(fov, aspect, 0.1),
            ];
            let point = [rng.unit() * f64::from(size[0]), rng.unit() * f64::from(size[1])];
            let ray = camera.ray(point);
            assert_eq!(ray.origin, eye);
            for projection in projections {
                let matrix = projection * view;
                let by_matrix = Camera::<DVec3>::from_view_projection(matrix.to_cols_array_2d(), size).unwrap();
                let other = by_matrix.ray(point);
                assert!(
                    other.origin.abs_diff_eq(eye, 1e-10)
                        && other.direction.abs_diff_eq(ray.direction, 1e-11 * (1.0 + ray.direction.length()))
                );
                let clip = matrix.project_point3(ray.at(3.0));
                let pixel = [(clip.x + 1.0) / 2.0 * f64::from(size[0]), (1.0 - clip.y) / 2.0 * f64::from(size[1])];
                assert!((0..2).all(|i| (pixel[i] - point[i]).abs() < 1e-7), "{pixel:?} {point:?}");
            }
            // Back to the pixel, with the depth.
            let (pixel, depth) = camera.project(ray.at(7.5)).unwrap();
            assert!((0..2).all(|i| (pixel[i] - point[i]).abs() < 1e-9) && (depth - 7.5).abs() < 1e-12);
            assert_eq!(camera.project(ray.at(-1.0)), None);
        }
    }

    /// A left-handed camera is as good, and an off-centre one.
    #[test]
    fn other_matrices() {
        let left = lh::proj::directx::perspective(1.0, 2.0, 0.5, 50.0);
        let camera = Camera::<Single>::from_view_projection(left.to_cols_array_2d(), [200, 100]).unwrap();
        assert_eq!(camera.ray([100.0, 50.0]), Ray::new(Single::ZERO, Single::Z)); // the middle is exact
        assert!(
            camera.ray([200.0, 0.0]).direction.abs_diff_eq(Single::new(2.0 * 0.5f32.tan(), 0.5f32.tan(), 1.0), 1e-6)
        );
        let error =
            |matrix: Mat4| Camera::<Single>::from_view_projection(matrix.to_cols_array_2d(), [2, 2]).unwrap_err();
        assert_eq!(error(Mat4::IDENTITY), CameraError::NoPerspective);
        assert_eq!(error(Mat4::NAN), CameraError::NotFinite { field: "columns" });
        assert_eq!(error(Mat4::from_cols_array(&[1.0; 16])), CameraError::Singular);
    }

    /// Exact numbers of a pinhole camera and an orthographic one, and both ways of placing it.
    #[test]
    fn exact_cameras() {
        let pinhole = Camera::<DVec3>::pinhole([512.0, 256.0], [320.0, 240.0], [640, 480]).unwrap();
        assert_eq!(pinhole.ray([320.0 + 256.0, 240.0 - 64.0]).direction, DVec3::new(0.5, -0.25, 1.0));
        let place = Transform::new([DVec3::Y, DVec3::Z, DVec3::X], DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let back = Transform::new([DVec3::Z, DVec3::X, DVec3::Y], -DVec3::new(2.0, 3.0, 1.0)).unwrap();
        assert_eq!(pinhole.placed(&place), pinhole.with_extrinsics(&back));
        let map = Camera::<DVec3>::orthographic(8.0, [32, 16]).unwrap();
        assert_eq!(map.ray([16.0, 8.0]), Ray::new(DVec3::ZERO, -DVec3::Z));
        assert_eq!(map.ray([0.0, 0.0]), Ray::new(DVec3::new(-8.0, 4.0, 0.0), -DVec3::Z));
        assert_eq!(map.project(DVec3::new(-8.0, -4.0, -2.0)), Some(([0.0, 16.0], 2.0)));
        assert_eq!(map.rays().count(), 512);
        assert_eq!(map.rays().nth(33), Some(map.ray([1.5, 1.5])));
    }

    /// Cameras in scenes of any unit of length.
    #[test]
    fn cameras_of_any_scale() {
        let camera = Camera::<DVec3>::perspective(1.0, [640, 480]).unwrap();
        let projection = rh::proj::directx::perspective_infinite(1.0, 640.0 / 480.0, 0.1);
        let pixel = [100.5, 30.25];
        for scale in [1e-120, 1e120] {
            let scaled = |scale: f64| Transform::identity().with_scale(DVec3::splat(scale)).unwrap();
            let placed = camera.placed(&scaled(scale)).unwrap();
            let ray = placed.ray(pixel);
            let (found, depth) = placed.project(ray.at(7.5)).unwrap();
            assert!(
                (0..2).all(|i| (found[i] - pixel[i]).abs() < 1e-9) && (depth - 7.5).abs() < 1e-12,
                "{found:?} {depth}"
            );
            // By the inverse, and by a matrix.
            let columns = (projection * DMat4::from_scale(DVec3::splat(1.0 / scale))).to_cols_array_2d();
            for other in [
                camera.with_extrinsics(&scaled(1.0 / scale)).unwrap(),
                Camera::from_view_projection(columns, [640, 480]).unwrap(),
            ] {
                let error = other.ray(pixel).direction / scale - camera.ray(pixel).direction;
                assert!(error.length() < 1e-14, "{scale} {other:?}");
            }
        }
    }

    #[test]
    fn frustums_of_rectangles() {
        let camera = Camera::<DVec3>::orthographic(8.0, [16, 16]).unwrap();
        let whole = camera.view_frustum(1.0..=5.0).unwrap();
        assert_eq!(whole.corners()[0], DVec3::new(-4.0, -4.0, -1.0));
        assert_eq!(whole.corners()[7], DVec3::new(4.0, 4.0, -5.0));
        assert_eq!(camera.frustum([16.0, 0.0], [0.0, 16.0], 1.0..=5.0), Ok(whole));
        let pixel = camera.pixel_frustum([0, 0], 0.0..=1.0).unwrap();
        assert_eq!((pixel.corners()[0], pixel.corners()[7]), (DVec3::new(-4.0, 3.5, 0.0), DVec3::new(-3.5, 4.0, -1.0)));
        let camera = Camera::<DVec3>::perspective(1.0, [16, 16]).unwrap();
        let error = |from, to, depths| camera.frustum(from, to, depths).unwrap_err();
        assert_eq!(error([0.0; 2], [1.0; 2], 0.1..=f64::INFINITY), ViewFrustumError::Unbounded);
        assert_eq!(error([0.0; 2], [1.0; 2], 0.0..=1.0), ViewFrustumError::NotConvex);
        assert_eq!(error([0.0; 2], [0.0, 1.0], 0.1..=1.0), ViewFrustumError::NotConvex);
        assert_eq!(error([0.0; 2], [f64::NAN, 1.0], 0.1..=1.0), ViewFrustumError::NotFinite { field: "corners" });
    }

    #[test]
    fn refusals() {
        let error = |fov, size| Camera::<Single>::perspective(fov, size).unwrap_err();
        assert_eq!(error(0.0, [4, 4]), CameraError::NotPositive { field: "vertical_fov" });
        assert_eq!(error(f32::NAN, [4, 4]), CameraError::NotFinite { field: "vertical_fov" });
        assert_eq!(error(3.2, [4, 4]), CameraError::FieldOfView);
        assert_eq!(error(1.0, [0, 4]), CameraError::NotPositive { field: "size" });
        assert!(Camera::<Single>::orthographic(f32::INFINITY, [4, 4]).is_err());
        let pinhole = |focal, center| Camera::<Single>::pinhole(focal, center, [4, 4]).unwrap_err();
        assert_eq!(pinhole([1.0, -1.0], [2.0; 2]), CameraError::NotPositive { field: "focal" });
        assert_eq!(pinhole([1.0; 2], [f32::NAN, 2.0]), CameraError::NotFinite { field: "center" });
    }
}
