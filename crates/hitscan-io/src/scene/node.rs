//! A TOML document as a tree of values with their lines.

use crate::error::{Fault, Place};
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    /// From 1; `None` when it did not come from text.
    pub(super) line: Option<u64>,
}

/// A value of TOML.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Float(f64),
    Integer(i64),
    Boolean(bool),
    Text(String),
    List(Vec<Node>),
    Table(Table),
    /// A value of a type that no key has, by the name of the type: `a date`.
    Other(&'static str),
}

/// Keys and values in the order of the file.
pub(super) type Table = Vec<(String, Node)>;

/// The value of a key.
pub(super) fn find<'a>(table: &'a [(String, Node)], key: &str) -> Option<&'a Node> {
    table.iter().find(|(name, _)| name == key).map(|(_, node)| node)
}

impl Value {
    /// The name of its type, for "needs a number, got …".
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Float(_) | Self::Integer(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Other(kind) => kind,
        }
    }

    /// Every number in it.
    pub(super) fn numbers(&self, each: &mut impl FnMut(f64)) {
        match self {
            Self::Float(x) => each(*x),
            Self::Integer(i) => each(*i as f64),
            Self::List(nodes) => nodes.iter().for_each(|node| node.value.numbers(each)),
            Self::Table(table) => table.iter().for_each(|(_, node)| node.value.numbers(each)),
            Self::Boolean(_) | Self::Text(_) | Self::Other(_) => {}
        }
    }
}

/// Parses a document.
pub(super) fn parse(text: &str) -> Result<Table, Fault> {
    let lines = LineNumbers::of(text);
    let document = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or(Place::File, |span| lines.character(text, span.start));
        let text = error.message().to_owned();
        Fault::caused(error).with_text(text).at(place)
    })?;
    Ok(lines.table(document.into_inner()))
}

/// A table that was parsed elsewhere.
pub(super) fn from_table(table: &toml::Table) -> Table {
    table.iter().map(|(key, value)| (key.clone(), Node { value: from_value(value), line: None })).collect()
}

fn from_value(value: &toml::Value) -> Value {
    match value {
        toml::Value::Float(x) => Value::Float(*x),
        toml::Value::Integer(i) => Value::Integer(*i),
        toml::Value::String(text) => Value::Text(text.clone()),
        toml::Value::Array(list) => {
            Value::List(list.iter().map(|value| Node { value: from_value(value), line: None }).collect())
        }
        toml::Value::Table(table) => Value::Table(from_table(table)),
        toml::Value::Boolean(value) => Value::Boolean(*value),
        toml::Value::Datetime(_) => Value::Other(DATE),
    }
}

const DATE: &str = "a date";
const TOO_LARGE: &str = "a number too large";

/// Offsets of the beginnings of the lines of a text.
struct LineNumbers(Vec<usize>);

impl LineNumbers {
    fn of(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(after_breaks).collect())
    }

    fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }

    fn character(&self, text: &str, offset: usize) -> Place {
        let line = self.line(offset);
        let before = text.get(self.0[line - 1]..offset).unwrap_or_default();
        Place::Character { line: line as u64, column: before.chars().count() as u64 + 1 }
    }

    /// Converts a value of the parser. Takes it by value: the parser's tree is freed as this one grows, so a long document
    /// is never in memory twice.
    fn node(&self, value: DeValue<'_>, offset: usize) -> Node {
        let value = match value {
            DeValue::Float(x) => match x.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() || x.as_str().ends_with(['f', 'n']) => Value::Float(number),
                _ => Value::Other(TOO_LARGE),
            },
            DeValue::Integer(i) => {
                i64::from_str_radix(i.as_str(), i.radix()).map_or(Value::Other(TOO_LARGE), Value::Integer)
            }
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Array(list) => {
                let nodes = list.into_iter().map(|item| {
                    let at = item.span().start;
                    self.node(item.into_inner(), at)
                });
                Value::List(nodes.collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table)),
            DeValue::Boolean(value) => Value::Boolean(value),
            DeValue::Datetime(_) => Value::Other(DATE),
        };
        Node { value, line: Some(self.line(offset) as u64) }
    }

    fn table(&self, table: DeTable<'_>) -> Table {
        let mut entries: Vec<_> = table.into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entries = entries.into_iter().map(|(key, value)| {
            let at = key.span().start;
            // An item of [[shape]] has its own line; a value, the line of its key.
            (key.into_inner().into_owned(), self.node(value.into_inner(), at))
        });
        entries.collect()
    }
}
