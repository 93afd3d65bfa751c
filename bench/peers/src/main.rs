//! Benchmarks of hitscan and its peers on the same rays. `accuracy`: correct answers and errors, by the oracle.
//! `shapes`: time per ray of single shapes. `scene`: meshes with other shapes, a hundred thousand shapes, a million
//! spheres, instances and moving objects, compared with Embree and parry. `meshes`: triangle meshes, compared with
//! Embree and others. `distances`: closest points of meshes, moving spheres and overlapping volumes, compared with parry and Open3D. `growth`: meshes of a
//! thousand to ten million triangles. `doubts`: rays that rounding does not decide, beside generic ones. `questions`: all
//! hits, counts, spans, points inside and others, beside closest hits. `lanes`: batches in columns at single shapes, beside the same rays one by one. `solids`: unions, intersections and differences, compared with
//! raysect and Geant4.

mod accuracy;
mod chart;
mod contest;
mod distances;
mod doubts;
mod embree;
mod engine;
mod growth;
mod labels;
mod lanes;
mod mesh;
mod mesh_engines;
mod meshes;
mod open3d;
mod overlaps;
mod parry;
mod question_times;
mod questions;
mod rays;
mod report;
mod scene_cases;
mod scenes;
mod shapes;
mod solids;
mod sweeps;
mod tinybvh8;

use hitscan_oracle::body::Kind;
use hitscan_oracle::number::Precision;
use hitscan_oracle::run::spread;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

