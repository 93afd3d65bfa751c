//! Writing scenes: TOML that reads back as the same scene.

use super::SceneVector;
use super::emit::{ShapeWriter, layer_table};
use super::layer_names::LayerNames;
use crate::dimension::Dimension;
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshData;
use hitscan::{Object, ObjectId, Scene, TriangleMesh};
use std::collections::HashMap;
use std::path::Path;

/// Writes a scene as TOML text: [`SceneFile`](super::SceneFile) reads it back as the same scene, number for number.
///
/// An object with a transform, and each of several objects that share a mesh, becomes an `[[object]]`; its shape becomes a
/// `[[geometry]]`, which equal shapes and a shared mesh have in common. Every other object becomes a `[[shape]]`.
///
/// Meshes are in files of their own: `mesh_file` gets each mesh once, with the number of the first object that has it,
/// writes the file ([`write_ply`](crate::write_ply)), and returns its path relative to the folder of the scene.
///
/// # Errors
///
/// The errors of `mesh_file`; a kind of shape that scene files have no type for.
pub fn write_scene<V: SceneVector>(
    scene: &Scene<V>,
    mesh_file: impl FnMut(ObjectId, &MeshData) -> Result<String>,
) -> Result<String> {
    write_scene_with_layers(scene, &LayerNames::default(), mesh_file)
}

/// Writes a scene like [`write_scene`], with names of layers.
///
/// # Errors
///
/// Those of [`write_scene`].
pub fn write_scene_with_layers<V: SceneVector>(
    scene: &Scene<V>,
    layers: &LayerNames,
    mesh_file: impl FnMut(ObjectId, &MeshData) -> Result<String>,
) -> Result<String> {
    let mut writer = SceneWriter { mesh_file, files: HashMap::new(), geometries: HashMap::new() };
    let mut text = String::new();
    if V::DIMENSION == Dimension::Two {
        text.push_str("dimension = 2\n");
    }
    begin(&mut text, &layer_table(layers));
    let uses = uses(scene);
    for (id, object) in scene.objects() {
        let shape = writer.shape(id, object)?;
        let is_shared = V::mesh(object.shape()).is_some_and(|mesh| uses[&std::ptr::from_ref(mesh)] > 1);
        match object.transform().is_some() || is_shared {
            true => writer.object(&mut text, &shape, object),
            false => table(&mut text, "shape", &shape),
        }
        ShapeWriter { text: &mut text, file: None }.label(object, layers);
    }
    Ok(text)
}

/// The number of objects that have each mesh.
fn uses<V: SceneVector>(scene: &Scene<V>) -> HashMap<*const TriangleMesh<V::InSpace>, usize> {
    let mut uses = HashMap::new();
    for mesh in scene.objects().filter_map(|(_, object)| V::mesh(object.shape())) {
        *uses.entry(std::ptr::from_ref(mesh)).or_default() += 1;
    }
    uses
}

/// Begins a table, after a blank line.
fn table(text: &mut String, name: &str, keys: &str) {
    begin(text, &format!("[[{name}]]\n{keys}"));
}

/// Appends a table, if there is one, after a blank line.
fn begin(text: &mut String, table: &str) {
    if !text.is_empty() && !table.is_empty() {
        text.push('\n');
    }
    text.push_str(table);
}

struct SceneWriter<V: SceneVector, F> {
    mesh_file: F,
    /// The files of the meshes.
    files: HashMap<*const TriangleMesh<V::InSpace>, String>,
    /// The names of the geometries by their keys.
    geometries: HashMap<String, String>,
}

impl<V: SceneVector, F: FnMut(ObjectId, &MeshData) -> Result<String>> SceneWriter<V, F> {
    /// The keys of a shape.
    fn shape(&mut self, id: ObjectId, object: &Object<V>) -> Result<String> {
        let mut file = None;
        if let Some(mesh) = V::mesh(object.shape()) {
            let known = self.files.get(&std::ptr::from_ref(mesh)).cloned();
            let name = known.map_or_else(|| (self.mesh_file)(id, &MeshData::from(mesh)), Ok)?;
            self.files.insert(mesh, name.clone());
            file = Some(name);
        }
        let mut text = String::new();
        if V::write(object.shape(), &mut ShapeWriter { text: &mut text, file }).is_none() {
            let place = Place::Shape { shape: id.index() as u64, name: object.name().map(str::to_owned), line: None };
            return Err(Fault::new(place, "scene files have no type for this shape").in_file(Path::new("scene")));
        }
        Ok(text)
    }

    /// Writes an object, and before it its geometry unless that is written.
    fn object(&mut self, text: &mut String, shape: &str, object: &Object<V>) {
        let number = self.geometries.len();
        let name = self.geometries.entry(shape.to_owned()).or_insert_with(|| {
            let name = format!("geometry-{number}");
            table(text, "geometry", shape);
            ShapeWriter { text, file: None }.name(&name);
            name
        });
        table(text, "object", "");
        let mut writer = ShapeWriter { text, file: None };
        writer.geometry(name);
        if let Some(transform) = object.transform() {
            writer.transform(transform);
        }
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
