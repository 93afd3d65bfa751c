//! The same rays through hitscan and its peers. `accuracy`: right answers and errors, by the oracle. `shapes`: the time
//! that one shape takes. `meshes`: triangle meshes beside Embree's and parry's.

mod accuracy;
mod contest;
mod embree;
mod meshes;
mod parry;
mod rays;
mod shapes;

use hitscan_oracle::body::Kind;
use hitscan_oracle::number::Precision;
use hitscan_oracle::run::spread;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

const USAGE: &str =
    "usage: hitscan-peers [--quick] [--seed S]                      shapes and meshes, all of it
       hitscan-peers accuracy [--seed S] [--cases N] [--shape X] [--precision f32|f64] [--threads N]
       hitscan-peers shapes [--seed S] [--rounds N]
       hitscan-peers meshes [--quick] [--seed S] [--rounds N] [--side PIXELS] [--only ENGINE] [--json FILE] [MESH...]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.split_first() {
        Some((first, rest)) if first == "accuracy" => accuracy(rest),
        Some((first, rest)) if first == "shapes" => shapes(rest),
        Some((first, rest)) if first == "meshes" => meshes(rest),
        _ => everything(&words),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Single shapes, then the meshes of the machine (`../shared/data/meshes` beside the project) or made ones; with `--quick`
/// the first mesh only.
fn everything(words: &[String]) -> Result<(), String> {
    let mut quick = false;
    let mut seed = "1".to_owned();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--quick" => quick = true,
            "--seed" => seed.clone_from(rest.next().ok_or("--seed needs a value")?),
            _ => return Err(format!("{word}: unknown")),
        }
    }
    let with = |more: &[&str]| -> Vec<String> {
        let seeded = ["--seed".to_owned(), seed.clone()];
        more.iter().map(|word| (*word).to_owned()).chain(seeded).collect()
    };
    shapes(&with(if quick { &["--rounds", "3"] } else { &[] }))?;
    let mut words = with(if quick { &["--quick"] } else { &[] });
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/meshes");
    let files = ["bunny", "sponza", "dragon", "kitchen"].map(|name| folder.join(name).with_extension("ply"));
    let found = files.iter().filter(|file| file.exists()).map(|file| file.to_string_lossy().into_owned());
    words.extend(found.take(if quick { 1 } else { 4 }));
    meshes(&words)
}

fn meshes(words: &[String]) -> Result<(), String> {
    let mut plan = meshes::Plan { files: Vec::new(), seed: 1, rounds: 7, side: 1024, json: None, only: String::new() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |value: &String| value.parse::<usize>().ok().filter(|&n| n > 0);
        match word.as_str() {
            "--quick" => (plan.rounds, plan.side) = (3, 256),
            "--only" => plan.only.clone_from(value()?),
            "--json" => plan.json = Some(value()?.into()),
            "--seed" | "--rounds" | "--side" => {
                let value = value()?;
                let n = number(value).ok_or_else(|| format!("{word} {value}: a number from 1 on is needed"))?;
                match word.as_str() {
                    "--seed" => plan.seed = n as u64,
                    "--rounds" => plan.rounds = n,
                    _ => plan.side = n.next_multiple_of(8),
                }
            }
            _ if word.starts_with("--") => return Err(format!("{word}: unknown")),
            file => plan.files.push(file.into()),
        }
    }
    meshes::run(&plan)
}

fn shapes(words: &[String]) -> Result<(), String> {
    let (mut seed, mut rounds) = (1, 15);
    for pair in words.chunks(2) {
        let [option, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
        let unknown = || format!("{option} {value}: unknown");
        match option.as_str() {
            "--seed" => seed = value.parse().map_err(|_| unknown())?,
            "--rounds" => rounds = value.parse().ok().filter(|&n| n > 0).ok_or_else(unknown)?,
            _ => return Err(format!("{option}: unknown")),
        }
    }
    shapes::run(rounds, seed)
}

fn accuracy(words: &[String]) -> Result<(), String> {
    let mut kinds = parry::KINDS.to_vec();
    let mut precisions = vec![Precision::F32, Precision::F64];
    let (mut cases, mut seed) = (90_000, 1);
    let mut threads = std::thread::available_parallelism().map_or(1, usize::from);
    for pair in words.chunks(2) {
        let [option, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
        let unknown = || format!("{option} {value}: unknown");
        match option.as_str() {
            "--cases" => cases = value.replace('_', "").parse().map_err(|_| unknown())?,
            "--seed" => seed = value.parse().map_err(|_| unknown())?,
            "--threads" => threads = value.parse().map_err(|_| unknown())?,
            "--shape" => kinds = vec![Kind::named(value).filter(|k| kinds.contains(k)).ok_or_else(unknown)?],
            "--precision" => precisions = vec![Precision::named(value).ok_or_else(unknown)?],
            _ => return Err(format!("{option}: unknown")),
        }
    }
    // A peer that panics says so once more than enough.
    std::panic::set_hook(Box::new(|_| {}));
    let jobs: Vec<(Kind, Precision)> = kinds.iter().flat_map(|k| precisions.iter().map(move |p| (*k, *p))).collect();
    let rows = Mutex::new(Vec::new());
    spread(jobs.len(), threads, |i| {
        let (kind, precision) = jobs[i];
        let row = accuracy::run(kind, precision, cases, seed);
        rows.lock().unwrap_or_else(PoisonError::into_inner).push((i, row));
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(i, _)| *i);
    println!(
        "parry 0.31.1 beside hitscan; wrong: decisions, all / clear; t: relative, p50 / p99, in eps; normal: worst, in rad"
    );
    println!("| shape | | cases | parry wrong | parry t | parry normal | hitscan wrong | hitscan t | hitscan normal |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (i, mut row) in rows {
        let (kind, precision) = jobs[i];
        let mut cells = Vec::new();
        for score in [&mut row.peer, &mut row.ours] {
            let (half, most) = (score.t_within(0.5), score.t_within(0.99));
            cells.push(format!(
                "{} / {} | {half:.2} / {} | {}",
                score.wrong,
                score.clear,
                short(most),
                short(score.normal)
            ));
        }
        println!("| {} | {} | {} | {} |", kind.name(), precision.name(), row.cases, cells.join(" | "));
    }
    println!(
        "Placement is exact: translations only; cylinders and cones along y; half-spaces with the rounded unit normal."
    );
    Ok(())
}

fn short(x: f64) -> String {
    if x != 0.0 && !(0.01..1000.0).contains(&x) { format!("{x:.1e}") } else { format!("{x:.2}") }
}
