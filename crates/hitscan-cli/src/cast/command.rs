//! The command line of `hitscan cast`, and its loop over batches.

use super::engine::{Engine, count_hits};
use super::ignore::Rest;
use super::ray_source::{RaySource, check_f32};
use super::text_table::TextTable;
use crate::console::Console;
use crate::error::{Error, Result};
use crate::inputs::{files_of, refuse_input_as_output};
use crate::load::LoadArguments;
use crate::parallel::available_threads;
use crate::precision::{PrecisionArgument, RayPrecision};
use crate::progress::Progress;
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::RayArguments;
use crate::scene::{AcceleratorArgument, SceneSpace, WithScene, names, with_scene};
use crate::text::{count, rate};
use crate::unfinished::Unfinished;
use crate::warnings::{RayWarnings, of_layers, of_open_meshes};
use clap::{ArgGroup, Args, ValueEnum};
use hitscan::Scene;
use hitscan_io::{Format, HitBatch, HitLayout, HitSchema, HitWriter, Precision, RayReader, ReadOptions};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// The number of rays in memory at a time.
const BATCH_ROWS: usize = 1 << 17;

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
    /// layers (a mask, the sum of 2^n for each layer n).
    #[arg(long = "rays", value_name = "FILE")]
    file: Option<PathBuf>,
    /// What to find for each ray
    #[arg(long, value_enum, default_value_t)]
    query: QueryKind,
    #[command(flatten)]
    what: QueryArguments,
    /// The most hits of a ray that --query all writes, nearest first [default: all]
    #[arg(long, value_name = "K", help_heading = "What counts as a hit")]
    first: Option<NonZero<u32>>,
    /// Leave an object out, by the name that column shape has for it; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "What counts as a hit")]
    ignore: Vec<String>,
    /// The precision of coordinates and answers; decisions are exact in both
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
    /// How shapes are found; the answers are the same
    #[arg(long, value_enum, default_value_t)]
    accel: AcceleratorArgument,
    /// How many threads cast, 1 or more; the answers are the same [default: all there are]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// The format of the answers [default: by the extension of -o, else csv with --rays, else table]
    #[arg(long, value_enum)]
    format: Option<HitFormat>,
    /// The file to write; it appears when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  hitscan cast scene.toml --ray 0,0,5,0,0,-1                     the first hit of one ray
  hitscan cast flat.toml --segment 3,2,10,6 --query all          both crossings of a segment, in 2D
  hitscan cast bunny.ply --rays rays.csv --t-max 10 -o hits.parquet
  generate-rays | hitscan cast scene.toml --rays - --query any   CSV in, CSV out

Columns of first, all and spans: ray (its row, from 0), hit (true or false), hit_index (0, 1, ...; empty on a miss), end
(spans only), t, distance, px py pz, nx ny nz, front, shape, primitive, u, v; of a scene with [[object]]s or a glTF also
object (its number) and instance (its number among those of its geometry). first has one row per ray, all a row per hit,
spans a row for each end. Columns of any: ray, hit. Columns of count: ray, count.";

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

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HitFormat {
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
}

impl HitFormat {
    /// The format of the library's writer; `None` for the table.
    fn file_format(self) -> Option<Format> {
        match self {
            Self::Table => None,
            Self::Csv => Some(Format::Csv),
            Self::Jsonl => Some(Format::JsonLines),
            Self::Parquet => Some(Format::Parquet),
            Self::Arrow => Some(Format::Arrow),
        }
    }
}

