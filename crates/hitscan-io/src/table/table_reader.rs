//! Reading tables of rays and of points, in any format.

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
use std::marker::PhantomData;
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

/// Consecutive rows of a table: [`RayBatch`](crate::RayBatch), [`PointBatch`](crate::PointBatch),
/// [`SphereBatch`](crate::SphereBatch) or [`BoxBatch`](crate::BoxBatch).
///
/// Other crates cannot implement this trait.
pub trait TableBatch: Sized {
    #[doc(hidden)]
    const KIND: TableKind;
    #[doc(hidden)]
    fn of_rows(columns: &Columns, rows: TableRows, dimension: Dimension, precision: Precision) -> Self;
}

/// A table, read batch by batch: [`RayReader`](crate::RayReader), [`PointReader`](crate::PointReader),
/// [`SphereReader`](crate::SphereReader) or [`BoxReader`](crate::BoxReader), which tell the columns.
///
/// Memory is bounded by one batch, plus one page per column for Parquet, or one record batch for Arrow IPC.
pub struct TableReader<B> {
    source: Box<dyn TableSource + Send>,
    name: PathBuf,
    dimension: Dimension,
    /// After an error or the last batch.
    ended: bool,
    batch: PhantomData<fn() -> B>,
}

impl<B: TableBatch> TableReader<B> {
    /// Opens a `.csv`, `.parquet`, `.arrow`, `.ipc` or `.feather` file; `-` is CSV from standard input.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no such table, or lacks columns.
    pub fn open(path: &Path, dimension: Dimension) -> Result<Self> {
        Self::open_with(path, dimension, ReadOptions::default())
    }

    /// Opens a table with options: a batch size, a format that the extension does not show, the precision of decimals.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no such table, or lacks columns.
    pub fn open_with(path: &Path, dimension: Dimension, options: ReadOptions) -> Result<Self> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { PathBuf::from("<stdin>") } else { path.to_owned() };
        let format = match options.format {
            Some(format) => format,
            None if stdin => Format::Csv,
            None => Format::from_path(path)?,
        };
        let options = ReadOptions { format: Some(format), batch_rows: options.batch_rows.max(1), ..options };
        let source = if stdin {
            from_stdin(format, &B::KIND, dimension, options)
        } else {
            let file = File::open(path).map_err(|error| Error::io(path, error))?;
            from_file(file, format, &B::KIND, dimension, options)
        };
        let source = source.map_err(|fault| fault.in_file(&name))?;
        Ok(Self { source, name, dimension, ended: false, batch: PhantomData })
    }
}

impl<B> TableReader<B> {
    /// The precision of all batches: that of [`ReadOptions::decimals`] for CSV, the widest of the columns' types for Parquet
    /// and Arrow.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.source.precision()
    }

    /// The number of rows in the table, for Parquet, where the footer has it.
    #[must_use]
    pub fn total_rows(&self) -> Option<u64> {
        self.source.total_rows()
    }

    /// The part of the table read so far, 0 to 1; `None` when its size is unknown, as for standard input.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
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

impl<B: TableBatch> Iterator for TableReader<B> {
    type Item = Result<B>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let rows = self.source.next_rows();
        self.ended = !matches!(rows, Ok(Some(_)));
        let rows = rows.map_err(|fault| fault.in_file(&self.name)).transpose()?;
        Some(rows.map(|rows| B::of_rows(self.source.columns(), rows, self.dimension, self.source.precision())))
    }
}

impl<B> Debug for TableReader<B> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableReader").field("name", &self.name).field("progress", &self.progress()).finish()
    }
}
