//! Where the results of one table go: to people, to a file or to standard output.

use super::record_grid::RecordGrid;
use crate::error::Result;
use crate::outputs::file_of;
use crate::progress::Progress;
use crate::text::count;
use hitscan_io::{BadRow, BadRowTable, CastSink, LasRounding, ResultFile, ResultOpener, ResultRows};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The destination of results.
pub(crate) enum Destination<'a> {
    /// A table for people.
    People(RecordGrid, &'a mut (dyn Write + Send)),
    /// A file, or standard output without a target.
    File { opener: ResultOpener, target: Option<&'a Path>, file: Option<ResultFile> },
}

/// The results of one table, and the rows that could not be read.
pub(crate) struct TableSink<'a> {
    destination: Destination<'a>,
    name: &'a Path,
    bad: BadRowTable,
    first_bad: Option<BadRow>,
    bad_path: Option<PathBuf>,
    progress: &'a Progress,
}

impl<'a> TableSink<'a> {
    pub(crate) fn new(
        destination: Destination<'a>,
        name: &'a Path,
        bad_path: Option<PathBuf>,
        progress: &'a Progress,
    ) -> Self {
        Self { destination, name, bad: BadRowTable::default(), first_bad: None, bad_path, progress }
    }

    /// Completes the file, after that of the bad rows. Returns how its coordinates are rounded, and a warning if there are bad
    /// rows.
    pub(crate) fn finish(mut self) -> Result<(Option<LasRounding>, Option<String>)> {
        let mut rounding = None;
        if let Some(path) = &self.bad_path {
            self.bad.write(file_of(path))?;
        }
        match self.destination {
            Destination::People(mut grid, out) => out.write_all(grid.take().as_bytes())?,
            Destination::File { opener, target, file } => {
                let file = file.map_or_else(|| opener.begin(target), Ok)?;
                rounding = file.rounding();
                file.finish()?;
            }
        }
        let Some(BadRow { row, line, column, reason, .. }) = self.first_bad.take() else {
            return Ok((rounding, None));
        };
        let line = line.map_or(String::new(), |line| format!(" (line {line})"));
        let column = column.map_or(String::new(), |column| format!(", column '{column}'"));
        let rows = count(self.bad.count(), "row");
        let place = match &self.bad_path {
            Some(path) if file_of(path).is_none() => "standard output has them".to_owned(),
            Some(path) => format!("{} has them", path.display()),
            None => "--bad-rows FILE writes them down".to_owned(),
        };
        let warning = format!(
            "{rows} of {} could not be read: {place} (the first: row {row}{line}{column}: {reason})",
            self.name.display()
        );
        Ok((rounding, Some(warning)))
    }
}

impl CastSink for TableSink<'_> {
    fn write(&mut self, rows: ResultRows) -> hitscan_io::Result<()> {
        match &mut self.destination {
            Destination::People(grid, out) => {
                let text = rows.records().map(|batch| grid.text(batch)).unwrap_or_default();
                out.write_all(text.as_bytes()).map_err(|error| hitscan_io::Error::io("<stdout>".as_ref(), error))
            }
            Destination::File { opener, target, file } => {
                let open = match file {
                    Some(file) => file,
                    None => file.insert(opener.begin(*target)?),
                };
                open.write(rows)
            }
        }
    }

    fn bad_rows(&mut self, rows: &[BadRow]) -> hitscan_io::Result<()> {
        self.first_bad = self.first_bad.take().or_else(|| rows.first().cloned());
        self.bad.add(self.name, rows);
        Ok(())
    }

    fn progress(&mut self, rows: u64, share: Option<f64>) -> hitscan_io::Result<()> {
        self.progress.show(rows, "rays", share);
        Ok(())
    }
}
