//! Triangle meshes: OBJ, STL, PLY and glTF; and meshes that were saved with their trees.
//!
//! The parsers are our own, for reasons found by reading the crates:
//! - `tobj` 4 cuts a file into one model per group and material and renumbers the vertices of each, which severs the
//!   edges shared across groups; its errors name no face; faces of 1 and 2 corners become degenerate triangles.
//! - `stl_io` 0.11 takes any file that begins with `solid ` for text, keeps -0 and +0 apart when it welds, and rounds
//!   text to `f32`.
//! - `ply-rs-bw` 4 loops and allocates for each of 4 billion announced elements that have no properties (and so no
//!   bytes), matches property names per value, and its errors span several lines.
//!
//! All parse a slice of bytes: nothing is ever allocated for more things than the rest of the file can hold.

mod gltf;
mod obj;
mod ply;
mod saved;
mod stl;
mod weld;
mod write;

pub use saved::MeshFile;
pub use weld::{ClosingWeld, WeldError, WeldReport};
pub use write::{write_obj, write_ply};

use crate::error::{Error, Fault, Place, Result, quoted};
use crate::numbers::Precision;
use std::io;
use std::path::Path;

/// Vertices and the triangles between them.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshData {
    /// The positions, all finite.
    pub vertices: Vec<[f64; 3]>,
    /// Three indices of vertices each, all in range, in the order of the file; there is at least one triangle.
    pub triangles: Vec<[u32; 3]>,
    /// `F32` when every coordinate is exactly an `f32`.
    pub precision: Precision,
}

/// Reads a mesh from an `.obj`, `.stl`, `.ply`, `.gltf` or `.glb` file.
///
/// - **OBJ**: all groups and objects together; faces only (no points, lines or curves); negative indices count back.
/// - **STL**: text or binary, told apart by content; equal corners (with -0 = +0) become one vertex.
/// - **PLY**: text or binary of either byte order; `x y z` of `vertex`, `vertex_indices` or `vertex_index` of `face`;
///   other elements and properties are skipped.
/// - **glTF** 2.0: the triangles, strips and fans of its scene, where the nodes put them; sparse and quantized accessors;
///   data in the file, in a container, or in files beside it. Skins, morph targets and animations do not move anything;
///   compressed meshes (Draco, meshopt) are refused.
/// - **hitmesh**: what [`hitscan::TriangleMesh::to_bytes`] has written. Here its tree is not wanted; a
///   [`SceneFile`](crate::SceneFile) uses it.
///
/// Faces with more than three corners are cut into a fan around their first corner, so they should be convex.
///
/// # Errors
///
/// One line with the vertex or face: not finite coordinates, indices out of range, faces with fewer than three
/// corners, truncated files, meshes without triangles; of glTF, accessors, nodes and buffers that are not as announced, and
/// nodes that place more than 16 vertices and triangles for each byte of the files.
pub fn read_mesh(path: &Path) -> Result<MeshData> {
    MeshFile::open(path).map(MeshFile::into_data)
}

/// Reads a mesh from the bytes of a file that is called `path`: see [`read_mesh`].
///
/// # Errors
///
/// Those of [`read_mesh`]; a glTF whose data is in other files.
pub fn parse_mesh(path: &Path, bytes: &[u8]) -> Result<MeshData> {
    MeshFile::parse(path, bytes).map(MeshFile::into_data)
}

/// The names of the files that a mesh is spread over besides its own, as seen from its folder: those of a glTF's buffers.
///
/// # Errors
///
/// A glTF whose header is damaged.
pub fn mesh_parts(path: &Path, bytes: &[u8]) -> Result<Vec<String>> {
    match extension(path).as_str() {
        "gltf" | "glb" => gltf::parts(bytes).map_err(|fault| fault.in_file(path)),
        _ => Ok(Vec::new()),
    }
}

/// The bytes of a file that a mesh is spread over, by the name that the mesh has for it.
type Others<'a> = dyn Fn(&str) -> Result<Vec<u8>, Fault> + 'a;

