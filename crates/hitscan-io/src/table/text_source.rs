//! Tables of text, cut into blocks of whole records.

use super::columns::{Columns, TableKind};
use super::table_source::{Block, BlockData, TableSource};
use super::text_records::{
    BYTE_ORDER_MARK, ReadColumn, RecordFormat, Syntax, TextRecords, csv_header, is_plain, is_record, json_header,
    open_quote, quoted_records,
};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result};
use memchr::memchr_iter;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// No record is longer. Without a limit a missing quote would load the rest of the file.
const LONGEST_RECORD: usize = 1 << 24;
/// Blocks end beyond this length, whatever the number of their records.
const BLOCK_BYTES: usize = 1 << 26;
/// The length of a read.
const READ_BYTES: usize = 1 << 20;
/// The message of a quoted field that the file ends in.
const NO_END: &str = "the quote that opens here has no end";

/// The reader of a text.
pub(super) struct TextSource {
    input: Input,
    columns: Columns,
    header: Vec<String>,
    syntax: Syntax,
    decimals: Precision,
    next_row: u64,
}

/// A text that has been read up to a place.
struct Input {
    input: Box<dyn Read + Send>,
    has_ended: bool,
    /// What has been read and is in no block yet.
    buffer: Vec<u8>,
    /// The line of the first byte of the buffer, from 1.
    line: u64,
    /// The bytes of the file, and those read.
    bytes: Option<u64>,
    read: Arc<AtomicU64>,
}

/// The size of a file of text, and a count of the bytes read from it.
pub(super) struct Meter {
    pub(super) bytes: Option<u64>,
    pub(super) read: Arc<AtomicU64>,
}

/// Counts the bytes that pass.
pub(super) struct Metered<R> {
    pub(super) input: R,
    pub(super) read: Arc<AtomicU64>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

impl TextSource {
    pub(super) fn open(
        input: Box<dyn Read + Send>,
        meter: Meter,
        (kind, dimension): (&TableKind, Dimension),
        (syntax, decimals): (Syntax, Precision),
    ) -> Result<Self, Fault> {
        let Meter { bytes, read } = meter;
        let mut input = Input { input, has_ended: false, buffer: Vec::new(), line: 1, bytes, read };
        let first = input.records(syntax, 1)?.ok_or_else(|| Fault::file("empty file"))?.0;
        if is_utf_16(&first.text) {
            return Err(Fault::file("this looks like UTF-16: save it as UTF-8"));
        }
        let header = match syntax {
            Syntax::Csv { delimiter } => {
                if let Some(quote) = open_quote(&first.text, delimiter, 1) {
                    return Err(Fault::new(Place::Line(first.first_line + quote.lines), NO_END));
                }
                csv_header(first.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&first.text), delimiter)
            }
            Syntax::JsonLines => {
                let names = json_header(first.text.trim_ascii());
                let names = names.map_err(|reason| Fault::new(Place::Line(first.first_line), reason))?;
                // The first record is a row, too.
                input.unread(first);
                names
            }
        };
        let names: Vec<&str> = header.iter().map(String::as_str).collect();
        let columns = Columns::find(kind, &names, dimension);
        let columns = columns.map_err(|fault| match syntax {
            Syntax::Csv { delimiter } => with_delimiter(fault, (kind, dimension), delimiter, &header),
            Syntax::JsonLines => fault,
        })?;
        Ok(Self { input, columns, header, syntax, decimals, next_row: 0 })
    }

    /// The names of all columns, in order.
    pub(super) fn header(&self) -> &[String] {
        &self.header
    }

    /// The next rows, `most` or fewer, which stay the next ones.
    pub(super) fn peek(
        &mut self,
        most: usize,
        look: impl FnOnce(&TextRecords) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let Some((records, _)) = self.records(most)? else { return Ok(()) };
        look(&records)?;
        self.input.unread(records);
        Ok(())
    }

