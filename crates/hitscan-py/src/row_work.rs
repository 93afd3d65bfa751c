//! Work on the rows of results: a value, a result or a list for each row.

use crate::results::Rows;
use crate::run::{Pace, Run, pieces};
use crate::typed::PyVector;
use pyo3::prelude::*;
use std::ops::Range;

/// Writes a value to each row: `each` computes those of a range of rows.
pub(crate) fn fill<T: Send, B: Default + Send>(
    run: &Run<'_>,
    out: &mut [T],
    pace: Pace,
    each: impl Fn(&mut B, Range<usize>, &mut [T]) + Sync + Send,
) -> PyResult<()> {
    let (rows, mut first, mut rest) = (out.len(), 0, out);
    let next = |count: usize, piece: usize| {
        let (block, others) = std::mem::take(&mut rest).split_at_mut(count);
        rest = others;
        let ranges = pieces(first..first + count, piece);
        first += count;
        ranges.zip(block.chunks_mut(piece)).collect()
    };
    run.blocks((rows, pace), next, |buffer, (range, out)| each(buffer, range, out), |_: Vec<()>| ())
}

/// Writes a result to each row of arrays.
pub(crate) fn fill_rows<V: PyVector, B: Default + Send>(
    run: &Run<'_>,
    (rows, pace): (usize, Pace),
    mut out: Rows<'_, V>,
    each: impl Fn(&mut B, Range<usize>, Rows<'_, V>) + Sync + Send,
) -> PyResult<()> {
    let mut first = 0;
    let next = |count: usize, piece: usize| {
        let ranges = pieces(first..first + count, piece);
        first += count;
        ranges.map(|range| (range.clone(), out.split_off(range.len()))).collect()
    };
    run.blocks((rows, pace), next, |buffer, (range, out)| each(buffer, range, out), |_: Vec<()>| ())
}

/// Collects a list for each row: `each` adds the items of a row, and `append` gets those of a piece.
pub(crate) fn lists<T: Send>(
    run: &Run<'_>,
    rows: usize,
    each: impl Fn(usize, &mut Vec<T>) + Sync + Send,
    mut append: impl FnMut(Vec<T>) + Send,
) -> PyResult<Vec<i64>> {
    let (mut offsets, mut count, mut first) = (Vec::with_capacity(rows + 1), 0, 0);
    offsets.push(0);
    let next = |count: usize, piece: usize| {
        let ranges = pieces(first..first + count, piece).collect();
        first += count;
        ranges
    };
    let work = |(): &mut (), range: Range<usize>| {
        let (mut items, mut ends) = (Vec::new(), Vec::with_capacity(range.len()));
        for row in range {
            each(row, &mut items);
            ends.push(items.len());
        }
        (items, ends)
    };
    run.blocks((rows, Pace::SLOW), next, work, |done| {
        for (items, ends) in done {
            offsets.extend(ends.iter().map(|end| (count + end) as i64));
            count += items.len();
            append(items);
        }
    })?;
    Ok(offsets)
}
