//! The destination of results: a table for people, or a file.

use crate::console::Console;
use crate::error::Result;
use crate::unfinished::Unfinished;
use hitscan_io::Format;
use std::path::Path;

/// A table of results: its text for people, and its writer for files.
pub(crate) trait ResultTable {
    type Results;
    type Writer: Send + 'static;
    /// The text of some rows; the first call begins with the names of the columns.
    fn text(&mut self, results: &Self::Results) -> String;
    /// Starts a file, or standard output without a `target`.
    fn create(&self, target: Option<&Path>, format: Format) -> hitscan_io::Result<Self::Writer>;
    fn write(writer: &mut Self::Writer, results: &Self::Results) -> hitscan_io::Result<()>;
    fn finish(writer: Self::Writer) -> hitscan_io::Result<()>;
}

/// The open destination of the results.
pub(super) enum ResultSink<T: ResultTable> {
    Text(T),
    File(Unfinished<T::Writer>),
}

impl<T: ResultTable> ResultSink<T> {
    /// Opens the destination; without a `format`, that is a table for people.
    pub(super) fn open(table: T, format: Option<Format>, target: Option<&Path>) -> Result<Self> {
        let Some(format) = format else { return Ok(Self::Text(table)) };
        Ok(Self::File(Unfinished::create(target, || Ok(table.create(target, format)?))?))
    }

    pub(super) fn write(&mut self, results: &T::Results, console: &mut Console) -> Result<()> {
        match self {
            Self::Text(table) => Ok(console.out.write_all(table.text(results).as_bytes())?),
            Self::File(file) => Ok(file.write(|writer| T::write(writer, results)).unwrap_or(Ok(()))?),
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Text(_) => Ok(()),
            Self::File(file) => Ok(file.finish(T::finish).unwrap_or(Ok(()))?),
        }
    }
}
