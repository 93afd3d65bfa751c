//! The first hit of a ray, with the unit normal. The direction has length 1 and the origin is outside, unless a function
//! says otherwise.

use super::triangle::with_normal;
use super::whole_line::quadratic;
use super::{Crossing, Float, Line, Vec3};

/// The smaller root of the sphere's quadratic that is not negative; for any origin and any length of the direction.
#[inline(always)]
pub fn sphere_t<S: Float>(ray: &Line<S>, center: Vec3<S>, radius: S) -> Option<S> {
    let m = ray.origin - center;
    let d = ray.direction;
    let [near, far] = quadratic(d.dot(d), m.dot(d), m.dot(m) - radius * radius)?;
    if near >= S::ZERO { Some(near) } else { (far >= S::ZERO).then_some(far) }
}

/// Sphere by projection: `e = center - origin`, `a = e . d`, `t = a - sqrt(r^2 - e^2 + a^2)`; for any length of the
/// direction.
pub fn sphere_t_by_projection<S: Float>(ray: &Line<S>, center: Vec3<S>, radius: S) -> Option<S> {
    let length = ray.direction.length();
    let d = Vec3(ray.direction.0.map(|x| x / length));
    let e = center - ray.origin;
    let a = e.dot(d);
    let half_chord_sq = radius * radius - e.dot(e) + a * a;
    if a < S::ZERO || half_chord_sq < S::ZERO {
        return None;
    }
    Some((a - half_chord_sq.sqrt()) / length)
}

/// Sphere by its quadratic.
#[inline(always)]
pub fn sphere<S: Float>(ray: &Line<S>, center: Vec3<S>, radius: S) -> Option<Crossing<S>> {
    let t = sphere_t(ray, center, radius)?;
    Some((t, (ray.at(t) - center) * (S::ONE / radius)))
}

/// Triangle by [`with_normal`], for `t >= 0`.
#[inline(always)]
pub fn triangle<S: Float>(ray: &Line<S>, corners: [Vec3<S>; 3]) -> Option<Crossing<S>> {
    let (t, normal) = with_normal(ray, corners)?;
    (t >= S::ZERO).then(|| (t, normal.normalized()))
}

/// Box by slabs (Kay, Kajiya, *Ray Tracing Complex Scenes*, SIGGRAPH 1986).
#[inline(always)]
pub fn cuboid<S: Float>(ray: &Line<S>, Vec3(min): Vec3<S>, Vec3(max): Vec3<S>) -> Option<Crossing<S>> {
    let (Vec3(o), Vec3(d)) = (ray.origin, ray.direction);
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
    Some((enter, Vec3(normal)))
}

/// The coefficients that cylinder and capsule share, after I. Quilez, *Ray-surface intersectors*.
struct Axis<S> {
    ba: Vec3<S>,
    oa: Vec3<S>,
    length_sq: S,
    bard: S,
    baoa: S,
    k2: S,
    k1: S,
    h_sq: S,
}

impl<S: Float> Axis<S> {
    #[inline(always)]
    fn new(ray: &Line<S>, a: Vec3<S>, b: Vec3<S>, radius: S) -> Self {
        let (ba, oa, d) = (b - a, ray.origin - a, ray.direction);
        let (length_sq, bard, baoa) = (ba.dot(ba), ba.dot(d), ba.dot(oa));
        let k2 = length_sq - bard * bard;
        let k1 = length_sq * oa.dot(d) - baoa * bard;
        let k0 = length_sq * oa.dot(oa) - baoa * baoa - radius * radius * length_sq;
        Self { ba, oa, length_sq, bard, baoa, k2, k1, h_sq: k1 * k1 - k2 * k0 }
    }
}

/// Cylinder between the caps at `a` and `b`, after I. Quilez.
#[inline(always)]
pub fn cylinder<S: Float>(ray: &Line<S>, a: Vec3<S>, b: Vec3<S>, radius: S) -> Option<Crossing<S>> {
    let x = Axis::new(ray, a, b, radius);
    if x.h_sq < S::ZERO {
        return None;
    }
    let h = x.h_sq.sqrt();
    let t = (-x.k1 - h) / x.k2;
    let y = x.baoa + t * x.bard;
    if y > S::ZERO && y < x.length_sq {
        let radial = x.oa + ray.direction * t - x.ba * (y / x.length_sq);
        return (t >= S::ZERO).then(|| (t, radial * (S::ONE / radius)));
    }
    let t = ((if y < S::ZERO { S::ZERO } else { x.length_sq }) - x.baoa) / x.bard;
    if !((x.k1 + x.k2 * t).abs() < h) || t < S::ZERO {
        return None;
    }
    let up = x.ba.normalized();
    Some((t, if y < S::ZERO { -up } else { up }))
}

/// Capsule around the segment from `a` to `b`, after I. Quilez.
#[inline(always)]
pub fn capsule<S: Float>(ray: &Line<S>, a: Vec3<S>, b: Vec3<S>, radius: S) -> Option<Crossing<S>> {
    let x = Axis::new(ray, a, b, radius);
    if x.h_sq < S::ZERO {
        return None;
    }
    let mut t = (-x.k1 - x.h_sq.sqrt()) / x.k2;
    let y = x.baoa + t * x.bard;
    let mut foot = y / x.length_sq;
    if !(y > S::ZERO && y < x.length_sq) {
        foot = if y <= S::ZERO { S::ZERO } else { S::ONE };
        let oc = x.oa - x.ba * foot;
        let (half, c) = (ray.direction.dot(oc), oc.dot(oc) - radius * radius);
        let h = half * half - c;
        if !(h > S::ZERO) {
            return None;
        }
        t = -half - h.sqrt();
    }
    let radial = x.oa + ray.direction * t - x.ba * foot;
    (t >= S::ZERO).then(|| (t, radial * (S::ONE / radius)))
}

/// Cone with `radius` at `a` and its apex at `b`, after I. Quilez.
#[inline(always)]
pub fn cone<S: Float>(ray: &Line<S>, a: Vec3<S>, b: Vec3<S>, radius: S) -> Option<Crossing<S>> {
    let (ba, oa, d, r) = (b - a, ray.origin - a, ray.direction, radius);
    let (m0, m1, m2) = (ba.dot(ba), oa.dot(ba), d.dot(ba));
    if m1 < S::ZERO {
        let offset = oa * m2 - d * m1;
        if offset.dot(offset) < r * r * m2 * m2 {
            let t = -m1 / m2;
            return (t >= S::ZERO).then(|| (t, -ba.normalized()));
        }
    }
    let hy = m0 + r * r;
    let two = S::ONE + S::ONE;
    let k2 = m0 * m0 - m2 * m2 * hy;
    let k1 = m0 * m0 * d.dot(oa) - m1 * m2 * hy + m0 * r * r * m2;
    let k0 = m0 * m0 * oa.dot(oa) - m1 * m1 * hy + m0 * r * (r * m1 * two - m0 * r);
    let h_sq = k1 * k1 - k2 * k0;
    if h_sq < S::ZERO {
        return None;
    }
    let t = (-k1 - h_sq.sqrt()) / k2;
    let y = m1 + t * m2;
    if !(y >= S::ZERO && y <= m0 && t >= S::ZERO) {
        return None;
    }
    let outward = (oa + d * t + ba * (r * r / m0)) * (m0 * m0) - ba * (hy * y);
    Some((t, outward.normalized()))
}
