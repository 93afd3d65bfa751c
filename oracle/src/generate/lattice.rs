//! Shapes and rays with small integer coordinates that touch exactly, or miss by one unit.
//!
//! # Method
//! A vector like (1, 2, 2) has an integer length, 3. A surface point along it has integer coordinates if the radius is
//! a multiple of 3, and so does a direction at right angles to it: a tangent in small numbers. Axes are at right angles
//! to it too.

use super::place::{V, add, cross, on_edge, sub, times};
use crate::body::{Body, Kind, Part};
use crate::line::RayOrSegment;
use test_support::random::Rng;

/// Vectors of integer length.
const WHOLE: [([f64; 3], f64); 9] = [
    ([1.0, 0.0, 0.0], 1.0),
    ([1.0, 2.0, 2.0], 3.0),
    ([2.0, 3.0, 6.0], 7.0),
    ([3.0, 4.0, 0.0], 5.0),
    ([1.0, 4.0, 8.0], 9.0),
    ([4.0, 4.0, 7.0], 9.0),
    ([5.0, 12.0, 0.0], 13.0),
    ([8.0, 15.0, 0.0], 17.0),
    ([2.0, 6.0, 9.0], 11.0),
];

fn whole(dim: usize, rng: &mut Rng) -> (V, f64) {
    loop {
        let (mut v, size) = rng.pick(&WHOLE);
        if dim == 2 && v[2] != 0.0 {
            continue;
        }
        v.swap(0, rng.below(dim));
        v.swap(dim - 1, rng.below(dim));
        return (v.map(|x| x * rng.sign()), size);
    }
}

fn ints(dim: usize, largest: i32, rng: &mut Rng) -> V {
    std::array::from_fn(|i| if i < dim { f64::from(rng.int(-largest, largest)) } else { 0.0 })
}

/// Nonzero integer vector at right angles to `n`.
fn aside(n: V, dim: usize, rng: &mut Rng) -> V {
    if dim == 2 {
        return times([-n[1], n[0], 0.0], rng.sign());
    }
    loop {
        let v = cross(n, ints(3, 2, rng));
        if v != [0.0; 3] {
            return v;
        }
    }
}

/// Shape, point of its surface, and tangent direction there, all in integers.
fn touching(kind: Kind, rng: &mut Rng) -> (Body, V, V) {
    let dim = kind.dim();
    let (n, size) = whole(dim, rng);
    let center = ints(dim, 5, rng);
    let mut numbers = center[..dim].to_vec();
    let k = f64::from(rng.int(1, 2));
    let mut contact = add(center, times(n, k));
    let mut along = aside(n, dim, rng);
    match kind {
        Kind::Sphere | Kind::Circle => numbers.push(size * k),
        Kind::Capsule | Kind::Capsule2 | Kind::Cylinder | Kind::Cone | Kind::Frustum => {
            let u = aside(n, dim, rng);
            numbers.extend_from_slice(&add(center, times(u, f64::from(rng.int(1, 2))))[..dim]);
            numbers.push(size * k);
            if kind == Kind::Frustum {
                numbers.push(size * f64::from(rng.int(0, 3)));
            }
            contact = add(contact, times(u, rng.pick(&[0.0, 0.0, 1.0])));
        }
        Kind::TaperedCapsule | Kind::TaperedCapsule2 => {
            // The contact is on the ball around `a`, sometimes on its circle of contact with the side.
            let (u, back) = (aside(n, dim, rng), f64::from(rng.int(0, 2)));
            let axis = sub(times(u, f64::from(rng.int(0, 2))), times(n, back));
            numbers.extend_from_slice(&add(center, axis)[..dim]);
            numbers.push(size * k);
            numbers.push(size * f64::from(rng.int(0, (k + back) as i32)));
        }
        Kind::Ellipsoid | Kind::Ellipse => {
            let radii: V = std::array::from_fn(|_| size * f64::from(rng.int(1, 3)));
            numbers.extend_from_slice(&radii[..dim]);
            for i in 0..dim {
                numbers.extend((0..dim).map(|j| f64::from(u8::from(i == j))));
            }
            // Image of a tangent of the unit ball.
            contact = std::array::from_fn(|i| center[i] + n[i] * radii[i] / size);
            along = std::array::from_fn(|i| along[i] * radii[i] / size);
        }
        Kind::Cuboid | Kind::Rectangle | Kind::OrientedBox | Kind::OrientedRectangle => {
            numbers.extend((0..dim).map(|_| f64::from(rng.int(0, 3))));
            if kind.fields().len() > 2 {
                let first = rng.below(dim);
                for i in 0..dim {
                    let sign = rng.sign();
                    numbers.extend((0..dim).map(|j| if (first + i) % dim == j { sign } else { 0.0 }));
                }
            }
        }
        Kind::Plane | Kind::HalfSpace | Kind::Line | Kind::HalfPlane => {
            numbers.extend_from_slice(&n[..dim]);
            contact = center;
        }
        Kind::Disk => {
            numbers.extend_from_slice(&aside(n, 3, rng));
            numbers.push(size * k);
        }
        Kind::Triangle | Kind::Triangle2 | Kind::Segment => {
            let corners = if kind == Kind::Segment { 1 } else { 2 };
            (0..corners).for_each(|_| numbers.extend_from_slice(&add(center, ints(dim, 4, rng))[..dim]));
            contact = center;
        }
        Kind::Quad => {
            (0..2).for_each(|_| numbers.extend_from_slice(&ints(dim, 4, rng)));
            contact = center;
        }
        Kind::Polygon => {
            numbers = hull((0..8).map(|_| add(center, ints(2, 4, rng))).collect(), rng.once_in(2));
            contact = [numbers.first().copied().unwrap_or(0.0), numbers.get(1).copied().unwrap_or(0.0), 0.0];
        }
    }
    (Body { kind, numbers }, contact, along)
}

