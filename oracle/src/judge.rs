//! Judge: compares the answers of the library with the exact ones.

use crate::case::{Answers, Case, FurtherAnswers, PlainHit};
use crate::instance::Instance;
use crate::intersection::Intersection;
use crate::line::Line;
use crate::number::{Dyadic, Precision};
use crate::rules::{Exact, PlainQuery, Range, hits, span};
use crate::values::Values;
use hitscan::Side;
use std::cell::OnceCell;

/// Largest error of a component of a normal; a larger one is that of another face, and so a wrong decision.
const OTHER_FACE: f64 = 0.1;

/// Verdict on one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Decisions that differ from those of real arithmetic.
    pub wrong: Vec<String>,
    /// Largest errors of `t`, in ulp, of the normal, in units of the last place of 1, and of point and distance, in ulp.
    pub t: Option<f64>,
    /// See `t`.
    pub normal: Option<f64>,
    /// See `t`.
    pub point: Option<f64>,
    /// See `t`.
    pub distance: Option<f64>,
    /// Largest angle between a normal and the exact one, in units of the last place of 1.
    pub angle: Option<f64>,
    /// Largest difference of the length of a normal from 1, in units of its last place.
    pub length: Option<f64>,
}

impl Verdict {
    fn note(slot: &mut Option<f64>, error: Option<f64>) {
        if let Some(error) = error {
            *slot = Some(slot.map_or(error, |old| if old >= error { old } else { error }));
        }
    }
    /// Joins two verdicts: the larger errors, and all wrong decisions.
    pub fn join(&mut self, other: Self) {
        self.wrong.extend(other.wrong);
        for (mine, theirs) in [
            (&mut self.t, other.t),
            (&mut self.normal, other.normal),
            (&mut self.point, other.point),
            (&mut self.distance, other.distance),
            (&mut self.angle, other.angle),
            (&mut self.length, other.length),
        ] {
            Self::note(mine, theirs);
        }
    }
}

/// Exact shape and ray; computes values on demand.
pub struct Comparison<'a> {
    /// Exact line of the ray.
    pub line: &'a Line,
    /// Exact intersection of the line with the shape.
    pub intersection: &'a Intersection<'a>,
    precision: Precision,
    dim: usize,
    front: OnceCell<Values>,
    back: OnceCell<Values>,
}

impl<'a> Comparison<'a> {
    /// Comparison for one intersection.
    pub fn new(line: &'a Line, intersection: &'a Intersection<'a>, precision: Precision, dim: usize) -> Self {
        Self { line, intersection, precision, dim, front: OnceCell::new(), back: OnceCell::new() }
    }

    /// Compares a hit of the library with the exact one.
    pub fn compare(&self, what: &str, got: Option<&PlainHit>, exact: Option<&Exact<'_, '_>>, verdict: &mut Verdict) {
        let (got, exact) = match (got, exact) {
            (None, None) => return,
            (Some(got), None) => return verdict.wrong.push(format!("{what}: hit at t = {:e}, exact: none", got.t)),
            (None, Some(exact)) => {
                let t = Values::at_start(exact.at(), self.line).t.to_f64();
                return verdict.wrong.push(format!("{what}: none, exact: {} at t = {t:e}", name(exact)));
            }
            (Some(got), Some(exact)) => (got, exact),
        };
        let side = if matches!(exact, Exact::Front(_)) { Side::Front } else { Side::Back };
        if got.side != side {
            verdict.wrong.push(format!("{what}: {:?} at t = {:e}, exact: {}", got.side, got.t, name(exact)));
            return;
        }
        let start;
        let values = match exact {
            Exact::Inside(s) => {
                start = Values::at_start(s, self.line);
                &start
            }
            Exact::Front(bound) => self.front.get_or_init(|| Values::at_bound(bound, self.line, self.dim)),
            Exact::Back(bound) => self.back.get_or_init(|| Values::at_bound(bound, self.line, self.dim)),
        };
        let t = self.precision.error(got.t, &values.t);
        if matches!(exact, Exact::Inside(_)) && t != Some(0.0) {
            verdict.wrong.push(format!("{what}: t = {:e}, exact: the range starts inside", got.t));
            return;
        }
        let normals = self.normal_error(got.normal, &values.normals);
        let normal = normals.map(|[component, ..]| component);
        if normal.is_some_and(|error| !(error * self.precision.epsilon() < OTHER_FACE)) {
            verdict.wrong.push(format!("{what}: normal {:?}, exact: {:?}", got.normal, shown(&values.normals)));
            return;
        }
        Verdict::note(&mut verdict.t, t);
        Verdict::note(&mut verdict.normal, normal);
        Verdict::note(&mut verdict.angle, normals.map(|[_, angle, _]| angle));
        Verdict::note(&mut verdict.length, normals.map(|[.., length]| length));
        for i in 0..self.dim {
            Verdict::note(&mut verdict.point, self.precision.error(got.point[i], &values.point[i]));
        }
        Verdict::note(&mut verdict.distance, self.precision.error(got.distance, &values.distance));
    }

