//! Checks of a hostile Parquet file before its decoder allocates memory.
//!
//! `parquet` 59 allocates what a footer or a page header announces before it looks at the bytes: 2³¹ row groups, a
//! page of 2 GiB, a dictionary of 2³¹ values. So this module walks each first; both are Thrift in its compact protocol.

use crate::error::{Fault, Result};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// The length of the footer and `PAR1`.
const TAIL: u64 = 8;
/// Upper bound of the length of a page header, in bytes: more than any page of numbers has.
const LONGEST_PAGE_HEADER: u64 = 1 << 12;
/// Upper bound of the compression ratio: a zstd block of 4 bytes holds 128 KiB.
const MOST_PER_BYTE: i64 = 1 << 15;

/// A Parquet file whose footer and page headers announce no more than the file can hold.
pub(super) struct GuardedFile {
    file: File,
    bytes: u64,
}

impl GuardedFile {
    pub(super) fn open(file: File) -> Result<Self, Fault> {
        let bytes = file.metadata()?.len();
        let guarded = Self { file, bytes };
        let tail = guarded.tail()?;
        let length = tail.first_chunk().map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
        let start = bytes.checked_sub(TAIL + length).filter(|_| tail.ends_with(b"PAR1"));
        let Some(start) = start else {
            let is_parquet = guarded.read(0, 4)? == b"PAR1";
            return Err(Fault::file(match is_parquet {
                true => "truncated: it begins as a Parquet file, and has no footer at its end",
                false => "not a Parquet file (no footer at its end)",
            }));
        };
        let footer = guarded.read(start, length)?;
        match Thrift(&footer).structure(&mut Vec::new(), &mut |_, _| {}) {
            Some(()) => Ok(guarded),
            None => Err(Fault::file("damaged Parquet file: implausible footer")),
        }
    }

    fn tail(&self) -> Result<Vec<u8>, Fault> {
        Ok(self.read(self.bytes.saturating_sub(TAIL), TAIL.min(self.bytes))?)
    }

    fn at(&self, start: u64) -> std::io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }

    /// Up to `length` bytes: no more than there are.
    fn read(&self, start: u64, length: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.at(start)?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Length for GuardedFile {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for GuardedFile {
    type T = BufReader<File>;

    /// Readers begin at a page header, or at the tail of the file.
    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        if start.saturating_add(TAIL) < self.bytes && !is_plausible_page(&self.read(start, LONGEST_PAGE_HEADER)?) {
            return Err(ParquetError::General(format!("implausible page header at byte {start}")));
        }
        Ok(BufReader::new(self.at(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.read(start, length as u64)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes expected at byte {start}")));
        }
        Ok(bytes.into())
    }
}

/// Whether a page header announces no more than its page can unpack to.
fn is_plausible_page(header: &[u8]) -> bool {
    let (mut unpacked, mut packed, mut dictionary) = (0, 0, 0);
    let walked = Thrift(header).structure(&mut Vec::new(), &mut |path, value| match path {
        [2] => unpacked = value,
        [3] => packed = value,
        [7, 1] => dictionary = value,
        _ => {}
    });
    walked.is_some() && unpacked <= packed.saturating_mul(MOST_PER_BYTE) && dictionary <= unpacked
}

/// A walk over Thrift's compact protocol. Each step takes a byte at least, so no walk is longer than its bytes, and a
/// list that ends has as many elements as it announces.
struct Thrift<'a>(&'a [u8]);

/// Gets each integer, with the fields that lead to it.
type Visit<'v> = &'v mut dyn FnMut(&[i16], i64);

impl Thrift<'_> {
    /// Deeper than any Parquet structure.
    const DEEPEST: usize = 16;

    fn structure(&mut self, path: &mut Vec<i16>, visit: Visit) -> Option<()> {
        let mut field: i16 = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => i16::try_from(self.signed()?).ok()?,
                step => field.checked_add(i16::from(step))?,
            };
            path.push(field);
            let done = (path.len() < Self::DEEPEST).then(|| self.value(head & 15, false, path, visit));
            path.pop();
            done??;
        }
    }

    fn value(&mut self, kind: u8, in_list: bool, path: &mut Vec<i16>, visit: Visit) -> Option<()> {
        match kind {
            // A boolean field is its own type; in a list it is a byte.
            1 | 2 if !in_list => Some(()),
            1..=3 => self.skip(1),
            4..=6 => {
                let value = self.signed()?;
                visit(path, value);
                Some(())
            }
            7 => self.skip(8),
            8 => {
                let length = self.unsigned()?;
                self.skip(length)
            }
            9 | 10 => self.list(path, visit),
            12 => self.structure(path, visit),
            13 => self.skip(16),
            // Parquet has no maps.
            _ => None,
        }
    }

    fn list(&mut self, path: &mut Vec<i16>, visit: Visit) -> Option<()> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.unsigned()?,
            count => u64::from(count),
        };
        // Lists do not nest in Parquet, but a file may claim so.
        path.push(0);
        let deep = path.len() >= Self::DEEPEST;
        let done = (0..count).try_for_each(|_| if deep { None } else { self.value(head & 15, true, path, visit) });
        path.pop();
        done
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Zigzag: 0, -1, 1, -2, …
    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(unpacked: u8, packed: u8, dictionary: &[u8]) -> Vec<u8> {
        let mut header = vec![0x15, 4, 0x15, unpacked, 0x15, packed, 0x4C, 0x15];
        header.extend(dictionary);
        header.extend([0x15, 0, 0, 0]);
        header
    }

    #[test]
    fn a_page_may_unpack_to_what_a_codec_can_pack() {
        assert!(is_plausible_page(&page(80, 40, &[20])), "40 bytes in 20, 10 values");
        assert!(!is_plausible_page(&page(80, 0, &[20])), "40 bytes in none");
        assert!(!is_plausible_page(&page(80, 40, &[0xFE, 0xFF, 0xFF, 0xFF, 0x0F])), "2³¹ - 1 values in 40 bytes");
        assert!(!is_plausible_page(&page(80, 40, &[20])[..9]), "a header without an end");
    }

    #[test]
    fn lists_must_hold_what_they_announce_and_nesting_ends() {
        let walk = |bytes: &[u8]| Thrift(bytes).structure(&mut Vec::new(), &mut |_, _| {}).is_some();
        assert!(walk(&[0x19, 0x35, 2, 4, 6, 0]));
        assert!(!walk(&[0x19, 0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 2, 4, 0]));
        assert!(!walk(&[0x1C; 100_000]));
        assert!(!walk(&[0x19].repeat(100_000)));
    }
}
