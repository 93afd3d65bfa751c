//! Sums over many cases, and their table.

use crate::generate::{Family, TransformFamily};
use crate::judge::Verdict;
use crate::number::Precision;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Family of a row: of rays at bare shapes, or of the transforms of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowFamily {
    /// Bare shapes.
    Rays(Family),
    /// Instances, with rays of any family.
    Transforms(TransformFamily),
}

impl RowFamily {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rays(family) => family.name(),
            Self::Transforms(family) => family.name(),
        }
    }
}

/// Largest errors that the contract allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limits {
    /// Error of `t` in ulp.
    pub t: u32,
    /// Angle between a normal and the exact one, in units of the last place of 1.
    pub angle: u32,
}

/// Error of a component of a normal, and of its length, in units of the last place of 1.
const NORMAL: f64 = 2.0;

/// Largest error of a distance, in ulp.
const DISTANCE: f64 = 4.0;

impl Limits {
    /// Limits of bare shapes, where the components of normals decide.
    pub fn bare(t: u32) -> Self {
        Self { t, angle: u32::MAX }
    }
    /// Limits of instances: 1e-7 in `f32`, 4e-16 in `f64`.
    pub fn instance(t: u32, precision: Precision) -> Self {
        Self { t, angle: if precision == Precision::F32 { 1 } else { 2 } }
    }
}

/// Key of a table row: a shape (or `scene`), a family, a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Position in the table.
    pub order: usize,
    /// Name of the shape, or `scene`.
    pub shape: &'static str,
    /// Precision of the cases.
    pub precision: Precision,
    /// Family of the cases.
    pub family: RowFamily,
    /// Limits of its errors.
    pub limits: Limits,
}

/// Count of failures kept for each row.
const KEPT: usize = 3;
/// Width of the bins of errors of `t`, in ulp.
const STEP: f64 = 1.0 / 64.0;
/// The last bin contains all larger errors.
const STEPS: usize = 160;

/// Results of the cases of one row.
#[derive(Clone, Debug)]
pub struct Row {
    /// Count of cases judged.
    pub cases: u64,
    /// Cases with a wrong decision.
    pub wrong: u64,
    /// Cases with a number whose error exceeds the contract.
    pub off: u64,
    /// Largest error of `t` in ulp.
    pub t: f64,
    steps: Vec<u32>,
    /// Largest error of a component of the normal, in units of the last place of 1.
    pub normal: f64,
    /// Largest error of a coordinate of the point, in ulp.
    pub point: f64,
    /// Largest error of the distance, in ulp.
    pub distance: f64,
    /// Largest angle between a normal and the exact one, in units of the last place of 1.
    pub angle: f64,
    /// Largest difference of the length of a normal from 1, in units of its last place.
    pub length: f64,
    /// Cases with an explanation.
    pub explained: u64,
    /// Of these, cases that exact numbers decided.
    pub uncertain: u64,
    failures: Vec<(u32, String)>,
}

impl Default for Row {
    fn default() -> Self {
        let steps = vec![0; STEPS];
        Self {
            steps,
            cases: 0,
            wrong: 0,
            off: 0,
            t: 0.0,
            normal: 0.0,
            point: 0.0,
            distance: 0.0,
            angle: 0.0,
            length: 0.0,
            explained: 0,
            uncertain: 0,
            failures: vec![],
        }
    }
}

