//! A scene file, read and checked.

use super::SceneVector;
use super::fields::{Fields, Label};
use super::node::{self, Node, Table, Value, find};
use super::schema::{FILE, names, unknown_key};
use super::values::{FieldError, name, text};
use crate::dimension::{Dimension, Precision};
use crate::error::{Error, Fault, Place, Result};
use crate::mesh::{EXTENSIONS, KNOWN_EXTENSIONS, MeshFile, WeldReport};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Accelerator, Object, Scene, SceneBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene file, read and checked; [`build`](Self::build) makes a scene of it in a precision.
///
/// ```
/// use hitscan::{glam::Vec3, Ray, RayCast};
/// let text = "[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 5]\nradius = 1";
/// let scene = hitscan_io::SceneFile::parse_toml("scene.toml", text)?.build::<Vec3>()?;
/// assert_eq!(scene.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..).map(|hit| hit.t), Some(4.0));
/// # Ok::<(), hitscan_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SceneFile {
    path: PathBuf,
    dimension: Dimension,
    precision: Precision,
    shapes: Vec<Entry>,
}

/// A `[[shape]]`.
#[derive(Clone, Debug)]
struct Entry {
    number: u64,
    line: Option<u64>,
    table: Table,
    mesh: Option<Arc<MeshFile>>,
}

