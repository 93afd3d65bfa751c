//! Casts of table files, by the pipeline of `hitscan-io`.

use crate::error::{type_error, value_error};
use crate::files::file_error;
use crate::target::Target;
use crate::typed::with_typed;
use hitscan::{Coplanar, Faces, Inside, Scene, Triggers};
use hitscan_io::{
    CHUNK_ROWS, Carried, CastOutputOptions, CastQuery, FolderOptions, FolderReport, Format, HitLayout, InputFacts,
    InputFile, OnError, Precision, RayCaster, RayTable, RayTableOptions, Rows, TableVector, TextOptions, point_columns,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The options of a cast of table files, checked.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct TableCast {
    query: CastQuery,
    columns: Option<Vec<String>>,
    read: RayTableOptions,
    write: CastOutputOptions,
    las_scale: Option<f64>,
    rows_per_file: u64,
    precision: Option<Precision>,
    #[pyo3(get)]
    extension: String,
    /// The options that change results, as JSON.
    #[pyo3(get)]
    options_text: String,
}

/// One of these words.
fn word<T: Copy>(name: &str, text: &str, words: &[(&str, T)]) -> PyResult<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        value_error(format!("{name}: '{text}' is none of {}", known.join(", ")))
    })
}

/// The value of an option; `None` where it is not given.
fn option<'py, T: for<'a> FromPyObject<'a, 'py>>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<T>> {
    let Some(value) = options.get_item(name)?.filter(|value| !value.is_none()) else { return Ok(None) };
    let wrong = || type_error(format!("{name}: {value:?} has the wrong type"));
    value.extract().map(Some).map_err(|_| wrong())
}

/// The names of all options.
#[rustfmt::skip]
const OPTIONS: [&str; 20] = [
    "query", "columns", "keep", "t_min", "t_max", "line", "inside", "faces", "layers", "triggers", "coplanar", "precision",
    "format",    "delimiter", "null", "on_error", "rows_per_file", "radius", "max_hits", "las_scale",
];

#[pymethods]
impl TableCast {
    #[new]
    fn new(options: &Bound<'_, PyDict>) -> PyResult<Self> {
        for key in options.keys() {
            let key: String = key.extract()?;
            if !OPTIONS.contains(&&*key) {
                return Err(value_error(format!("{key}: there is no such option")));
            }
        }
        let layouts = [
            ("first", HitLayout::First),
            ("any", HitLayout::Any),
            ("all", HitLayout::All),
            ("count", HitLayout::Count),
            ("spans", HitLayout::Spans),
        ];
        let text = |name: &str, default: &str| -> PyResult<String> {
            Ok(option(options, name)?.unwrap_or_else(|| default.to_owned()))
        };
        let query = CastQuery {
            layout: word("query", &text("query", "first")?, &layouts)?,
            most: option(options, "max_hits")?,
            radius: option(options, "radius")?,
            t_min: option(options, "t_min")?,
            t_max: option(options, "t_max")?,
            line: option(options, "line")?.unwrap_or(false),
            inside: word("inside", &text("inside", "solid")?, &[("solid", Inside::Solid), ("hollow", Inside::Hollow)])?,
            faces: word(
                "faces",
                &text("faces", "both")?,
                &[("both", Faces::Both), ("front", Faces::Front), ("back", Faces::Back)],
            )?,
            triggers: word(
                "triggers",
                &text("triggers", "pass")?,
                &[("pass", Triggers::Pass), ("hit", Triggers::Hit), ("ignore", Triggers::Ignore)],
            )?,
            coplanar: word(
                "coplanar",
                &text("coplanar", "miss")?,
                &[("miss", Coplanar::Miss), ("hit", Coplanar::Hit)],
            )?,
            layers: option(options, "layers")?.unwrap_or(u32::MAX),
        };
        let precision = word(
            "precision",
            &text("precision", "auto")?,
            &[("auto", None), ("f32", Some(Precision::F32)), ("f64", Some(Precision::F64))],
        )?;
        let on_error = word(
            "on_error",
            &text("on_error", "stop")?,
            &[("stop", OnError::Stop), ("skip", OnError::Skip), ("null", OnError::Null)],
        )?;
        let extension = text("format", "parquet")?;
        let (format, compression) = Format::and_compression(Path::new(&format!("hits.{extension}"))).map_err(|_| {
            value_error(format!(
                "format: '{extension}' is none of csv, jsonl (both also with .gz or .zst), parquet, arrow, arrows, ply, las"
            ))
        })?;
        let extension = format!("{}{}", format.extension(), compression.extension());
        let rows_per_file = option(options, "rows_per_file")?.unwrap_or(CHUNK_ROWS);
        if !(1..=CHUNK_ROWS).contains(&rows_per_file) {
            return Err(value_error(format!("rows_per_file: {rows_per_file} is not in 1 to {CHUNK_ROWS}")));
        }
        let delimiter = match option::<String>(options, "delimiter")?.as_deref().map(str::as_bytes) {
            None => None,
            Some([byte]) if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\n\r.+-".contains(byte) => {
                Some(*byte)
            }
            Some(_) => {
                return Err(value_error("delimiter: it is one character, and no letter, digit, quote, sign or point"));
            }
        };
        let keep = options.get_item("keep")?.filter(|keep| !keep.is_none());
        let carried = match keep {
            None => Carried::None,
            Some(keep) if keep.extract::<String>().is_ok_and(|keep| keep == "all") => Carried::All,
            Some(_) => match option::<Vec<String>>(options, "keep")?.unwrap_or_default() {
                names if names.is_empty() => Carried::None,
                names => Carried::Named(names),
            },
        };
        let text = TextOptions { delimiter, null: option(options, "null")? };
        let has_types = format != Format::Csv;
        let read = RayTableOptions { text: text.clone(), carried, has_types, rows: None };
        let write =
            CastOutputOptions { format: Some(format), compression, text, metadata: Vec::new(), on_error, threads: 1 };
        let mut cast = Self {
            query,
            columns: option(options, "columns")?,
            read,
            write,
            las_scale: option(options, "las_scale")?,
            rows_per_file,
            precision,
            extension,
            options_text: String::new(),
        };
        cast.options_text = cast.folder_text(precision.unwrap_or(Precision::F64));
        if precision.is_none() {
            cast.options_text = cast.options_text.replace(r#""precision":"f64""#, r#""precision":"auto""#);
        }
        Ok(cast)
    }

