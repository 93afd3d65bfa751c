//! The interface of the readers of each format.

use super::columns::Columns;
use crate::dimension::Precision;
use crate::error::{Fault, Result};

/// The reader of a format.
pub(super) trait TableSource {
    /// The columns that it reads.
    fn columns(&self) -> &Columns;
    /// The next rows, of which there is at least one; `None` at the end.
    fn next_rows(&mut self) -> Result<Option<TableRows>, Fault>;
    fn precision(&self) -> Precision;
    fn total_rows(&self) -> Option<u64>;
    fn progress(&self) -> Option<f64>;
}

/// Consecutive rows of a table: the numbers of each column, in the order of [`Columns::bindings`].
pub struct TableRows {
    /// The number of the first row, from 0.
    pub(super) first_row: u64,
    pub(super) columns: Vec<Vec<f64>>,
}
