//! The formats of tables.

use crate::error::{Fault, Result, quoted};
use std::fs;
use std::path::Path;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values with a header line; another delimiter is [`TextOptions::delimiter`](crate::TextOptions).
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// Apache Parquet: snappy, zstd, lz4 or no compression.
    Parquet,
    /// The Arrow IPC file format, also called Feather 2: lz4, zstd or no compression.
    Arrow,
    /// The Arrow IPC stream format, for pipes.
    ArrowStream,
    /// Hit points as the vertices of a binary PLY file; for results of casts only.
    Ply,
    /// Hit points as a LAS 1.4 file; for results of casts only.
    Las,
}

/// The compression of a file of text as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// None.
    #[default]
    None,
    /// gzip: `.gz`.
    Gzip,
    /// Zstandard: `.zst`.
    Zstd,
}

impl Format {
    /// The names that [`Format::from_name`] knows, which are also the extensions.
    pub const NAMES: [&'static str; 10] =
        ["csv", "jsonl", "ndjson", "parquet", "arrow", "ipc", "feather", "arrows", "ply", "las"];

    /// The format of that name, in any case: `parquet`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "csv" | "tsv" => Self::Csv,
            "jsonl" | "ndjson" => Self::JsonLines,
            "parquet" => Self::Parquet,
            "arrow" | "ipc" | "feather" => Self::Arrow,
            "arrows" => Self::ArrowStream,
            "ply" => Self::Ply,
            "las" => Self::Las,
            _ => return None,
        })
    }

    /// The usual extension of the format's files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::ArrowStream => "arrows",
            Self::Ply => "ply",
            Self::Las => "las",
        }
    }

    /// Whether the format is text, whose numbers have no type and which may be compressed as a whole.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::JsonLines)
    }

    /// Whether the format holds hit points, as PLY and LAS do: only casts write it, and it is no table of rays.
    #[must_use]
    pub fn is_points(self) -> bool {
        matches!(self, Self::Ply | Self::Las)
    }

    /// The format that a file's extension names: `hits.parquet`, `rays.csv.gz`.
    ///
    /// # Errors
    ///
    /// When there is no extension, an unknown one, or a compression of a format that is not text.
    pub fn from_path(path: &Path) -> Result<Self> {
        Ok(Self::and_compression(path)?.0)
    }

    /// The format and the compression that a file's extension names.
    ///
    /// # Errors
    ///
    /// When there is no extension, an unknown one, or a compression of a format that is not text.
    pub fn and_compression(path: &Path) -> Result<(Self, Compression)> {
        let known = "known are .csv, .tsv, .jsonl and .ndjson, these also with .gz or .zst, .parquet, .arrow, .ipc, .feather \
                     and .arrows";
        let compression = Compression::from_path(path);
        let inner = if compression == Compression::None { path.to_owned() } else { path.with_extension("") };
        let Some(extension) = inner.extension() else {
            return Err(Fault::file(format!("no extension that shows the format of the table ({known})")).in_file(path));
        };
        let extension = extension.to_string_lossy();
        let unknown = || {
            let name = quoted(format!(".{extension}").as_bytes());
            Fault::file(format!("unknown table format {name} ({known})")).in_file(path)
        };
        let format = Self::from_name(&extension).ok_or_else(unknown)?;
        if compression != Compression::None && !format.is_text() {
            let text = match format.is_points() {
                true => format!("a .{extension} file has no compression: name it without the last extension"),
                false => format!("a .{extension} file has its own compression: name it without the last extension"),
            };
            return Err(Fault::file(text).in_file(path));
        }
        Ok((format, compression))
    }
}

impl Compression {
    /// The compression that the last extension of a file names.
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        match path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    /// `.gz`, `.zst`, or nothing.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

/// Whether a table can be read once, from its beginning, as standard input (`-`) can: a pipe or another file that is not
/// regular, and the names that the system has for open files, such as `/dev/stdin`. Its first bytes tell the format.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    if path.as_os_str() == "-" {
        return true;
    }
    let is_name_of_open_file = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    fs::metadata(path).is_ok_and(|of| !of.is_dir() && (!of.is_file() || is_name_of_open_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        let of = |name: &str| Format::and_compression(name.as_ref()).map_err(|error| error.to_string());
        assert_eq!(of("a.CSV.gz"), Ok((Format::Csv, Compression::Gzip)));
        assert_eq!(of("b.ndjson.zst"), Ok((Format::JsonLines, Compression::Zstd)));
        assert_eq!(of("c.arrows"), Ok((Format::ArrowStream, Compression::None)));
        let error = of("d.parquet.gz").unwrap_err();
        assert_eq!(error, "d.parquet.gz: a .parquet file has its own compression: name it without the last extension");
        assert_eq!(of("d.las"), Ok((Format::Las, Compression::None)));
        assert_eq!(
            of("d.ply.gz").unwrap_err(),
            "d.ply.gz: a .ply file has no compression: name it without the last extension"
        );
        assert!(of("e.xls.gz").unwrap_err().starts_with("e.xls.gz: unknown table format '.xls' (known are .csv"));
    }
}
