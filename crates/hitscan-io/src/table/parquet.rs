//! Tables from Parquet.

use super::arrow::{decoding, precision, rows};
use super::columns::{Columns, TableKind};
use super::parquet_guard::GuardedFile;
use super::table_source::{TableRows, TableSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use std::fs::File;

/// The reader of a Parquet file. It holds one batch, and per column one decoded page and one dictionary.
pub(super) struct ParquetSource {
    reader: ParquetRecordBatchReader,
    columns: Columns,
    precision: Precision,
    next_row: u64,
    total_rows: u64,
}

impl ParquetSource {
    pub(super) fn open(file: File, kind: &TableKind, dimension: Dimension, batch_rows: usize) -> Result<Self, Fault> {
        let file = GuardedFile::open(file)?;
        // The Arrow schema that some writers embed adds nothing for numbers.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = decoding("Parquet", || ParquetRecordBatchReaderBuilder::try_new_with_options(file, options))?;
        let names: Vec<&str> = builder.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let columns = Columns::find(kind, &names, dimension)?;
        let precision = precision(&columns, builder.schema())?;
        check_compression(&columns, builder.metadata())?;
        let total_rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let wanted =
            ProjectionMask::roots(builder.parquet_schema(), columns.bindings().iter().map(|binding| binding.index));
        let builder = builder.with_projection(wanted).with_batch_size(batch_rows);
        let reader = decoding("Parquet", || builder.build())?;
        Ok(Self { reader, columns, precision, next_row: 0, total_rows })
    }
}

fn check_compression(columns: &Columns, metadata: &ParquetMetaData) -> Result<(), Fault> {
    for chunk in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let name = chunk.column_path().string();
        if let Some(text) = unreadable(chunk.compression())
            && columns.bindings().iter().any(|binding| binding.name == name)
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

    fn next_rows(&mut self) -> Result<Option<TableRows>, Fault> {
        while let Some(batch) = decoding("Parquet", || self.reader.next().transpose())? {
            if batch.num_rows() > 0 {
                let rows = rows(&self.columns, &batch, self.next_row)?;
                self.next_row += batch.num_rows() as u64;
                return Ok(Some(rows));
            }
        }
        match self.next_row == self.total_rows {
            true => Ok(None),
            false => Err(Fault::truncated(self.total_rows, "rows", self.next_row)),
        }
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.total_rows)
    }

    fn progress(&self) -> Option<f64> {
        Some(if self.total_rows == 0 { 1.0 } else { self.next_row as f64 / self.total_rows as f64 })
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
