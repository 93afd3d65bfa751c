//! The command line of `hitscan cast`.

use super::file_arguments::{FileArguments, open_error};
use super::record_grid::RecordGrid;
use super::sinks::{Destination, TableSink};
use crate::console::Console;
use crate::error::{Error, Result};
use crate::ignore::Rest;
use crate::inputs::{files_of, refuse_input_as_output};
use crate::load::LoadArguments;
use crate::numbers::{radius, rounded_radius};
use crate::precision::RowPrecision;
use crate::progress::Progress;
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::RayArguments;
use crate::scene::{SceneSpace, WithScene, names, with_scene};
use crate::tables::{ResultFormat, RowBatch, TableArguments};
use crate::text::{count, number, rate};
use crate::unmeasured::Unmeasured;
use crate::warnings::{RayWarnings, of_layers, of_open_meshes};
use clap::{ArgGroup, Args, ValueEnum};
use hitscan::{Object, Scene};
use hitscan_io::{
    CastOutputOptions, CastStatistics, Compression, FolderOptions, Format, HitLayout, InputFile, LasRounding,
    Precision, RayCaster, RayTable, RayTableOptions, SceneFile, SphereCast, TableCast, cast_all_into_folder,
    content_hash, folder_options_text, input_files, is_several_files, is_stream, las_options_text, options_text,
    point_columns, prepare_folder, table_metadata,
};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Cast rays at a scene: which hit what, where, and at which angle
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE, group(ArgGroup::new("rays_from").args(["ray", "segment", "files"]).required(true)))]
pub(crate) struct CastArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    // Behind several tables of rays it looks like one of them.
    #[arg(required_unless_present = "files")]
    scene: Option<PathBuf>,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    rays: RayArguments,
    /// A table of rays: .csv, .tsv, .jsonl (also .gz, .zst), .parquet, .arrow or .arrows; - is standard input
    ///
    /// Columns ox oy oz dx dy dz, or ax ay az bx by bz for segments (no z in 2D), and if you like t_min, t_max,
    /// max_distance and layers (a mask, the sum of 2^n for each layer n; with --layers, the layers in both count). An empty
    /// cell of these four means no limit of its own. The format of standard input and of pipes is seen from their first bytes (tabs need
    /// --delimiter tab); Parquet and .arrow go to a temporary file first. Several files, a folder of tables (with all its
    /// folders) or a pattern in quotes ('2024/*.csv') give a folder of results, one for each table.
    #[arg(long = "rays", value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
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
    table: TableArguments<ResultFormat>,
    #[command(flatten)]
    columns: FileArguments,
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

const USAGE: &str = "hitscan cast <SCENE> <--ray <NUMBERS>|--segment <NUMBERS>|--rays <FILE>...> [OPTIONS]";

const EXAMPLES: &str = "\
Examples:
  hitscan cast scene.toml --ray 0,0,5,0,0,-1                     the first hit of one ray
  hitscan cast flat.toml --segment 3,2,10,6 --query all          both crossings of a segment, in 2D
  hitscan cast bunny.ply --rays rays.csv --t-max 10 -o hits.parquet
  hitscan cast maze.toml --ray 0,0,1,0 --thick 0.4               how far does a circle get, in 2D?
  generate-rays | hitscan cast scene.toml --rays - --query any   CSV in, CSV out
  hitscan cast bunny.ply --rays scan.parquet --keep id,time --columns t,nx,ny,nz -o hits.parquet
  hitscan cast bunny.ply --rays 'scans/**/*.parquet' -o hits/    a table of hits for each table; --resume goes on

Columns of first, all and spans: ray (its row, from 0), hit (true or false), hit_index (0, 1, ...; empty on a miss), end
(spans only), t, distance, px py pz, nx ny nz, front, shape, primitive, u, v; of a scene with [[object]]s or a glTF also
object (its number) and instance (its number among those of its geometry); of a scene with groups or solids also member (the
number of the member that is hit, or of the leaf whose surface it is). first has one row per ray, all a row per hit, spans a
row for each end. Columns of any: ray, hit. Columns of count: ray, count.

