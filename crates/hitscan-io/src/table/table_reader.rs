//! Reading tables of rays and of points, in any format.

use super::bad_row::OnError;
use super::block_decoder::DecodedRows;
use super::columns::{Columns, TableKind};
use super::format::Format;
use super::open_table::{Carried, OpenOptions, OpenTable, TextOptions};
use super::ray_batch::DEFAULT_BATCH_ROWS;
use super::table_float::TableFloat;
use crate::dimension::{Dimension, Precision};
use crate::error::Result;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::path::Path;

/// Options of reading a table.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; `None` takes it from the file's extension, and from the first bytes of standard input and of pipes.
    pub format: Option<Format>,
    /// The delimiter of CSV, and the text of a missing value.
    pub text: TextOptions,
    /// The number of rows in a batch; 0 counts as 1.
    pub batch_rows: usize,
    /// The precision of decimals in CSV and JSON lines, which have no types: `F64`, unless this says otherwise. Give the precision of the
    /// scene ([`SceneFile::precision`](crate::SceneFile::precision)) to cast rays of decimals such as `0.1` in `f32`: each
    /// then becomes the nearest `f32`. Parquet and Arrow files have types, which count instead.
    pub decimals: Precision,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let text = TextOptions::default();
        Self { format: None, text, batch_rows: DEFAULT_BATCH_ROWS, decimals: Precision::F64 }
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

/// Consecutive rows of a table: the numbers of each column, in the order of [`Columns::bindings`].
pub struct TableRows {
    /// The number of the first row, from 0.
    pub(super) first_row: u64,
    pub(super) columns: Vec<Vec<f64>>,
}

/// A table, read batch by batch: [`RayReader`](crate::RayReader), [`PointReader`](crate::PointReader),
/// [`SphereReader`](crate::SphereReader) or [`BoxReader`](crate::BoxReader), which tell the columns.
///
/// Memory is bounded by one batch, plus one page per column for Parquet, or one record batch for Arrow IPC.
pub struct TableReader<B> {
    table: OpenTable,
    batch_rows: usize,
    dimension: Dimension,
    /// After an error or the last batch.
    ended: bool,
    batch: PhantomData<fn() -> B>,
}

impl<B: TableBatch> TableReader<B> {
    /// Opens a `.csv`, `.tsv`, `.jsonl` or `.ndjson` file, each also with `.gz` or `.zst`, or a `.parquet`, `.arrow`, `.ipc`,
    /// `.feather` or `.arrows` file. `-` is standard input, whose first bytes tell the format, as those of pipes do.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no such table, or lacks columns.
    pub fn open(path: &Path, dimension: Dimension) -> Result<Self> {
        Self::open_with(path, dimension, &ReadOptions::default())
    }

    /// Opens a table with options: a batch size, a format that the extension does not show, the precision of decimals.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no such table, or lacks columns.
    pub fn open_with(path: &Path, dimension: Dimension, options: &ReadOptions) -> Result<Self> {
        let batch_rows = options.batch_rows.max(1);
        let open = OpenOptions {
            format: options.format,
            text: &options.text,
            decimals: options.decimals,
            carried: &Carried::None,
            has_types: false,
            rows: None,
        };
        let table = OpenTable::open(path, &B::KIND, dimension, &open)?;
        Ok(Self { table, batch_rows, dimension, ended: false, batch: PhantomData })
    }

    fn next_rows(&mut self) -> Result<Option<B>> {
        let precision = self.table.precision();
        let (source, decoder) = self.table.split(OnError::Stop);
        let decoded = source.next_block(self.batch_rows).and_then(|block| {
            let Some(block) = block else { return Ok(None) };
            Ok(Some(match precision {
                Precision::F32 => TableRows::of(decoder.columns(), &decoder.decode::<f32>(block)?),
                Precision::F64 => TableRows::of(decoder.columns(), &decoder.decode::<f64>(block)?),
            }))
        });
        let rows = decoded.map_err(|fault| fault.in_file(&self.table.name))?;
        Ok(rows.map(|rows| B::of_rows(self.table.columns(), rows, self.dimension, self.table.precision())))
    }
}

impl TableRows {
    fn of<S: TableFloat>(columns: &Columns, rows: &DecodedRows<S>) -> Self {
        let numbers = columns.bindings().iter().zip(&rows.numbers);
        let columns = numbers.map(|(binding, column)| column.to_f64(binding.null_value())).collect();
        Self { first_row: rows.first_row, columns }
    }
}

impl<B> TableReader<B> {
    /// The precision of all batches: that of [`ReadOptions::decimals`] for CSV and JSON lines, the widest of the columns' types
    /// for Parquet and Arrow.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.table.precision()
    }

    /// The number of rows in the table, for Parquet, where the footer has it.
    #[must_use]
    pub fn total_rows(&self) -> Option<u64> {
        self.table.total_rows()
    }

    /// The part of the table read so far, 0 to 1; `None` when its size is unknown, as for standard input.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.table.progress()
    }
}

impl<B: TableBatch> Iterator for TableReader<B> {
    type Item = Result<B>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let rows = self.next_rows();
        self.ended = !matches!(rows, Ok(Some(_)));
        rows.transpose()
    }
}

impl<B> Debug for TableReader<B> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableReader").field("name", &self.table.name).field("progress", &self.progress()).finish()
    }
}
