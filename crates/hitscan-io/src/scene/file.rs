//! A scene file, read and checked.

use super::SceneVector;
use super::document::Document;
use super::entry::{Entry, Meshes, pair, stem};
use super::fields::Part;
use super::groups::{build_order, check_nesting, placed_by_solids};
use super::layer_names::LayerNames;
use super::node::{self, Value};
use super::saved::SavedScene;
use super::schema::{GROUP, SOLID};
use super::solids::LeafName;
use super::values::FieldError;
use super::write::SceneNames;
use crate::dimension::{Dimension, Precision};
use crate::error::{Error, Fault, Place, Result};
use crate::mesh::{EXTENSIONS, KNOWN_EXTENSIONS, MeshFile, WeldReport, refuse_foreign};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Accelerator, Object, Scene, SceneBuilder};
use std::collections::{HashMap, HashSet};
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
    layers: LayerNames,
    /// Shapes that objects place.
    geometries: Vec<Entry>,
    /// Shapes and objects.
    objects: Vec<Entry>,
    /// A saved scene, in place of tables.
    saved: Option<SavedScene>,
    /// Notes about the file itself, each in one line.
    notes: Vec<String>,
}

impl SceneFile {
    /// Reads a `.toml` file and the meshes it names; or a mesh file, which is a scene of one shape named like the
    /// file; or a glTF file: each mesh of it is a geometry, and each node with a mesh is an object. A saved mesh
    /// (`.hitmesh`) that is not transformed keeps its BVH where the scene is built in its precision. A saved scene
    /// (`.hitscene`) keeps its BVHs and the ids of its objects; it can be built in its own precision only.
    ///
    /// # Errors
    ///
    /// One line with the file, the shape and the line of the first error. A file without errors can be [built](Self::build)
    /// in its own [precision](Self::precision).
    pub fn open(path: &Path) -> Result<Self> {
        match extension(path).as_str() {
            "gltf" | "glb" => Self::of_gltf(path),
            _ => Self::open_baked(path),
        }
    }

