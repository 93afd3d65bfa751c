//! Names of layers: the table `[layers]` of a scene file.

use super::node::{Node, Table, Value};
use super::schema::unknown;
use super::values::{FieldError, layer_number};
use crate::error::quoted;

/// The names of layers in a scene file, each with its number from 0 to 31, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct LayerNames(Vec<(String, u32)>);

impl LayerNames {
    /// Reads the table `[layers]`.
    pub(super) fn read(node: &Node) -> Result<Self, FieldError> {
        let Value::Table(table) = &node.value else {
            let got = node.value.kind();
            return Err(FieldError::at(node, format!("'layers' needs a table of names and numbers, got {got}")));
        };
        let mut names = Self::default();
        for (name, node) in table {
            // `--layers` divides names by commas, and takes a number for the layer itself.
            let fits = !name.is_empty() && name.trim() == name && name.parse::<f64>().is_err();
            if !fits || name.contains(|c: char| c == ',' || c.is_control()) {
                let rule = "needs one line of text, which is no number and has no comma";
                return Err(FieldError::at(
                    node,
                    format!("the name of a layer {rule}, got {}", quoted(name.as_bytes())),
                ));
            }
            let number = layer_number(name, node)?;
            if let Some(other) = names.name(number) {
                return Err(FieldError::at(node, format!("'{other}' and '{name}' are both layer {number}: drop one")));
            }
            names.0.push((name.clone(), number));
        }
        Ok(names)
    }

    /// Replaces the names in `layer` and `layers` by their numbers.
    pub(super) fn resolve(&self, table: &mut Table) -> Result<(), FieldError> {
        for (_, node) in table.iter_mut().filter(|(key, _)| matches!(key.as_str(), "layer" | "layers")) {
            let nodes = match &mut node.value {
                Value::List(items) => &mut items[..],
                _ => std::slice::from_mut(node),
            };
            for node in nodes {
                if let Value::Text(name) = &node.value {
                    let number = self.find(name).map_err(|text| FieldError::at(node, text))?;
                    node.value = Value::Integer(number.into());
                }
            }
        }
        Ok(())
    }

    /// The number of the layer with this name.
    ///
    /// # Errors
    ///
    /// A name that no layer has: one line with the known ones.
    pub fn find(&self, name: &str) -> Result<u32, String> {
        let found = self.iter().find(|(known, _)| *known == name).map(|(_, number)| number);
        found.ok_or_else(|| match &self.0[..] {
            [] => format!("unknown layer {} (the scene names no layers: use 0 to 31)", quoted(name.as_bytes())),
            names => unknown("layer", name, &names.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>()),
        })
    }

    /// The name of a layer; `None` for one without a name.
    #[must_use]
    pub fn name(&self, number: u32) -> Option<&str> {
        self.iter().find(|(_, known)| *known == number).map(|(name, _)| name)
    }

    /// The names with their numbers, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.0.iter().map(|(name, number)| (&name[..], *number))
    }
}
