//! Files that are being written, so that a signal can remove them before it ends the program.
//!
//! `hitscan-io` writes a file under a hidden name beside its target, renames it when it is complete, and removes it when
//! its writer is dropped. A signal drops no writer by itself: the signal handler does, through the list kept here.

use crate::error::Result;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The writers of unfinished files; each entry drops its writer.
static UNFINISHED: Mutex<Vec<(u64, Discard)>> = Mutex::new(Vec::new());

type Discard = Box<dyn Fn() + Send>;

/// Locks, even where another thread has panicked: the values are valid at all times.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The writer of a file, in the list for as long as the file is unfinished.
pub(crate) struct Unfinished<T> {
    /// The number of its entry; `None` when it is not in the list.
    entry: Option<u64>,
    writer: Arc<Mutex<Option<T>>>,
}

impl<T: Send + 'static> Unfinished<T> {
    /// Creates a writer for `target`, standard output without one.
    pub(crate) fn create(target: Option<&Path>, create: impl FnOnce() -> Result<T>) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Standard output, pipes and devices are written to directly. A writer may block there for as long as the other
        // side likes, and the signal handler must not wait for it.
        if target.is_none_or(|target| std::fs::metadata(target).is_ok_and(|metadata| !metadata.is_file())) {
            return Ok(Self { entry: None, writer: Arc::new(Mutex::new(Some(create()?))) });
        }
        // Locked while the file is created: there is no moment at which it exists outside the list.
        let mut unfinished = lock(&UNFINISHED);
        let writer = Arc::new(Mutex::new(Some(create()?)));
        let entry = NEXT.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(&writer);
        unfinished.push((entry, Box::new(move || drop(lock(&shared).take()))));
        Ok(Self { entry: Some(entry), writer })
    }

    /// Calls `write` with the writer. A signal waits until it returns.
    pub(crate) fn write<R>(&self, write: impl FnOnce(&mut T) -> R) -> Option<R> {
        lock(&self.writer).as_mut().map(write)
    }

    /// Calls `finish` with the writer. A signal waits until it returns, and then finds a complete file.
    pub(crate) fn finish<R>(self, finish: impl FnOnce(T) -> R) -> Option<R> {
        let mut writer = lock(&self.writer);
        let finished = writer.take().map(finish);
        drop(writer);
        finished
    }
}

impl<T> Drop for Unfinished<T> {
    fn drop(&mut self) {
        if let Some(entry) = self.entry {
            lock(&UNFINISHED).retain(|(other, _)| *other != entry);
        }
    }
}

/// Writes a file by one call: signals wait until it returns.
pub(crate) fn write_whole<R>(target: &Path, write: impl FnOnce() -> R) -> Result<R> {
    let file = Unfinished::create(Some(target), || Ok(()))?;
    let mut result = None;
    file.write(|()| result = Some(write()));
    result.ok_or_else(|| crate::error::Error::input(format!("{}: interrupted", target.display())))
}

/// Removes all unfinished files and exits with `code`. The list stays locked: no other thread creates a file meanwhile.
fn discard_and_exit(code: i32) -> ! {
    let unfinished = lock(&UNFINISHED);
    unfinished.iter().for_each(|(_, discard)| discard());
    std::process::exit(code)
}

/// Lets SIGINT and SIGTERM remove unfinished files and end the process with 130 or 143, as shells expect. Without this the
/// system ends the process, and leaves such files.
///
/// # Errors
///
/// The system refuses a handler.
#[cfg(unix)]
pub fn exit_on_signals() -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            discard_and_exit(128 + signal);
        }
    });
    Ok(())
}

/// Lets Ctrl-C and the closing of the console remove unfinished files and end the process with 130. Without this the system
/// ends the process, and leaves such files.
///
/// # Errors
///
/// The system refuses a handler.
#[cfg(not(unix))]
pub fn exit_on_signals() -> std::io::Result<()> {
    ctrlc::set_handler(|| discard_and_exit(130)).map_err(std::io::Error::other)
}