impl CastArguments {
    pub(crate) fn run(mut self, console: &mut Console) -> Result<()> {
        let format = self.format()?;
        self.check_first()?;
        let file = self.load.open(&self.scene, console)?;
        self.what.find_layers(&file)?;
        if let Some(output) = &self.output {
            let inputs: Vec<PathBuf> = files_of(&file).into_iter().chain(self.file.clone()).collect();
            refuse_input_as_output(output, &inputs)?;
        }
        let source = match &self.file {
            Some(path) => {
                let options = ReadOptions { batch_rows: BATCH_ROWS, ..ReadOptions::default() };
                RaySource::reading(RayReader::open_with(path, file.dimension(), options)?)
            }
            None => RaySource::in_memory(self.rays.batch(file.dimension())?),
        };
        let rays = match &self.file {
            Some(path) if !is_text(path) => RayPrecision::Typed(source.precision),
            _ => RayPrecision::Text,
        };
        let precision = self.precision.of_cast(&file, rays, &self.what);
        let accelerator = self.accel.into();
        let instances = file.instances();
        let cast = Cast { arguments: self, source, format, precision, instances, console };
        with_scene(&file, precision, accelerator, cast)
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

    /// The format of the answers; `None` is the table for people.
    fn format(&self) -> Result<Option<Format>> {
        match (self.format, &self.output) {
            (Some(HitFormat::Table), Some(_)) => {
                Err(Error::usage("--format table is for the screen: with -o use csv, jsonl, parquet or arrow"))
            }
            (Some(format), _) => Ok(format.file_format()),
            (None, Some(path)) => Ok(Some(Format::from_path(path)?)),
            (None, None) => Ok(self.file.as_ref().map(|_| Format::Csv)),
        }
    }
}

/// Whether a table of rays is text, whose numbers have no type.
fn is_text(path: &Path) -> bool {
    path.as_os_str() == "-" || Format::from_path(path).is_ok_and(|format| format == Format::Csv)
}

/// A cast, ready to run.
struct Cast<'a, 'b> {
    arguments: CastArguments,
    source: RaySource,
    format: Option<Format>,
    precision: Precision,
    /// See [`HitSchema::instances`].
    instances: Option<Vec<Option<u32>>>,
    console: &'a mut Console<'b>,
}

impl WithScene for Cast<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(mut self, scene: &Scene<V>) -> Result<()> {
        let CastArguments { query, what, threads, first, ignore, accel, .. } = &self.arguments;
        let layout = HitLayout::from(*query);
        let threads = threads.map_or_else(available_threads, NonZero::get);
        let shapes = names(scene);
        let rest = Rest::without(scene, &shapes, ignore, (*accel).into())?;
        let (scene, numbers) = rest.as_ref().map_or((scene, None), |rest| (&rest.scene, Some(&rest.numbers[..])));
        let most = first.map_or(usize::MAX, |k| usize::try_from(k.get()).unwrap_or(usize::MAX));
        let engine = Engine { scene, numbers, query: what, layout, most, threads };
        let (precision, instances) = (self.precision, self.instances.take());
        let schema = HitSchema { layout, dimension: V::DIMENSION, precision, shapes, instances };
        let named = |number: u32| &schema.shapes[number as usize][..];
        let kept: Vec<&str> = match numbers {
            Some(numbers) => numbers.iter().map(|number| named(*number)).collect(),
            None => schema.shapes.iter().map(String::as_str).collect(),
        };
        let mut ray_warnings = RayWarnings::default();
        let progress = Progress::new(self.console.shows_progress());
        let (mut rays, mut hits) = (0_u64, 0_u64);
        // The first batch is read before the output is created: an error in it leaves nothing behind.
        let mut next = self.source.next()?;
        let mut sink = None;
        while let Some((batch, share)) = next {
            if self.precision == Precision::F32 {
                check_f32(&batch)?;
            }
            ray_warnings.add(&batch, what);
            let output = engine.cast(&batch);
            (rays, hits) = (rays + batch.len() as u64, hits + count_hits(&output));
            self.sink(&mut sink, &schema)?.write(&output, self.console)?;
            progress.show(rays, "rays", share);
            next = self.source.next()?;
        }
        self.sink(&mut sink, &schema)?;
        progress.clear();
        sink.map_or(Ok(()), Sink::finish)?;
        let mut warnings = Vec::from_iter(of_layers(scene, what));
        if layout == HitLayout::Spans {
            warnings.extend(of_open_meshes(scene, &kept, what));
        }
        warnings.into_iter().chain(ray_warnings.warnings()).for_each(|warning| self.console.warn(&warning));
        let seconds = progress.seconds();
        let counts = format!("{}, {}", count(rays, "ray"), count(hits, "hit"));
        self.console.note(&format!("{counts}, {seconds:.3} s, {}", rate(rays, "rays", seconds)));
        Ok(())
    }
}

impl Cast<'_, '_> {
    fn sink<'s>(&self, sink: &'s mut Option<Sink>, schema: &HitSchema) -> Result<&'s mut Sink> {
        let opened = match sink.take() {
            Some(open) => open,
            None => match self.format {
                None => Sink::Table(TextTable::new(schema.clone())),
                Some(format) => {
                    let target = self.arguments.output.as_deref();
                    let create = || Ok(HitWriter::create(target, format, schema.clone())?);
                    Sink::File(Unfinished::create(target, create)?)
                }
            },
        };
        Ok(sink.insert(opened))
    }
}

/// The destination of the hits.
enum Sink {
    Table(TextTable),
    File(Unfinished<HitWriter>),
}

impl Sink {
    fn write(&mut self, hits: &HitBatch, console: &mut Console) -> Result<()> {
        match self {
            Self::Table(table) => Ok(console.out.write_all(table.text(hits).as_bytes())?),
            Self::File(file) => Ok(file.write(|writer| writer.write(hits)).unwrap_or(Ok(()))?),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Table(_) => Ok(()),
            Self::File(file) => Ok(file.finish(HitWriter::finish).unwrap_or(Ok(()))?),
        }
    }
}
