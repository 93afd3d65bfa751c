//! Writing scenes: TOML that reads back as the same scene.

use super::SceneVector;
use super::emit::{ShapeWriter, layer_table};
use super::layer_names::LayerNames;
use super::schema::GROUP;
use crate::dimension::Dimension;
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshData;
use hitscan::{Object, ObjectId, Scene, TriangleMesh, Vector3};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Writes a scene as TOML text: [`SceneFile`](super::SceneFile) reads it back as the same scene, number for number.
///
/// An object with a transform or a group, and each of several objects that share a mesh, becomes an `[[object]]`; its shape
/// becomes a `[[geometry]]`, which equal shapes, a shared mesh and a shared group have in common. Every other object becomes
/// a `[[shape]]`.
///
/// Meshes are in files of their own: `mesh_file` gets each mesh once, with the number of the first object that has it or whose
/// group has it, writes the file ([`write_ply`](crate::write_ply)), and returns its path relative to the folder of the scene.
///
/// # Errors
///
/// The errors of `mesh_file`; a kind of shape that scene files have no type for.
pub fn write_scene<V: SceneVector>(
    scene: &Scene<V>,
    mesh_file: impl FnMut(ObjectId, &MeshData) -> Result<String>,
) -> Result<String> {
    write_scene_with_names(scene, &SceneNames::default(), mesh_file)
}

/// The files of meshes that a scene of TOML names, without reading them; none where there is no such scene.
#[must_use]
pub fn mesh_files_named_in(scene: &Path) -> BTreeSet<String> {
    fn collect(value: toml::Value, files: &mut BTreeSet<String>) {
        match value {
            toml::Value::Array(values) => values.into_iter().for_each(|value| collect(value, files)),
            toml::Value::Table(table) => table.into_iter().for_each(|(key, value)| match value {
                toml::Value::String(file) if key == "file" => drop(files.insert(file)),
                value => collect(value, files),
            }),
            _ => {}
        }
    }
    let mut files = BTreeSet::new();
    let text = std::fs::read_to_string(scene).unwrap_or_default();
    collect(toml::Value::Table(text.parse().unwrap_or_default()), &mut files);
    files
}

/// Names that a scene file has and a [`Scene`] has not: see [`SceneFile::names`](super::SceneFile::names).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SceneNames {
    /// The names of layers.
    pub layers: LayerNames,
    /// The name of the geometry of each object, by the number of the object.
    pub geometries: Vec<Option<String>>,
    /// For each group that is a geometry with a name, the name of the geometry of each member.
    pub members: HashMap<String, Vec<Option<String>>>,
}

impl SceneNames {
    /// All names of geometries, some of them more than once.
    pub fn all_geometries(&self) -> impl Iterator<Item = &str> {
        self.geometries.iter().chain(self.members.values().flatten()).flatten().map(String::as_str)
    }
}

/// Writes a scene like [`write_scene`], with names of layers and geometries. Of equal geometries, the name of the first one is
/// kept.
///
/// # Errors
///
/// Those of [`write_scene`].
pub fn write_scene_with_names<V: SceneVector>(
    scene: &Scene<V>,
    names: &SceneNames,
    mesh_file: impl FnMut(ObjectId, &MeshData) -> Result<String>,
) -> Result<String> {
    let mut text = if V::DIMENSION == Dimension::Two { "dimension = 2\n".to_owned() } else { String::new() };
    begin(&mut text, &layer_table(&names.layers));
    let mut uses = Uses::default();
    uses.count::<V>(scene.objects());
    let (files, groups, geometries) = Default::default();
    let mut writer = SceneWriter { text, names, mesh_file, uses, files, groups, geometries };
    for (id, object) in scene.objects() {
        let own = names.geometries.get(id.index()).and_then(Option::as_deref);
        let table = writer.object("", id, object, own)?;
        begin(&mut writer.text, &table);
    }
    Ok(writer.text)
}

/// The number of objects that have each mesh, by its address; those of a group count once.
#[derive(Default)]
struct Uses {
    meshes: HashMap<usize, usize>,
    groups: HashSet<usize>,
}

impl Uses {
    fn count<'a, V: SceneVector>(&mut self, objects: impl Iterator<Item = (ObjectId, &'a Object<V>)>) {
        let mut shapes: Vec<&V::Shape> = objects.map(|(_, object)| object.shape()).collect();
        while let Some(shape) = shapes.pop() {
            if let Some(mesh) = V::mesh(shape) {
                *self.meshes.entry(address(mesh)).or_default() += 1;
            }
            if let Some(group) = V::as_group(shape)
                && self.groups.insert(group.address())
            {
                shapes.extend(group.objects().map(|(_, object)| object.shape()));
            }
        }
    }
}

fn address<V: Vector3>(mesh: &TriangleMesh<V>) -> usize {
    std::ptr::from_ref(mesh).addr()
}

/// Appends a table, if there is one, after a blank line.
fn begin(text: &mut String, table: &str) {
    if !text.is_empty() && !table.is_empty() {
        text.push('\n');
    }
    text.push_str(table);
}