    /// The next records, `most` or fewer, with their number. A file that ends within a quoted field is no table: the rows in
    /// that field would be lost.
    fn records(&mut self, most: usize) -> Result<Option<(TextRecords, usize)>, Fault> {
        let found = self.input.records(self.syntax, most)?;
        if let (Some((records, count)), Syntax::Csv { delimiter }) = (&found, self.syntax)
            && self.input.is_at_end()
            && let Some(quote) = open_quote(&records.text, delimiter, *count)
        {
            let (row, line) = (self.next_row + *count as u64 - 1, Some(records.first_line + quote.lines));
            let column = self.header.get(quote.field).cloned();
            return Err(Fault::new(Place::Row { row, line, column }, NO_END));
        }
        Ok(found)
    }

    /// How the records are read: these columns.
    pub(super) fn record_format(
        syntax: Syntax,
        header: &[String],
        names: impl Iterator<Item = String>,
        null: Option<String>,
        absent: Vec<&'static str>,
    ) -> RecordFormat {
        let index = |name: &String| header.iter().position(|column| column == name).unwrap_or(0);
        let slots = names.map(|name| ReadColumn { index: index(&name), name }).collect();
        RecordFormat { syntax, width: header.len(), slots, null, absent }
    }
}

impl Input {
    /// Reads more text. `false` at the end.
    fn fill(&mut self) -> Result<bool, Fault> {
        if self.has_ended {
            return Ok(false);
        }
        let before = self.buffer.len();
        let mut part = (&mut self.input).take(READ_BYTES as u64);
        part.read_to_end(&mut self.buffer).map_err(|error| damaged(error, self.line))?;
        self.has_ended = self.buffer.len() == before;
        Ok(!self.has_ended)
    }

    /// Whether all text has been taken.
    fn is_at_end(&self) -> bool {
        self.has_ended && self.buffer.is_empty()
    }

    /// Takes the last records back: they are the next ones.
    fn unread(&mut self, records: TextRecords) {
        let rest = std::mem::replace(&mut self.buffer, records.text);
        self.buffer.extend_from_slice(&rest);
        self.line = records.first_line;
    }

    /// The next records, `most` or fewer, with their number.
    fn records(&mut self, syntax: Syntax, most: usize) -> Result<Option<(TextRecords, usize)>, Fault> {
        let (mut end, mut count, mut lines, mut seen) = (0, 0, 0, 0);
        'text: loop {
            for newline in memchr_iter(b'\n', &self.buffer[seen..]) {
                let next = seen + newline + 1;
                count += usize::from(is_record(&self.buffer[end..next]));
                (end, lines) = (next, lines + 1);
                if count == most {
                    break 'text;
                }
            }
            if count == 0 {
                // Empty lines are no records, however many there are.
                self.buffer.drain(..end);
                self.line += lines;
                (end, lines) = (0, 0);
            }
            seen = self.buffer.len();
            if seen - end > LONGEST_RECORD {
                return Err(self.too_long(lines));
            }
            if end > BLOCK_BYTES && count > 0 {
                break;
            }
            if !self.fill()? {
                count += usize::from(is_record(&self.buffer[end..]));
                end = self.buffer.len();
                break;
            }
        }
        if let Syntax::Csv { delimiter } = syntax
            && !is_plain(&self.buffer[..end])
        {
            (end, lines, count) = self.quoted(delimiter, count)?;
        }
        if count == 0 {
            return Ok(None);
        }
        let rest = self.buffer.split_off(end);
        let text = std::mem::replace(&mut self.buffer, rest);
        let first_line = self.line;
        self.line += lines;
        Ok(Some((TextRecords { text, first_line }, count)))
    }

    /// The bytes, lines and number of the next records in a text with quotes: `most` or fewer.
    fn quoted(&mut self, delimiter: u8, most: usize) -> Result<(usize, u64, usize), Fault> {
        let mut most = most;
        loop {
            match quoted_records(&self.buffer, delimiter, most) {
                // A record that ends with the buffer may go on behind it.
                Some((end, lines)) if end < self.buffer.len() || self.has_ended => return Ok((end, lines, most)),
                _ if !self.has_ended && self.buffer.len() < BLOCK_BYTES + LONGEST_RECORD => {
                    // Twice as much: the text is read from its beginning again.
                    let enough = (2 * self.buffer.len() + 1).min(BLOCK_BYTES + LONGEST_RECORD);
                    while self.buffer.len() < enough && self.fill()? {}
                    let first = quoted_records(&self.buffer, delimiter, 1);
                    let is_whole = first.is_some_and(|(end, _)| end < self.buffer.len()) || self.has_ended;
                    if self.buffer.len() > LONGEST_RECORD && !is_whole {
                        return Err(self.too_long(0));
                    }
                }
                // A newline within quotes ends no record, so there are fewer.
                _ if most > 1 => most = self.fewer(delimiter, most),
                // Carriage returns and nothing else.
                None if self.has_ended => return Ok((self.buffer.len(), 0, 0)),
                _ => return Err(self.too_long(0)),
            }
        }
    }

    /// The largest number of records, less than `most`, that the buffer has.
    fn fewer(&self, delimiter: u8, most: usize) -> usize {
        let (mut low, mut high) = (0, most);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match quoted_records(&self.buffer, delimiter, middle) {
                Some((end, _)) if end < self.buffer.len() || self.has_ended => low = middle,
                _ => high = middle,
            }
        }
        low.max(1)
    }

    fn too_long(&self, lines: u64) -> Fault {
        let text = format!("a record longer than {} MiB (is a quote missing?)", LONGEST_RECORD >> 20);
        Fault::new(Place::Line(self.line + lines), text)
    }
}

