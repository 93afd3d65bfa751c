//! Writing scenes: TOML that reads back as the same scene.

use super::SceneVector;
use super::emit::ShapeWriter;
use crate::dimension::Dimension;
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshData;
use hitscan::{ObjectId, Scene};
use std::path::Path;

/// Writes a scene as TOML text: [`SceneFile`](super::SceneFile) reads it back as the same scene, number for number.
///
/// Meshes are in files of their own: `mesh_file` gets the number of the shape and its mesh, writes the file
/// ([`write_ply`](crate::write_ply)), and returns its path relative to the folder of the scene.
///
/// # Errors
///
/// The errors of `mesh_file`; a kind of shape that scene files have no type for.
pub fn write_scene<V: SceneVector>(
    scene: &Scene<V>,
    mesh_file: impl FnMut(ObjectId, &MeshData) -> Result<String>,
) -> Result<String> {
    let mut mesh_file = mesh_file;
    let mut text = String::new();
    if V::DIMENSION == Dimension::Two {
        text.push_str("dimension = 2\n");
    }
    for (number, (id, object)) in (0..).zip(scene.objects()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("[[shape]]\n");
        let file = match V::mesh(object.shape()) {
            Some(mesh) => Some(mesh_file(id, &MeshData::from(mesh))?),
            None => None,
        };
        let mut writer = ShapeWriter { text: &mut text, file };
        if V::write(object.shape(), &mut writer).is_none() {
            let place = Place::Shape { shape: number, name: object.name().map(str::to_owned), line: None };
            return Err(Fault::new(place, "scene files have no type for this shape").in_file(Path::new("scene")));
        }
        writer.label(object);
    }
    Ok(text)
}

/// Writes the type and the parameters of one shape as TOML: lines of `key = value`, as under `[[shape]]`. The file of a mesh
/// is empty. `None` for a kind of shape that scene files have no type for.
#[must_use]
pub fn shape_parameters<V: SceneVector>(shape: &V::Shape) -> Option<String> {
    let mut text = String::new();
    V::write(shape, &mut ShapeWriter { text: &mut text, file: None })?;
    Some(text)
}
