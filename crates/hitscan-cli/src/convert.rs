//! `hitscan convert`: scenes and meshes to other formats.

use crate::error::{Error, Result};
use crate::scene::{Space, Work, with_scene};
use clap::Args;
use hitscan::{Method, Scene};
use hitscan_io::{SceneFile, read_mesh, write_file, write_obj, write_ply, write_scene};
use std::path::{Path, PathBuf};

/// Convert a mesh to PLY or OBJ, or a scene to TOML without transforms
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan convert bunny.stl -o bunny.ply          a mesh to a mesh: also .obj, .gltf, .glb; to .ply or .obj
  hitscan convert scene.toml -o plain.toml        transforms are worked into the parameters
  hitscan convert bunny.ply -o scene.toml         a scene that names the mesh

A scene's meshes are written beside it, as <name of the scene>-<number of the shape>.ply.")]
pub(crate) struct Arguments {
    /// What to convert: .toml, .obj, .stl, .ply, .gltf or .glb
    input: PathBuf,
    /// The file to write: .toml, .ply or .obj
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let (input, output) = (self.input.as_path(), self.output.as_path());
        let is_scene = extension(input) == "toml";
        match &extension(output)[..] {
            "ply" | "obj" if is_scene => {
                Err(Error::input(format!("{}: a scene of shapes cannot become a mesh", input.display())))
            }
            "ply" => Ok(write_ply(output, &read_mesh(input)?)?),
            "obj" => Ok(write_obj(output, &read_mesh(input)?)?),
            "toml" => {
                let file = SceneFile::open(input)?;
                let text = with_scene(&file, file.precision(), Method::Brute, Rewrite { output })?;
                Ok(write_file(output, text.as_bytes())?)
            }
            _ => Err(Error::input(format!("{}: can write .toml, .ply and .obj", output.display()))),
        }
    }
}

struct Rewrite<'a> {
    output: &'a Path,
}

impl Work for Rewrite<'_> {
    type Output = String;

    fn with<V: Space>(self, scene: &Scene<V>) -> Result<String> {
        let stem = self.output.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(write_scene(scene, |shape, mesh| {
            let name = format!("{stem}-{}.ply", shape.0);
            write_ply(&self.output.with_file_name(&name), mesh)?;
            Ok(name)
        })?)
    }
}