    /// Reads a scene like [`open`](Self::open), and a glTF as one mesh, with all nodes joined.
    ///
    /// # Errors
    ///
    /// Those of [`Self::open`].
    pub fn open_baked(path: &Path) -> Result<Self> {
        match extension(path).as_str() {
            "toml" => {
                let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
                refuse_foreign(&bytes).map_err(|fault| fault.in_file(path))?;
                let text = String::from_utf8(bytes).map_err(|error| not_text(&error).in_file(path))?;
                Self::parse(path, &text)
            }
            "hitscene" => Self::of_saved(path),
            extension if EXTENSIONS.contains(&extension) => Self::of_mesh(path),
            _ => Err(Fault::file(format!("unknown scene format (known are .toml, .hitscene, {KNOWN_EXTENSIONS})"))
                .in_file(path)),
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
        let mut document = Document::parse(text).map_err(|fault| fault.in_file(path))?;
        for entry in document.geometries.iter_mut().chain(&mut document.objects) {
            let loaded = entry.visit(&mut |entry| entry.load(meshes));
            loaded.map_err(|error| entry.fault(error).in_file(path))?;
        }
        let mut file = Self::checked(path, document)?;
        let used = file.used_geometries();
        let unused = file.geometries.iter().enumerate().filter(|(number, _)| !used.contains(number));
        let note = |(_, entry): (usize, &Entry)| {
            format!("{}: {}: no [[object]] places it (remove it, or add one)", path.display(), entry.place(None))
        };
        file.notes = unused.map(note).collect();
        Ok(file)
    }

    fn of_mesh(path: &Path) -> Result<Self> {
        let mesh = Some(Arc::new(MeshFile::open(path)?));
        let mut table =
            vec![pair("type", Value::Text("mesh".into())), pair("file", Value::Text(path.display().to_string()))];
        table.extend(stem(path).map(|stem| pair("name", Value::Text(stem))));
        let objects = vec![Entry { mesh, ..Entry::new(Part::Shape, 0, None, table) }];
        let (dimension, layers, geometries) = (Dimension::Three, LayerNames::default(), Vec::new());
        Self::checked(path, Document { dimension, layers, geometries, objects })
    }

    fn of_gltf(path: &Path) -> Result<Self> {
        let (document, notes) = super::gltf::document(path)?;
        Ok(Self { notes, ..Self::checked(path, document)? })
    }

    fn of_saved(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        let scene = refuse_foreign(&bytes).and_then(|()| SavedScene::parse(&bytes));
        let scene = scene.map_err(|fault| fault.in_file(path))?;
        let (dimension, precision) = (scene.dimension(), scene.precision());
        let (layers, geometries, objects, notes) = Default::default();
        let (path, saved) = (path.to_owned(), Some(scene));
        Ok(Self { path, dimension, precision, layers, geometries, objects, saved, notes })
    }

    fn checked(path: &Path, document: Document) -> Result<Self> {
        let Document { dimension, layers, geometries, objects } = document;
        let (path, saved, notes) = (path.to_owned(), None, Vec::new());
        let mut file = Self { path, dimension, precision: Precision::F32, layers, geometries, objects, saved, notes };
        file.precision = precision(&file.tables());
        let precision = file.precision;
        match (dimension, precision) {
            (Dimension::Two, Precision::F32) => file.collect::<Vec2>(None).map(drop),
            (Dimension::Two, Precision::F64) => file.collect::<DVec2>(None).map(drop),
            (Dimension::Three, Precision::F32) => file.collect::<Vec3>(None).map(drop),
            (Dimension::Three, Precision::F64) => file.collect::<DVec3>(None).map(drop),
        }?;
        Ok(file)
    }

    /// The number of objects, at least one; a `[[shape]]` is an object with a shape of its own.
    #[expect(clippy::len_without_is_empty, reason = "a scene without shapes is not read")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.saved.as_ref().map_or(self.objects.len(), SavedScene::len)
    }

    /// The number of the geometry that an object places, by the number of the object; `None` for a `[[shape]]`.
    #[must_use]
    pub fn geometry(&self, object: usize) -> Option<usize> {
        self.objects.get(object)?.geometry
    }

    /// The number of each object among those of its geometry, from 0; `None` for a `[[shape]]`. `None` as a whole if there is
    /// no geometry that an object places: such a scene needs no columns of objects in a table of hits.
    #[must_use]
    pub fn instances(&self) -> Option<Vec<Option<u32>>> {
        let mut counts: HashMap<usize, u32> = HashMap::new();
        let mut next = |geometry: usize| {
            let count = counts.entry(geometry).or_default();
            *count += 1;
            *count - 1
        };
        let instances: Vec<_> = self.objects.iter().map(|entry| entry.geometry.map(&mut next)).collect();
        instances.iter().any(Option::is_some).then_some(instances)
    }