impl SceneFile {
    /// Reads a `.toml` file and the meshes it names; or a mesh file, which is a scene of one shape named like the
    /// file. A saved mesh (`.hitmesh`) that is not transformed keeps its BVH where the scene is built in its precision.
    ///
    /// # Errors
    ///
    /// One line with the file, the shape and the line of the first error. A file without errors can be [built](Self::build)
    /// in its own [precision](Self::precision).
    pub fn open(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "toml" => {
                let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
                let text = String::from_utf8(bytes).map_err(|error| not_text(&error).in_file(path))?;
                Self::parse(path, &text)
            }
            extension if EXTENSIONS.contains(&extension) => Self::of_mesh(path),
            _ => Err(Fault::file(format!("unknown scene format (known are .toml, {KNOWN_EXTENSIONS})")).in_file(path)),
        }
    }

    /// Reads TOML. `name` is the name of the file in messages; the paths of meshes are relative to the current folder.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::open`]: one line with `name`, the shape and the line of `text`.
    pub fn parse_toml(name: &str, text: &str) -> Result<Self> {
        Self::parse_in(Path::new(name), text, &mut Meshes::new(|file| MeshFile::open(Path::new(file)).map(Arc::new)))
    }

    /// Reads TOML, and calls `mesh` once for each mesh file, with the name that the scene has for it. A caller that keeps
    /// meshes can share them between scenes.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::open`]; errors of `mesh`, with the shape that names the file.
    pub fn parse_with(name: &str, text: &str, mesh: impl FnMut(&str) -> Result<Arc<MeshFile>>) -> Result<Self> {
        Self::parse_in(Path::new(name), text, &mut Meshes::new(mesh))
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse_in(path, text, &mut Meshes::new(|file| MeshFile::open(&folder.join(file)).map(Arc::new)))
    }

    fn parse_in(
        path: &Path,
        text: &str,
        meshes: &mut Meshes<impl FnMut(&str) -> Result<Arc<MeshFile>>>,
    ) -> Result<Self> {
        let (dimension, mut shapes) = document(text).map_err(|fault| fault.in_file(path))?;
        for entry in &mut shapes {
            entry.load(meshes).map_err(|error| entry.fault(error).in_file(path))?;
        }
        Self::checked(path, dimension, shapes)
    }

    fn of_mesh(path: &Path) -> Result<Self> {
        let mesh = Some(Arc::new(MeshFile::open(path)?));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().replace(char::is_control, " ");
        let pair = |key: &str, text: String| (key.to_owned(), Node { value: Value::Text(text), line: None });
        let mut table = vec![pair("type", "mesh".into()), pair("file", path.display().to_string())];
        table.extend((!stem.trim().is_empty()).then(|| pair("name", stem)));
        Self::checked(path, Dimension::Three, vec![Entry { number: 0, line: None, table, mesh }])
    }

    fn checked(path: &Path, dimension: Dimension, shapes: Vec<Entry>) -> Result<Self> {
        let precision = precision(&shapes);
        let file = Self { path: path.to_owned(), dimension, precision, shapes };
        match (dimension, precision) {
            (Dimension::Two, Precision::F32) => file.collect::<Vec2>(None).map(drop),
            (Dimension::Two, Precision::F64) => file.collect::<DVec2>(None).map(drop),
            (Dimension::Three, Precision::F32) => file.collect::<Vec3>(None).map(drop),
            (Dimension::Three, Precision::F64) => file.collect::<DVec3>(None).map(drop),
        }?;
        Ok(file)
    }

    /// The number of shapes, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a scene without shapes is not read")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// The name that the scene has for the file of a mesh, by the number of the shape; `None` for other shapes.
    #[must_use]
    pub fn mesh_file(&self, shape: usize) -> Option<&str> {
        let entry = self.shapes.get(shape).filter(|entry| entry.mesh.is_some())?;
        find(&entry.table, "file").and_then(|node| text("file", node).ok())
    }

    /// The mesh of a shape, by the number of the shape, as its file has it; `None` for other shapes.
    #[must_use]
    pub fn mesh(&self, shape: usize) -> Option<&MeshFile> {
        self.shapes.get(shape)?.mesh.as_deref()
    }

    /// The notes of all meshes ([`MeshFile::notes`]), each in one line with the name of the mesh's file.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (shape, mesh) in self.meshes() {
            let file = self.mesh_file(shape).unwrap_or_default();
            notes.extend(mesh.notes().iter().map(|note| format!("{file}: {note}")));
        }
        notes
    }

    /// Welds every mesh of the scene as its file has it, before its transform: see
    /// [`MeshData::weld`](crate::MeshData::weld). The report counts all mesh files together; a file that several shapes use
    /// counts once.
    ///
    /// # Errors
    ///
    /// The errors of [`MeshData::weld`](crate::MeshData::weld), with the shape. The scene is then as it was.
    pub fn weld(&mut self, tolerance: f64) -> Result<WeldReport> {
        let mut total = WeldReport::default();
        let mut welded: Vec<(Arc<MeshFile>, Arc<MeshFile>)> = Vec::new();
        for (shape, mesh) in self.meshes() {
            let mut copy = MeshFile::clone(mesh);
            let report = copy.weld(tolerance).map_err(|error| {
                let error = FieldError { field: Some("file"), ..FieldError::caused(error) };
                self.shapes[shape].fault(error).in_file(&self.path)
            })?;
            total.merged_vertices += report.merged_vertices;
            total.dropped_triangles += report.dropped_triangles;
            welded.push((Arc::clone(mesh), Arc::new(copy)));
        }
        for mesh in self.shapes.iter_mut().filter_map(|entry| entry.mesh.as_mut()) {
            if let Some((_, new)) = welded.iter().find(|(old, _)| Arc::ptr_eq(old, mesh)) {
                *mesh = Arc::clone(new);
            }
        }
        self.precision = precision(&self.shapes);
        Ok(total)
    }

    /// Each mesh once, with the number of the first shape that uses it.
    fn meshes(&self) -> Vec<(usize, &Arc<MeshFile>)> {
        let mut meshes: Vec<(usize, &Arc<MeshFile>)> = Vec::new();
        for (shape, mesh) in self.shapes.iter().enumerate().filter_map(|(i, entry)| Some((i, entry.mesh.as_ref()?))) {
            if !meshes.iter().any(|(_, known)| Arc::ptr_eq(known, mesh)) {
                meshes.push((shape, mesh));
            }
        }
        meshes
    }

    /// The path of the file, as the caller gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// `F32` when every number of the file and of its meshes is exactly an `f32`.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Builds the scene, with numbers rounded to the nearest of the precision.
    ///
    /// # Errors
    ///
    /// The file has another dimension; numbers beyond the range of `f32`.
    pub fn build<V: SceneVector>(&self) -> Result<Scene<V>> {
        self.build_with(Accelerator::Bvh)
    }

    /// Builds the scene with a chosen accelerator: `Accelerator::LinearScan` is the reference for tests.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::build`]: another dimension, numbers beyond the range of `f32`.
    pub fn build_with<V: SceneVector>(&self, accelerator: Accelerator) -> Result<Scene<V>> {
        Ok(self.collect(Some(accelerator))?.build_with(accelerator))
    }

    /// A builder with the shapes of the file, to add others to them.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::build`]: another dimension, numbers beyond the range of `f32`.
    pub fn builder<V: SceneVector>(&self) -> Result<SceneBuilder<V>> {
        self.collect(Some(Accelerator::Bvh))
    }

    /// Collects the objects of all shapes. Without an accelerator, it checks meshes and does not build them.
    fn collect<V: SceneVector>(&self, accelerator: Option<Accelerator>) -> Result<SceneBuilder<V>> {
        if V::DIMENSION != self.dimension {
            let (own, wanted) = (self.dimension.count(), V::DIMENSION.count());
            return Err(Fault::file(format!("the scene has {own} dimensions, not {wanted}")).in_file(&self.path));
        }
        let mut builder = SceneBuilder::new();
        for entry in &self.shapes {
            let object = entry.object::<V>(accelerator);
            let added = object.and_then(|object| builder.insert(object).map_err(FieldError::from));
            added.map_err(|error| entry.fault(error).in_file(&self.path))?;
        }
        Ok(builder)
    }
}

/// The meshes of a scene, by the names that it has for them.
struct Meshes<F> {
    read: F,
    known: HashMap<String, Arc<MeshFile>>,
}

