//! Values of keys as numbers and vectors.

use super::node::{Node, Value};
use crate::dimension::Dimension;
use crate::error::{Source, quoted};
use hitscan::{Real, SceneError, ShapeError, TransformError};

/// The error of a shape's table, with its line if it is not the error of the whole shape.
#[derive(Debug)]
pub struct FieldError {
    pub(super) line: Option<u64>,
    pub(super) text: String,
    /// The parameter, while its line is not known.
    pub(super) field: Option<&'static str>,
    pub(super) source: Option<Source>,
}

impl FieldError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { line: None, text: text.into(), field: None, source: None }
    }

    pub(super) fn at(node: &Node, text: impl Into<String>) -> Self {
        Self { line: node.line, ..Self::new(text) }
    }

    /// The error of a parameter whose line the table knows.
    pub(super) fn of(field: &'static str, text: impl Into<String>) -> Self {
        Self { field: Some(field), ..Self::new(text) }
    }

    /// An error of the library or of another file.
    pub(super) fn caused(source: impl Into<Source>) -> Self {
        let source = source.into();
        let text = source.to_string();
        Self { source: Some(source), ..Self::new(text) }
    }
}

impl From<ShapeError> for FieldError {
    fn from(error: ShapeError) -> Self {
        Self { field: Some(error.field), ..Self::caused(error) }
    }
}

impl From<SceneError> for FieldError {
    fn from(error: SceneError) -> Self {
        Self { field: Some("name"), ..Self::caused(error) }
    }
}

impl From<TransformError> for FieldError {
    fn from(error: TransformError) -> Self {
        let text = match error {
            TransformError::Singular => format!("{error} (every axis needs an image of its own)"),
            error => error.to_string(),
        };
        Self { field: Some("transform"), text, ..Self::caused(error) }
    }
}

/// A finite number. Whole ones have to be exact: at most 2^53.
pub(super) fn number(key: &str, node: &Node) -> Result<f64, FieldError> {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    match node.value {
        Value::Float(x) if x.is_finite() => Ok(x),
        Value::Float(_) => Err(FieldError::at(node, format!("{key} must be finite"))),
        Value::Integer(i) if i.unsigned_abs() <= EXACT => Ok(i as f64),
        Value::Integer(i) => Err(FieldError::at(
            node,
            format!("'{key}' has {i}: whole numbers beyond 2^53 may not be exact (write {i}.0 for the nearest)"),
        )),
        _ => Err(FieldError::at(node, format!("'{key}' needs a number, got {}", node.value.kind()))),
    }
}

/// The nearest number of the precision.
pub(super) fn narrow<S: Real>(key: &str, x: f64) -> Result<S, String> {
    let narrow = S::from_f64(x);
    if narrow.is_finite() {
        return Ok(narrow);
    }
    let precision = if S::MAX.to_f64() < f64::MAX { "f32" } else { "f64" };
    Err(format!("{key} is too large for {precision}"))
}

/// A vector: as many numbers as there are dimensions; z = 0 in the plane.
pub(super) fn vector(key: &str, node: &Node, dimension: Dimension) -> Result<[f64; 3], FieldError> {
    let count = dimension.count();
    let count_error = |got: &str| FieldError::at(node, format!("'{key}' needs {count} numbers, got {got}"));
    let Value::List(items) = &node.value else { return Err(count_error(node.value.kind())) };
    if items.len() != count {
        return Err(count_error(&items.len().to_string()));
    }
    let mut vector = [0.0; 3];
    for (component, item) in vector.iter_mut().zip(items) {
        *component = number(key, item)?;
    }
    Ok(vector)
}

/// Any number of vectors.
pub(super) fn list<'a>(key: &str, node: &'a Node) -> Result<&'a [Node], FieldError> {
    match &node.value {
        Value::List(items) => Ok(items),
        other => Err(FieldError::at(node, format!("'{key}' needs a list of lists of points, got {}", other.kind()))),
    }
}

pub(super) fn vectors(key: &str, node: &Node, dimension: Dimension) -> Result<Vec<[f64; 3]>, FieldError> {
    let Value::List(items) = &node.value else {
        return Err(FieldError::at(node, format!("'{key}' needs a list of points, got {}", node.value.kind())));
    };
    items.iter().map(|item| vector(key, item, dimension)).collect()
}

pub(super) fn text<'a>(key: &str, node: &'a Node) -> Result<&'a str, FieldError> {
    match &node.value {
        Value::Text(text) => Ok(text),
        other => Err(FieldError::at(node, format!("'{key}' needs a string, got {}", other.kind()))),
    }
}

/// True or false.
pub(super) fn boolean(key: &str, node: &Node) -> Result<bool, FieldError> {
    match node.value {
        Value::Boolean(value) => Ok(value),
        _ => Err(FieldError::at(node, format!("'{key}' needs true or false, got {}", node.value.kind()))),
    }
}

/// The value of a word.
pub(super) fn word<T: Copy>(key: &str, node: &Node, words: &[(&str, T)]) -> Result<T, FieldError> {
    let given = text(key, node)?;
    words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        FieldError::at(node, format!("'{key}': {}", super::schema::unknown("word", given, &known)))
    })
}

/// The number of a layer.
pub(super) fn layer_number(key: &str, node: &Node) -> Result<u32, FieldError> {
    match node.value {
        Value::Integer(number @ 0..=31) => Ok(number as u32),
        Value::Integer(other) => Err(FieldError::at(node, format!("'{key}' has {other}: layers are 0 to 31"))),
        Value::Float(_) => {
            Err(FieldError::at(node, format!("'{key}' needs whole numbers from 0 to 31, got a fraction")))
        }
        _ => Err(FieldError::at(node, format!("'{key}' needs whole numbers from 0 to 31, got {}", node.value.kind()))),
    }
}

/// The bit of a layer, from its number.
fn layer(key: &str, node: &Node) -> Result<u32, FieldError> {
    layer_number(key, node).map(|number| 1 << number)
}

/// The bits of the layers of a shape.
pub(super) fn layers(one: Option<&Node>, several: Option<&Node>) -> Result<u32, FieldError> {
    match (one, several) {
        (None, None) => Ok(1),
        (Some(node), None) => layer("layer", node),
        (Some(_), Some(node)) => Err(FieldError::at(node, "'layer' and 'layers' cannot both be given")),
        (None, Some(node)) => match &node.value {
            Value::List(items) if items.is_empty() => Err(FieldError::at(node, "'layers' needs at least one layer")),
            Value::List(items) => items.iter().try_fold(0, |bits, item| Ok(bits | layer("layers", item)?)),
            other => Err(FieldError::at(node, format!("'layers' needs a list, got {}", other.kind()))),
        },
    }
}

/// A table whose keys are all known.
pub(super) fn table<'a>(key: &str, node: &'a Node, known: &[&str]) -> Result<&'a [(String, Node)], FieldError> {
    let Value::Table(table) = &node.value else {
        return Err(FieldError::at(node, format!("'{key}' needs a table, got {}", node.value.kind())));
    };
    match table.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        None => Ok(table),
        Some((name, value)) => {
            Err(FieldError::at(value, format!("'{key}': {}", super::schema::unknown_key(name, known))))
        }
    }
}

/// A name: one line of text, not blank.
pub(super) fn name(node: &Node) -> Result<&str, FieldError> {
    let name = text("name", node)?;
    if name.trim().is_empty() {
        return Err(FieldError::at(node, "'name' must not be empty"));
    }
    if name.chars().any(char::is_control) {
        return Err(FieldError::at(node, format!("'name' must be one line of text, got {}", quoted(name.as_bytes()))));
    }
    Ok(name)
}
