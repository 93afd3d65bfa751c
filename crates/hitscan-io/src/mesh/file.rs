//! Mesh files of every format.

use super::gltf::{GltfNode, GltfScene};
use super::parsed::{Finished, ParsedMesh, ReadFile, no_triangles};
use super::signature::{Signature, refuse_foreign};
use super::{MeshData, WeldError, WeldReport, gltf, obj, off, ply, stl};
use crate::dimension::Precision;
use crate::error::{Error, Fault, Result, quoted};
use hitscan::Vector3;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{LoadError, TriangleMesh};
use std::any::Any;
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A mesh that was read from a file, with its BVH if it was saved with one.
#[derive(Clone, Debug)]
pub struct MeshFile {
    content: Content,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
enum Content {
    /// The data of another format, and the precision in which the mesh is built unless the user chooses one.
    Data(MeshData, Precision),
    /// A saved mesh of `f32`.
    Single(Arc<TriangleMesh<Vec3>>),
    /// A saved mesh of `f64`.
    Double(Arc<TriangleMesh<DVec3>>),
}

/// Reads a mesh from an `.obj`, `.stl`, `.ply`, `.off`, `.gltf` or `.glb` file.
///
/// - **OBJ**: all groups and objects together; faces only (no points, lines or curves); negative indices count back.
/// - **STL**: text or binary, distinguished by content; equal corners (with -0 = +0) become one vertex.
/// - **PLY**: text or binary of either byte order; `x y z` of `vertex`, `vertex_indices` or `vertex_index` of `face` and of
///   `tristrips`; other elements and properties are skipped. A `float` of a text keeps all digits of the text.
/// - **OFF**: text; colours, normals, texture coordinates and comments are skipped. Binary files and files of other dimensions are
///   refused.
/// - **glTF** 2.0: the triangles, strips and fans of its scene, where the nodes put them; sparse and quantized accessors;
///   data in the file, in a container, or in files beside it. Skins, morph targets and animations do not move anything;
///   compressed meshes (Draco, meshopt) are refused.
/// - **hitmesh**: the bytes of [`hitscan::TriangleMesh::to_bytes`]. This function leaves out the BVH; a
///   [`SceneFile`](crate::SceneFile) uses it.
///
/// A face with more than three corners is cut into triangles between its corners, two fewer than it has corners. A fan around the
/// first corner is taken where it is right, as it is for every convex face. Other faces are cut by ear clipping with exact
/// orientations, in the plane of the two axes in which the face is largest. A face may have a hole whose boundary is joined to its own
/// by a bridge, which is one edge in both directions.
///
/// [`MeshFile::notes`] names faults of a file that is read all the same. The page `docs/mesh-files.md` shows some eighty files, most of
/// which have a fault, and what becomes of each.
///
/// # Errors
///
/// One line with the vertex or face: coordinates that are not finite and that a face has, indices out of range, truncated files,
/// meshes without triangles, files of one format with the extension of another, files that are no meshes; of glTF, accessors, nodes
/// and buffers that are not as announced, and nodes that place more than 16 vertices and triangles for each byte of the files.
pub fn read_mesh(path: &Path) -> Result<MeshData> {
    MeshFile::open(path).map(MeshFile::into_data)
}

/// Reads a mesh from the bytes of a file with the name `path`: see [`read_mesh`].
///
/// # Errors
///
/// The errors of [`read_mesh`]; a glTF whose data is in other files.
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

/// The parser of a format.
enum Parser {
    Data(fn(&[u8], &ReadFile<'_>) -> Result<ParsedMesh, Fault>),
    Saved,
}

/// Extensions of the files that hold a mesh.
pub(crate) const EXTENSIONS: [&str; 7] = ["obj", "stl", "ply", "off", "gltf", "glb", "hitmesh"];

/// The same in an error message.
pub(crate) const KNOWN_EXTENSIONS: &str = ".obj, .stl, .ply, .off, .gltf, .glb and .hitmesh";

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The parser for the extension of a file.
fn parser(path: &Path) -> Result<Parser> {
    match extension(path).as_str() {
        "obj" => Ok(Parser::Data(|bytes, _| obj::parse(bytes))),
        "stl" => Ok(Parser::Data(|bytes, _| stl::parse(bytes))),
        "ply" => Ok(Parser::Data(|bytes, _| ply::parse(bytes))),
        "off" => Ok(Parser::Data(|bytes, _| off::parse(bytes))),
        "gltf" | "glb" => Ok(Parser::Data(gltf::parse)),
        "hitmesh" => Ok(Parser::Saved),
        _ => Err(Fault::file(format!("unknown mesh format (known are {KNOWN_EXTENSIONS})")).in_file(path)),
    }
}

/// Reads a file that a mesh is spread over.
fn read_beside(path: &Path, name: &str) -> Result<Vec<u8>, Fault> {
    let beside = path.parent().unwrap_or(Path::new("")).join(name);
    // A device has no end.
    let bytes = if beside.is_dir() || beside.is_file() || !beside.exists() {
        std::fs::read(&beside)
    } else {
        Err(io::Error::other("not a file"))
    };
    bytes.map_err(|error| Fault::caused(Error::io(&beside, error)))
}

/// Refuses what cannot be a mesh file of any format.
fn check_content(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.is_empty() {
        return Err(Fault::file("empty file"));
    }
    refuse_foreign(bytes)
}

/// The error of a file. If it has the extension of another format, its first bytes say more than the parser can.
fn of_bytes(fault: Fault, path: &Path, bytes: &[u8]) -> Error {
    let found = Signature::of(bytes).filter(|found| !found.has_extension(&extension(path)));
    found.map_or(fault, Signature::fault).in_file(path)
}

/// The meshes of a glTF and the nodes that place them.
#[derive(Debug)]
pub(crate) struct MeshScene {
    /// Names and meshes.
    pub(crate) meshes: Vec<(Option<String>, MeshFile)>,
    pub(crate) nodes: Vec<GltfNode>,
    /// What is not read, each in one line without the file's name.
    pub(crate) notes: Vec<String>,
}

impl MeshScene {
    /// Reads a `.gltf` or `.glb` file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        check_content(&bytes).map_err(|fault| fault.in_file(path))?;
        let scene = gltf::parse_scene(&bytes, &|name| read_beside(path, name));
        let GltfScene { meshes, nodes, notes } = scene.map_err(|fault| of_bytes(fault, path, &bytes))?;
        if nodes.is_empty() {
            return Err(no_triangles(&notes).in_file(path));
        }
        let finished = |(name, mesh): (_, ParsedMesh)| Ok((name, MeshFile::from(mesh.finish()?)));
        let meshes = meshes.into_iter().map(finished).collect::<Result<_, Fault>>();
        Ok(Self { meshes: meshes.map_err(|fault| fault.in_file(path))?, nodes, notes })
    }
}

impl MeshFile {
    /// Reads a mesh, with its BVH if the file has one: see [`read_mesh`].
    ///
    /// # Errors
    ///
    /// The errors of [`read_mesh`]: an unknown extension, an unreadable file, an invalid mesh.
    pub fn open(path: &Path) -> Result<Self> {
        parser(path)?;
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        Self::of(path, &bytes, &|name| read_beside(path, name))
    }

