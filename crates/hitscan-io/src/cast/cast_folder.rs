//! Many tables of rays to a folder of results, which a later run can go on with.

use super::bad_row_file::BadRowTable;
use super::input_files::InputFile;
use super::manifest::{InputFacts, MANIFEST, compare_manifests, manifest};
use super::ordered::in_order;
use super::ray_caster::{BlockCaster, CastStatistics, RayCaster, TableVector};
use super::table_cast::{
    BLOCK_ROWS, CastOutputOptions, CastSink, RayTable, RayTableOptions, ResultFile, ResultRows, TableCast,
};
use crate::error::{Error, Fault, Result};
use crate::output::{is_temporary, write_file};
use crate::table::{BadRow, LasRounding};
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

/// The most rows of a table of rays whose results are in one file: the unit of going on with a run.
pub const CHUNK_ROWS: u64 = 32 * BLOCK_ROWS as u64;

/// The folder of the bad rows of each file of results.
const BAD_ROWS: &str = "_bad_rows";

/// Inputs of this size are cast by all threads, one after the other; smaller ones at the same time, each by one thread.
const LARGE_INPUT_BYTES: u64 = 64 << 20;

/// How a folder of results is written.
#[derive(Clone, Debug)]
pub struct FolderOptions {
    /// How the tables of rays are read.
    pub read: RayTableOptions,
    /// How the results are written.
    pub write: CastOutputOptions,
    /// The extension of the files of results: `parquet`, `csv.gz`.
    pub extension: String,
    /// The most rows of a table of rays whose results are in one file, at most [`CHUNK_ROWS`].
    pub rows_per_file: u64,
}

/// A file of results that has been written.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// Its path, relative to the folder.
    pub name: String,
    /// The table of rays.
    pub input: PathBuf,
    /// Facts about its rows.
    pub statistics: CastStatistics,
    /// How the coordinates of a LAS file are rounded; `None` in other formats.
    pub rounding: Option<LasRounding>,
}

/// What a run has done.
#[derive(Clone, Debug, Default)]
pub struct FolderReport {
    /// The files of results that were written, in the order of the inputs.
    pub written: Vec<WrittenFile>,
    /// The files of results that were there already.
    pub skipped: Vec<String>,
    /// Facts about the rows of the files that were written.
    pub statistics: CastStatistics,
}

/// Called with the rows that have been cast, and the part of all inputs where that is known. An error ends the work.
pub type FolderProgress<'a> = &'a mut (dyn FnMut(u64, Option<f64>) -> Result<()> + Send);

/// Prepares a folder of results: it writes the manifest, or, to `resume` a run, compares it with that of the earlier run and
/// removes its temporary files. Inputs that have no results yet may have changed: the manifest gets their new state. While the
/// lock lives, no other process may write to the folder.
///
/// # Errors
///
/// When the folder holds other files, or results of something else, or it cannot be written, or another process writes to it.
pub fn prepare_folder(
    folder: &Path,
    inputs: &[InputFile],
    (scene, options): (&str, &str),
    resume: bool,
) -> Result<FolderLock> {
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    let facts = inputs.iter().map(|input| InputFacts::of_file(&input.path, input.name.clone()));
    let text = manifest(scene, options, &facts.collect::<Result<Vec<_>>>()?)?;
    let file = folder.join(MANIFEST);
    match fs::read_to_string(&file) {
        Ok(earlier) if resume => {
            let format: Value = serde_json::from_str(options).unwrap_or_default();
            let extension = format["format"].as_str().unwrap_or_default();
            resume_folder(folder, &file, (inputs, extension), (&earlier, &text))
        }
        Ok(_) => Err(in_use(folder, "the folder holds results of an earlier run: resume it, or give another folder")),
        Err(_) if has_files(folder)? => {
            Err(in_use(folder, "the folder holds other files: give another folder, or an empty one"))
        }
        Err(_) => {
            if resume {
                // The earlier run was killed before it had a manifest.
                remove_temporaries(folder)?;
            }
            write_file(&file, text.as_bytes())?;
            FolderLock::new(&file)
        }
    }
}

