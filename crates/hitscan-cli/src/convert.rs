//! `hitscan convert`: scenes and meshes to other formats.

use crate::console::Console;
use crate::error::{Error, Result};
use crate::inputs::{files_of, refuse_input_as_output};
use crate::load::LoadArguments;
use crate::precision::PrecisionArgument;
use crate::scene::{SceneSpace, WithScene, vector, with_scene};
use crate::text::count;
use clap::{Args, ValueEnum};
use hitscan::Vector3;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Accelerator, Quality, Scene, TriangleMesh};
use hitscan_io::{
    MeshData, Precision, SceneNames, mesh_files_named_in, write_file, write_obj, write_ply, write_scene_with_names,
};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Convert a mesh to PLY or OBJ, or save it with its tree; or a scene to TOML in its shortest form, or save it with its trees
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan convert bunny.stl -o bunny.ply          a mesh to a mesh: also .obj, .off, .gltf, .glb; to .ply or .obj
  hitscan convert bunny.ply -o bunny.hitmesh      a mesh with its tree, which then is loaded and not built
  hitscan convert scene.toml -o scene.hitscene    a scene with its trees and meshes, which then is loaded and not built
  hitscan convert scene.toml -o plain.toml        transforms are worked into the parameters, or become matrices
  hitscan convert city.glb -o city.toml           each mesh a geometry, each node an object (--bake: one mesh)
  hitscan convert bunny.ply -o scene.toml         a scene that names a copy of the mesh, scene-0.ply
  hitscan convert part.stl -o part.ply --repair   each triangle once, closed parts face outward

A scene's meshes are written beside it, each once, as <name of the scene>-<number of its first object>.ply. A file of such a name
that is there already is replaced only where the scene of that name is, too, and names it.")]
pub(crate) struct ConvertArguments {
    /// The file to convert: .toml, .hitscene, .obj, .stl, .ply, .off, .gltf, .glb or .hitmesh
    input: PathBuf,
    /// The file to write: .toml, .hitscene, .ply, .obj or .hitmesh
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    /// Repair a mesh: drop repeated and degenerate triangles, and turn the triangles of each closed part outward
    ///
    /// For .ply, .obj and .hitmesh. Equal vertices become one, and with --weld those that are near each other. Of a wall that
    /// two solids share, both sides are dropped. A part that lies as a cavity within another one faces into the cavity. Open
    /// parts stay as they are, and holes are not filled.
    #[arg(long)]
    repair: bool,
    /// How much time to spend on the tree of a .hitmesh; the answers are the same
    #[arg(long, value_enum, default_value_t)]
    quality: QualityArgument,
    /// The precision of a .hitscene or .hitmesh; auto is that of the numbers in the input
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
}

/// The most names of geometries in a warning.
const LISTED_NAMES: usize = 8;

/// `--quality`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum QualityArgument {
    /// half of the time, rays somewhat slower
    Fast,
    /// for most uses
    #[default]
    Default,
    /// two to five times as long: for architecture, with its long walls
    High,
}

