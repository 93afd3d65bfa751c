//! Parallel run over many cases: the same cases for the same seed, on any number of threads.

use crate::affine::PlainTransform;
use crate::body::{Kind, World};
use crate::case::{Answers, Case};
use crate::edits;
use crate::generate::{self, Family, TransformFamily};
use crate::instanced_meshes;
use crate::judge::{Verdict, judge};
use crate::number::Precision;
use crate::scenes;
use crate::solids;
use crate::tally::{Key, Limits, Row, RowFamily, Table};
use hitscan::TransformError;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use test_support::random::Rng;

/// Plan of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of the random cases.
    pub seed: u64,
    /// Total count of cases.
    pub cases: u64,
    /// Shapes and scenes, each a row.
    pub subjects: Vec<Subject>,
    /// Families of cases, each a row.
    pub families: Vec<Family>,
    /// Families of transforms, with rays of the families above; none for bare shapes.
    pub transforms: Vec<TransformFamily>,
    /// Precisions of the cases, each a row.
    pub precisions: Vec<Precision>,
    /// Count of threads.
    pub threads: usize,
}

/// Cases of one row per job.
const CASES_PER_JOB: u64 = 500;
/// One case in so many compares all hits and spans.
const THOROUGH: usize = 4;
/// One case in so many repeats the cast in a range that begins or ends at a hit: slow in the library, because most are
/// ties.
const RANGED: usize = 3;
/// One case in so many records whether exact numbers decided.
const EXPLAINED: usize = 16;

/// Subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One shape of a kind.
    One(Kind),
    /// Scenes of two shapes, with the dimension of the space.
    Two(usize),
    /// Closed meshes, as instances only.
    Mesh,
    /// Scenes that are edited, as instances only, with the dimension of the space.
    Edited(usize),
    /// Solids of instances, with the dimension of the space.
    Solid(usize),
}

impl Subject {
    /// All subjects of instances.
    pub fn instances() -> Vec<Self> {
        Self::all().into_iter().chain([Self::Mesh]).collect()
    }
    /// All subjects of edits.
    pub fn edits() -> Vec<Self> {
        vec![Self::Edited(3), Self::Edited(2)]
    }
    /// All subjects of solids.
    pub fn solids() -> Vec<Self> {
        vec![Self::Solid(3), Self::Solid(2)]
    }
    /// All subjects of bare shapes, in the order of tables.
    pub fn all() -> Vec<Self> {
        Kind::ALL.iter().map(|kind| Self::One(*kind)).chain([Self::Two(3), Self::Two(2)]).collect()
    }
    /// Name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::One(kind) => kind.name(),
            Self::Two(2) => "scene2",
            Self::Two(_) => "scene",
            Self::Mesh => "mesh",
            Self::Edited(2) => "edits2",
            Self::Edited(_) => "edits",
            Self::Solid(2) => "solid2",
            Self::Solid(_) => "solid",
        }
    }
    /// Subject of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::instances().into_iter().chain(Self::edits()).chain(Self::solids()).find(|subject| subject.name() == name)
    }
}

struct Job {
    key: Key,
    subject: Subject,
    cases: u64,
}

/// Runs the plan.
pub fn run(plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (order, &subject) in plan.subjects.iter().enumerate() {
        let may_cancel = match subject {
            Subject::One(kind) => kind.is_flat(),
            Subject::Two(_) | Subject::Edited(_) | Subject::Solid(_) => true,
            Subject::Mesh => false,
        };
        let t = if may_cancel { 2 } else { 1 };
        for &precision in &plan.precisions {
            let mut row = |family, limits| {
                rows.push((Key { order, shape: subject.name(), precision, family, limits }, subject));
            };
            if plan.transforms.is_empty() {
                plan.families.iter().for_each(|family| row(RowFamily::Rays(*family), Limits::bare(t)));
            }
            for family in &plan.transforms {
                row(RowFamily::Transforms(*family), Limits::instance(t, precision));
            }
        }
    }
    let each = plan.cases.div_ceil(rows.len().max(1) as u64);
    let blocks = each.div_ceil(CASES_PER_JOB);
    // Blocks of all rows alternate, so that slow families do not come last.
    let jobs: Vec<Job> = (0..blocks)
        .flat_map(|block| {
            let cases = CASES_PER_JOB.min(each - block * CASES_PER_JOB);
            rows.iter().map(move |&(key, subject)| Job { key, subject, cases })
        })
        .collect();
    let table = Mutex::new(Table::default());
    spread("cases", jobs.len(), plan.threads, |i| {
        let Job { key, subject, cases } = &jobs[i];
        let mut rng = Rng::for_stream(plan.seed, i as u64);
        let mut row = Row::default();
        while row.cases < *cases {
            match *subject {
                Subject::One(kind) => one(key, kind, &plan.families, &mut rng, &mut row),
                Subject::Two(dim) => two(key, dim, &plan.families, &mut rng, &mut row),
                Subject::Mesh => mesh(key, &plan.families, &mut rng, &mut row),
                Subject::Edited(dim) => edited(key, dim, &plan.families, &mut rng, &mut row),
                Subject::Solid(dim) => solid(key, dim, &plan.families, &mut rng, &mut row),
            }
        }
        let mut part = Table::default();
        part.rows.insert(*key, row);
        table.lock().unwrap_or_else(std::sync::PoisonError::into_inner).join(part);
    });
    table.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Runs jobs 0 to `n - 1`, each once, on some threads; prints its progress with `what` on stderr.
pub fn spread(what: &str, n: usize, threads: usize, job: impl Fn(usize) + Sync) {
    let (next, done, start) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
    let last = AtomicUsize::new(0);
    let is_terminal = std::io::stderr().is_terminal();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= n {
                        break;
                    }
                    job(i);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    let tick = start.elapsed().as_secs() as usize / if is_terminal { 1 } else { 30 };
                    if last.swap(tick, Ordering::Relaxed) < tick {
                        let end = if is_terminal { '\r' } else { '\n' };
                        let percent = 100 * done / n;
                        let _ = write!(
                            std::io::stderr(),
                            "{what}: {percent:3} % after {} s{end}",
                            start.elapsed().as_secs()
                        );
                    }
                }
            });
        }
    });
}

