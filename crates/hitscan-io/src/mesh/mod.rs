//! Triangle meshes: OBJ, STL and PLY; and meshes that were saved with their trees.
//!
//! The parsers are our own, for reasons found by reading the crates:
//! - `tobj` 4 cuts a file into one model per group and material and renumbers the vertices of each, which severs the
//!   edges shared across groups; its errors name no face; faces of 1 and 2 corners become degenerate triangles.
//! - `stl_io` 0.11 takes any file that begins with `solid ` for text, keeps -0 and +0 apart when it welds, and rounds
//!   text to `f32`.
//! - `ply-rs-bw` 4 loops and allocates for each of 4 billion announced elements that have no properties (and so no
//!   bytes), matches property names per value, and its errors span several lines.
//!
//! All three parse a slice of bytes: nothing is ever allocated for more things than the rest of the file can hold.

mod obj;
mod ply;
mod saved;
mod stl;
mod write;

pub(crate) use saved::{Loaded, data_of};
pub use write::{write_obj, write_ply};

use crate::error::{Error, Fault, Place, Result, quoted};
use crate::numbers::Precision;
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

/// Reads a mesh from an `.obj`, `.stl`, `.ply` or `.hitmesh` file.
///
/// - **OBJ**: all groups and objects together; faces only (no points, lines or curves); negative indices count back.
/// - **STL**: text or binary, told apart by content; equal corners (with -0 = +0) become one vertex.
/// - **PLY**: text or binary of either byte order; `x y z` of `vertex`, `vertex_indices` or `vertex_index` of `face`;
///   other elements and properties are skipped.
/// - **hitmesh**: what [`hitscan::TriangleMesh::to_bytes`] has written. Here its tree is not wanted; a
///   [`SceneFile`](crate::SceneFile) uses it.
///
/// Faces with more than three corners are cut into a fan around their first corner, so they should be convex.
///
/// # Errors
///
/// One line with the vertex or face: not finite coordinates, indices out of range, faces with fewer than three
/// corners, truncated files, meshes without triangles.
pub fn read_mesh(path: &Path) -> Result<MeshData> {
    load_mesh(path).map(Loaded::into_data)
}

/// Reads a mesh from the bytes of a file that is called `path`: see [`read_mesh`].
///
/// # Errors
///
/// Those of [`read_mesh`].
pub fn parse_mesh(path: &Path, bytes: &[u8]) -> Result<MeshData> {
    load_bytes(path, bytes).map(Loaded::into_data)
}

/// Reads a mesh, with its tree if the file has one: see [`read_mesh`].
pub(crate) fn load_mesh(path: &Path) -> Result<Loaded> {
    parser(path)?;
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    load_bytes(path, &bytes)
}

/// The same from the bytes of a file that is called `path`.
pub(crate) fn load_bytes(path: &Path, bytes: &[u8]) -> Result<Loaded> {
    let loaded = match parser(path)? {
        Parser::Data(_) | Parser::Saved if bytes.is_empty() => Err(Fault::file("empty file")),
        Parser::Data(parse) => checked(bytes, parse).map(Loaded::Data),
        Parser::Saved => Loaded::saved(bytes),
    };
    loaded.map_err(|fault| fault.in_file(path))
}

/// From the bytes of a file to what they say.
enum Parser {
    Data(fn(&[u8]) -> Result<Soup, Fault>),
    Saved,
}

/// Extensions of the files that hold a mesh.
pub(crate) const EXTENSIONS: [&str; 4] = ["obj", "stl", "ply", "hitmesh"];

/// The parser for what a file is called.
fn parser(path: &Path) -> Result<Parser> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "obj" => Ok(Parser::Data(obj::parse)),
        "stl" => Ok(Parser::Data(stl::parse)),
        "ply" => Ok(Parser::Data(ply::parse)),
        "hitmesh" => Ok(Parser::Saved),
        _ => Err(Fault::file("unknown mesh format (known are .obj, .stl, .ply and .hitmesh)").in_file(path)),
    }
}

fn checked(bytes: &[u8], parse: fn(&[u8]) -> Result<Soup, Fault>) -> Result<MeshData, Fault> {
    let Soup { vertices, triangles } = parse(bytes)?;
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