/// Prepares a folder of results to go on with: see [`prepare_folder`].
fn resume_folder(
    folder: &Path,
    file: &Path,
    (inputs, extension): (&[InputFile], &str),
    (earlier, text): (&str, &str),
) -> Result<FolderLock> {
    let mut lock = FolderLock::new(file)?;
    let named = |name: &str| inputs.iter().find(|input| input.name == name);
    // The results are looked for where an input has changed, which is seldom.
    let results = LazyCell::new(|| stems_of(names_in(folder, "").iter(), extension));
    let has_results = |name: &str| named(name).is_none_or(|input| results.contains(&input.stem));
    let mended = compare_manifests(earlier, text, has_results).map_err(|error| error.renamed(file))?;
    remove_temporaries(folder)?;
    if mended.is_empty() {
        return Ok(lock);
    }
    // An attempt that was killed may have left bad rows of the earlier state.
    let below = folder.join(BAD_ROWS);
    for name in names_in(&below, "") {
        let stems = stems_of(std::iter::once(&name), &format!("{extension}.csv"));
        if mended.iter().filter_map(|name| named(name)).any(|input| stems.contains(&input.stem)) {
            let path = below.join(&name);
            fs::remove_file(&path).map_err(|error| Error::io(&path, error))?;
        }
    }
    write_file(file, text.as_bytes())?;
    lock.add(FolderLock::new(file)?);
    Ok(lock)
}

/// The names of all files in a folder, with those of its folders in front.
fn names_in(folder: &Path, before: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => names.extend(names_in(&entry.path(), &format!("{name}/"))),
            false => names.push(name),
        }
    }
    names
}

/// The stems of the inputs that have these results: `a` for `a.parquet`, `a` and `a-00001` for `a-00001.parquet`.
fn stems_of<'a>(names: impl Iterator<Item = &'a String>, extension: &str) -> HashSet<String> {
    let mut stems = HashSet::new();
    for name in names {
        let Some(stem) = name.strip_suffix(extension).and_then(|name| name.strip_suffix('.')) else { continue };
        if let Some((whole, number)) = stem.rsplit_once('-')
            && number.len() >= 5
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            stems.insert(whole.to_owned());
        }
        stems.insert(stem.to_owned());
    }
    stems
}

/// The right to write to a folder of results: a lock on its manifest.
#[derive(Debug)]
pub struct FolderLock {
    /// The manifest, and the one that it has replaced.
    manifests: Vec<File>,
}

impl FolderLock {
    fn new(manifest: &Path) -> Result<Self> {
        let file = File::open(manifest).map_err(|error| Error::io(manifest, error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let folder = manifest.parent().unwrap_or(Path::new(""));
                Err(in_use(folder, "another process writes to this folder: wait until it has ended"))
            }
            // A file system without locks is no reason to stop.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { manifests: vec![file] }),
        }
    }

    /// Holds another lock, too: who opened the manifest before it was replaced waits for the old one.
    fn add(&mut self, other: Self) {
        self.manifests.extend(other.manifests);
    }
}

fn in_use(folder: &Path, text: &str) -> Error {
    Fault::from(io::Error::from(io::ErrorKind::AlreadyExists)).with_text(text).in_file(folder)
}

/// Whether a folder holds a file that is not hidden.
fn has_files(folder: &Path) -> Result<bool> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
    Ok(entries.flatten().any(|entry| !entry.file_name().to_string_lossy().starts_with('.')))
}

/// Removes the temporary files of a run that was killed.
fn remove_temporaries(folder: &Path) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            remove_temporaries(&path)?;
        } else if is_temporary(&entry.file_name().to_string_lossy()) {
            fs::remove_file(&path).map_err(|error| Error::io(&path, error))?;
        }
    }
    Ok(())
}