    /// Casts one table into a folder, or one chunk of a Parquet file. Returns a dictionary for each file that was written.
    #[pyo3(signature = (scene, input, folder, stem, *, first_row = 0, rows = None, chunk = None, existing = Vec::new(), scene_hash = None, threads = 0, progress = None))]
    #[expect(clippy::too_many_arguments, reason = "Python calls it by names")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        scene: &Bound<'py, PyAny>,
        input: PathBuf,
        folder: PathBuf,
        stem: String,
        first_row: u64,
        rows: Option<u64>,
        chunk: Option<u64>,
        existing: Vec<String>,
        scene_hash: Option<String>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let name = input.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let file = InputFile { path: input, name, stem };
        let part = match chunk {
            Some(chunk) => Rows::Chunk(chunk, first_row..first_row.saturating_add(rows.unwrap_or(u64::MAX))),
            None => Rows::All,
        };
        let precision = self.precision_for(py, scene, std::slice::from_ref(&file))?;
        let report =
            self.with_caster(py, (scene, scene_hash), precision, threads, progress, |caster, options, show| {
                let existing: Vec<&str> = existing.iter().map(String::as_str).collect();
                caster.cast_one((&file, &part), &folder, (options, &existing), show)
            })?;
        files_of(py, &report)
    }

    /// Casts tables into a folder, with its manifest. Returns a dictionary for each file that was written, and the number of
    /// those that were there.
    #[pyo3(signature = (scene, inputs, folder, *, resume, threads, progress))]
    #[expect(clippy::too_many_arguments, reason = "Python calls it by names")]
    fn run_all<'py>(
        &self,
        py: Python<'py>,
        scene: &Bound<'py, PyAny>,
        inputs: Vec<PathBuf>,
        folder: PathBuf,
        resume: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        let hash = scene_hash(py, scene)?;
        let inputs = py.detach(|| {
            let inputs = hitscan_io::input_files(&inputs)?;
            let lock = hitscan_io::prepare_folder(&folder, &inputs, (&hash, &self.options_text), resume)?;
            Ok((inputs, lock))
        });
        let (inputs, _lock) = inputs.map_err(|error| file_error(&error))?;
        let precision = self.precision_for(py, scene, &inputs)?;
        let report =
            self.with_caster(py, (scene, Some(hash)), precision, threads, progress, |caster, options, show| {
                caster.cast_all(&inputs, &folder, options, show)
            })?;
        Ok((files_of(py, &report)?, report.skipped.len()))
    }
}

