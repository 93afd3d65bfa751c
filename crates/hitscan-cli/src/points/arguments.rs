//! The arguments of both commands: a scene, and points on the command line or in a table.

use crate::console::Console;
use crate::error::Result;
use crate::load::LoadArguments;
use crate::numbers::{Numbers, number_columns};
use crate::tables::{RowSource, TableArguments, read_options};
use clap::Args;
use hitscan_io::{Dimension, Format, PointBatch, PointReader, Precision, SceneFile};
use std::path::PathBuf;

/// A scene, points, and where the results go.
#[derive(Args)]
pub(super) struct PointQueryArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    points: PointArguments,
    /// Leave an object out, by its name (hitscan info lists the names); may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) ignore: Vec<String>,
    #[command(flatten)]
    pub(super) table: TableArguments,
}

/// The scene and the points, open.
pub(super) struct Inputs {
    pub(super) file: SceneFile,
    pub(super) source: RowSource<PointBatch>,
    pub(super) format: Option<Format>,
    pub(super) precision: Precision,
}

impl PointQueryArguments {
    /// Opens the scene and the points; `limits` are the numbers among the flags.
    pub(super) fn open(&self, limits: impl IntoIterator<Item = f64>, console: &mut Console) -> Result<Inputs> {
        let table = self.points.file.as_deref();
        let format = self.table.format(table)?;
        let file = self.load.open(&self.scene, console)?;
        self.table.check_output(&file, table)?;
        let source = self.points.source(file.dimension())?;
        let precision = self.table.precision.of_table(&file, source.precision, limits);
        Ok(Inputs { file, source, format, precision })
    }
}

/// Points of the command line, or a table of them.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct PointArguments {
    /// A point: 3 numbers (2 in 2D: px,py)
    ///
    /// May be given several times.
    #[arg(long, value_name = "PX,PY,PZ", allow_hyphen_values = true)]
    point: Vec<Numbers>,
    /// A table of points: .csv, .parquet or .arrow; - reads CSV from standard input
    ///
    /// Columns px py pz (no pz in 2D); others are ignored.
    #[arg(long = "points", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl PointArguments {
    /// The points of the table, or those of the command line, which are read as `f64`, like a CSV file.
    fn source(&self, dimension: Dimension) -> Result<RowSource<PointBatch>> {
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