With --thick, the columns are those of first and any; behind nx ny nz, those of first have fnx fny fnz, the unit normal of the
flat face that is touched (a triangle, plane, disk or half-space; in 2D a segment or line), on the side that the sphere comes
from; empty for other shapes.";

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
        self.find_scene()?;
        self.check_first()?;
        self.check_thick()?;
        self.what.check_segments(&self.rays)?;
        match self.folder()? {
            Some(folder) => self.cast_folder(&folder, console),
            None => self.cast_file(console),
        }
    }

    /// Takes the scene for what it is where it comes behind the tables of rays: `--rays rays.csv scene.toml`.
    fn find_scene(&mut self) -> Result<()> {
        if self.scene.is_none() {
            let is_table = |file: &PathBuf| is_stream(file) || Format::from_path(file).is_ok_and(|f| !f.is_points());
            if self.files.len() < 2 || self.files.last().is_none_or(is_table) {
                return Err(Error::usage("the scene is missing: hitscan cast SCENE --rays FILE"));
            }
            self.scene = self.files.pop();
        }
        Ok(())
    }

    /// The folder of results; `None` for one table of them.
    fn folder(&self) -> Result<Option<PathBuf>> {
        let output = self.table.output();
        let is_folder = |path: &Path| path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', '\\']);
        let is_several = self.files.len() > 1 || self.files.iter().any(|file| is_several_files(file));
        match output {
            Some(output) if is_folder(output) && self.files.is_empty() => {
                Err(Error::usage("rays of the command line have one table of results: -o needs the name of a file"))
            }
            Some(output) if is_folder(output) => Ok(Some(output.to_owned())),
            _ if is_several => Err(Error::usage(
                "several tables of rays have a folder of results: -o needs its name, with / at its end",
            )),
            _ => {
                self.columns.check_one_file()?;
                self.columns.check_bad_rows(output).map(|()| None)
            }
        }
    }

    /// One table of results.
    fn cast_file(mut self, console: &mut Console) -> Result<()> {
        let table_path = self.files.first().cloned();
        let format = self.table.format(table_path.as_deref())?;
        self.columns.check_las_scale(format)?;
        let file = self.open_scene(console)?;
        self.table.check_output(&file, table_path.as_deref())?;
        let output = self.table.output();
        let compression = match format {
            Some(format) if format.is_text() => self.columns.compression(output),
            _ => self.columns.refuse_compression().map(|()| Compression::None)?,
        };
        let (table, rows) = match &table_path {
            Some(path) => {
                let table = RayTable::open(path, file.dimension(), &self.columns.read(format)?).map_err(open_error)?;
                let rows = RowPrecision::of_file(table.precision());
                (table, rows)
            }
            None => {
                let rays = self.rays.batch(file.dimension())?;
                (RayTable::of_rays(&rays)?, RowPrecision::of_flags(rays.columns()))
            }
        };
        if let Some(bytes) = table.spooled() {
            let is_stdin = table_path.as_ref().is_some_and(|path| path.as_os_str() == "-");
            let name = if is_stdin { "standard input".into() } else { table.name().to_string_lossy() };
            console
                .note(&format!("{name}: {bytes} bytes went to a temporary file, for this format is read from its end"));
        }
        let precision = self.precision(&file, rows, console);
        let tables = Tables::File { table, format, compression };
        self.cast(&file, precision, tables, console)
    }

    /// A table of results for each table of rays.
    fn cast_folder(mut self, folder: &Path, console: &mut Console) -> Result<()> {
        self.columns.check_folder()?;
        if let Some(stream) = self.files.iter().find(|file| is_stream(file)) {
            let what = if stream.as_os_str() == "-" { "standard input" } else { "a pipe" };
            let text = format!("{}: {what} has one table of results, not a folder", stream.display());
            return Err(Error::usage(text));
        }
        let inputs = input_files(&self.files)?;
        let format = self.table.format_of_folder()?;
        self.columns.check_las_scale(Some(format))?;
        let compression = if format.is_text() { self.columns.compression(None) } else { Compression::None };
        if !format.is_text() {
            self.columns.refuse_compression()?;
        }
        let file = self.open_scene(console)?;
        let files = files_of(&file);
        for input in &inputs {
            refuse_input_as_output(
                &folder.join(&input.name),
                &[&files[..], std::slice::from_ref(&input.path)].concat(),
            )?;
        }
        // All tables are opened before the first one is cast: what is wrong with a header is known at once.
        let read = self.columns.read(Some(format))?;
        let precisions = inputs.iter().map(|input| {
            RayTable::open(&input.path, file.dimension(), &RayTableOptions { has_types: false, ..read.clone() })
                .map(|table| table.precision())
                .map_err(open_error)
        });
        let precisions = precisions.collect::<Result<Vec<_>, _>>()?;
        let precision = self.precision(&file, RowPrecision::of_files(precisions), console);
        let tables = Tables::Folder { inputs, folder: folder.to_owned(), format, compression };
        self.cast(&file, precision, tables, console)
    }

    fn open_scene(&mut self, console: &mut Console) -> Result<SceneFile> {
        let scene = self.scene.take().unwrap_or_default();
        let file = self.load.open(&scene, console)?;
        self.what.layers.find(&file)?;
        Ok(file)
    }

    fn precision(&self, file: &SceneFile, rows: RowPrecision, console: &mut Console) -> Precision {
        self.table.precision.of_table(file, rows, self.what.limits().chain(self.thick), console)
    }

    fn cast(self, file: &SceneFile, precision: Precision, tables: Tables, console: &mut Console) -> Result<()> {
        let accelerator = self.table.accel.into();
        let instances = file.instances();
        with_scene(file, precision, accelerator, Cast { arguments: self, tables, precision, instances, console })
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

/// What is read and written.
enum Tables {
    /// One table of rays, and one table of results; without a format it is one for people.
    File { table: RayTable, format: Option<Format>, compression: Compression },
    /// A table of results for each of these.
    Folder { inputs: Vec<InputFile>, folder: PathBuf, format: Format, compression: Compression },
}

impl Tables {
    /// The format of the results, and the name of the file or the folder.
    fn format_and_place<'a>(&'a self, output: Option<&'a Path>) -> (Option<Format>, &'a Path) {
        match self {
            Self::File { format, .. } => (*format, output.unwrap_or(Path::new("--format"))),
            Self::Folder { format, folder, .. } => (Some(*format), folder),
        }
    }
}

