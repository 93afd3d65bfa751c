//! Tables from Arrow IPC files, also called Feather 2.

use super::arrow::{decoding, precision, rows};
use super::columns::{Columns, TableKind};
use super::table_source::{TableRows, TableSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, root_as_footer, root_as_message};
use arrow_schema::ArrowError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// `ARROW1` and two bytes of padding at the front; a length and `ARROW1` at the end.
const SMALLEST_FILE: u64 = 8 + 10;
const TRAILER: u64 = 10;
const ARROW_MAGIC: &[u8] = b"ARROW1";
/// A marker and a length before each message.
const PREFIX: usize = 8;

/// The reader of an Arrow file, with one of its record batches, which it cuts into pieces.
pub(super) struct IpcSource {
    file: File,
    bytes: u64,
    blocks: std::vec::IntoIter<Block>,
    total_blocks: usize,
    decoder: FileDecoder,
    current: Option<RecordBatch>,
    columns: Columns,
    precision: Precision,
    batch_rows: usize,
    next_row: u64,
}

impl IpcSource {
    pub(super) fn open(
        mut file: File,
        kind: &TableKind,
        dimension: Dimension,
        batch_rows: usize,
    ) -> Result<Self, Fault> {
        let bytes = file.metadata()?.len();
        let footer = read_footer(&mut file, bytes)?;
        let footer = decoding("Arrow", || root_as_footer(&footer).map_err(|error| error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| Fault::file("damaged Arrow file: no schema"))?;
        let schema = Arc::new(decoding("Arrow", || Ok::<_, ArrowError>(fb_to_schema(schema)))?);
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let columns = Columns::find(kind, &names, dimension)?;
        let precision = precision(&columns, &schema)?;
        let mut wanted: Vec<usize> = columns.bindings().iter().map(|binding| binding.index).collect();
        wanted.sort_unstable();
        let decoder = FileDecoder::new(schema, footer.version()).with_projection(wanted);
        let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
        Ok(Self {
            file,
            bytes,
            total_blocks: blocks.len(),
            blocks: blocks.into_iter(),
            decoder,
            current: None,
            columns,
            precision,
            batch_rows,
            next_row: 0,
        })
    }

    /// Makes `current` a batch with rows; `false` at the end of the file.
    fn refill(&mut self) -> Result<bool, Fault> {
        while self.current.as_ref().is_none_or(|batch| batch.num_rows() == 0) {
            let Some(block) = self.blocks.next() else { return Ok(false) };
            let message = read_block(&mut self.file, self.bytes, &block)?;
            self.current = decoding("Arrow", || self.decoder.read_record_batch(&block, &message))?;
        }
        Ok(true)
    }
}

impl TableSource for IpcSource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_rows(&mut self) -> Result<Option<TableRows>, Fault> {
        if !self.refill()? {
            return Ok(None);
        }
        let Some(batch) = self.current.take() else { return Ok(None) };
        let count = batch.num_rows().min(self.batch_rows);
        let rows = rows(&self.columns, &batch.slice(0, count), self.next_row)?;
        self.next_row += count as u64;
        self.current = (count < batch.num_rows()).then(|| batch.slice(count, batch.num_rows() - count));
        Ok(Some(rows))
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> Option<f64> {
        let done = self.total_blocks - self.blocks.len();
        Some(if self.total_blocks == 0 { 1.0 } else { done as f64 / self.total_blocks as f64 })
    }
}

fn read_footer(file: &mut File, bytes: u64) -> Result<Vec<u8>, Fault> {
    let mut beginning = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.by_ref().take(ARROW_MAGIC.len() as u64).read_to_end(&mut beginning)?;
    let other = || match beginning == ARROW_MAGIC {
        true => Fault::file("truncated: it begins as an Arrow IPC file, and has no footer at its end"),
        false => Fault::file("not an Arrow IPC file (streams and Feather 1 are other formats)"),
    };
    if bytes < SMALLEST_FILE {
        return Err(other());
    }
    let mut trailer = [0; TRAILER as usize];
    read_at(file, bytes - TRAILER, &mut trailer)?;
    let length = read_footer_length(trailer).map_err(|_| other())?;
    let start = (bytes - TRAILER).checked_sub(length as u64);
    let start =
        start.ok_or_else(|| Fault::new(Place::Byte(bytes - TRAILER), "damaged: footer longer than the file"))?;
    let mut footer = vec![0; length];
    read_at(file, start, &mut footer)?;
    Ok(footer)
}

fn read_at(file: &mut File, start: u64, buffer: &mut [u8]) -> Result<(), Fault> {
    file.seek(SeekFrom::Start(start))?;
    Ok(file.read_exact(buffer)?)
}

/// Reads a message with its body, after checking that it lies within the file.
fn read_block(file: &mut File, bytes: u64, block: &Block) -> Result<Buffer, Fault> {
    let unsigned = |value: i64| u64::try_from(value).ok().filter(|&value| value <= bytes);
    let extent = || {
        let (start, head) = (unsigned(block.offset())?, unsigned(i64::from(block.metaDataLength()))?);
        let length = head + unsigned(block.bodyLength())?;
        (start + length <= bytes && head >= PREFIX as u64).then_some((start, head as usize, length as usize))
    };
    let Some((start, head, length)) = extent() else {
        return Err(Fault::file("damaged Arrow file: a record batch lies outside the file"));
    };
    let mut message = vec![0; length];
    read_at(file, start, &mut message)?;
    match is_plausible(&message[..head], &message[head..]) {
        Some(true) => Ok(Buffer::from_vec(message)),
        _ => Err(Fault::new(Place::Byte(start), "damaged Arrow file: implausible record batch")),
    }
}

/// Checks what the decoder does not: that each buffer lies within the body, and does not announce more bytes than the
/// codecs can pack (a zstd block of 4 bytes holds 128 KiB at most; lz4 packs less).
fn is_plausible(head: &[u8], body: &[u8]) -> Option<bool> {
    const MOST_PER_BYTE: u64 = 1 << 15;
    let message = match head.starts_with(&[0xFF; 4]) {
        true => &head[PREFIX..],
        false => &head[4..],
    };
    let batch = root_as_message(message).ok()?.header_as_record_batch()?;
    for buffer in batch.buffers()? {
        let start = usize::try_from(buffer.offset()).ok()?;
        let bytes = body.get(start..start.checked_add(usize::try_from(buffer.length()).ok()?)?)?;
        if batch.compression().is_some() && !bytes.is_empty() {
            let unpacked = i64::from_le_bytes(*bytes.first_chunk()?);
            let most = bytes.len() as u64 * MOST_PER_BYTE;
            if unpacked != -1 && u64::try_from(unpacked).ok()? > most {
                return Some(false);
            }
        }
    }
    Some(true)
}
