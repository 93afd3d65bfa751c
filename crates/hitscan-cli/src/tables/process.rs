//! The loop over the batches of a table.

use super::result_sink::{ResultSink, ResultTable};
use super::row_batch::{RowBatch, check_f32};
use super::row_source::RowSource;
use crate::console::Console;
use crate::error::Result;
use crate::progress::Progress;
use hitscan_io::{Format, Precision};
use std::path::Path;

/// Reads batches of rows, computes the results of each and writes them. Returns the number of rows, and the seconds that
/// they took.
pub(crate) fn process<B: RowBatch, T: ResultTable>(
    mut source: RowSource<B>,
    precision: Precision,
    table: T,
    (format, target): (Option<Format>, Option<&Path>),
    console: &mut Console,
    mut compute: impl FnMut(&B) -> T::Results,
) -> Result<(u64, f64)> {
    let progress = Progress::new(console.shows_progress());
    let mut read = || -> Result<_> {
        let next = source.next()?;
        if let (Some((batch, _)), Precision::F32) = (&next, precision) {
            check_f32(batch)?;
        }
        Ok(next)
    };
    // The first batch is read before the output is created: an error in it leaves nothing behind.
    let mut next: Option<(B, Option<f64>)> = read()?;
    let mut sink = ResultSink::open(table, format, target)?;
    let mut rows = 0;
    while let Some((batch, share)) = next {
        sink.write(&compute(&batch), console)?;
        rows += batch.count() as u64;
        progress.show(rows, B::ROWS, share);
        next = read()?;
    }
    progress.clear();
    sink.finish()?;
    Ok((rows, progress.seconds()))
}
