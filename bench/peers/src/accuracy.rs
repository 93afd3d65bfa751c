//! Accuracy of hitscan and a peer on the same cases, judged by the oracle.
//!
//! # Method
//! A decision is whether the ray hits, and whether it starts inside, for a full and for a hollow solid. It is *clear*
//! if the exact decision is the same for the shape grown and shrunk by `4 eps S`, and for a surface moved to either
//! side by as much: rounding the inputs by a few units cannot change it. `S` is the largest of `|o|`, `|c|`, `|o - c|`
//! and the size. Rays in the plane of a surface are left out, because the rules differ. Errors of `t` are relative, in
//! units of the precision's epsilon, over correct hits on the boundary; the error of a normal is its angle to the
//! nearest correct one.

use crate::parry;
use hitscan_oracle::body::{Body, Kind, Part, spatial};
use hitscan_oracle::case::Case;
use hitscan_oracle::generate::{Family, aimed, shape};
use hitscan_oracle::implicit::ImplicitShape;
use hitscan_oracle::intersection::Intersection;
use hitscan_oracle::line::{Line, RayOrSegment};
use hitscan_oracle::number::{Dyadic, Precision, sign};
use hitscan_oracle::poly::Poly;
use hitscan_oracle::rules::{Exact, Inside, PlainQuery, Range, hits};
use hitscan_oracle::run::answers;
use hitscan_oracle::values::Values;
use test_support::random::Rng;

/// Families for peers: none with numbers outside ordinary use.
const FAMILIES: [Family; 9] = [
    Family::Ordinary,
    Family::Far,
    Family::Grazing,
    Family::Edge,
    Family::Axis,
    Family::Scale,
    Family::Surface,
    Family::Thin,
    Family::Nonunit,
];

/// Results of a library on the cases of one shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// Wrong decisions.
    pub(crate) wrong: u64,
    /// Wrong decisions among the clear ones.
    pub(crate) clear: u64,
    t: Vec<f64>,
    /// Largest angle, in rad; a normal that is not a unit vector, or is NaN, counts as pi.
    pub(crate) normal: f64,
}

impl Score {
    /// Quantile of the error of `t`.
    pub(crate) fn t_within(&mut self, share: f64) -> f64 {
        self.t.sort_by(f64::total_cmp);
        let last = self.t.len().saturating_sub(1);
        self.t.get(((self.t.len() as f64 * share) as usize).min(last)).copied().unwrap_or(0.0)
    }
}

/// Row: a shape and a precision.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) cases: u64,
    pub(crate) peer: Score,
    pub(crate) ours: Score,
}

/// Decision: miss, inside, or boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Miss,
    Inside,
    Boundary,
}

/// Runs a number of cases of a kind.
pub(crate) fn run(kind: Kind, precision: Precision, cases: u64, seed: u64) -> Row {
    let mut rng = Rng::for_stream(seed, kind as u64 * 2 + precision as u64);
    let mut row = Row::default();
    while row.cases < cases {
        let family = FAMILIES[(row.cases % FAMILIES.len() as u64) as usize];
        let Some(body) = placed(shape(kind, family, precision, &mut rng), precision) else { continue };
        let Some(case) = aimed(body, family, precision, &mut rng) else { continue };
        // Peers have no segments.
        if case.given.is_segment || case.body.numbers.iter().any(|x| !x.is_finite()) {
            continue;
        }
        one(&case, &mut row);
    }
    row
}

/// Shape that a peer can represent exactly.
fn placed(mut body: Body, precision: Precision) -> Option<Body> {
    match body.kind {
        Kind::Cylinder | Kind::Cone => {
            let (a, b) = (body.vector(0), body.vector(1));
            let size = (0..3).map(|i| (b[i] - a[i]).powi(2)).sum::<f64>().sqrt();
            let h = precision.round(0.5 * size);
            let (x, z) = (a[0], a[2]);
            body.numbers[..6].copy_from_slice(&[x, -h, z, x, h, z]);
            (h > 0.0).then_some(body)
        }
        Kind::HalfSpace | Kind::HalfPlane => {
            let n = body.vector(1);
            let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            let dim = body.kind.dim();
            for (to, x) in body.numbers[dim..].iter_mut().zip(n) {
                *to = precision.round(x / size);
            }
            Some(body)
        }
        _ => Some(body),
    }
}

