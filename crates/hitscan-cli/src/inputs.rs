//! The refusal to write a file that is also read.

use crate::error::{Error, Result};
use crate::outputs::file_of;
use hitscan_io::SceneFile;
use same_file::Handle;
use std::path::{Path, PathBuf};

/// The scene file and the files of its meshes.
pub(crate) fn files_of(scene: &SceneFile) -> Vec<PathBuf> {
    let folder = scene.path().parent().unwrap_or(Path::new(""));
    let is_beside = |file: &&str| Path::new(file) != scene.path();
    let meshes = scene.mesh_files().into_iter().filter(is_beside).map(|file| folder.join(file));
    [scene.path().to_owned()].into_iter().chain(meshes).collect()
}

/// Refuses an output that is one of the inputs, by whatever name: another spelling, a symbolic link or a hard link. The
/// input `-` is standard input.
pub(crate) fn refuse_input_as_output(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    // A file that does not exist yet is no input. A device may be both, and so may standard output.
    if file_of(output).is_none() || !std::fs::metadata(output).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let Ok(target) = Handle::from_path(output) else { return Ok(()) };
    for input in inputs {
        let is_stdin = input.as_os_str() == "-";
        // A pipe is no regular file, and opening it would take its content.
        if !is_stdin && !std::fs::metadata(input).is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        let handle = if is_stdin { Handle::stdin() } else { Handle::from_path(input) };
        if handle.is_ok_and(|handle| handle == target) {
            let (output, input) = (output.display(), input.display());
            let same = if is_stdin { "standard input".to_owned() } else { format!("the input {input}") };
            return Err(Error::input(format!("{output}: the output is {same}: choose another name for it")));
        }
    }
    Ok(())
}
