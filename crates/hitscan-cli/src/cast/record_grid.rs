//! Results as a table for people.

use crate::text::{Grid, number};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};

/// Results as aligned text.
pub(crate) struct RecordGrid {
    grid: Grid,
}

impl RecordGrid {
    pub(crate) fn new(columns: &[&str]) -> Self {
        Self { grid: Grid::new(columns) }
    }

    /// The text of no rows: the names of the columns.
    pub(crate) fn take(&mut self) -> String {
        self.grid.take()
    }

    /// The text of some rows; the first call begins with the names of the columns.
    pub(crate) fn text(&mut self, batch: &RecordBatch) -> String {
        for row in 0..batch.num_rows() {
            let mut cells: Vec<String> = batch.columns().iter().map(|column| cell(column.as_ref(), row)).collect();
            // A miss has nothing behind its first cells.
            while cells.last().is_some_and(String::is_empty) {
                cells.pop();
            }
            self.grid.push(cells);
        }
        self.grid.take()
    }
}

/// The text of a value with few digits; nothing for a null.
fn cell(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    if let Some(column) = column.as_primitive_opt::<Float64Type>() {
        number(column.value(row))
    } else if let Some(column) = column.as_primitive_opt::<Float32Type>() {
        number(column.value(row).into())
    } else if let Some(column) = column.as_primitive_opt::<UInt64Type>() {
        column.value(row).to_string()
    } else if let Some(column) = column.as_primitive_opt::<UInt32Type>() {
        column.value(row).to_string()
    } else if let Some(column) = column.as_boolean_opt() {
        column.value(row).to_string()
    } else if let Some(column) = column.as_string_opt::<i32>() {
        column.value(row).to_owned()
    } else if let Some(column) = column.as_any_dictionary_opt() {
        cell(column.values().as_ref(), column.normalized_keys()[row])
    } else {
        String::new()
    }
}