impl<F: FnMut(&str) -> Result<Arc<MeshFile>>> Meshes<F> {
    fn new(read: F) -> Self {
        Self { read, known: HashMap::new() }
    }

    fn get(&mut self, file: &str) -> Result<Arc<MeshFile>> {
        if let Some(mesh) = self.known.get(file) {
            return Ok(Arc::clone(mesh));
        }
        let mesh = (self.read)(file)?;
        self.known.insert(file.to_owned(), Arc::clone(&mesh));
        Ok(mesh)
    }
}

impl Entry {
    fn load(&mut self, meshes: &mut Meshes<impl FnMut(&str) -> Result<Arc<MeshFile>>>) -> Result<(), FieldError> {
        let is_mesh =
            find(&self.table, "type").is_some_and(|kind| matches!(&kind.value, Value::Text(t) if t == "mesh"));
        let Some(node) = find(&self.table, "file").filter(|_| is_mesh) else { return Ok(()) };
        let mesh = meshes
            .get(text("file", node)?)
            .map_err(|error| FieldError { line: node.line, ..FieldError::caused(error) })?;
        self.mesh = Some(mesh);
        Ok(())
    }

    fn object<V: SceneVector>(&self, accelerator: Option<Accelerator>) -> Result<Object<V>, FieldError> {
        let label = Label::read(&self.table)?;
        let fields = Fields::read(&self.table, V::DIMENSION)?.with_mesh(self.mesh.as_deref(), accelerator);
        let object = Object::new(V::read(&fields)?).on_layers(label.layers);
        Ok(match label.name {
            Some(name) => object.named(name),
            None => object,
        })
    }

    fn fault(&self, error: FieldError) -> Fault {
        let field_line = error.field.and_then(|field| Fields::line_of(&self.table, field));
        let name = find(&self.table, "name").and_then(|node| name(node).ok()).map(str::to_owned);
        let place = Place::Shape { shape: self.number, name, line: error.line.or(field_line).or(self.line) };
        match error.source {
            Some(source) => Fault::caused(source).at(place),
            None => Fault::new(place, error.text),
        }
    }
}

/// Reads one shape from a table of TOML, with the keys that it has under `[[shape]]`. Its name and layers are checked, but
/// not returned. `source` is the name of the file in messages; the path of a mesh is relative to its folder.
///
/// # Errors
///
/// The errors of [`SceneFile::open`] for one shape: an unknown, missing or invalid key, a mesh that cannot be read.
pub fn shape_from_table<V: SceneVector>(source: &Path, table: &toml::Table) -> Result<V::Shape> {
    let mut entry = Entry { number: 0, line: None, table: node::from_table(table), mesh: None };
    let folder = source.parent().unwrap_or(Path::new(""));
    let loaded = entry.load(&mut Meshes::new(|file| MeshFile::open(&folder.join(file)).map(Arc::new)));
    let object = loaded.and_then(|()| entry.object::<V>(Some(Accelerator::Bvh)));
    object.map(|object| object.shape().clone()).map_err(|error| entry.fault(error).in_file(source))
}

/// The dimension, and the shapes without their meshes.
fn document(text: &str) -> Result<(Dimension, Vec<Entry>), Fault> {
    let (mut dimension, mut shapes) = (Dimension::Three, Vec::new());
    for (key, node) in node::parse(text)? {
        let fault = |text: String| Err(Fault::new(node.line.map_or(Place::File, Place::Line), text));
        match (key.as_str(), node.value) {
            ("dimension", Value::Integer(2)) => dimension = Dimension::Two,
            ("dimension", Value::Integer(3)) => {}
            ("dimension", _) => return fault("dimension must be 2 or 3".into()),
            ("shape", Value::List(items)) => {
                for (number, Node { value, line }) in (0..).zip(items) {
                    match value {
                        Value::Table(table) => shapes.push(Entry { number, line, table, mesh: None }),
                        other => return fault(format!("shape {number} must be a table, got {}", other.kind())),
                    }
                }
            }
            ("shape", _) => return fault("'shape' must be a list of tables: write [[shape]]".into()),
            _ => return fault(unknown_key(&key, &names(FILE))),
        }
    }
    if shapes.is_empty() { Err(Fault::file("no shapes")) } else { Ok((dimension, shapes)) }
}

fn precision(shapes: &[Entry]) -> Precision {
    let mut narrow = true;
    for entry in shapes {
        let mut each = |x: f64| narrow &= !x.is_finite() || f64::from(x as f32) == x;
        entry.table.iter().for_each(|(_, node)| node.value.numbers(&mut each));
        narrow &= entry.mesh.as_ref().is_none_or(|mesh| mesh.precision() == Precision::F32);
    }
    if narrow { Precision::F32 } else { Precision::F64 }
}

fn not_text(error: &std::string::FromUtf8Error) -> Fault {
    let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = valid.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    Fault::new(Place::Line(line), "not UTF-8 text")
}
