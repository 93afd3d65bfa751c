//! Judge of histories: compares the answers of the library with the exact ones.

use super::history::{FilteredQuery, History, PlainObject};
use super::library::{self, FilteredAnswer, PlacedHit};
use crate::generate;
use crate::instance::Instance;
use crate::intersection::Intersection;
use crate::judge::{Comparison, Verdict};
use crate::line::Line;
use crate::rules::{Exact, PlainQuery, Range, hits};
use hitscan::{Side, Triggers};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use test_support::random::Rng;

/// Number of a shape, and of its transform.
type Placed = (usize, usize);

/// An exact hit, with the place of its object.
#[derive(Clone, Copy)]
struct ExactHit<'a, 'b> {
    at: usize,
    hit: Exact<'a, 'b>,
}

impl ExactHit<'_, '_> {
    fn side(&self) -> Side {
        if matches!(self.hit, Exact::Front(_)) { Side::Front } else { Side::Back }
    }
}

/// Compares the answers of each step with the exact ones.
pub fn judge(history: &History, answers: &[[FilteredAnswer; 2]]) -> Verdict {
    let states = history.states();
    let placed: BTreeMap<Placed, Instance<'_>> = states
        .iter()
        .flatten()
        .flatten()
        .map(|object| {
            let transform = &history.transforms[object.transform];
            (key(object), Instance::new(&history.shapes[object.shape], Some(transform)))
        })
        .collect();
    let instances: Vec<Instance<'_>> = placed.values().cloned().collect();
    let line = Instance::line(&history.given, &instances);
    let models: Vec<_> = instances.iter().map(|instance| instance.model(&line)).collect();
    let intersections: Vec<Intersection<'_>> = models.iter().map(|model| Intersection::new(model, &line)).collect();
    let compare = |intersection| Comparison::new(&line, intersection, history.precision, history.dim);
    let comparisons = placed.into_keys().zip(intersections.iter().map(compare)).collect();
    let mut verdict = Verdict::default();
    for (number, ((states, answers), step)) in states.iter().zip(answers).zip(&history.steps).enumerate() {
        for ((objects, answer), when) in states.iter().zip(answers).zip(["snapshot before", "after"]) {
            let state = State { history, line: &line, objects, comparisons: &comparisons };
            let before = verdict.wrong.len();
            state.judge(&step.query, answer, &mut verdict);
            for wrong in &mut verdict.wrong[before..] {
                wrong.push_str(&format!(" ({when} step {number})"));
            }
        }
    }
    verdict
}

fn key(object: &PlainObject) -> Placed {
    (object.shape, object.transform)
}

/// The objects of a scene at one time.
struct State<'a> {
    history: &'a History,
    line: &'a Line,
    objects: &'a [PlainObject],
    comparisons: &'a BTreeMap<Placed, Comparison<'a>>,
}

impl State<'_> {
    fn judge(&self, query: &FilteredQuery, answer: &FilteredAnswer, verdict: &mut Verdict) {
        let &History { ref given, precision, .. } = self.history;
        let range = Range::new(&query.plain, given.is_segment, precision.max(), self.line.scale);
        let mut all: Vec<ExactHit<'_, '_>> = Vec::new();
        for (at, object) in self.objects.iter().enumerate() {
            if query.excluded == Some(at)
                || object.layers & query.layers == 0
                || (object.is_trigger && query.triggers == Triggers::Ignore)
            {
                continue;
            }
            let own = PlainQuery {
                faces: object.faces.unwrap_or(query.plain.faces),
                inside: object.inside.unwrap_or(query.plain.inside),
                ..query.plain
            };
            let intersection = self.comparisons[&key(object)].intersection;
            all.extend(hits(intersection, &own, &range).into_iter().map(|hit| ExactHit { at, hit }));
        }
        // Stable: at the same point by the order of insertion, then in the order of the shape.
        all.sort_by(|a, b| a.hit.at().order(b.hit.at()));
        let is_trigger = |hit: &ExactHit<'_, '_>| self.objects[hit.at].is_trigger;
        let stops = |hit: &ExactHit<'_, '_>| query.triggers == Triggers::Hit || !is_trigger(hit);
        let first = all.iter().find(|hit| stops(hit));
        self.compare_one("cast_ray", answer.first.as_ref(), first, &all, verdict);
        let accepted = all.iter().find(|hit| stops(hit) && (hit.at, hit.side()) != query.refused);
        self.compare_one("cast_ray_where", answer.accepted.as_ref(), accepted, &all, verdict);
        let through = all.iter().find(|hit| !is_trigger(hit));
        self.compare_one("cast_ray_through", answer.through.as_ref(), through, &all, verdict);
        let triggers: Vec<_> = all.iter().copied().take_while(is_trigger).collect();
        self.compare_list("triggers of cast_ray_through", &answer.triggers, &triggers, verdict);
        self.compare_list("cast_ray_all", &answer.all, &all, verdict);
        self.compare_list("cast_ray_first(2)", &answer.first_two, &all[..all.len().min(2)], verdict);
        if answer.any != first.is_some() {
            verdict.wrong.push(format!("intersects_ray: {}", answer.any));
        }
        if answer.count != all.len() {
            verdict.wrong.push(format!("count_hits: {}, exact: {}", answer.count, all.len()));
        }
    }

    fn compare_one(
        &self,
        what: &str,
        got: Option<&PlacedHit>,
        exact: Option<&ExactHit<'_, '_>>,
        all: &[ExactHit<'_, '_>],
        verdict: &mut Verdict,
    ) {
        if let (Some((got, _)), Some(right)) = (got, exact)
            && *got != right.at
        {
            let is_tie =
                |hit: &ExactHit<'_, '_>| hit.at == *got && hit.hit.at().order(right.hit.at()) == Ordering::Equal;
            let how = if all.iter().any(is_tie) { "as near, but inserted later" } else { "another" };
            return verdict.wrong.push(format!("{what}: object {got}, which is {how}; exact: {}", right.at));
        }
        let comparison = exact.map(|hit| hit.at).or(got.map(|(at, _)| *at)).and_then(|at| self.objects.get(at));
        let Some(comparison) = comparison.map(|object| &self.comparisons[&key(object)]) else {
            return verdict.wrong.extend(got.map(|_| format!("{what}: an object that is not in the scene")));
        };
        comparison.compare(what, got.map(|(_, hit)| hit), exact.map(|exact| &exact.hit), verdict);
    }

    fn compare_list(&self, what: &str, got: &[PlacedHit], exact: &[ExactHit<'_, '_>], verdict: &mut Verdict) {
        let places = [got.iter().map(|(at, _)| *at).collect::<Vec<_>>(), exact.iter().map(|hit| hit.at).collect()];
        if places[0] != places[1] {
            return verdict.wrong.push(format!("{what}: objects {:?}, exact: {:?}", places[0], places[1]));
        }
        for (got, exact) in got.iter().zip(exact) {
            self.compare_one(what, Some(got), Some(exact), std::slice::from_ref(exact), verdict);
        }
    }
}

/// Casts, casts again in ranges around the hits, and judges all answers. `None` if the library refuses a shape or a transform.
pub fn judge_twice(history: &mut History, rng: &mut Rng) -> Option<Verdict> {
    let answers = library::answers(history)?;
    let mut verdict = judge(history, &answers);
    for (step, [_, answer]) in history.steps.iter_mut().zip(&answers) {
        let near: Vec<f64> = answer.all.iter().map(|(_, hit)| hit.t).collect();
        step.query.plain = generate::range(&near, history.precision, rng);
    }
    verdict.join(judge(history, &library::answers(history)?));
    Some(verdict)
}
