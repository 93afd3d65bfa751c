//! Tables from Parquet.

use super::arrow::{BatchCutter, decoding, precision, projection};
use super::carried_column::CarriedColumn;
use super::columns::{Columns, TableKind};
use super::parquet_guard::GuardedFile;
use super::table_source::{Block, TableSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// The rows that are decoded at a time.
const DECODED_ROWS: usize = 1 << 15;

/// The reader of a Parquet file. It holds one batch, and per column one decoded page and one dictionary.
pub(super) struct ParquetSource {
    batches: ParquetBatches,
    cutter: BatchCutter,
    columns: Columns,
    precision: Precision,
    /// The rows that are read.
    rows: Range<u64>,
}

/// The record batches of a file.
struct ParquetBatches {
    reader: ParquetRecordBatchReader,
    /// The rows of the first row group that are read and in front of those wanted.
    before: u64,
}

impl ParquetBatches {
    fn read(&mut self) -> Result<Option<RecordBatch>, Fault> {
        while let Some(batch) = decoding("Parquet", || self.reader.next().transpose())? {
            let count = batch.num_rows() as u64;
            let passed = count.min(self.before);
            self.before -= passed;
            if passed < count {
                return Ok(Some(batch.slice(passed as usize, (count - passed) as usize)));
            }
        }
        Ok(None)
    }
}

impl ParquetSource {
    /// Opens a file; `rows` are those to read, all without it.
    pub(super) fn open(
        file: File,
        (kind, dimension): (&TableKind, Dimension),
        rows: Option<Range<u64>>,
        carried: impl FnOnce(&SchemaRef) -> Result<Vec<CarriedColumn>, Fault>,
    ) -> Result<Self, Fault> {
        let builder = open(file)?;
        let schema = builder.schema().clone();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let columns = Columns::find(kind, &names, dimension)?;
        let precision = precision(&columns, &schema)?;
        let carried = carried(&schema)?;
        let is_read = |name: &str| {
            columns.bindings().iter().any(|binding| binding.name == name)
                || carried.iter().any(|column| column.field.name() == name)
        };
        check_compression(is_read, builder.metadata())?;
        let total = total_rows(builder.metadata());
        let rows = rows.map_or(0..total, |rows| rows.start.min(total)..rows.end.min(total));
        let wanted = ProjectionMask::roots(builder.parquet_schema(), projection(&columns, &schema, &carried));
        // Row groups in front of the first row are not read.
        let counts = builder.metadata().row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        let (mut start, mut groups, mut before) = (0, Vec::new(), 0);
        for (number, count) in counts.enumerate() {
            if start + count <= rows.start {
                before += count;
            } else if start < rows.end {
                groups.push(number);
            }
            start += count;
        }
        // Whole row groups, for the decoder passes over rows by reads that the guard of hostile files refuses.
        let builder = builder.with_projection(wanted).with_batch_size(DECODED_ROWS).with_row_groups(groups);
        let reader = decoding("Parquet", || builder.build())?;
        let before = rows.start.saturating_sub(before);
        let batches = ParquetBatches { reader, before };
        Ok(Self { batches, cutter: BatchCutter::starting_at(rows.start), columns, precision, rows })
    }
}

fn open(file: File) -> Result<ParquetRecordBatchReaderBuilder<GuardedFile>, Fault> {
    let file = GuardedFile::open(file)?;
    // The Arrow schema that some writers embed adds nothing for numbers.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    decoding("Parquet", || ParquetRecordBatchReaderBuilder::try_new_with_options(file, options))
}

fn total_rows(metadata: &ParquetMetaData) -> u64 {
    u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0)
}

/// The number of rows that the footer of a Parquet file tells.
pub(crate) fn rows_of_footer(path: &Path) -> Result<u64, Fault> {
    Ok(total_rows(open(File::open(path)?)?.metadata()))
}

fn check_compression(is_read: impl Fn(&str) -> bool, metadata: &ParquetMetaData) -> Result<(), Fault> {
    for chunk in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let name = chunk.column_path().string();
        if let Some(text) = unreadable(chunk.compression())
            && is_read(name.split('.').next().unwrap_or(&name))
        {
            return Err(Fault::new(Place::Column(name), text));
        }
    }
    Ok(())
}

/// The error of a codec that is not built in.
fn unreadable(compression: Compression) -> Option<String> {
    use Compression::{LZ4, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD};
    let known = matches!(compression, UNCOMPRESSED | SNAPPY | ZSTD(_) | LZ4 | LZ4_RAW);
    // `GZIP(GzipLevel(6))`
    let name = compression.to_string().to_ascii_lowercase();
    let name = name.split('(').next().unwrap_or_default();
    (!known).then(|| format!("{name} compression cannot be read (use snappy, zstd, lz4 or none)"))
}

impl TableSource for ParquetSource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(&mut self, most: usize) -> Result<Option<Block>, Fault> {
        let Self { batches, cutter, rows, .. } = self;
        let left = rows.end - cutter.rows();
        let most = most.min(usize::try_from(left).unwrap_or(usize::MAX));
        let block = cutter.block(most, || batches.read())?;
        match block {
            None if cutter.rows() < rows.end => Err(Fault::truncated(rows.end, "rows", cutter.rows())),
            block => Ok(block),
        }
    }

    fn has_more(&mut self) -> Result<bool, Fault> {
        Ok(self.cutter.rows() < self.rows.end)
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.rows.end - self.rows.start)
    }

    fn progress(&self) -> Option<f64> {
        let (done, total) = (self.cutter.rows() - self.rows.start, self.rows.end - self.rows.start);
        Some(if total == 0 { 1.0 } else { done as f64 / total as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_codecs_are_named() {
        let gzip = unreadable(Compression::GZIP(Default::default()));
        assert_eq!(gzip.as_deref(), Some("gzip compression cannot be read (use snappy, zstd, lz4 or none)"));
        assert_eq!(unreadable(Compression::SNAPPY), None);
    }
}
