//! The streams of a command.

use std::io::Write;

/// The streams that a command writes to.
pub struct Console<'a> {
    /// Standard output: results.
    pub out: &'a mut dyn Write,
    /// Standard error: notes, warnings, progress, the error.
    pub err: &'a mut dyn Write,
    /// Whether standard error is a terminal: only then a progress bar is drawn there.
    pub err_is_terminal: bool,
}
