//! Other libraries that intersect rays with solids, each a Python wheel in an environment of its own. A driver in Python calls it.

use super::compare::Span;
use crate::wheels;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DRIVER: &str = include_str!("driver.py");

/// Library with a wheel.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Name in tables.
    pub name: &'static str,
    /// Name for the driver.
    module: &'static str,
    /// Wheel with its version, for pip.
    wheel: &'static str,
    /// Folder among the packages of an environment that has the wheel.
    folder: &'static str,
    /// Whether it represents spheres and cylinders exactly.
    pub has_round_shapes: bool,
    /// Its functions that the driver calls, and the tolerance that it documents.
    pub note: &'static str,
}

/// All of them.
pub const PEERS: [Peer; 3] = [
    Peer {
        name: "raysect",
        module: "raysect",
        wheel: "raysect==0.9.1",
        folder: "raysect-0.9.1.dist-info",
        has_round_shapes: true,
        note: "raysect 0.9.1: `hit`, then `next_intersection` until there is none. It documents no tolerance",
    },
    Peer {
        name: "manifold3d",
        module: "manifold3d",
        wheel: "manifold3d==3.5.4",
        folder: "manifold3d-3.5.4.dist-info",
        has_round_shapes: false,
        note: "manifold3d 3.5.4: Boolean operations of meshes, then `ray_cast`. Its meshes have a tolerance of 1e-12 of their size. Its \
               cases have boxes only, because its balls and cylinders are polyhedra",
    },
    Peer {
        name: "Geant4",
        module: "geant4",
        wheel: "geant4-pybind==0.1.3",
        folder: "geant4_pybind-0.1.3.dist-info",
        has_round_shapes: true,
        note: "geant4-pybind 0.1.3: `DistanceToIn` and `DistanceToOut` in turn. Its manual gives surfaces a thickness of 1e-9, and asks that \
               the operands of Boolean operations share no surfaces (Book for Application Developers, Solids)",
    },
];

impl Peer {
    /// The environment of the library, in a folder of environments; made and filled first if necessary.
    ///
    /// # Errors
    /// There is no Python, or pip cannot install the wheel.
    pub fn install(&self, environments: &Path) -> Result<Installed, String> {
        let home = environments.join(self.module);
        if !wheels::has(&home, self.folder) {
            wheels::install(&home, self.wheel)?;
        }
        Ok(Installed { module: self.module, home })
    }
}

/// Library that is installed.
#[derive(Clone, Debug)]
pub struct Installed {
    module: &'static str,
    home: PathBuf,
}

impl Installed {
    /// The spans that the library returns to each ray of a file of questions; `None` where it fails.
    ///
    /// # Errors
    /// The driver fails.
    pub fn spans(&self, questions: &str) -> Result<Vec<Option<Vec<Span>>>, String> {
        self.drive(questions, &[])?.lines().map(read_spans).collect()
    }

    /// Seconds a ray of the closest hit and of the spans for each solid of a file of questions, in the fastest of the rounds. The time
    /// of the call from Python is in it.
    ///
    /// # Errors
    /// The driver fails.
    pub fn times(&self, questions: &str, rounds: usize) -> Result<Vec<[f64; 2]>, String> {
        let answers = self.drive(questions, &[rounds.to_string()])?;
        let line = |line: &str| match read_spans(line)?.as_deref() {
            Some(&[times]) => Ok(times),
            _ => Err(format!("{line}: not two times")),
        };
        answers.lines().map(line).collect()
    }

    /// Runs the driver, and returns what it writes to the file of answers.
    fn drive(&self, questions: &str, more: &[String]) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.module);
        let [input, output] = ["questions.txt", "answers.txt"].map(|name| self.home.join(name));
        std::fs::write(&input, questions).map_err(failed)?;
        let mut process = Command::new(self.home.join("bin/python"))
            .args(["-c", DRIVER, self.module])
            .args([&input, &output])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        // geant4-pybind asks whether to download data sets, which solids do not need.
        if let Some(mut input) = process.stdin.take() {
            let _ = input.write_all(b"n\n"); // the others do not ask, and may have ended
        }
        let ended = process.wait_with_output().map_err(failed)?;
        if !ended.status.success() {
            let messages = String::from_utf8_lossy(&ended.stderr);
            let last = messages.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            return Err(format!("{}: {}; {last}", self.module, ended.status));
        }
        std::fs::read_to_string(&output).map_err(failed)
    }
}

/// Reads the spans of one ray from a line of the driver; `None` where the library failed.
///
/// # Errors
/// The line has something else than pairs of numbers.
pub fn read_spans(line: &str) -> Result<Option<Vec<Span>>, String> {
    if line == "failed" {
        return Ok(None);
    }
    let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
    let numbers = numbers.map_err(|error| format!("{line}: {error}"))?;
    let (pairs, rest) = numbers.as_chunks::<2>();
    if rest.is_empty() { Ok(Some(pairs.to_vec())) } else { Err(format!("{line}: an odd count of ends")) }
}