/// A cast, ready to run.
struct Cast<'a, 'b> {
    arguments: CastArguments,
    tables: Tables,
    precision: Precision,
    /// See [`HitSchema::instances`](hitscan_io::HitSchema::instances).
    instances: Option<Vec<Option<u32>>>,
    console: &'a mut Console<'b>,
}

impl WithScene for Cast<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, whole: &Scene<V>) -> Result<()> {
        let Self { arguments, tables, precision, instances, console } = self;
        let CastArguments { query, what, first, ignore, table, thick, columns, .. } = &arguments;
        let layout = HitLayout::from(*query);
        let shapes = names(whole);
        let rest = Rest::without(whole, &shapes, ignore)?;
        let (scene, positions) = (&rest.scene, rest.positions());
        if let Some(radius) = thick {
            rounded_radius::<V::Scalar>(*radius, "--thick")?;
        }
        let most = first.filter(|_| layout == HitLayout::All).map(NonZero::get);
        let query = what.cast_query(layout, most, *thick);
        let given = (shapes.clone(), instances);
        let (format, place) = tables.format_and_place(table.output());
        let computed = match format {
            Some(format) => point_columns(format, (layout, V::DIMENSION), columns.columns.as_deref(), place)?,
            None => columns.columns.clone(),
        };
        let names = Path::new("--columns");
        let mut caster = RayCaster::new((scene, positions), query.clone(), given, computed.as_deref(), names)?;
        if format == Some(Format::Las) {
            caster = caster.with_las_grid(columns.las_scale, place).map_err(|error| columns.las_error(error))?;
        }
        // Kept columns have the same names in every format.
        let read = columns.read(None)?;
        let names = columns.columns.as_deref();
        let mut options = options_text((&query, precision), names, &read, columns.on_error.into(), ignore);
        if format == Some(Format::Las) {
            options = las_options_text(&options, columns.las_scale);
        }
        let write = |format, compression, metadata| CastOutputOptions {
            format,
            compression,
            text: columns.output_text(table.output()),
            metadata,
            on_error: columns.on_error.into(),
            threads: table.threads(),
        };
        let progress = Progress::new(console.shows_progress());
        let statistics = match tables {
            Tables::File { table: rays, format, compression } => {
                let metadata = match format {
                    Some(Format::Parquet | Format::Arrow | Format::ArrowStream) => {
                        table_metadata(&scene_hash(whole)?, &options)
                    }
                    _ => Vec::new(),
                };
                let name = rays.name().to_owned();
                let mut cast = TableCast::new(&caster, rays, write(format, compression, metadata))?;
                let output = table.output();
                let destination = match format {
                    None => Destination::People(RecordGrid::new(&cast.columns()), &mut *console.out),
                    Some(_) => Destination::File { opener: cast.opener(), target: output, file: None },
                };
                let mut sink = TableSink::new(destination, &name, columns.bad_rows_path(output), &progress);
                let statistics = cast.run(None, &mut sink)?;
                progress.clear();
                let (rounding, warning) = sink.finish()?;
                warning.into_iter().for_each(|warning| console.warn(&warning));
                if let (Some(rounding), Some(output)) = (rounding, output) {
                    note_rounding(output, rounding, console);
                }
                statistics
            }
            Tables::Folder { inputs, folder, format, compression } => {
                let scene = scene_hash(whole)?;
                let extension = format!("{}{}", format.extension(), compression.extension());
                let folder_options = FolderOptions {
                    read: columns.read(Some(format))?,
                    write: write(Some(format), compression, table_metadata(&scene, &options)),
                    extension,
                    rows_per_file: columns.rows_per_file(),
                };
                let options = folder_options_text(&options, &folder_options);
                let _lock = prepare_folder(&folder, &inputs, (&scene, &options), columns.resume)?;
                let mut show = |rows, share| {
                    progress.show(rows, "rays", share);
                    Ok(())
                };
                let report = cast_all_into_folder(&caster, &inputs, &folder, &folder_options, &mut show)?;
                progress.clear();
                note_files(&report.written, &report.skipped, &folder, console);
                let roundings = report.written.iter().filter_map(|file| file.rounding);
                if let Some(rounding) = roundings.max_by(|a, b| a.largest.total_cmp(&b.largest)) {
                    note_rounding(&folder, rounding, console);
                }
                report.statistics
            }
        };
        let mut warnings = Vec::from_iter(of_layers(scene, &what.layers));
        if layout == HitLayout::Spans {
            warnings.extend(of_open_meshes(scene, &rest.names(&shapes), what.layers.mask(), ("spans", "")));
        }
        let unmeasured = Unmeasured::of(statistics.unmeasured, caster.first_unmeasured());
        let is_unmeasured = |object: &Object<V>, cast: &SphereCast<V>| cast.is_unmeasured(object);
        warnings.extend(unmeasured.warning(("ray", "first"), scene, &rest.names(&shapes), is_unmeasured));
        warnings.extend(RayWarnings::of(&statistics).warnings());
        warnings.iter().for_each(|warning| console.warn(warning));
        note_rows(&statistics, progress.seconds(), console);
        Ok(())
    }
}

