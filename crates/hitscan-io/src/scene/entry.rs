//! The tables of a scene file: shapes, geometries and objects.

use super::SceneVector;
use super::fields::{Fields, Label, Part};
use super::node::{Node, Table, Value, find};
use super::schema::{OBJECT, names, unknown, unknown_key};
use super::transform::Placement;
use super::values::{FieldError, name, text};
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshFile;
use hitscan::{Accelerator, Object, Transform};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A `[[shape]]`, a `[[geometry]]` or an `[[object]]`.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) part: Part,
    /// Its number among the tables of its kind.
    pub(super) number: u64,
    pub(super) line: Option<u64>,
    pub(super) table: Table,
    pub(super) mesh: Option<Arc<MeshFile>>,
    /// The number of the geometry that an object places.
    pub(super) geometry: Option<usize>,
}

/// The meshes of a scene, by the names that it has for them.
pub(super) struct Meshes<F> {
    read: F,
    known: HashMap<String, Arc<MeshFile>>,
}

impl<F: FnMut(&str) -> Result<Arc<MeshFile>>> Meshes<F> {
    pub(super) fn new(read: F) -> Self {
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
    pub(super) fn new(part: Part, number: u64, line: Option<u64>, table: Table) -> Self {
        Self { part, number, line, table, mesh: None, geometry: None }
    }

    /// Its name, if it has a valid one.
    pub(super) fn name(&self) -> Option<&str> {
        find(&self.table, "name").and_then(|node| name(node).ok())
    }

    /// The name that the scene has for the file of its mesh.
    pub(super) fn mesh_file(&self) -> Option<&str> {
        find(&self.table, "file").filter(|_| self.mesh.is_some()).and_then(|node| text("file", node).ok())
    }

    /// Reads the mesh that it names.
    pub(super) fn load(
        &mut self,
        meshes: &mut Meshes<impl FnMut(&str) -> Result<Arc<MeshFile>>>,
    ) -> Result<(), FieldError> {
        let is_mesh =
            find(&self.table, "type").is_some_and(|kind| matches!(&kind.value, Value::Text(t) if t == "mesh"));
        let Some(node) = find(&self.table, "file").filter(|_| is_mesh) else { return Ok(()) };
        let mesh = meshes
            .get(text("file", node)?)
            .map_err(|error| FieldError { line: node.line, ..FieldError::caused(error) })?;
        self.mesh = Some(mesh);
        Ok(())
    }

    /// Finds the geometry that an object places, by its name.
    pub(super) fn resolve(&mut self, geometries: &HashMap<&str, usize>) -> Result<(), FieldError> {
        let known = names(OBJECT);
        if let Some((key, value)) = self.table.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            return Err(FieldError::at(value, unknown_key(key, &known)));
        }
        let node = find(&self.table, "geometry").ok_or_else(|| FieldError::new("missing 'geometry'"))?;
        let wanted = text("geometry", node)?;
        self.geometry = Some(*geometries.get(wanted).ok_or_else(|| {
            let mut known: Vec<&str> = geometries.keys().copied().collect();
            known.sort_unstable();
            FieldError::at(node, unknown("geometry", wanted, &known))
        })?);
        Ok(())
    }

    /// The shape of a `[[shape]]` or `[[geometry]]`, and the transform that its parameters cannot take up.
    pub(super) fn shape<V: SceneVector>(
        &self,
        accelerator: Option<Accelerator>,
    ) -> Result<(V::Shape, Option<Transform<V>>), FieldError> {
        let fields = Fields::read(&self.table, self.part, V::DIMENSION)?.with_mesh(self.mesh.as_deref(), accelerator);
        let transform = fields.instance.map(|map| map.place()).transpose()?;
        Ok((V::read(&fields)?, transform))
    }

    /// The transform of an `[[object]]`, rounded once.
    pub(super) fn transform<V: SceneVector>(&self) -> Result<Option<Transform<V>>, FieldError> {
        let Some(node) = find(&self.table, "transform") else { return Ok(None) };
        Placement::read(node, V::DIMENSION)?.affine_map().place().map(Some)
    }

    /// The object with its name, layers and rules.
    pub(super) fn object<V: SceneVector>(
        &self,
        shape: V::Shape,
        transform: Option<Transform<V>>,
    ) -> Result<Object<V>, FieldError> {
        let Label { name, layers, is_trigger, faces, inside } = Label::read(&self.table)?;
        let mut object = Object::new(shape).on_layers(layers);
        if let Some(transform) = transform {
            object = object.with_transform(transform);
        }
        if let Some(name) = name {
            object = object.named(name);
        }
        if let Some(faces) = faces {
            object = object.with_faces(faces);
        }
        if let Some(inside) = inside {
            object = object.with_inside(inside);
        }
        Ok(if is_trigger { object.as_trigger() } else { object })
    }

    /// The place of an error on a line, or on that of the whole table.
    pub(super) fn place(&self, line: Option<u64>) -> Place {
        let (number, name, line) = (self.number, self.name().map(str::to_owned), line.or(self.line));
        match self.part {
            Part::Shape => Place::Shape { shape: number, name, line },
            Part::Geometry => Place::Geometry { geometry: number, name, line },
            Part::Object => Place::Object { object: number, name, line },
        }
    }

    pub(super) fn fault(&self, error: FieldError) -> Fault {
        let field_line = error.field.and_then(|field| find(&self.table, field)).and_then(|node| node.line);
        let place = self.place(error.line.or(field_line));
        match error.source {
            Some(source) => Fault::caused(source).with_text(error.text).at(place),
            None => Fault::new(place, error.text),
        }
    }
}

/// A pair of a table that did not come from text.
pub(super) fn pair(key: &str, value: Value) -> (String, Node) {
    (key.to_owned(), Node { value, line: None })
}

/// The name of a file without its extension, in one line; `None` if it is blank.
pub(super) fn stem(path: &Path) -> Option<String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().replace(char::is_control, " ");
    (!stem.trim().is_empty()).then_some(stem)
}
