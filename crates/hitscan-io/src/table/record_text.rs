//! Record batches as CSV and as JSON lines.

use super::calendar::{date, timestamp};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use std::borrow::Cow;
use std::fmt::{Display, LowerExp, Write as _};
use std::io::Write as _;

/// The syntax of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Style {
    Csv {
        delimiter: char,
        /// The text of a null.
        null: String,
    },
    Json,
}

impl Style {
    /// The line of names, for CSV.
    pub(super) fn header(&self, schema: &Schema) -> String {
        let names = schema.fields().iter().map(|field| self.quoted(field.name()));
        match self {
            Self::Csv { delimiter, .. } => names.collect::<Vec<_>>().join(&delimiter.to_string()) + "\n",
            Self::Json => String::new(),
        }
    }

    /// Text in quotes where the syntax needs them.
    fn quoted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Self::Csv { delimiter, null } => csv_cell(text, *delimiter, null),
            Self::Json => json_string(text).into(),
        }
    }
}

/// The columns of a record batch, to be written row by row.
pub(super) struct RecordText<'a> {
    /// What precedes each cell (a comma, in JSON the name), and the cells.
    columns: Vec<(String, Writer<'a>)>,
    is_json: bool,
}

/// Whether text has values of a type.
pub(super) fn has_text(of: &DataType) -> bool {
    use DataType::*;
    match of {
        Dictionary(_, values) => has_text(values),
        Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Float32 | Float64 | Date32 => true,
        Utf8 | LargeUtf8 | Utf8View | Timestamp(..) => true,
        _ => false,
    }
}

impl<'a> RecordText<'a> {
    /// The columns of a batch, of types that [`has_text`] knows; others stay empty.
    pub(super) fn new(style: &'a Style, batch: &'a RecordBatch) -> Self {
        let fields = batch.schema_ref().fields().iter().zip(batch.columns()).enumerate();
        let columns = fields.map(|(number, (field, array))| {
            let before = match style {
                Style::Csv { .. } if number == 0 => String::new(),
                Style::Csv { delimiter, .. } => delimiter.to_string(),
                Style::Json => {
                    let comma = if number == 0 { "{" } else { "," };
                    format!("{comma}{}:", json_string(field.name()))
                }
            };
            (before, writer(style, array.as_ref()))
        });
        Self { columns: columns.collect(), is_json: *style == Style::Json }
    }

    /// Appends a row.
    pub(super) fn row(&self, row: usize, text: &mut Vec<u8>) {
        for (before, write) in &self.columns {
            text.extend_from_slice(before.as_bytes());
            write(row, text);
        }
        text.extend_from_slice(if self.is_json { b"}\n" } else { b"\n" });
    }
}

/// Writes the cells of a column.
type Writer<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

fn writer<'a>(style: &'a Style, array: &'a dyn Array) -> Writer<'a> {
    let null: &[u8] = match style {
        Style::Csv { null, .. } => null.as_bytes(),
        Style::Json => b"null",
    };
    let value = valid_writer(style, null, array);
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        Some(nulls) => Box::new(move |row, text| match nulls.is_valid(row) {
            true => value(row, text),
            false => text.extend_from_slice(null),
        }),
        None => value,
    }
}

/// Writes cells that are not null.
fn valid_writer<'a>(style: &'a Style, null: &'a [u8], array: &'a dyn Array) -> Writer<'a> {
    fn integers<'a, T: ArrowPrimitiveType<Native: itoa::Integer>>(array: &'a dyn Array) -> Writer<'a> {
        let values = array.as_primitive::<T>().values();
        Box::new(|row, text| text.extend_from_slice(itoa::Buffer::new().format(values[row]).as_bytes()))
    }
    fn texts<'a>(style: &'a Style, value: impl Fn(usize) -> &'a str + 'a) -> Writer<'a> {
        Box::new(move |row, text| text.extend_from_slice(style.quoted(value(row)).as_bytes()))
    }
    let quote = if *style == Style::Json { "\"" } else { "" };
    match array.data_type() {
        DataType::Boolean => {
            let array: &BooleanArray = array.as_boolean();
            Box::new(|row, text| text.extend_from_slice(if array.value(row) { b"true" } else { b"false" }))
        }
        DataType::Int8 => integers::<Int8Type>(array),
        DataType::Int16 => integers::<Int16Type>(array),
        DataType::Int32 => integers::<Int32Type>(array),
        DataType::Int64 => integers::<Int64Type>(array),
        DataType::UInt8 => integers::<UInt8Type>(array),
        DataType::UInt16 => integers::<UInt16Type>(array),
        DataType::UInt32 => integers::<UInt32Type>(array),
        DataType::UInt64 => integers::<UInt64Type>(array),
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            floats(style, null, move |row| values[row])
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            floats(style, null, move |row| values[row])
        }
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            texts(style, |row| array.value(row))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            texts(style, |row| array.value(row))
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            texts(style, |row| array.value(row))
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let (keys, value) = (dictionary.normalized_keys(), valid_writer(style, null, dictionary.values().as_ref()));
            Box::new(move |row, text| value(keys[row], text))
        }
        DataType::Date32 => {
            let days: &PrimitiveArray<Date32Type> = array.as_primitive();
            Box::new(move |row, text| {
                text.extend_from_slice(format!("{quote}{}{quote}", date(i64::from(days.value(row)))).as_bytes());
            })
        }
        DataType::Timestamp(unit, zone) => {
            let (values, per_second): (&[i64], i64) = match unit {
                TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().values(), 1),
                TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().values(), 1_000),
                TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().values(), 1_000_000),
                TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().values(), 1_000_000_000),
            };
            // A timestamp with a zone counts from 1970 in UTC.
            let zone = if zone.is_some() { "Z" } else { "" };
            Box::new(move |row, text| {
                let time = timestamp(values[row], per_second);
                text.extend_from_slice(format!("{quote}{time}{zone}{quote}").as_bytes());
            })
        }
        _ => Box::new(move |_, text| text.extend_from_slice(null)),
    }
}