    /// What the scene has that the ray lab cannot show, and what to do about it.
    #[must_use]
    pub fn lab_problem(&self) -> Option<&'static str> {
        let tables = self.tables();
        if tables.iter().any(|entry| entry.is_of_type(GROUP)) {
            return Some("the lab has no groups: place their shapes directly");
        }
        if tables.iter().any(|entry| entry.is_of_type(SOLID)) {
            return Some("the lab has no solids of several shapes: `hitscan explain` and `hitscan render` have them");
        }
        let has = |kind: &str| tables.iter().any(|entry| entry.is_of_type(kind));
        if ["quad", "convex_hull", "prism"].into_iter().any(has) {
            return Some("the lab has no quads, hulls and prisms: `hitscan explain` and `hitscan render` have them");
        }
        let has_rules = tables.iter().any(|entry| entry.has_rules());
        has_rules.then_some("the lab has no `trigger`, and no `faces` and `inside` of a shape: leave them out")
    }

    /// The names of the leaves of the solid that an object is or places, in the order of their numbers, by the number of the
    /// object; `None` for other shapes.
    #[must_use]
    pub fn leaf_names(&self, object: usize) -> Option<Vec<LeafName>> {
        self.entry_of_shape(object)?.leaf_names(&self.geometries, self.dimension)
    }

    /// The names that the scene has for the files of its meshes, each once.
    #[must_use]
    pub fn mesh_files(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let files = self.tables().into_iter().filter_map(Entry::mesh_file);
        files.filter(|file| seen.insert(*file)).collect()
    }

    /// The names of the geometries, in the order of their numbers.
    pub fn geometry_names(&self) -> impl Iterator<Item = &str> {
        self.geometries.iter().map(|entry| entry.name().unwrap_or_default())
    }

    /// The name that the scene has for the file of a mesh, by the number of the object; `None` for other shapes.
    #[must_use]
    pub fn mesh_file(&self, object: usize) -> Option<&str> {
        self.entry_of_shape(object)?.mesh_file()
    }

    /// The mesh of an object, by the number of the object, as its file has it; `None` for other shapes.
    #[must_use]
    pub fn mesh(&self, object: usize) -> Option<&MeshFile> {
        self.entry_of_shape(object)?.mesh.as_deref()
    }

    /// The tables of geometries and objects, each before its members.
    fn tables(&self) -> Vec<&Entry> {
        let mut tables = Vec::with_capacity(self.geometries.len() + self.objects.len());
        self.geometries.iter().chain(&self.objects).for_each(|entry| entry.append_to(&mut tables));
        tables
    }

    /// The numbers of the geometries that an object of the scene, of a group or of a solid places.
    fn used_geometries(&self) -> HashSet<usize> {
        self.tables().into_iter().filter_map(|entry| entry.geometry).collect()
    }

    /// The table with the shape of an object.
    fn entry_of_shape(&self, object: usize) -> Option<&Entry> {
        let entry = self.objects.get(object)?;
        entry.geometry.map_or(Some(entry), |geometry| self.geometries.get(geometry))
    }

    /// The notes of all meshes ([`MeshFile::notes`]), of geometries that no object places, and of nodes of a glTF that are
    /// left out: each in one line with the name of its file.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        for entry in self.meshes() {
            let file = entry.mesh_file().unwrap_or_default();
            notes.extend(entry.mesh.iter().flat_map(|mesh| mesh.notes()).map(|note| format!("{file}: {note}")));
        }
        notes
    }

    /// Welds every mesh of the scene as its file has it, before its transform: see
    /// [`MeshData::weld`](crate::MeshData::weld). The report counts all mesh files together; a file that several shapes use
    /// counts once.
    ///
    /// # Errors
    ///
    /// The errors of [`MeshData::weld`](crate::MeshData::weld), with the shape; a saved scene. The scene is then as it was.
    pub fn weld(&mut self, tolerance: f64) -> Result<WeldReport> {
        if self.saved.is_some() {
            let text = "a saved scene keeps its meshes as they are: weld the files that it was made of";
            return Err(Fault::file(text).in_file(&self.path));
        }
        let mut total = WeldReport::default();
        let mut welded: Vec<(Arc<MeshFile>, Arc<MeshFile>)> = Vec::new();
        for entry in self.meshes() {
            let Some(mesh) = &entry.mesh else { continue };
            let mut copy = MeshFile::clone(mesh);
            let report = copy.weld(tolerance).map_err(|error| {
                let error = FieldError { field: Some("file"), ..FieldError::caused(error) };
                entry.fault(error).in_file(&self.path)
            })?;
            total.merged_vertices += report.merged_vertices;
            total.dropped_triangles += report.dropped_triangles;
            welded.push((Arc::clone(mesh), Arc::new(copy)));
        }
        let mut replace = |entry: &mut Entry| {
            if let Some(mesh) = &mut entry.mesh
                && let Some((_, new)) = welded.iter().find(|(old, _)| Arc::ptr_eq(old, mesh))
            {
                *mesh = Arc::clone(new);
            }
            Ok(())
        };
        for entry in self.geometries.iter_mut().chain(&mut self.objects) {
            entry.visit(&mut replace).map_err(|error| entry.fault(error).in_file(&self.path))?;
        }
        self.precision = precision(&self.tables());
        Ok(total)
    }

    /// The first table with each mesh.
    fn meshes(&self) -> Vec<&Entry> {
        let mut seen = HashSet::new();
        let tables = self.tables().into_iter();
        tables.filter(|entry| entry.mesh.as_ref().is_some_and(|mesh| seen.insert(Arc::as_ptr(mesh)))).collect()
    }

    /// The path of the file, as the caller gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of layers: those of a TOML file, for other files have none.
    #[must_use]
    pub fn layer_names(&self) -> &LayerNames {
        &self.layers
    }

    /// The names of layers, of the geometries of objects and of members of groups, and of the leaves of solids.
    #[must_use]
    pub fn names(&self) -> SceneNames {
        let name = |entry: &Entry| Some(self.geometries.get(entry.geometry?)?.name()?.to_owned());
        let members = |entry: &Entry| Some((entry.name()?.to_owned(), entry.members.iter().map(name).collect()));
        let geometry_leaves =
            |entry: &Entry| Some((entry.name()?.to_owned(), entry.leaf_names(&self.geometries, self.dimension)?));
        SceneNames {
            layers: self.layers.clone(),
            geometries: self.objects.iter().map(name).collect(),
            members: self.geometries.iter().filter(|entry| entry.is_of_type(GROUP)).filter_map(members).collect(),
            leaves: (0..self.objects.len()).map(|object| self.leaf_names(object)).collect(),
            geometry_leaves: self.geometries.iter().filter_map(geometry_leaves).collect(),
        }
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// `F32` when every number of the file and of its meshes is exactly an `f32`. That of a saved scene is that of its type.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The precision of a saved scene, which has no other one; `None` for other files.
    #[must_use]
    pub fn saved_precision(&self) -> Option<Precision> {
        self.saved.as_ref().map(SavedScene::precision)
    }

    /// Builds the scene, with numbers rounded to the nearest of the precision.
    ///
    /// # Errors
    ///
    /// The file has another dimension; numbers beyond the range of `f32`; a saved scene of another precision.
    pub fn build<V: SceneVector>(&self) -> Result<Scene<V>> {
        self.build_with(Accelerator::Bvh)
    }

    /// Builds the scene with a chosen accelerator: `Accelerator::LinearScan` is the reference for tests.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::build`]: another dimension, numbers beyond the range of `f32`.
    pub fn build_with<V: SceneVector>(&self, accelerator: Accelerator) -> Result<Scene<V>> {
        if let Some(saved) = &self.saved {
            self.check_dimension::<V>()?;
            return saved.build(accelerator).map_err(|fault| fault.in_file(&self.path));
        }
        Ok(self.collect(Some(accelerator))?.build_with(accelerator))
    }

    /// A builder with the shapes of the file, to add others to them. Ids are 0, 1, 2 and so on, those of a saved scene, too.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::build`]: another dimension, numbers beyond the range of `f32`.
    pub fn builder<V: SceneVector>(&self) -> Result<SceneBuilder<V>> {
        self.collect(Some(Accelerator::Bvh))
    }

    fn check_dimension<V: SceneVector>(&self) -> Result<()> {
        if V::DIMENSION == self.dimension {
            return Ok(());
        }
        let (own, wanted) = (self.dimension.count(), V::DIMENSION.count());
        Err(Fault::file(format!("the scene has {own} dimensions, not {wanted}")).in_file(&self.path))
    }

    /// Collects the objects. Without an accelerator, it checks meshes and does not build them.
    fn collect<V: SceneVector>(&self, accelerator: Option<Accelerator>) -> Result<SceneBuilder<V>> {
        self.check_dimension::<V>()?;
        if let Some(saved) = &self.saved {
            return saved.builder().map_err(|fault| fault.in_file(&self.path));
        }
        let fault = |entry: &Entry, error: FieldError| entry.fault(error).in_file(&self.path);
        // One shape for all objects of a geometry: they share a mesh. A geometry without objects is checked only.
        let used = self.used_geometries();
        // A check of a solid needs to know which of its meshes are closed.
        let in_solids = placed_by_solids(&self.geometries, &self.tables());
        let mut shapes: HashMap<usize, V::Shape> = HashMap::new();
        for number in build_order(&self.geometries).map_err(|fault| fault.in_file(&self.path))? {
            if accelerator.is_none() || used.contains(&number) {
                let entry = &self.geometries[number];
                let linear = in_solids.contains(&number).then_some(Accelerator::LinearScan);
                let shape = entry.shape::<V>(&shapes, accelerator.or(linear));
                let (shape, _) = shape.map_err(|error| fault(entry, error))?;
                shapes.insert(number, shape);
            }
        }
        let mut builder = SceneBuilder::new();
        for entry in &self.objects {
            entry.add_to(&mut builder, &shapes, accelerator).map_err(|error| fault(entry, error))?;
        }
        Ok(builder)
    }
}

