//! Ray and triangle.

use super::{Crossing, Float, Line, Vec3};

/// Moeller, Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, JGT 2(1), 1997, without culling: the `t` of the
/// whole line.
#[inline(always)]
pub fn moeller_trumbore<S: Float>(line: &Line<S>, [a, b, c]: [Vec3<S>; 3]) -> Option<S> {
    let (ab, ac) = (b - a, c - a);
    let p = line.direction.cross(ac);
    let det = ab.dot(p);
    if det == S::ZERO {
        return None;
    }
    let inverse = S::ONE / det;
    let s = line.origin - a;
    let u = s.dot(p) * inverse;
    if u < S::ZERO || u > S::ONE {
        return None;
    }
    let q = s.cross(ab);
    let v = line.direction.dot(q) * inverse;
    if v < S::ZERO || u + v > S::ONE {
        return None;
    }
    Some(ac.dot(q) * inverse)
}

/// [`moeller_trumbore`] with the normal of the triangle.
#[inline(always)]
pub fn with_normal<S: Float>(line: &Line<S>, [a, b, c]: [Vec3<S>; 3]) -> Option<Crossing<S>> {
    Some((moeller_trumbore(line, [a, b, c])?, (b - a).cross(c - a)))
}

/// The crossing of the plane, then barycentric coordinates in the projection along the dominant axis of the normal
/// (Badouel, *An Efficient Ray-Polygon Intersection*, Graphics Gems, 1990), for `t >= 0`.
pub fn badouel<S: Float>(line: &Line<S>, [a, b, c]: [Vec3<S>; 3]) -> Option<S> {
    let n = (b - a).cross(c - a);
    let slope = n.dot(line.direction);
    if slope == S::ZERO {
        return None;
    }
    let t = n.dot(a - line.origin) / slope;
    if !(t >= S::ZERO) {
        return None;
    }
    let size = n.0.map(Float::abs);
    let dominant = if size[0] >= size[1] && size[0] >= size[2] { 0 } else { 1 + usize::from(size[2] > size[1]) };
    let flat = |v: Vec3<S>| [v.0[(dominant + 1) % 3], v.0[(dominant + 2) % 3]];
    let (p, u, v) = (flat(line.at(t) - a), flat(b - a), flat(c - a));
    let area = u[0] * v[1] - u[1] * v[0];
    let beta = (p[0] * v[1] - p[1] * v[0]) / area;
    let gamma = (u[0] * p[1] - u[1] * p[0]) / area;
    (beta >= S::ZERO && gamma >= S::ZERO && beta + gamma <= S::ONE).then_some(t)
}
