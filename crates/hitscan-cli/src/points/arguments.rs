//! Points: on the command line or in a table.

use crate::error::Result;
use crate::numbers::{Numbers, number_columns};
use crate::tables::{RowSource, read_options};
use clap::Args;
use hitscan_io::{Dimension, PointBatch, PointReader, Precision};
use std::path::PathBuf;

/// Points of the command line, or a table of them.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
pub(super) struct PointArguments {
    /// A point: 3 numbers (2 in 2D: px,py)
    ///
    /// May be given several times.
    #[arg(long, value_name = "PX,PY,PZ", allow_hyphen_values = true)]
    point: Vec<Numbers>,
    /// A table of points: .csv, .parquet or .arrow; - reads CSV from standard input
    ///
    /// Columns px py pz (no pz in 2D); others are ignored.
    #[arg(long = "points", value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
}

impl PointArguments {
    /// The points of the table, or those of the command line, which are read as `f64`, like a CSV file.
    pub(super) fn source(&self, dimension: Dimension) -> Result<RowSource<PointBatch>> {
        if let Some(path) = &self.file {
            return Ok(RowSource::reading(path, PointReader::open_with(path, dimension, read_options())?));
        }
        let names: Vec<String> = ["px", "py", "pz"][..dimension.count()].iter().map(ToString::to_string).collect();
        let mut point: [Vec<f64>; 3] = Default::default();
        let columns = number_columns(&self.point, "--point", &names, dimension, "point")?;
        // In two dimensions the third column stays empty.
        point.iter_mut().zip(columns).for_each(|(axis, column)| *axis = column);
        Ok(RowSource::in_memory(PointBatch { first_row: 0, dimension, point, precision: Precision::F64 }))
    }
}
