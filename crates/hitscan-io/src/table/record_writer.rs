//! Writing record batches in any format, one after the other.

use super::format::{Compression, Format};
use super::open_table::TextOptions;
use super::table_encoder::{TableEncoder, TableEncoding, TableFile};
use crate::error::{Error, Fault, Result};
use crate::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The rows that are encoded at a time: a row group of Parquet, a record batch of Arrow.
const ENCODED_ROWS: usize = 1 << 17;

/// A table, written batch by batch. The file appears with [`RecordWriter::finish`].
pub(super) struct RecordWriter {
    encoder: TableEncoder,
    file: TableFile,
    name: PathBuf,
}

impl RecordWriter {
    /// Starts a table in a file, or on standard output without a `target`.
    pub(super) fn create(target: Option<&Path>, format: Format, schema: &SchemaRef) -> Result<Self> {
        let output = Output::create(target)?;
        let name = output.name().to_owned();
        if format.is_points() {
            return Err(Fault::file("PLY and LAS are for the hit points of hitscan cast").in_file(&name));
        }
        let compression = target.map_or(Compression::None, Compression::from_path);
        let compression = if format.is_text() { compression } else { Compression::None };
        let encoding =
            TableEncoding { format, compression, text: TextOptions::default(), metadata: Vec::new(), grid: None };
        let encoder = TableEncoder::new(schema, &encoding).map_err(|fault| fault.in_file(&name))?;
        let file = encoder.begin(output).map_err(|fault| fault.in_file(&name))?;
        Ok(Self { encoder, file, name })
    }

    /// The error of results that do not fit the table.
    pub(super) fn refusal(&self, text: &'static str) -> Error {
        Fault::file(text).in_file(&self.name)
    }

    /// Writes rows, which `records` gives in pieces.
    pub(super) fn write(
        &mut self,
        count: usize,
        records: impl Fn(Range<usize>) -> Result<RecordBatch, ArrowError>,
    ) -> Result<()> {
        for start in (0..count).step_by(ENCODED_ROWS) {
            let rows = start..count.min(start + ENCODED_ROWS);
            let block = records(rows).map_err(Fault::from).and_then(|batch| self.encoder.encode(batch));
            let written = block.and_then(|block| block.map_or(Ok(()), |block| self.file.write(block)));
            written.map_err(|fault| fault.in_file(&self.name))?;
        }
        Ok(())
    }

    /// Completes the table and gives the file its name.
    pub(super) fn finish(self) -> Result<()> {
        self.file.finish().map_err(|fault| fault.in_file(&self.name)).and_then(Output::finish)
    }
}
