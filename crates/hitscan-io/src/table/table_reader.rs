//! Reading tables of numbers, of any kind and format.

use super::columns::{Columns, TableKind};
use super::csv::CsvSource;
use super::format::Format;
use super::ipc::IpcSource;
use super::parquet::ParquetSource;
use super::ray_batch::DEFAULT_BATCH_ROWS;
use super::table_source::{TableRows, TableSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Error, Fault, Result};
use std::fmt::{self, Debug, Formatter};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

/// Options of reading a table.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The format; `None` takes it from the file's extension.
    pub format: Option<Format>,
    /// The number of rows in a batch; 0 counts as 1.
    pub batch_rows: usize,
    /// The precision of decimals in a CSV, which has no types: `F64`, unless this says otherwise. Give the precision of the
    /// scene ([`SceneFile::precision`](crate::SceneFile::precision)) to cast rays of decimals such as `0.1` in `f32`: each
    /// then becomes the nearest `f32`. Parquet and Arrow files have types, which count instead.
    pub decimals: Precision,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, batch_rows: DEFAULT_BATCH_ROWS, decimals: Precision::F64 }
    }
}

/// A table, read batch by batch.
pub(super) struct TableReader {
    source: Box<dyn TableSource + Send>,
    name: PathBuf,
    pub(super) dimension: Dimension,
    /// After an error or the last batch.
    ended: bool,
}

impl TableReader {
    /// Opens a table in a file; `-` is standard input.
    pub(super) fn open(path: &Path, kind: &TableKind, dimension: Dimension, options: ReadOptions) -> Result<Self> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { PathBuf::from("<stdin>") } else { path.to_owned() };
        let format = match options.format {
            Some(format) => format,
            None if stdin => Format::Csv,
            None => Format::from_path(path)?,
        };
        let options = ReadOptions { format: Some(format), batch_rows: options.batch_rows.max(1), ..options };
        let source = if stdin {
            from_stdin(format, kind, dimension, options)
        } else {
            let file = File::open(path).map_err(|error| Error::io(path, error))?;
            from_file(file, format, kind, dimension, options)
        };
        let source = source.map_err(|fault| fault.in_file(&name))?;
        Ok(Self { source, name, dimension, ended: false })
    }

    /// The columns that it reads.
    pub(super) fn columns(&self) -> &Columns {
        self.source.columns()
    }

    /// The precision of all rows.
    pub(super) fn precision(&self) -> Precision {
        self.source.precision()
    }

    /// The number of rows, where it is known.
    pub(super) fn total_rows(&self) -> Option<u64> {
        self.source.total_rows()
    }

    /// The part read so far, 0 to 1, where it is known.
    pub(super) fn progress(&self) -> Option<f64> {
        self.source.progress()
    }
}

fn from_stdin(
    format: Format,
    kind: &TableKind,
    dimension: Dimension,
    options: ReadOptions,
) -> Result<Box<dyn TableSource + Send>, Fault> {
    match format {
        Format::Csv => {
            Ok(Box::new(CsvSource::open(Box::new(std::io::stdin()), None, kind, dimension, decimals(options))?))
        }
        _ => Err(Fault::file("only CSV can be read from standard input (other formats need a file)")),
    }
}

fn from_file(
    mut file: File,
    format: Format,
    kind: &TableKind,
    dimension: Dimension,
    options: ReadOptions,
) -> Result<Box<dyn TableSource + Send>, Fault> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Fault::from(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
    }
    if metadata.is_file() {
        if metadata.len() == 0 {
            return Err(Fault::file("empty file"));
        }
        check_signature(&mut file, format)?;
    }
    let bytes = metadata.is_file().then_some(metadata.len());
    let rows = options.batch_rows;
    Ok(match format {
        Format::Csv => Box::new(CsvSource::open(Box::new(file), bytes, kind, dimension, decimals(options))?),
        Format::Parquet => Box::new(ParquetSource::open(file, kind, dimension, rows)?),
        Format::Arrow => Box::new(IpcSource::open(file, kind, dimension, rows)?),
        Format::JsonLines => {
            let text = format!("{} cannot be read from JSON lines (use .csv, .parquet or .arrow)", kind.rows);
            return Err(Fault::file(text));
        }
    })
}

/// The options of a table of decimals.
fn decimals(options: ReadOptions) -> (usize, Precision) {
    (options.batch_rows, options.decimals)
}

/// Refuses a Parquet or an Arrow file with the extension of another format.
fn check_signature(file: &mut File, format: Format) -> Result<(), Fault> {
    let mut beginning = Vec::new();
    file.by_ref().take(8).read_to_end(&mut beginning)?;
    file.rewind()?;
    let (found, name) = if beginning.starts_with(b"PAR1") {
        (Format::Parquet, "a Parquet file: rename it to .parquet")
    } else if beginning.starts_with(b"ARROW1") {
        (Format::Arrow, "an Arrow file: rename it to .arrow")
    } else {
        return Ok(());
    };
    if found == format { Ok(()) } else { Err(Fault::file(format!("by its content this is {name}"))) }
}

impl Iterator for TableReader {
    type Item = Result<TableRows>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let rows = self.source.next_rows();
        self.ended = !matches!(rows, Ok(Some(_)));
        rows.map_err(|fault| fault.in_file(&self.name)).transpose()
    }
}

impl Debug for TableReader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableReader").field("name", &self.name).field("progress", &self.progress()).finish()
    }
}
