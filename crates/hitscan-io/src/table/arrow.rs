//! What tables of record batches have in common.

use super::carried_column::CarriedColumn;
use super::columns::Columns;
use super::table_source::{Block, BlockData};
use crate::dimension::Precision;
use crate::error::{Fault, Place, Result, Source};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The widest precision of the columns.
pub(super) fn precision(columns: &Columns, schema: &Schema) -> Result<Precision, Fault> {
    let mut widest = Precision::F32;
    for binding in columns.bindings() {
        match schema.field(binding.index).data_type() {
            DataType::Float32 | DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => {}
            DataType::Float64 | DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => {
                widest = if binding.is_real() { Precision::F64 } else { widest };
            }
            other => {
                let text = format!("type {other} is not a number (needs float32, float64 or an integer)");
                return Err(Fault::new(Place::Column(binding.name.to_owned()), text));
            }
        }
    }
    Ok(widest)
}

/// The columns that are read: those of the table, and others by name, in ascending order.
pub(super) fn projection(columns: &Columns, schema: &Schema, carried: &[CarriedColumn]) -> Vec<usize> {
    let others = carried.iter().filter_map(|column| schema.index_of(column.field.name()).ok());
    let mut wanted: Vec<usize> = columns.bindings().iter().map(|binding| binding.index).chain(others).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// Record batches that are cut into blocks.
#[derive(Default)]
pub(super) struct BatchCutter {
    /// What is left of the batch that was read last.
    rest: Option<RecordBatch>,
    next_row: u64,
}

impl BatchCutter {
    /// The number of rows in all blocks so far.
    pub(super) fn rows(&self) -> u64 {
        self.next_row
    }

    pub(super) fn starting_at(next_row: u64) -> Self {
        Self { rest: None, next_row }
    }

    /// Whether there is a next block.
    pub(super) fn has_more(
        &mut self,
        mut read: impl FnMut() -> Result<Option<RecordBatch>, Fault>,
    ) -> Result<bool, Fault> {
        while self.rest.as_ref().is_none_or(|batch| batch.num_rows() == 0) {
            self.rest = read()?;
            if self.rest.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next block, of the batches that `read` gives.
    pub(super) fn block(
        &mut self,
        most: usize,
        mut read: impl FnMut() -> Result<Option<RecordBatch>, Fault>,
    ) -> Result<Option<Block>, Fault> {
        let (mut batches, mut rows) = (Vec::new(), 0);
        while rows < most {
            let next = match self.rest.take() {
                Some(batch) => Some(batch),
                None => read()?,
            };
            let Some(batch) = next else { break };
            let taken = batch.num_rows().min(most - rows);
            if taken < batch.num_rows() {
                self.rest = Some(batch.slice(taken, batch.num_rows() - taken));
            }
            if taken > 0 {
                batches.push(batch.slice(0, taken));
                rows += taken;
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let first_row = self.next_row;
        self.next_row += rows as u64;
        Ok(Some(Block { first_row, rows, data: BlockData::Records(batches) }))
    }
}

thread_local! {
    /// Whether this thread runs a decoder, whose panics are errors of the file.
    static IS_DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the panics of decoders from standard error: they are errors of a damaged file, which its reader returns. Other panics
/// are reported as before. A program calls this once, at its start; a second call does nothing.
pub fn hide_panics_of_decoders() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_DECODING.try_with(Cell::get).unwrap_or(false) {
                report(panic);
            }
        }));
    });
}

/// Runs a decoder of another crate on bytes that may be damaged: decoders promise errors, but a file can make a few of their
/// assertions fail.
pub(super) fn decoding<T, E: Display + Into<Source>>(
    format: &str,
    decode: impl FnOnce() -> std::result::Result<T, E>,
) -> Result<T, Fault> {
    let before = IS_DECODING.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_DECODING.set(before);
    match decoded {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            let text = format!("damaged {format} file: {error}");
            Err(Fault::caused(error).with_text(text))
        }
        Err(_) => Err(Fault::file(format!("damaged {format} file"))),
    }
}
