//! Files that appear when they are complete.

use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Writes a file beside its target and renames it, so that no half-written file is ever seen. Devices and pipes are
/// written to directly.
pub(crate) fn write_file(target: &Path, bytes: &[u8]) -> Result<()> {
    write_and_rename(target, bytes).map_err(|error| Error::write(target, &error))
}

fn write_and_rename(target: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(target).is_ok_and(|existing| !existing.is_file()) {
        return fs::write(target, bytes);
    }
    let Some(name) = target.file_name() else { return Err(io::ErrorKind::InvalidFilename.into()) };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let temporary = target.with_file_name(hidden);
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, target));
    if written.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    written
}
