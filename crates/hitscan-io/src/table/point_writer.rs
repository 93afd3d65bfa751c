//! Writing tables of results for points.

use super::format::Format;
use super::point_results::{PointResults, PointSchema};
use super::point_results_arrow::PointArrays;
use super::record_writer::RecordWriter;
use crate::error::Result;
use std::fmt::{self, Debug, Formatter};
use std::path::Path;

/// A table of results for points, written batch by batch.
///
/// The file appears, complete, with [`PointWriter::finish`]; without it there is no file, and a file that was there
/// stays as it was. Nulls are empty cells in CSV and `null` in JSON, which also has `null` for infinities.
pub struct PointWriter {
    records: RecordWriter,
    arrays: PointArrays,
    schema: PointSchema,
}

impl PointWriter {
    /// Starts a table in a file, or on standard output without a `target`.
    ///
    /// # Errors
    ///
    /// When the file cannot be created.
    pub fn create(target: Option<&Path>, format: Format, schema: PointSchema) -> Result<Self> {
        let arrays = PointArrays::new(&schema);
        Ok(Self { records: RecordWriter::create(target, format, arrays.schema())?, arrays, schema })
    }

    /// Writes rows.
    ///
    /// # Errors
    ///
    /// When the results do not fit the schema, or the file cannot be written.
    pub fn write(&mut self, results: &PointResults) -> Result<()> {
        if let Some(error) = results.layout_error(&self.schema) {
            return Err(self.records.refusal(error));
        }
        self.records.write(results.len(), |rows| self.arrays.rows(results, rows))
    }

    /// Completes the table and gives the file its name.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.records.finish()
    }
}

impl Debug for PointWriter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("PointWriter").field("schema", &self.schema).finish_non_exhaustive()
    }
}
