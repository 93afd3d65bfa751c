//! Columns of a table of inputs that go to the table of results as they are.

use super::text_records::{Cell, RecordFormat, TextRecords};
use crate::error::{Fault, Result, quoted};
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use std::sync::Arc;

/// A column that goes to the results as it is.
#[derive(Clone, Debug)]
pub(crate) struct CarriedColumn {
    pub(crate) field: Field,
}

/// The types of columns of text.
const TEXT_TYPES: [(&str, DataType); 4] = [
    ("int64", DataType::Int64),
    ("float64", DataType::Float64),
    ("boolean", DataType::Boolean),
    ("text", DataType::Utf8),
];

/// The type of that name, of a column of text.
pub(super) fn text_type(name: &str) -> Option<DataType> {
    TEXT_TYPES.iter().find(|(known, _)| *known == name).map(|(_, of)| of.clone())
}

/// The names of the types of columns of text.
pub(super) fn text_type_names() -> String {
    TEXT_TYPES.map(|(name, _)| name).join(", ")
}

/// The narrowest types that hold all cells of some records, in the order of the columns that are read.
pub(super) fn inferred_types(records: &TextRecords, format: &RecordFormat) -> Result<Vec<DataType>, Fault> {
    // The types that are still possible, from the narrowest.
    let mut possible = vec![TEXT_TYPES.map(|(_, of)| Some(of)); format.slots.len()];
    let mut has_value = vec![false; format.slots.len()];
    records.for_each(format, |_, cells| {
        for ((cell, possible), has_value) in cells.unwrap_or_default().iter().zip(&mut possible).zip(&mut has_value) {
            *has_value |= !cell.is_missing();
            for of in possible.iter_mut() {
                if of.as_ref().is_some_and(|of| !fits(cell, of)) {
                    *of = None;
                }
            }
        }
        Ok(())
    })?;
    let narrowest = |possible: [Option<DataType>; 4]| possible.into_iter().flatten().next();
    let columns = possible.into_iter().zip(has_value);
    Ok(columns.map(|(of, has)| narrowest(of).filter(|_| has).unwrap_or(DataType::Utf8)).collect())
}

/// Whether a cell is a value of a type.
fn fits(cell: &Cell<'_>, of: &DataType) -> bool {
    match of {
        DataType::Int64 => cell.is_missing() || integer(cell).is_some(),
        DataType::Float64 => cell.is_missing() || float(cell).is_some(),
        DataType::Boolean => cell.is_missing() || boolean(cell).is_some(),
        _ => true,
    }
}

/// The text of a value that is no string of JSON, without spaces around it.
fn trimmed<'a>(cell: &Cell<'a>) -> Option<&'a [u8]> {
    if let Cell::Raw(bytes) = cell { Some(bytes.trim_ascii()) } else { None }
}

/// An integer that is written as Rust writes it: `007` is a text.
fn integer(cell: &Cell<'_>) -> Option<i64> {
    let bytes = trimmed(cell)?;
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    if digits.len() > 1 && digits[0] == b'0' || !digits.first()?.is_ascii_digit() || bytes == b"-0" {
        return None;
    }
    str::from_utf8(bytes).ok()?.parse().ok()
}

fn float(cell: &Cell<'_>) -> Option<f64> {
    let bytes = trimmed(cell)?;
    // No words besides these, and no numbers with zeros in front: they are texts.
    let is_number = bytes.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let has_zeros = matches!(digits, [b'0', b'0'..=b'9', ..]);
    let is_word = matches!(&bytes.to_ascii_lowercase()[..], b"nan" | b"inf" | b"-inf");
    if !is_word && (!is_number || has_zeros) {
        return None;
    }
    str::from_utf8(bytes).ok()?.parse().ok()
}

