//! The flags of a table of results: precision, threads, format and file.

use crate::error::{Error, Result};
use crate::inputs::{files_of, refuse_input_as_output};
use crate::outputs::file_of;
use crate::parallel::{available_threads, thread_count};
use crate::precision::PrecisionArgument;
use crate::scene::AcceleratorArgument;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use hitscan_io::{Format, SceneFile};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// How results are computed and where they go; `F` are the formats that the command writes.
#[derive(Args, Clone, Debug)]
pub(crate) struct TableArguments<F: ValueEnum + Send + Sync + 'static = RowFormat> {
    /// The precision of coordinates and answers; decisions are exact in both
    #[arg(long, value_enum, default_value_t)]
    pub(crate) precision: PrecisionArgument,
    /// How shapes are found; the answers are the same
    #[arg(long, value_enum, default_value_t)]
    pub(crate) accel: AcceleratorArgument,
    /// How many threads work, 1 to 1024; the answers are the same [default: all there are]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZero<usize>>,
    /// The format of the answers [default: by the extension of -o, parquet in a folder, else csv for a file, else table]
    #[arg(long, value_enum)]
    format: Option<F>,
    /// The file to write; it appears when it is complete; - is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// `--format` of casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// aligned columns for people, 7 digits (not with -o)
    Table,
    /// comma-separated values, with all digits
    Csv,
    /// a JSON object per line
    Jsonl,
    /// Apache Parquet
    Parquet,
    /// Arrow IPC, also called Feather
    Arrow,
    /// the stream of Arrow IPC, for pipes
    Arrows,
    /// hit points as a PLY point cloud: cast -o
    Ply,
    /// hit points as a LAS 1.4 point cloud: cast -o
    Las,
}

/// `--format` of other commands, whose rows are no points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowFormat(ResultFormat);

impl ValueEnum for RowFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use ResultFormat::{Arrow, Arrows, Csv, Jsonl, Parquet, Table};
        const { &[Self(Table), Self(Csv), Self(Jsonl), Self(Parquet), Self(Arrow), Self(Arrows)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        self.0.to_possible_value()
    }
}

impl From<RowFormat> for ResultFormat {
    fn from(format: RowFormat) -> Self {
        format.0
    }
}

impl ResultFormat {
    /// The format of the library's writer; `None` for the table.
    fn file_format(self) -> Option<Format> {
        match self {
            Self::Table => None,
            Self::Csv => Some(Format::Csv),
            Self::Jsonl => Some(Format::JsonLines),
            Self::Parquet => Some(Format::Parquet),
            Self::Arrow => Some(Format::Arrow),
            Self::Arrows => Some(Format::ArrowStream),
            Self::Ply => Some(Format::Ply),
            Self::Las => Some(Format::Las),
        }
    }
}

impl<F: ValueEnum + Send + Sync + Copy + Into<ResultFormat>> TableArguments<F> {
    /// The format of the results of a table, or of the rows of the command line; `None` is the table for people.
    pub(crate) fn format(&self, table: Option<&Path>) -> Result<Option<Format>> {
        match (self.format.map(F::into), self.output()) {
            (Some(ResultFormat::Table), Some(_)) => {
                Err(Error::usage("--format table is for the screen: with -o use csv, jsonl, parquet or arrow"))
            }
            (Some(ResultFormat::Ply | ResultFormat::Las), None) => Err(Error::usage(
                "PLY and LAS begin with the number of points, which is known at the end: -o needs a file",
            )),
            (Some(format), _) => Ok(format.file_format()),
            (None, Some(path)) => Ok(Some(Format::from_path(path)?)),
            (None, None) => Ok(table.map(|_| Format::Csv)),
        }
    }

    /// The format of the results in a folder.
    pub(crate) fn format_of_folder(&self) -> Result<Format> {
        match self.format.map(F::into) {
            None => Ok(Format::Parquet),
            Some(format) => format.file_format().ok_or_else(|| {
                Error::usage("--format table is for the screen: with -o use csv, jsonl, parquet or arrow")
            }),
        }
    }

    /// Refuses an output that is the scene, a file of it, or the table.
    pub(crate) fn check_output(&self, scene: &SceneFile, table: Option<&Path>) -> Result<()> {
        let Some(output) = self.output() else { return Ok(()) };
        let inputs: Vec<PathBuf> = files_of(scene).into_iter().chain(table.map(Path::to_owned)).collect();
        refuse_input_as_output(output, &inputs)
    }

    /// The file to write, or the folder; `None` for standard output.
    pub(crate) fn output(&self) -> Option<&Path> {
        self.output.as_deref().and_then(file_of)
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(available_threads, NonZero::get)
    }
}
