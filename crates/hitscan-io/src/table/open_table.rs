//! A table that is open for reading, of any format, from a file or from standard input.

use super::bad_row::OnError;
use super::block_decoder::BlockDecoder;
use super::carried_column::{CarriedColumn, inferred_types, text_type, text_type_names};
use super::columns::{Columns, TableKind, listed_columns};
use super::compressed::decompressed;
use super::format::{Compression, Format, is_stream};
use super::ipc::{IpcSource, IpcStreamSource};
use super::memory_source::MemorySource;
use super::parquet::ParquetSource;
use super::ray_batch::RayBatch;
use super::table_source::TableSource;
use super::text_records::{RecordFormat, Syntax};
use super::text_source::{Meter, Metered, TextSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Error, Fault, Place, Result};
use arrow_schema::{DataType, Field, SchemaRef};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The rows whose cells tell the types of columns of text.
const TYPED_ROWS: usize = 125_000;

/// How text is written, in tables that are read and in those that are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// The character between the cells of CSV: a byte of ASCII. A comma, or a tab in `.tsv` files, unless this says otherwise.
    pub delimiter: Option<u8>,
    /// The text of a missing value, which the empty cell is, too. CSV that is written has this text instead of an empty cell.
    pub null: Option<String>,
}

/// Which columns of a table of inputs go to the results as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Carried {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those of these names, in this order. For a column of text, a colon and a type may follow: `int64`, `float64`,
    /// `boolean` or `text`.
    Named(Vec<String>),
}

/// What to read of a table.
pub(crate) struct OpenOptions<'a> {
    pub(crate) format: Option<Format>,
    pub(crate) text: &'a TextOptions,
    pub(crate) decimals: Precision,
    pub(crate) carried: &'a Carried,
    /// Whether columns of text that are carried get the types of their cells; without it they stay text.
    pub(crate) has_types: bool,
    /// The rows to read, of a Parquet file; all without it.
    pub(crate) rows: Option<Range<u64>>,
}

/// A table that is open for reading.
pub(crate) struct OpenTable {
    source: Box<dyn TableSource + Send>,
    pub(crate) name: PathBuf,
    carried: Vec<CarriedColumn>,
    records: Option<RecordFormat>,
    /// The bytes of a stream that went to a temporary file, for a format that is read from its end.
    pub(crate) spooled: Option<u64>,
}

impl OpenTable {
    pub(crate) fn open(path: &Path, kind: &TableKind, dimension: Dimension, options: &OpenOptions<'_>) -> Result<Self> {
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { PathBuf::from("<stdin>") } else { path.to_owned() };
        let table = (kind, dimension);
        if is_stream(path) {
            let input: Box<dyn Read + Send> = match is_stdin {
                true => Box::new(io::stdin()),
                false => Box::new(BufReader::new(File::open(path).map_err(|error| Error::io(path, error))?)),
            };
            return Self::from_stream(input, name.clone(), table, options).map_err(|fault| fault.in_file(&name));
        }
        let (format, compression) = match options.format {
            Some(format) => (format, Compression::from_path(path)),
            None => Format::and_compression(path)?,
        };
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        Self::from_file(file, name.clone(), (format, compression), table, options).map_err(|fault| fault.in_file(&name))
    }