impl TableCast {
    fn folder_text(&self, precision: Precision) -> String {
        let columns = self.columns.as_deref();
        let text = hitscan_io::options_text((&self.query, precision), columns, &self.read, self.write.on_error, &[]);
        let text = if self.is_las() { hitscan_io::las_options_text(&text, self.las_scale) } else { text };
        hitscan_io::folder_options_text(&text, &self.folder_options(CastOutputOptions::clone(&self.write)))
    }

    fn is_las(&self) -> bool {
        self.write.format == Some(Format::Las)
    }

    fn folder_options(&self, write: CastOutputOptions) -> FolderOptions {
        let (read, extension) = (self.read.clone(), self.extension.clone());
        FolderOptions { read, write, extension, rows_per_file: self.rows_per_file }
    }

    /// The precision of the casts: that of the scene, or `float64` where a table has more digits, as text has.
    fn precision_for(&self, py: Python<'_>, scene: &Bound<'_, PyAny>, inputs: &[InputFile]) -> PyResult<Precision> {
        if let Some(precision) = self.precision {
            return Ok(precision);
        }
        if is_double(scene)? {
            return Ok(Precision::F64);
        }
        let dimension = match scene.getattr("dimension")?.extract::<usize>()? {
            2 => hitscan_io::Dimension::Two,
            _ => hitscan_io::Dimension::Three,
        };
        let read = RayTableOptions { has_types: false, ..self.read.clone() };
        let found = py.detach(|| {
            for input in inputs {
                let table = RayTable::open(&input.path, dimension, &read)?;
                if table.precision() == Precision::F64 {
                    return Ok(Precision::F64);
                }
            }
            Ok(Precision::F32)
        });
        found.map_err(|error| file_error(&error))
    }

    /// Calls `work` with the scene, without the global interpreter lock.
    fn with_caster(
        &self,
        py: Python<'_>,
        (scene, hash): (&Bound<'_, PyAny>, Option<String>),
        precision: Precision,
        threads: usize,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(
            &dyn FolderCaster,
            &FolderOptions,
            hitscan_io::FolderProgress<'_>,
        ) -> hitscan_io::Result<FolderReport>
        + Send,
    ) -> PyResult<FolderReport> {
        let target = target_of(scene, precision == Precision::F64)?;
        let columns = self.columns.as_deref();
        let text = hitscan_io::options_text((&self.query, precision), columns, &self.read, self.write.on_error, &[]);
        let metadata = match self.write.format {
            Some(format) if !format.is_text() => {
                // The hash of a large scene takes seconds: tasks of one job get it.
                let hash = hash.map_or_else(|| scene_hash(py, scene), Ok)?;
                hitscan_io::table_metadata(&hash, &text)
            }
            _ => Vec::new(),
        };
        // A flat scene has no column pz, which is an error later.
        let points = (self.query.layout, hitscan_io::Dimension::Three);
        let format = self.write.format.unwrap_or(Format::Parquet);
        let columns =
            point_columns(format, points, columns, Path::new("format")).map_err(|error| file_error(&error))?;
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { available() } else { threads };
        let options = self.folder_options(CastOutputOptions { metadata, threads, ..self.write.clone() });
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let mut show = |rows: u64, share: Option<f64>| {
            // Signals are seen by the main thread, which works, too.
            Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (rows, share)).map(|_| ()))
            })
            .map_err(|error| {
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                hitscan_io::Error::io(Path::new("progress"), std::io::ErrorKind::Interrupted.into())
            })
        };
        let target = target.get();
        let report = with_typed!(&target.0, queried => py.detach(|| queried.with_whole_scene(|scene| {
            // Objects are numbered in their order, without gaps where others were removed.
            let mut numbers = Vec::new();
            for (number, (id, _)) in (0..).zip(scene.objects()) {
                numbers.resize(numbers.len().max(id.index() + 1), 0);
                numbers[id.index()] = number;
            }
            let names = hitscan_io::fmt::names(scene);
            let given = (scene, Some(&numbers[..]));
            let columns = columns.as_deref();
            let mut caster = RayCaster::new(given, self.query.clone(), (names, None), columns, Path::new("columns"))?;
            if self.is_las() {
                caster = caster.with_las_grid(self.las_scale, Path::new("las_scale"))?;
            }
            work(&caster, &options, &mut show)
        })));
        if let Some(error) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        report.map_err(|error| file_error(&error))
    }
}

