//! The algorithms that everybody copies, from their papers, in plain arithmetic of one precision.

use super::Rng;

/// The arithmetic of a textbook: `f32` or `f64` as they are.
pub(crate) trait Plain: hitscan::Real {
    fn sqrt(self) -> Self;
}
impl Plain for f32 {
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
}
impl Plain for f64 {
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
}

pub(crate) type V3<S> = [S; 3];

pub(crate) fn sub<S: Plain>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn dot<S: Plain>(a: V3<S>, b: V3<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross<S: Plain>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Moeller, Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, JGT 2(1), 1997, without culling.
pub(crate) fn moeller_trumbore<S: Plain>(o: V3<S>, d: V3<S>, [a, b, c]: [V3<S>; 3]) -> Option<S> {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let p = cross(d, ac);
    let det = dot(ab, p);
    if det == S::ZERO {
        return None;
    }
    let inverse = S::ONE / det;
    let s = sub(o, a);
    let u = dot(s, p) * inverse;
    if u < S::ZERO || u > S::ONE {
        return None;
    }
    let q = cross(s, ab);
    let v = dot(d, q) * inverse;
    if v < S::ZERO || u + v > S::ONE {
        return None;
    }
    let t = dot(ac, q) * inverse;
    (t >= S::ZERO).then_some(t)
}

/// The plane first, then barycentric coordinates in the projection along the dominant axis of the normal (Badouel, *An
/// Efficient Ray-Polygon Intersection*, Graphics Gems, 1990).
pub(crate) fn projected<S: Plain>(o: V3<S>, d: V3<S>, [a, b, c]: [V3<S>; 3]) -> Option<S> {
    let n = cross(sub(b, a), sub(c, a));
    let slope = dot(n, d);
    if slope == S::ZERO {
        return None;
    }
    let t = dot(n, sub(a, o)) / slope;
    if !(t >= S::ZERO) {
        return None;
    }
    let size = n.map(|x| if x < S::ZERO { -x } else { x });
    let dominant = if size[0] >= size[1] && size[0] >= size[2] { 0 } else { 1 + usize::from(size[2] > size[1]) };
    let (i, j) = ((dominant + 1) % 3, (dominant + 2) % 3);
    let p = [o[i] + t * d[i] - a[i], o[j] + t * d[j] - a[j]];
    let (u, v) = ([b[i] - a[i], b[j] - a[j]], [c[i] - a[i], c[j] - a[j]]);
    let area = u[0] * v[1] - u[1] * v[0];
    let beta = (p[0] * v[1] - p[1] * v[0]) / area;
    let gamma = (u[0] * p[1] - u[1] * p[0]) / area;
    (beta >= S::ZERO && gamma >= S::ZERO && beta + gamma <= S::ONE).then_some(t)
}

/// `a t^2 + 2 b t + c = 0`, the smaller root that is not negative.
pub(crate) fn sphere_quadratic<S: Plain>(o: V3<S>, d: V3<S>, center: V3<S>, r: S) -> Option<S> {
    let m = sub(o, center);
    let (a, b, c) = (dot(d, d), dot(m, d), dot(m, m) - r * r);
    let discriminant = b * b - a * c;
    if discriminant < S::ZERO {
        return None;
    }
    let root = discriminant.sqrt();
    let (near, far) = ((-b - root) / a, (-b + root) / a);
    if near >= S::ZERO { Some(near) } else { (far >= S::ZERO).then_some(far) }
}

/// `e = c - o`, `a = e . d`, `t = a - sqrt(r^2 - e^2 + a^2)` with a direction of length 1, from outside.
pub(crate) fn sphere_projection<S: Plain>(o: V3<S>, d: V3<S>, center: V3<S>, r: S) -> Option<S> {
    let length = dot(d, d).sqrt();
    let d = d.map(|x| x / length);
    let e = sub(center, o);
    let a = dot(e, d);
    let f_sq = r * r - dot(e, e) + a * a;
    if a < S::ZERO || f_sq < S::ZERO {
        return None;
    }
    Some((a - f_sq.sqrt()) / length)
}

/// Numbers of a ray and a shape, in `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) o: V3<f32>,
    pub(crate) d: V3<f32>,
    pub(crate) triangle: [V3<f32>; 3],
    pub(crate) center: V3<f32>,
    pub(crate) r: f32,
}

fn cube(rng: &mut Rng) -> V3<f64> {
    [0; 3].map(|_| rng.between(-1.0, 1.0))
}

/// A ray from `away` sizes to a point that lies `offset` beyond (or within) an edge of the triangle and, for the sphere,
/// beyond the radius; an ordinary offset lands anywhere.
pub(crate) fn case(rng: &mut Rng, away: f64, offset: Option<f64>, thin: f64) -> Case {
    let round = |v: V3<f64>| v.map(|x| x as f32);
    let (a, b) = (cube(rng), cube(rng));
    let mut c = cube(rng);
    if thin < 1.0 {
        c = [0, 1, 2].map(|k| a[k] + 0.5 * (b[k] - a[k]) + thin * c[k]);
    }
    let from = cube(rng).map(|x| x * away);
    let (center, r) = (cube(rng).map(|x| 0.5 * x), rng.between(0.2, 0.8));
    let s = rng.unit();
    let target = match offset {
        None => cube(rng),
        Some(offset) if rng.below(2) == 0 => [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]) + offset * (c[k] - a[k])),
        Some(offset) => {
            // A point on the rim of the sphere as seen from the origin.
            let e = sub(center, from);
            let side = cross(e, cube(rng));
            let length = dot(side, side).sqrt();
            [0, 1, 2].map(|k| center[k] + side[k] / length * r * (1.0 + offset))
        }
    };
    let d = sub(target, from);
    Case { o: round(from), d: round(d), triangle: [round(a), round(b), round(c)], center: round(center), r: r as f32 }
}