impl From<QualityArgument> for Quality {
    fn from(argument: QualityArgument) -> Self {
        match argument {
            QualityArgument::Fast => Self::Fast,
            QualityArgument::Default => Self::Default,
            QualityArgument::High => Self::High,
        }
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

impl ConvertArguments {
    pub(crate) fn run(&self, console: &mut Console) -> Result<()> {
        let (input, output) = (self.input.as_path(), self.output.as_path());
        let is_scene = matches!(&extension(input)[..], "toml" | "hitscene");
        let extension_out = extension(output);
        if self.precision != PrecisionArgument::Auto && !matches!(&extension_out[..], "hitmesh" | "hitscene") {
            return Err(Error::usage("--precision is for .hitscene and .hitmesh"));
        }
        if self.repair && !matches!(&extension_out[..], "ply" | "obj" | "hitmesh") {
            return Err(Error::usage("--repair is for .ply, .obj and .hitmesh: repair each mesh of a scene by itself"));
        }
        match &extension_out[..] {
            "ply" | "obj" | "hitmesh" if is_scene => {
                Err(Error::input(format!("{}: a scene of shapes cannot become a mesh", input.display())))
            }
            "ply" => self.write(&self.mesh(console)?, write_ply),
            "obj" => self.write(&self.mesh(console)?, write_obj),
            "hitmesh" => {
                let mesh = self.mesh(console)?;
                match self.precision.or(mesh.precision) {
                    Precision::F32 => self.save::<Vec3>(mesh, console),
                    Precision::F64 => self.save::<DVec3>(mesh, console),
                }
            }
            "hitscene" => {
                let file = self.load.open(input, console)?;
                refuse_input_as_output(output, &files_of(&file))?;
                self.warn_of_lost_names(&file.names(), console);
                let precision = self.precision.for_scene(&file, file.precision());
                let bytes = with_scene(&file, precision, Accelerator::Bvh, Save { input })?;
                Ok(write_file(output, &bytes)?)
            }
            "toml" => {
                let file = self.load.open(input, console)?;
                let inputs = files_of(&file);
                refuse_input_as_output(output, &inputs)?;
                let rewrite = Rewrite { output, inputs: &inputs, names: &file.names() };
                let (text, numbered) = with_scene(&file, file.precision(), Accelerator::LinearScan, rewrite)?;
                if numbered > 0 {
                    console.warn(&format!("{}: the user data of {numbered} objects is not kept", output.display()));
                }
                Ok(write_file(output, text.as_bytes())?)
            }
            _ => {
                Err(Error::input(format!("{}: can write .toml, .hitscene, .ply, .obj and .hitmesh", output.display())))
            }
        }
    }

    /// A saved scene has the names of objects only.
    fn warn_of_lost_names(&self, names: &SceneNames, console: &mut Console) {
        let output = self.output.display();
        let layers: Vec<String> = names.layers.iter().map(|(name, number)| format!("{name} = {number}")).collect();
        if !layers.is_empty() {
            console.warn(&format!("{output} has the numbers of layers, not their names ({})", layers.join(", ")));
        }
        let geometries = BTreeSet::from_iter(names.all_geometries());
        if !geometries.is_empty() {
            let listed: Vec<&str> = geometries.iter().copied().take(LISTED_NAMES).collect();
            let more = if geometries.len() > LISTED_NAMES { ", …" } else { "" };
            console.warn(&format!("{output} has no names of geometries ({}{more})", listed.join(", ")));
        }
    }

    /// The mesh to convert.
    fn mesh(&self, console: &mut Console) -> Result<MeshData> {
        refuse_input_as_output(&self.output, std::slice::from_ref(&self.input))?;
        let mesh = self.load.read_mesh(&self.input, console)?;
        if self.repair { self.repaired(&mesh, console) } else { Ok(mesh) }
    }

    /// The mesh after a repair, which is noted.
    fn repaired(&self, mesh: &MeshData, console: &mut Console) -> Result<MeshData> {
        let name = self.input.display();
        let wrong = |error| Error::input(format!("{name}: --repair: {error}"));
        let (repaired, report) = mesh.to_mesh::<DVec3>().and_then(|mesh| mesh.repaired(0.0)).map_err(wrong)?;
        let dropped = [
            count(report.repeated_triangles, "repeated triangle"),
            count(report.degenerate_triangles, "degenerate triangle"),
        ];
        let merged = count(report.merged_vertices, "vertex");
        let turned = count(report.turned_triangles, "triangle");
        let parts = [
            (report.closed_parts, "closed part", "outward"),
            (report.open_parts, "open part", "unchanged"),
            (report.undecided_parts, "closed part", "unchanged: without an outer side"),
        ];
        let parts = parts.iter().filter(|(n, ..)| *n > 0);
        let parts: Vec<String> = parts.map(|(n, noun, how)| format!("{} ({how})", count(*n, noun))).collect();
        console.note(&format!(
            "{name}: --repair merged {merged}, dropped {} and turned {turned}; {}",
            dropped.join(" and "),
            parts.join(", ")
        ));
        Ok(MeshData::from(&repaired))
    }

    fn write(&self, mesh: &MeshData, write: fn(&Path, &MeshData) -> hitscan_io::Result<()>) -> Result<()> {
        Ok(write(&self.output, mesh)?)
    }

    /// Builds the tree, and saves both.
    fn save<V: Vector3>(&self, mesh: MeshData, console: &mut Console) -> Result<()> {
        let start = Instant::now();
        let vertices = mesh.vertices.into_iter().map(vector::<V>).collect();
        let built = TriangleMesh::with_quality(vertices, mesh.triangles, self.quality.into());
        let built = built.map_err(|error| Error::input(format!("{}: {error}", self.input.display())))?;
        let (seconds, bytes) = (start.elapsed().as_secs_f64(), built.to_bytes());
        write_file(&self.output, &bytes)?;
        if console.err_is_terminal {
            let (triangles, nodes) = (built.triangles().len(), built.statistics().nodes);
            console.note(&format!("{triangles} triangles, {nodes} nodes, {} bytes, {seconds:.3} s", bytes.len()));
        }
        Ok(())
    }
}

/// Saves a scene with its trees.
struct Save<'a> {
    input: &'a Path,
}

impl WithScene for Save<'_> {
    type Output = Vec<u8>;

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<Vec<u8>> {
        scene.to_bytes().map_err(|error| Error::input(format!("{}: {error}", self.input.display())))
    }
}

/// Writes a scene, its meshes beside it. Returns the text, and the number of objects with user data.
struct Rewrite<'a> {
    output: &'a Path,
    inputs: &'a [PathBuf],
    names: &'a SceneNames,
}

impl WithScene for Rewrite<'_> {
    type Output = (String, usize);

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<Self::Output> {
        let numbered = scene.objects().filter(|(_, object)| object.user_data() != 0).count();
        // All names are checked before the first file is written.
        let earlier = mesh_files_named_in(self.output);
        self.text(scene, |path, name, _| {
            refuse_input_as_output(path, self.inputs)?;
            if earlier.contains(name) || path.symlink_metadata().is_err() {
                return Ok(());
            }
            let (file, output) = (path.display(), self.output.display());
            Err(Error::input(format!(
                "{file}: a mesh of {output} would replace this file: move it, or choose another name for the scene"
            )))
        })?;
        let text = self.text(scene, |path, _, mesh| Ok(write_ply(path, mesh)?))?;
        Ok((text, numbered))
    }
}

impl Rewrite<'_> {
    /// The text of the scene; `each` gets the path, the name and the numbers of each of its meshes.
    fn text<V: SceneSpace>(
        &self,
        scene: &Scene<V>,
        mut each: impl FnMut(&Path, &str, &MeshData) -> Result<()>,
    ) -> Result<String> {
        let stem = self.output.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut failed = None;
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        let text = write_scene_with_names(scene, self.names, |shape, mesh| {
            // The meshes of one group have the number of one object.
            let again = numbers.entry(shape.index()).and_modify(|again| *again += 1).or_insert(0);
            let name = match *again {
                0 => format!("{stem}-{}.ply", shape.index()),
                again => format!("{stem}-{}-{again}.ply", shape.index()),
            };
            if failed.is_none() {
                failed = each(&self.output.with_file_name(&name), &name, mesh).err();
            }
            Ok(name)
        })?;
        failed.map_or(Ok(text), Err)
    }
}