    /// Reads a mesh from the bytes of a file with the name `path`.
    ///
    /// # Errors
    ///
    /// The errors of [`parse_mesh`]: an unknown extension, an invalid mesh, a glTF whose data is in other files.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let read_file =
            |name: &str| Err(Fault::file(format!("its data is in {}, another file", quoted(name.as_bytes()))));
        Self::of(path, bytes, &read_file)
    }

    fn of(path: &Path, bytes: &[u8], read_file: &ReadFile<'_>) -> Result<Self> {
        let parser = parser(path)?;
        check_content(bytes).map_err(|fault| fault.in_file(path))?;
        let loaded = match parser {
            Parser::Data(parse) => parse(bytes, read_file).and_then(ParsedMesh::finish).map(Self::from),
            Parser::Saved => Self::saved(bytes),
        };
        loaded.map_err(|fault| of_bytes(fault, path, bytes))
    }

    /// A saved mesh, in the precision that it was saved in.
    fn saved(bytes: &[u8]) -> Result<Self, Fault> {
        let single = TriangleMesh::from_bytes(bytes).map(|mesh| Content::Single(Arc::new(mesh)));
        let loaded = match single {
            Err(LoadError::Precision { found: 8, .. }) => {
                TriangleMesh::from_bytes(bytes).map(|mesh| Content::Double(Arc::new(mesh)))
            }
            single => single,
        };
        loaded.map(|content| Self { content, notes: Vec::new() }).map_err(Fault::caused)
    }

    /// The mesh with its BVH, if it was saved in this precision.
    pub(crate) fn saved_mesh<V: Vector3>(&self) -> Option<Arc<TriangleMesh<V>>> {
        let any: Arc<dyn Any + Send + Sync> = match &self.content {
            Content::Data(..) => return None,
            Content::Single(mesh) => mesh.clone(),
            Content::Double(mesh) => mesh.clone(),
        };
        any.downcast().ok()
    }

    /// The precision in which the mesh is built unless the user chooses one: the narrowest that holds every coordinate. A text that
    /// declares `float` is of `f32` if its decimals are those of `f32` numbers; [`Self::data`] has all of them.
    #[must_use]
    pub fn precision(&self) -> Precision {
        match &self.content {
            Content::Data(_, precision) => *precision,
            Content::Single(_) => Precision::F32,
            Content::Double(mesh) => Precision::of(mesh.vertices().iter().flat_map(DVec3::to_array)),
        }
    }

    /// The vertices and triangles.
    #[must_use]
    pub fn data(&self) -> Cow<'_, MeshData> {
        match &self.content {
            Content::Data(data, _) => Cow::Borrowed(data),
            Content::Single(mesh) => Cow::Owned(MeshData::from(&**mesh)),
            Content::Double(mesh) => Cow::Owned(MeshData::from(&**mesh)),
        }
    }

    /// The vertices and triangles, without a copy if the file has no BVH.
    #[must_use]
    pub fn into_data(self) -> MeshData {
        if let Content::Data(data, _) = self.content { data } else { self.data().into_owned() }
    }

    /// Notes about what was ignored, cut as well as it could be, or read although it departs from the format: each in one line with a
    /// count, without the file's name.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Welds the mesh: see [`MeshData::weld`]. A saved mesh loses its BVH.
    ///
    /// # Errors
    ///
    /// The errors of [`MeshData::weld`]: an unusable tolerance, or one that leaves no triangle. The mesh is then as it was.
    pub fn weld(&mut self, tolerance: f64) -> Result<WeldReport, WeldError> {
        let mut data = self.data().into_owned();
        let report = data.weld(tolerance)?;
        let narrow = [self.precision(), data.precision].contains(&Precision::F32);
        self.content = Content::Data(data, if narrow { Precision::F32 } else { Precision::F64 });
        Ok(report)
    }
}

impl From<Finished> for MeshFile {
    fn from(Finished { data, notes, precision }: Finished) -> Self {
        Self { content: Content::Data(data, precision), notes }
    }
}