/// Reads one shape from a table of TOML, with the keys that it has under `[[shape]]`. Its name and layers are checked, but
/// not returned. `source` is the name of the file in messages; the path of a mesh is relative to its folder.
///
/// # Errors
///
/// The errors of [`SceneFile::open`] for one shape: an unknown, missing or invalid key, a mesh that cannot be read, a transform whose image is no shape
/// of the same type.
pub fn shape_from_table<V: SceneVector>(source: &Path, table: &toml::Table) -> Result<V::Shape> {
    let mut entry = Entry::new(Part::Shape, 0, None, node::from_table(table));
    let folder = source.parent().unwrap_or(Path::new(""));
    let mut meshes = Meshes::new(|file| MeshFile::open(&folder.join(file)).map(Arc::new));
    let loaded = entry.take_members().and_then(|()| {
        entry.visit(&mut |entry| {
            entry.resolve(&HashMap::new())?;
            entry.load(&mut meshes)
        })
    });
    if loaded.is_ok() {
        let nesting = check_nesting(&[], &[], std::slice::from_ref(&entry), V::DIMENSION);
        nesting.map_err(|fault| fault.in_file(source))?;
    }
    let object = loaded.and_then(|()| {
        let (shape, transform) = entry.shape::<V>(&HashMap::new(), Some(Accelerator::Bvh))?;
        entry.object(shape, transform)
    });
    let shape = object.and_then(|object: Object<V>| match object.transform() {
        Some(_) => Err(FieldError::of("transform", "'transform': the image is of no type (only a scene can hold it)")),
        None => Ok(object.shape().clone()),
    });
    shape.map_err(|error| entry.fault(error).in_file(source))
}

fn precision(entries: &[&Entry]) -> Precision {
    let mut narrow = true;
    for entry in entries {
        let mut each = |x: f64| narrow &= !x.is_finite() || f64::from(x as f32) == x;
        entry.table.iter().for_each(|(_, node)| node.value.numbers(&mut each));
        narrow &= entry.mesh.as_ref().is_none_or(|mesh| mesh.precision() == Precision::F32);
    }
    if narrow { Precision::F32 } else { Precision::F64 }
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn not_text(error: &std::string::FromUtf8Error) -> Fault {
    let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = valid.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    Fault::new(Place::Line(line), "not UTF-8 text")
}
