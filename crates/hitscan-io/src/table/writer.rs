//! Writing tables of hits.

use super::format::Format;
use super::hits::{HitBatch, HitSchema};
use super::hits_arrow::{HitArrays, schema as arrow_schema};
use super::hits_text::{HitText, Style};
use super::ray_batch::DEFAULT_BATCH_ROWS;
use crate::error::{Fault, Result};
use crate::output::Output;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::fmt::{self, Debug, Formatter};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The rows that the Parquet writer keeps in memory: two batches.
const ROW_GROUP_ROWS: usize = 2 * DEFAULT_BATCH_ROWS;

/// A table of hits, written batch by batch.
///
/// The file appears, complete, with [`HitWriter::finish`]; without it there is no file, and a file that was there
/// stays as it was. Nulls are empty cells in CSV and `null` in JSON, which also has `null` for infinities.
pub struct HitWriter {
    sink: HitSink,
    schema: HitSchema,
    name: PathBuf,
}

enum HitSink {
    Text { output: Output, rows: HitText, text: Vec<u8> },
    Parquet { writer: Box<ArrowWriter<Output>>, rows: HitArrays },
    Arrow { writer: Box<FileWriter<Output>>, rows: HitArrays },
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
        let output = Output::create(target)?;
        let name = output.name().to_owned();
        let sink = HitSink::new(output, format, &schema).map_err(|fault| fault.in_file(&name))?;
        Ok(Self { sink, schema, name })
    }

    /// Writes rows.
    ///
    /// # Errors
    ///
    /// When the batch does not fit the schema, or the file cannot be written.
    pub fn write(&mut self, batch: &HitBatch) -> Result<()> {
        if let Some(error) = batch.layout_error(&self.schema) {
            return Err(Fault::file(error).in_file(&self.name));
        }
        for start in (0..batch.len()).step_by(DEFAULT_BATCH_ROWS) {
            let rows = start..batch.len().min(start + DEFAULT_BATCH_ROWS);
            self.sink.write(batch, rows).map_err(|fault| fault.in_file(&self.name))?;
        }
        Ok(())
    }

    /// Completes the table and gives the file its name.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish(self) -> Result<()> {
        let name = self.name;
        self.sink.close().map_err(|fault| fault.in_file(&name)).and_then(Output::finish)
    }
}

impl HitSink {
    fn new(output: Output, format: Format, schema: &HitSchema) -> Result<Self, Fault> {
        Ok(match format {
            Format::Csv => Self::text(output, Style::Csv, schema)?,
            Format::JsonLines => Self::text(output, Style::Json, schema)?,
            Format::Parquet => {
                let rows = HitArrays::new(schema);
                let writer = ArrowWriter::try_new(output, rows.schema(), Some(parquet_properties()))?;
                Self::Parquet { writer: Box::new(writer), rows }
            }
            Format::Arrow => {
                let rows = HitArrays::new(schema);
                let writer = FileWriter::try_new(output, &rows.schema())?;
                Self::Arrow { writer: Box::new(writer), rows }
            }
        })
    }

    fn text(mut output: Output, style: Style, schema: &HitSchema) -> io::Result<Self> {
        let rows = HitText::new(style, schema);
        let columns = arrow_schema(schema);
        let names: Vec<&str> = columns.fields().iter().map(|field| field.name().as_str()).collect();
        output.write_all(rows.header(&names).as_bytes())?;
        Ok(Self::Text { output, rows, text: Vec::new() })
    }

    fn write(&mut self, batch: &HitBatch, range: std::ops::Range<usize>) -> Result<(), Fault> {
        match self {
            Self::Text { output, rows, text } => {
                // In pieces: text is several times as large as its numbers.
                for row in range {
                    rows.rows(batch, row..row + 1, text);
                    if text.len() > 1 << 15 {
                        output.write_all(text)?;
                        text.clear();
                    }
                }
                output.write_all(text)?;
                text.clear();
            }
            Self::Parquet { writer, rows } => writer.write(&rows.rows(batch, range)?)?,
            Self::Arrow { writer, rows } => writer.write(&rows.rows(batch, range)?)?,
        }
        Ok(())
    }

    fn close(self) -> Result<Output, Fault> {
        Ok(match self {
            Self::Text { output, .. } => output,
            Self::Parquet { writer, .. } => writer.into_inner()?,
            Self::Arrow { writer, .. } => writer.into_inner()?,
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

impl Debug for HitWriter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("HitWriter").field("name", &self.name).field("schema", &self.schema).finish_non_exhaustive()
    }
}
