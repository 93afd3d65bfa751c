//! The error of a command, in one line.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

/// The result of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of a command.
#[derive(Debug)]
pub(crate) enum Error {
    /// A fault of a file, with its place.
    File(hitscan_io::Error),
    /// Bad input.
    Input(String),
    /// Wrong usage: arguments that do not go together.
    Usage(String),
    /// A failed write to standard output.
    Stdout(io::Error),
}

impl Error {
    /// Bad input.
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    /// Wrong usage: arguments that do not go together.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// 1 for bad input, 2 for wrong usage.
    pub(crate) fn exit_code(&self) -> u8 {
        if let Self::Usage(_) = self { 2 } else { 1 }
    }

    /// A failed write.
    pub(crate) fn write(path: &Path, error: &io::Error) -> Self {
        Self::Input(format!("{}: {}", path.display(), message_of(error)))
    }

    /// Whether the reader of standard output has closed the pipe (`hitscan … | head`), which is no error.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let kind = match self {
            Self::File(error) if error.file() == "<stdout>" => error.io_kind(),
            Self::Stdout(error) => Some(error.kind()),
            _ => None,
        };
        kind == Some(io::ErrorKind::BrokenPipe)
    }
}

/// The message without "(os error 2)".
fn message_of(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Input(text) | Self::Usage(text) => f.write_str(text),
            Self::Stdout(error) => write!(f, "<stdout>: {}", message_of(error)),
        }
    }
}

impl From<hitscan_io::Error> for Error {
    fn from(error: hitscan_io::Error) -> Self {
        Self::File(error)
    }
}

/// Commands write to no other stream than standard output themselves.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Stdout(error)
    }
}
