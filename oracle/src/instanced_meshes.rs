//! Closed meshes under transforms: closest hit, counts, hits and spans against exact crossings of all triangles.
//!
//! # Method
//! Each triangle is a surface of its own, as an instance. A triangle crossed in its interior counts once. Of the
//! triangles around an edge or a vertex that a ray goes through the library counts some, by a rule of its own: the
//! count lies between the interior crossings and all of them, and is even for a whole line. The closest hit is that of
//! the lowest of the triangles that the ray reaches first, touching included.

use crate::affine::PlainTransform;
use crate::body::{Body, Kind, World, vector};
use crate::case::{PlainHit, plain, query};
use crate::closed_meshes::{Closed, ball, cube, octahedron, ring, tetrahedron};
use crate::generate::{self, Family, TransformFamily};
use crate::implicit::ImplicitShape;
use crate::instance::Instance;
use crate::intersection::{Bound, Intersection};
use crate::judge::{Comparison, Verdict};
use crate::line::{Line, RayOrSegment};
use crate::number::Precision;
use crate::poly::Poly;
use crate::rules::{Exact, Faces, PlainQuery, Range};
use crate::surd::Surd;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{AnyShape3, Object, Query, Ray, RayCast, RayLike, Scene, SceneBuilder, Segment, Shape, Side, Space};
use hitscan::{TriangleMesh, Vector3};
use std::cmp::Ordering;
use std::fmt;
use test_support::random::Rng;

/// Closed mesh under a transform, with a ray.
#[derive(Clone, Debug)]
pub struct MeshCase {
    /// Precision of all numbers.
    pub precision: Precision,
    /// Mesh.
    pub closed: Closed,
    /// Transform.
    pub transform: Option<PlainTransform>,
    /// Ray or segment.
    pub given: RayOrSegment,
    /// Queries besides the whole line.
    pub queries: Vec<PlainQuery>,
}

type MeshHit = (Option<u32>, PlainHit);

/// Answers to one query.
#[derive(Clone, Debug)]
pub struct MeshAnswer {
    /// `cast_ray`.
    pub first: Option<MeshHit>,
    /// `intersects_ray`.
    pub any: bool,
    /// `cast_ray_all`.
    pub all: Vec<MeshHit>,
    /// `count_hits`.
    pub count: usize,
    /// Ends of `spans`.
    pub ends: Vec<MeshHit>,
}

/// Answers of the library to a case.
#[derive(Clone, Debug)]
pub struct MeshAnswers {
    /// Result of `contains` for the origin.
    pub contains: bool,
    /// One answer for each query.
    pub queries: Vec<MeshAnswer>,
}

/// Query of a whole line.
pub fn whole_line() -> PlainQuery {
    PlainQuery { t_min: f64::NEG_INFINITY, t_max: f64::INFINITY, ..PlainQuery::default() }
}

