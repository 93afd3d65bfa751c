//! Writing tables of hits.

use super::format::Format;
use super::hits::{HitBatch, HitSchema};
use super::hits_arrow::HitArrays;
use super::record_writer::RecordWriter;
use crate::error::Result;
use std::fmt::{self, Debug, Formatter};
use std::path::Path;

/// A table of hits, written batch by batch.
///
/// The file appears, complete, with [`HitWriter::finish`]; without it there is no file, and a file that was there
/// stays as it was. Nulls are empty cells in CSV and `null` in JSON, which also has `null` for infinities.
pub struct HitWriter {
    records: RecordWriter,
    arrays: HitArrays,
    schema: HitSchema,
}

impl HitWriter {
    /// Starts a table in a file, or on standard output without a `target`.
    ///
    /// [`Format::from_path`] is the format of a file's extension.
    ///
    /// # Errors
    ///
    /// When the file cannot be created.
    pub fn create(target: Option<&Path>, format: Format, schema: HitSchema) -> Result<Self> {
        let arrays = HitArrays::new(&schema);
        Ok(Self { records: RecordWriter::create(target, format, arrays.schema())?, arrays, schema })
    }

    /// Writes rows.
    ///
    /// # Errors
    ///
    /// When the batch does not fit the schema, or the file cannot be written.
    pub fn write(&mut self, batch: &HitBatch) -> Result<()> {
        if let Some(error) = batch.layout_error(&self.schema) {
            return Err(self.records.refusal(error));
        }
        self.records.write(batch.len(), |rows| self.arrays.rows(batch, rows))
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

impl Debug for HitWriter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("HitWriter").field("schema", &self.schema).finish_non_exhaustive()
    }
}