const USAGE: &str =
    "usage: hitscan-peers [--quick] [--seed S]      shapes, scene, growth, meshes and distances, all of it
       hitscan-peers accuracy [--seed S] [--cases N] [--shape X] [--precision f32|f64] [--threads N]
       hitscan-peers shapes [--seed S] [--rounds N]
       hitscan-peers scene [--quick] [--seed S] [--rounds N] [--only CASE]
       hitscan-peers distances [--quick] [--seed S] [--rounds N] [MESH...]
       hitscan-peers doubts [--seed S] [--rounds N]
       hitscan-peers lanes [--seed S] [--rounds N]
       hitscan-peers questions [--seed S] [--rounds N] [--only KIND]
       hitscan-peers solids [--seed S] [--rounds N]
       hitscan-peers growth [--quick] [--seed S] [--rounds N] [--side PIXELS] [--most TRIANGLES] [--picture FILE]
       hitscan-peers meshes [--quick] [--seed S] [--rounds N] [--side PIXELS] [--only ENGINE] [--json FILE]
                            [--picture FILE] [MESH...]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match words.split_first() {
        Some((first, rest)) if !first.starts_with("--") => (first.as_str(), rest),
        _ => ("", &words[..]),
    };
    match run(command, rest) {
        Ok(lines) => {
            println!();
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The Python environment of this name, in the folder of builds.
fn environment(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(name)
}

/// Prints the machine-readable lines, which come last.
fn run(command: &str, words: &[String]) -> Result<Vec<String>, String> {
    if command == "accuracy" {
        return accuracy(words).map(|()| Vec::new());
    }
    if command == "shapes" {
        return shapes(words);
    }
    // Timed work of this thread must not move to other threads.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().map_err(|error| error.to_string())?;
    let options = Options::read(words)?;
    match command {
        "" => options.accept(&["--quick", "--seed"], 0).and_then(|()| everything(&options)),
        "scene" => options
            .accept(&["--quick", "--seed", "--rounds", "--only"], 0)
            .and_then(|()| scene_cases::run(&options.scenes(), &options.only)),
        "distances" => options
            .accept(&["--quick", "--seed", "--rounds"], usize::MAX)
            .and_then(|()| of_distances(&options.distances())),
        "doubts" => options
            .accept(&["--seed", "--rounds"], 0)
            .and_then(|()| doubts::run(options.rounds.unwrap_or(9), options.seed.unwrap_or(1))),
        "lanes" => options
            .accept(&["--seed", "--rounds"], 0)
            .and_then(|()| lanes::run(options.rounds.unwrap_or(15), options.seed.unwrap_or(1))),
        "questions" => options
            .accept(&["--seed", "--rounds", "--only"], 0)
            .and_then(|()| questions::run(options.rounds.unwrap_or(9), options.seed.unwrap_or(1), &options.only)),
        "solids" => options
            .accept(&["--seed", "--rounds"], 0)
            .and_then(|()| solids::run(options.rounds.unwrap_or(9), options.seed.unwrap_or(1))),
        "growth" => options
            .accept(&["--quick", "--seed", "--rounds", "--side", "--most", "--picture"], 0)
            .and_then(|()| growth::run(&options.growth(None))),
        "meshes" => options
            .accept(&["--quick", "--seed", "--rounds", "--side", "--only", "--json", "--picture"], usize::MAX)
            .and_then(|()| meshes::run(&options.meshes())),
        _ => Err(format!("{command}: unknown")),
    }
}

/// Options of the command line, as text and as numbers.
#[derive(Default)]
struct Options {
    given: Vec<String>,
    quick: bool,
    seed: Option<u64>,
    rounds: Option<usize>,
    side: Option<usize>,
    most: Option<usize>,
    only: String,
    json: Option<PathBuf>,
    picture: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Options {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                options.files.push(word.into());
                continue;
            }
            options.given.push(word.clone());
            if word == "--quick" {
                options.quick = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || {
                let number = value.replace('_', "").parse::<usize>().ok().filter(|&n| n > 0);
                number.ok_or_else(|| format!("{word} {value}: a number from 1 on is needed"))
            };
            match word.as_str() {
                "--seed" => options.seed = Some(number()? as u64),
                "--rounds" => options.rounds = Some(number()?),
                "--side" => options.side = Some(number()?.next_multiple_of(8)),
                "--most" => options.most = Some(number()?),
                "--only" => options.only.clone_from(value),
                "--json" => options.json = Some(value.into()),
                "--picture" => options.picture = Some(value.into()),
                _ => return Err(format!("{word}: unknown")),
            }
        }
        Ok(options)
    }

    /// Refuses options that a command does not have.
    fn accept(&self, known: &[&str], files: usize) -> Result<(), String> {
        if let Some(word) = self.given.iter().find(|word| !known.contains(&word.as_str())) {
            return Err(format!("{word}: not an option of this command"));
        }
        self.files.get(files).map_or(Ok(()), |file| Err(format!("{}: no file is needed", file.display())))
    }

    fn scenes(&self) -> scenes::ScenesPlan {
        let (rounds, rays) = if self.quick { (3, 1 << 14) } else { (7, 1 << 17) };
        scenes::ScenesPlan {
            seed: self.seed.unwrap_or(1),
            rounds: self.rounds.unwrap_or(rounds),
            shapes: 100_000,
            rays,
            quick: self.quick,
        }
    }

    fn distances(&self) -> distances::DistancesPlan {
        let (rounds, points) = if self.quick { (3, 1 << 12) } else { (5, 1 << 15) };
        let (seed, rounds) = (self.seed.unwrap_or(1), self.rounds.unwrap_or(rounds));
        distances::DistancesPlan { files: self.files.clone(), seed, rounds, points }
    }

    fn growth(&self, picture: Option<&Path>) -> growth::GrowthPlan {
        let (rounds, side, most) = if self.quick { (3, 128, 100_000) } else { (5, 256, 10_000_000) };
        growth::GrowthPlan {
            seed: self.seed.unwrap_or(1),
            rounds: self.rounds.unwrap_or(rounds),
            side: self.side.unwrap_or(side),
            most: self.most.unwrap_or(most),
            picture: self.picture.clone().or_else(|| picture.map(Path::to_path_buf)),
        }
    }

    fn meshes(&self) -> meshes::MeshesPlan {
        let (rounds, side) = if self.quick { (3, 256) } else { (7, 1024) };
        meshes::MeshesPlan {
            files: self.files.clone(),
            seed: self.seed.unwrap_or(1),
            rounds: self.rounds.unwrap_or(rounds),
            side: self.side.unwrap_or(side),
            json: self.json.clone(),
            picture: self.picture.clone(),
            only: self.only.clone(),
        }
    }
}

/// Single shapes, scenes, growth, then rays and closest points at the meshes of the machine (`../shared/data/meshes` beside the project) or
/// generated ones; with `--quick` the first mesh only. Writes tables as JSON and charts to `target/peers`.
fn everything(options: &Options) -> Result<Vec<String>, String> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = home.join("target/peers");
    let mut lines = shapes::run(if options.quick { 3 } else { 15 }, options.seed.unwrap_or(1))?;
    lines.extend(scene_cases::run(&options.scenes(), "")?);
    lines.extend(growth::run(&options.growth(Some(&out.join("growth.svg"))))?);
    let folder = home.join("../../../shared/data/meshes");
    let files = ["bunny", "sponza", "dragon", "kitchen"].map(|name| folder.join(name).with_extension("ply"));
    let files = files.into_iter().filter(|file| file.exists()).take(if options.quick { 1 } else { 4 });
    let meshes = meshes::MeshesPlan {
        files: files.collect(),
        json: Some(out.join("meshes.json")),
        picture: Some(out.join("ratios.svg")),
        ..options.meshes()
    };
    lines.extend(meshes::run(&meshes)?);
    lines.extend(of_distances(&distances::DistancesPlan { files: meshes.files, ..options.distances() })?);
    Ok(lines)
}

/// Closest points, moving spheres, then volumes.
fn of_distances(plan: &distances::DistancesPlan) -> Result<Vec<String>, String> {
    let mut lines = distances::run(plan)?;
    lines.extend(sweeps::run(plan)?);
    lines.extend(overlaps::run(plan)?);
    Ok(lines)
}

fn shapes(words: &[String]) -> Result<Vec<String>, String> {
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
    // The panic message of a peer would appear once per case.
    std::panic::set_hook(Box::new(|_| {}));
    let jobs: Vec<(Kind, Precision)> = kinds.iter().flat_map(|k| precisions.iter().map(move |p| (*k, *p))).collect();
    let rows = Mutex::new(Vec::new());
    spread("cases", jobs.len(), threads, |i| {
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
