//! The streams of a command.

use std::io::Write;

/// The streams that a command writes to.
pub struct Console<'a> {
    /// Standard output: results.
    pub out: &'a mut (dyn Write + Send),
    /// Standard error: notes, warnings, progress, the error.
    pub err: &'a mut dyn Write,
    /// Whether standard error is a terminal: only then a progress bar is drawn there.
    pub err_is_terminal: bool,
    /// Whether `--quiet` hides notes and progress.
    pub is_quiet: bool,
}

impl<'a> Console<'a> {
    /// The streams of a program whose standard error is no terminal.
    pub fn new(out: &'a mut (dyn Write + Send), err: &'a mut dyn Write) -> Self {
        Self { out, err, err_is_terminal: false, is_quiet: false }
    }

    /// Whether to draw a progress bar.
    pub(crate) fn shows_progress(&self) -> bool {
        self.err_is_terminal && !self.is_quiet
    }

    /// Prints a line about a finished or surprising piece of work, unless the user wants none.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.is_quiet {
            // A note that cannot be written is no reason to stop.
            let _ = writeln!(self.err, "hitscan: {text}");
        }
    }

    /// Prints a warning: a result that may not be the intended one.
    pub(crate) fn warn(&mut self, text: &str) {
        // A warning that cannot be written is no reason to stop.
        let _ = writeln!(self.err, "hitscan: warning: {text}");
    }
}
