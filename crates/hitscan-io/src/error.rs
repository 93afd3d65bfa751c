//! The error type of the crate: a file, a place in it, and a message.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

/// The result of functions that read or write files.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a file, in one line: `rays.csv: row 3 (line 5), column 'dx': 'abc' is not a number`.
///
/// [`source`](std::error::Error::source) is the error of the system or of a library that caused it, if one did.
#[derive(Debug)]
pub struct Error {
    file: String,
    // Boxed, so that results stay small.
    fault: Box<Fault>,
}

/// The place of an error in a file.
///
/// Rows, vertices and faces are counted from 0, in the order of the file; a row is the number in column `ray` of the
/// table of hits. Lines of text files are counted from 1, as editors do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file.
    Line(u64),
    /// A character of a text file.
    Character {
        /// Its line, from 1.
        line: u64,
        /// Its number in the line, from 1.
        column: u64,
    },
    /// A shape of a scene.
    Shape {
        /// The number of the shape, from 0.
        shape: u64,
        /// Its name, if it has one.
        name: Option<String>,
        /// The line of the error: that of a key, or of the whole shape.
        line: Option<u64>,
    },
    /// A geometry of a scene.
    Geometry {
        /// The number of its `[[geometry]]`, from 0.
        geometry: u64,
        /// Its name, if it has one.
        name: Option<String>,
        /// The line of the error: that of a key, or of the whole table.
        line: Option<u64>,
    },
    /// An object of a scene.
    Object {
        /// The number of its `[[object]]`, from 0; of a glTF, of its node with a mesh.
        object: u64,
        /// Its name, if it has one.
        name: Option<String>,
        /// The line of the error: that of a key, or of the whole table.
        line: Option<u64>,
    },
    /// A byte offset in a binary file.
    Byte(u64),
    /// A column of a table.
    Column(String),
    /// A row of a table.
    Row {
        /// The number of the row, from 0.
        row: u64,
        /// Its line, when the file is text.
        line: Option<u64>,
        /// Its column; `None` for the row as a whole.
        column: Option<String>,
    },
    /// A vertex of a mesh.
    Vertex {
        /// The number of the vertex, from 0.
        vertex: u64,
        /// Its line, when the file is text.
        line: Option<u64>,
    },
    /// A face of a mesh.
    Face {
        /// The number of the face, from 0.
        face: u64,
        /// Its line, when the file is text.
        line: Option<u64>,
    },
}

/// An error without the name of its file: the error type of parsers of bytes.
#[derive(Debug)]
pub(crate) struct Fault {
    place: Place,
    problem: Problem,
    /// See [`Error::delimiter`].
    delimiter: Option<u8>,
}

#[derive(Debug)]
enum Problem {
    Io(io::Error),
    Text(Cow<'static, str>),
    /// An error of a library, with its message or a plainer one.
    Caused {
        text: String,
        source: Source,
    },
}

/// An error of another library.
pub(crate) type Source = Box<dyn std::error::Error + Send + Sync>;

impl Error {
    /// The file as the caller named it; `<stdin>` or `<stdout>` for the standard streams.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The place in the file.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.fault.place
    }

    /// The kind of the failed system call, if one failed.
    #[must_use]
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match &self.fault.problem {
            Problem::Io(error) => Some(error.kind()),
            Problem::Caused { source, .. } => source.downcast_ref::<io::Error>().map(io::Error::kind),
            Problem::Text(_) => None,
        }
    }

    /// The character that divides the columns of a table of text, where another one was taken for it and so columns are
    /// missing. A front end can name its option.
    #[must_use]
    pub fn delimiter(&self) -> Option<u8> {
        self.fault.delimiter
    }

    /// The same error of a file of another name.
    #[cfg(feature = "tables")]
    pub(crate) fn renamed(self, file: &Path) -> Self {
        Self { file: file.display().to_string(), ..self }
    }

    /// The error of a file that cannot be read or written. A callback that reads files for
    /// [`SceneFile::parse_with`](crate::SceneFile::parse_with) returns it for a missing one.
    #[must_use]
    pub fn io(file: &Path, error: io::Error) -> Self {
        Fault::from(error).in_file(file)
    }
}

impl Fault {
    pub(crate) fn new(place: Place, text: impl Into<Cow<'static, str>>) -> Self {
        Self { place, problem: Problem::Text(text.into()), delimiter: None }
    }

    /// An error that another one caused, with its message.
    pub(crate) fn caused(source: impl Into<Source>) -> Self {
        let source = source.into();
        Self { place: Place::File, problem: Problem::Caused { text: source.to_string(), source }, delimiter: None }
    }

    /// The same at a place.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// The same with a plainer message.
    pub(crate) fn with_text(self, text: impl Into<String>) -> Self {
        let problem = match self.problem {
            Problem::Io(error) => Problem::Caused { text: text.into(), source: error.into() },
            Problem::Text(_) => Problem::Text(Cow::Owned(text.into())),
            Problem::Caused { source, .. } => Problem::Caused { text: text.into(), source },
        };
        Self { problem, ..self }
    }

    /// The same with advice behind its message.
    #[cfg(feature = "tables")]
    pub(crate) fn with_advice(self, advice: &str) -> Self {
        let text = format!("{}: {advice}", self.problem);
        self.with_text(text)
    }

