//! Open3D in a process of Python, which answers one line with the seconds of one round.

use crate::environment;
use crate::mesh::Mesh;
use hitscan::glam::Vec3;
use hitscan_oracle::wheels;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const WHEEL: &str = "open3d==0.20.0";

const PROGRAM: &str = include_str!("open3d.py");

/// A process that computes the closest points of one mesh.
pub(crate) struct Open3d {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub(crate) distances: Vec<f32>,
}

impl Open3d {
    /// Starts the process; installs the wheel first if necessary.
    pub(crate) fn start(mesh: &Mesh, points: &[Vec3]) -> Result<Self, String> {
        let home = environment("open3d");
        if !wheels::has(&home, "open3d") {
            wheels::install(&home, WHEEL)?;
        }
        let file = |name: &str| home.join(name).with_extension("bin");
        let write = |name: &str, bytes: Vec<u8>| -> Result<PathBuf, String> {
            let path = file(name);
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(path)
        };
        let bytes = |vectors: &[Vec3]| vectors.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes).collect();
        let triangles = mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let inputs = [
            write("vertices", bytes(&mesh.vertices))?,
            write("triangles", triangles)?,
            write("points", bytes(points))?,
        ];
        let out = file("distances");
        let mut process = Command::new(home.join("bin/python"))
            .args(["-c", PROGRAM])
            .args(inputs)
            .arg(&out)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("python: {error}"))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (input, output) = pipes.ok_or("python has no pipes")?;
        let mut started = Self { process, input, output: BufReader::new(output), distances: Vec::new() };
        started.line()?;
        started.distances = read(&out)?;
        Ok(started)
    }

    /// Processor seconds of one round.
    pub(crate) fn round(&mut self) -> Result<f64, String> {
        self.input.write_all(b"\n").map_err(|error| format!("Open3D: {error}"))?;
        let line = self.line()?;
        line.trim().parse().map_err(|_| format!("Open3D: {line}"))
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("Open3D ended; its wheel needs the system's libusb-1.0, libgl1, libegl1 and libgomp1".into()),
            Ok(_) => Ok(line),
            Err(error) => Err(format!("Open3D: {error}")),
        }
    }
}

impl Drop for Open3d {
    fn drop(&mut self) {
        // It ends by itself where its input ends; what it computes is of no use to anybody.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read(path: &Path) -> Result<Vec<f32>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}
