//! The table of rows that could not be read.

use crate::error::{Error, Result};
use crate::output::Output;
use crate::table::BadRow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Bad rows as CSV with the columns `file row line column value reason`.
#[derive(Debug, Default)]
pub struct BadRowTable {
    text: String,
    count: u64,
}

impl BadRowTable {
    /// Adds rows of a file.
    pub fn add(&mut self, file: &Path, rows: &[BadRow]) {
        if self.text.is_empty() {
            self.text.push_str("file,row,line,column,value,reason\n");
        }
        for BadRow { row, line, column, value, reason } in rows {
            let line = line.map(|line| line.to_string()).unwrap_or_default();
            let [file, column, value, reason] =
                [&file.to_string_lossy(), column.as_deref().unwrap_or_default(), value, reason].map(cell);
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "{file},{row},{line},{column},{value},{reason}");
        }
        self.count += rows.len() as u64;
    }

    /// The number of rows.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes the table, if it has rows: to a file, or to standard output without a `target`.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(&self, target: Option<&Path>) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let mut output = Output::create(target)?;
        output.write_all(self.text.as_bytes()).map_err(|error| Error::io(output.name(), error))?;
        output.finish()
    }
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted() {
        let mut table = BadRowTable::default();
        let bad = BadRow { row: 3, line: Some(5), column: None, value: "1,\"x\"".into(), reason: "2 fields".into() };
        table.add(Path::new("a.csv"), &[bad]);
        assert_eq!(table.text, "file,row,line,column,value,reason\na.csv,3,5,,\"1,\"\"x\"\"\",2 fields\n");
        assert_eq!(table.count(), 1);
    }
}