    /// The same with the character that divides the columns.
    #[cfg(feature = "tables")]
    pub(crate) fn with_delimiter(self, delimiter: u8, advice: &str) -> Self {
        Self { delimiter: Some(delimiter), ..self.with_advice(advice) }
    }

    /// The same error in a part of the file, which the message names first.
    pub(crate) fn within(self, part: &str) -> Self {
        let text = format!("{part}: {self}");
        let problem = match self.problem {
            Problem::Io(error) => Problem::Caused { text, source: error.into() },
            Problem::Text(_) => Problem::Text(Cow::Owned(text)),
            Problem::Caused { source, .. } => Problem::Caused { text, source },
        };
        Self { place: Place::File, problem, ..self }
    }

    /// An error of the file as a whole.
    pub(crate) fn file(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Place::File, text)
    }

    /// The error of a file with fewer things than it announces.
    pub(crate) fn truncated(announced: u64, things: &str, read: u64) -> Self {
        Self::file(format!("truncated: {announced} {things} announced, {read} read"))
    }

    pub(crate) fn in_file(self, file: &Path) -> Error {
        Error { file: file.display().to_string(), fault: Box::new(self) }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File => write!(f, "{}", self.problem),
            place => write!(f, "{place}: {}", self.problem),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self { place: Place::File, problem: Problem::Io(error), delimiter: None }
    }
}

impl Place {
    /// The word, number, name and line of a table of a scene.
    fn part_of_scene(&self) -> Option<(&str, &u64, &Option<String>, &Option<u64>)> {
        match self {
            Self::Shape { shape, name, line } => Some(("shape", shape, name, line)),
            Self::Geometry { geometry, name, line } => Some(("geometry", geometry, name, line)),
            Self::Object { object, name, line } => Some(("object", object, name, line)),
            _ => None,
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut numbered = |what: &str, number: &dyn Display, line: &Option<u64>| match line {
            Some(line) => write!(f, "{what} {number} (line {line})"),
            None => write!(f, "{what} {number}"),
        };
        if let Some((what, number, name, line)) = self.part_of_scene() {
            let name = name.as_ref().map_or(String::new(), |name| format!(" '{name}'"));
            return numbered(what, &format!("{number}{name}"), line);
        }
        match self {
            Self::File | Self::Shape { .. } | Self::Geometry { .. } | Self::Object { .. } => Ok(()),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Character { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Column(column) => write!(f, "column '{column}'"),
            Self::Vertex { vertex, line } => numbered("vertex", vertex, line),
            Self::Face { face, line } => numbered("face", face, line),
            Self::Row { row, line, column } => {
                numbered("row", row, line)?;
                column.as_ref().map_or(Ok(()), |column| write!(f, ", column '{column}'"))
            }
        }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Caused { text, .. } => f.write_str(text),
            Self::Io(error) => {
                // "No such file or directory (os error 2)": the number is of no use.
                let text = error.to_string();
                f.write_str(text.split(" (os error").next().unwrap_or(&text))
            }
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let line = format!("{}: {}", self.file, self.fault);
        // Names and values come from files, messages from other crates: whatever they hold, this is one line.
        line.chars().try_for_each(|c| fmt::Write::write_char(f, if c.is_control() { ' ' } else { c }))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault.problem {
            Problem::Io(error) => Some(error),
            Problem::Caused { source, .. } => Some(&**source),
            Problem::Text(_) => None,
        }
    }
}

/// A piece of a file in quotes, cut to a length that fits a line.
pub(crate) fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("'{}…'", &text[..end]),
        None => format!("'{text}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_the_file_holds() {
        let place = Place::Row { row: 3, line: Some(5), column: Some("d\nx".into()) };
        let error = Fault::new(place, quoted(b"a\r\nb\x07")).in_file(Path::new("rays\n.csv"));
        assert_eq!(error.to_string(), "rays .csv: row 3 (line 5), column 'd x': 'a  b '");
    }

    #[test]
    fn the_error_of_a_system_call_keeps_its_kind() {
        let error = Error::io(Path::new("x.ply"), io::Error::from_raw_os_error(2));
        assert_eq!(error.to_string(), "x.ply: No such file or directory");
        assert_eq!(error.io_kind(), Some(io::ErrorKind::NotFound));
        assert!(std::error::Error::source(&error).is_some_and(<dyn std::error::Error>::is::<io::Error>));
    }

    #[test]
    fn the_cause_stays_the_source_through_places_and_parts() {
        let cause = || Fault::caused("3.5".parse::<i32>().unwrap_err());
        let place = || Place::Line(7);
        for (fault, text) in [
            (cause(), "a: invalid digit found in string"),
            (cause().at(place()), "a: line 7: invalid digit found in string"),
            (cause().at(place()).within("buffer 0"), "a: buffer 0: line 7: invalid digit found in string"),
        ] {
            let error = fault.in_file(Path::new("a"));
            assert_eq!(error.to_string(), text);
            let source = std::error::Error::source(&error).unwrap();
            assert!(source.is::<std::num::ParseIntError>());
        }
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(quoted("ü".repeat(41).as_bytes()), format!("'{}…'", "ü".repeat(40)));
    }
}