/// Random case; None if its numbers are not a valid case.
pub fn case(family: TransformFamily, rays: Family, precision: Precision, rng: &mut Rng) -> Option<MeshCase> {
    let mut closed = rng.pick(&[tetrahedron, cube, octahedron, ball, ring])();
    let size = if rng.once_in(2) { 2f64.powi(rng.int(-3, 3)) } else { rng.decades(-1.0, 1.0) };
    let center = if rng.once_in(2) { [0, 1, 2].map(|_| f64::from(rng.int(-4, 4))) } else { rng.cube(3) };
    let place = |v: &mut [f64; 3]| *v = std::array::from_fn(|i| precision.round(size * v[i] + center[i]));
    closed.vertices.iter_mut().chain(&mut closed.inner).for_each(place);
    let [a, b, c] = rng.pick(&closed.triangles).map(|i| closed.vertices[i as usize]);
    let mix = |u: f64, v: f64| -> [f64; 3] { std::array::from_fn(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i])) };
    let target = match rays {
        Family::Edge if rng.once_in(2) => a,
        Family::Edge | Family::Grazing | Family::Lattice => mix(if rng.once_in(2) { 0.5 } else { rng.unit() }, 0.0),
        _ => mix(0.5 * rng.unit(), 0.5 * rng.unit()),
    };
    let away = if rays == Family::Far { rng.decades(3.0, 7.0) } else { rng.decades(-0.5, 1.5) };
    let way = rng.direction(3);
    let (mut origin, mut along) = match rays {
        Family::Surface => (target, way),
        Family::Grazing => {
            let along: [f64; 3] = std::array::from_fn(|i| b[i] - a[i]);
            (std::array::from_fn(|i| a[i] - 2.0 * along[i]), along)
        }
        _ if rng.once_in(4) => {
            let origin = rng.pick(&closed.inner);
            (origin, std::array::from_fn(|i| target[i] - origin[i]))
        }
        Family::Axis | Family::Lattice => {
            let (axis, mut along) = (rng.below(3), [0.0; 3]);
            along[axis] = rng.sign();
            (std::array::from_fn(|i| target[i] - 3.0 * size * along[i]), along)
        }
        _ => {
            let origin: [f64; 3] = std::array::from_fn(|i| target[i] + away * size * way[i]);
            (origin, std::array::from_fn(|i| target[i] - origin[i]))
        }
    };
    if rays == Family::Nonunit {
        let pace = rng.decades(-3.0, 3.0);
        along = along.map(|x| x * pace);
    }
    origin = origin.map(|x| precision.round(x));
    let is_segment = rng.once_in(10);
    let target = if is_segment { std::array::from_fn(|i| origin[i] + along[i]) } else { along };
    let transform = generate::transform(family, 3, precision, rng);
    let given = RayOrSegment { origin, target, is_segment };
    let given = generate::mapped(&given, &transform, 3, rays, precision, rng);
    given.is_valid().then(|| MeshCase {
        precision,
        closed,
        transform: Some(transform),
        given,
        queries: vec![PlainQuery::default(), whole_line(), PlainQuery { faces: Faces::Back, ..PlainQuery::default() }],
    })
}

/// Exact crossing of a triangle.
struct TriangleCrossing<'a> {
    triangle: u32,
    at: Bound<'a>,
    is_front: bool,
    /// Whether the crossing is in the interior of the triangle.
    is_proper: bool,
}

impl TriangleCrossing<'_> {
    fn is_in(&self, range: &Range, faces: Faces) -> bool {
        let seen = match faces {
            Faces::Both => true,
            Faces::Front => self.is_front,
            Faces::Back => !self.is_front,
        };
        seen && range.contains(&self.at.at)
    }
    fn compare(&self, what: &str, hit: &PlainHit, line: &Line, precision: Precision) -> Verdict {
        let intersection = Intersection::Crossing(self.at.clone(), self.is_front);
        let exact = if self.is_front { Exact::Front(&self.at) } else { Exact::Back(&self.at) };
        let mut verdict = Verdict::default();
        Comparison::new(line, &intersection, precision, 3).compare(what, Some(hit), Some(&exact), &mut verdict);
        verdict
    }
}

impl MeshCase {
    fn bodies(&self) -> Vec<Body> {
        let corner = |i: u32| self.closed.vertices[i as usize];
        let body = |t: &[u32; 3]| Body { kind: Kind::Triangle, numbers: t.map(corner).concat() };
        self.closed.triangles.iter().map(body).collect()
    }

    /// Answers of the library; None if it refuses the mesh or the transform.
    pub fn answers(&self) -> Option<MeshAnswers> {
        match self.precision {
            Precision::F32 => self.answers_in::<Vec3>(),
            Precision::F64 => self.answers_in::<DVec3>(),
        }
    }
    fn answers_in<V: World + Vector3 + Space<Shape = AnyShape3<V>>>(&self) -> Option<MeshAnswers> {
        let vertices = self.closed.vertices.iter().map(|v| vector(*v)).collect();
        let mesh = TriangleMesh::<V>::new(vertices, self.closed.triangles.clone()).ok()?;
        let object = Object::new(mesh);
        let placed = match &self.transform {
            Some(transform) => object.with_transform(transform.build::<V>().ok()?),
            None => object,
        };
        let mut builder = SceneBuilder::new();
        builder.insert(placed).ok()?;
        let scene = builder.build();
        let (a, b) = (vector::<V>(self.given.origin), vector::<V>(self.given.target));
        let to = |numbers: &PlainQuery| {
            let query = query::<V>(numbers);
            if self.given.is_segment {
                answer(&scene, &Segment::new(a, b), query)
            } else {
                answer(&scene, &Ray::new(a, b), query)
            }
        };
        Some(MeshAnswers { contains: scene.contains(a), queries: self.queries.iter().map(to).collect() })
    }