    fn from_file(
        mut file: File,
        name: PathBuf,
        (format, compression): (Format, Compression),
        table: (&TableKind, Dimension),
        options: &OpenOptions<'_>,
    ) -> Result<Self, Fault> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(Fault::from(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let bytes = metadata.len();
        if bytes == 0 {
            return Err(Fault::file("empty file"));
        }
        check_signature(&mut file, (format, compression))?;
        match format {
            Format::Csv | Format::JsonLines => {
                Self::text(Box::new(file), name, (format, compression), (Some(bytes), table, options))
            }
            Format::ArrowStream => Self::stream(Box::new(BufReader::new(file)), name, table, options),
            Format::Parquet | Format::Arrow => Self::file(file, name, format, (table, options)),
            Format::Ply | Format::Las => Err(only_results()),
        }
    }

    /// A stream, whose first bytes tell the format.
    fn from_stream(
        mut input: Box<dyn Read + Send>,
        name: PathBuf,
        table: (&TableKind, Dimension),
        options: &OpenOptions<'_>,
    ) -> Result<Self, Fault> {
        let mut beginning = Vec::new();
        input.by_ref().take(8).read_to_end(&mut beginning)?;
        let (format, compression) = match &beginning[..] {
            [b'P', b'A', b'R', b'1', ..] => (Format::Parquet, Compression::None),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => (Format::Arrow, Compression::None),
            [0xFF, 0xFF, 0xFF, 0xFF, ..] => (Format::ArrowStream, Compression::None),
            [0x1F, 0x8B, ..] => (Format::Csv, Compression::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => (Format::Csv, Compression::Zstd),
            text if text.trim_ascii_start().starts_with(b"{") => (Format::JsonLines, Compression::None),
            _ => (Format::Csv, Compression::None),
        };
        let mut format = options.format.unwrap_or(format);
        input = Box::new(Cursor::new(beginning).chain(input));
        if compression != Compression::None {
            input = decompressed(input, compression)?;
            let mut unpacked = Vec::new();
            input.by_ref().take(8).read_to_end(&mut unpacked)?;
            if options.format.is_none() && unpacked.trim_ascii_start().starts_with(b"{") {
                format = Format::JsonLines;
            }
            input = Box::new(Cursor::new(unpacked).chain(input));
        }
        match format {
            Format::Csv | Format::JsonLines => {
                Self::text(input, name, (format, Compression::None), (None, table, options))
            }
            Format::ArrowStream => Self::stream(input, name, table, options),
            Format::Parquet | Format::Arrow => {
                let spool = |error: io::Error| {
                    let folder = std::env::temp_dir();
                    let text = format!(
                        "the temporary file for it cannot be written in {} (TMPDIR names another folder): {}",
                        folder.display(),
                        system_reason(&error)
                    );
                    Fault::from(error).with_text(text)
                };
                let mut file = tempfile::tempfile().map_err(spool)?;
                let bytes = io::copy(&mut input, &mut file).map_err(spool)?;
                file.rewind()?;
                Ok(Self { spooled: Some(bytes), ..Self::file(file, name, format, (table, options))? })
            }
            Format::Ply | Format::Las => Err(only_results()),
        }
    }

    fn file(
        file: File,
        name: PathBuf,
        format: Format,
        (table, options): ((&TableKind, Dimension), &OpenOptions<'_>),
    ) -> Result<Self, Fault> {
        let mut carried = Vec::new();
        let choose = |schema: &SchemaRef| {
            carried = typed_columns(schema, options.carried)?;
            Ok(carried.clone())
        };
        let source: Box<dyn TableSource + Send> = match format {
            Format::Parquet => Box::new(ParquetSource::open(file, table, options.rows.clone(), choose)?),
            _ => Box::new(IpcSource::open(file, table, choose)?),
        };
        Ok(Self { source, name, carried, records: None, spooled: None })
    }

    fn stream(
        input: Box<dyn Read + Send>,
        name: PathBuf,
        table: (&TableKind, Dimension),
        options: &OpenOptions<'_>,
    ) -> Result<Self, Fault> {
        let mut carried = Vec::new();
        let choose = |schema: &SchemaRef| {
            carried = typed_columns(schema, options.carried)?;
            Ok(carried.clone())
        };
        let source = Box::new(IpcStreamSource::open(input, table, choose)?);
        Ok(Self { source, name, carried, records: None, spooled: None })
    }

    fn text(
        input: Box<dyn Read + Send>,
        name: PathBuf,
        (format, compression): (Format, Compression),
        (bytes, table, options): (Option<u64>, (&TableKind, Dimension), &OpenOptions<'_>),
    ) -> Result<Self, Fault> {
        if options.rows.is_some() {
            return Err(Fault::file("some of the rows can be read of Parquet only"));
        }
        let read = Arc::new(AtomicU64::new(0));
        let metered = Metered { input, read: read.clone() };
        let is_tabs = name.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().contains(".tsv"));
        let syntax = match format {
            Format::JsonLines => Syntax::JsonLines,
            _ => Syntax::Csv { delimiter: options.text.delimiter.unwrap_or(if is_tabs { b'\t' } else { b',' }) },
        };
        let text = decompressed(Box::new(metered), compression)?;
        let mut source = TextSource::open(text, Meter { bytes, read }, table, (syntax, options.decimals))?;
        let chosen = text_columns(source.header(), options.carried)?;
        let own: Vec<String> = source.columns().bindings().iter().map(|binding| binding.name.to_owned()).collect();
        let absent = table.0.optional.iter().filter(|name| !own.iter().any(|own| own == *name)).copied().collect();
        let null = options.text.null.clone();
        let names = |names: Vec<String>| {
            TextSource::record_format(syntax, source.header(), names.into_iter(), null.clone(), Vec::new())
        };
        let carried_names: Vec<String> = chosen.iter().map(|(name, _)| name.clone()).collect();
        let mut records = names([own, carried_names.clone()].concat());
        let carried_records = names(carried_names);
        records.absent = absent;
        let mut types = Vec::new();
        if options.has_types && !chosen.is_empty() {
            source.peek(TYPED_ROWS, |records| {
                types = inferred_types(records, &carried_records)?;
                Ok(())
            })?;
        }
        let mut types = types.into_iter();
        let carried = chosen.into_iter().map(|(name, given)| {
            let inferred = types.next();
            let of = given.or(inferred).unwrap_or(DataType::Utf8);
            CarriedColumn { field: Field::new(name, of, true) }
        });
        Ok(Self { carried: carried.collect(), source: Box::new(source), name, records: Some(records), spooled: None })
    }

    /// Rays in memory.
    pub(crate) fn in_memory(rays: &RayBatch, kind: &TableKind) -> Result<Self, Fault> {
        let source = Box::new(MemorySource::new(rays, kind)?);
        Ok(Self { source, name: "rays".into(), carried: Vec::new(), records: None, spooled: None })
    }

    /// The rows, and what reads their cells.
    pub(crate) fn split(&mut self, on_error: OnError) -> (&mut (dyn TableSource + Send), BlockDecoder<'_>) {
        let Self { source, carried, records, .. } = self;
        // The columns are found once, when the table is opened.
        let columns = source.columns().clone();
        (&mut **source, BlockDecoder::new(columns, carried, records.as_ref(), on_error))
    }

    /// Whether there are more rows.
    pub(crate) fn has_more(&mut self) -> Result<bool, Fault> {
        self.source.has_more()
    }

    pub(crate) fn columns(&self) -> &Columns {
        self.source.columns()
    }

    pub(crate) fn carried_fields(&self) -> Vec<Field> {
        self.carried.iter().map(|column| column.field.clone()).collect()
    }

    pub(crate) fn precision(&self) -> Precision {
        self.source.precision()
    }

    pub(crate) fn total_rows(&self) -> Option<u64> {
        self.source.total_rows()
    }

    pub(crate) fn progress(&self) -> Option<f64> {
        self.source.progress()
    }
}

/// The columns of a file with types that are carried.
fn typed_columns(schema: &SchemaRef, carried: &Carried) -> Result<Vec<CarriedColumn>, Fault> {
    let names = match carried {
        Carried::None => return Ok(Vec::new()),
        Carried::All => return Ok(schema.fields().iter().map(|f| CarriedColumn { field: (**f).clone() }).collect()),
        Carried::Named(names) => names,
    };
    let header: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let chosen = names.iter().map(|name| {
        if let Ok(field) = schema.field_with_name(name) {
            return Ok(CarriedColumn { field: field.clone() });
        }
        match name.rsplit_once(':') {
            Some((name, of)) if text_type(of).is_some() && schema.index_of(name).is_ok() => {
                let text = format!("the column has a type: leave out :{of}, which is for text");
                Err(Fault::new(Place::Column(name.to_owned()), text))
            }
            _ => Err(no_column(name, &header)),
        }
    });
    chosen.collect()
}

/// The names and the given types of the columns of a text that are carried.
fn text_columns(header: &[String], carried: &Carried) -> Result<Vec<(String, Option<DataType>)>, Fault> {
    let names = match carried {
        Carried::None => return Ok(Vec::new()),
        Carried::All => header,
        Carried::Named(names) => names,
    };
    let chosen = names.iter().map(|name| {
        if header.contains(name) {
            return Ok((name.clone(), None));
        }
        match name.rsplit_once(':') {
            Some((name, of)) if header.iter().any(|column| column == name) => match text_type(of) {
                Some(of) => Ok((name.to_owned(), Some(of))),
                None => {
                    let text = format!("unknown type '{of}' (known are {})", text_type_names());
                    Err(Fault::new(Place::Column(name.to_owned()), text))
                }
            },
            _ => Err(no_column(name, header)),
        }
    });
    let chosen: Vec<(String, Option<DataType>)> = chosen.collect::<Result<_, _>>()?;
    for (name, _) in &chosen {
        if name.contains(char::REPLACEMENT_CHARACTER) {
            let text = "the name of the column is not UTF-8 (the encoding that the table must have)";
            return Err(Fault::new(Place::Column(name.clone()), text));
        }
        if header.iter().filter(|column| *column == name).count() > 1 {
            return Err(Fault::file(format!("column '{name}' appears twice")));
        }
    }
    Ok(chosen)
}

fn only_results() -> Fault {
    Fault::file("PLY and LAS are formats of results, not of tables that are read")
}

fn no_column(name: &str, header: &[String]) -> Fault {
    Fault::file(format!("no column '{name}' to keep (the table has {})", listed_columns(header)))
}

/// What the system says about a failed call, without a number and a path.
fn system_reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Refuses a file whose first bytes are those of another format or compression.
fn check_signature(file: &mut File, (format, compression): (Format, Compression)) -> Result<(), Fault> {
    let mut beginning = Vec::new();
    file.by_ref().take(8).read_to_end(&mut beginning)?;
    file.rewind()?;
    let packed = |by: &str, extension: &str| match format.is_text() {
        true => format!("compressed by {by}: its name must end in {extension}"),
        false => format!("compressed by {by}: unpack it first"),
    };
    let content = match &beginning[..] {
        [b'P', b'A', b'R', b'1', ..] if format != Format::Parquet => "a Parquet file: rename it to .parquet".to_owned(),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] if format != Format::Arrow => {
            "an Arrow file: rename it to .arrow".to_owned()
        }
        [0x1F, 0x8B, ..] if compression != Compression::Gzip => packed("gzip", ".gz"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] if compression != Compression::Zstd => packed("Zstandard", ".zst"),
        _ => return Ok(()),
    };
    Err(Fault::file(format!("by its content this is {content}")))
}