/// From the bytes of a file to what they say.
enum Parser {
    Data(fn(&[u8], &Others<'_>) -> Result<Soup, Fault>),
    Saved,
}

/// Extensions of the files that hold a mesh.
pub(crate) const EXTENSIONS: [&str; 6] = ["obj", "stl", "ply", "gltf", "glb", "hitmesh"];

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The parser for what a file is called.
fn parser(path: &Path) -> Result<Parser> {
    match extension(path).as_str() {
        "obj" => Ok(Parser::Data(|bytes, _| obj::parse(bytes))),
        "stl" => Ok(Parser::Data(|bytes, _| stl::parse(bytes))),
        "ply" => Ok(Parser::Data(|bytes, _| ply::parse(bytes))),
        "gltf" | "glb" => Ok(Parser::Data(gltf::parse)),
        "hitmesh" => Ok(Parser::Saved),
        _ => {
            Err(Fault::file("unknown mesh format (known are .obj, .stl, .ply, .gltf, .glb and .hitmesh)").in_file(path))
        }
    }
}

impl MeshFile {
    /// Reads a mesh, with its tree if the file has one: see [`read_mesh`].
    ///
    /// # Errors
    ///
    /// Those of [`read_mesh`].
    pub fn open(path: &Path) -> Result<Self> {
        parser(path)?;
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let others = |name: &str| {
            let beside = folder.join(name);
            // A device has no end.
            let bytes = if beside.is_dir() || beside.is_file() || !beside.exists() {
                std::fs::read(&beside)
            } else {
                Err(io::Error::other("not a file"))
            };
            bytes.map_err(|error| Error::io(&beside, error)).map_err(|error| Fault::file(error.to_string()))
        };
        Self::of(path, &bytes, &others)
    }

    /// The same from the bytes of a file that is called `path`.
    ///
    /// # Errors
    ///
    /// Those of [`parse_mesh`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let others = |name: &str| Err(Fault::file(format!("its data is in {}, another file", quoted(name.as_bytes()))));
        Self::of(path, bytes, &others)
    }

    fn of(path: &Path, bytes: &[u8], others: &Others<'_>) -> Result<Self> {
        let loaded = match parser(path)? {
            _ if bytes.is_empty() => Err(Fault::file("empty file")),
            Parser::Data(parse) => parse(bytes, others).and_then(checked).map(Self::Data),
            Parser::Saved => Self::saved(bytes),
        };
        loaded.map_err(|fault| fault.in_file(path))
    }
}

fn checked(Soup { vertices, triangles }: Soup) -> Result<MeshData, Fault> {
    if triangles.is_empty() {
        return Err(Fault::file("mesh has no triangles"));
    }
    debug_assert!(triangles.iter().flatten().all(|&index| (index as usize) < vertices.len()));
    let precision = Precision::of(vertices.iter().flatten().copied());
    Ok(MeshData { vertices, triangles, precision })
}

/// What a parser has read so far: finite vertices, indices in range.
#[derive(Debug, Default)]
struct Soup {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// Adds a polygon as a fan around its first corner.
    fn push_fan(&mut self, corners: &[u32]) {
        if let [first, rest @ ..] = corners {
            self.triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
        }
    }
}

/// The coordinates, if finite.
fn finite(point: [f64; 3], place: impl FnOnce() -> Place) -> Result<[f64; 3], Fault> {
    match point.iter().position(|value| !value.is_finite()) {
        None => Ok(point),
        Some(axis) => {
            let (name, value) = (["x", "y", "z"][axis], point[axis]);
            Err(Fault::new(place(), format!("{name} is {value}, not a finite number")))
        }
    }
}

fn out_of_range(place: Place, index: i64, vertices: u64) -> Fault {
    Fault::new(place, format!("vertex index {index} out of range ({vertices} vertices)"))
}

fn too_few_corners(place: Place, corners: usize) -> Fault {
    Fault::new(place, format!("{corners} corners (a face needs 3 or more)"))
}

/// A decimal number of a text file.
fn decimal(token: &[u8], place: impl FnOnce() -> Place) -> Result<f64, Fault> {
    let number = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Fault::new(place(), format!("{} is not a number", quoted(token))))
}
