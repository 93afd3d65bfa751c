//! The command line of `hitscan cast`, and its loop over batches.

use super::engine::{Engine, count_hits};
use super::hit_table::HitTable;
use super::sphere_cast::SphereCast;
use crate::console::Console;
use crate::error::{Error, Result};
use crate::ignore::{Rest, kept_names};
use crate::load::LoadArguments;
use crate::numbers::{radius, rounded_radius};
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::RayArguments;
use crate::scene::{SceneSpace, WithScene, names, with_scene};
use crate::tables::{RowSource, TableArguments, process, read_options};
use crate::text::{count, rate};
use crate::unmeasured::Unmeasured;
use crate::warnings::{RayWarnings, of_layers, of_open_meshes};
use clap::{ArgGroup, Args, ValueEnum};
use hitscan::{Object, Scene};
use hitscan_io::{Format, HitLayout, HitSchema, Precision, RayBatch, RayReader};
use std::convert::identity;
use std::num::NonZero;
use std::path::PathBuf;

/// Cast rays at a scene: which hit what, where, and at which angle
#[derive(Args)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("rays_from").args(["ray", "segment", "file"]).required(true)))]
pub(crate) struct CastArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    rays: RayArguments,
    /// A table of rays: .csv, .parquet or .arrow; - reads CSV from standard input
    ///
    /// Columns ox oy oz dx dy dz, or ax ay az bx by bz for segments (no z in 2D), and if you like t_min, t_max and
    /// layers (a mask, the sum of 2^n for each layer n; with --layers, the layers in both count).
    #[arg(long = "rays", value_name = "FILE")]
    file: Option<PathBuf>,
    /// What to find for each ray
    #[arg(long, value_enum, default_value_t)]
    query: QueryKind,
    /// Cast spheres of this radius (in 2D circles), whose centres move along the rays; for --query first and any
    ///
    /// The result is the first contact. t and distance are those of the centre, px py pz is the contact point, nx ny nz the
    /// unit vector in which the sphere leaves the shape. Touching is a contact. front is false where the sphere touches the
    /// shape at the start of the range already; with --origin hollow, shapes that it touches there do not count.
    #[arg(long, value_name = "R", value_parser = radius, allow_hyphen_values = true)]
    thick: Option<f64>,
    #[command(flatten)]
    table: TableArguments,
    // Behind all arguments of other headings: the heading of a flattened struct holds for those that follow it.
    #[command(flatten)]
    what: QueryArguments,
    /// The most hits of a ray that --query all writes, nearest first [default: all]
    #[arg(long, value_name = "K", help_heading = "What counts as a hit")]
    first: Option<NonZero<u32>>,
    /// Leave an object out, by the name that column shape has for it; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "What counts as a hit")]
    ignore: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  hitscan cast scene.toml --ray 0,0,5,0,0,-1                     the first hit of one ray
  hitscan cast flat.toml --segment 3,2,10,6 --query all          both crossings of a segment, in 2D
  hitscan cast bunny.ply --rays rays.csv --t-max 10 -o hits.parquet
  hitscan cast maze.toml --ray 0,0,1,0 --thick 0.4               how far does a circle get, in 2D?
  generate-rays | hitscan cast scene.toml --rays - --query any   CSV in, CSV out

Columns of first, all and spans: ray (its row, from 0), hit (true or false), hit_index (0, 1, ...; empty on a miss), end
(spans only), t, distance, px py pz, nx ny nz, front, shape, primitive, u, v; of a scene with [[object]]s or a glTF also
object (its number) and instance (its number among those of its geometry). first has one row per ray, all a row per hit,
spans a row for each end. Columns of any: ray, hit. Columns of count: ray, count.

With --thick, the columns are those of first and any.";

/// `--query`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum QueryKind {
    /// the nearest hit: one row per ray
    #[default]
    First,
    /// is there any hit? one row per ray
    Any,
    /// every hit, nearest first: a row per hit
    All,
    /// how many hits: one row per ray
    Count,
    /// where the ray enters and leaves each solid: a row per end
    Spans,
}

impl From<QueryKind> for HitLayout {
    fn from(kind: QueryKind) -> Self {
        match kind {
            QueryKind::First => Self::First,
            QueryKind::Any => Self::Any,
            QueryKind::All => Self::All,
            QueryKind::Count => Self::Count,
            QueryKind::Spans => Self::Spans,
        }
    }
}

