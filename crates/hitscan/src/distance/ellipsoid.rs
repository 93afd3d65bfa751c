//! The closest point of an ellipsoid, in 2D of an ellipse, and of the image of a ball.

use crate::closest_point::Feature;
use crate::distance::local_point::{LocalPoint, length};
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::shapes::ellipsoid::Ellipsoid;

/// Upper bound of Newton steps. They double the digits: a dozen suffice for numbers of any size.
const MAX_STEPS: usize = 64;

/// Least half axis beside a largest coordinate in 1..2: 2^-200. Smaller ones would be far below a rounding of the result,
/// but their squares below the range of `f64`.
const MIN_HALF_AXIS: f64 = power(-200);

/// Upper bound of the sweeps that make axes orthogonal. They double the digits.
const MAX_SWEEPS: usize = 12;

/// 2^400: beside the square of a larger number, 1 vanishes.
const LARGE_COTANGENT: f64 = power(400);

/// Semi-axes at right angles of the image of the unit ball under a matrix with the columns `axes`.
///
/// # Method
/// Rotations of two columns at a time make them orthogonal. A sweep makes the cosine of each angle about its square, so the
/// last sweep is the one that finds all cosines below the root of a rounding.
///
/// # Source
/// One-sided Jacobi rotations: Hestenes, *Inversion of Matrices by Biorthogonalization*, J. SIAM 6(1), 1958; relative
/// accuracy: Demmel, Veselic, *Jacobi's Method is More Accurate than QR*, SIAM J. Matrix Anal. Appl. 13(4), 1992.
///
/// # Accuracy
/// The error of each column is relative to its own length.
///
/// # Edges
/// Columns that are orthogonal stay as they are.
fn orthogonalized<T: Arithmetic>(mut axes: [Vec3<T>; 3], dimension: usize) -> [Vec3<T>; 3] {
    // Each sweep turns each pair of columns to a right angle, and so disturbs the others less and less.
    for _sweep in 0..MAX_SWEEPS {
        let mut is_last = true;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if j >= dimension {
                continue;
            }
            let (p, q) = (axes[i], axes[j]);
            let product = p.dot(q);
            if product.equals(T::ZERO) {
                continue;
            }
            // The cosine says whether another sweep is needed.
            let cosine = product.to_f64().abs() / Arithmetic::sqrt(p.length_sq().to_f64() * q.length_sq().to_f64());
            is_last &= cosine < T::sign_threshold();
            // Tangent of the angle of rotation: the smaller root of t^2 + 2 zeta t = 1.
            let zeta = (q.length_sq() - p.length_sq()) / (product + product);
            let size = zeta.to_f64().abs();
            let t = if size < LARGE_COTANGENT {
                T::ONE.mul_sign(zeta) / (zeta.abs() + (T::ONE + zeta.sq()).sqrt())
            } else if size < f64::MAX {
                // The 1 under the root is below its last digit, and the square might overflow.
                (T::ONE / zeta).times_power_of_two(0.5)
            } else {
                continue;
            };
            // The rotation of both columns.
            let cosine = T::ONE / (T::ONE + t.sq()).sqrt();
            (axes[i], axes[j]) = ((p - q * t) * cosine, (q + p * t) * cosine);
        }
        if is_last {
            break;
        }
    }
    axes
}

/// The equation whose roots are the points of an ellipsoid, with its axes along those of the coordinates, that are
/// perpendicularly below a point with coordinates of at least 0.
///
/// With the half axes `e`, the least of them `m`, and `r = (e / m)^2`, these points have the coordinates `r y / (s + r)`,
/// where the sum of the `(r z / (s + r))^2` is 1 for `z = y / e`. The unknown is `tau = s + 1`, and the numbers `above = r - 1`
/// are products: near the plane of the two larger axes `s + r` would cancel.
///
/// # Source
/// Eberly, *Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid*, Geometric Tools, 2013: the equation, and
/// the points without a root. He bisects; the Newton steps, and the second point, are ours.
struct FootEquation<T> {
    dimension: usize,
    /// The least half axis.
    least: usize,
    e: [T; 3],
    above: [T; 3],
    /// `r y / e`.
    scaled: [T; 3],
}

impl<T: Arithmetic> FootEquation<T> {
    fn new(e: [T; 3], y: [T; 3], dimension: usize) -> Self {
        // The least half axis is the unit of the equation.
        let mut least = 0;
        for axis in 1..dimension {
            if e[axis].lt(e[least]) {
                least = axis;
            }
        }
        let m = e[least];
        // The ratios as products of differences, which do not cancel.
        let (mut above, mut scaled) = ([T::ZERO; 3], [T::ZERO; 3]);
        for axis in 0..dimension {
            let ratio = e[axis] / m;
            above[axis] = (e[axis] - m) / m * (ratio + T::ONE);
            scaled[axis] = ratio.sq() * (y[axis] / e[axis]);
        }
        Self { dimension, least, e, above, scaled }
    }