    /// Errors beside the nearest correct normal, in units of the last place of 1: the largest component of the
    /// difference, the angle, and the length. None where every direction is correct.
    fn normal_error(&self, got: [f64; 3], normals: &[[Dyadic; 3]]) -> Option<[f64; 3]> {
        if got.iter().any(|x| !x.is_finite()) {
            return Some([f64::INFINITY; 3]);
        }
        let (got, unit) = (got.map(Dyadic::from_f64), self.precision.epsilon());
        let component = |n: &[Dyadic; 3]| (0..3).map(|i| got[i].minus(&n[i]).to_f64().abs()).fold(0.0, f64::max);
        let (error, nearest) =
            normals.iter().map(|n| (component(n), n)).reduce(|a, b| if b.0 < a.0 { b } else { a })?;
        let sine: [f64; 3] = std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            got[j].times(&nearest[k]).minus(&got[k].times(&nearest[j])).to_f64()
        });
        // |g|^2 - 1 is twice |g| - 1, near 1; the exact normal has length 1.
        let squares = got.each_ref().map(|x| x.times(x));
        let excess = squares.iter().fold(Dyadic::from_f64(1.0), |left, x| left.minus(x)).to_f64();
        let angle = sine.iter().map(|x| x * x).sum::<f64>().sqrt();
        Some([error / unit, angle / unit, 0.5 * excess.abs() / unit])
    }
}

fn name(exact: &Exact<'_, '_>) -> &'static str {
    match exact {
        Exact::Inside(_) => "inside",
        Exact::Front(_) => "front",
        Exact::Back(_) => "back",
    }
}

fn shown(normals: &[[Dyadic; 3]]) -> Vec<[f64; 3]> {
    normals.iter().map(|n| [0, 1, 2].map(|i| n[i].to_f64())).collect()
}

/// Compares the answers to a case with the exact ones.
pub fn judge(case: &Case, answers: &Answers) -> Verdict {
    let mut verdict = Verdict::default();
    let valid = case.given.is_valid();
    if !valid {
        for (i, answer) in answers.queries.iter().enumerate() {
            if answer.first.is_some() || answer.any {
                verdict.wrong.push(format!("query {i}: a hit, but this is no ray"));
            }
        }
        return verdict;
    }
    let instance = case.instance();
    let line = Instance::line(&case.given, std::slice::from_ref(&instance));
    let model = instance.model(&line);
    let inside = model.contains(&line.o);
    if answers.contains != inside {
        verdict.wrong.push(format!("contains: {}, exact: {inside}", answers.contains));
    }
    let intersection = Intersection::new(&model, &line);
    let comparison = Comparison::new(&line, &intersection, case.precision, case.body.kind.dim());
    for (query, answer) in case.queries.iter().zip(&answers.queries) {
        let range = Range::new(query, case.given.is_segment, case.precision.max(), line.scale);
        let exact = hits(&intersection, query, &range);
        let before = verdict.wrong.len();
        comparison.compare("cast_ray", answer.first.as_ref(), exact.first(), &mut verdict);
        if answer.any == exact.is_empty() {
            verdict.wrong.push(format!("intersects_ray: {}", answer.any));
        }
        if let Some(FurtherAnswers { all, count, spans }) = &answer.further {
            for i in 0..all.len().max(exact.len()) {
                comparison.compare("cast_ray_all", all.get(i), exact.get(i), &mut verdict);
            }
            if *count != exact.len() {
                verdict.wrong.push(format!("count_hits: {count}, exact: {}", exact.len()));
            }
            compare_spans(&comparison, spans, &range, &mut verdict);
        }
        for wrong in &mut verdict.wrong[before..] {
            wrong.push_str(&describe(query));
        }
    }
    verdict
}

fn compare_spans(comparison: &Comparison<'_>, spans: &[[Option<PlainHit>; 2]], range: &Range, verdict: &mut Verdict) {
    match (spans, span(comparison.intersection, range)) {
        ([], None) => {}
        ([[enter, exit]], Some((first, last))) => {
            comparison.compare("spans, entry", enter.as_ref(), first.as_ref(), verdict);
            comparison.compare("spans, exit", exit.as_ref(), last.as_ref(), verdict);
        }
        (spans, exact) => {
            verdict.wrong.push(format!("spans: {}, exact: {}", spans.len(), usize::from(exact.is_some())));
        }
    }
}

fn describe(query: &PlainQuery) -> String {
    if *query == PlainQuery::default() {
        return String::new();
    }
    let PlainQuery { t_min, t_max, inside, faces } = query;
    format!(" (t in {t_min:?}..={t_max:?}, {inside:?}, {faces:?})")
}
