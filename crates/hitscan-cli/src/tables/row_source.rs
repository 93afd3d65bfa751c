//! Sources of rows: the command line, or a file that a thread reads ahead.

use super::row_batch::RowBatch;
use crate::error::{Error, Result};
use crate::precision::RowPrecision;
use hitscan_io::{ReadOptions, TableBatch, TableReader};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The number of rows in memory at a time.
const BATCH_ROWS: usize = 1 << 17;

/// How tables are read.
pub(crate) fn read_options() -> ReadOptions {
    ReadOptions { batch_rows: BATCH_ROWS, ..ReadOptions::default() }
}

/// Batches of rows, in order.
pub(crate) struct RowSource<B> {
    batches: Receiver<Message<B>>,
    pub(crate) precision: RowPrecision,
}

/// A message of the reading thread.
enum Message<B> {
    Batch(B, Option<f64>),
    Failed(hitscan_io::Error),
    End,
}

impl<B: RowBatch> RowSource<B> {
    /// A source of the rows of the command line.
    pub(crate) fn in_memory(batch: B) -> Self {
        let precision = RowPrecision::of_flags(batch.columns());
        let (sender, batches) = sync_channel(2);
        // The channel has room for both.
        let _ = sender.send(Message::Batch(batch, Some(1.0)));
        let _ = sender.send(Message::End);
        Self { batches, precision }
    }

    /// A source of the rows of a file: a thread reads one batch while another is processed. `batch_of` makes the rows of
    /// the table those of the source.
    pub(crate) fn reading<T: TableBatch + 'static>(
        mut reader: TableReader<T>,
        batch_of: impl Fn(T) -> B + Send + 'static,
    ) -> Self {
        let precision = RowPrecision::of_file(reader.precision());
        let (sender, batches) = sync_channel(1);
        // Not joined: if the command ends early, a reader may still wait for its standard input.
        thread::spawn(move || {
            while let Some(batch) = reader.next() {
                let message = match batch {
                    Ok(batch) => Message::Batch(batch_of(batch), reader.progress()),
                    Err(error) => Message::Failed(error),
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
            // The command may have ended early and closed the channel.
            let _ = sender.send(Message::End);
        });
        Self { batches, precision }
    }

    /// The next rows, with the share of the table that has been read where that is known.
    pub(crate) fn next(&mut self) -> Result<Option<(B, Option<f64>)>> {
        match self.batches.recv() {
            Ok(Message::Batch(batch, progress)) => Ok(Some((batch, progress))),
            Ok(Message::Failed(error)) => Err(error.into()),
            Ok(Message::End) => Ok(None),
            Err(_) => Err(Error::input(format!("reading the {} stopped half way", B::ROWS))),
        }
    }
}