/// Which rows of a table to cast.
#[derive(Clone, Debug)]
pub enum Rows {
    /// All, in chunks: the results of a table of one chunk are in one file, of others in numbered ones.
    All,
    /// One chunk of a Parquet file: its number and its rows.
    Chunk(u64, Range<u64>),
}

/// Casts one table into a folder. Files of results that are there already, or of which `existing` has the names, are not
/// computed again.
///
/// # Errors
///
/// When the table cannot be read, or a file cannot be written. Files that are complete stay.
pub fn cast_into_folder<V: TableVector>(
    caster: &RayCaster<'_, V>,
    (input, rows): (&InputFile, &Rows),
    folder: &Path,
    (options, existing): (&FolderOptions, &[&str]),
    progress: FolderProgress<'_>,
) -> Result<FolderReport> {
    cast_one(caster, (input, rows), folder, (options, existing), progress)
}

/// Casts tables into a folder that [`prepare_folder`] has prepared.
///
/// # Errors
///
/// When a table cannot be read, or a file cannot be written. Files that are complete stay.
pub fn cast_all_into_folder<V: TableVector>(
    caster: &RayCaster<'_, V>,
    inputs: &[InputFile],
    folder: &Path,
    options: &FolderOptions,
    progress: FolderProgress<'_>,
) -> Result<FolderReport> {
    cast_all(caster, inputs, folder, options, progress)
}

fn cast_all(
    caster: &dyn BlockCaster,
    inputs: &[InputFile],
    folder: &Path,
    options: &FolderOptions,
    progress: FolderProgress<'_>,
) -> Result<FolderReport> {
    let size = |input: &InputFile| fs::metadata(&input.path).map_or(0, |metadata| metadata.len());
    let total: u64 = inputs.iter().map(size).sum();
    let state = Mutex::new(Shared { progress, rows: 0, bytes: 0 });
    let mut reports: Vec<Option<FolderReport>> = inputs.iter().map(|_| None).collect();
    let run = |number: usize, threads: usize| {
        let (input, bytes) = (&inputs[number], size(&inputs[number]));
        let options =
            FolderOptions { write: CastOutputOptions { threads, ..options.write.clone() }, ..options.clone() };
        let mut before = 0;
        let mut of_input = |rows: u64, share: Option<f64>| {
            let mut shared = state.lock().unwrap_or_else(PoisonError::into_inner);
            shared.rows += rows - before;
            before = rows;
            let done = shared.bytes as f64 + share.unwrap_or(0.0) * bytes as f64;
            let rows = shared.rows;
            (shared.progress)(rows, (total > 0).then(|| (done / total as f64).min(1.0)))
        };
        let report = cast_one(caster, (input, &Rows::All), folder, (&options, &[]), &mut of_input)?;
        state.lock().unwrap_or_else(PoisonError::into_inner).bytes += bytes;
        Ok::<_, Error>((number, report))
    };
    let threads = options.write.threads;
    let (large, small): (Vec<usize>, Vec<usize>) =
        (0..inputs.len()).partition(|number| threads == 1 || size(&inputs[*number]) >= LARGE_INPUT_BYTES);
    for number in large {
        reports[number] = Some(run(number, threads)?.1);
    }
    let mut waiting = small.into_iter();
    in_order(
        threads,
        || Ok(waiting.next()),
        |number| run(number, 1),
        |(number, report)| {
            reports[number] = Some(report);
            Ok(())
        },
    )?;
    let mut all = FolderReport::default();
    for report in reports.into_iter().flatten() {
        all.append(report);
    }
    Ok(all)
}

struct Shared<'a> {
    progress: FolderProgress<'a>,
    rows: u64,
    /// The bytes of the inputs that are finished.
    bytes: u64,
}

impl FolderReport {
    /// Adds the report of a later input.
    pub fn append(&mut self, later: Self) {
        self.written.extend(later.written);
        self.skipped.extend(later.skipped);
        self.statistics.append(&later.statistics);
    }
}

