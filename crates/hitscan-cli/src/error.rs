//! Why a command stopped, in one line.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

/// The result of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Error {
    /// With a file: it names the place in it.
    File(hitscan_io::Error),
    /// With what was asked.
    Input(String),
    /// With how it was asked.
    Usage(String),
    /// With standard output.
    Stdout(io::Error),
}

impl Error {
    /// A mistake in what was asked.
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    /// Arguments that do not go together.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// 1 for bad input, 2 for wrong usage.
    pub(crate) fn exit_code(&self) -> u8 {
        if let Self::Usage(_) = self { 2 } else { 1 }
    }

    /// A failed write.
    pub(crate) fn write(path: &Path, error: &io::Error) -> Self {
        Self::Input(format!("{}: {}", path.display(), in_words(error)))
    }

    /// Whoever read the output has gone (`hitscan … | head`): no error.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let kind = match self {
            Self::File(error) if error.file() == "<stdout>" => error.io_kind(),
            Self::Stdout(error) => Some(error.kind()),
            _ => None,
        };
        kind == Some(io::ErrorKind::BrokenPipe)
    }
}

/// Without "(os error 2)", which helps nobody.
fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Input(text) | Self::Usage(text) => f.write_str(text),
            Self::Stdout(error) => write!(f, "<stdout>: {}", in_words(error)),
        }
    }
}

impl From<hitscan_io::Error> for Error {
    fn from(error: hitscan_io::Error) -> Self {
        Self::File(error)
    }
}

/// The only stream that is written to directly is standard output.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Stdout(error)
    }
}
