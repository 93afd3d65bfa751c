//! Reading tables of rays.

use super::csv::CsvSource;
use super::format::Format;
use super::ipc::IpcSource;
use super::parquet::ParquetSource;
use crate::error::{Error, Fault, Result};
use crate::numbers::{Dimension, Precision};
use std::fmt::{self, Debug, Formatter};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The number of rows in a batch, unless [`ReadOptions::batch_rows`] says otherwise.
pub const DEFAULT_BATCH_ROWS: usize = 65_536;

/// Some consecutive rays of a table, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct RayBatch {
    /// The number of the first row, from 0: the `ray` of the table of hits.
    pub first_row: u64,
    /// The number of coordinates.
    pub dimension: Dimension,
    /// `ox oy oz` or `ax ay az`, finite. The third column is empty in two dimensions.
    pub origin: [Vec<f64>; 3],
    /// Where the rays go.
    pub second: Second,
    /// The column `t_min`, if there is one; it may hold infinities.
    pub t_min: Option<Vec<f64>>,
    /// The column `t_max`, if there is one; it may hold infinities.
    pub t_max: Option<Vec<f64>>,
    /// `F32` when the columns' types hold nothing but `f32` values.
    pub precision: Precision,
}

/// The second half of each ray, finite. The third column is empty in two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub enum Second {
    /// `dx dy dz`: rays. A direction may be zero; such a ray hits nothing.
    Direction([Vec<f64>; 3]),
    /// `bx by bz`: segments, which end here. `t` is 0 at the origin and 1 here; without `t_min` and `t_max` the range
    /// is `0..=1`. The direction is `b - a`, left to the reader, who may form it exactly.
    End([Vec<f64>; 3]),
}

impl RayBatch {
    /// The number of rays.
    pub fn len(&self) -> usize {
        self.origin[0].len()
    }

    /// Whether there are no rays.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How to read a table.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The format; `None` takes it from the file's extension.
    pub format: Option<Format>,
    /// The number of rows in a batch; 0 counts as 1.
    pub batch_rows: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, batch_rows: DEFAULT_BATCH_ROWS }
    }
}

/// A table of rays, read batch by batch.
///
/// The columns are `ox oy [oz] dx dy [dz]` for rays or `ax ay [az] bx by [bz]` for segments, and optional `t_min`,
/// `t_max`; in any order, others are ignored. Numbers must be finite (except in `t_min` and `t_max`, which may be
/// infinite but not NaN) and none may be missing.
///
/// Memory is bounded by one batch, plus one page per column for Parquet, or one record batch for Arrow IPC.
///
/// ```no_run
/// use hitscan_io::{Dimension, RayReader};
/// for batch in RayReader::open("rays.parquet".as_ref(), Dimension::Three)? {
///     println!("{} rays", batch?.len());
/// }
/// # Ok::<(), hitscan_io::Error>(())
/// ```
pub struct RayReader {
    source: Box<dyn Source + Send>,
    name: PathBuf,
    /// After an error there is nothing more to come.
    failed: bool,
}

/// A format's reader.
pub(super) trait Source {
    fn next_batch(&mut self) -> Result<Option<RayBatch>, Fault>;
    fn precision(&self) -> Precision;
    fn total_rows(&self) -> Option<u64>;
    fn progress(&self) -> Option<f64>;
}

impl RayReader {
    /// Opens a `.csv`, `.parquet`, `.arrow`, `.ipc` or `.feather` file; `-` is CSV from standard input.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no such table, or lacks columns.
    pub fn open(path: &Path, dimension: Dimension) -> Result<Self> {
        Self::open_with(path, dimension, ReadOptions::default())
    }

    /// [`RayReader::open`] with a batch size, or with a format that the extension does not tell.
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
        let rows = options.batch_rows.max(1);
        let source = if stdin {
            from_stdin(format, dimension, rows)
        } else {
            let file = File::open(path).map_err(|error| Error::io(path, error))?;
            from_file(file, format, dimension, rows)
        };
        let source = source.map_err(|fault| fault.in_file(&name))?;
        Ok(Self { source, name, failed: false })
    }

    /// The precision of all batches: `F64` for CSV; the widest of the columns' types for Parquet and Arrow.
    pub fn precision(&self) -> Precision {
        self.source.precision()
    }

    /// The number of rows in the table, where the format tells it beforehand: Parquet.
    pub fn total_rows(&self) -> Option<u64> {
        self.source.total_rows()
    }

    /// How much of the table has been read, 0 to 1; `None` when its size is unknown, as for standard input.
    pub fn progress(&self) -> Option<f64> {
        self.source.progress()
    }
}

fn from_stdin(format: Format, dimension: Dimension, rows: usize) -> Result<Box<dyn Source + Send>, Fault> {
    match format {
        Format::Csv => Ok(Box::new(CsvSource::open(Box::new(std::io::stdin()), None, dimension, rows)?)),
        _ => Err(Fault::file("only CSV can be read from standard input (other formats need a file)")),
    }
}

fn from_file(file: File, format: Format, dimension: Dimension, rows: usize) -> Result<Box<dyn Source + Send>, Fault> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Fault::from(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(Fault::file("empty file"));
    }
    let bytes = metadata.is_file().then_some(metadata.len());
    Ok(match format {
        Format::Csv => Box::new(CsvSource::open(Box::new(file), bytes, dimension, rows)?),
        Format::Parquet => Box::new(ParquetSource::open(file, dimension, rows)?),
        Format::Arrow => Box::new(IpcSource::open(file, dimension, rows)?),
        Format::JsonLines => {
            return Err(Fault::file("rays cannot be read from JSON lines (use .csv, .parquet or .arrow)"));
        }
    })
}

impl Iterator for RayReader {
    type Item = Result<RayBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch = self.source.next_batch();
        self.failed = !matches!(batch, Ok(Some(_)));
        batch.map_err(|fault| fault.in_file(&self.name)).transpose()
    }
}

impl Debug for RayReader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("RayReader").field("name", &self.name).field("progress", &self.progress()).finish()
    }
}
