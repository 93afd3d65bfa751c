//! Writing scenes: TOML that reads back as the same scene.

use super::SceneVector;
use crate::error::{Fault, Place, Result};
use crate::mesh::MeshData;
use crate::numbers::Dimension;
use hitscan::math::{Real, Vector};
use hitscan::{Basis, Ellipsoid, Object, Scene, ShapeId};
use std::fmt::Write;
use std::path::Path;

/// A scene as TOML text: [`SceneFile`](super::SceneFile) reads it back as the same scene, number for number.
///
/// Meshes are in files of their own: `mesh_file` gets the number of the shape and its mesh, and returns the name to
/// write down, relative to the folder of the scene; writing that file ([`write_ply`](crate::write_ply)) is up to it.
///
/// # Errors
///
/// Those of `mesh_file`; a kind of shape that scene files have no word for.
pub fn write_scene<V: SceneVector>(
    scene: &Scene<V>,
    mesh_file: impl FnMut(ShapeId, &MeshData) -> Result<String>,
) -> Result<String> {
    let mut mesh_file = mesh_file;
    let mut text = String::new();
    if V::DIMENSION == Dimension::Two {
        text.push_str("dimension = 2\n");
    }
    for (id, object) in (0..).map(ShapeId).zip(scene.objects()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("[[shape]]\n");
        let file = match V::mesh(object.shape()) {
            Some(mesh) => Some(mesh_file(id, &MeshData::from(mesh))?),
            None => None,
        };
        let mut writer = Writer { text: &mut text, file };
        if V::write(object.shape(), &mut writer).is_none() {
            let place = Place::Shape { shape: u64::from(id.0), name: object.name().map(str::to_owned), line: None };
            return Err(Fault::new(place, "a scene file has no word for this shape").in_file(Path::new("scene")));
        }
        writer.label(object);
    }
    Ok(text)
}

/// Type and parameters of one shape, as they stand under `[[shape]]`: `key = value`, line by line. The file of a mesh is
/// left empty. `None` for a kind of shape that scene files have no word for.
pub fn shape_parameters<V: SceneVector>(shape: &V::Shape) -> Option<String> {
    let mut text = String::new();
    V::write(shape, &mut Writer { text: &mut text, file: None })?;
    Some(text)
}

/// Writes one `[[shape]]`, key by key.
pub struct Writer<'a> {
    text: &'a mut String,
    file: Option<String>,
}

impl Writer<'_> {
    fn pair(&mut self, key: &str, value: &str) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{key} = {value}");
        self
    }

    pub(super) fn kind(&mut self, kind: &str) -> &mut Self {
        self.pair("type", &quoted(kind))
    }

    pub(super) fn number<S: Real>(&mut self, key: &str, x: S) -> &mut Self {
        self.pair(key, &decimal(x))
    }

    pub(super) fn point<V: Vector>(&mut self, key: &str, p: V) -> &mut Self {
        self.pair(key, &list(p))
    }

    pub(super) fn points<V: Vector>(&mut self, key: &str, points: &[V]) -> &mut Self {
        let points: Vec<_> = points.iter().map(|p| list(*p)).collect();
        self.pair(key, &format!("[{}]", points.join(", ")))
    }

    pub(super) fn corners<V: Vector>(&mut self, [a, b, c]: [V; 3]) -> &mut Self {
        self.point("a", a).point("b", b).point("c", c)
    }

    pub(super) fn ellipsoid<V: Vector>(&mut self, shape: &Ellipsoid<V>) -> &mut Self {
        let writer = self.point("center", shape.center()).point("radii", shape.radii());
        // As bits: an axis with a -0 is equal to one without, but it is another number.
        let bits = |basis: &Basis<V>| -> Vec<u64> {
            basis.axes().iter().flat_map(|axis| axis.to_xyz().map(|x| x.to_f64().to_bits())).collect()
        };
        let plain = bits(shape.basis()) == bits(&Basis::identity());
        if plain { writer } else { writer.points("axes", shape.basis().axes()) }
    }

    pub(super) fn mesh(&mut self) -> &mut Self {
        let file = quoted(self.file.as_deref().unwrap_or_default());
        self.kind("mesh").pair("file", &file)
    }

    fn label<V: SceneVector>(&mut self, object: &Object<V>) {
        if let Some(name) = object.name() {
            self.pair("name", &quoted(name));
        }
        match (object.layers(), object.layers().trailing_zeros()) {
            (1, _) => {}
            (bits, lowest) if bits.is_power_of_two() => drop(self.pair("layer", &lowest.to_string())),
            (bits, _) => {
                let layers: Vec<_> = (0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
                self.pair("layers", &format!("[{}]", layers.join(", ")));
            }
        }
    }
}

/// The shortest digits that read back as this very number, as an `f64` also for an `f32`.
fn decimal<S: Real>(x: S) -> String {
    let x = x.to_f64();
    let whole = x.fract() == 0.0 && x.abs() < 1e6 && (x != 0.0 || x.is_sign_positive());
    if whole { format!("{x}") } else { format!("{x:?}") }
}

fn list<V: Vector>(v: V) -> String {
    let numbers: Vec<_> = v.to_xyz().into_iter().take(V::DIM).map(decimal).collect();
    format!("[{}]", numbers.join(", "))
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
