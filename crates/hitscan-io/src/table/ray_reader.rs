//! Reading tables of rays.

use super::ray_batch::RayBatch;
use super::ray_columns::{RAYS, rays};
use super::table_reader::{ReadOptions, TableReader};
use crate::dimension::{Dimension, Precision};
use crate::error::Result;
use std::path::Path;

/// A table of rays, read batch by batch.
///
/// The columns are `ox oy [oz] dx dy [dz]` for rays or `ax ay [az] bx by [bz]` for segments, and optional `t_min`,
/// `t_max` and `layers`; in any order, others are ignored. Numbers must be finite (except in `t_min` and `t_max`, which
/// may be infinite but not NaN) and none may be missing; those of `layers` are masks, whole numbers of 32 bits.
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
#[derive(Debug)]
pub struct RayReader(TableReader);

impl RayReader {
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
        TableReader::open(path, &RAYS, dimension, options).map(Self)
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

impl Iterator for RayReader {
    type Item = Result<RayBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.0.next()?;
        Some(rows.map(|rows| rays(self.0.columns(), rows, self.0.dimension, self.0.precision())))
    }
}
