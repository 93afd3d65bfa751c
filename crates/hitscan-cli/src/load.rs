//! Scene and mesh files, with `--weld`.

use crate::console::Console;
use crate::error::{Error, Result};
use crate::text::count;
use clap::Args;
use hitscan_io::{MeshData, MeshFile, Precision, SceneFile, WeldReport};
use std::path::Path;

/// The flags that change a mesh when it is loaded.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LoadArguments {
    /// Merge vertices of meshes that are at most this far apart [default: off]
    ///
    /// For STL files whose shared corners differ in the last digits. `hitscan info` names a tolerance that closes a mesh.
    #[arg(long, value_name = "TOL", value_parser = tolerance, allow_hyphen_values = true)]
    weld: Option<f64>,
    /// Join the nodes of a glTF scene into one mesh [default: each node is an object]
    #[arg(long)]
    bake: bool,
}

/// A distance: finite, and not negative.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value < 0.0 => Err("the tolerance must not be negative".into()),
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("the tolerance must be a finite number".into()),
    }
}

impl LoadArguments {
    /// Opens a scene, and welds its meshes if the user wants it. Notes of the readers go to standard error.
    pub(crate) fn open(&self, path: &Path, console: &mut Console) -> Result<SceneFile> {
        let mut file = if self.bake { SceneFile::open_baked(path) } else { SceneFile::open(path) }?;
        file.notes().iter().for_each(|note| console.note(note));
        if let Some(tolerance) = self.weld {
            let report = file.weld(tolerance)?;
            note_welding(path, tolerance, report, console);
        }
        Ok(file)
    }

    /// Reads a mesh, and welds it if the user wants it; with the precision in which a scene of this file is built. Notes of the
    /// reader go to standard error.
    pub(crate) fn read_mesh(&self, path: &Path, console: &mut Console) -> Result<(MeshData, Precision)> {
        let mut file = MeshFile::open(path)?;
        let name = path.display();
        file.notes().iter().for_each(|note| console.note(&format!("{name}: {note}")));
        if let Some(tolerance) = self.weld {
            let report = file.weld(tolerance).map_err(|error| Error::input(format!("{name}: --weld: {error}")))?;
            note_welding(path, tolerance, report, console);
        }
        let precision = file.precision();
        Ok((file.into_data(), precision))
    }
}

fn note_welding(path: &Path, tolerance: f64, report: WeldReport, console: &mut Console) {
    let WeldReport { merged_vertices, dropped_triangles, .. } = report;
    let name = path.display();
    let (merged, dropped) = (count(merged_vertices, "vertex"), count(dropped_triangles, "triangle"));
    console.note(&format!("{name}: --weld {tolerance} merged {merged} and dropped {dropped}"));
}
