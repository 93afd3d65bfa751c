//! Random cases of moving spheres: rays of every family, moved aside by the radius; exact contact in small integers; and
//! radii one step from the one that touches.

use super::case::{Place, SweepCase, Target};
use crate::body::{Body, Kind};
use crate::generate::{self, Family};
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::PlainQuery;
use hitscan::Inside;
use test_support::random::Rng;

/// Families of moving spheres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SweepFamily {
    /// Rays of the families of rays, moved aside by the radius or not.
    Rays,
    /// Small integers that touch exactly.
    Tangent,
    /// Radii one step from contact.
    Flip,
}

impl SweepFamily {
    /// All families.
    pub(super) const ALL: [Self; 3] = [Self::Rays, Self::Tangent, Self::Flip];
    /// Name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rays => "rays",
            Self::Tangent => "tangent",
            Self::Flip => "flip",
        }
    }
}

type V = [f64; 3];

fn add(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] + b[i])
}
fn times(a: V, x: f64) -> V {
    a.map(|y| x * y)
}
fn cross(a: V, b: V) -> V {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}
fn length(a: V) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Case of a family at a kind of shape; at a mesh if there is no kind.
pub(super) fn case(kind: Option<Kind>, family: SweepFamily, precision: Precision, rng: &mut Rng) -> Option<SweepCase> {
    let mut found = match family {
        SweepFamily::Tangent => tangent(kind, precision, rng),
        _ => moved_aside(kind, precision, rng),
    }?;
    if family == SweepFamily::Flip {
        found.radius = flip(&found, rng)?;
    }
    (found.radius > 0.0 && found.radius.is_finite() && found.given.is_valid()).then_some(found)
}

fn new(precision: Precision, target: Target, given: RayOrSegment, radius: f64) -> SweepCase {
    let queries = vec![PlainQuery::default(), PlainQuery { inside: Inside::Hollow, ..PlainQuery::default() }];
    let round = |v: V| v.map(|x| precision.round(x));
    let given = RayOrSegment { origin: round(given.origin), target: round(given.target), ..given };
    SweepCase { precision, target, given, radius: precision.round(radius), queries }
}

fn moved_aside(kind: Option<Kind>, precision: Precision, rng: &mut Rng) -> Option<SweepCase> {
    let families: Vec<Family> = Family::ALL.iter().copied().filter(|family| *family != Family::Flip).collect();
    let family = rng.pick(&families);
    let base = generate::case(kind.unwrap_or(Kind::Triangle), family, precision, rng)?;
    let dim = base.body.kind.dim();
    let largest = base.body.lengths().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let radius = match family {
        Family::Lattice => f64::from(rng.int(1, 8)) * rng.pick(&[0.5, 1.0]),
        Family::Extreme => precision.round(largest * rng.decades(-10.0, 3.0)),
        _ => precision.round(largest * rng.decades(-3.0, 0.5)),
    };
    let RayOrSegment { origin, target, is_segment } = base.given;
    let along = if is_segment { add(target, times(origin, -1.0)) } else { target };
    let aside = if dim == 2 { [-along[1], along[0], 0.0] } else { cross(along, rng.direction(3)) };
    let size = length(aside);
    let step = times(aside, rng.sign() * radius / size);
    let is_moved = size > 0.0 && size.is_finite() && !rng.once_in(3);
    let step = if is_moved { step } else { [0.0; 3] };
    let given = RayOrSegment {
        origin: add(origin, step),
        target: if is_segment { add(target, step) } else { target },
        is_segment,
    };
    finish(kind, base.body, given, radius, precision, rng)
}

/// A mesh around a triangle, or the shape itself.
fn finish(
    kind: Option<Kind>,
    body: Body,
    given: RayOrSegment,
    radius: f64,
    precision: Precision,
    rng: &mut Rng,
) -> Option<SweepCase> {
    if kind.is_some() {
        return Some(new(precision, Target::Shape(body), given, radius));
    }
    let (target, place) = mesh(&body, precision, rng);
    let given = match place {
        None => given,
        Some(place) => {
            let vector = |v: V| Place { translation: [0.0; 3], ..place }.image(v);
            let target = if given.is_segment { place.image(given.target)? } else { vector(given.target)? };
            RayOrSegment { origin: place.image(given.origin)?, target, ..given }
        }
    };
    let radius = place.map_or(radius, |place| radius * place.factors[0].abs());
    let representable = given.origin.iter().chain(&given.target).all(|x| precision.round(*x) == *x);
    representable.then(|| new(precision, target, given, radius))
}