/// Numbers in the shortest text that reads back as the same bits. JSON has no infinities and NaN.
fn floats<'a, F: Float>(style: &'a Style, null: &'a [u8], value: impl Fn(usize) -> F + 'a) -> Writer<'a> {
    let is_json = *style == Style::Json;
    Box::new(move |row, text| {
        let value = value(row);
        match value.to_f64() {
            number if number.is_finite() => push_float(value, text),
            _ if is_json => text.extend_from_slice(null),
            number => {
                // Writing to a vector does not fail.
                let _ = write!(text, "{number}");
            }
        }
    })
}

/// A number of either precision.
trait Float: zmij::Float + Display + LowerExp + Copy {
    fn to_f64(self) -> f64;
}

impl Float for f32 {
    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Float for f64 {
    fn to_f64(self) -> f64 {
        self
    }
}

/// Appends a finite number: `0.1`, `1`, `1e300`.
fn push_float<F: Float>(value: F, text: &mut Vec<u8>) {
    let size = value.to_f64().abs();
    // Writing to a vector does not fail.
    let _ = match size {
        0.0 | 1e-3..1e12 => {
            let mut buffer = zmij::Buffer::new();
            let digits = buffer.format_finite(value);
            text.extend_from_slice(digits.strip_suffix(".0").unwrap_or(digits).as_bytes());
            Ok(())
        }
        // Seldom, and with other rules of exponents than those of `zmij`.
        1e-5..1e16 => write!(text, "{value}"),
        _ => write!(text, "{value:e}"),
    };
}

fn csv_cell<'t>(text: &'t str, delimiter: char, null: &str) -> Cow<'t, str> {
    let special = |c: char| c == delimiter || matches!(c, '"' | '\n' | '\r');
    // A text that would read as a null has quotes, for people at least.
    if text.contains(special) || text.trim() != text || text == null && !null.is_empty() {
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
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
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
        let cell = |text| csv_cell(text, ',', "NA").into_owned();
        assert_eq!(
            ["a b", "a,b", "say \"x\"", " a", "", "NA"].map(cell),
            ["a b", "\"a,b\"", "\"say \"\"x\"\"\"", "\" a\"", "", "\"NA\""]
        );
        assert_eq!(json_string("a\"\\\n\u{1}ü"), r#""a\"\\\u000a\u0001ü""#);
    }

    /// What Rust writes, with an exponent where there would be many zeros.
    fn expected<T: Display + LowerExp>(value: T, size: f64) -> String {
        if size == 0.0 || (1e-5..1e16).contains(&size.abs()) { format!("{value}") } else { format!("{value:e}") }
    }

    #[test]
    fn numbers_read_back_as_the_same_bits_and_stay_short() {
        let mut numbers =
            vec![0.1, -0.0, 1e300, 5e-324, 1e16, 123_456.5, f64::MAX, 1e-5, 1.25e-5, 9.999e-6, 1e15, -1e-5];
        let mut random = 1_u64;
        numbers.extend((0..20_000).map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(random)
        }));
        let mut text = Vec::new();
        for value in numbers.into_iter().filter(|value| value.is_finite()) {
            text.clear();
            push_float(value, &mut text);
            let written = str::from_utf8(&text).unwrap();
            // Two shortest texts may be as near: the same length is enough.
            assert_eq!(written.len(), expected(value, value).len(), "{written}");
            assert_eq!(written.parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert!(written.len() < 25, "{written}");
            let single = value as f32;
            if single.is_finite() {
                text.clear();
                push_float(single, &mut text);
                let written = str::from_utf8(&text).unwrap();
                assert_eq!(written.len(), expected(single, single.into()).len(), "{written}");
                assert_eq!(written.parse::<f32>().unwrap().to_bits(), single.to_bits());
            }
        }
    }
}