impl Row {
    /// Counts a judged case. `size` measures how hard the case is to read: the row keeps the easiest failures.
    pub fn add(
        &mut self,
        verdict: &Verdict,
        uncertain: Option<bool>,
        limits: Limits,
        size: u32,
        case: impl FnOnce() -> String,
    ) {
        self.cases += 1;
        self.explained += u64::from(uncertain.is_some());
        self.uncertain += u64::from(uncertain == Some(true));
        let keep = |largest: &mut f64, error: Option<f64>| *largest = largest.max(error.unwrap_or(0.0));
        keep(&mut self.t, verdict.t);
        keep(&mut self.normal, verdict.normal);
        keep(&mut self.point, verdict.point);
        keep(&mut self.distance, verdict.distance);
        keep(&mut self.angle, verdict.angle);
        keep(&mut self.length, verdict.length);
        if let Some(t) = verdict.t {
            self.steps[((t / STEP) as usize).min(STEPS - 1)] += 1;
        }
        let mut complaints = verdict.wrong.clone();
        self.wrong += u64::from(!complaints.is_empty());
        let mut off = |what: &str, error: Option<f64>, limit: f64| {
            if let Some(error) = error.filter(|error| !(*error <= limit)) {
                complaints.push(format!("{what} off by {error:.3} ulp"));
            }
        };
        off("t", verdict.t, f64::from(limits.t));
        // Beyond the largest number a distance is infinite.
        off("distance", verdict.distance.filter(|error| error.is_finite()), DISTANCE);
        off("normal", verdict.normal, NORMAL);
        off("length of the normal", verdict.length, NORMAL);
        off("angle of the normal", verdict.angle, f64::from(limits.angle));
        self.off += u64::from(complaints.len() > verdict.wrong.len());
        if !complaints.is_empty() {
            self.keep(size, || format!("{}\n      {}", case(), complaints.join("\n      ")));
        }
    }
    fn keep(&mut self, size: u32, text: impl FnOnce() -> String) {
        if self.failures.len() < KEPT || self.failures.last().is_some_and(|(largest, _)| size < *largest) {
            self.failures.push((size, text()));
            self.failures.sort();
            self.failures.truncate(KEPT);
        }
    }
    /// Adds the cases of another row.
    pub fn join(&mut self, other: Self) {
        self.cases += other.cases;
        self.wrong += other.wrong;
        self.off += other.off;
        self.explained += other.explained;
        self.uncertain += other.uncertain;
        for (mine, theirs) in [
            (&mut self.t, other.t),
            (&mut self.normal, other.normal),
            (&mut self.point, other.point),
            (&mut self.distance, other.distance),
            (&mut self.angle, other.angle),
            (&mut self.length, other.length),
        ] {
            *mine = mine.max(theirs);
        }
        self.steps.iter_mut().zip(other.steps).for_each(|(mine, theirs)| *mine += theirs);
        for (size, text) in other.failures {
            self.keep(size, || text);
        }
    }
    /// 99th percentile of the error of `t`.
    pub fn p99(&self) -> f64 {
        let all: u64 = self.steps.iter().map(|n| u64::from(*n)).sum();
        let mut left = all - all / 100;
        for (i, n) in self.steps.iter().enumerate() {
            left = left.saturating_sub(u64::from(*n));
            if left == 0 {
                return if all == 0 { 0.0 } else { ((i + 1) as f64 * STEP).min(self.t) };
            }
        }
        self.t
    }
    /// Share of explained cases that exact numbers decided.
    pub fn slow(&self) -> f64 {
        if self.explained == 0 { 0.0 } else { self.uncertain as f64 / self.explained as f64 }
    }
    fn print(&self, out: &mut String, shape: &str, precision: &str, family: &str) {
        let Self { cases, wrong, off, t, normal, point, distance, angle, .. } = self;
        let _ = writeln!(
            out,
            "{shape:18} {precision:4} {family:9} {cases:>9} {wrong:>7} {off:>6} {:>7} {:>7} {:>7} {:>7} {:>9} {:>9} {:>9}",
            number(*t),
            number(self.p99()),
            number(*normal),
            number(*angle),
            number(*point),
            number(*distance),
            if self.explained == 0 { "-".to_owned() } else { format!("{:.5}", self.slow()) },
        );
    }
}

fn number(x: f64) -> String {
    if x < 1000.0 { format!("{x:.3}") } else { format!("{x:.0e}") }
}

/// Table of all rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Rows by shape, precision and family.
    pub rows: BTreeMap<Key, Row>,
}

impl Table {
    /// Adds another table.
    pub fn join(&mut self, other: Self) {
        for (key, row) in other.rows {
            self.rows.entry(key).or_default().join(row);
        }
    }
    /// Whether every case is within the contract.
    pub fn is_clean(&self) -> bool {
        self.rows.values().all(|row| row.wrong == 0 && row.off == 0)
    }
    /// Prints the rows, sums and failures.
    pub fn print(&self) -> String {
        let mut out = format!(
            "{:18} {:4} {:9} {:>9} {:>7} {:>6} {:>7} {:>7} {:>7} {:>7} {:>9} {:>9} {:>9}\n",
            "shape",
            "",
            "family",
            "cases",
            "wrong",
            "off",
            "t",
            "t p99",
            "normal",
            "angle",
            "point",
            "distance",
            "slow"
        );
        let (mut families, mut shapes) = (BTreeMap::<_, Row>::new(), BTreeMap::<_, Row>::new());
        for (key, row) in &self.rows {
            row.print(&mut out, key.shape, key.precision.name(), key.family.name());
            families.entry((key.family, key.precision)).or_default().join(row.clone());
            shapes.entry((key.order, key.shape, key.precision)).or_default().join(row.clone());
        }
        out.push('\n');
        for ((_, shape, precision), row) in &shapes {
            row.print(&mut out, shape, precision.name(), "all");
        }
        out.push('\n');
        let mut all = Row::default();
        for ((family, precision), row) in families {
            row.print(&mut out, "all", precision.name(), family.name());
            all.join(row);
        }
        all.print(&mut out, "all", "", "all");
        out.push_str("\nwrong: cases with a wrong decision; off: cases beyond the contract (t 1 ulp, planes 2; distance 4; normal 2 ulp of 1 per component and in length; angle of instances 1 ulp of 1 in f32, 2 in f64).\n");
        out.push_str(
            "t, point, distance: largest error in ulp; slow: share of explained cases that exact numbers decided.\n",
        );
        for (key, row) in &self.rows {
            if !row.failures.is_empty() {
                let _ = writeln!(out, "\n{} {} {}:", key.shape, key.precision.name(), key.family.name());
            }
            for (_, text) in &row.failures {
                let _ = writeln!(out, "    {text}");
            }
        }
        out
    }
}
