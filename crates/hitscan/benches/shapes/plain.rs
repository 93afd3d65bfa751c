//! The closed forms that everybody copies, with a unit normal, in plain arithmetic of one precision. Directions are of
//! length 1, origins outside.

use crate::support::textbook::{Plain, V3, cross, dot, moeller_trumbore, sphere_quadratic, sub};

/// `t` and the unit normal.
pub(crate) type Found<S> = Option<(S, V3<S>)>;

fn along<S: Plain>(o: V3<S>, d: V3<S>, t: S) -> V3<S> {
    [o[0] + d[0] * t, o[1] + d[1] * t, o[2] + d[2] * t]
}

fn times<S: Plain>(v: V3<S>, x: S) -> V3<S> {
    v.map(|c| c * x)
}

fn unit<S: Plain>(v: V3<S>) -> V3<S> {
    times(v, S::ONE / dot(v, v).sqrt())
}

pub(crate) fn sphere<S: Plain>(o: V3<S>, d: V3<S>, center: V3<S>, r: S) -> Found<S> {
    let t = sphere_quadratic(o, d, center, r)?;
    Some((t, times(sub(along(o, d, t), center), S::ONE / r)))
}

pub(crate) fn triangle<S: Plain>(o: V3<S>, d: V3<S>, corners: [V3<S>; 3]) -> Found<S> {
    let t = moeller_trumbore(o, d, corners)?;
    let [a, b, c] = corners;
    Some((t, unit(cross(sub(b, a), sub(c, a)))))
}

/// Slabs: Kay, Kajiya, SIGGRAPH 1986.
pub(crate) fn cuboid<S: Plain>(o: V3<S>, d: V3<S>, min: V3<S>, max: V3<S>) -> Found<S> {
    let (mut enter, mut exit, mut axis) = (S::ZERO, S::INFINITY, 3);
    for i in 0..3 {
        let inverse = S::ONE / d[i];
        let (a, b) = ((min[i] - o[i]) * inverse, (max[i] - o[i]) * inverse);
        let (near, far) = if a < b { (a, b) } else { (b, a) };
        if near > enter {
            (enter, axis) = (near, i);
        }
        if far < exit {
            exit = far;
        }
    }
    if !(enter <= exit) || axis == 3 {
        return None;
    }
    let mut normal = [S::ZERO; 3];
    normal[axis] = if d[axis] > S::ZERO { -S::ONE } else { S::ONE };
    Some((enter, normal))
}

/// The coefficients that cylinder and capsule share, after I. Quilez, *Ray-surface intersectors*.
struct Axis<S> {
    ba: V3<S>,
    oa: V3<S>,
    length_sq: S,
    bard: S,
    baoa: S,
    k2: S,
    k1: S,
    h_sq: S,
}

fn axis<S: Plain>(o: V3<S>, d: V3<S>, a: V3<S>, b: V3<S>, r: S) -> Axis<S> {
    let (ba, oa) = (sub(b, a), sub(o, a));
    let (length_sq, bard, baoa) = (dot(ba, ba), dot(ba, d), dot(ba, oa));
    let k2 = length_sq - bard * bard;
    let k1 = length_sq * dot(oa, d) - baoa * bard;
    let k0 = length_sq * dot(oa, oa) - baoa * baoa - r * r * length_sq;
    Axis { ba, oa, length_sq, bard, baoa, k2, k1, h_sq: k1 * k1 - k2 * k0 }
}

pub(crate) fn cylinder<S: Plain>(o: V3<S>, d: V3<S>, a: V3<S>, b: V3<S>, r: S) -> Found<S> {
    let x = axis(o, d, a, b, r);
    if x.h_sq < S::ZERO {
        return None;
    }
    let h = x.h_sq.sqrt();
    let t = (-x.k1 - h) / x.k2;
    let y = x.baoa + t * x.bard;
    if y > S::ZERO && y < x.length_sq {
        let radial = sub(along(x.oa, d, t), times(x.ba, y / x.length_sq));
        return (t >= S::ZERO).then(|| (t, times(radial, S::ONE / r)));
    }
    let t = ((if y < S::ZERO { S::ZERO } else { x.length_sq }) - x.baoa) / x.bard;
    let across = x.k1 + x.k2 * t;
    if !((if across < S::ZERO { -across } else { across }) < h) || t < S::ZERO {
        return None;
    }
    let up = unit(x.ba);
    Some((t, if y < S::ZERO { times(up, -S::ONE) } else { up }))
}

pub(crate) fn capsule<S: Plain>(o: V3<S>, d: V3<S>, a: V3<S>, b: V3<S>, r: S) -> Found<S> {
    let x = axis(o, d, a, b, r);
    if x.h_sq < S::ZERO {
        return None;
    }
    let mut t = (-x.k1 - x.h_sq.sqrt()) / x.k2;
    let y = x.baoa + t * x.bard;
    let mut foot = y / x.length_sq;
    if !(y > S::ZERO && y < x.length_sq) {
        foot = if y <= S::ZERO { S::ZERO } else { S::ONE };
        let oc = sub(x.oa, times(x.ba, foot));
        let (half, c) = (dot(d, oc), dot(oc, oc) - r * r);
        let h = half * half - c;
        if !(h > S::ZERO) {
            return None;
        }
        t = -half - h.sqrt();
    }
    let radial = sub(along(x.oa, d, t), times(x.ba, foot));
    (t >= S::ZERO).then(|| (t, times(radial, S::ONE / r)))
}

/// The cone with radius `r` at `a` and its tip at `b`; after I. Quilez.
pub(crate) fn cone<S: Plain>(o: V3<S>, d: V3<S>, a: V3<S>, b: V3<S>, r: S) -> Found<S> {
    let (ba, oa) = (sub(b, a), sub(o, a));
    let (m0, m1, m2) = (dot(ba, ba), dot(oa, ba), dot(d, ba));
    if m1 < S::ZERO {
        let offset = sub(times(oa, m2), times(d, m1));
        if dot(offset, offset) < r * r * m2 * m2 {
            let t = -m1 / m2;
            return (t >= S::ZERO).then(|| (t, times(unit(ba), -S::ONE)));
        }
    }
    let hy = m0 + r * r;
    let two = S::ONE + S::ONE;
    let k2 = m0 * m0 - m2 * m2 * hy;
    let k1 = m0 * m0 * dot(d, oa) - m1 * m2 * hy + m0 * r * r * m2;
    let k0 = m0 * m0 * dot(oa, oa) - m1 * m1 * hy + m0 * r * (r * m1 * two - m0 * r);
    let h_sq = k1 * k1 - k2 * k0;
    if h_sq < S::ZERO {
        return None;
    }
    let t = (-k1 - h_sq.sqrt()) / k2;
    let y = m1 + t * m2;
    if !(y >= S::ZERO && y <= m0 && t >= S::ZERO) {
        return None;
    }
    let outward = sub(times(along(along(oa, d, t), ba, r * r / m0), m0 * m0), times(ba, hy * y));
    Some((t, unit(outward)))
}
