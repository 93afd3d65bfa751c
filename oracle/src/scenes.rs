//! Scenes of two shapes or instances: the nearer one must be that of the exact answer, and of equals the one added first.
//!
//! # Method
//! Both shapes and the ray are on one grid. The first hits of each, found as for single shapes, are compared as surds.
//! The hits of `cast_ray_all` must have that order, too.

use crate::affine::PlainTransform;
use crate::body::{Body, Kind, World, vector};
use crate::case::{self, Case, PlainHit, plain, query};
use crate::generate::{self, Family, TransformFamily};
use crate::instance::Instance;
use crate::intersection::Intersection;
use crate::judge::{Comparison, Verdict};
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::{Exact, PlainQuery, Range, hits};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Ray, RayCast, RayLike, Segment};
use std::cmp::Ordering;
use std::fmt;
use test_support::random::Rng;

/// Two shapes and a ray.
#[derive(Clone, Debug)]
pub struct Pair {
    /// First shape, ray and queries.
    pub first: Case,
    /// Second shape of the scene.
    pub second: Body,
    /// Transform of the second shape.
    pub second_transform: Option<PlainTransform>,
}

/// Answer of a scene to one query: the first hit, and all of them, each with the number of its shape.
#[derive(Clone, Debug)]
pub struct SceneAnswer {
    /// `cast_ray`.
    pub first: Option<(u32, PlainHit)>,
    /// `intersects_ray`.
    pub any: bool,
    /// `cast_ray_all`.
    pub all: Vec<(u32, PlainHit)>,
}

/// Two shapes that the ray crosses at the same point, or nearly, or at any points.
pub fn pair(dim: usize, family: Family, precision: Precision, rng: &mut Rng) -> Option<Pair> {
    let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.dim() == dim).collect();
    let (one, two) = (rng.pick(&kinds), rng.pick(&kinds));
    if matches!(family, Family::Lattice | Family::Flip) {
        let (bodies, given) = generate::touching_pair([one, two], precision, rng);
        let [body, second] = bodies.map(|body| body.rounded(precision));
        let first = generate::with_queries(precision, body, given)?;
        return Some(Pair { first, second, second_transform: None });
    }
    let first = generate::case(one, family, precision, rng)?;
    let mut second = first.body.clone();
    if rng.once_in(2) {
        // The same shape again, sometimes with one number changed by a unit.
        let at = rng.below(second.numbers.len());
        second.numbers[at] = precision.nudge(second.numbers[at], rng.int(-1, 1));
    } else {
        second = generate::case(two, family, precision, rng)?.body;
    }
    let swap = rng.once_in(2);
    let (body, second) = if swap { (second, first.body.clone()) } else { (first.body.clone(), second) };
    Some(Pair { first: Case { body, ..first }, second, second_transform: None })
}

/// Two instances that the ray crosses at the same point, or nearly, or at any points.
///
/// Both shapes have the same transform, so their images touch where they do; or one is the same set in other numbers:
/// moved before its transform and back by it, or its exact image without one.
pub fn instances(
    dim: usize,
    family: TransformFamily,
    rays: Family,
    precision: Precision,
    rng: &mut Rng,
) -> Option<Pair> {
    let Pair { first, mut second, .. } = pair(dim, rays, precision, rng)?;
    let transform = generate::transform(family, dim, precision, rng);
    let mut first = generate::placed(first, transform, rays, rng)?;
    let mut second_transform = Some(transform);
    if rng.once_in(3) {
        second = first.body.clone();
    }
    match rng.below(4) {
        0 => {}
        1 => second_transform = Some(generate::transform(family, dim, precision, rng)),
        2 => {
            if let Some((body, transform)) = generate::shifted(&second, &transform, precision, rng) {
                (second, second_transform) = (body, Some(transform));
            }
        }
        _ => {
            if let Some(body) = generate::exact_image(&second, &transform, precision) {
                (second, second_transform) = (body, None);
            }
        }
    }
    if rng.once_in(2) {
        std::mem::swap(&mut first.body, &mut second);
        std::mem::swap(&mut first.transform, &mut second_transform);
    }
    Some(Pair { first, second, second_transform })
}

