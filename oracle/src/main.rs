//! `hitscan-oracle`: compares the library with exact answers, by the million.

use hitscan_oracle::generate::{Family, TransformFamily};
use hitscan_oracle::leaks::{self, Leaks};
use hitscan_oracle::number::Precision;
use hitscan_oracle::query_plan::QueryPlan;
use hitscan_oracle::run::{Plan, Subject, run};
use hitscan_oracle::solids_peers::{self, PeersPlan};
use hitscan_oracle::{closed_meshes, corpus};
use hitscan_oracle::{distances, sweeps, walks};
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: hitscan-oracle [--seed S] [--cases N] [--shape X] [--family X] [--precision f32|f64] [--threads N]
       hitscan-oracle instances [--transform X] [options as above]    shapes, pairs and closed meshes under transforms
       hitscan-oracle edits [--transform X] [options as above]        scenes that are edited, with filters
       hitscan-oracle solids [--transform X] [options as above]       unions, intersections and differences
       hitscan-oracle distances [--seed S] [--cases N] [--shape X] [--precision f32|f64] [--threads N]  closest points
       hitscan-oracle sweeps [--seed S] [--cases N] [--shape X] [--precision f32|f64] [--threads N]   moving spheres
       hitscan-oracle walks [--seed S] [--cases N] [--precision f32|f64] [--threads N]    particles in a lattice of solids
       hitscan-oracle leaks [--mesh FILE] [--transform X] [--seed S] [--rays N] [--threads N]
       hitscan-oracle case 'LINE'...      a case of testdata/ with its exact answers; LINEs are TOML, as
                                          'shape = { type = \"sphere\", center = [0, 0, 0], radius = 1 }'
                                          'ray = { origin = [-5, 0, 0], direction = [1, 0, 0] }'
       hitscan-oracle case < STUBS.toml   the same for every [[case]] of a text
       hitscan-oracle solids-peers [--seed S] [--cases N]    spans of solids beside raysect, manifold3d and Geant4
       hitscan-oracle peers [--seed S] [--cases N] [--shape X] [--precision f32|f64] [--threads N]
