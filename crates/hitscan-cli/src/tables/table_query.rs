//! The arguments of commands with a row of results for each row of a table: a scene, rows, and where the results go.

use super::arguments::TableArguments;
use super::row_batch::RowBatch;
use super::row_source::RowSource;
use crate::console::Console;
use crate::error::Result;
use crate::load::LoadArguments;
use clap::Args;
use hitscan_io::{Dimension, Format, Precision, SceneFile};
use std::path::{Path, PathBuf};

/// Rows of the command line, or a table of them.
pub(crate) trait RowArguments: Args {
    type Batch: RowBatch;
    /// The file of the table, if there is one.
    fn file(&self) -> Option<&Path>;
    /// The rows of the table, or those of the command line, which are read as `f64`, like a CSV file.
    fn source(&self, dimension: Dimension) -> Result<RowSource<Self::Batch>>;
}

/// A scene, rows, and where the results go.
#[derive(Args)]
pub(crate) struct TableQueryArguments<R: RowArguments> {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    pub(crate) rows: R,
    /// Leave an object out, by its name (hitscan info lists the names); may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) ignore: Vec<String>,
    #[command(flatten)]
    pub(crate) table: TableArguments,
}

/// The scene and the rows, open.
pub(crate) struct Inputs<B> {
    pub(crate) file: SceneFile,
    pub(crate) source: RowSource<B>,
    pub(crate) format: Option<Format>,
    pub(crate) precision: Precision,
}

impl<R: RowArguments> TableQueryArguments<R> {
    /// Opens the scene and the rows; `limits` are the numbers among the flags.
    pub(crate) fn open(
        &self,
        limits: impl IntoIterator<Item = f64>,
        console: &mut Console,
    ) -> Result<Inputs<R::Batch>> {
        let table = self.rows.file();
        let format = self.table.format(table)?;
        let file = self.load.open(&self.scene, console)?;
        self.table.check_output(&file, table)?;
        let source = self.rows.source(file.dimension())?;
        let precision = self.table.precision.of_table(&file, source.precision, limits, console);
        Ok(Inputs { file, source, format, precision })
    }
}
