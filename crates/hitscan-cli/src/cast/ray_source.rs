//! Where rays come from: the command line, or a file that is read ahead.

use crate::error::{Error, Result};
use hitscan_io::{Precision, RayBatch, RayReader, Second};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Batches of rays, in order.
pub(crate) struct RaySource {
    batches: Receiver<Message>,
    pub(crate) precision: Precision,
}

/// What the thread that reads says.
enum Message {
    Batch(RayBatch, Option<f64>),
    Failed(hitscan_io::Error),
    End,
}

impl RaySource {
    /// Rays in memory.
    pub(crate) fn in_memory(batch: RayBatch) -> Self {
        let precision = batch.precision;
        let (sender, batches) = sync_channel(2);
        // There is room for both.
        let _ = sender.send(Message::Batch(batch, Some(1.0)));
        let _ = sender.send(Message::End);
        Self { batches, precision }
    }

    /// Rays of a file, of which one batch is read while another is cast.
    pub(crate) fn reading(mut reader: RayReader) -> Self {
        let precision = reader.precision();
        let (sender, batches) = sync_channel(1);
        // Not joined: if the cast ends early, a reader may still wait for its standard input.
        thread::spawn(move || {
            while let Some(batch) = reader.next() {
                let message = match batch {
                    Ok(batch) => Message::Batch(batch, reader.progress()),
                    Err(error) => Message::Failed(error),
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
            // If nobody listens any more, all is well too.
            let _ = sender.send(Message::End);
        });
        Self { batches, precision }
    }

    /// The next rays, with the share of the table read so far, where that is known.
    pub(crate) fn next(&mut self) -> Result<Option<(RayBatch, Option<f64>)>> {
        match self.batches.recv() {
            Ok(Message::Batch(batch, progress)) => Ok(Some((batch, progress))),
            Ok(Message::Failed(error)) => Err(error.into()),
            Ok(Message::End) => Ok(None),
            Err(_) => Err(Error::input("reading the rays stopped half way")),
        }
    }
}

/// The columns of a batch with their names.
fn columns(batch: &RayBatch) -> impl Iterator<Item = (&'static str, &Vec<f64>)> {
    let (first, (second, end)) = match &batch.second {
        Second::Direction(direction) => (["ox", "oy", "oz"], (["dx", "dy", "dz"], direction)),
        Second::End(end) => (["ax", "ay", "az"], (["bx", "by", "bz"], end)),
    };
    first.into_iter().zip(&batch.origin).chain(second.into_iter().zip(end))
}

/// Refuses what is too large for `f32`: rounded to infinity it would be no ray at all.
pub(crate) fn check_f32(batch: &RayBatch) -> Result<()> {
    for (name, column) in columns(batch) {
        if let Some(row) = column.iter().position(|x| !(*x as f32).is_finite()) {
            let (value, row) = (column[row], batch.first_row + row as u64);
            return Err(Error::input(format!("row {row}, column '{name}': {value:e} is beyond the range of f32")));
        }
    }
    Ok(())
}

/// How many rays have a direction of zero and so hit nothing, and the row of the first of them.
pub(crate) fn count_zero_directions(batch: &RayBatch) -> (u64, Option<u64>) {
    let axes = batch.dimension.count();
    let is_zero = |row: &usize| match &batch.second {
        Second::Direction(direction) => direction[..axes].iter().all(|column| column[*row] == 0.0),
        Second::End(end) => end[..axes].iter().zip(&batch.origin).all(|(b, a)| b[*row] == a[*row]),
    };
    let mut rows = (0..batch.len()).filter(is_zero);
    let first = rows.next();
    (u64::from(first.is_some()) + rows.count() as u64, first.map(|row| batch.first_row + row as u64))
}
