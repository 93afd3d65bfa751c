//! Reading tables of points.

use super::point_batch::{POINTS, PointBatch, points};
use super::table_reader::{ReadOptions, TableReader};
use crate::dimension::{Dimension, Precision};
use crate::error::Result;
use std::path::Path;

/// A table of points, read batch by batch.
///
/// The columns are `px py [pz]`, in any order; others are ignored. Numbers must be finite, and none may be missing.
///
/// Memory is bounded as that of [`RayReader`](crate::RayReader) is.
///
/// ```no_run
/// use hitscan_io::{Dimension, PointReader};
/// for batch in PointReader::open("points.parquet".as_ref(), Dimension::Three)? {
///     println!("{} points", batch?.len());
/// }
/// # Ok::<(), hitscan_io::Error>(())
/// ```
#[derive(Debug)]
pub struct PointReader(TableReader);

impl PointReader {
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
        TableReader::open(path, &POINTS, dimension, options).map(Self)
    }

    /// The precision of all batches: that of [`ReadOptions::decimals`] for CSV, the widest of the columns' types for Parquet
    /// and Arrow.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.0.precision()
    }

    /// The number of rows in the table, for Parquet, where the footer has it.
    #[must_use]
    pub fn total_rows(&self) -> Option<u64> {
        self.0.total_rows()
    }

    /// The part of the table read so far, 0 to 1; `None` when its size is unknown, as for standard input.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.0.progress()
    }
}

impl Iterator for PointReader {
    type Item = Result<PointBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.0.next()?;
        Some(rows.map(|rows| points(self.0.columns(), rows, self.0.dimension, self.0.precision())))
    }
}