    /// A coordinate of the point, over the half axis.
    #[inline(always)]
    fn share(&self, axis: usize, tau: T) -> T {
        let scaled = self.scaled[axis];
        if scaled.equals(T::ZERO) { T::ZERO } else { scaled / (tau + self.above[axis]) }
    }

    /// The sum less 1, and its slope over -2.
    fn value_and_slope(&self, tau: T) -> (T, T) {
        let (mut value, mut slope) = (-T::ONE, T::ZERO);
        for axis in 0..self.dimension {
            let q = self.share(axis, tau);
            value = value + q.sq();
            if !q.equals(T::ZERO) {
                slope = slope + q.sq() / (tau + self.above[axis]);
            }
        }
        (value, slope)
    }

    fn point(&self, shares: [T; 3]) -> [T; 3] {
        [0, 1, 2].map(|axis| shares[axis] * self.e[axis])
    }

    fn point_at(&self, tau: T) -> [T; 3] {
        self.point([0, 1, 2].map(|axis| self.share(axis, tau)))
    }

    /// The point for a `tau` of 0, where only the least axis has a choice; `None` if there is no such point.
    fn point_without_root(&self) -> Option<[T; 3]> {
        let mut shares = [T::ZERO; 3];
        let others = (0..self.dimension).filter(|&axis| axis != self.least);
        others.for_each(|axis| shares[axis] = self.share(axis, T::ZERO));
        let rest = T::ONE - shares[0].sq() - shares[1].sq() - shares[2].sq();
        shares[self.least] = rest.sqrt();
        rest.ge(T::ZERO).then(|| self.point(shares))
    }

    /// The nearest point.
    ///
    /// # Method
    /// For `tau > 0` the sum decreases and is convex. Where one term is 1, the sum is not below 1, so Newton's method ascends
    /// from there to the root without passing it.
    ///
    /// # Accuracy
    /// The root has all digits, because the steps end only when they do not ascend any more: `closest_point.rs`.
    ///
    /// # Edges
    /// Without a root, near the centre in the plane of the larger axes, the point is on the axis `m` in its positive direction.
    fn nearest(&self) -> [T; 3] {
        // A term is 1 where tau is `scaled - above`; the greatest such tau is nearest to the root.
        let start = (0..self.dimension).fold(T::ZERO, |tau, axis| (self.scaled[axis] - self.above[axis]).max(tau));
        if !start.gt(T::ZERO)
            && let Some(point) = self.point_without_root()
        {
            return point;
        }
        // Newton's method ascends from there to the root.
        let mut tau = start;
        for _ in 0..MAX_STEPS {
            let (value, slope) = self.value_and_slope(tau);
            // A NaN ends the steps, too.
            let next = tau + value / (slope + slope);
            if !next.gt(tau) {
                break;
            }
            tau = next;
        }
        self.point_at(tau)
    }

    /// The other point that is nearer than all around it, on the far side of the plane of the larger axes.
    ///
    /// # Method
    /// Where the distance is least, at most one factor `tau + above` is negative, that of the axis `m`: otherwise the distance
    /// decreases along another axis. For `tau < 0`, as long as the other factors are positive, the sum is convex, and the
    /// distance is least where it ascends. Newton's method descends to that root from where the term of `m` is 1.
    ///
    /// # Edges
    /// `None` if there is no other such point.
    fn opposite(&self) -> Option<[T; 3]> {
        let least = self.least;
        // The special case of a point in the plane of the larger axes: the mirror image of the nearest point.
        if self.scaled[least].equals(T::ZERO) {
            let mut point = self.point_without_root()?;
            point[least] = -point[least];
            return Some(point);
        }
        // From the pole of the least axis, Newton's method descends.
        let mut tau = -self.scaled[least];
        for _ in 0..MAX_STEPS {
            let is_within = |axis: usize| axis == least || (tau + self.above[axis]).gt(T::ZERO);
            // Beyond the poles of the other axes, or where the sum does not ascend, there is no such point.
            let (value, slope) = self.value_and_slope(tau);
            if !((0..self.dimension).all(is_within) && slope.lt(T::ZERO)) {
                return None;
            }
            let next = tau + value / (slope + slope);
            if !next.lt(tau) {
                break;
            }
            tau = next;
        }
        Some(self.point_at(tau))
    }
}

/// The image of the unit ball under a matrix: an ellipsoid around the origin, or of the unit disk in a plane: an ellipse.
pub(crate) struct CenteredEllipsoid<T> {
    dimension: usize,
    half_axes: [T; 3],
    /// The directions of the axes.
    units: [Vec3<T>; 3],
}

impl<T: Arithmetic> CenteredEllipsoid<T> {
    /// `axes` are the columns of the matrix. Those of at least `dimension` do not count.
    pub(crate) fn new(axes: [Vec3<T>; 3], dimension: usize) -> Self {
        let axes = orthogonalized(axes, dimension);
        let half_axes = axes.map(|axis| length(axis).max(T::from_f64(MIN_HALF_AXIS)));
        let units = [0, 1, 2].map(|i| axes[i].map(|c| c / half_axes[i]));
        Self { dimension, half_axes, units }
    }