fn cast_one(
    caster: &dyn BlockCaster,
    (input, rows): (&InputFile, &Rows),
    folder: &Path,
    (options, existing): (&FolderOptions, &[&str]),
    progress: FolderProgress<'_>,
) -> Result<FolderReport> {
    let is_there = |name: &str| existing.contains(&name) || folder.join(name).exists();
    let FolderOptions { read, write, extension, rows_per_file } = options;
    let whole = format!("{}.{extension}", input.stem);
    let part = |number: u64| format!("{}-{number:05}.{extension}", input.stem);
    let mut report = FolderReport::default();
    if let Rows::All = rows
        && is_there(&whole)
    {
        report.skipped.push(whole);
        return Ok(report);
    }
    let range = match rows {
        Rows::All => None,
        Rows::Chunk(_, range) => Some(range.clone()),
    };
    let read = RayTableOptions { rows: range, ..read.clone() };
    let table = RayTable::open(&input.path, caster.dimension(), &read)?;
    let mut cast = TableCast::of(caster, table, write.clone())?;
    let (mut number, most) = match rows {
        Rows::All => (0, Some(*rows_per_file)),
        Rows::Chunk(number, _) => (*number, None),
    };
    loop {
        let name = part(number);
        if is_there(&name) {
            report.skipped.push(name);
            match most {
                Some(most) if cast.skip(most)? == most && cast.has_more()? => number += 1,
                _ => return Ok(report),
            }
            continue;
        }
        let target = folder.join(&name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| Error::io(parent, error))?;
        }
        let before = report.statistics.rows_in;
        let mut sink = FolderSink {
            file: cast.opener().begin(Some(&target))?,
            input,
            bad: BadRowTable::default(),
            progress,
            before,
        };
        let statistics = cast.run(most, &mut sink)?;
        let FolderSink { mut file, bad, .. } = sink;
        let has_more = most.is_some() && cast.has_more()?;
        let is_whole = number == 0 && !has_more && matches!(rows, Rows::All);
        let name = if is_whole { &whole } else { &name };
        if is_whole {
            file.rename(name);
        }
        if bad.count() > 0 {
            let path = bad_rows_path(folder, name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(|error| Error::io(parent, error))?;
            }
            bad.write(Some(&path))?;
        }
        let rounding = file.rounding();
        file.finish()?;
        report.statistics.append(&statistics);
        report.written.push(WrittenFile { name: name.clone(), input: input.path.clone(), statistics, rounding });
        if !has_more {
            return Ok(report);
        }
        number += 1;
    }
}

/// A file of a folder.
struct FolderSink<'a, 'b> {
    file: ResultFile,
    input: &'a InputFile,
    bad: BadRowTable,
    progress: &'a mut (dyn FnMut(u64, Option<f64>) -> Result<()> + Send + 'b),
    /// The rows of the input in earlier files.
    before: u64,
}

impl CastSink for FolderSink<'_, '_> {
    fn write(&mut self, rows: ResultRows) -> Result<()> {
        self.file.write(rows)
    }

    fn bad_rows(&mut self, rows: &[BadRow]) -> Result<()> {
        self.bad.add(Path::new(&self.input.name), rows);
        Ok(())
    }

    fn progress(&mut self, rows: u64, share: Option<f64>) -> Result<()> {
        (self.progress)(self.before + rows, share)
    }
}

/// The number of rows of a Parquet file by its footer; `None` for other formats.
///
/// # Errors
///
/// When the file cannot be read.
pub fn table_rows(path: &Path) -> Result<Option<u64>> {
    match crate::table::Format::from_path(path)? {
        crate::table::Format::Parquet => {
            crate::table::rows_of_footer(path).map(Some).map_err(|fault| fault.in_file(path))
        }
        _ => Ok(None),
    }
}

/// The path of the bad rows of a file of results.
#[must_use]
pub fn bad_rows_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(BAD_ROWS).join(format!("{name}.csv"))
}