fn one(key: &Key, kind: Kind, rays: &[Family], rng: &mut Rng, row: &mut Row) {
    let found = match key.family {
        RowFamily::Rays(family) => generate::case(kind, family, key.precision, rng),
        RowFamily::Transforms(family) => generate::instance(kind, family, rng.pick(rays), key.precision, rng),
    };
    let Some(mut case) = found else { return };
    case.is_thorough = rng.once_in(THOROUGH);
    case.is_explained = rng.once_in(EXPLAINED);
    let (verdict, is_uncertain) = match refusal(&case) {
        Some(verdict) => (verdict, None),
        None => {
            let Some((mut verdict, answers)) = judge_twice(&mut case, rng) else { return };
            verdict.wrong.extend(unlike_the_bare_shape(&case, &answers));
            (verdict, answers.is_uncertain)
        }
    };
    row.add(&verdict, is_uncertain, key.limits, case.bits(), || case.to_string());
}

fn two(key: &Key, dim: usize, rays: &[Family], rng: &mut Rng, row: &mut Row) {
    let found = match key.family {
        RowFamily::Rays(family) => scenes::pair(dim, family, key.precision, rng),
        RowFamily::Transforms(family) => scenes::instances(dim, family, rng.pick(rays), key.precision, rng),
    };
    let Some(mut pair) = found else { return };
    let Some(verdict) = pair.judge_twice(rng) else { return };
    row.add(&verdict, None, key.limits, pair.first.bits(), || pair.to_string());
}

fn mesh(key: &Key, rays: &[Family], rng: &mut Rng, row: &mut Row) {
    let RowFamily::Transforms(family) = key.family else { return };
    let Some(mut case) = instanced_meshes::case(family, rng.pick(rays), key.precision, rng) else { return };
    let Some(verdict) = case.judge_twice(rng) else { return };
    row.add(&verdict, None, key.limits, case.closed.triangles.len() as u32, || case.to_string());
}

fn edited(key: &Key, dim: usize, rays: &[Family], rng: &mut Rng, row: &mut Row) {
    let RowFamily::Transforms(family) = key.family else { return };
    let Some(mut history) = edits::history::history(dim, family, rng.pick(rays), key.precision, rng) else { return };
    let Some(verdict) = edits::judge::judge_twice(&mut history, rng) else { return };
    row.add(&verdict, None, key.limits, history.size(), || history.to_string());
}

fn solid(key: &Key, dim: usize, rays: &[Family], rng: &mut Rng, row: &mut Row) {
    let RowFamily::Transforms(family) = key.family else { return };
    let Some(mut case) = solids::case(dim, family, rng.pick(rays), key.precision, rng) else { return };
    let Some(verdict) = case.judge_twice(rng) else { return };
    row.add(&verdict, None, key.limits, case.size(), || case.to_string());
}

/// The transform of a case is valid: the library must not refuse it.
fn refusal(case: &Case) -> Option<Verdict> {
    fn error<V: World>(case: &Case) -> Option<TransformError> {
        case.transform?.build::<V>().err()
    }
    let error = match (case.body.kind.dim(), case.precision) {
        (2, Precision::F32) => error::<Vec2>(case),
        (2, Precision::F64) => error::<DVec2>(case),
        (_, Precision::F32) => error::<Vec3>(case),
        (_, Precision::F64) => error::<DVec3>(case),
    }?;
    Some(Verdict { wrong: vec![format!("Transform::new: {error}, exact: valid")], ..Verdict::default() })
}

/// An instance under the identity has the bits of the bare shape.
fn unlike_the_bare_shape(case: &Case, found: &Answers) -> Option<String> {
    if case.transform != Some(PlainTransform::IDENTITY) {
        return None;
    }
    let bare = answers(&Case { transform: None, ..case.clone() })?;
    // All digits, and the signs of zeros.
    let text = |answers: &Answers| format!("{:?} {:?}", answers.contains, answers.queries);
    (text(&bare) != text(found)).then(|| "identity: other bits than the bare shape".to_owned())
}

/// Casts, casts again in a range that begins or ends at a hit, and judges all answers.
pub fn judge_twice(case: &mut Case, rng: &mut Rng) -> Option<(Verdict, Answers)> {
    let mut found = answers(case)?;
    if !rng.once_in(RANGED) {
        return Some((judge(case, &found), found));
    }
    let hits: Vec<f64> = found.queries.iter().filter_map(|answer| answer.first.map(|hit| hit.t)).collect();
    let mut again =
        Case { queries: vec![generate::range(&hits, case.precision, rng)], is_explained: false, ..case.clone() };
    found.queries.extend(answers(&again)?.queries);
    case.queries.append(&mut again.queries);
    Some((judge(case, &found), found))
}

/// Answers of the library, in the space and precision of the case.
pub fn answers(case: &Case) -> Option<Answers> {
    fn on<V: World>(case: &Case) -> Option<Answers> {
        case.answers::<V>()
    }
    match (case.body.kind.dim(), case.precision) {
        (2, Precision::F32) => on::<Vec2>(case),
        (2, Precision::F64) => on::<DVec2>(case),
        (_, Precision::F32) => on::<Vec3>(case),
        (_, Precision::F64) => on::<DVec3>(case),
    }
}
