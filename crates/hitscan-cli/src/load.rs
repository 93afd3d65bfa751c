//! Scene and mesh files, with `--weld`.

use crate::console::Console;
use crate::error::{Error, Result};
use crate::text::count;
use clap::Args;
use hitscan_io::{MeshData, MeshFile, SceneFile, read_mesh};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// The flags that change a mesh when it is loaded.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LoadArguments {
    /// Merge vertices of meshes that are at most this far apart [default: off]
    ///
    /// For STL files whose shared corners differ in the last digits. `hitscan info` names a tolerance that closes a mesh.
    #[arg(long, value_name = "TOL", value_parser = tolerance)]
    weld: Option<f64>,
}

/// A distance: finite, and not negative.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("not a number from 0".into()),
    }
}

impl LoadArguments {
    /// Opens a scene, and welds its meshes if the user wants it.
    pub(crate) fn open(&self, path: &Path, console: &mut Console) -> Result<SceneFile> {
        if self.weld.is_none() {
            return Ok(SceneFile::open(path)?);
        }
        let name = path.display().to_string();
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
            let mesh = Arc::new(MeshFile::Data(self.read_mesh(path, console)?));
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().replace(char::is_control, " ");
            // A string of JSON is one of TOML.
            let text = format!("[[shape]]\ntype = \"mesh\"\nname = {}\nfile = {}\n", json!(stem), json!(name));
            return Ok(SceneFile::parse_with(&name, &text, |_| Ok(Arc::clone(&mesh)))?);
        }
        let bytes = std::fs::read(path).map_err(|error| Error::write(path, &error))?;
        let text = String::from_utf8(bytes).map_err(|_| Error::input(format!("{name}: not UTF-8 text")))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut refused = None;
        let file = SceneFile::parse_with(&name, &text, |mesh| {
            let path = folder.join(mesh);
            let mut data = read_mesh(&path)?;
            refused = refused.take().or(self.weld(&path, &mut data, console).err());
            Ok(Arc::new(MeshFile::Data(data)))
        })?;
        refused.map_or(Ok(file), Err)
    }

    /// Reads a mesh, and welds it if the user wants it.
    pub(crate) fn read_mesh(&self, path: &Path, console: &mut Console) -> Result<MeshData> {
        let mut mesh = read_mesh(path)?;
        self.weld(path, &mut mesh, console)?;
        Ok(mesh)
    }

    fn weld(&self, path: &Path, mesh: &mut MeshData, console: &mut Console) -> Result<()> {
        let Some(tolerance) = self.weld else { return Ok(()) };
        let name = path.display();
        let report =
            mesh.weld(tolerance).map_err(|error| Error::input(format!("{name}: --weld {tolerance}: {error}")))?;
        let vertices = if report.merged_vertices == 1 {
            "1 vertex".to_owned()
        } else {
            format!("{} vertices", report.merged_vertices)
        };
        let triangles = count(report.dropped_triangles, "triangle");
        console.note(&format!("{name}: --weld {tolerance} merged {vertices} and dropped {triangles}"));
        Ok(())
    }
}
