//! The destination of results: a table for people, or a file.

use crate::console::Console;
use crate::error::Result;
use hitscan_io::{Format, TableResults, TableWriter};
use std::path::Path;

/// A table of results: its text for people, and its columns for files.
pub(crate) trait ResultTable {
    type Results: TableResults;
    /// The text of some rows; the first call begins with the names of the columns.
    fn text(&mut self, results: &Self::Results) -> String;
    /// The columns of a file.
    fn schema(&self) -> &<Self::Results as TableResults>::Schema;
}

/// The open destination of the results.
pub(super) enum ResultSink<T: ResultTable> {
    Text(T),
    File(Box<TableWriter<T::Results>>),
}

impl<T: ResultTable> ResultSink<T> {
    /// Opens the destination; without a `format`, that is a table for people.
    pub(super) fn open(table: T, format: Option<Format>, target: Option<&Path>) -> Result<Self> {
        let Some(format) = format else { return Ok(Self::Text(table)) };
        Ok(Self::File(Box::new(TableWriter::create(target, format, table.schema().clone())?)))
    }

    pub(super) fn write(&mut self, results: &T::Results, console: &mut Console) -> Result<()> {
        match self {
            Self::Text(table) => Ok(console.out.write_all(table.text(results).as_bytes())?),
            Self::File(file) => Ok(file.write(results)?),
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Text(_) => Ok(()),
            Self::File(file) => Ok(file.finish()?),
        }
    }
}
