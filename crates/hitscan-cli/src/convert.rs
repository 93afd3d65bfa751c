//! `hitscan convert`: scenes and meshes to other formats.

use crate::console::Console;
use crate::error::{Error, Result};
use crate::inputs::{files_of, refuse_input_as_output};
use crate::load::LoadArguments;
use crate::outputs::{file_of, write_output};
use crate::precision::PrecisionArgument;
use crate::scene::{SceneSpace, WithScene, vector, with_scene};
use crate::text::count;
use clap::{Args, ValueEnum};
use hitscan::Vector3;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Accelerator, Quality, Scene, TriangleMesh};
use hitscan_io::{
    MeshData, Precision, SceneNames, mesh_files_named_in, obj_bytes, ply_bytes, write_obj, write_ply,
    write_scene_with_names,
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
  hitscan convert bunny.ply -o - --format obj     to standard output
  hitscan convert part.stl -o part.ply --repair   each triangle once, closed parts face outward

A scene's meshes are written beside it, each once, as <name of the scene>-<number of its first object>.ply. A file of such a name
that is there already is replaced only where the scene of that name is, too, and names it.")]
pub(crate) struct ConvertArguments {
    /// The file to convert: .toml, .hitscene, .obj, .stl, .ply, .off, .gltf, .glb or .hitmesh
    input: PathBuf,
    /// The file to write: .toml, .hitscene, .ply, .obj or .hitmesh; - is standard output, with --format
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What to write [default: by the extension of -o]
    #[arg(long, value_enum)]
    format: Option<ConvertedFormat>,
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

/// `--format` of `convert`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ConvertedFormat {
    /// a scene as text
    Toml,
    /// a scene with its trees
    Hitscene,
    /// a mesh as binary PLY
    Ply,
    /// a mesh as OBJ
    Obj,
    /// a mesh with its tree
    Hitmesh,
}

impl ConvertedFormat {
    /// The format of a file's extension.
    fn of(path: &Path) -> Option<Self> {
        Self::from_str(&extension(path), false).ok()
    }
}

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
        let format = self.format.or_else(|| ConvertedFormat::of(output)).ok_or_else(|| match file_of(output) {
            None => Error::usage("-o -: --format says what to write: toml, hitscene, ply, obj or hitmesh"),
            Some(file) => {
                Error::input(format!("{}: can write .toml, .hitscene, .ply, .obj and .hitmesh", file.display()))
            }
        })?;
        let is_saved = matches!(format, ConvertedFormat::Hitmesh | ConvertedFormat::Hitscene);
        if self.precision != PrecisionArgument::Auto && !is_saved {
            return Err(Error::usage("--precision is for .hitscene and .hitmesh"));
        }
        let is_mesh = matches!(format, ConvertedFormat::Ply | ConvertedFormat::Obj | ConvertedFormat::Hitmesh);
        if self.repair && !is_mesh {
            return Err(Error::usage("--repair is for .ply, .obj and .hitmesh: repair each mesh of a scene by itself"));
        }
        match format {
            _ if is_mesh && is_scene => {
                Err(Error::input(format!("{}: a scene of shapes cannot become a mesh", input.display())))
            }
            ConvertedFormat::Ply => self.write(console, write_ply, ply_bytes),
            ConvertedFormat::Obj => self.write(console, write_obj, obj_bytes),
            ConvertedFormat::Hitmesh => {
                let (mesh, precision) = self.mesh(console)?;
                match self.precision.or(precision) {
                    Precision::F32 => self.save::<Vec3>(mesh, console),
                    Precision::F64 => self.save::<DVec3>(mesh, console),
                }
            }
            ConvertedFormat::Hitscene => {
                let file = self.load.open(input, console)?;
                refuse_input_as_output(output, &files_of(&file))?;
                self.warn_of_lost_names(&file.names(), console);
                let precision = self.precision.for_scene(&file, file.precision());
                let bytes = with_scene(&file, precision, Accelerator::Bvh, Save { input })?;
                write_output(output, &bytes, console)
            }
            ConvertedFormat::Toml => {
                let file = self.load.open(input, console)?;
                let inputs = files_of(&file);
                refuse_input_as_output(output, &inputs)?;
                let rewrite = Rewrite { output, inputs: &inputs, names: &file.names() };
                let (text, numbered) = with_scene(&file, file.precision(), Accelerator::LinearScan, rewrite)?;
                if numbered > 0 {
                    console.warn(&format!("{}: the user data of {numbered} objects is not kept", output.display()));
                }
                write_output(output, text.as_bytes(), console)
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
        let leaves = BTreeSet::from_iter(names.all_leaves());
        if !leaves.is_empty() {
            let listed: Vec<&str> = leaves.iter().copied().take(LISTED_NAMES).collect();
            let more = if leaves.len() > LISTED_NAMES { ", …" } else { "" };
            console.warn(&format!("{output} has no names of members of solids ({}{more})", listed.join(", ")));
        }
    }

    /// The mesh to convert, and the precision in which it is saved unless the user chooses one.
    fn mesh(&self, console: &mut Console) -> Result<(MeshData, Precision)> {
        refuse_input_as_output(&self.output, std::slice::from_ref(&self.input))?;
        let (mesh, precision) = self.load.read_mesh(&self.input, console)?;
        // A repair computes no coordinates.
        let mesh = if self.repair { self.repaired(&mesh, console)? } else { mesh };
        Ok((mesh, precision))
    }

    /// The mesh after a repair, which is noted.
    fn repaired(&self, mesh: &MeshData, console: &mut Console) -> Result<MeshData> {
        let name = self.input.display();
        let wrong = |error| Error::input(format!("{name}: --repair: {error}"));
        // The repair builds a tree of its own.
        let mesh = mesh.to_mesh_with::<DVec3>(Accelerator::LinearScan);
        let (repaired, report) = mesh.and_then(|mesh| mesh.repaired(0.0)).map_err(wrong)?;
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

    /// Converts the mesh, by parts to a file and as a whole to standard output.
    fn write(
        &self,
        console: &mut Console,
        write: fn(&Path, &MeshData) -> hitscan_io::Result<()>,
        bytes: fn(&MeshData) -> Vec<u8>,
    ) -> Result<()> {
        let (mesh, _) = self.mesh(console)?;
        match file_of(&self.output) {
            Some(file) => Ok(write(file, &mesh)?),
            None => Ok(console.out.write_all(&bytes(&mesh))?),
        }
    }

    /// Builds the tree, and saves both.
    fn save<V: Vector3>(&self, mesh: MeshData, console: &mut Console) -> Result<()> {
        let start = Instant::now();
        let vertices = mesh.vertices.into_iter().map(vector::<V>).collect();
        let built = TriangleMesh::with_quality(vertices, mesh.triangles, self.quality.into());
        let built = built.map_err(|error| Error::input(format!("{}: {error}", self.input.display())))?;
        let (seconds, bytes) = (start.elapsed().as_secs_f64(), built.to_bytes());
        write_output(&self.output, &bytes, console)?;
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
            if file_of(self.output).is_none() {
                let what = "a mesh has a file of its own beside the scene: -o needs the name of a file";
                return Err(Error::usage(what));
            }
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
