//! The interface of the readers of each format: blocks of rows that are not decoded yet.

use super::columns::Columns;
use super::text_records::TextRecords;
use crate::dimension::Precision;
use crate::error::{Fault, Result};
use arrow_array::RecordBatch;

/// The reader of a format. It finds the rows of a block; [`BlockDecoder`](super::block_decoder::BlockDecoder) reads their
/// cells, on another thread if need be.
pub(crate) trait TableSource {
    /// The columns that it reads.
    fn columns(&self) -> &Columns;
    /// The next rows, `most` or fewer, and at least one; `None` at the end.
    fn next_block(&mut self, most: usize) -> Result<Option<Block>, Fault>;
    fn precision(&self) -> Precision;
    fn total_rows(&self) -> Option<u64>;
    fn progress(&self) -> Option<f64>;
    /// Whether there are more rows.
    fn has_more(&mut self) -> Result<bool, Fault>;
}

/// Consecutive rows of a table, not decoded yet.
pub(crate) struct Block {
    /// The number of the first row, from 0.
    pub(super) first_row: u64,
    pub(crate) rows: usize,
    pub(super) data: BlockData,
}

pub(crate) enum BlockData {
    Text(TextRecords),
    Records(Vec<RecordBatch>),
}
