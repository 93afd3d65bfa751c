//! Runs many cases of moving spheres on several threads, and prints their table.

use super::case::SweepCase;
use super::generate::{self, SweepFamily};
use super::judge::{SweepVerdict, judge};
use crate::body::Kind;
use crate::generate::range;
use crate::number::Precision;
use crate::query_plan::QueryPlan;
use crate::run::spread;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use test_support::random::Rng;

/// Shapes whose inflated shape is made of planes, spheres and cylinders.
const KINDS: [Kind; 13] = [
    Kind::Sphere,
    Kind::Capsule,
    Kind::Cuboid,
    Kind::Plane,
    Kind::HalfSpace,
    Kind::Triangle,
    Kind::Circle,
    Kind::Capsule2,
    Kind::Rectangle,
    Kind::Line,
    Kind::HalfPlane,
    Kind::Triangle2,
    Kind::Polygon,
];

/// Cases of a job.
const SWEEPS_PER_JOB: u64 = 128;
/// Count of failures kept for each row.
const FAILURES_KEPT: usize = 4;

#[derive(Clone, Debug, Default)]
struct SweepRow {
    cases: u64,
    wrong: u64,
    off: u64,
    sum: SweepVerdict,
    failures: Vec<String>,
}

impl SweepRow {
    fn add(&mut self, case: &SweepCase, mut verdict: SweepVerdict) {
        self.cases += 1;
        self.wrong += u64::from(!verdict.wrong.is_empty());
        self.off += u64::from(!verdict.off.is_empty());
        verdict.wrong.append(&mut verdict.off);
        if !verdict.wrong.is_empty() {
            self.failures.push(format!("{case}\n        {}", verdict.wrong.join("\n        ")));
        }
        self.join_sums(&verdict);
        self.keep();
    }
    fn keep(&mut self) {
        self.failures.sort_by_key(String::len);
        self.failures.truncate(FAILURES_KEPT);
    }
    fn join_sums(&mut self, other: &SweepVerdict) {
        let sum = &mut self.sum;
        sum.contacts += other.contacts;
        sum.starts += other.starts;
        sum.ties += other.ties;
        sum.t = sum.t.max(other.t);
        sum.normal = sum.normal.max(other.normal);
        sum.place = sum.place.max(other.place);
    }
    fn join(&mut self, other: &Self) {
        self.cases += other.cases;
        self.wrong += other.wrong;
        self.off += other.off;
        self.join_sums(&other.sum);
        self.failures.extend(other.failures.iter().cloned());
        self.keep();
    }
    fn print(&self, out: &mut String, name: &str, precision: &str, family: &str) {
        let Self { cases, wrong, off, sum, .. } = self;
        let SweepVerdict { contacts, starts, ties, t, normal, place, .. } = sum;
        let _ = writeln!(
            out,
            "{name:12} {precision:4} {family:8} {cases:>9} {contacts:>9} {starts:>8} {ties:>5} {wrong:>6} {off:>6} {t:>8.4} {normal:>8.4} {place:>8.4}"
        );
    }
}

/// Runs the cases; the table, and whether every one is within the contract.
pub fn run(plan: &QueryPlan) -> Result<(String, bool), String> {
    let targets = KINDS.iter().chain(&[Kind::Segment]).map(|kind| Some(*kind)).chain([None]);
    let named: Vec<(usize, Option<Kind>)> = targets
        .enumerate()
        .filter(|(_, kind)| plan.shape.as_ref().is_none_or(|name| *name == kind.map_or("mesh", Kind::name)))
        .collect();
    if named.is_empty() {
        return Err(format!("--shape {}: unknown", plan.shape.as_deref().unwrap_or_default()));
    }
    let mut keys = vec![];
    for target in named {
        for precision in &plan.precisions {
            keys.extend(SweepFamily::ALL.map(|family| (target.0, *precision, family, target.1)));
        }
    }
    let each = plan.cases.div_ceil(keys.len() as u64);
    let blocks = each.div_ceil(SWEEPS_PER_JOB);
    let table: Mutex<BTreeMap<(usize, Precision, SweepFamily), SweepRow>> = Mutex::new(BTreeMap::new());
    spread("sweeps", keys.len() * blocks as usize, plan.threads, |job| {
        let (target, precision, family, kind) = keys[job % keys.len()];
        let mut rng = Rng::for_stream(plan.seed, job as u64);
        let block = (job / keys.len()) as u64;
        let mut row = SweepRow::default();
        while row.cases < SWEEPS_PER_JOB.min(each - block * SWEEPS_PER_JOB) {
            if let Some((case, verdict)) = one(kind, family, precision, &mut rng) {
                row.add(&case, verdict);
            }
        }
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        table.entry((target, precision, family)).or_default().join(&row);
    });
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    let name =
        |target: usize| KINDS.get(target).map_or(if target == KINDS.len() { "segment" } else { "mesh" }, |k| k.name());
    let mut out = format!(
        "{:12} {:4} {:8} {:>9} {:>9} {:>8} {:>5} {:>6} {:>6} {:>8} {:>8} {:>8}\n",
        "shape", "", "family", "cases", "contacts", "starts", "ties", "wrong", "off", "t", "normal", "place"
    );
    let mut all = SweepRow::default();
    for ((target, precision, family), row) in &table {
        row.print(&mut out, name(*target), precision.name(), family.name());
        all.join(row);
    }
    all.print(&mut out, "all", "", "all");
    out.push_str(
        "wrong: cases with a wrong decision; off: cases beyond t 1 ulp, normal 2 ulp of 1, place 4 ulp of the largest number.\n",
    );
    for ((target, precision, family), row) in &table {
        for text in &row.failures {
            let _ = writeln!(out, "\n{} {} {}: {text}", name(*target), precision.name(), family.name());
        }
    }
    Ok((out, all.wrong == 0 && all.off == 0))
}

/// A case, cast again in a range that begins or ends at a contact.
fn one(
    kind: Option<Kind>,
    family: SweepFamily,
    precision: Precision,
    rng: &mut Rng,
) -> Option<(SweepCase, SweepVerdict)> {
    let mut case = generate::case(kind, family, precision, rng)?;
    let found = case.contacts()?;
    let at: Vec<f64> = found.found.iter().flatten().map(|contact| contact.t).collect();
    case.queries.extend([0; 2].map(|_| range(&at, precision, rng)));
    let found = case.contacts()?;
    let verdict = judge(&case, &found)?;
    Some((case, verdict))
}
