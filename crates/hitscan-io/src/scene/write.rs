//! Writing scenes: TOML that reads back as the same scene.

use super::SceneVector;
use super::emit::{ShapeWriter, layer_table};
use super::expression::{can_be_named, named_expression};
use super::layer_names::LayerNames;
use super::schema::{GROUP, SOLID};
use super::solids::LeafName;
use crate::dimension::Dimension;
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshData;
use hitscan::{Group, Instance, Object, ObjectId, Scene, Shape, Solid, TriangleMesh, Vector3};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Writes a scene as TOML text: [`SceneFile`](super::SceneFile) reads it back as the same scene, number for number.
///
/// An object with a transform, a group or a solid, and each of several objects that share a mesh, becomes an `[[object]]`; its
/// shape becomes a `[[geometry]]`, which equal shapes, a shared mesh, a shared group and a shared solid have in common. Every
/// other object becomes a `[[shape]]`.
///
/// Meshes are in files of their own: `mesh_file` gets each mesh once, with the number of the first object that has it or whose
/// group or solid has it, writes the file ([`write_ply`](crate::write_ply)), and returns its path relative to the folder of the scene.
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
    /// The names of the leaves of each object that is a solid, by the number of the object.
    pub leaves: Vec<Option<Vec<LeafName>>>,
    /// For each solid that is a geometry with a name, the names of its leaves.
    pub geometry_leaves: HashMap<String, Vec<LeafName>>,
}

impl SceneNames {
    /// All names of leaves of solids, some of them more than once.
    pub fn all_leaves(&self) -> impl Iterator<Item = &str> {
        self.each_leaf().map(|leaf| &leaf.name[..])
    }

    fn each_leaf(&self) -> impl Iterator<Item = &LeafName> {
        self.leaves.iter().flatten().chain(self.geometry_leaves.values()).flatten()
    }

    /// All names of geometries, some of them more than once.
    pub fn all_geometries(&self) -> impl Iterator<Item = &str> {
        let placed = self.geometries.iter().chain(self.members.values().flatten());
        placed.chain(self.each_leaf().map(|leaf| &leaf.geometry)).flatten().map(String::as_str)
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

/// The number of objects that have each mesh, by its address; those of a group or a solid count once.
#[derive(Default)]
struct Uses {
    meshes: HashMap<usize, usize>,
    /// The groups and solids that have been counted, by their addresses.
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
            if let Some(solid) = V::as_solid(shape)
                && self.groups.insert(solid.address())
            {
                shapes.extend(solid.leaves().map(Instance::shape));
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
    /// The names of the geometries of groups and solids, by their addresses.
    groups: HashMap<usize, String>,
    /// The names of the geometries, by their keys and members.
    geometries: HashMap<String, String>,
}

impl<F: FnMut(ObjectId, &MeshData) -> Result<String>> SceneWriter<'_, F> {
    /// The table of an object, `[[shape]]` or `[[object]]` behind a prefix; its geometry is in the text then. `id` is the
    /// object of the scene, for an object of a group or a solid the one that places it; `own` is the name of its geometry.
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
        let has_members = V::as_group(shape).is_some() || V::as_solid(shape).is_some();
        if has_members || object.transform().is_some() || is_shared || own.is_some() {
            let names = self.names;
            // The leaves of a solid within a solid are not those of the object.
            let of_object = || names.leaves.get(id.index()).and_then(Option::as_ref).filter(|_| prefix.is_empty());
            let leaves = own.and_then(|own| names.geometry_leaves.get(own)).or_else(of_object);
            let name = self.geometry(id, object, own, leaves.map(Vec::as_slice))?;
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
    /// `leaves` are the names of the leaves of a solid.
    fn geometry<V: SceneVector>(
        &mut self,
        id: ObjectId,
        object: &Object<V>,
        own: Option<&str>,
        leaves: Option<&[LeafName]>,
    ) -> Result<String> {
        let (group, solid) = (V::as_group(object.shape()), V::as_solid(object.shape()));
        let address = group.map(Group::address).or(solid.map(Solid::address));
        if let Some(name) = address.and_then(|address| self.groups.get(&address)) {
            return Ok(name.clone());
        }
        let (mut keys, mut members) = (String::new(), String::new());
        if let Some(solid) = solid {
            (keys, members) = self.solid(id, solid, leaves)?;
        } else if let Some(group) = group {
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
        if let Some(address) = address {
            self.groups.insert(address, name.clone());
        }
        Ok(name)
    }

    /// The keys of a solid and the tables of its members.
    fn solid<V: SceneVector>(
        &mut self,
        id: ObjectId,
        solid: &Solid<V>,
        leaves: Option<&[LeafName]>,
    ) -> Result<(String, String)> {
        // A name for each leaf, or none.
        let known = leaves.filter(|leaves| leaves.len() == solid.len());
        // A leaf is a member, unless an equal one with its name is.
        let (mut tables, mut called, mut members) = (HashMap::new(), Vec::new(), String::new());
        for (number, leaf) in solid.leaves().enumerate() {
            let own = known.map(|leaves| &leaves[number]);
            let mut object = Object::new(leaf.shape().clone());
            if let Some(transform) = leaf.transform() {
                object = object.with_transform(*transform);
            }
            let table = self.object("geometry.", id, &object, own.and_then(|own| own.geometry.as_deref()))?;
            let mut name = match own {
                Some(own) if can_be_named(&own.name) => own.name.clone(),
                _ => format!("{}_{number}", leaf.shape().name()),
            };
            while tables.get(&name).is_some_and(|other| *other != table) {
                name.push('_');
            }
            if !tables.contains_key(&name) {
                members.push_str(&format!("\n{table}"));
                ShapeWriter { text: &mut members, file: None }.name(&name);
                tables.insert(name.clone(), table);
            }
            called.push(name);
        }
        let mut keys = String::new();
        let expression = named_expression(&solid.expression(), &called);
        ShapeWriter { text: &mut keys, file: None }.kind(SOLID).expression(&expression);
        Ok((keys, members))
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
