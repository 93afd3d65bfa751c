//! Record batches as the bytes of a file, block by block: blocks are encoded on any thread and written in order.

use super::compressed::compressed;
use super::format::{Compression, Format};
use super::las_points::LasGrid;
use super::open_table::TextOptions;
use super::point_cloud::PointBlock;
use super::point_file::{LasRounding, PointEncoder, PointFile};
use super::record_text::{RecordText, Style, has_text};
use crate::error::{Fault, Result};
use crate::output::Output;
use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression as ParquetCompression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::io::{self, Write};
use std::sync::Arc;

/// The length of a cell of text, for the first guess of a block's length.
const TEXT_CELL_BYTES: usize = 8;

/// The most rows of a page of Parquet.
const PAGE_ROWS: usize = 1 << 17;

/// How a table is written.
#[derive(Clone, Debug)]
pub(crate) struct TableEncoding {
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    pub(crate) text: TextOptions,
    /// Facts about the table, as names and values: for Parquet.
    pub(crate) metadata: Vec<(String, String)>,
    /// The coordinates of LAS.
    pub(crate) grid: Option<LasGrid>,
}

/// Encodes the blocks of a table.
pub(crate) struct TableEncoder {
    schema: SchemaRef,
    kind: Kind,
}

enum Kind {
    Text(Style, Compression),
    Parquet { factory: ArrowRowGroupWriterFactory, properties: Arc<WriterProperties> },
    Arrow,
    ArrowStream,
    Points(Arc<PointEncoder>),
}

/// A block that is ready to be written.
pub(crate) enum EncodedBlock {
    Text(Vec<u8>),
    /// A row group.
    Parquet(Vec<ArrowColumnChunk>),
    Arrow(RecordBatch),
    Points(PointBlock),
}

impl TableEncoder {
    pub(crate) fn new(schema: &SchemaRef, encoding: &TableEncoding) -> Result<Self, Fault> {
        let style = match encoding.format {
            Format::Csv => Some(Style::Csv {
                delimiter: encoding.text.delimiter.unwrap_or(b',').into(),
                null: encoding.text.null.clone().unwrap_or_default(),
            }),
            Format::JsonLines => Some(Style::Json),
            Format::Parquet | Format::Arrow | Format::ArrowStream | Format::Ply | Format::Las => None,
        };
        let kind = match (style, encoding.format) {
            (Some(style), _) => {
                if let Some(field) = schema.fields().iter().find(|field| !has_text(field.data_type())) {
                    let (name, of) = (field.name(), field.data_type());
                    let text = format!("column '{name}': text has no values of type {of} (Parquet and Arrow have)");
                    return Err(Fault::file(text));
                }
                Kind::Text(style, encoding.compression)
            }
            (None, Format::Parquet) => {
                let properties = Arc::new(parquet_properties(schema, &encoding.metadata));
                // Only the schema of a file and its properties matter here, not the file.
                let root = ArrowSchemaConverter::new().convert(schema)?.root_schema_ptr();
                let no_file = SerializedFileWriter::new(io::sink(), root, properties.clone())?;
                Kind::Parquet { factory: ArrowRowGroupWriterFactory::new(&no_file, schema.clone()), properties }
            }
            (None, Format::ArrowStream) => Kind::ArrowStream,
            (None, format @ (Format::Ply | Format::Las)) => {
                Kind::Points(Arc::new(PointEncoder::new(format, schema, encoding.grid)?))
            }
            (None, _) => Kind::Arrow,
        };
        Ok(Self { schema: schema.clone(), kind })
    }

    /// Encodes the rows of a block; `None` where there are none.
    pub(crate) fn encode(&self, batch: RecordBatch) -> Result<Option<EncodedBlock>, Fault> {
        if batch.num_rows() == 0 {
            return Ok(None);
        }
        Ok(Some(match &self.kind {
            Kind::Text(style, compression) => {
                let lines = RecordText::new(style, &batch);
                let mut text = Vec::with_capacity(batch.num_rows() * batch.num_columns() * TEXT_CELL_BYTES);
                (0..batch.num_rows()).for_each(|row| lines.row(row, &mut text));
                EncodedBlock::Text(compressed(text, *compression)?)
            }
            Kind::Parquet { factory, .. } => {
                let mut writers = factory.create_column_writers(0)?.into_iter();
                let mut chunks = Vec::with_capacity(writers.len());
                for (field, array) in self.schema.fields().iter().zip(batch.columns()) {
                    // A nested column has several leaves.
                    for leaf in compute_leaves(field, array)? {
                        let Some(mut writer) = writers.next() else {
                            return Err(Fault::file("columns without writers"));
                        };
                        writer.write(&leaf)?;
                        chunks.push(writer.close()?);
                    }
                }
                EncodedBlock::Parquet(chunks)
            }
            Kind::Arrow | Kind::ArrowStream => EncodedBlock::Arrow(batch),
            Kind::Points(points) => EncodedBlock::Points(points.encode(&batch)?),
        }))
    }

