//! Tables of rays in files, globs and folders, with the names of their results.

use crate::error::{Error, Fault, Result};
use crate::table::Format;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A table of rays, and the name of its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The file.
    pub path: PathBuf,
    /// Its path relative to the folder that was given, or to that of a glob: `year=2024/a.csv`.
    pub name: String,
    /// The name without the extensions that tell the format: results get it, with theirs.
    pub stem: String,
}

/// Whether an argument may be more than one file: a folder, or a name with `*`, `?` or `[` that is no file.
#[must_use]
pub fn is_several_files(path: &Path) -> bool {
    path.is_dir() || has_wildcard(&path.to_string_lossy()) && !path.exists()
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The tables that files, globs and folders stand for, in the order of the arguments, then of their names.
///
/// A folder stands for all tables in it and in its folders, however deep: those with the extension of a format. Names that
/// begin with `_` or `.` are left out, also those of folders, as other readers of such folders do.
///
/// # Errors
///
/// When an argument stands for no file, or the results of two tables would have one name.
pub fn input_files(arguments: &[PathBuf]) -> Result<Vec<InputFile>> {
    let mut files = Vec::new();
    for argument in arguments {
        let text = argument.to_string_lossy();
        if argument.is_dir() {
            let before = files.len();
            in_folder(argument, argument, &mut files)?;
            if files.len() == before {
                let text = "no tables in this folder (files with the extension of a table format)";
                return Err(Fault::file(text).in_file(argument));
            }
        } else if has_wildcard(&text) && !argument.exists() {
            let base: PathBuf =
                argument.components().take_while(|part| !has_wildcard(&part.as_os_str().to_string_lossy())).collect();
            let found = glob::glob(&text).map_err(|error| {
                Fault::caused(error)
                    .with_text("this is no pattern of names (*, **, ? and [abc] are wildcards)")
                    .in_file(argument)
            })?;
            let before = files.len();
            for path in found {
                let path = path.map_err(|error| Error::io(error.path(), std::io::Error::other(error.to_string())))?;
                if path.is_file() && !is_hidden(path.strip_prefix(&base).unwrap_or(&path)) {
                    files.push(named(&path, &base)?);
                }
            }
            if files.len() == before {
                return Err(Fault::file("no file has a name like this").in_file(argument));
            }
        } else if text == "-" {
            files.push(InputFile { path: argument.clone(), name: "-".to_owned(), stem: "-".to_owned() });
        } else {
            files.push(named(argument, argument.parent().unwrap_or(Path::new("")))?);
        }
    }
    let mut stems: BTreeMap<&str, &Path> = BTreeMap::new();
    for file in &files {
        if let Some(other) = stems.insert(&file.stem, &file.path) {
            let text = format!(
                "its results would have the name of those of {} ({}): cast them one after the other, into two folders",
                other.display(),
                file.stem
            );
            return Err(Fault::file(text).in_file(&file.path));
        }
    }
    for file in &files {
        // The results of a large table are in numbered files.
        let is_number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some((stem, number)) = file.stem.rsplit_once('-')
            && is_number(number)
            && let Some(other) = stems.get(stem)
        {
            let text = format!(
                "its results could have the name of a part of those of {} ({}): cast them into two folders",
                other.display(),
                file.stem
            );
            return Err(Fault::file(text).in_file(&file.path));
        }
    }
    Ok(files)
}

fn in_folder(folder: &Path, base: &Path, files: &mut Vec<InputFile>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|error| Error::io(folder, error))?.path());
    }
    paths.sort();
    for path in paths {
        if path.file_name().is_some_and(|name| is_hidden(Path::new(name))) {
            continue;
        }
        if path.is_dir() {
            in_folder(&path, base, files)?;
        } else if Format::from_path(&path).is_ok_and(|format| !format.is_points()) {
            files.push(named(&path, base)?);
        }
    }
    Ok(())
}

/// Whether a part of a path begins with `_` or `.`.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.to_string_lossy().starts_with(['_', '.']),
        _ => false,
    })
}

fn named(path: &Path, base: &Path) -> Result<InputFile> {
    let (_, compression) = Format::and_compression(path)?;
    let relative = path.strip_prefix(base).unwrap_or(path);
    // Separators are slashes on every system.
    let name = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    let inner = name.strip_suffix(compression.extension()).unwrap_or(&name);
    let inner = if compression.extension().is_empty() { &name } else { inner };
    let stem = inner.rsplit_once('.').map_or(inner, |(stem, _)| stem).to_owned();
    Ok(InputFile { path: path.to_owned(), name, stem })
}