fn mesh(body: &Body, precision: Precision, rng: &mut Rng) -> (Target, Option<Place>) {
    let mut vertices = body.corners();
    for _ in 0..rng.below(4) {
        let [a, b] = [0; 2].map(|_| rng.pick(&vertices));
        let share = rng.pick(&[0.5, 2.0, -1.0, 0.25]);
        let mut p = add(a, times(add(b, times(a, -1.0)), share));
        if !rng.once_in(3) {
            p[rng.below(3)] += length(add(a, times(b, -1.0))) * rng.pick(&[1.0, -0.5, 0.25]);
        }
        let p = p.map(|x| precision.round(x));
        if p.iter().all(|x| x.is_finite()) {
            vertices.push(p);
        }
    }
    let n = vertices.len();
    let mut triangles = vec![[0, 1, 2]];
    for _ in 0..rng.below(5) {
        triangles.push([0; 3].map(|_| rng.below(n) as u32));
    }
    let place = rng.once_in(3).then(|| {
        let first = rng.below(3);
        let axes = if rng.once_in(2) { [0, 1, 2] } else { [2, 1, 0] }.map(|i| (i + first) % 3);
        let scale = 2f64.powi(rng.int(-3, 3));
        let factors = [0; 3].map(|_| scale * rng.sign());
        let translation = [0; 3].map(|_| f64::from(rng.int(-4, 4)) / 2.0);
        Place { axes, factors, translation }
    });
    (Target::Mesh { vertices, triangles, place }, place)
}

/// Vectors of integer length.
const WHOLE_LENGTHS: [(V, f64); 6] = [
    ([1.0, 0.0, 0.0], 1.0),
    ([3.0, 4.0, 0.0], 5.0),
    ([1.0, 2.0, 2.0], 3.0),
    ([2.0, 3.0, 6.0], 7.0),
    ([5.0, 12.0, 0.0], 13.0),
    ([4.0, 4.0, 7.0], 9.0),
];

/// A sphere that passes a corner, or another point of the shape, at exactly its radius; some one step off.
fn tangent(kind: Option<Kind>, precision: Precision, rng: &mut Rng) -> Option<SweepCase> {
    let body = generate::case(kind.unwrap_or(Kind::Triangle), Family::Lattice, precision, rng)?.body;
    let dim = body.kind.dim();
    let corners = corners(&body);
    let (a, b) = (rng.pick(&corners), rng.pick(&corners));
    let contact = times(add(a, b), 0.5);
    let (mut v, size) = loop {
        let (v, size) = rng.pick(&WHOLE_LENGTHS);
        if dim == 3 || v[2] == 0.0 {
            break (v, size);
        }
    };
    v.swap(0, rng.below(dim));
    v.swap(dim - 1, rng.below(dim));
    let v = v.map(|x| x * rng.sign());
    let ints: V = std::array::from_fn(|_| f64::from(rng.int(-3, 3)));
    let mut along = if dim == 2 { times([-v[1], v[0], 0.0], rng.sign()) } else { cross(v, ints) };
    if rng.once_in(4) {
        // Straight at the point.
        along = times(v, -1.0);
    } else if rng.once_in(4) && a != b {
        along = add(b, times(a, -1.0));
    }
    let k = rng.pick(&[1.0, 1.0, 2.0, 0.5]);
    let thickness = match body.kind {
        Kind::Sphere | Kind::Circle => body.number(1),
        Kind::Capsule | Kind::Capsule2 => body.number(2),
        _ => 0.0,
    };
    let mut radius = size * k - thickness;
    if radius <= 0.0 {
        radius = size * k;
    }
    let back = f64::from(rng.int(0, 3)) * rng.pick(&[1.0, 0.5, 1.0 / 3.0]);
    let mut origin = add(add(contact, times(v, k)), times(along, -back));
    if rng.once_in(3) {
        radius = precision.nudge(precision.round(radius), rng.int(-1, 1));
    }
    if rng.once_in(6) {
        let axis = rng.below(dim);
        origin[axis] = precision.nudge(precision.round(origin[axis]), rng.int(-1, 1));
    }
    let given = RayOrSegment { origin, target: times(along, rng.pick(&[1.0, 0.5, 1.0 / 3.0])), is_segment: false };
    finish(kind, body, given, radius, precision, rng)
}

/// Vertices, ends and centers of a shape.
fn corners(body: &Body) -> Vec<V> {
    match body.kind {
        Kind::Cuboid | Kind::Rectangle => {
            let (center, half) = (body.vector(0), body.vector(1));
            (0..8)
                .map(|signs| std::array::from_fn(|i| center[i] + if signs >> i & 1 == 0 { half[i] } else { -half[i] }))
                .collect()
        }
        Kind::Triangle | Kind::Triangle2 | Kind::Polygon => body.corners(),
        Kind::Capsule | Kind::Capsule2 | Kind::Segment => vec![body.vector(0), body.vector(1)],
        _ => vec![body.vector(0)],
    }
}

/// A radius beside the least one that touches, by bisection with the answers of the library; the judge is exact.
fn flip(case: &SweepCase, rng: &mut Rng) -> Option<f64> {
    let precision = case.precision;
    let touches = |radius: f64| {
        let one = SweepCase { radius, queries: vec![PlainQuery::default()], ..case.clone() };
        Some(one.contacts()?.found[0].is_some())
    };
    let (mut low, mut high) = (case.radius, case.radius);
    for _ in 0..40 {
        if !touches(low)? {
            break;
        }
        low = precision.round(low / 4.0);
    }
    for _ in 0..40 {
        if touches(high)? {
            break;
        }
        high = precision.round(high * 4.0);
    }
    if touches(low)? || !touches(high)? || !high.is_finite() {
        return None;
    }
    loop {
        let middle = precision.round(low + 0.5 * (high - low));
        if !(low < middle && middle < high) {
            break;
        }
        if touches(middle)? { high = middle } else { low = middle }
    }
    Some(precision.step(low, rng.int(-1, 2)))
}
