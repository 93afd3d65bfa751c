//! The tables of a TOML document, in order, with the geometries that objects place.

use super::entry::Entry;
use super::fields::Part;
use super::layer_names::LayerNames;
use super::node::{self, Node, Value, find};
use super::schema::{FILE, names, unknown_key};
use super::values::{FieldError, name};
use crate::dimension::Dimension;
use crate::error::{Fault, Place};
use std::collections::HashMap;

/// A scene without its meshes.
pub(super) struct Document {
    pub(super) dimension: Dimension,
    pub(super) layers: LayerNames,
    pub(super) geometries: Vec<Entry>,
    /// Shapes and objects, in the order of the file.
    pub(super) objects: Vec<Entry>,
}

impl Document {
    /// Reads a text.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let (mut dimension, mut layers) = (Dimension::Three, LayerNames::default());
        let (mut geometries, mut objects) = (Vec::new(), Vec::new());
        for (key, node) in node::parse(text)? {
            let at = |line: Option<u64>| line.map_or(Place::File, Place::Line);
            let fault = |text: &str| Err(Fault::new(at(node.line), text.to_owned()));
            if key == "layers" {
                layers = LayerNames::read(&node).map_err(|error| Fault::new(at(error.line), error.text))?;
                continue;
            }
            match (key.as_str(), node.value) {
                ("dimension", Value::Integer(2)) => dimension = Dimension::Two,
                ("dimension", Value::Integer(3)) => {}
                ("dimension", _) => return fault("dimension must be 2 or 3"),
                ("shape" | "object" | "geometry", Value::List(items)) => {
                    let (part, list) = match key.as_str() {
                        "shape" => (Part::Shape, &mut objects),
                        "object" => (Part::Object, &mut objects),
                        _ => (Part::Geometry, &mut geometries),
                    };
                    for (number, Node { value, line }) in (0..).zip(items) {
                        match value {
                            Value::Table(table) => list.push(Entry::new(part, number, line, table)),
                            other => return fault(&format!("{key} {number} must be a table, got {}", other.kind())),
                        }
                    }
                }
                ("shape" | "object" | "geometry", _) => {
                    return fault(&format!("'{key}' must be a list of tables: write [[{key}]]"));
                }
                _ => return fault(&unknown_key(&key, &names(FILE))),
            }
        }
        match (objects.is_empty(), geometries.is_empty()) {
            (true, true) => Err(Fault::file("no shapes")),
            (true, false) => Err(Fault::file("no shapes: a [[geometry]] needs an [[object]] that places it")),
            (false, _) => {
                // Shapes and objects may alternate; each list is in the order of its lines already.
                objects.sort_by_key(|entry| entry.line);
                Self { dimension, layers, geometries, objects }.resolved()
            }
        }
    }

    /// The same, with the number of the geometry of each object, and with numbers in place of names of layers.
    fn resolved(mut self) -> Result<Self, Fault> {
        let mut by_name = HashMap::new();
        for (number, entry) in self.geometries.iter().enumerate() {
            let named = find(&entry.table, "name").ok_or_else(|| FieldError::new("missing 'name'")).and_then(name);
            let named = named.map_err(|error| entry.fault(error))?;
            if by_name.insert(named, number).is_some() {
                return Err(entry.fault(FieldError::of("name", format!("two geometries are named '{named}'"))));
            }
        }
        for entry in self.objects.iter_mut().filter(|entry| entry.part == Part::Object) {
            entry.resolve(&by_name).map_err(|error| entry.fault(error))?;
        }
        for entry in &mut self.objects {
            self.layers.resolve(&mut entry.table).map_err(|error| entry.fault(error))?;
        }
        Ok(self)
    }
}
