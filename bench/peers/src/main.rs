//! The same rays through hitscan and its peers. `accuracy`: right answers and errors, by the oracle. `shapes`: the time
//! that one shape takes.

mod accuracy;
mod contest;
mod parry;
mod shapes;

use hitscan_oracle::body::Kind;
use hitscan_oracle::number::Precision;
use hitscan_oracle::run::spread;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

const USAGE: &str =
    "usage: hitscan-peers accuracy [--seed S] [--cases N] [--shape X] [--precision f32|f64] [--threads N]
       hitscan-peers shapes [--seed S] [--rounds N]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.split_first() {
        Some((first, rest)) if first == "accuracy" => accuracy(rest),
        Some((first, rest)) if first == "shapes" => shapes(rest),
        Some((other, _)) => Err(format!("{other}: unknown")),
        None => Err("what to measure?".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
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
