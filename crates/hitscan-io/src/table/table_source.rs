//! The interface of the readers of each format: blocks of rows that are not decoded yet.

use super::columns::Columns;
use super::text_records::{Syntax, TextRecords};
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
    /// Whether its numbers have types; decimals do not.
    fn is_typed(&self) -> bool {
        true
    }
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

impl Block {
    /// Cuts off the rows behind the first `most`; `None` where there are none. `syntax` is that of text.
    pub(super) fn split_off(&mut self, most: usize, syntax: Option<Syntax>) -> Option<Self> {
        if self.rows <= most {
            return None;
        }
        let data = match &mut self.data {
            BlockData::Text(records) => BlockData::Text(records.split_off(most, syntax?)),
            BlockData::Records(batches) => {
                let (mut kept, mut rest, mut left) = (Vec::new(), Vec::new(), most);
                for batch in batches.drain(..) {
                    let count = batch.num_rows().min(left);
                    kept.extend((count > 0).then(|| batch.slice(0, count)));
                    rest.extend((count < batch.num_rows()).then(|| batch.slice(count, batch.num_rows() - count)));
                    left -= count;
                }
                *batches = kept;
                BlockData::Records(rest)
            }
        };
        let rest = Self { first_row: self.first_row + most as u64, rows: self.rows - most, data };
        self.rows = most;
        Some(rest)
    }
}
