//! Arrow arrays to columns of a ray.

use super::columns::{Columns, Slot};
use super::rays::RayBatch;
use crate::error::{Fault, Place, Result};
use crate::numbers::Precision;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The widest precision of the ray's columns.
pub(super) fn precision(columns: &Columns, schema: &Schema) -> Result<Precision, Fault> {
    let mut widest = Precision::F32;
    for slot in columns.slots() {
        match schema.field(slot.index).data_type() {
            DataType::Float32 | DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => {}
            DataType::Float64 | DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => {
                widest = Precision::F64;
            }
            other => {
                let text = format!("type {other} is not a number (needs float32, float64 or an integer)");
                return Err(Fault::new(Place::Column(slot.name.to_owned()), text));
            }
        }
    }
    Ok(widest)
}

/// A batch of rays; of several faults the one in the earliest row is told.
pub(super) fn rays(
    columns: &Columns,
    batch: &RecordBatch,
    first_row: u64,
    precision: Precision,
) -> Result<RayBatch, Fault> {
    let mut values = Vec::with_capacity(columns.slots().len());
    let mut earliest: Option<Fault> = None;
    for slot in columns.slots() {
        // By name, which is unique: readers may reorder what they were asked for.
        let array = batch.column_by_name(slot.name).ok_or_else(|| Fault::file("damaged: a column is lost"))?;
        match column(slot, array.as_ref(), first_row) {
            Ok(column) => values.push(column),
            Err(fault) if earliest.as_ref().is_some_and(|earliest| earliest.row() <= fault.row()) => {}
            Err(fault) => earliest = Some(fault),
        }
    }
    earliest.map_or_else(|| Ok(columns.batch(first_row, values, precision)), Err)
}

fn column(slot: &Slot, array: &dyn Array, first_row: u64) -> Result<Vec<f64>, Fault> {
    let place = |row: usize| slot.place(first_row + row as u64, None);
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
    match values.iter().position(|&value| !slot.admits(value)) {
        Some(row) => Err(slot.not_allowed(values[row], first_row + row as u64, None)),
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

/// Runs a decoder of another crate on bytes that may be damaged: those promise errors, but a few of their asserts
/// can be reached from a file.
pub(super) fn decoding<T, E: std::fmt::Display>(
    format: &str,
    decode: impl FnOnce() -> std::result::Result<T, E>,
) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(Fault::file(format!("damaged {format} file: {error}"))),
        Err(_) => Err(Fault::file(format!("damaged {format} file"))),
    }
}