/// The hash of a scene: of its bytes as a `.hitscene` file.
fn scene_hash<V: SceneSpace>(scene: &Scene<V>) -> Result<String> {
    let bytes = scene.to_bytes().map_err(|error| Error::input(error.to_string()))?;
    Ok(content_hash(&bytes))
}

fn note_rows(statistics: &CastStatistics, seconds: f64, console: &mut Console) {
    let CastStatistics { rows_in, hits, .. } = statistics;
    let counts = format!("{}, {}", count(*rows_in, "ray"), count(*hits, "hit"));
    console.note(&format!("{counts}, {seconds:.3} s, {}", rate(*rows_in, "rays", seconds)));
}

/// Says how the coordinates of LAS files are rounded.
fn note_rounding(place: &Path, LasRounding { scale, largest }: LasRounding, console: &mut Console) {
    let (place, scale, largest) = (place.display(), number(scale), number(largest));
    console.note(&format!("{place}: coordinates are rounded to {scale}, by {largest} at most"));
}

/// Says how many files a folder got, and which bad rows are where.
fn note_files(written: &[hitscan_io::WrittenFile], skipped: &[String], folder: &Path, console: &mut Console) {
    let mut text = format!("{}: {} written", folder.display(), count(written.len() as u64, "file"));
    if !skipped.is_empty() {
        text += &format!(", {} there already", skipped.len());
    }
    console.note(&text);
    for file in written.iter().filter(|file| file.statistics.bad_rows > 0) {
        let (rows, path) = (count(file.statistics.bad_rows, "row"), hitscan_io::bad_rows_path(folder, &file.name));
        let input = file.input.display();
        console.warn(&format!("{rows} of {input} could not be read: {} has them", path.display()));
    }
}
