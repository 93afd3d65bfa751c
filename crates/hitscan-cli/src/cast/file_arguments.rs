//! The flags of `hitscan cast` for tables in files: columns, text, rows that cannot be read, folders of results.

use crate::error::{Error, Result};
use crate::outputs::file_of;
use clap::{Args, ValueEnum};
use hitscan_io::{CHUNK_ROWS, Carried, Compression, Format, OnError, RayTableOptions, TextOptions};
use std::path::{Path, PathBuf};

/// Columns, text, rows that cannot be read, and folders of results.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tables in files")]
pub(crate) struct FileArguments {
    /// The columns of the results to write, in this order: t,nx,ny,nz [default: all]
    ///
    /// PLY files always have the points, as x y z, and other columns of numbers [default: nx,ny,nz,t,primitive]; LAS files have
    /// the points alone. A point that lacks a value has NaN there, in primitive 4294967295.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,
    /// Columns of the table of rays to write beside the results, as they are: id,time or all
    ///
    /// In typed formats a column of CSV gets the type that its cells have in the first 125,000 rows: int64, float64 or boolean,
    /// else text; id:text says which. PLY files keep numbers; LAS files keep time or gps_time (float64), as their GPS time.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// What to do about a row that cannot be read
    #[arg(long, value_enum, default_value_t)]
    pub(crate) on_error: OnErrorArgument,
    /// The CSV file of the rows that could not be read (file, row, line, column, value, reason); - is standard output, where -o is
    /// another file [default: beside -o, .bad.csv]
    #[arg(long, value_name = "FILE")]
    bad_rows: Option<PathBuf>,
    /// The character between the cells of CSV, in tables read and written; tab is one, too [default: a comma]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The text of a missing value, in tables read and written, besides the empty cell: NA
    #[arg(long, value_name = "TEXT")]
    null: Option<String>,
    /// The compression of text as a whole [default: by .gz or .zst at the end of -o, else none]
    #[arg(long, value_enum)]
    compression: Option<CompressionArgument>,
    /// In LAS files: the unit of the coordinates, which are whole multiples of it [default: the smallest power of ten that holds
    /// the scene]
    #[arg(long, value_name = "S", value_parser = scale, allow_hyphen_values = true)]
    pub(crate) las_scale: Option<f64>,
    /// In a folder of results: the most rows of a table of rays whose results are in one file, 1 to 4000000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=CHUNK_ROWS))]
    rows_per_file: Option<u64>,
    /// Go on with a run that was interrupted: complete files in the folder of results stay, the missing ones are computed
    ///
    /// Scene, options and tables of rays must be what they were: the file _hitscan.json in the folder has them. A table that has
    /// no results yet, such as one that could not be read, may have changed.
    #[arg(long)]
    pub(crate) resume: bool,
}

/// `--on-error`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnErrorArgument {
    /// the first one is an error that ends the run
    #[default]
    Stop,
    /// it has no row of results
    Skip,
    /// it has a row of empty cells
    Null,
}

impl From<OnErrorArgument> for OnError {
    fn from(argument: OnErrorArgument) -> Self {
        match argument {
            OnErrorArgument::Stop => Self::Stop,
            OnErrorArgument::Skip => Self::Skip,
            OnErrorArgument::Null => Self::Null,
        }
    }
}

/// `--compression`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompressionArgument {
    None,
    Gzip,
    Zstd,
}

/// A byte of ASCII that is no part of a number.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\n' | b'\r' | b'.' | b'-' | b'+') => {
            Ok(*byte)
        }
        _ => Err("one character, such as ; or |, and no letter, digit, quote, sign or point".into()),
    }
}

/// A scale: a finite number greater than 0.
fn scale(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        Ok(_) => Err("a scale is a finite number greater than 0".into()),
        Err(_) => Err("not a number".into()),
    }
}

/// The error of a table that cannot be opened, with the flag that mends it.
pub(crate) fn open_error(error: hitscan_io::Error) -> Error {
    match error.delimiter() {
        None => error.into(),
        Some(b'\t') => Error::input(format!("{error} (--delimiter tab)")),
        Some(other) => Error::input(format!("{error} (--delimiter '{}')", char::from(other))),
    }
}