exits 0 when every answer keeps the contract, 1 when one does not, 2 when the command line is not understood";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some("leaks") => leaks_of(&words[1..]),
        Some("distances") => query_of(&words[1..], distances::run),
        Some("sweeps") => query_of(&words[1..], sweeps::run),
        Some("walks") => query_of(&words[1..], walks::run),
        Some("solids-peers") => beside_peers(&words[1..]),
        Some("peers") => return peers(&words[1..]),
        Some("instances") => cases(&words[1..], Subject::instances(), TransformFamily::ALL),
        Some("solids") => cases(&words[1..], Subject::solids(), TransformFamily::ALL),
        Some("edits") => cases(&words[1..], Subject::edits(), TransformFamily::ALL),
        Some("case") => case(&words[1..]),
        _ => cases(&words, Subject::all(), &[]),
    };
    match done {
        Ok((text, clean)) => {
            print!("{text}");
            if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Prints cases with their answers, from the command line or from standard input.
fn case(words: &[String]) -> Result<(String, bool), String> {
    let text = if words.is_empty() {
        std::io::read_to_string(std::io::stdin()).map_err(|error| format!("standard input: {error}"))?
    } else {
        words.join("\n")
    };
    let written = corpus::read(&text)?.iter().map(corpus::write).collect::<Result<Vec<_>, _>>()?;
    Ok((written.join("\n"), true))
}

/// Options with their values.
fn options(words: &[String]) -> Result<Vec<(&str, &str)>, String> {
    words
        .chunks(2)
        .map(|pair| match pair {
            [option, value] if option.starts_with("--") => Ok((option.as_str(), value.as_str())),
            [word, ..] => Err(format!("{word}: not an option with a value")),
            [] => Err(String::new()),
        })
        .collect()
}

fn number<T: std::str::FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.replace('_', "").parse().map_err(|_| format!("{option} {value}: not a number"))
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Compares shapes, bare or under transforms of these families.
fn cases(words: &[String], subjects: Vec<Subject>, transforms: &[TransformFamily]) -> Result<(String, bool), String> {
    let mut plan = Plan {
        seed: 1,
        cases: 1_000_000,
        subjects,
        families: Family::ALL.to_vec(),
        transforms: transforms.to_vec(),
        precisions: vec![Precision::F32, Precision::F64],
        threads: threads(),
    };
    for (option, value) in options(words)? {
        let unknown = || format!("{option} {value}: unknown");
        match option {
            "--seed" => plan.seed = number(option, value)?,
            "--cases" => plan.cases = number(option, value)?,
            "--threads" => plan.threads = number(option, value)?,
            "--shape" => {
                let named = Subject::named(value).filter(|subject| plan.subjects.contains(subject));
                plan.subjects = vec![named.ok_or_else(unknown)?];
            }
            "--transform" if !transforms.is_empty() => {
                plan.transforms = vec![TransformFamily::named(value).ok_or_else(unknown)?];
            }
            "--family" => plan.families = vec![Family::named(value).ok_or_else(unknown)?],
            "--precision" => plan.precisions = vec![Precision::named(value).ok_or_else(unknown)?],
            _ => return Err(format!("{option}: unknown")),
        }
    }
    let table = run(&plan);
    Ok((table.print(), table.is_clean()))
}

type QueryRun = fn(&QueryPlan) -> Result<(String, bool), String>;

fn query_of(words: &[String], run: QueryRun) -> Result<(String, bool), String> {
    let precisions = vec![Precision::F32, Precision::F64];
    let mut plan = QueryPlan { seed: 1, cases: 100_000, shape: None, precisions, threads: threads() };
    for (option, value) in options(words)? {
        match option {
            "--seed" => plan.seed = number(option, value)?,
            "--cases" => plan.cases = number(option, value)?,
            "--threads" => plan.threads = number(option, value)?,
            "--shape" => plan.shape = Some(value.to_owned()),
            "--precision" => {
                let named = Precision::named(value).ok_or_else(|| format!("{option} {value}: unknown"))?;
                plan.precisions = vec![named];
            }
            _ => return Err(format!("{option}: unknown")),
        }
    }
    run(&plan)
}

fn leaks_of(words: &[String]) -> Result<(String, bool), String> {
    let meshes = closed_meshes::all();
    let mut plan = Leaks { seed: 1, rays: 25_000, threads: threads(), meshes, transform: None };
    for (option, value) in options(words)? {
        match option {
            "--seed" => plan.seed = number(option, value)?,
            "--rays" => plan.rays = number(option, value)?,
            "--threads" => plan.threads = number(option, value)?,
            "--transform" => {
                let named = TransformFamily::named(value).ok_or_else(|| format!("{option} {value}: unknown"))?;
                plan.transform = Some(named);
            }
            "--mesh" => plan.meshes = vec![closed_meshes::from_file(Path::new(value))?],
            _ => return Err(format!("{option}: unknown")),
        }
    }
    leaks::run(&plan)
}

/// Compares the spans of solids with those of other libraries, which are installed beside the builds of this workspace.
fn beside_peers(words: &[String]) -> Result<(String, bool), String> {
    let mut plan = PeersPlan { seed: 1, rays: 20_000 };
    for (option, value) in options(words)? {
        match option {
            "--seed" => plan.seed = number(option, value)?,
            "--cases" => plan.rays = number(option, value)?,
            _ => return Err(format!("{option}: unknown")),
        }
    }
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(default, Into::into);
    solids_peers::run(&plan, &target.join("solids-peers"))
}

/// Peers have their own workspace, so that this one does not build their dependencies.
fn peers(words: &[String]) -> ExitCode {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/peers/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--release", "--manifest-path"]).arg(manifest).args(["--", "accuracy"]).args(words);
    match command.status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(error) => {
            eprintln!("cargo run in bench/peers: {error}");
            ExitCode::from(2)
        }
    }
}