    /// Compares the answers with the exact ones.
    pub fn judge(&self, answers: &MeshAnswers) -> Verdict {
        let bodies = self.bodies();
        let instances: Vec<_> = bodies.iter().map(|body| Instance::new(body, self.transform.as_ref())).collect();
        let line = Instance::line(&self.given, &instances);
        let models: Vec<ImplicitShape> = instances.iter().map(|instance| instance.model(&line)).collect();
        let mut crossings: Vec<TriangleCrossing<'_>> =
            (0..).zip(&models).filter_map(|(triangle, model)| crossing(triangle, model, &line)).collect();
        // Stable: at the same point the lowest triangle comes first.
        crossings.sort_by(|a, b| a.at.at.order(&b.at.at));
        let mut verdict = Verdict::default();
        for (query, answer) in self.queries.iter().zip(&answers.queries) {
            let before = verdict.wrong.len();
            verdict.join(self.judge_query(query, answer, &crossings, &line));
            let PlainQuery { t_min, t_max, faces, .. } = query;
            for wrong in &mut verdict.wrong[before..] {
                wrong.push_str(&format!(" (t in {t_min:?}..={t_max:?}, {faces:?})"));
            }
        }
        if let Some(inside) = contains(&crossings)
            && inside != answers.contains
        {
            verdict.wrong.push(format!("mesh: contains: {}, exact: {inside}", answers.contains));
        }
        verdict
    }

    fn judge_query(
        &self,
        query: &PlainQuery,
        answer: &MeshAnswer,
        crossings: &[TriangleCrossing<'_>],
        line: &Line,
    ) -> Verdict {
        let range = Range::new(query, self.given.is_segment, self.precision.max(), line.scale);
        let exact: Vec<_> = crossings.iter().filter(|crossing| crossing.is_in(&range, query.faces)).collect();
        let mut verdict = Verdict::default();
        match (&answer.first, exact.first()) {
            (None, None) => {}
            (Some((got, hit)), Some(right)) => {
                if *got != Some(right.triangle) {
                    verdict.wrong.push(format!("mesh: hits triangle {got:?}, exact: {}", right.triangle));
                }
                let same = exact.iter().find(|crossing| *got == Some(crossing.triangle)).unwrap_or(right);
                verdict.join(same.compare("mesh", hit, line, self.precision));
            }
            (got, right) => {
                let right = right.map(|crossing| crossing.triangle);
                verdict.wrong.push(format!("mesh: hits {got:?}, exact: {right:?}"));
            }
        }
        if answer.any == exact.is_empty() {
            verdict.wrong.push(format!("mesh: intersects_ray: {}", answer.any));
        }
        let proper = exact.iter().filter(|crossing| crossing.is_proper).count();
        if answer.count != answer.all.len() || !(proper..=exact.len()).contains(&answer.count) {
            let (count, all) = (answer.count, answer.all.len());
            verdict.wrong.push(format!("mesh: count_hits: {count}, hits: {all}, exact: {proper}..={}", exact.len()));
        }
        // All crossings have a finite t.
        let is_whole = *query == whole_line() && !self.given.is_segment && exact.len() == crossings.len();
        let fronts = answer.all.iter().filter(|(_, hit)| hit.side == Side::Front).count();
        if is_whole && 2 * fronts != answer.all.len() {
            verdict.wrong.push(format!("mesh: entered {fronts} times of {} crossings", answer.all.len()));
        }
        self.judge_hits(&answer.all, &exact, line, &mut verdict);
        let start = if self.given.is_segment { query.t_min.max(0.0) } else { query.t_min };
        for (triangle, hit) in &answer.ends {
            match exact.iter().find(|crossing| *triangle == Some(crossing.triangle)) {
                Some(crossing) => verdict.join(crossing.compare("mesh: spans", hit, line, self.precision)),
                None if query.faces == Faces::Both && hit.t != start => {
                    verdict.wrong.push(format!("mesh: a span ends at {triangle:?}, which is not crossed"));
                }
                None => {}
            }
        }
        verdict
    }

    /// Hits by increasing exact `t`, each at a crossing, all interior crossings among them.
    fn judge_hits(&self, all: &[MeshHit], exact: &[&TriangleCrossing<'_>], line: &Line, verdict: &mut Verdict) {
        let mut last: Option<&Surd> = None;
        for (triangle, hit) in all {
            let Some(crossing) = exact.iter().find(|crossing| *triangle == Some(crossing.triangle)) else {
                verdict.wrong.push(format!("mesh: cast_ray_all meets {triangle:?}, which is not crossed"));
                continue;
            };
            verdict.join(crossing.compare("mesh: cast_ray_all", hit, line, self.precision));
            if last.is_some_and(|last| last.order(&crossing.at.at) == Ordering::Greater) {
                verdict.wrong.push(format!("mesh: cast_ray_all meets {triangle:?} too late"));
            }
            last = Some(&crossing.at.at);
        }
        for crossing in exact.iter().filter(|crossing| crossing.is_proper) {
            let hits = all.iter().filter(|(triangle, _)| *triangle == Some(crossing.triangle)).count();
            if hits != 1 {
                verdict.wrong.push(format!("mesh: crosses triangle {} {hits} times", crossing.triangle));
            }
        }
    }

    /// Casts, casts again in a range around the hits, and judges all answers.
    pub fn judge_twice(&mut self, rng: &mut Rng) -> Option<Verdict> {
        let mut answers = self.answers()?;
        let near: Vec<f64> =
            answers.queries.iter().flat_map(|answer| answer.all.iter().map(|(_, hit)| hit.t)).collect();
        let again = MeshCase { queries: vec![generate::range(&near, self.precision, rng)], ..self.clone() };
        answers.queries.extend(again.answers()?.queries);
        self.queries.extend(again.queries);
        Some(self.judge(&answers))
    }
}

fn crossing<'a>(triangle: u32, model: &'a ImplicitShape, line: &Line) -> Option<TriangleCrossing<'a>> {
    let Intersection::Crossing(at, is_front) = Intersection::new(model, line) else { return None };
    let ImplicitShape::Surface { within, .. } = model else { return None };
    let is_proper = within.iter().all(|edge| at.at.sign_in(Poly::along(edge, line).coefficients()) < 0);
    Some(TriangleCrossing { triangle, at, is_front, is_proper })
}