fn boolean(cell: &Cell<'_>) -> Option<bool> {
    match &trimmed(cell)?.to_ascii_lowercase()[..] {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

/// The cells of a column of text.
pub(super) enum CarriedCells {
    Int64(Int64Builder),
    Float64(Float64Builder),
    Boolean(BooleanBuilder),
    Text(StringBuilder),
}

impl CarriedCells {
    pub(super) fn new(of: &DataType) -> Self {
        match of {
            DataType::Int64 => Self::Int64(Int64Builder::new()),
            DataType::Float64 => Self::Float64(Float64Builder::new()),
            DataType::Boolean => Self::Boolean(BooleanBuilder::new()),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Adds a cell, or the reason why the column has no such value and a null.
    pub(super) fn push(&mut self, cell: &Cell<'_>) -> Result<(), String> {
        let is_null = match self {
            Self::Text(_) => matches!(cell, Cell::Null(_)),
            _ => cell.is_missing(),
        };
        if is_null {
            self.push_null();
            return Ok(());
        }
        let pushed = match self {
            Self::Int64(builder) => integer(cell).map(|value| builder.append_value(value)).ok_or("int64"),
            Self::Float64(builder) => float(cell).map(|value| builder.append_value(value)).ok_or("float64"),
            Self::Boolean(builder) => boolean(cell).map(|value| builder.append_value(value)).ok_or("boolean"),
            Self::Text(builder) => cell.text().map(|text| builder.append_value(text)).map_err(|_| "text"),
        };
        pushed.map_err(|of| {
            self.push_null();
            not_of(of, cell)
        })
    }

    pub(super) fn push_null(&mut self) {
        match self {
            Self::Int64(builder) => builder.append_null(),
            Self::Float64(builder) => builder.append_null(),
            Self::Boolean(builder) => builder.append_null(),
            Self::Text(builder) => builder.append_null(),
        }
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Int64(builder) => Arc::new(builder.finish()),
            Self::Float64(builder) => Arc::new(builder.finish()),
            Self::Boolean(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Why a cell is no value of a type.
fn not_of(of: &str, cell: &Cell<'_>) -> String {
    let text = quoted(cell.lossy_text().as_bytes());
    match cell.text() {
        Ok(_) => {
            format!("{text} is no {of}, the type of this column in the first rows (:text keeps every cell as it is)")
        }
        Err(_) => format!("{text} is not UTF-8 (the encoding that the table must have)"),
    }
}

/// Arrays one after the other.
pub(super) fn joined(arrays: &[ArrayRef]) -> Result<ArrayRef, Fault> {
    match arrays {
        [one] => Ok(one.clone()),
        _ => {
            let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
            Ok(arrow_select::concat::concat(&arrays)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrowest(cells: &[&str]) -> DataType {
        let text = format!("a\n{}\n", cells.join("\n")).into_bytes()[2..].to_vec();
        let records = TextRecords { text, first_line: 2 };
        let slots = vec![super::super::text_records::ReadColumn { name: "a".into(), index: 0 }];
        let syntax = super::super::text_records::Syntax::Csv { delimiter: b',' };
        let format = RecordFormat { syntax, width: 1, slots, null: Some("NA".into()), absent: Vec::new() };
        inferred_types(&records, &format).unwrap().remove(0)
    }

    #[test]
    fn the_type_is_the_narrowest_that_loses_nothing() {
        assert_eq!(narrowest(&["1", "-20", "NA"]), DataType::Int64);
        assert_eq!(narrowest(&["1", "0.5", "1e3", "nan"]), DataType::Float64);
        assert_eq!(narrowest(&["true", "False"]), DataType::Boolean);
        for text in ["007", "-0x", "9999999999999999999999a", "+", "infinity", "00.5"] {
            assert_eq!(narrowest(&["1", text]), DataType::Utf8, "{text}");
        }
        assert_eq!(narrowest(&["NA", "NA"]), DataType::Utf8);
        assert_eq!(narrowest(&[" 1", " ", "2 "]), DataType::Int64);
    }
}
