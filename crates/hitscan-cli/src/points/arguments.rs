//! Points on the command line or in a table.

use crate::error::Result;
use crate::numbers::{Numbers, number_columns};
use crate::tables::{RowArguments, RowSource, read_options};
use clap::{ArgGroup, Args};
use hitscan_io::{Dimension, PointBatch, PointReader, Precision};
use std::convert::identity;
use std::path::{Path, PathBuf};

/// Points of the command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct GivenPoints {
    /// A point: 3 numbers (2 in 2D: px,py)
    ///
    /// May be given several times.
    #[arg(long, value_name = "PX,PY,PZ", allow_hyphen_values = true)]
    point: Vec<Numbers>,
}

impl GivenPoints {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.point.is_empty()
    }

    /// The points as a table, read as `f64`, like a CSV file.
    pub(crate) fn batch(&self, dimension: Dimension) -> Result<PointBatch> {
        let names: Vec<String> = ["px", "py", "pz"][..dimension.count()].iter().map(ToString::to_string).collect();
        let mut point: [Vec<f64>; 3] = Default::default();
        let columns = number_columns(&self.point, "--point", &names, dimension, "point")?;
        // In two dimensions the third column stays empty.
        point.iter_mut().zip(columns).for_each(|(axis, column)| *axis = column);
        Ok(PointBatch { first_row: 0, dimension, point, precision: Precision::F64 })
    }
}

/// Points of the command line, or a table of them.
#[derive(Args, Clone, Debug)]
#[group(skip)]
#[command(group(ArgGroup::new("points_from").args(["point", "file"]).required(true)))]
pub(super) struct PointArguments {
    #[command(flatten)]
    given: GivenPoints,
    /// A table of points: .csv, .tsv, .jsonl (also .gz, .zst), .parquet, .arrow or .arrows; - is standard input
    ///
    /// Columns px py pz (no pz in 2D); others are ignored. The format of standard input and of pipes is seen from their first
    /// bytes.
    #[arg(long = "points", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl RowArguments for PointArguments {
    type Batch = PointBatch;

    fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    fn source(&self, dimension: Dimension) -> Result<RowSource<PointBatch>> {
        if let Some(path) = &self.file {
            let reader = PointReader::open_with(path, dimension, &read_options())?;
            return Ok(RowSource::reading(reader, identity));
        }
        Ok(RowSource::in_memory(self.given.batch(dimension)?))
    }
}
