//! On which side of a line or of a plane a point lies, decided exactly.

use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::rounding::{ROUNDING, power};
use crate::math::vec3::Vec3;
use core::cmp::Ordering;

/// 2^-960: products of two numbers of this size have lost nothing beside the bound of their rounding.
const SMALL: f64 = power(-960);

/// 2^-600 and 2^300: sums of products of three numbers below the second one, whose terms exceed the first one, have lost nothing by
/// underflow beside the bound of their rounding.
const SMALL_VOLUME: f64 = power(-600);
const LARGE: f64 = power(300);

/// How the way from `a` over `b` to `c` turns in the plane: greater than equal to the left.
///
/// # Source
/// The filter is that of Shewchuk, *Adaptive precision floating-point arithmetic and fast robust geometric predicates*, Discrete and
/// Computational Geometry 18 (1997).
pub(crate) fn turn([[ax, ay], [bx, by], [cx, cy]]: [[f64; 2]; 3]) -> Ordering {
    let (left, right) = ((bx - ax) * (cy - ay), (by - ay) * (cx - ax));
    let (turn, size) = (left - right, left.abs() + right.abs());
    // Four roundings; no product that decides is so small that digits vanish. False for a number that has overflowed.
    if turn.abs() > 4.0 * ROUNDING * size && size > SMALL && size < f64::INFINITY {
        return if turn > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    with_precision(1, || {
        let [ax, ay, bx, by, cx, cy] = [ax, ay, bx, by, cx, cy].map(Exact::from_f64);
        order((bx - ax) * (cy - ay), (by - ay) * (cx - ax))
    })
}

/// On which side of the plane through `a`, `b` and `c` a point `d` lies: greater than equal where `(b - a) x (c - a)` points to.
///
/// # Source
/// That of [`turn`]; eight roundings, of which the bound allows sixteen.
pub(crate) fn side_of_plane([a, b, c, d]: [[f64; 3]; 4]) -> Ordering {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Vec3::new(x, y, z));
    let (u, v, w) = (b - a, c - a, d - a);
    let height = u.cross(v).plain_dot(w);
    let [p, q, r] = [u, v, w].map(|edge| edge.map(f64::abs));
    // The magnitudes of the six products.
    let terms = Vec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x).plain_dot(r);
    let largest = p.max_abs_f64().max(q.max_abs_f64()).max(r.max_abs_f64());
    if height.abs() > 16.0 * ROUNDING * terms && terms > SMALL_VOLUME && largest < LARGE {
        return if height > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    with_precision(1, || {
        let [a, b, c, d] = [a, b, c, d].map(Vec3::convert::<Exact>);
        order((b - a).cross(c - a).plain_dot(d - a), Exact::ZERO)
    })
}

fn order(a: Exact, b: Exact) -> Ordering {
    a.compare(b).unwrap_or(Ordering::Equal)
}
