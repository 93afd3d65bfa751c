//! `hitscan contains`: whether points are inside of solids.

use super::arguments::PointArguments;
use super::inside_rule::InsideRuleArguments;
use super::point_table::PointTable;
use crate::console::Console;
use crate::error::Result;
use crate::ignore::Rest;
use crate::parallel::{PIECE_ROWS, in_pieces};
use crate::scene::{SceneSpace, WithScene, names, vector_at, with_scene};
use crate::tables::{Inputs, RowSource, TableQueryArguments, process};
use crate::text::{count, rate};
use crate::warnings::{OTHER_RULE, of_open_meshes};
use clap::Args;
use hitscan::{InsideRule, Scene};
use hitscan_io::{Format, PointBatch, PointLayout, PointResults, PointSchema, Precision};

/// Tell which points are inside of a solid of the scene, exactly
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ContainsArguments {
    #[command(flatten)]
    query: TableQueryArguments<PointArguments>,
    #[command(flatten)]
    inside_rule: InsideRuleArguments,
}

const EXAMPLES: &str = "\
Examples:
  hitscan contains scene.toml --point 0,0,5                      is this point inside?
  hitscan contains flat.toml --point 3,2 --point 4,-1            two points, in 2D
  hitscan contains bunny.ply --points points.csv -o inside.parquet
  hitscan contains scan.ply --point 1,2,3 --inside-rule parity-if-closed     a mesh with holes
  generate-points | hitscan contains scene.toml --points -       CSV in, CSV out

One row per point, with the columns point (its row, from 0) and inside (true or false); with --inside-rule also rule. A solid
contains the points of its surface, too. Half-spaces and closed meshes are solids; a plane, a disk, a triangle or an open mesh
contains no point. Objects on all layers count, and triggers, too.";

impl ContainsArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let Inputs { file, source, format, precision } = self.query.open(None, console)?;
        let accelerator = self.query.table.accel.into();
        let containment = Containment { arguments: self, source, format, precision, console };
        with_scene(&file, precision, accelerator, containment)
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
        let ContainsArguments { query: TableQueryArguments { ignore, table, .. }, inside_rule } = &arguments;
        let shapes = names(scene);
        let rest = Rest::without(scene, &shapes, ignore)?;
        let scene = &rest.scene;
        let (layout, dimension) = (PointLayout::Contains, V::DIMENSION);
        let (has_rule, rule) = (inside_rule.is_given(), inside_rule.rule());
        let schema = PointSchema { layout, dimension, precision, shapes: Vec::new(), instances: None, has_rule };
        let mut contained = 0;
        let compute = |batch: &PointBatch| {
            let containment = |row| scene.contains_by(vector_at(&batch.point, row), rule);
            let pieces =
                in_pieces(batch.len(), PIECE_ROWS, table.threads(), |rows| rows.map(containment).collect::<Vec<_>>());
            let found = pieces.concat();
            contained += found.iter().filter(|found| found.is_inside).count() as u64;
            PointResults::Contains {
                point: (batch.first_row..).take(found.len()).collect(),
                inside: found.iter().map(|found| found.is_inside).collect(),
                rule: found.iter().map(|found| found.rule).collect(),
            }
        };
        let output = (format, table.output());
        let (points, seconds) = process(source, precision, PointTable::new(schema), output, console, compute)?;
        if rule == InsideRule::Parity {
            let what = ("inside", OTHER_RULE);
            let warnings = of_open_meshes(scene, &rest.names(&shapes), u32::MAX, what);
            warnings.iter().for_each(|warning| console.warn(warning));
        }
        let rate = rate(points, "points", seconds);
        console.note(&format!("{}, {contained} inside, {seconds:.3} s, {rate}", count(points, "point")));
        Ok(())
    }
}