struct SceneWriter<'a, F> {
    /// The finished tables.
    text: String,
    names: &'a SceneNames,
    mesh_file: F,
    uses: Uses,
    /// The files of the meshes, by their addresses.
    files: HashMap<usize, String>,
    /// The names of the geometries of groups, by their addresses.
    groups: HashMap<usize, String>,
    /// The names of the geometries, by their keys and members.
    geometries: HashMap<String, String>,
}

impl<F: FnMut(ObjectId, &MeshData) -> Result<String>> SceneWriter<'_, F> {
    /// The table of an object, `[[shape]]` or `[[object]]` behind a prefix; its geometry is in the text then. `id` is the
    /// object of the scene, for an object of a group the one that places the group; `own` is the name of its geometry.
    fn object<V: SceneVector>(
        &mut self,
        prefix: &str,
        id: ObjectId,
        object: &Object<V>,
        own: Option<&str>,
    ) -> Result<String> {
        let shape = object.shape();
        let is_shared = V::mesh(shape).is_some_and(|mesh| self.uses.meshes.get(&address(mesh)).is_some_and(|n| *n > 1));
        let mut text;
        if V::as_group(shape).is_some() || object.transform().is_some() || is_shared || own.is_some() {
            let name = self.geometry(id, object, own)?;
            text = format!("[[{prefix}object]]\n");
            ShapeWriter { text: &mut text, file: None }.geometry(&name);
        } else {
            let keys = self.shape(id, object)?;
            text = format!("[[{prefix}shape]]\n{keys}");
        }
        let mut writer = ShapeWriter { text: &mut text, file: None };
        if let Some(transform) = object.transform() {
            writer.transform(transform);
        }
        writer.label(object, &self.names.layers);
        Ok(text)
    }

    /// The name of the geometry of an object, which is written unless it is in the text; `own` if no other geometry has that name.
    fn geometry<V: SceneVector>(&mut self, id: ObjectId, object: &Object<V>, own: Option<&str>) -> Result<String> {
        let group = V::as_group(object.shape());
        let (mut keys, mut members) = (String::new(), String::new());
        if let Some(group) = group {
            if let Some(name) = self.groups.get(&group.address()) {
                return Ok(name.clone());
            }
            ShapeWriter { text: &mut keys, file: None }.kind(GROUP);
            // The geometries of the members come first: a member is a part of the last geometry.
            let mut names = own.and_then(|own| self.names.members.get(own)).into_iter().flatten();
            for (_, member) in group.objects() {
                members.push('\n');
                members.push_str(&self.object("geometry.", id, member, names.next().and_then(Option::as_deref))?);
            }
        } else {
            keys = self.shape(id, object)?;
        }
        let content = format!("{keys}{members}");
        let name = match self.geometries.get(&content) {
            Some(name) => name.clone(),
            None => {
                let is_free = |name: &&str| !self.geometries.values().any(|taken| taken == *name);
                let name = own.filter(is_free).map_or_else(|| self.new_name(), str::to_owned);
                ShapeWriter { text: &mut keys, file: None }.name(&name);
                begin(&mut self.text, &format!("[[geometry]]\n{keys}{members}"));
                self.geometries.insert(content, name.clone());
                name
            }
        };
        if let Some(group) = group {
            self.groups.insert(group.address(), name.clone());
        }
        Ok(name)
    }

    /// A name that no geometry has.
    fn new_name(&self) -> String {
        let is_taken = |name: &String| {
            self.names.all_geometries().chain(self.geometries.values().map(String::as_str)).any(|taken| taken == name)
        };
        let mut number = self.geometries.len();
        loop {
            let name = format!("geometry-{number}");
            if !is_taken(&name) {
                return name;
            }
            number += 1;
        }
    }

    /// The keys of a shape.
    fn shape<V: SceneVector>(&mut self, id: ObjectId, object: &Object<V>) -> Result<String> {
        let mut file = None;
        if let Some(mesh) = V::mesh(object.shape()) {
            let known = self.files.get(&address(mesh)).cloned();
            let name = known.map_or_else(|| (self.mesh_file)(id, &MeshData::from(mesh)), Ok)?;
            self.files.insert(address(mesh), name.clone());
            file = Some(name);
        }
        let mut text = String::new();
        if V::write(object.shape(), &mut ShapeWriter { text: &mut text, file }).is_none() {
            let place = Place::Shape { shape: id.index() as u64, name: object.name().map(str::to_owned), line: None };
            return Err(Fault::new(place, "scene files have no type for this shape").in_file(Path::new("scene")));
        }
        Ok(text)
    }
}

/// Writes the type and the parameters of one shape as TOML: lines of `key = value`, as under `[[shape]]`. The file of a mesh
/// is empty. `None` for a kind of shape that scene files have no type for.
#[must_use]
pub fn shape_parameters<V: SceneVector>(shape: &V::Shape) -> Option<String> {
    let mut text = String::new();
    V::write(shape, &mut ShapeWriter { text: &mut text, file: None })?;
    Some(text)
}