fn one(case: &Case, row: &mut Row) {
    let Some(answers) = answers(case) else { return };
    let Case { body, given, precision, .. } = case;
    let precision = *precision;
    let line = Line::new(given, &[body]);
    let model = ImplicitShape::new(body, line.grid);
    if let ImplicitShape::Surface { plane, .. } = &model
        && sign(&Poly::along(plane, &line).b) == 0
    {
        // Rules differ in the plane of a surface: hitscan misses, a peer may hit.
        return;
    }
    let intersection = Intersection::new(&model, &line);
    let steps = 4.0 * precision.epsilon() * magnitude(body, given);
    let variants = beside(body, steps);
    row.cases += 1;
    let mut wrong = [false; 2];
    let mut clear = true;
    for (solid, answer) in [true, false].into_iter().zip(&answers.queries) {
        let query = PlainQuery { inside: origin(solid), ..PlainQuery::default() };
        let range = Range::new(&query, false, precision.max(), line.scale);
        let exact = hits(&intersection, &query, &range);
        let right = decided(exact.first());
        clear &= variants.iter().all(|body| decision(body, given, precision, solid) == right);
        let ours = answer.first.map(|hit| (hit.t, hit.normal));
        for (who, (answer, score)) in
            [(parry::cast(body, given, precision, solid), &mut row.peer), (ours, &mut row.ours)].into_iter().enumerate()
        {
            let decision = match answer {
                None => Decision::Miss,
                Some((t, _)) if solid && body.kind.is_solid() && t == 0.0 => Decision::Inside,
                Some(_) => Decision::Boundary,
            };
            wrong[who] |= decision != right;
            let (Some((t, normal)), Some(Exact::Front(at) | Exact::Back(at))) = (answer, exact.first()) else {
                continue;
            };
            let Values { t: exact_t, normals, .. } = Values::at_bound(at, &line, body.kind.dim());
            let Some(top) = exact_t.magnitude() else { continue };
            if !t.is_finite() {
                score.t.push(f64::INFINITY);
                continue;
            }
            let error = Dyadic::from_f64(t).minus(&exact_t).in_units_of(top).abs() / exact_t.in_units_of(top).abs();
            score.t.push(error / precision.epsilon());
            let angles = normals.iter().map(|n| angle(normal, n.clone().map(|x| x.to_f64()), !body.kind.is_solid()));
            score.normal = score.normal.max(angles.reduce(f64::min).unwrap_or(0.0));
        }
    }
    for (score, wrong) in [(&mut row.peer, wrong[0]), (&mut row.ours, wrong[1])] {
        score.wrong += u64::from(wrong);
        score.clear += u64::from(wrong && clear);
    }
}

fn origin(solid: bool) -> Inside {
    if solid { Inside::Solid } else { Inside::Hollow }
}

fn decided(exact: Option<&Exact<'_, '_>>) -> Decision {
    match exact {
        None => Decision::Miss,
        Some(Exact::Inside(_)) => Decision::Inside,
        Some(_) => Decision::Boundary,
    }
}

fn decision(body: &Body, given: &RayOrSegment, precision: Precision, solid: bool) -> Decision {
    let line = Line::new(given, &[body]);
    let model = ImplicitShape::new(body, line.grid);
    let query = PlainQuery { inside: origin(solid), ..PlainQuery::default() };
    let range = Range::new(&query, false, precision.max(), line.scale);
    decided(hits(&Intersection::new(&model, &line), &query, &range).first())
}

