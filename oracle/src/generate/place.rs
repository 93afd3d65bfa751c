//! Approximate points on a shape, in plain `f64`: on its surface with the normal, and on its edges. A target need not
//! be exact.

use crate::body::{Body, Kind};
use test_support::random::Rng;

pub(super) type V = [f64; 3];

pub(super) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(super) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(super) fn times(a: V, x: f64) -> V {
    a.map(|c| c * x)
}
pub(super) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(super) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(super) fn length(a: V) -> f64 {
    let top = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if top == 0.0 { 0.0 } else { top * dot(times(a, 1.0 / top), times(a, 1.0 / top)).sqrt() }
}
pub(super) fn unit(a: V) -> V {
    let l = length(a);
    // If squares leave the range, any direction makes a case.
    if l > f64::MIN_POSITIVE && l < f64::INFINITY { times(a, 1.0 / l) } else { [1.0, 0.0, 0.0] }
}
/// Unit vector at right angles to `n`.
pub(super) fn tangent(n: V, dim: usize, rng: &mut Rng) -> V {
    if dim == 2 {
        return times([-n[1], n[0], 0.0], rng.sign());
    }
    loop {
        let v = cross(n, rng.direction(3));
        if length(v) > 0.1 {
            return unit(v);
        }
    }
}

fn axes(body: &Body) -> Vec<V> {
    if body.kind.fields().len() > 2 {
        return body.vectors(2);
    }
    (0..body.kind.dim()).map(|i| std::array::from_fn(|j| f64::from(u8::from(i == j)))).collect()
}

/// Approximate center and size of a shape.
pub(super) fn middle(body: &Body) -> (V, f64) {
    match body.kind {
        Kind::Sphere | Kind::Circle => (body.vector(0), body.number(1)),
        Kind::Cuboid
        | Kind::Rectangle
        | Kind::OrientedBox
        | Kind::OrientedRectangle
        | Kind::Ellipsoid
        | Kind::Ellipse => (body.vector(0), body.field(1).iter().fold(0.0, |m, x| x.max(m))),
        Kind::HalfSpace | Kind::HalfPlane | Kind::Plane | Kind::Line => (body.vector(0), 1.0),
        Kind::Disk => (body.vector(0), body.number(2)),
        Kind::Triangle | Kind::Triangle2 | Kind::Polygon | Kind::Segment => {
            let corners = body.corners();
            let sum = corners.iter().fold([0.0; 3], |s, v| add(s, *v));
            let center = times(sum, 1.0 / corners.len() as f64);
            (center, corners.iter().map(|v| length(sub(*v, center))).fold(0.0, f64::max))
        }
        _ => {
            let (a, b) = (body.vector(0), body.vector(1));
            let radius = body.field(3).first().copied().unwrap_or(0.0).max(body.number(2));
            (times(add(a, b), 0.5), 0.5 * length(sub(b, a)) + radius)
        }
    }
}

