//! Writing a table of results of any kind.

use super::format::Format;
use super::record_writer::RecordWriter;
use crate::error::Result;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use std::fmt::{self, Debug, Formatter};
use std::ops::Range;
use std::path::Path;

/// Rows of a table of results: [`HitBatch`](crate::HitBatch), [`PointResults`](crate::PointResults) or
/// [`OverlapResults`](crate::OverlapResults).
///
/// Other crates cannot implement this trait.
pub trait TableResults: 'static {
    /// The columns of the table, fixed before the first row is written.
    type Schema: Clone + Debug + Send;
    #[doc(hidden)]
    type Arrays: Send;
    #[doc(hidden)]
    fn arrays(schema: &Self::Schema) -> Self::Arrays;
    #[doc(hidden)]
    fn record_schema(arrays: &Self::Arrays) -> &SchemaRef;
    /// The error of rows that do not fit the table.
    #[doc(hidden)]
    fn refusal(&self, schema: &Self::Schema) -> Option<&'static str>;
    #[doc(hidden)]
    fn row_count(&self) -> usize;
    #[doc(hidden)]
    fn records(&self, arrays: &Self::Arrays, rows: Range<usize>) -> Result<RecordBatch, ArrowError>;
}

/// A table of results, written batch by batch: [`HitWriter`](crate::HitWriter), [`PointWriter`](crate::PointWriter) or
/// [`OverlapWriter`](crate::OverlapWriter).
///
/// The file appears, complete, with [`TableWriter::finish`]; without it there is no file, and a file that was there
/// stays as it was. Nulls are empty cells in CSV and `null` in JSON, which also has `null` for infinities.
pub struct TableWriter<R: TableResults> {
    records: RecordWriter,
    arrays: R::Arrays,
    schema: R::Schema,
}

impl<R: TableResults> TableWriter<R> {
    /// Starts a table in a file, or on standard output without a `target`.
    ///
    /// [`Format::from_path`] is the format of a file's extension.
    ///
    /// # Errors
    ///
    /// When the file cannot be created.
    pub fn create(target: Option<&Path>, format: Format, schema: R::Schema) -> Result<Self> {
        let arrays = R::arrays(&schema);
        Ok(Self { records: RecordWriter::create(target, format, R::record_schema(&arrays))?, arrays, schema })
    }

    /// Writes rows.
    ///
    /// # Errors
    ///
    /// When the results do not fit the schema, or the file cannot be written.
    pub fn write(&mut self, results: &R) -> Result<()> {
        if let Some(error) = results.refusal(&self.schema) {
            return Err(self.records.refusal(error));
        }
        self.records.write(results.row_count(), |rows| results.records(&self.arrays, rows))
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

impl<R: TableResults> Debug for TableWriter<R> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").field("schema", &self.schema).finish_non_exhaustive()
    }
}
