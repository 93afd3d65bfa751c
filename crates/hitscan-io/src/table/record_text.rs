//! Record batches as CSV and as JSON lines.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, BooleanArray, Float32Array, Float64Array, Int32Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Schema};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, LowerExp};
use std::io::Write;

/// The syntax of a row.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Style {
    Csv,
    Json,
}

impl Style {
    /// The line of names, for CSV.
    pub(super) fn header(self, schema: &Schema) -> String {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        match self {
            Self::Csv => names.join(",") + "\n",
            Self::Json => String::new(),
        }
    }

    /// Text in quotes where the syntax needs them.
    fn quoted(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Csv => csv_cell(text),
            Self::Json => json_string(text).into(),
        }
    }
}

/// The columns of a record batch, to be written row by row.
pub(super) struct RecordText<'a> {
    style: Style,
    /// What precedes each cell (a comma, in JSON the name), and the cells.
    columns: Vec<(String, Cells<'a>)>,
}

/// The cells of a column.
enum Cells<'a> {
    Boolean(&'a BooleanArray),
    UInt32(&'a UInt32Array),
    UInt64(&'a UInt64Array),
    Float32(&'a Float32Array),
    Float64(&'a Float64Array),
    Text(&'a StringArray),
    /// Keys, and the text of each.
    Dictionary(&'a Int32Array, &'a StringArray),
}

impl<'a> Cells<'a> {
    fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Boolean => Self::Boolean(array.as_boolean_opt()?),
            DataType::UInt32 => Self::UInt32(array.as_primitive_opt::<UInt32Type>()?),
            DataType::UInt64 => Self::UInt64(array.as_primitive_opt::<UInt64Type>()?),
            DataType::Float32 => Self::Float32(array.as_primitive_opt::<Float32Type>()?),
            DataType::Float64 => Self::Float64(array.as_primitive_opt::<Float64Type>()?),
            DataType::Utf8 => Self::Text(array.as_string_opt::<i32>()?),
            _ => {
                let dictionary = array.as_dictionary_opt::<Int32Type>()?;
                Self::Dictionary(dictionary.keys(), dictionary.values().as_string_opt::<i32>()?)
            }
        })
    }
}

/// The value of a row; `None` where it is null.
fn cell<T>(array: &impl Array, row: usize, value: impl FnOnce(usize) -> T) -> Option<T> {
    array.is_valid(row).then(|| value(row))
}

impl<'a> RecordText<'a> {
    pub(super) fn new(style: Style, batch: &'a RecordBatch) -> Result<Self, ArrowError> {
        let fields = batch.schema_ref().fields().iter().zip(batch.columns()).enumerate();
        let columns = fields.map(|(number, (field, array))| {
            let unknown = || ArrowError::NotYetImplemented(format!("text of {}", field.data_type()));
            let comma = if number == 0 { "" } else { "," };
            let before = match style {
                Style::Csv => comma.to_owned(),
                Style::Json => format!("{comma}\"{}\":", field.name()),
            };
            Ok((before, Cells::of(array.as_ref()).ok_or_else(unknown)?))
        });
        Ok(Self { style, columns: columns.collect::<Result<_, ArrowError>>()? })
    }

    /// Appends a row.
    pub(super) fn row(&self, row: usize, text: &mut Vec<u8>) {
        let mut line = RowText { style: self.style, text };
        line.start();
        for (before, cells) in &self.columns {
            match cells {
                Cells::Boolean(array) => line.cell(before, cell(*array, row, |row| array.value(row))),
                Cells::UInt32(array) => line.cell(before, cell(*array, row, |row| array.values()[row])),
                Cells::UInt64(array) => line.cell(before, cell(*array, row, |row| array.values()[row])),
                Cells::Float32(array) => line.float32(before, cell(*array, row, |row| array.values()[row])),
                Cells::Float64(array) => line.float64(before, cell(*array, row, |row| array.values()[row])),
                Cells::Text(array) => line.text(before, cell(*array, row, |row| array.value(row))),
                Cells::Dictionary(keys, names) => {
                    let key = cell(*keys, row, |row| keys.values()[row]).and_then(|key| usize::try_from(key).ok());
                    line.text(before, key.map(|key| names.value(key)));
                }
            }
        }
        line.finish();
    }
}

/// A row being written. Writing to a vector does not fail.
struct RowText<'a> {
    style: Style,
    text: &'a mut Vec<u8>,
}

impl RowText<'_> {
    fn start(&mut self) {
        if self.style == Style::Json {
            self.text.push(b'{');
        }
    }

    fn finish(&mut self) {
        self.text.extend_from_slice(if self.style == Style::Json { b"}\n" } else { b"\n" });
    }

    fn cell(&mut self, before: &str, value: Option<impl Display>) {
        self.text.extend_from_slice(before.as_bytes());
        let _ = match (value, self.style) {
            (Some(value), _) => write!(self.text, "{value}"),
            (None, Style::Json) => write!(self.text, "null"),
            (None, Style::Csv) => Ok(()),
        };
    }

    fn text(&mut self, before: &str, value: Option<&str>) {
        let style = self.style;
        self.cell(before, value.map(|value| style.quoted(value)));
    }

    fn float32(&mut self, before: &str, value: Option<f32>) {
        match value.filter(|value| self.has_text(f64::from(*value))) {
            Some(value) if is_plain(value.into()) => self.cell(before, Some(value)),
            value => self.cell(before, value.map(Exponent)),
        }
    }

    fn float64(&mut self, before: &str, value: Option<f64>) {
        match value.filter(|value| self.has_text(*value)) {
            Some(value) if is_plain(value) => self.cell(before, Some(value)),
            value => self.cell(before, value.map(Exponent)),
        }
    }

    /// Whether the syntax has the number: JSON has no infinities.
    fn has_text(&self, value: f64) -> bool {
        self.style == Style::Csv || value.is_finite()
    }
}

/// A number with an exponent.
struct Exponent<T>(T);

impl<T: LowerExp> Display for Exponent<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether a number is written without an exponent: otherwise 1e300 would have 301 digits.
fn is_plain(value: f64) -> bool {
    value == 0.0 || (1e-5..1e16).contains(&value.abs()) || !value.is_finite()
}

fn csv_cell(text: &str) -> Cow<'_, str> {
    let special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
    if text.contains(special) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

fn json_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(
            ["a b", "a,b", "say \"x\"", " a", ""].map(csv_cell),
            ["a b", "\"a,b\"", "\"say \"\"x\"\"\"", "\" a\"", ""]
        );
        assert_eq!(json_string("a\"\\\n\u{1}ü"), r#""a\"\\\u000a\u0001ü""#);
    }

    #[test]
    fn numbers_read_back_as_the_same_bits_and_stay_short() {
        let mut text = Vec::new();
        for value in [0.1, -0.0, 1e300, 5e-324, 1e16, 123_456.5, f64::MAX, 1e-5, 9.999e-6] {
            text.clear();
            RowText { style: Style::Csv, text: &mut text }.float64("", Some(value));
            let written = str::from_utf8(&text).unwrap();
            assert_eq!(written.parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert!(written.len() < 25, "{written}");
        }
    }
}
