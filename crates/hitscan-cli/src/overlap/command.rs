//! The command line of `hitscan overlap`.

use super::overlap_table::OverlapTable;
use super::search::{Granularity, OverlapSearch};
use super::volume_arguments::VolumeArguments;
use super::volume_batch::VolumeBatch;
use crate::console::Console;
use crate::error::{Error, Result};
use crate::ignore::Rest;
use crate::layer_arguments::LayerArguments;
use crate::scene::{SceneSpace, WithScene, names, with_scene};
use crate::tables::{Inputs, RowSource, TableQueryArguments, process};
use crate::text::{count, rate};
use crate::warnings::of_layers;
use clap::{Args, ValueEnum};
use hitscan::Scene;
use hitscan_io::{Format, OverlapLayout, OverlapSchema, Precision};

/// Find what spheres and boxes overlap: objects of the scene, or triangles of its meshes
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct OverlapArguments {
    #[command(flatten)]
    volumes: TableQueryArguments<VolumeArguments>,
    /// What to find for each volume
    #[arg(long, value_enum, default_value_t)]
    query: OverlapKind,
    /// List (or count) the triangles of a mesh that the volume overlaps, instead of the mesh; for --query all and count
    #[arg(long)]
    triangles: bool,
    #[command(flatten)]
    layers: LayerArguments,
}

const EXAMPLES: &str = "\
Examples:
  hitscan overlap scene.toml --sphere 0,0,5,2                    does anything reach into this sphere?
  hitscan overlap flat.toml --box 3,2,1,0.5 --query all          what is in this rectangle, in 2D?
  hitscan overlap bunny.ply --boxes cells.csv --triangles --query all -o triangles.parquet
  generate-points | hitscan overlap scene.toml --points - --radius 0.1

Columns of any: volume (its row, from 0), overlap (true or false). Columns of all: volume, overlap, shape, primitive (the
triangle, with --triangles); of a scene with [[object]]s or a glTF also object and instance, as for cast. all has a row per
object, in the order of the scene, or with --triangles a row per triangle of a mesh; a volume that overlaps nothing has one row,
with false. Columns of count: volume, count.

Touching is overlapping. Solids, half-spaces and closed meshes contain their inside: with --triangles, a volume inside of a
closed mesh that touches no triangle has a row without one, and so have other shapes and groups. Planes, disks, triangles,
segments and open meshes are surfaces. Triggers count, too. Every overlap with a solid of several shapes (type = \"solid\") is
found, and the overlap may be with what is cut away.";

/// `--query`.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum OverlapKind {
    /// does it overlap anything? one row per volume
    #[default]
    Any,
    /// what it overlaps: a row per object
    All,
    /// how many objects it overlaps: one row per volume
    Count,
}

impl From<OverlapKind> for OverlapLayout {
    fn from(kind: OverlapKind) -> Self {
        match kind {
            OverlapKind::Any => Self::Any,
            OverlapKind::All => Self::All,
            OverlapKind::Count => Self::Count,
        }
    }
}

impl OverlapArguments {
    pub(crate) fn run(mut self, console: &mut Console) -> Result<()> {
        if self.triangles && self.query == OverlapKind::Any {
            return Err(Error::usage("--triangles is for --query all and count"));
        }
        let Inputs { file, source, format, precision } = self.volumes.open(self.volumes.rows.limit(), console)?;
        self.layers.find(&file)?;
        let (accelerator, instances) = (self.volumes.table.accel.into(), file.instances());
        let overlaps = Overlaps { arguments: self, source, format, precision, instances, console };
        with_scene(&file, precision, accelerator, overlaps)
    }
}

/// Tests of volumes, ready to run.
struct Overlaps<'a, 'b> {
    arguments: OverlapArguments,
    source: RowSource<VolumeBatch>,
    format: Option<Format>,
    precision: Precision,
    /// See [`OverlapSchema::instances`].
    instances: Option<Vec<Option<u32>>>,
    console: &'a mut Console<'b>,
}

impl WithScene for Overlaps<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<()> {
        let Self { arguments, source, format, precision, instances, console } = self;
        let OverlapArguments { volumes: TableQueryArguments { ignore, table, .. }, query, triangles, layers } =
            &arguments;
        let shapes = names(scene);
        let rest = Rest::without(scene, &shapes, ignore)?;
        let (scene, positions) = (&rest.scene, rest.positions());
        let (layout, threads) = (OverlapLayout::from(*query), table.threads());
        let granularity = if *triangles { Granularity::Triangles } else { Granularity::Objects };
        let search = OverlapSearch { scene, positions, layers: layers.mask(), layout, granularity, threads };
        let schema = OverlapSchema { layout, shapes, instances };
        let mut overlapping = 0;
        let compute = |batch: &VolumeBatch| {
            let (results, more) = search.search(batch);
            overlapping += more;
            results
        };
        let output = (format, table.output());
        let (volumes, seconds) = process(source, precision, OverlapTable::new(schema), output, console, compute)?;
        if let Some(warning) = of_layers(scene, layers) {
            console.warn(&warning);
        }
        let rate = rate(volumes, "volumes", seconds);
        console.note(&format!("{}, {overlapping} overlapping, {seconds:.3} s, {rate}", count(volumes, "volume")));
        Ok(())
    }
}