impl FileArguments {
    /// The error of coordinates of LAS files, with the flag that mends it.
    pub(crate) fn las_error(&self, error: hitscan_io::Error) -> Error {
        if self.las_scale.is_some() { error.into() } else { Error::input(format!("{error} (--las-scale)")) }
    }

    /// How CSV is written, in the tables that are read.
    fn text(&self) -> TextOptions {
        TextOptions { delimiter: self.delimiter, null: self.null.clone() }
    }

    /// How CSV is written, in the results: with tabs in a file whose name ends in `.tsv`.
    pub(crate) fn output_text(&self, output: Option<&Path>) -> TextOptions {
        let name = output.and_then(Path::file_name).map(|name| name.to_string_lossy().to_ascii_lowercase());
        let is_tabs = name.is_some_and(|name| [".tsv", ".tsv.gz", ".tsv.zst"].iter().any(|end| name.ends_with(end)));
        TextOptions { delimiter: self.delimiter.or(is_tabs.then_some(b'\t')), ..self.text() }
    }

    /// How tables of rays are read; the columns that go to a table with types, or to one of JSON, have types.
    pub(crate) fn read(&self, format: Option<Format>) -> Result<RayTableOptions> {
        let carried = match &self.keep[..] {
            [] => Carried::None,
            [all] if all == "all" => Carried::All,
            names => Carried::Named(names.to_vec()),
        };
        let has_types = !matches!(format, Some(Format::Csv) | None);
        Ok(RayTableOptions { text: self.text(), carried, has_types, rows: None })
    }

    /// Refuses flags of one table of results where there is a folder.
    pub(crate) fn check_folder(&self) -> Result<()> {
        match self.bad_rows {
            None => Ok(()),
            Some(_) => Err(Error::usage("--bad-rows is for one table of results: in a folder they are in _bad_rows")),
        }
    }

    /// The compression of text that goes to a file, or to a folder without one.
    pub(crate) fn compression(&self, output: Option<&Path>) -> Compression {
        match self.compression {
            Some(CompressionArgument::None) => Compression::None,
            Some(CompressionArgument::Gzip) => Compression::Gzip,
            Some(CompressionArgument::Zstd) => Compression::Zstd,
            None => output.map_or(Compression::None, Compression::from_path),
        }
    }

    /// Refuses a compression of a format that is not text.
    pub(crate) fn refuse_compression(&self) -> Result<()> {
        match self.compression {
            None | Some(CompressionArgument::None) => Ok(()),
            Some(_) => Err(Error::usage("--compression is for csv and jsonl (Parquet has its own)")),
        }
    }

    /// Refuses a scale where there are no coordinates of LAS.
    pub(crate) fn check_las_scale(&self, format: Option<Format>) -> Result<()> {
        match self.las_scale {
            Some(_) if format != Some(Format::Las) => Err(Error::usage("--las-scale is for LAS files (-o hits.las)")),
            _ => Ok(()),
        }
    }

    /// Refuses bad rows among the results.
    pub(crate) fn check_bad_rows(&self, output: Option<&Path>) -> Result<()> {
        match &self.bad_rows {
            Some(path) if output.is_none() && file_of(path).is_none() => {
                Err(Error::usage("--bad-rows -: standard output has the results: -o needs the name of a file"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses flags of folders where there is one table of results.
    pub(crate) fn check_one_file(&self) -> Result<()> {
        let flag = match self {
            Self { resume: true, .. } => "--resume",
            Self { rows_per_file: Some(_), .. } => "--rows-per-file",
            _ => return Ok(()),
        };
        Err(Error::usage(format!("{flag} is for a folder of results: -o needs its name, with / at its end")))
    }

    pub(crate) fn rows_per_file(&self) -> u64 {
        self.rows_per_file.unwrap_or(CHUNK_ROWS)
    }

    /// The file of rows that could not be read: beside the output, unless the user names one.
    pub(crate) fn bad_rows_path(&self, output: Option<&Path>) -> Option<PathBuf> {
        self.bad_rows.clone().or_else(|| {
            let mut name = output?.file_name()?.to_owned();
            name.push(".bad.csv");
            Some(output?.with_file_name(name))
        })
    }
}
