//! The closest point of an ellipsoid, in 2D of an ellipse.

use crate::closest_point::Feature;
use crate::distance::local_point::{LocalPoint, length};
use crate::kernel::projection::{Project, Projection};
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

/// 2^400: beside the square of a larger number, 1 vanishes.
const LARGE_COTANGENT: f64 = power(400);

/// Semi-axes at right angles of the image of the unit ball under a matrix with the columns `axes`.
///
/// # Method
/// Rotations of two columns at a time make them orthogonal. The columns are orthogonal up to the rounding of a basis, so two
/// sweeps reach all digits.
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
    for _sweep in 0..2 {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if j >= dimension {
                continue;
            }
            let (p, q) = (axes[i], axes[j]);
            let product = p.dot(q);
            if product.equals(T::ZERO) {
                continue;
            }
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
            let cosine = T::ONE / (T::ONE + t.sq()).sqrt();
            (axes[i], axes[j]) = ((p - q * t) * cosine, (q + p * t) * cosine);
        }
    }
    axes
}

/// Nearest point of an ellipsoid with its axes along those of the coordinates, for coordinates at least 0.
///
/// # Method
/// With the half axes `e`, the least of them `m`, and `r = (e / m)^2`, the nearest point has the coordinates
/// `r y / (s + r)`, where `s > -1` is the root of a decreasing convex function, the sum of `(r z / (s + r))^2` less 1 for
/// `z = y / e`. Where one term is 1, the function is not negative, so Newton's method ascends from there to the root without
/// passing it. The unknown is `tau = s + 1`, and the numbers `r - 1` are products: near the plane of the two larger axes
/// `s + r` would cancel.
///
/// # Source
/// Eberly, *Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid*, Geometric Tools, 2013: the equation, and
/// the points without a root. He bisects; the ascending Newton steps are ours.
///
/// # Accuracy
/// The root has all digits, because the steps end only when they do not ascend any more: `closest_point.rs`.
///
/// # Edges
/// Without a root, near the centre in the plane of the larger axes, the point is on the axis `m` in its positive direction.
fn on_quadrant<T: Arithmetic>(e: [T; 3], y: [T; 3], dimension: usize) -> [T; 3] {
    let mut least = 0;
    for axis in 1..dimension {
        if e[axis].lt(e[least]) {
            least = axis;
        }
    }
    let m = e[least];
    let axes = || 0..dimension;
    let (mut r, mut above, mut scaled) = ([T::ONE; 3], [T::ZERO; 3], [T::ZERO; 3]);
    for axis in axes() {
        let ratio = e[axis] / m;
        r[axis] = ratio.sq();
        above[axis] = (e[axis] - m) / m * (ratio + T::ONE);
        scaled[axis] = r[axis] * (y[axis] / e[axis]);
    }
    // A term is 1 where tau is `scaled - above`; the greatest such tau is nearest to the root.
    let mut tau = axes().fold(T::ZERO, |tau, axis| (scaled[axis] - above[axis]).max(tau));
    let share = |axis: usize, tau: T| {
        if scaled[axis].equals(T::ZERO) { T::ZERO } else { scaled[axis] / (tau + above[axis]) }
    };
    if !tau.gt(T::ZERO) {
        let mut shares = [T::ZERO; 3];
        axes().filter(|&axis| axis != least).for_each(|axis| shares[axis] = share(axis, T::ZERO));
        let rest = T::ONE - shares[0].sq() - shares[1].sq() - shares[2].sq();
        if rest.ge(T::ZERO) {
            shares[least] = rest.sqrt();
            return [0, 1, 2].map(|axis| shares[axis] * e[axis]);
        }
    }
    for _ in 0..MAX_STEPS {
        let (mut value, mut slope) = (-T::ONE, T::ZERO);
        for axis in axes() {
            let q = share(axis, tau);
            value = value + q.sq();
            if q.gt(T::ZERO) {
                slope = slope + q.sq() / (tau + above[axis]);
            }
        }
        // A NaN ends the steps, too.
        let next = tau + value / (slope + slope);
        if !next.gt(tau) {
            break;
        }
        tau = next;
    }
    [0, 1, 2].map(|axis| share(axis, tau) * e[axis])
}

impl<V: Vector> Project for Ellipsoid<V> {
    /// See [`on_quadrant`]: # Method, # Source, # Accuracy and # Edges are there. The axes of the ellipsoid count exactly as
    /// they are: their inverse matrix maps a ball to it, and [`orthogonalized`] gives the semi-axes of the image.
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        let radii = self.radii().widen::<T>();
        let local = LocalPoint::new(point, self.center().widen(), radii.max_abs_f64());
        let radii = local.lengths(radii).map(|r| r.max(T::from_f64(MIN_HALF_AXIS)));
        let [a, b, c] = self.basis().rows::<T>();
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.dot(cofactors[0]);
        let axes = [0, 1, 2].map(|i| cofactors[i] * (radii.get(i) / determinant));
        let axes = orthogonalized(axes, V::DIM);
        let e = axes.map(length);
        let units = [0, 1, 2].map(|i| axes[i].map(|c| c / e[i]));
        let signed = units.map(|unit| unit.dot(local.o));
        let found = on_quadrant(e, signed.map(Arithmetic::abs), V::DIM);
        let mut at = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
        for axis in 0..V::DIM {
            at = at + units[axis] * found[axis].mul_sign(signed[axis]);
        }
        local.projection(at, length(at - local.o), Feature::Face(0))
    }
}
