//! Outputs that the user names: a file, or `-`, which is standard output.

use crate::console::Console;
use crate::error::Result;
use hitscan_io::write_file;
use std::path::Path;

/// The file of an output; `None` for standard output.
pub(crate) fn file_of(output: &Path) -> Option<&Path> {
    (output.as_os_str() != "-").then_some(output)
}

/// Writes the whole output. A file appears when it is complete.
pub(crate) fn write_output(output: &Path, bytes: &[u8], console: &mut Console) -> Result<()> {
    match file_of(output) {
        Some(file) => Ok(write_file(file, bytes)?),
        None => Ok(console.out.write_all(bytes)?),
    }
}