    /// Begins a file.
    pub(crate) fn begin(&self, mut output: Output) -> Result<TableFile, Fault> {
        Ok(TableFile(match &self.kind {
            Kind::Text(style, compression) => {
                let header = style.header(&self.schema);
                if !header.is_empty() {
                    output.write_all(&compressed(header.into_bytes(), *compression)?)?;
                }
                FileKind::Text(output)
            }
            Kind::Parquet { properties, .. } => {
                let root = ArrowSchemaConverter::new().convert(&self.schema)?.root_schema_ptr();
                FileKind::Parquet(Box::new(SerializedFileWriter::new(output, root, properties.clone())?))
            }
            Kind::Arrow => FileKind::Arrow(Box::new(FileWriter::try_new(output, &self.schema)?)),
            Kind::ArrowStream => FileKind::ArrowStream(Box::new(StreamWriter::try_new(output, &self.schema)?)),
            Kind::Points(points) => FileKind::Points(Box::new(PointFile::new(output, points.clone())?)),
        }))
    }
}

/// A file of a table, written block by block. It appears with [`TableFile::finish`].
pub(crate) struct TableFile(FileKind);

enum FileKind {
    Text(Output),
    Parquet(Box<SerializedFileWriter<Output>>),
    Arrow(Box<FileWriter<Output>>),
    ArrowStream(Box<StreamWriter<Output>>),
    Points(Box<PointFile>),
}

impl TableFile {
    pub(crate) fn write(&mut self, block: EncodedBlock) -> Result<(), Fault> {
        match (&mut self.0, block) {
            (FileKind::Text(output), EncodedBlock::Text(text)) => output.write_all(&text)?,
            (FileKind::Parquet(file), EncodedBlock::Parquet(chunks)) => {
                let mut group = file.next_row_group()?;
                for chunk in chunks {
                    chunk.append_to_row_group(&mut group)?;
                }
                group.close()?;
            }
            (FileKind::Arrow(file), EncodedBlock::Arrow(batch)) => file.write(&batch)?,
            (FileKind::ArrowStream(file), EncodedBlock::Arrow(batch)) => file.write(&batch)?,
            (FileKind::Points(file), EncodedBlock::Points(points)) => file.write(&points)?,
            _ => return Err(Fault::file("a block of another format")),
        }
        Ok(())
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(self) -> Result<Output, Fault> {
        Ok(match self.0 {
            FileKind::Text(output) => output,
            FileKind::Parquet(file) => file.into_inner()?,
            FileKind::Arrow(file) => file.into_inner()?,
            FileKind::ArrowStream(file) => file.into_inner()?,
            FileKind::Points(file) => file.finish()?,
        })
    }

    /// How the coordinates so far are rounded, in LAS.
    pub(crate) fn rounding(&self) -> Option<LasRounding> {
        match &self.0 {
            FileKind::Points(file) => file.rounding(),
            _ => None,
        }
    }
}

/// zstd at its fastest level; statistics per row group and no page index, since that is kept in memory to the end.
///
/// Random numbers are larger in a dictionary than without it. Integers are close to their neighbours: rows are counted, and
/// numbers of triangles have fewer bits than their type.
fn parquet_properties(schema: &SchemaRef, metadata: &[(String, String)]) -> WriterProperties {
    let pairs = metadata.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    let mut builder = WriterProperties::builder()
        .set_compression(ParquetCompression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        // A page for each column of a block, unless its numbers are long.
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(PAGE_ROWS)
        .set_key_value_metadata((!metadata.is_empty()).then(|| pairs.collect()))
        .set_created_by(concat!("hitscan ", env!("CARGO_PKG_VERSION")).to_owned());
    for field in schema.fields() {
        let encoding = match field.data_type() {
            DataType::Float32 | DataType::Float64 => Encoding::PLAIN,
            DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => Encoding::DELTA_BINARY_PACKED,
            _ => continue,
        };
        let path = ColumnPath::from(field.name().as_str());
        builder = builder.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
    }
    let mut properties = builder.build();
    add_encoded_arrow_schema_to_metadata(schema, &mut properties);
    properties
}

/// The schema with these facts, for formats that keep them there.
pub(crate) fn with_metadata(schema: &Schema, encoding: &TableEncoding) -> SchemaRef {
    match encoding.format {
        Format::Arrow | Format::ArrowStream => {
            let facts = encoding.metadata.iter().cloned().collect();
            Arc::new(Schema::new_with_metadata(schema.fields().clone(), facts))
        }
        _ => Arc::new(schema.clone()),
    }
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
