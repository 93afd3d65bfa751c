//! Signals that end the program.

use hitscan_io::remove_unfinished_files;

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
            exit(128 + signal);
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
    ctrlc::set_handler(|| exit(130)).map_err(std::io::Error::other)
}

fn exit(code: i32) -> ! {
    remove_unfinished_files();
    std::process::exit(code)
}