/// Whether the mesh contains the origin, by the parity of crossings ahead; None if one of them is at an edge.
fn contains(crossings: &[TriangleCrossing<'_>]) -> Option<bool> {
    let zero = Surd::from_f64(0.0, 0);
    let side = |crossing: &TriangleCrossing<'_>| crossing.at.at.order(&zero);
    if crossings.iter().any(|crossing| side(crossing) == Ordering::Equal) {
        return Some(true);
    }
    let ahead = || crossings.iter().filter(|crossing| side(crossing) == Ordering::Greater);
    // A line within the plane of a triangle crosses its neighbours at their edges.
    ahead().all(|crossing| crossing.is_proper).then(|| ahead().count() % 2 == 1)
}

fn answer<V: World>(scene: &Scene<V>, cast: &impl RayLike<V>, query: Query<V::Scalar>) -> MeshAnswer {
    let numbered = |hit: &hitscan::Hit<V>| (hit.primitive, plain(hit));
    MeshAnswer {
        first: scene.cast_ray(cast, query).as_ref().map(numbered),
        any: scene.intersects_ray(cast, query),
        all: scene.cast_ray_all(cast, query).iter().map(numbered).collect(),
        count: scene.count_hits(cast, query),
        ends: scene
            .spans(cast, query)
            .iter()
            .flat_map(|span| [span.enter, span.exit])
            .flatten()
            .map(|hit| numbered(&hit))
            .collect(),
    }
}

/// Prints all digits, so that the case can be replayed.
impl fmt::Display for MeshCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RayOrSegment { origin, target, is_segment } = &self.given;
        let [from, to] = if *is_segment { ["a", "b"] } else { ["origin", "direction"] };
        write!(f, "{} {} vertices={:?}", self.precision.name(), self.closed.name, self.closed.vertices)?;
        write!(f, " triangles={:?} {from}={origin:?} {to}={target:?}", self.closed.triangles)?;
        self.transform.map_or(Ok(()), |transform| write!(f, " {transform}"))
    }
}
