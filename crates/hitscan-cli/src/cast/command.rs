//! The command line of `hitscan cast`, and its loop over batches.

use super::engine::{Engine, count_hits};
use super::ray_source::{RaySource, check_f32, count_zero_directions};
use super::text_table::TextTable;
use crate::console::Console;
use crate::error::{Error, Result};
use crate::parallel::available_threads;
use crate::progress::Progress;
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::RayArguments;
use crate::scene::{AcceleratorArgument, PrecisionArgument, SceneSpace, WithScene, names, with_scene};
use clap::{ArgGroup, Args, ValueEnum};
use hitscan::Scene;
use hitscan_io::{Format, HitBatch, HitLayout, HitSchema, HitWriter, Precision, RayReader, ReadOptions, SceneFile};
use std::num::NonZero;
use std::path::PathBuf;

/// Rays that are read and cast together: what memory is bounded by.
const BATCH_ROWS: usize = 1 << 17;

/// Cast rays at a scene: which hit what, where, and at which angle
#[derive(Args)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("rays_from").args(["ray", "segment", "file"]).required(true)))]
pub(crate) struct CastArguments {
    /// The scene: .toml, or a mesh (.obj, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    rays: RayArguments,
    /// A table of rays: .csv, .parquet or .arrow; - reads CSV from standard input
    ///
    /// Columns ox oy oz dx dy dz, or ax ay az bx by bz for segments (no z in 2D), and if you like t_min and t_max.
    #[arg(long = "rays", value_name = "FILE")]
    file: Option<PathBuf>,
    /// What to ask of each ray
    #[arg(long, value_enum, default_value_t)]
    query: QueryKind,
    #[command(flatten)]
    what: QueryArguments,
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

Columns of the answers: ray (its row, from 0), hit, t, distance, px py pz, nx ny nz, front, shape, primitive, u, v,
instance; --query first gives one row per ray, empty for a miss; spans has a row for each end.";

/// `--query`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum QueryKind {
    /// the nearest hit: one row per ray, empty for a miss
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
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let format = self.format()?;
        let file = SceneFile::open(&self.scene)?;
        let source = match &self.file {
            Some(path) => {
                let options = ReadOptions { batch_rows: BATCH_ROWS, ..ReadOptions::default() };
                RaySource::reading(RayReader::open_with(path, file.dimension(), options)?)
            }
            None => RaySource::in_memory(self.rays.batch(file.dimension())?),
        };
        let narrow = file.precision() == Precision::F32 && source.precision == Precision::F32 && self.what.fits_f32();
        let precision = self.precision.resolve(if narrow { Precision::F32 } else { Precision::F64 });
        let method = self.accel.into();
        with_scene(&file, precision, method, Cast { arguments: self, source, format, precision, console })
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

/// A cast, ready to run.
struct Cast<'a, 'b> {
    arguments: CastArguments,
    source: RaySource,
    format: Option<Format>,
    precision: Precision,
    console: &'a mut Console<'b>,
}

impl WithScene for Cast<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(mut self, scene: &Scene<V>) -> Result<()> {
        let CastArguments { query, what, threads, .. } = &self.arguments;
        let layout = HitLayout::from(*query);
        let threads = threads.map_or_else(available_threads, NonZero::get);
        let engine = Engine { scene, query: what, layout, threads };
        let schema = HitSchema { layout, dimension: V::DIMENSION, precision: self.precision, shapes: names(scene) };
        let progress = Progress::new(self.console.err_is_terminal);
        let (mut rays, mut hits, mut zero, mut first_zero) = (0, 0, 0, None);
        // The output is opened when there is something to write: an error before that leaves nothing behind.
        let mut next = self.source.next()?;
        let mut sink = None;
        while let Some((batch, share)) = next {
            if self.precision == Precision::F32 {
                check_f32(&batch)?;
            }
            let (more, first) = count_zero_directions(&batch);
            (zero, first_zero) = (zero + more, first_zero.or(first));
            let answers = engine.cast(&batch);
            (rays, hits) = (rays + batch.len() as u64, hits + count_hits(&answers));
            let open = self.sink(&mut sink, &schema)?;
            open.write(&answers, self.console)?;
            progress.show(rays, "rays", share);
            next = self.source.next()?;
        }
        self.sink(&mut sink, &schema)?;
        progress.clear();
        sink.map_or(Ok(()), Sink::finish)?;
        if let Some(row) = first_zero {
            let rays = if zero == 1 { "1 ray has".to_owned() } else { format!("{zero} rays have") };
            let text =
                format!("hitscan: warning: {rays} a direction of zero and so hit nothing (the first: row {row})");
            // A warning that cannot be shown is no reason to stop.
            let _ = writeln!(self.console.err, "{text}");
        }
        if self.console.err_is_terminal {
            let _ = writeln!(self.console.err, "{rays} rays, {hits} hits, {:.3} s", progress.seconds());
        }
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
                    Sink::File(Box::new(HitWriter::create(self.arguments.output.as_deref(), format, schema.clone())?))
                }
            },
        };
        Ok(sink.insert(opened))
    }
}

/// Where the answers go.
enum Sink {
    Table(TextTable),
    File(Box<HitWriter>),
}

impl Sink {
    fn write(&mut self, answers: &HitBatch, console: &mut Console) -> Result<()> {
        match self {
            Self::Table(table) => Ok(console.out.write_all(table.text(answers).as_bytes())?),
            Self::File(writer) => Ok(writer.write(answers)?),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Table(_) => Ok(()),
            Self::File(writer) => Ok(writer.finish()?),
        }
    }
}
