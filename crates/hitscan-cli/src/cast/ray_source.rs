//! Sources of rays: the command line, or a file that a thread reads ahead.

use crate::error::{Error, Result};
use hitscan_io::{Endpoint, Precision, RayBatch, RayReader};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Batches of rays, in order.
pub(crate) struct RaySource {
    batches: Receiver<Message>,
    pub(crate) precision: Precision,
}

/// A message of the reading thread.
#[expect(clippy::large_enum_variant, reason = "one batch at a time, whose columns are on the heap")]
enum Message {
    Batch(RayBatch, Option<f64>),
    Failed(hitscan_io::Error),
    End,
}

impl RaySource {
    /// A source of rays in memory.
    pub(crate) fn in_memory(batch: RayBatch) -> Self {
        let precision = batch.precision;
        let (sender, batches) = sync_channel(2);
        // The channel has room for both.
        let _ = sender.send(Message::Batch(batch, Some(1.0)));
        let _ = sender.send(Message::End);
        Self { batches, precision }
    }

    /// A source of the rays of a file: a thread reads one batch while another is cast.
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
            // The cast may have ended early and closed the channel.
            let _ = sender.send(Message::End);
        });
        Self { batches, precision }
    }

    /// The next rays, with the share of the table that has been read where that is known.
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
    let (first, (names, columns)) = match &batch.endpoint {
        Endpoint::Direction(direction) => (["ox", "oy", "oz"], (["dx", "dy", "dz"], direction)),
        Endpoint::End(end) => (["ax", "ay", "az"], (["bx", "by", "bz"], end)),
    };
    first.into_iter().zip(&batch.origin).chain(names.into_iter().zip(columns))
}

/// Refuses numbers beyond the range of `f32`, which would round to infinity.
pub(crate) fn check_f32(batch: &RayBatch) -> Result<()> {
    for (name, column) in columns(batch) {
        if let Some(row) = column.iter().position(|x| !(*x as f32).is_finite()) {
            let (value, row) = (column[row], batch.first_row + row as u64);
            return Err(Error::input(format!(
                "row {row}, column '{name}': {value:e} is beyond the range of f32 (--precision f64 takes it)"
            )));
        }
    }
    Ok(())
}
