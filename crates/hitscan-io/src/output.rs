//! Output: a file that appears when it is complete, or standard output.

use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
#[cfg(feature = "tables")]
use std::io::Seek;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const BUFFER_BYTES: usize = 1 << 16;

/// The end of the names of temporary files.
const TEMPORARY: &str = ".part";

/// Whether a file may be the temporary file of an output: `.hits.csv.1234-0.part`.
#[cfg(feature = "tables")]
pub(crate) fn is_temporary(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|name| name.strip_suffix(TEMPORARY));
    let number = inner.and_then(|name| name.rsplit_once('.')).and_then(|(_, number)| number.split_once('-'));
    number.is_some_and(|(process, serial)| process.parse::<u32>().is_ok() && serial.parse::<u32>().is_ok())
}

/// The temporary files of unfinished outputs.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Locks, even where another thread has panicked: the list is valid at all times.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all unfinished outputs, so that a signal that ends the program leaves none.
///
/// From then on no file is created or completed: a thread that tries waits for ever. Call it directly before the process ends.
pub fn remove_unfinished_files() {
    let mut files = unfinished();
    for file in files.drain(..) {
        let _ = fs::remove_file(file);
    }
    std::mem::forget(files);
}

/// A buffered writer. A regular file is written beside its target and renamed by [`Output::finish`]; without that the
/// target stays as it was.
pub(crate) struct Output {
    /// `None` only after `finish`.
    sink: Option<BufWriter<Sink>>,
    /// The target as the caller named it, for messages.
    name: PathBuf,
    /// The temporary file and its final path.
    pending: Option<(PathBuf, PathBuf)>,
}

enum Sink {
    File(File),
    Stdout(io::Stdout),
}

/// Writes a file that appears when it is complete. Devices and pipes are written to directly.
///
/// # Errors
/// The error of the system, with the name of the file; the target is then as it was.
pub fn write_file(target: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = Output::create(Some(target))?;
    output.write_all(bytes).map_err(|error| Error::io(target, error))?;
    output.finish()
}

impl Output {
    /// Starts to write to `target`, or to standard output without one.
    pub(crate) fn create(target: Option<&Path>) -> Result<Self> {
        let Some(target) = target else {
            let sink = BufWriter::with_capacity(BUFFER_BYTES, Sink::Stdout(io::stdout()));
            return Ok(Self { sink: Some(sink), name: "<stdout>".into(), pending: None });
        };
        let (file, pending) = open(target).map_err(|error| Error::io(target, error))?;
        let sink = BufWriter::with_capacity(BUFFER_BYTES, Sink::File(file));
        Ok(Self { sink: Some(sink), name: target.to_owned(), pending })
    }

    /// The target as the caller named it.
    #[cfg(feature = "tables")]
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Whether the output is a regular file: not standard output, and no device and no pipe.
    #[cfg(feature = "tables")]
    pub(crate) fn is_regular(&self) -> bool {
        self.pending.is_some()
    }

    /// Writes over the first bytes of a regular file, when all others have been written.
    #[cfg(feature = "tables")]
    pub(crate) fn write_beginning(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        match self.sink.as_mut().map(BufWriter::get_mut) {
            Some(Sink::File(file)) => {
                file.rewind()?;
                file.write_all(bytes)
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Changes the name that the file gets when it is complete. The folder stays.
    #[cfg(feature = "tables")]
    pub(crate) fn rename(&mut self, name: &str) {
        if let Some((_, target)) = &mut self.pending {
            target.set_file_name(name);
            self.name.set_file_name(name);
        }
    }

    /// Writes the buffer and gives the file its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let done = self.complete();
        done.map_err(|error| Error::io(&self.name, error))
    }

    fn complete(&mut self) -> io::Result<()> {
        let Some(mut sink) = self.sink.take() else { return Ok(()) };
        sink.flush()?;
        let Some((temporary, target)) = &self.pending else { return Ok(()) };
        if let Sink::File(file) = sink.get_ref() {
            // Without this a power cut after the renaming could leave an empty file.
            file.sync_all()?;
        }
        drop(sink);
        let mut files = unfinished();
        fs::rename(temporary, target)?;
        files.retain(|file| file != temporary);
        drop(files);
        self.pending = None;
        Ok(())
    }
}

/// Opens `target` itself when it is a device or a pipe, else a new file beside it.
fn open(target: &Path) -> io::Result<(File, Option<(PathBuf, PathBuf)>)> {
    static SERIAL: AtomicU32 = AtomicU32::new(0);
    let existing = match fs::metadata(target) {
        Ok(metadata) if metadata.is_file() => Some(metadata.permissions()),
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => return Ok((OpenOptions::new().write(true).open(target)?, None)),
        Err(_) => None,
    };
    // A link stays a link: its target is replaced.
    let target = if existing.is_some() { fs::canonicalize(target)? } else { target.to_owned() };
    let Some(name) = target.file_name() else { return Err(io::ErrorKind::InvalidFilename.into()) };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}{TEMPORARY}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed)));
    let temporary = target.with_file_name(hidden);
    let mut files = unfinished();
    let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    files.push(temporary.clone());
    drop(files);
    if let Some(permissions) = existing {
        // Best effort: another owner's file may not let us copy them.
        let _ = file.set_permissions(permissions);
    }
    Ok((file, Some((temporary, target))))
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((temporary, _)) = self.pending.take() {
            // Without writing the rest of its buffer.
            let _ = self.sink.take().map(BufWriter::into_parts);
            let mut files = unfinished();
            let _ = fs::remove_file(&temporary);
            files.retain(|file| *file != temporary);
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.as_mut().map_or(Ok(0), |sink| sink.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}
