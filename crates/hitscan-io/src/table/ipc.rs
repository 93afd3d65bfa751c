//! Tables from Arrow IPC: files, also called Feather 2, and streams.

use super::arrow::{BatchCutter, decoding, precision, projection};
use super::carried_column::CarriedColumn;
use super::columns::{Columns, TableKind};
use super::table_source::{Block as RowBlock, TableSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamReader, read_footer_length};
use arrow_ipc::{Block, MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// `ARROW1` and two bytes of padding at the front; a length and `ARROW1` at the end.
const SMALLEST_FILE: u64 = 8 + 10;
const TRAILER: u64 = 10;
const ARROW_MAGIC: &[u8] = b"ARROW1";
/// A marker and a length before each message.
const PREFIX: usize = 8;

/// The reader of an Arrow file. It holds one of its record batches.
pub(super) struct IpcSource {
    batches: Batches,
    total_blocks: usize,
    cutter: BatchCutter,
    columns: Columns,
    precision: Precision,
}

/// The record batches of an Arrow file.
struct Batches {
    file: File,
    bytes: u64,
    blocks: std::vec::IntoIter<Block>,
    decoder: FileDecoder,
}

impl Batches {
    fn read(&mut self) -> Result<Option<RecordBatch>, Fault> {
        let Self { file, bytes, blocks, decoder } = self;
        for block in blocks.by_ref() {
            let message = read_block(file, *bytes, &block, true)?;
            if let Some(batch) = decoding("Arrow", || decoder.read_record_batch(&block, &message))? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// The reader of an Arrow stream. It holds one of its record batches.
pub(super) struct IpcStreamSource {
    reader: StreamReader<CheckedStream>,
    cutter: BatchCutter,
    columns: Columns,
    precision: Precision,
}

impl IpcSource {
    pub(super) fn open(
        mut file: File,
        (kind, dimension): (&TableKind, Dimension),
        carried: impl FnOnce(&SchemaRef) -> Result<Vec<CarriedColumn>, Fault>,
    ) -> Result<Self, Fault> {
        let bytes = file.metadata()?.len();
        let footer = read_footer(&mut file, bytes)?;
        let footer = decoding("Arrow", || root_as_footer(&footer).map_err(|error| error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| Fault::file("damaged Arrow file: no schema"))?;
        let schema: SchemaRef = Arc::new(decoding("Arrow", || Ok::<_, ArrowError>(fb_to_schema(schema)))?);
        let columns = find(kind, &schema, dimension)?;
        let precision = precision(&columns, &schema)?;
        let wanted = projection(&columns, &schema, &carried(&schema)?);
        let mut decoder = FileDecoder::new(schema.clone(), footer.version()).with_projection(wanted);
        for block in footer.dictionaries().iter().flatten() {
            let message = read_block(&mut file, bytes, block, false)?;
            decoding("Arrow", || decoder.read_dictionary(block, &message))?;
        }
        let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
        let total_blocks = blocks.len();
        let batches = Batches { file, bytes, blocks: blocks.into_iter(), decoder };
        Ok(Self { batches, total_blocks, cutter: BatchCutter::default(), columns, precision })
    }
}

/// The columns of a table.
fn find(kind: &TableKind, schema: &SchemaRef, dimension: Dimension) -> Result<Columns, Fault> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    Columns::find(kind, &names, dimension)
}

impl TableSource for IpcSource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(&mut self, most: usize) -> Result<Option<RowBlock>, Fault> {
        let Self { cutter, batches, .. } = self;
        cutter.block(most, || batches.read())
    }

    fn has_more(&mut self) -> Result<bool, Fault> {
        let Self { cutter, batches, .. } = self;
        cutter.has_more(|| batches.read())
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> Option<f64> {
        let done = self.total_blocks - self.batches.blocks.len();
        Some(if self.total_blocks == 0 { 1.0 } else { done as f64 / self.total_blocks as f64 })
    }
}

impl IpcStreamSource {
    pub(super) fn open(
        input: Box<dyn Read + Send>,
        (kind, dimension): (&TableKind, Dimension),
        carried: impl FnOnce(&SchemaRef) -> Result<Vec<CarriedColumn>, Fault>,
    ) -> Result<Self, Fault> {
        let reader = decoding("Arrow stream", || StreamReader::try_new(CheckedStream::new(input), None))?;
        let schema = reader.schema();
        let columns = find(kind, &schema, dimension)?;
        let precision = precision(&columns, &schema)?;
        // A stream is read whole, with all its columns.
        carried(&schema)?;
        Ok(Self { reader, cutter: BatchCutter::default(), columns, precision })
    }
}

impl TableSource for IpcStreamSource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(&mut self, most: usize) -> Result<Option<RowBlock>, Fault> {
        let Self { reader, cutter, .. } = self;
        cutter.block(most, || decoding("Arrow stream", || reader.next().transpose()))
    }

    fn has_more(&mut self) -> Result<bool, Fault> {
        let Self { reader, cutter, .. } = self;
        cutter.has_more(|| decoding("Arrow stream", || reader.next().transpose()))
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> Option<f64> {
        None
    }
}

/// The messages of a stream, each of which is there as a whole and plausible before the decoder sees its first byte: the
/// decoder takes as much memory as a message announces.
struct CheckedStream {
    input: Box<dyn Read + Send>,
    message: Cursor<Vec<u8>>,
}

impl CheckedStream {
    fn new(input: Box<dyn Read + Send>) -> Self {
        Self { input, message: Cursor::default() }
    }

    /// The next message with its body; nothing at the end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        // Not `UnexpectedEof`, which the decoder takes for the end of the stream.
        let damaged = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text);
        let mut message = Vec::new();
        let mut more = |message: &mut Vec<u8>, count: u64| {
            let read = self.input.by_ref().take(count).read_to_end(message)?;
            if read as u64 == count { Ok(()) } else { Err(damaged("truncated")) }
        };
        match more(&mut message, 4) {
            Err(error) if message.is_empty() && error.kind() == io::ErrorKind::InvalidData => return Ok(message),
            result => result?,
        }
        if message == [0xFF; 4] {
            more(&mut message, 4)?;
        }
        let start = message.len();
        let length = message.last_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        if length == 0 {
            return Ok(message);
        }
        more(&mut message, length.into())?;
        let end = message.len();
        let header = root_as_message(&message[start..]).map_err(|_| damaged("implausible message"))?;
        let (of, body) =
            (header.header_type(), u64::try_from(header.bodyLength()).map_err(|_| damaged("implausible message"))?);
        more(&mut message, body)?;
        let (head, body) = message.split_at(end);
        match of {
            MessageHeader::RecordBatch | MessageHeader::DictionaryBatch
                if is_plausible(head, body, of == MessageHeader::RecordBatch) != Some(true) =>
            {
                Err(damaged("implausible message"))
            }
            _ => Ok(message),
        }
    }
}

impl Read for CheckedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.message.position() == self.message.get_ref().len() as u64 {
            self.message = Cursor::new(self.next()?);
        }
        self.message.read(buffer)
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
fn read_block(file: &mut File, bytes: u64, block: &Block, is_record_batch: bool) -> Result<Buffer, Fault> {
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
    match is_plausible(&message[..head], &message[head..], is_record_batch) {
        Some(true) => Ok(Buffer::from_vec(message)),
        _ => Err(Fault::new(Place::Byte(start), "damaged Arrow file: implausible record batch")),
    }
}

/// Checks what the decoder does not: that each buffer lies within the body, and does not announce more bytes than the
/// codecs can pack (a zstd block of 4 bytes holds 128 KiB at most; lz4 packs less).
fn is_plausible(head: &[u8], body: &[u8], is_record_batch: bool) -> Option<bool> {
    const MOST_PER_BYTE: u64 = 1 << 15;
    let message = match head.starts_with(&[0xFF; 4]) {
        true => &head[PREFIX..],
        false => &head[4..],
    };
    let message = root_as_message(message).ok()?;
    let batch = match is_record_batch {
        true => message.header_as_record_batch()?,
        false => message.header_as_dictionary_batch()?.data()?,
    };
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
