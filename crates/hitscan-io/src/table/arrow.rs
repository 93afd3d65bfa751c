//! Columns of numbers from Arrow arrays.

use super::columns::{ColumnBinding, Columns};
use super::table_source::TableRows;
use crate::dimension::Precision;
use crate::error::{Fault, Place, Result, Source};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The widest precision of the columns.
pub(super) fn precision(columns: &Columns, schema: &Schema) -> Result<Precision, Fault> {
    let mut widest = Precision::F32;
    for binding in columns.bindings() {
        match schema.field(binding.index).data_type() {
            DataType::Float32 | DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => {}
            DataType::Float64 | DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => {
                widest = if binding.is_real() { Precision::F64 } else { widest };
            }
            other => {
                let text = format!("type {other} is not a number (needs float32, float64 or an integer)");
                return Err(Fault::new(Place::Column(binding.name.to_owned()), text));
            }
        }
    }
    Ok(widest)
}

/// The rows of a batch; of several errors the one in the earliest row.
pub(super) fn rows(columns: &Columns, batch: &RecordBatch, first_row: u64) -> Result<TableRows, Fault> {
    let mut values = Vec::with_capacity(columns.bindings().len());
    let mut earliest: Option<Fault> = None;
    for binding in columns.bindings() {
        // By name, which is unique: readers may reorder columns.
        let array = batch.column_by_name(binding.name).ok_or_else(|| Fault::file("damaged: a column is lost"))?;
        match column(columns, binding, array.as_ref(), first_row) {
            Ok(column) => values.push(column),
            Err(fault) if earliest.as_ref().is_some_and(|earliest| earliest.row() <= fault.row()) => {}
            Err(fault) => earliest = Some(fault),
        }
    }
    earliest.map_or_else(|| Ok(TableRows { first_row, columns: values }), Err)
}

fn column(columns: &Columns, binding: &ColumnBinding, array: &dyn Array, first_row: u64) -> Result<Vec<f64>, Fault> {
    let place = |row: usize| binding.place(first_row + row as u64, None);
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        let row = (0..array.len()).find(|&row| nulls.is_null(row)).unwrap_or(0);
        return Err(Fault::new(place(row), "the cell is null"));
    }
    let values = match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => widened::<Float32Type>(array),
        DataType::Int8 => widened::<Int8Type>(array),
        DataType::Int16 => widened::<Int16Type>(array),
        DataType::Int32 => widened::<Int32Type>(array),
        DataType::UInt8 => widened::<UInt8Type>(array),
        DataType::UInt16 => widened::<UInt16Type>(array),
        DataType::UInt32 => widened::<UInt32Type>(array),
        DataType::Int64 => whole(array.as_primitive::<Int64Type>().values().iter().map(|&v| i128::from(v)), place)?,
        DataType::UInt64 => whole(array.as_primitive::<UInt64Type>().values().iter().map(|&v| i128::from(v)), place)?,
        other => return Err(Fault::file(format!("damaged: a column became {other}"))),
    };
    match values.iter().position(|&value| !binding.admits(value)) {
        Some(row) => Err(columns.not_allowed(binding, values[row], first_row + row as u64, None)),
        None => Ok(values),
    }
}

fn widened<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &dyn Array) -> Vec<f64> {
    array.as_primitive::<T>().values().iter().map(|&value| value.into()).collect()
}

/// Integers, which must be exact as `f64`: a ray that is silently moved would hit something else.
fn whole(values: impl Iterator<Item = i128>, place: impl Fn(usize) -> Place) -> Result<Vec<f64>, Fault> {
    let exact = |(row, value): (usize, i128)| {
        let float = value as f64;
        let inexact = || Fault::new(place(row), format!("{value} is not exact as float64"));
        if float as i128 == value { Ok(float) } else { Err(inexact()) }
    };
    values.enumerate().map(exact).collect()
}

/// Runs a decoder of another crate on bytes that may be damaged: decoders promise errors, but a file can make a few of their
/// assertions fail.
pub(super) fn decoding<T, E: Display + Into<Source>>(
    format: &str,
    decode: impl FnOnce() -> std::result::Result<T, E>,
) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            let text = format!("damaged {format} file: {error}");
            Err(Fault::caused(error).with_text(text))
        }
        Err(_) => Err(Fault::file(format!("damaged {format} file"))),
    }
}
