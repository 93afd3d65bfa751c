//! Writing record batches in any format.

use super::format::Format;
use super::ray_batch::DEFAULT_BATCH_ROWS;
use super::record_text::{RecordText, Style};
use crate::error::{Fault, Result};
use crate::output::Output;
use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The rows that the Parquet writer keeps in memory: two batches.
const ROW_GROUP_ROWS: usize = 2 * DEFAULT_BATCH_ROWS;

/// A table, written batch by batch. The file appears with [`RecordWriter::finish`].
pub(super) struct RecordWriter {
    sink: RecordSink,
    name: PathBuf,
}

enum RecordSink {
    Text { output: Output, style: Style, text: Vec<u8> },
    Parquet(Box<ArrowWriter<Output>>),
    Arrow(Box<FileWriter<Output>>),
}

impl RecordWriter {
    /// Starts a table in a file, or on standard output without a `target`.
    pub(super) fn create(target: Option<&Path>, format: Format, schema: &SchemaRef) -> Result<Self> {
        let output = Output::create(target)?;
        let name = output.name().to_owned();
        let sink = RecordSink::new(output, format, schema).map_err(|fault| fault.in_file(&name))?;
        Ok(Self { sink, name })
    }

    /// The error of a batch that does not fit the table.
    pub(super) fn refusal(&self, error: &'static str) -> crate::error::Error {
        Fault::file(error).in_file(&self.name)
    }

    /// Writes `count` rows; `records` makes some of them a record batch.
    pub(super) fn write(
        &mut self,
        count: usize,
        records: impl Fn(Range<usize>) -> Result<RecordBatch, ArrowError>,
    ) -> Result<()> {
        for start in (0..count).step_by(DEFAULT_BATCH_ROWS) {
            let rows = start..count.min(start + DEFAULT_BATCH_ROWS);
            let written = records(rows).map_err(Fault::from).and_then(|batch| self.sink.write(&batch));
            written.map_err(|fault| fault.in_file(&self.name))?;
        }
        Ok(())
    }

    /// Completes the table and gives the file its name.
    pub(super) fn finish(self) -> Result<()> {
        let name = self.name;
        self.sink.close().map_err(|fault| fault.in_file(&name)).and_then(Output::finish)
    }
}

impl RecordSink {
    fn new(output: Output, format: Format, schema: &SchemaRef) -> Result<Self, Fault> {
        Ok(match format {
            Format::Csv => Self::text(output, Style::Csv, schema)?,
            Format::JsonLines => Self::text(output, Style::Json, schema)?,
            Format::Parquet => {
                let properties = parquet_properties();
                Self::Parquet(Box::new(ArrowWriter::try_new(output, schema.clone(), Some(properties))?))
            }
            Format::Arrow => Self::Arrow(Box::new(FileWriter::try_new(output, schema)?)),
        })
    }

    fn text(mut output: Output, style: Style, schema: &SchemaRef) -> io::Result<Self> {
        output.write_all(style.header(schema).as_bytes())?;
        Ok(Self::Text { output, style, text: Vec::new() })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Fault> {
        match self {
            Self::Text { output, style, text } => {
                let lines = RecordText::new(*style, batch)?;
                // In pieces: text is several times as large as its numbers.
                for row in 0..batch.num_rows() {
                    lines.row(row, text);
                    if text.len() > 1 << 15 {
                        output.write_all(text)?;
                        text.clear();
                    }
                }
                output.write_all(text)?;
                text.clear();
            }
            Self::Parquet(writer) => writer.write(batch)?,
            Self::Arrow(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn close(self) -> Result<Output, Fault> {
        Ok(match self {
            Self::Text { output, .. } => output,
            Self::Parquet(writer) => writer.into_inner()?,
            Self::Arrow(writer) => writer.into_inner()?,
        })
    }
}

/// zstd at its fastest level; statistics per row group and no page index, since that is kept in memory to the end.
fn parquet_properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_created_by(concat!("hitscan ", env!("CARGO_PKG_VERSION")).to_owned())
        .build()
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Self::from(*error),
                Err(inner) => Self::caused(inner),
            },
            other => Self::caused(other),
        }
    }
}

impl From<ArrowError> for Fault {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::from(error),
            other => Self::caused(other),
        }
    }
}