impl CastArguments {
    pub(crate) fn run(mut self, console: &mut Console) -> Result<()> {
        let format = self.table.format(self.file.as_deref())?;
        self.check_first()?;
        self.check_thick()?;
        let file = self.load.open(&self.scene, console)?;
        self.what.layers.find(&file)?;
        self.table.check_output(&file, self.file.as_deref())?;
        let source = match &self.file {
            Some(path) => {
                RowSource::reading(path, RayReader::open_with(path, file.dimension(), read_options())?, identity)
            }
            None => RowSource::in_memory(self.rays.batch(file.dimension())?),
        };
        let precision = self.table.precision.of_table(&file, source.precision, self.what.limits().chain(self.thick));
        let accelerator = self.table.accel.into();
        let instances = file.instances();
        let cast = Cast { arguments: self, source, format, precision, instances, console };
        with_scene(&file, precision, accelerator, cast)
    }

    /// Refuses queries that thick rays do not have.
    fn check_thick(&self) -> Result<()> {
        match (self.thick, self.query) {
            (None, _) | (Some(_), QueryKind::First | QueryKind::Any) => Ok(()),
            (Some(_), QueryKind::All | QueryKind::Count | QueryKind::Spans) => {
                Err(Error::usage("--thick finds the first contact of each ray: it is for --query first and any"))
            }
        }
    }

    /// Refuses a limit of hits where there is nothing to limit.
    fn check_first(&self) -> Result<()> {
        match (self.first.map(NonZero::get), self.query) {
            (None, _) | (Some(_), QueryKind::All) | (Some(1), QueryKind::First) => Ok(()),
            (Some(k), QueryKind::First) => {
                Err(Error::usage(format!("--first {k}: --query first finds one hit (--query all finds more)")))
            }
            (Some(_), _) => Err(Error::usage("--first is for --query all")),
        }
    }
}

/// A cast, ready to run.
struct Cast<'a, 'b> {
    arguments: CastArguments,
    source: RowSource<RayBatch>,
    format: Option<Format>,
    precision: Precision,
    /// See [`HitSchema::instances`].
    instances: Option<Vec<Option<u32>>>,
    console: &'a mut Console<'b>,
}

impl WithScene for Cast<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<()> {
        let Self { arguments, source, format, precision, instances, console } = self;
        let CastArguments { query, what, first, ignore, table, thick, .. } = &arguments;
        let layout = HitLayout::from(*query);
        let shapes = names(scene);
        let rest = Rest::without(scene, &shapes, ignore, table.accel.into())?;
        let (scene, numbers) = rest.as_ref().map_or((scene, None), |rest| (&rest.scene, Some(&rest.numbers[..])));
        let most = first.map_or(usize::MAX, |k| usize::try_from(k.get()).unwrap_or(usize::MAX));
        let radius = thick.map(|radius| rounded_radius::<V::Scalar>(radius, "--thick")).transpose()?;
        let engine = Engine { scene, numbers, query: what, radius, layout, most, threads: table.threads() };
        let schema = HitSchema { layout, dimension: V::DIMENSION, precision, shapes: shapes.clone(), instances };
        let (mut ray_warnings, mut unmeasured, mut hits) = (RayWarnings::default(), Unmeasured::new(), 0);
        let compute = |batch: &RayBatch| {
            ray_warnings.add(batch, what);
            let (found, more) = engine.cast(batch);
            unmeasured.add(more);
            hits += count_hits(&found);
            found
        };
        let output = (format, table.output.as_deref());
        let (rays, seconds) = process(source, precision, HitTable::new(schema), output, console, compute)?;
        let mut warnings = Vec::from_iter(of_layers(scene, &what.layers));
        if layout == HitLayout::Spans {
            warnings.extend(of_open_meshes(scene, &kept_names(&shapes, numbers), what.layers.mask(), "spans"));
        }
        let is_unmeasured = |object: &Object<V>, cast: &SphereCast<V>| cast.is_unmeasured(object);
        warnings.extend(unmeasured.warning(("ray", "first"), scene, &kept_names(&shapes, numbers), is_unmeasured));
        warnings.into_iter().chain(ray_warnings.warnings()).for_each(|warning| console.warn(&warning));
        let counts = format!("{}, {}", count(rays, "ray"), count(hits, "hit"));
        console.note(&format!("{counts}, {seconds:.3} s, {}", rate(rays, "rays", seconds)));
        Ok(())
    }
}