impl Pair {
    /// Answers of the library; None if it refuses a shape or a transform.
    pub fn answers(&self) -> Option<Vec<SceneAnswer>> {
        match (self.second.kind.dim(), self.first.precision) {
            (2, Precision::F32) => self.answers_in::<Vec2>(),
            (2, Precision::F64) => self.answers_in::<DVec2>(),
            (_, Precision::F32) => self.answers_in::<Vec3>(),
            (_, Precision::F64) => self.answers_in::<DVec3>(),
        }
    }
    fn answers_in<V: World>(&self) -> Option<Vec<SceneAnswer>> {
        let objects = [(&self.first.body, self.first.transform), (&self.second, self.second_transform)];
        let scene = case::scene::<V>(&objects)?;
        let RayOrSegment { origin, target, is_segment } = self.first.given;
        let (a, b) = (vector::<V>(origin), vector::<V>(target));
        let in_scene = |plain: &PlainQuery| {
            let query = query::<V>(plain);
            if is_segment { answer(&scene, &Segment::new(a, b), query) } else { answer(&scene, &Ray::new(a, b), query) }
        };
        Some(self.first.queries.iter().map(in_scene).collect())
    }
    /// Compares the answers with the exact ones.
    pub fn judge(&self, answers: &[SceneAnswer]) -> Verdict {
        let mut verdict = Verdict::default();
        let (given, precision) = (&self.first.given, self.first.precision);
        let instances = [self.first.instance(), Instance::new(&self.second, self.second_transform.as_ref())];
        let line = Instance::line(given, &instances);
        let models = instances.map(|instance| instance.model(&line));
        let intersections: Vec<Intersection<'_>> = models.iter().map(|model| Intersection::new(model, &line)).collect();
        let comparisons: Vec<Comparison<'_>> = intersections
            .iter()
            .map(|intersection| Comparison::new(&line, intersection, precision, self.second.kind.dim()))
            .collect();
        for (query, answer) in self.first.queries.iter().zip(answers) {
            let range = Range::new(query, given.is_segment, precision.max(), line.scale);
            let mut exact: Vec<(u32, Exact<'_, '_>)> = Vec::new();
            for (number, intersection) in (0..).zip(&intersections) {
                exact.extend(hits(intersection, query, &range).into_iter().map(|hit| (number, hit)));
            }
            // Stable: at the same point by number, then in the order of the shape.
            exact.sort_by(|(_, a), (_, b)| a.at().order(b.at()));
            let before = verdict.wrong.len();
            let first = exact.first();
            match (&answer.first, first) {
                (Some((got, _)), Some((right, _))) if got != right => {
                    let tie = exact[1..]
                        .iter()
                        .any(|(n, hit)| n == got && hit.at().order(exact[0].1.at()) == Ordering::Equal);
                    let how = if tie { "as near, but added later" } else { "farther" };
                    verdict.wrong.push(format!("scene: hits shape {got}, which is {how}; exact: {right}"));
                }
                (got, right) => {
                    let comparison = &comparisons[right.map_or(0, |(number, _)| *number as usize)];
                    comparison.compare(
                        "scene",
                        got.as_ref().map(|(_, hit)| hit),
                        right.map(|(_, hit)| hit),
                        &mut verdict,
                    );
                }
            }
            if answer.any == exact.is_empty() {
                verdict.wrong.push(format!("scene: intersects_ray: {}", answer.any));
            }
            let order = |numbers: &mut dyn Iterator<Item = u32>| numbers.collect::<Vec<_>>();
            let (got, right) =
                (order(&mut answer.all.iter().map(|(n, _)| *n)), order(&mut exact.iter().map(|(n, _)| *n)));
            if got != right {
                verdict.wrong.push(format!("scene: cast_ray_all meets {got:?}, exact: {right:?}"));
            }
            let PlainQuery { t_min, t_max, inside, faces } = query;
            for wrong in &mut verdict.wrong[before..] {
                wrong.push_str(&format!(" (t in {t_min:?}..={t_max:?}, {inside:?}, {faces:?})"));
            }
        }
        verdict
    }
    /// Casts, casts again in a range around the hits, and judges all answers.
    pub fn judge_twice(&mut self, rng: &mut Rng) -> Option<Verdict> {
        let mut answers = self.answers()?;
        let near: Vec<f64> = answers.iter().flat_map(|answer| answer.all.iter().map(|(_, hit)| hit.t)).collect();
        let query = std::mem::replace(&mut self.first.queries, vec![generate::range(&near, self.first.precision, rng)]);
        answers.extend(self.answers()?);
        self.first.queries.splice(0..0, query);
        Some(self.judge(&answers))
    }
}

fn answer<V: World>(
    scene: &hitscan::Scene<V>,
    cast: &impl RayLike<V>,
    query: hitscan::Query<V::Scalar>,
) -> SceneAnswer {
    let numbered = |hit: &hitscan::Hit<V>| (hit.object.map_or(u32::MAX, |id| id.index() as u32), plain(hit));
    SceneAnswer {
        first: scene.cast_ray(cast, query).as_ref().map(numbered),
        any: scene.intersects_ray(cast, query),
        all: scene.cast_ray_all(cast, query).iter().map(numbered).collect(),
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n      and {}", self.first, self.second.kind.name())?;
        for (name, _, numbers) in self.second.parts() {
            write!(f, " {name}={numbers:?}")?;
        }
        self.second_transform.map_or(Ok(()), |transform| write!(f, " {transform}"))
    }
}
