//! Growth of cast time, build time and memory with the mesh: a thousand to ten million triangles.

use crate::chart::{Panel, Series, panels};
use crate::embree::{Device, QUALITY_HIGH};
use crate::engine::{Engine, Speed, compare, print_builds};
use crate::labels::{DEFAULT_BATCH, DEFAULT_SINGLE, HIGH_BATCH, HIGH_SINGLE};
use crate::mesh::bumpy_sphere;
use crate::mesh_engines::{built, embree, ours, ours_batch, parry};
use crate::meshes::{check_against_brute, devices, threads, write};
use crate::rays::sets;
use hitscan::Quality;
use std::path::PathBuf;
use std::rc::Rc;

/// Options of the benchmark.
pub(crate) struct GrowthPlan {
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    /// Pixels along each side of the camera's picture.
    pub(crate) side: usize,
    /// Triangles of the largest mesh.
    pub(crate) most: usize,
    /// Path of the chart.
    pub(crate) picture: Option<PathBuf>,
}

/// Memory in bytes that ten million triangles may need, with the structures of all engines and their builds.
const ROOM_FOR_MOST: u64 = 8 << 30;
/// Larger meshes are built with `Default` only, and one engine at a time.
const MOST_FOR_ALL: usize = 1_000_000;

/// Results of one engine on one mesh.
struct MeshResult {
    triangles: f64,
    engine: String,
    build: f64,
    bytes: Option<f64>,
    /// Rates by set of rays.
    mrays: Vec<(&'static str, f64)>,
}

/// Draws the chart, and returns the ratios as lines.
pub(crate) fn run(plan: &GrowthPlan) -> Result<Vec<String>, String> {
    let devices = devices()?;
    let Some((isa, device)) = devices.last() else { return Ok(Vec::new()) };
    let (mut found, mut doubled) = (Vec::new(), Vec::new());
    for triangles in (3..=7).map(|decade| 10usize.pow(decade)).filter(|&triangles| triangles <= plan.most) {
        if triangles > MOST_FOR_ALL && free_memory().is_some_and(|free| free < ROOM_FOR_MOST) {
            println!("left out: {triangles} triangles, for less than {} GiB are free", ROOM_FOR_MOST >> 30);
            continue;
        }
        one(plan, isa, device, triangles, &mut found, &mut doubled)?;
    }
    if let Some(path) = &plan.picture {
        write(path, &picture(&found, &doubled))?;
    }
    let of = |engine: &str, triangles: f64| found.iter().find(|f| f.engine == engine && f.triangles == triangles);
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return Ok(Vec::new()) };
    let rate = |found: Option<&MeshResult>| found.and_then(|f| f.mrays.iter().find(|m| m.0 == "bounce")).map(|m| m.1);
    let slower = |engine: &str| Some(rate(of(engine, first.triangles))? / rate(of(engine, last.triangles))?);
    let embree = format!("embree {isa} HIGH");
    let lines = [DEFAULT_SINGLE, DEFAULT_BATCH, &embree, "parry"].into_iter().filter_map(|engine| {
        let slower = slower(engine)?;
        Some(format!(
            "GROWTH {}: {} to {} triangles {slower:.2} times as slow",
            engine, first.triangles, last.triangles
        ))
    });
    Ok(lines.collect())
}

/// Available memory that the system reports.
fn free_memory() -> Option<u64> {
    let all = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = all.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn one(
    plan: &GrowthPlan,
    isa: &str,
    device: &Rc<Device>,
    triangles: usize,
    found: &mut Vec<MeshResult>,
    doubled: &mut Vec<(f64, [f64; 2])>,
) -> Result<(), String> {
    let mesh = bumpy_sphere(triangles);
    let count = mesh.triangles.len() as f64;
    println!("\n{} triangles", mesh.triangles.len());
    let (seconds, usual) = built(&mesh, Quality::Default)?;
    let sets: Vec<_> = sets(&usual, false, plan.side, plan.seed).into_iter().filter(|set| !set.any).collect();
    check_against_brute(&usual, &sets)?;
    let (rounds, builds) = if triangles > MOST_FOR_ALL { (plan.rounds.min(3), 1) } else { (plan.rounds, plan.rounds) };
    doubled.push((triangles as f64, threads(&mesh, &sets[2].rays, builds)?));
    let high = if triangles > MOST_FOR_ALL { None } else { Some(built(&mesh, Quality::High)?) };
    let mut engines = vec![ours(DEFAULT_SINGLE, &usual, seconds), ours_batch(DEFAULT_BATCH, &usual, seconds)];
    if let Some((seconds, high)) = &high {
        check_against_brute(high, &sets)?;
        engines.extend([ours(HIGH_SINGLE, high, *seconds), ours_batch(HIGH_BATCH, high, *seconds)]);
    }
    engines.extend([embree(device, isa, QUALITY_HIGH, &mesh, false), parry(&mesh)?]);
    print_builds(&engines);
    let first = found.len();
    found.extend(engines.iter().map(|Engine { name, build, bytes, .. }| MeshResult {
        triangles: triangles as f64,
        engine: name.clone(),
        build: *build,
        bytes: bytes.map(|bytes| bytes as f64 / count),
        mrays: Vec::new(),
    }));
    for set in &sets {
        let speeds = compare(&mesh.name, &engines, set, rounds);
        let medians = speeds.iter().map(|speed: &Speed| (set.name, speed.mrays()[1]));
        found[first..].iter_mut().zip(medians).for_each(|(found, median)| found.mrays.push(median));
    }
    Ok(())
}

fn picture(found: &[MeshResult], doubled: &[(f64, [f64; 2])]) -> String {
    type Value<'a> = &'a dyn Fn(&MeshResult) -> Option<f64>;
    let styles = [DEFAULT_SINGLE, DEFAULT_BATCH, HIGH_SINGLE, HIGH_BATCH, "Embree", "parry"];
    let series = |value: Value<'_>, batches: bool| -> Vec<Series> {
        let styled = styles.into_iter().enumerate().filter(|(_, name)| batches || !name.ends_with("batch"));
        let curve = |(style, name): (usize, &'static str)| {
            let named = |found: &&MeshResult| {
                if name == "Embree" { found.engine.starts_with("embree") } else { found.engine == name }
            };
            let points =
                found.iter().filter(named).filter_map(|found| Some((found.triangles, value(found)?))).collect();
            Series { name, style, points }
        };
        styled.map(curve).filter(|series| !series.points.is_empty()).collect()
    };
    let mrays = |set: &'static str| {
        series(&move |found| found.mrays.iter().find(|mrays| mrays.0 == set).map(|mrays| mrays.1), true)
    };
    let twice = |i: usize, name, style| Series {
        name,
        style,
        points: doubled.iter().map(|&(triangles, ratios)| (triangles, ratios[i])).collect(),
    };
    panels(
        "Growth with the mesh, one thread (bumpy balls)",
        "triangles",
        &[
            Panel { title: "primary: million rays a second", log: true, series: mrays("primary") },
            Panel { title: "bounce: million rays a second", log: true, series: mrays("bounce") },
            Panel { title: "chord: million rays a second", log: true, series: mrays("chord") },
            Panel { title: "building: seconds", log: true, series: series(&|found| Some(found.build), false) },
            Panel { title: "bytes per triangle", log: false, series: series(&|found| found.bytes, false) },
            Panel {
                title: "two threads: times as fast as one",
                log: false,
                series: vec![twice(0, "build, 2 threads", 6), twice(1, "batch, 2 threads", 7)],
            },
        ],
    )
}
