//! The tables of a TOML document, in order, with the geometries that objects place.

use super::entry::Entry;
use super::fields::Part;
use super::groups::{build_order, check_nesting};
use super::layer_names::LayerNames;
use super::node::{self, Value, find};
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
            let at = |error: FieldError| Fault::new(error.line.map_or(Place::File, Place::Line), error.text);
            let list = |part, node| Entry::list("", part, node).map_err(at);
            match (key.as_str(), &node.value) {
                ("dimension", Value::Integer(2)) => dimension = Dimension::Two,
                ("dimension", Value::Integer(3)) => {}
                ("dimension", _) => return Err(at(FieldError::at(&node, "dimension must be 2 or 3"))),
                ("layers", _) => layers = LayerNames::read(&node).map_err(at)?,
                ("shape", _) => objects.extend(list(Part::Shape, node)?),
                ("object", _) => objects.extend(list(Part::Object, node)?),
                ("geometry", _) => geometries = list(Part::Geometry, node)?,
                _ => return Err(at(FieldError::at(&node, unknown_key(&key, &names(FILE))))),
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

    /// The same with the members of groups and solids, the number of the geometry of each object, and numbers in place of names of
    /// layers.
    fn resolved(mut self) -> Result<Self, Fault> {
        let mut by_name = HashMap::new();
        for (number, entry) in self.geometries.iter().enumerate() {
            let named = find(&entry.table, "name").ok_or_else(|| FieldError::new("missing 'name'")).and_then(name);
            let named = named.map_err(|error| entry.fault(error))?;
            if by_name.insert(named.to_owned(), number).is_some() {
                return Err(entry.fault(FieldError::of("name", format!("two geometries are named '{named}'"))));
            }
        }
        let Self { layers, geometries, objects, .. } = &mut self;
        for entry in geometries.iter_mut().chain(objects) {
            let resolved = entry.take_members().and_then(|()| {
                entry.visit(&mut |entry| {
                    if entry.part != Part::Geometry {
                        layers.resolve(&mut entry.table)?;
                    }
                    entry.resolve(&by_name)
                })
            });
            resolved.map_err(|error| entry.fault(error))?;
        }
        let order = build_order(&self.geometries)?;
        check_nesting(&self.geometries, &order, &self.objects, self.dimension)?;
        Ok(self)
    }
}