    fn coordinates(&self, o: Vec3<T>) -> [T; 3] {
        self.units.map(|unit| unit.dot(o))
    }

    fn at(&self, coordinates: [T; 3]) -> Vec3<T> {
        let mut at = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
        for (unit, coordinate) in self.units.iter().zip(coordinates).take(self.dimension) {
            at = at + *unit * coordinate;
        }
        at
    }

    /// A root of the equation, on the side of `o`.
    fn foot(&self, o: Vec3<T>, root: impl FnOnce(&FootEquation<T>) -> Option<[T; 3]>) -> Option<Vec3<T>> {
        let signed = self.coordinates(o);
        let found = root(&FootEquation::new(self.half_axes, signed.map(Arithmetic::abs), self.dimension))?;
        Some(self.at([0, 1, 2].map(|axis| found[axis].mul_sign(signed[axis]))))
    }

    /// The nearest point of the surface: see [`FootEquation::nearest`].
    pub(crate) fn nearest(&self, o: Vec3<T>) -> Vec3<T> {
        self.foot(o, |equation| Some(equation.nearest())).unwrap_or(o)
    }

    /// Another point that is nearer than all points of the surface around it: see [`FootEquation::opposite`].
    pub(crate) fn opposite(&self, o: Vec3<T>) -> Option<Vec3<T>> {
        self.foot(o, FootEquation::opposite)
    }

    /// The foot of `o` in the plane of an ellipse, if it lies within.
    pub(crate) fn foot_within(&self, o: Vec3<T>) -> Option<Vec3<T>> {
        let coordinates = self.coordinates(o);
        let shares = coordinates.iter().zip(self.half_axes).take(self.dimension);
        shares.fold(T::ZERO, |sum, (x, half)| sum + (*x / half).sq()).le(T::ONE).then(|| self.at(coordinates))
    }

    /// The normal at a point of the surface, outward, of any length.
    pub(crate) fn normal(&self, at: Vec3<T>) -> Vec3<T> {
        let (coordinates, half_axes) = (self.coordinates(at), self.half_axes);
        self.at([0, 1, 2].map(|axis| coordinates[axis] / half_axes[axis] / half_axes[axis]))
    }
}

/// Projection on an ellipsoid around a center, the image of the unit ball under a matrix with these columns.
fn project_on<T: Arithmetic>(local: &LocalPoint<T>, axes: [Vec3<T>; 3], dimension: usize) -> Projection<T> {
    let at = CenteredEllipsoid::new(axes, dimension).nearest(local.o);
    local.projection(at, length(at - local.o), Feature::Face(0))
}

/// Projection on the image of a ball.
pub(crate) fn on_ball_image<V: Vector, T: Arithmetic>(
    point: Vec3<T>,
    (center, radius): (Vec3<T>, f64),
    map: &AffineMap<T>,
) -> Projection<T> {
    let axes = map.columns.map(|column| column * T::from_f64(radius));
    let local = LocalPoint::new(point, map.point(center), largest(&axes));
    project_on(&local, axes.map(|axis| local.lengths(axis)), V::DIM)
}

fn largest<T: Arithmetic>(axes: &[Vec3<T>; 3]) -> f64 {
    axes.iter().map(|axis| axis.max_abs_f64()).fold(0.0, f64::max)
}

impl<V: Vector> Ellipsoid<V> {
    /// Columns of the matrix that maps the unit ball to the ellipsoid with these radii: the inverse of the rows of the basis,
    /// which count exactly as they are.
    fn axes<T: Arithmetic>(&self, radii: Vec3<T>) -> [Vec3<T>; 3] {
        let [a, b, c] = self.basis().rows::<T>();
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.dot(cofactors[0]);
        [0, 1, 2].map(|i| cofactors[i] * (radii.get(i) / determinant))
    }
}

impl<V: Vector> Project for Ellipsoid<V> {
    /// # Method
    /// The ellipsoid is the image of the unit ball: [`orthogonalized`] gives its semi-axes, [`FootEquation`] the point.
    ///
    /// # Source
    /// Eberly 2013: see [`FootEquation`].
    ///
    /// # Accuracy
    /// Few roundings of the largest coordinate or radius: `closest_point.rs`.
    ///
    /// # Edges
    /// See [`FootEquation::nearest`].
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        let radii = self.radii().widen::<T>();
        let local = LocalPoint::new(point, self.center().widen(), radii.max_abs_f64());
        let radii = local.lengths(radii).map(|r| r.max(T::from_f64(MIN_HALF_AXIS)));
        project_on(&local, self.axes(radii), V::DIM)
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        let axes = self.axes(self.radii().widen()).map(|axis| map.vector(axis));
        let local = LocalPoint::new(point, map.point(self.center().widen()), largest(&axes));
        project_on(&local, axes.map(|axis| local.lengths(axis)), V::DIM)
    }
}
