//! `hitscan contains`: whether points are inside of solids.

use super::arguments::PointArguments;
use super::point_table::PointTable;
use crate::console::Console;
use crate::error::Result;
use crate::ignore::{Rest, kept_names};
use crate::load::LoadArguments;
use crate::parallel::{PIECE_ROWS, in_pieces};
use crate::scene::{SceneSpace, WithScene, names, vector_at, with_scene};
use crate::tables::{RowSource, TableArguments, process};
use crate::text::{count, rate};
use crate::warnings::of_open_meshes;
use clap::Args;
use hitscan::{Scene, Shape};
use hitscan_io::{Format, PointBatch, PointLayout, PointResults, PointSchema, Precision};
use std::path::PathBuf;

/// Tell which points are inside of a solid of the scene, exactly
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ContainsArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    points: PointArguments,
    /// Leave an object out, by its name (hitscan info lists the names); may be given several times
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
    #[command(flatten)]
    table: TableArguments,
}

const EXAMPLES: &str = "\
Examples:
  hitscan contains scene.toml --point 0,0,5                      is this point inside?
  hitscan contains flat.toml --point 3,2 --point 4,-1            two points, in 2D
  hitscan contains bunny.ply --points points.csv -o inside.parquet
  generate-points | hitscan contains scene.toml --points -       CSV in, CSV out

One row per point, with the columns point (its row, from 0) and inside (true or false). A solid contains the points of its
surface, too. Half-spaces and closed meshes are solids; a plane, a disk, a triangle or an open mesh contains no point. Objects
on all layers count, and triggers, too.";

impl ContainsArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let table = self.points.file.as_deref();
        let format = self.table.format(table)?;
        let file = self.load.open(&self.scene, console)?;
        self.table.check_output(&file, table)?;
        let source = self.points.source(file.dimension())?;
        let precision = self.table.precision.of_table(&file, source.precision, None);
        let accelerator = self.table.accel.into();
        with_scene(&file, precision, accelerator, Containment { arguments: self, source, format, precision, console })
    }
}

/// Tests of points, ready to run.
struct Containment<'a, 'b> {
    arguments: ContainsArguments,
    source: RowSource<PointBatch>,
    format: Option<Format>,
    precision: Precision,
    console: &'a mut Console<'b>,
}

impl WithScene for Containment<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<()> {
        let Self { arguments, source, format, precision, console } = self;
        let ContainsArguments { ignore, table, .. } = &arguments;
        let shapes = names(scene);
        let rest = Rest::without(scene, &shapes, ignore, table.accel.into())?;
        let (scene, numbers) = rest.as_ref().map_or((scene, None), |rest| (&rest.scene, Some(&rest.numbers[..])));
        let (layout, dimension) = (PointLayout::Contains, V::DIMENSION);
        let schema = PointSchema { layout, dimension, precision, shapes: Vec::new(), instances: None };
        let mut contained = 0;
        let compute = |batch: &PointBatch| {
            let is_inside = |row| scene.contains(vector_at(&batch.point, row));
            let pieces =
                in_pieces(batch.len(), PIECE_ROWS, table.threads(), |rows| rows.map(is_inside).collect::<Vec<_>>());
            let inside = pieces.concat();
            contained += inside.iter().filter(|inside| **inside).count() as u64;
            PointResults::Contains { point: (batch.first_row..).take(inside.len()).collect(), inside }
        };
        let output = (format, table.output.as_deref());
        let (points, seconds) = process(source, precision, PointTable::new(schema), output, console, compute)?;
        let warnings = of_open_meshes(scene, &kept_names(&shapes, numbers), u32::MAX, "inside");
        warnings.iter().for_each(|warning| console.warn(warning));
        let rate = rate(points, "points", seconds);
        console.note(&format!("{}, {contained} inside, {seconds:.3} s, {rate}", count(points, "point")));
        Ok(())
    }
}