/// Angle between two vectors, or between the lines along them.
fn angle(a: [f64; 3], b: [f64; 3], either_way: bool) -> f64 {
    let dot = (0..3).map(|i| a[i] * b[i]).sum::<f64>();
    let sine_sq = cross(a, b).iter().map(|x| x * x).sum::<f64>();
    if !(dot.is_finite() && sine_sq.is_finite()) || a == [0.0; 3] {
        return std::f64::consts::PI;
    }
    sine_sq.sqrt().atan2(if either_way { dot.abs() } else { dot })
}

/// Largest length that a rounding may scale with: the distances of shape and origin from each other and from the origin
/// of the coordinates, and the size.
fn magnitude(body: &Body, given: &RayOrSegment) -> f64 {
    let dim = body.kind.dim();
    let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut all = body.lengths().map(f64::abs).fold(size(given.origin), f64::max);
    for (_, _, place) in body.parts().filter(|(_, part, _)| *part == Part::Point) {
        let place = spatial(&place[..dim]);
        all = all.max(size(place)).max(size(std::array::from_fn(|i| place[i] - given.origin[i])));
    }
    all
}

/// Shapes with the same clear decision: larger and smaller by `by`, a surface also moved to either side.
fn beside(body: &Body, by: f64) -> Vec<Body> {
    let mut all = vec![grown(body, by), grown(body, -by)];
    if !body.kind.is_solid() {
        let corners = body.corners();
        let [u, v] =
            [1, corners.len() - 1].map(|k| -> [f64; 3] { std::array::from_fn(|i| corners[k][i] - corners[0][i]) });
        let n = if body.kind == Kind::Segment { [u[1], -u[0], 0.0] } else { cross(u, v) };
        let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
        let dim = body.kind.dim();
        for by in [by, -by] {
            let mut moved = body.clone();
            moved.numbers.iter_mut().enumerate().for_each(|(i, x)| *x += by * n[i % dim] / size);
            all.push(moved);
        }
    }
    all
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

/// Shape with its surface or outline moved outward.
fn grown(body: &Body, by: f64) -> Body {
    let mut body = body.clone();
    let dim = body.kind.dim();
    match body.kind {
        Kind::Triangle | Kind::Triangle2 | Kind::Segment => {
            // Scaled about the center of the inscribed circle, so that each edge moves by the same distance.
            let corners = body.corners();
            let n = corners.len();
            let opposite = |k: usize| {
                let (p, q) = (corners[(k + 1) % n], corners[(k + 2) % n]);
                (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt()
            };
            let weights: Vec<f64> = (0..n).map(|k| if n == 2 { 1.0 } else { opposite(k) }).collect();
            let sum: f64 = weights.iter().sum();
            let middle: [f64; 3] =
                std::array::from_fn(|i| corners.iter().zip(&weights).map(|(c, w)| c[i] * w).sum::<f64>() / sum);
            let inner = if n == 2 {
                0.5 * (0..3).map(|i| (corners[1][i] - corners[0][i]).powi(2)).sum::<f64>().sqrt()
            } else {
                let [u, v] = [1, 2].map(|k| -> [f64; 3] { std::array::from_fn(|i| corners[k][i] - corners[0][i]) });
                cross(u, v).iter().map(|x| x * x).sum::<f64>().sqrt() / sum
            };
            let factor = ((inner + by) / inner).max(0.0);
            for (k, corner) in corners.iter().enumerate() {
                for i in 0..dim {
                    body.numbers[k * dim + i] = middle[i] + factor * (corner[i] - middle[i]);
                }
            }
        }
        Kind::HalfSpace | Kind::HalfPlane => {
            for i in 0..dim {
                body.numbers[i] += by * body.numbers[dim + i];
            }
        }
        Kind::Cylinder | Kind::Cone => {
            body.numbers[1] -= by;
            body.numbers[4] += by;
            body.numbers[6] = (body.numbers[6] + by).max(0.0);
        }
        _ => {
            // Radii and half extents come last.
            let first = if matches!(body.kind, Kind::Capsule | Kind::Capsule2) { 2 * dim } else { dim };
            body.numbers[first..].iter_mut().for_each(|x| *x = (*x + by).max(0.0));
        }
    }
    body
}