/// Casts of tables into folders, whatever the vector type.
trait FolderCaster {
    fn cast_one(
        &self,
        table: (&InputFile, &Rows),
        folder: &Path,
        options: (&FolderOptions, &[&str]),
        progress: hitscan_io::FolderProgress<'_>,
    ) -> hitscan_io::Result<FolderReport>;
    fn cast_all(
        &self,
        inputs: &[InputFile],
        folder: &Path,
        options: &FolderOptions,
        progress: hitscan_io::FolderProgress<'_>,
    ) -> hitscan_io::Result<FolderReport>;
}

impl<V: TableVector> FolderCaster for RayCaster<'_, V> {
    fn cast_one(
        &self,
        table: (&InputFile, &Rows),
        folder: &Path,
        options: (&FolderOptions, &[&str]),
        progress: hitscan_io::FolderProgress<'_>,
    ) -> hitscan_io::Result<FolderReport> {
        hitscan_io::cast_into_folder(self, table, folder, options, progress)
    }

    fn cast_all(
        &self,
        inputs: &[InputFile],
        folder: &Path,
        options: &FolderOptions,
        progress: hitscan_io::FolderProgress<'_>,
    ) -> hitscan_io::Result<FolderReport> {
        hitscan_io::cast_all_into_folder(self, inputs, folder, options, progress)
    }
}

/// Whether a scene or a shape has `float64` numbers.
fn is_double(scene: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(scene.getattr("dtype")?.getattr("itemsize")?.extract::<usize>()? == size_of::<f64>())
}

/// What queries look at: a `Scene` or a `Shape` of the package.
fn target_of<'py>(scene: &Bound<'py, PyAny>, is_double: bool) -> PyResult<Bound<'py, Target>> {
    let target = scene.call_method1("_target", (is_double, None::<u32>, PyTuple::empty(scene.py())))?;
    Ok(target.cast_into::<Target>()?)
}

/// The hash of a scene, or of a scene of one shape.
#[pyfunction]
pub(crate) fn scene_hash(py: Python<'_>, scene: &Bound<'_, PyAny>) -> PyResult<String> {
    fn hash<V: TableVector>(scene: &Scene<V>) -> PyResult<String> {
        Ok(hitscan_io::content_hash(&scene.to_bytes().map_err(value_error)?))
    }
    let target = target_of(scene, is_double(scene)?)?;
    let target = target.get();
    with_typed!(&target.0, queried => py.detach(|| queried.with_whole_scene(hash)))
}

/// The number of rows of a Parquet file by its footer; `None` for other formats.
#[pyfunction]
pub(crate) fn table_rows(py: Python<'_>, path: PathBuf) -> PyResult<Option<u64>> {
    py.detach(|| hitscan_io::table_rows(&path)).map_err(|error| file_error(&error))
}

/// The text of the manifest of a folder of results.
#[pyfunction]
pub(crate) fn manifest(scene: &str, options: &str, inputs: Vec<(String, u64, String, String)>) -> PyResult<String> {
    let facts = inputs.into_iter().map(|(name, size, modified, digest)| InputFacts { name, size, modified, digest });
    hitscan_io::manifest(scene, options, &facts.collect::<Vec<_>>()).map_err(value_error)
}

/// Raises the first difference of two manifests. Inputs that are not `finished` may differ; their names are returned.
#[pyfunction]
pub(crate) fn compare_manifests(earlier: &str, now: &str, finished: HashSet<String>) -> PyResult<Vec<String>> {
    hitscan_io::compare_manifests(earlier, now, |name| finished.contains(name)).map_err(value_error)
}

/// The digest of an input by its first and its last megabyte.
#[pyfunction]
pub(crate) fn input_digest(first: &[u8], last: &[u8]) -> String {
    hitscan_io::input_digest(first, last)
}

fn files_of<'py>(py: Python<'py>, report: &FolderReport) -> PyResult<Bound<'py, PyList>> {
    let files = PyList::empty(py);
    for file in &report.written {
        let of_file = PyDict::new(py);
        let base = file.name.rsplit('/').next().unwrap_or(&file.name);
        of_file.set_item("name", base)?;
        of_file.set_item("rows_in", file.statistics.rows_in)?;
        of_file.set_item("rows_out", file.statistics.rows_out)?;
        of_file.set_item("hits", file.statistics.hits)?;
        of_file.set_item("bad_rows", file.statistics.bad_rows)?;
        files.append(of_file)?;
    }
    Ok(files)
}
