//! glTF files as scenes: each mesh is a geometry, each node with a mesh an object.

use super::document::Document;
use super::entry::{Entry, pair, stem};
use super::fields::Part;
use super::layer_names::LayerNames;
use super::node::{Node, Table, Value};
use crate::dimension::Dimension;
use crate::error::{Fault, Result};
use crate::mesh::{GltfNode, MeshScene};
use hitscan::glam::DVec3;
use hitscan::{Transform, TransformError};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The tables of a glTF, and notes about what is not read and nodes that are left out, each in one line with the name of the file.
pub(super) fn document(path: &Path) -> Result<(Document, Vec<String>)> {
    let MeshScene { meshes, nodes, notes } = MeshScene::open(path)?;
    let file = path.display().to_string();
    let mut notes: Vec<String> = notes.into_iter().map(|note| format!("{file}: {note}")).collect();
    let mut names = Names::default();
    let geometries = (0..).zip(meshes).map(|(number, (name, mesh))| {
        let own = names.own(name.as_deref(), number);
        let name = own.or_else(|| names.own(Some(&format!("mesh-{number}")), number)).unwrap_or_default();
        let table = vec![pair("type", text("mesh")), pair("file", text(&file)), pair("name", Value::Text(name))];
        Entry { mesh: Some(Arc::new(mesh)), ..Entry::new(Part::Geometry, number, None, table) }
    });
    let geometries = geometries.collect();
    let (mut names, mut objects) = (Names::default(), Vec::new());
    let alone = nodes.len() == 1;
    for node in nodes {
        let called = node.name.as_ref().map_or(String::new(), |name| format!(" '{name}'"));
        let called = format!("node {}{called}", node.number).replace(char::is_control, " ");
        match Transform::new(node.axes.map(DVec3::from), DVec3::from(node.translation)) {
            Ok(_) => {}
            Err(TransformError::Singular) => {
                notes.push(format!("{file}: {called} is left out: its transform is singular (a scale of 0?)"));
                continue;
            }
            Err(error) => return Err(Fault::file(format!("{called}: {error}")).in_file(path)),
        }
        let number = objects.len() as u64;
        let mut table = vec![pair("transform", transform(&node))];
        let name = names.own(node.name.as_deref(), number).or_else(|| stem(path).filter(|_| alone));
        table.extend(name.map(|name| pair("name", Value::Text(name))));
        objects.push(Entry { geometry: Some(node.mesh), ..Entry::new(Part::Object, number, None, table) });
    }
    if objects.is_empty() {
        return Err(Fault::file("the transforms of all its nodes are singular").in_file(path));
    }
    let layers = LayerNames::default();
    Ok((Document { dimension: Dimension::Three, layers, geometries, objects }, notes))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// `{ matrix = [[a, b, c, tx], …] }`.
fn transform(node: &GltfNode) -> Value {
    let GltfNode { axes: [x, y, z], translation, .. } = node;
    let list = |values: Vec<Value>| Value::List(values.into_iter().map(|value| Node { value, line: None }).collect());
    let row = |i: usize| list([x, y, z, translation].map(|column| Value::Float(column[i])).into());
    let table: Table = vec![pair("matrix", list([0, 1, 2].map(row).into()))];
    Value::Table(table)
}

/// Names that were given, which are unlike each other.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    /// The name in one line, with its number where another thing has the same; `None` for a blank one.
    fn own(&mut self, name: Option<&str>, number: u64) -> Option<String> {
        let mut name = name?.replace(char::is_control, " ");
        if name.trim().is_empty() {
            return None;
        }
        if self.0.contains(&name) {
            name = format!("{name}-{number}");
        }
        while !self.0.insert(name.clone()) {
            name.push('\'');
        }
        Some(name)
    }
}