/// Point on the surface, with the normal.
pub(super) fn on_surface(body: &Body, rng: &mut Rng) -> (V, V) {
    let dim = body.kind.dim();
    match body.kind {
        Kind::Sphere | Kind::Circle => {
            let n = rng.direction(dim);
            (add(body.vector(0), times(n, body.number(1))), n)
        }
        Kind::Cuboid | Kind::Rectangle | Kind::OrientedBox | Kind::OrientedRectangle => {
            let (axes, face) = (axes(body), rng.below(dim));
            let sign = rng.sign();
            let p = axes.iter().zip(body.field(1)).enumerate().fold(body.vector(0), |p, (i, (axis, half))| {
                add(p, times(*axis, half * if i == face { sign } else { rng.between(-1.0, 1.0) }))
            });
            (p, times(axes[face], sign))
        }
        Kind::Ellipsoid | Kind::Ellipse => {
            let y = rng.direction(dim);
            let (mut p, mut n) = (body.vector(0), [0.0; 3]);
            let least = body.field(1).iter().fold(f64::INFINITY, |m: f64, x| m.min(*x));
            for (i, (axis, r)) in axes(body).iter().zip(body.field(1)).enumerate() {
                p = add(p, times(*axis, r * y[i]));
                n = add(n, times(*axis, y[i] * (least / r)));
            }
            (p, unit(n))
        }
        Kind::HalfSpace | Kind::HalfPlane | Kind::Plane | Kind::Line => {
            let n = unit(body.vector(1));
            let along = times(tangent(n, dim, rng), rng.between(0.0, 4.0));
            (add(body.vector(0), along), n)
        }
        Kind::Disk => {
            let n = unit(body.vector(1));
            (add(body.vector(0), times(tangent(n, 3, rng), rng.unit().sqrt() * body.number(2))), n)
        }
        Kind::Triangle => {
            let [a, b, c] = [0, 1, 2].map(|i| body.vector(i));
            let (u, v) = (rng.unit(), rng.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let p = add(a, add(times(sub(b, a), u), times(sub(c, a), v)));
            (p, unit(cross(unit(sub(b, a)), unit(sub(c, a)))))
        }
        Kind::Quad => {
            let [e, f] = [1, 2].map(|i| body.vector(i));
            let arm = add(times(e, rng.unit()), times(f, rng.unit()));
            (add(body.vector(0), arm), unit(cross(unit(e), unit(f))))
        }
        Kind::Triangle2 | Kind::Polygon | Kind::Segment => {
            let corners = body.corners();
            let i = if body.kind == Kind::Segment { 0 } else { rng.below(corners.len()) };
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            let e = unit(sub(b, a));
            (add(a, times(sub(b, a), rng.unit())), [e[1], -e[0], 0.0])
        }
        _ => on_round(body, rng),
    }
}

/// Capsule, cylinder, cone, frustum.
fn on_round(body: &Body, rng: &mut Rng) -> (V, V) {
    let dim = body.kind.dim();
    let (a, b) = (body.vector(0), body.vector(1));
    let (axis, u) = (sub(b, a), unit(sub(b, a)));
    let (from, to) = radii(body);
    let aside = tangent(u, dim, rng);
    let share = rng.unit();
    if matches!(body.kind, Kind::Capsule | Kind::Capsule2) {
        if rng.once_in(2) {
            return (add(add(a, times(axis, share)), times(aside, from)), aside);
        }
        let n = rng.direction(dim);
        let center = if dot(n, u) < 0.0 { a } else { b };
        return (add(center, times(n, from)), n);
    }
    if matches!(body.kind, Kind::TaperedCapsule | Kind::TaperedCapsule2) {
        let normal = tapered_normal(body, aside);
        if let Some(normal) = normal.filter(|_| rng.once_in(2)) {
            let radius = from + (to - from) * share;
            return (add(add(a, times(axis, share)), times(normal, radius)), normal);
        }
        let n = rng.direction(dim);
        let is_at_a = normal.map_or(from >= to, |normal| dot(n, u) < dot(normal, u));
        let (center, radius) = if is_at_a { (a, from) } else { (b, to) };
        return (add(center, times(n, radius)), n);
    }
    match rng.below(4) {
        0 => (add(a, times(aside, from * share.sqrt())), times(u, -1.0)),
        1 => (add(b, times(aside, to * share.sqrt())), u),
        _ => {
            let radius = from + (to - from) * share;
            let n = unit(add(aside, times(u, (from - to) / length(axis))));
            (add(add(a, times(axis, share)), times(aside, radius)), n)
        }
    }
}

/// Normal of the side of a tapered capsule in a direction across the axis; `None` if one ball contains the other.
fn tapered_normal(body: &Body, aside: V) -> Option<V> {
    let axis = sub(body.vector(1), body.vector(0));
    let sine = (body.number(3) - body.number(2)) / length(axis);
    (sine.abs() < 1.0).then(|| sub(times(aside, (1.0 - sine * sine).sqrt()), times(unit(axis), sine)))
}

fn radii(body: &Body) -> (f64, f64) {
    match body.kind {
        Kind::Cone => (body.number(2), 0.0),
        Kind::Frustum | Kind::TaperedCapsule | Kind::TaperedCapsule2 => (body.number(2), body.number(3)),
        _ => (body.number(2), body.number(2)),
    }
}

/// Point where parts of the surface join: a corner, a rim, a seam; else another special point.
pub(super) fn on_edge(body: &Body, rng: &mut Rng) -> V {
    let dim = body.kind.dim();
    match body.kind {
        Kind::Cuboid | Kind::Rectangle | Kind::OrientedBox | Kind::OrientedRectangle => {
            let along = rng.below(2 * dim);
            axes(body).iter().zip(body.field(1)).enumerate().fold(body.vector(0), |p, (i, (axis, half))| {
                add(p, times(*axis, half * if i == along { rng.between(-1.0, 1.0) } else { rng.sign() }))
            })
        }
        Kind::Ellipsoid | Kind::Ellipse => {
            let i = rng.below(dim);
            add(body.vector(0), times(axes(body)[i], rng.sign() * body.field(1)[i]))
        }
        Kind::Sphere | Kind::Circle => {
            let axis: V = std::array::from_fn(|i| f64::from(u8::from(i == 0)));
            add(body.vector(0), times(axis, rng.sign() * body.number(1)))
        }
        Kind::Disk => add(body.vector(0), times(tangent(unit(body.vector(1)), 3, rng), body.number(2))),
        Kind::Triangle | Kind::Triangle2 | Kind::Polygon | Kind::Segment => {
            let corners = body.corners();
            let i = rng.below(corners.len());
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            add(a, times(sub(b, a), rng.pick(&[0.0, 0.0, 0.5, rng.clone().unit()])))
        }
        Kind::Quad => {
            let mut share = || rng.pick(&[0.0, 1.0, rng.clone().unit()]);
            let (u, v) = (share().round(), share());
            let (e, f) = if rng.once_in(2) { (1, 2) } else { (2, 1) };
            add(body.vector(0), add(times(body.vector(e), u), times(body.vector(f), v)))
        }
        Kind::HalfSpace | Kind::HalfPlane | Kind::Plane | Kind::Line => body.vector(0),
        _ => {
            let at_a = rng.once_in(2);
            let (from, to) = radii(body);
            let (center, radius) = if at_a { (body.vector(0), from) } else { (body.vector(1), to) };
            let u = unit(sub(body.vector(1), body.vector(0)));
            if rng.once_in(6) && matches!(body.kind, Kind::Capsule | Kind::Capsule2) {
                return add(center, times(u, if at_a { -radius } else { radius }));
            }
            let aside = tangent(u, dim, rng);
            let is_tapered = matches!(body.kind, Kind::TaperedCapsule | Kind::TaperedCapsule2);
            let normal = if is_tapered { tapered_normal(body, aside).unwrap_or(u) } else { aside };
            add(center, times(normal, radius))
        }
    }
}