/// Whether a text begins with the mark of UTF-16, or has a zero in its first line, as UTF-16 has in every other place.
fn is_utf_16(text: &[u8]) -> bool {
    text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") || text.contains(&0)
}

/// The error of columns that are missing, with the delimiter by which they would be there.
fn with_delimiter(fault: Fault, (kind, dimension): (&TableKind, Dimension), delimiter: u8, header: &[String]) -> Fault {
    let line = header.join(&char::from(delimiter).to_string());
    let found = b";\t|, ".iter().find(|other| {
        let names: Vec<String> = csv_header(line.as_bytes(), **other);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        **other != delimiter && Columns::would_be_found(kind, &names, dimension)
    });
    match found {
        Some(b'\t') => fault.with_delimiter(b'\t', "tabs divide its columns"),
        Some(b' ') => fault.with_delimiter(b' ', "spaces divide its columns"),
        Some(other) => fault.with_delimiter(*other, &format!("'{}' divides its columns", char::from(*other))),
        None => fault,
    }
}

/// The error of a text that cannot be read or unpacked.
fn damaged(error: io::Error, line: u64) -> Fault {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            let text = format!("damaged: the compressed text ends or breaks behind line {line} ({error})");
            Fault::from(error).with_text(text)
        }
        _ => Fault::from(error),
    }
}

impl TableSource for TextSource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(&mut self, most: usize) -> Result<Option<Block>, Fault> {
        let Some((records, rows)) = self.records(most)? else { return Ok(None) };
        let first_row = self.next_row;
        self.next_row += rows as u64;
        Ok(Some(Block { first_row, rows, data: BlockData::Text(records) }))
    }

    fn has_more(&mut self) -> Result<bool, Fault> {
        let Some((records, _)) = self.records(1)? else { return Ok(false) };
        self.input.unread(records);
        Ok(true)
    }

    fn precision(&self) -> Precision {
        self.decimals
    }

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> Option<f64> {
        let bytes = self.input.bytes?;
        let waiting = self.input.buffer.len() as u64;
        let read = self.input.read.load(Relaxed);
        Some((read.saturating_sub(waiting) as f64 / bytes.max(1) as f64).min(1.0))
    }
}
