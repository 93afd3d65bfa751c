//! Rays from CSV, record by record.

use super::columns::Columns;
use super::rays::{RayBatch, Source};
use crate::error::{Fault, Place, Result, quoted};
use crate::numbers::{Dimension, Precision};
use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// No record of numbers is longer. Without a limit a missing quote would load the rest of the file.
const LONGEST_RECORD: u64 = 1 << 24;

pub(super) struct CsvSource {
    reader: Reader<Metered>,
    read: Arc<Meter>,
    bytes: Option<u64>,
    columns: Columns,
    record: ByteRecord,
    batch_rows: usize,
    next_row: u64,
}

impl CsvSource {
    pub(super) fn open(
        input: Box<dyn Read + Send>,
        bytes: Option<u64>,
        dimension: Dimension,
        batch_rows: usize,
    ) -> Result<Self, Fault> {
        let read = Arc::new(Meter { bytes: AtomicU64::new(0), limit: AtomicU64::new(LONGEST_RECORD) });
        let metered = Metered { input, meter: read.clone() };
        let mut reader = ReaderBuilder::new().buffer_capacity(1 << 16).from_reader(metered);
        let header = reader.byte_headers().map_err(|error| told(error, Place::Line(1)))?;
        let names: Vec<_> = header.iter().map(|name| String::from_utf8_lossy(name.trim_ascii())).collect();
        if read.bytes.load(Relaxed) == 0 {
            return Err(Fault::file("empty file"));
        }
        let columns = Columns::find(&names, dimension)?;
        Ok(Self { reader, read, bytes, columns, record: ByteRecord::new(), batch_rows, next_row: 0 })
    }

    /// Reads one row onto the ends of the columns; `false` at the end of the file.
    fn push_row(&mut self, values: &mut [Vec<f64>]) -> Result<bool, Fault> {
        let row = self.next_row;
        self.read.limit.store(self.read.bytes.load(Relaxed) + LONGEST_RECORD, Relaxed);
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => {
                let line = error.position().map(csv::Position::line);
                return Err(told(error, Place::Row { row, line, column: None }));
            }
        }
        let line = self.record.position().map(csv::Position::line);
        for (slot, column) in self.columns.slots().iter().zip(values) {
            let field = self.record.get(slot.index).unwrap_or_default().trim_ascii();
            if field.is_empty() {
                return Err(Fault::new(slot.place(row, line), "the cell is empty"));
            }
            let value = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
            let value =
                value.ok_or_else(|| Fault::new(slot.place(row, line), format!("{} is not a number", quoted(field))))?;
            if !slot.admits(value) {
                return Err(slot.not_allowed(value, row, line));
            }
            column.push(value);
        }
        self.next_row += 1;
        Ok(true)
    }
}

impl Source for CsvSource {
    fn next_batch(&mut self) -> Result<Option<RayBatch>, Fault> {
        let first_row = self.next_row;
        let mut values = vec![Vec::new(); self.columns.slots().len()];
        while values[0].len() < self.batch_rows && self.push_row(&mut values)? {}
        Ok((!values[0].is_empty()).then(|| self.columns.batch(first_row, values, self.precision())))
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> Option<f64> {
        self.bytes.map(|bytes| (self.read.bytes.load(Relaxed) as f64 / bytes as f64).min(1.0))
    }
}

fn told(error: csv::Error, place: Place) -> Fault {
    match error.into_kind() {
        // Our own limit; all other failures are the system's.
        ErrorKind::Io(error) if error.kind() == io::ErrorKind::InvalidData => Fault::new(place, error.to_string()),
        ErrorKind::Io(error) => Fault::from(error),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            Fault::new(place, format!("{len} fields (the header has {expected_len})"))
        }
        other => Fault::new(place, format!("not CSV: {other:?}")),
    }
}

/// How much has been read, and how much may be.
struct Meter {
    bytes: AtomicU64,
    limit: AtomicU64,
}

struct Metered {
    input: Box<dyn Read + Send>,
    meter: Arc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let before = self.meter.bytes.load(Relaxed);
        if before > self.meter.limit.load(Relaxed) {
            let text = format!("a record longer than {} MiB (is a quote missing?)", LONGEST_RECORD >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let count = self.input.read(buffer)?;
        self.meter.bytes.store(before + count as u64, Relaxed);
        Ok(count)
    }
}
