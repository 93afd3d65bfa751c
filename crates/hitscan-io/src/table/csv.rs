//! Tables from CSV, record by record.

use super::columns::{Columns, TableKind};
use super::table_source::{TableRows, TableSource};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result, quoted};
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
    decimals: Precision,
    next_row: u64,
}

impl CsvSource {
    pub(super) fn open(
        input: Box<dyn Read + Send>,
        bytes: Option<u64>,
        kind: &TableKind,
        dimension: Dimension,
        (batch_rows, decimals): (usize, Precision),
    ) -> Result<Self, Fault> {
        let read = Arc::new(Meter { bytes: AtomicU64::new(0), limit: AtomicU64::new(LONGEST_RECORD) });
        let metered = Metered { input, meter: read.clone() };
        let mut reader = ReaderBuilder::new().buffer_capacity(1 << 16).from_reader(metered);
        let header = reader.byte_headers().map_err(|error| csv_fault(error, Place::Line(1)))?;
        let names: Vec<_> = header.iter().map(|name| String::from_utf8_lossy(name.trim_ascii())).collect();
        if read.bytes.load(Relaxed) == 0 {
            return Err(Fault::file("empty file"));
        }
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let columns = Columns::find(kind, &names, dimension)?;
        Ok(Self { reader, read, bytes, columns, record: ByteRecord::new(), batch_rows, decimals, next_row: 0 })
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
                return Err(csv_fault(error, Place::Row { row, line, column: None }));
            }
        }
        let line = self.record.position().map(csv::Position::line);
        for (binding, column) in self.columns.bindings().iter().zip(values) {
            let field = self.record.get(binding.index).unwrap_or_default().trim_ascii();
            if field.is_empty() {
                return Err(Fault::new(binding.place(row, line), "the cell is empty"));
            }
            let value: Option<f64> = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
            let value = value
                .ok_or_else(|| Fault::new(binding.place(row, line), format!("{} is not a number", quoted(field))))?;
            if !binding.admits(value) {
                return Err(self.columns.not_allowed(binding, value, row, line));
            }
            let value = match self.decimals {
                Precision::F32 if binding.is_real() => {
                    // From the digits: a number that is rounded twice may not be the nearest.
                    let nearest: Option<f32> = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
                    let nearest = nearest.map_or(value, f64::from);
                    if !binding.admits(nearest) {
                        let size = if nearest == 0.0 { "small" } else { "large" };
                        let text = format!("{} is too {size} for f32", quoted(field));
                        return Err(Fault::new(binding.place(row, line), text));
                    }
                    nearest
                }
                Precision::F32 | Precision::F64 => value,
            };
            column.push(value);
        }
        self.next_row += 1;
        Ok(true)
    }
}

impl TableSource for CsvSource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_rows(&mut self) -> Result<Option<TableRows>, Fault> {
        let first_row = self.next_row;
        let mut columns = vec![Vec::new(); self.columns.bindings().len()];
        while columns[0].len() < self.batch_rows && self.push_row(&mut columns)? {}
        Ok((!columns[0].is_empty()).then_some(TableRows { first_row, columns }))
    }

    fn precision(&self) -> Precision {
        self.decimals
    }

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> Option<f64> {
        self.bytes.map(|bytes| (self.read.bytes.load(Relaxed) as f64 / bytes as f64).min(1.0))
    }
}

fn csv_fault(error: csv::Error, place: Place) -> Fault {
    let text = match error.kind() {
        // The limit of a record.
        ErrorKind::Io(error) if error.kind() == io::ErrorKind::InvalidData => error.to_string(),
        ErrorKind::Io(_) => {
            let ErrorKind::Io(error) = error.into_kind() else { return Fault::new(place, "the file cannot be read") };
            return Fault::from(error);
        }
        ErrorKind::UnequalLengths { expected_len, len, .. } => format!("{len} fields (the header has {expected_len})"),
        other => format!("not CSV: {other:?}"),
    };
    Fault::caused(error).with_text(text).at(place)
}

/// Count of the bytes read, and their limit.
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
