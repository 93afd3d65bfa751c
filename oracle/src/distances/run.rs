//! Runs many closest points on several threads, and prints their table.

use super::judge::{DistanceVerdict, LIMIT, judge};
use super::nearest::on_surface;
use crate::body::{Body, Kind};
use crate::generate::{self, Family};
use crate::number::Precision;
use crate::query_plan::QueryPlan;
use crate::run::spread;
use crate::wide::vector;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use test_support::random::Rng;

/// Cases of a job.
const POINTS_PER_JOB: u64 = 128;
/// Attempts to make a case; some shapes and points have no exact answer.
const ATTEMPTS: usize = 1000;

#[derive(Clone, Debug, Default)]
struct DistanceRow {
    cases: u64,
    inside: u64,
    wrong: u64,
    off: u64,
    distance: f64,
    place: f64,
    failures: Vec<String>,
}

impl DistanceRow {
    fn add(&mut self, body: &Body, p: [f64; 3], verdict: DistanceVerdict) {
        let DistanceVerdict { distance, place, is_wrong, is_inside } = verdict;
        let is_off = !(distance <= LIMIT && place <= LIMIT);
        self.join(&Self {
            cases: 1,
            inside: u64::from(is_inside),
            wrong: u64::from(is_wrong),
            off: u64::from(is_off),
            distance,
            place,
            failures: (is_wrong || is_off).then(|| format!("{body:?} point={p:?} {verdict:?}")).into_iter().collect(),
        });
    }
    fn join(&mut self, other: &Self) {
        self.cases += other.cases;
        self.inside += other.inside;
        self.wrong += other.wrong;
        self.off += other.off;
        self.distance = self.distance.max(other.distance);
        self.place = self.place.max(other.place);
        self.failures.extend(other.failures.iter().cloned());
        self.failures.sort_by_key(String::len);
        self.failures.truncate(4);
    }
    fn print(&self, out: &mut String, name: &str, precision: &str, family: &str) {
        let Self { cases, inside, wrong, off, distance, place, .. } = self;
        let _ = writeln!(
            out,
            "{name:18} {precision:4} {family:10} {cases:>9} {inside:>8} {wrong:>6} {off:>6} {distance:>8.4} {place:>8.4}"
        );
    }
}

/// Runs the cases; the table, and whether every one is within the contract.
pub fn run(plan: &QueryPlan) -> Result<(String, bool), String> {
    let is_named = |kind: &&Kind| plan.shape.as_ref().is_none_or(|name| name == kind.name());
    let kinds: Vec<Kind> = Kind::ALL.iter().filter(is_named).copied().collect();
    if kinds.is_empty() {
        return Err(format!("--shape {}: unknown", plan.shape.as_deref().unwrap_or_default()));
    }
    let families: Vec<Family> = Family::ALL.iter().copied().filter(|family| *family != Family::Flip).collect();
    let mut keys = vec![];
    for kind in kinds {
        for precision in &plan.precisions {
            keys.extend(families.iter().map(|family| (kind, *precision, *family)));
        }
    }
    let each = plan.cases.div_ceil(keys.len() as u64);
    let blocks = each.div_ceil(POINTS_PER_JOB);
    let table: Mutex<BTreeMap<usize, DistanceRow>> = Mutex::new(BTreeMap::new());
    spread("distances", keys.len() * blocks as usize, plan.threads, |job| {
        let (key, block) = (job % keys.len(), (job / keys.len()) as u64);
        let (kind, precision, family) = keys[key];
        let mut rng = Rng::for_stream(plan.seed, job as u64);
        let mut row = DistanceRow::default();
        for _ in 0..POINTS_PER_JOB.min(each - block * POINTS_PER_JOB) {
            let mut attempts = std::iter::repeat_with(|| one(kind, family, precision, &mut rng)).take(ATTEMPTS);
            if let Some((body, p, verdict)) = attempts.find_map(|found| found) {
                row.add(&body, p, verdict);
            }
        }
        table.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().join(&row);
    });
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut out = format!(
        "{:18} {:4} {:10} {:>9} {:>8} {:>6} {:>6} {:>8} {:>8}\n",
        "shape", "", "family", "cases", "inside", "wrong", "off", "distance", "place"
    );
    let mut all = DistanceRow::default();
    for (&key, row) in &table {
        let (kind, precision, family) = keys[key];
        row.print(&mut out, kind.name(), precision.name(), family.name());
        all.join(row);
    }
    all.print(&mut out, "all", "", "all");
    out.push_str("wrong: signs that differ from exact containment; off: cases beyond 4 ulp of the largest number.\n");
    for text in &all.failures {
        let _ = writeln!(out, "\n{text}");
    }
    Ok((out, all.wrong == 0 && all.off == 0))
}

/// A shape and a point of a family: the origin of a ray, the point that it leads to, or one beside the surface.
fn one(kind: Kind, family: Family, precision: Precision, rng: &mut Rng) -> Option<(Body, [f64; 3], DistanceVerdict)> {
    let case = generate::case(kind, family, precision, rng)?;
    let given = &case.given;
    let target =
        if given.is_segment { given.target } else { std::array::from_fn(|i| given.origin[i] + given.target[i]) };
    let mut p = if rng.once_in(2) { given.origin } else { target };
    if rng.once_in(3) {
        p = on_surface(&vector(p), &case.body)?.point.map(|x| precision.round(x.to_f64()));
        let axis = rng.below(kind.dim());
        p[axis] = precision.nudge(p[axis], rng.int(-1, 1));
    }
    let p = p.map(|x| precision.round(x));
    let verdict = p.iter().all(|x| x.is_finite()).then(|| judge(&case.body, precision, p))??;
    Some((case.body, p, verdict))
}
