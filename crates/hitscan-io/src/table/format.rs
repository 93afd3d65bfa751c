//! The formats of tables.

use crate::error::{Fault, Result, quoted};
use std::path::Path;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values with a header line.
    Csv,
    /// One JSON object per line. Results only.
    JsonLines,
    /// Apache Parquet: snappy, zstd or no compression.
    Parquet,
    /// The Arrow IPC file format, also called Feather 2: lz4, zstd or no compression.
    Arrow,
}

impl Format {
    /// The names that [`Format::from_name`] knows, which are also the extensions.
    pub const NAMES: [&'static str; 7] = ["csv", "jsonl", "ndjson", "parquet", "arrow", "ipc", "feather"];

    /// The format of that name, in any case: `parquet`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "csv" => Self::Csv,
            "jsonl" | "ndjson" => Self::JsonLines,
            "parquet" => Self::Parquet,
            "arrow" | "ipc" | "feather" => Self::Arrow,
            _ => return None,
        })
    }

    /// The format that a file's extension names.
    ///
    /// # Errors
    ///
    /// When there is no extension, or an unknown one.
    pub fn from_path(path: &Path) -> Result<Self> {
        let known = "known are .csv, .jsonl, .ndjson, .parquet, .arrow, .ipc and .feather";
        let Some(extension) = path.extension() else {
            return Err(Fault::file(format!("no extension that shows the format of the table ({known})")).in_file(path));
        };
        let extension = extension.to_string_lossy();
        let unknown = || {
            let name = quoted(format!(".{extension}").as_bytes());
            Fault::file(format!("unknown table format {name} ({known})")).in_file(path)
        };
        Self::from_name(&extension).ok_or_else(unknown)
    }
}
