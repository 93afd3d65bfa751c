//! Rows that cannot be read, and what to do about them.

use crate::error::{Fault, Place};

/// What to do about a row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The first one is an error that ends the work.
    #[default]
    Stop,
    /// It has no row among the results.
    Skip,
    /// It has a row of nulls among the results.
    Null,
}

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// Its number, from 0.
    pub row: u64,
    /// Its line, from 1, when the file is text.
    pub line: Option<u64>,
    /// The column of the first cell that cannot be read; `None` for the row as a whole.
    pub column: Option<String>,
    /// The cell, or the row, as text.
    pub value: String,
    /// Why it cannot be read.
    pub reason: String,
}

impl BadRow {
    /// The longest value that is kept, in bytes.
    const LONGEST_VALUE: usize = 1000;

    pub(super) fn new((row, line): (u64, Option<u64>), column: Option<&str>, value: &str, reason: String) -> Self {
        let end = value.char_indices().map(|(at, _)| at).find(|at| *at >= Self::LONGEST_VALUE).unwrap_or(value.len());
        Self { row, line, column: column.map(str::to_owned), value: value[..end].to_owned(), reason }
    }

    /// The row as an error.
    pub(super) fn into_fault(self) -> Fault {
        Fault::new(Place::Row { row: self.row, line: self.line, column: self.column }, self.reason)
    }
}
