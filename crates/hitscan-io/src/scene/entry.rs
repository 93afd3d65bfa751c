//! The tables of a scene file: shapes, geometries and objects.

use super::SceneVector;
use super::fields::{Fields, Label, Part};
use super::node::{Node, Table, Value, find};
use super::schema::{GROUP, OBJECT, SOLID, names, unknown, unknown_key};
use super::transform::Placement;
use super::values::{FieldError, name, text};
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshFile;
use hitscan::{Accelerator, Group, Object, SceneBuilder, Transform};
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
    /// The shapes and objects of a group or a solid, in the order of the file.
    pub(super) members: Vec<Entry>,
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
        Self { part, number, line, table, mesh: None, geometry: None, members: Vec::new() }
    }

    /// Reads a list of tables; those of a group or a solid have the prefix `geometry.` or `shape.`.
    pub(super) fn list(prefix: &str, part: Part, node: Node) -> Result<Vec<Self>, FieldError> {
        let (key, Node { value, line }) = (part.key(), node);
        let error = |text: String| FieldError { line, ..FieldError::new(text) };
        let Value::List(items) = value else {
            return Err(error(format!("'{key}' must be a list of tables: write [[{prefix}{key}]]")));
        };
        let entry = |(number, Node { value, line })| match value {
            Value::Table(table) => Ok(Self::new(part, number, line, table)),
            other => Err(error(format!("{key} {number} must be a table, got {}", other.kind()))),
        };
        (0..).zip(items).map(entry).collect()
    }

    /// Whether its type has members: shapes and objects of its own.
    pub(super) fn has_members(&self) -> bool {
        self.is_of_type(GROUP) || self.is_of_type(SOLID)
    }

    /// Makes members of the shapes and objects in the table of a group or a solid.
    pub(super) fn take_members(&mut self) -> Result<(), FieldError> {
        if !self.has_members() {
            return Ok(());
        }
        let prefix = format!("{}.", self.part.key());
        for part in [Part::Shape, Part::Object] {
            if let Some(at) = self.table.iter().position(|(key, _)| key == part.key()) {
                self.members.extend(Self::list(&prefix, part, self.table.remove(at).1)?);
            }
        }
        self.members.sort_by_key(|member| member.line);
        for member in &mut self.members {
            let taken = member.take_members();
            taken.map_err(|error| member.in_group(error))?;
        }
        Ok(())
    }

    /// Calls `work` with each of its members, then with itself.
    pub(super) fn visit(
        &mut self,
        work: &mut dyn FnMut(&mut Self) -> Result<(), FieldError>,
    ) -> Result<(), FieldError> {
        for member in &mut self.members {
            let done = member.visit(work);
            done.map_err(|error| member.in_group(error))?;
        }
        work(self)
    }

    /// Adds itself and its members to a list.
    pub(super) fn append_to<'a>(&'a self, list: &mut Vec<&'a Self>) {
        list.push(self);
        self.members.iter().for_each(|member| member.append_to(list));
    }

    /// The geometries that the objects of a group or a solid place, with the lines that name them.
    pub(super) fn placed(&self) -> Vec<(usize, Option<u64>)> {
        let mut list = Vec::new();
        self.append_to(&mut list);
        let line = |entry: &Self| find(&entry.table, "geometry").and_then(|node| node.line);
        list.into_iter().filter_map(|entry| Some((entry.geometry?, line(entry)))).collect()
    }

    /// Whether it has this type.
    pub(super) fn is_of_type(&self, name: &str) -> bool {
        find(&self.table, "type").is_some_and(|kind| matches!(&kind.value, Value::Text(text) if text == name))
    }

    /// Whether it has rules of its own.
    pub(super) fn has_rules(&self) -> bool {
        ["trigger", "faces", "inside"].iter().any(|key| find(&self.table, key).is_some())
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
        let Some(node) = find(&self.table, "file").filter(|_| self.is_of_type("mesh")) else { return Ok(()) };
        let mesh = meshes
            .get(text("file", node)?)
            .map_err(|error| FieldError { line: node.line, ..FieldError::caused(error) })?;
        self.mesh = Some(mesh);
        Ok(())
    }

    /// Finds the geometry that an object places, by its name.
    pub(super) fn resolve(&mut self, geometries: &HashMap<String, usize>) -> Result<(), FieldError> {
        if self.part != Part::Object {
            return Ok(());
        }
        let known = names(OBJECT);
        if let Some((key, value)) = self.table.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            return Err(FieldError::at(value, unknown_key(key, &known)));
        }
        let node = find(&self.table, "geometry").ok_or_else(|| FieldError::new("missing 'geometry'"))?;
        let wanted = text("geometry", node)?;
        self.geometry = Some(*geometries.get(wanted).ok_or_else(|| {
            let mut known: Vec<&str> = geometries.keys().map(String::as_str).collect();
            known.sort_unstable();
            FieldError::at(node, unknown("geometry", wanted, &known))
        })?);
        Ok(())
    }

    /// The shape of a `[[shape]]` or `[[geometry]]`, and the transform that its parameters cannot take up. `geometries` has
    /// the shapes of those that a group or a solid places.
    pub(super) fn shape<V: SceneVector>(
        &self,
        geometries: &HashMap<usize, V::Shape>,
        accelerator: Option<Accelerator>,
    ) -> Result<(V::Shape, Option<Transform<V>>), FieldError> {
        let fields = Fields::read(&self.table, self.part, V::DIMENSION)?.with_mesh(self.mesh.as_deref(), accelerator);
        let transform = fields.instance.map(|map| map.place()).transpose()?;
        let shape = match fields.kind {
            GROUP => self.group(geometries, accelerator)?.into(),
            SOLID => self.solid(geometries, accelerator)?.into(),
            _ => V::read(&fields)?,
        };
        Ok((shape, transform))
    }

    /// The group of its members.
    fn group<V: SceneVector>(
        &self,
        geometries: &HashMap<usize, V::Shape>,
        accelerator: Option<Accelerator>,
    ) -> Result<Group<V>, FieldError> {
        if !cfg!(feature = "groups") {
            return Err(FieldError::new("this program reads no groups: place their shapes directly"));
        }
        let mut builder = SceneBuilder::new();
        for member in &self.members {
            member.add_to(&mut builder, geometries, accelerator).map_err(|error| member.in_group(error))?;
        }
        // A check needs no tree.
        let scene = builder.build_with(accelerator.unwrap_or(Accelerator::LinearScan));
        Group::new(scene).map_err(FieldError::caused)
    }

    /// Adds the object to a scene.
    pub(super) fn add_to<V: SceneVector>(
        &self,
        builder: &mut SceneBuilder<V>,
        geometries: &HashMap<usize, V::Shape>,
        accelerator: Option<Accelerator>,
    ) -> Result<(), FieldError> {
        let (shape, transform) = self.placed_shape(geometries, accelerator)?;
        builder.insert(self.object(shape, transform)?)?;
        Ok(())
    }

    /// The shape of an object or of a `[[shape]]`, and the transform that places it.
    pub(super) fn placed_shape<V: SceneVector>(
        &self,
        geometries: &HashMap<usize, V::Shape>,
        accelerator: Option<Accelerator>,
    ) -> Result<(V::Shape, Option<Transform<V>>), FieldError> {
        match self.geometry.and_then(|geometry| geometries.get(&geometry)) {
            Some(shape) => Ok((shape.clone(), self.transform()?)),
            None => self.shape(geometries, accelerator),
        }
    }

    /// The transform of an `[[object]]`, rounded once.
    fn transform<V: SceneVector>(&self) -> Result<Option<Transform<V>>, FieldError> {
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

    /// The line of an error, if it is known.
    fn line_of(&self, error: &FieldError) -> Option<u64> {
        let of_field = || find(&self.table, error.field?)?.line;
        error.line.or_else(of_field)
    }

    /// The error of a member as one of its group or solid, which names the member.
    pub(super) fn in_group(&self, error: FieldError) -> FieldError {
        let name = self.name().map_or(String::new(), |name| format!(" '{name}'"));
        let text = format!("{} {}{name}: {}", self.part.key(), self.number, error.text);
        FieldError { line: self.line_of(&error).or(self.line), field: None, text, ..error }
    }

    pub(super) fn fault(&self, error: FieldError) -> Fault {
        let place = self.place(self.line_of(&error));
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