/// Translates a shape.
pub(super) fn shift(body: &mut Body, by: V) {
    let dim = body.kind.dim();
    let places: Vec<bool> =
        body.parts().flat_map(|(_, part, x)| vec![matches!(part, Part::Point | Part::Points); x.len()]).collect();
    // Points come before all other fields, so component `i` belongs to axis `i % dim`.
    for (i, x) in body.numbers.iter_mut().enumerate().filter(|(i, _)| places[*i]) {
        *x += by[i % dim];
    }
}

/// Two shapes with a common surface point, and a line through it; often one number differs by a unit.
pub(super) fn pair(kinds: [Kind; 2], step: impl Fn(f64, i32) -> f64, rng: &mut Rng) -> ([Body; 2], RayOrSegment) {
    let dim = kinds[0].dim();
    let ((first, contact, _), (mut second, other, _)) = (touching(kinds[0], rng), touching(kinds[1], rng));
    shift(&mut second, sub(contact, other));
    let origin = ints(dim, 9, rng);
    let direction = sub(contact, origin);
    let mut bodies = [first, second];
    if rng.once_in(2) {
        let numbers = &mut bodies[rng.below(2)].numbers;
        if !numbers.is_empty() {
            let at = rng.below(numbers.len());
            numbers[at] = step(numbers[at], rng.int(-1, 1));
        }
    }
    (bodies, RayOrSegment { origin, target: direction, is_segment: false })
}

/// Convex hull, counter-clockwise, with or without points in the middle of its edges (Andrew's monotone chain,
/// Information Processing Letters 9(5), 1979); exact for small integers.
fn hull(mut points: Vec<V>, keep_straight: bool) -> Vec<f64> {
    points.sort_by(|a, b| a.partial_cmp(b).expect("whole numbers"));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = V>| {
        let mut chain: Vec<V> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                let turn = cross(sub(b, a), sub(p, b))[2];
                if turn > 0.0 || (keep_straight && turn == 0.0) {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let lower = half(&mut points.iter().copied());
    let upper = half(&mut points.iter().rev().copied());
    lower.into_iter().chain(upper).flat_map(|v| [v[0], v[1]]).collect()
}

/// Shape and ray that touch, cross at an edge, or meet in another way; in half of the cases one number differs by a
/// unit.
pub(super) fn lattice(kind: Kind, step: impl Fn(f64, i32) -> f64, rng: &mut Rng) -> (Body, RayOrSegment) {
    let dim = kind.dim();
    let (mut body, contact, along) = touching(kind, rng);
    let (mut origin, mut direction) = match rng.below(6) {
        0 | 1 => (sub(contact, times(along, f64::from(rng.int(-3, 4)))), along),
        2 => {
            let origin = ints(dim, 9, rng);
            (origin, sub(contact, origin))
        }
        3 if !body.numbers.is_empty() => {
            let (edge, d) = (on_edge(&body, rng).map(f64::round), ints(dim, 3, rng));
            (sub(edge, times(d, f64::from(rng.int(-1, 4)))), d)
        }
        _ => (ints(dim, 9, rng), ints(dim, 3, rng)),
    };
    if rng.once_in(4) {
        // A negative zero means the same as zero.
        direction.iter_mut().for_each(|x| *x = if *x == 0.0 { -0.0 } else { *x });
    }
    if rng.once_in(2) && !body.numbers.is_empty() {
        let n = body.numbers.len();
        let at = rng.below(n + 2 * dim);
        let number = if at < n {
            &mut body.numbers[at]
        } else if at < n + dim {
            &mut origin[at - n]
        } else {
            &mut direction[at - n - dim]
        };
        *number = match rng.below(3) {
            0 => *number + rng.sign() * 2f64.powi(-18),
            _ => step(*number, if rng.once_in(2) { 1 } else { -1 }),
        };
    }
    let target = if rng.once_in(5) { add(origin, direction) } else { direction };
    let is_segment = target != direction;
    (body, RayOrSegment { origin, target, is_segment })
}
