//! Scenes and meshes from files.

use crate::error::value_error;
use crate::scene::Scene;
use crate::typed::IntoTyped;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan_io::{Dimension, Precision, SceneFile};
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyOSError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;

/// An error of the system as that of Python, and others as `ValueError`.
pub(crate) fn file_error(error: &hitscan_io::Error) -> PyErr {
    match error.io_kind() {
        Some(ErrorKind::AlreadyExists) => PyFileExistsError::new_err(error.to_string()),
        Some(ErrorKind::NotFound) => PyFileNotFoundError::new_err(error.to_string()),
        Some(_) => PyOSError::new_err(error.to_string()),
        None => value_error(error),
    }
}

/// A scene from a file: its numbers are `float64` if the argument says so, or if the file needs it. Returns the names of the
/// layers and notes about the file, too.
#[pyfunction]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    is_double: Option<bool>,
    as_mesh: bool,
) -> PyResult<(Scene, BTreeMap<String, u32>, Vec<String>)> {
    py.detach(|| {
        let file = if as_mesh { SceneFile::open_baked(&path) } else { SceneFile::open(&path) };
        let file = file.map_err(|error| file_error(&error))?;
        let double = is_double.unwrap_or(file.precision() == Precision::F64);
        let scene = match (file.dimension(), double) {
            (Dimension::Two, false) => file.build::<Vec2>().map(IntoTyped::into_typed),
            (Dimension::Two, true) => file.build::<DVec2>().map(IntoTyped::into_typed),
            (Dimension::Three, false) => file.build::<Vec3>().map(IntoTyped::into_typed),
            (Dimension::Three, true) => file.build::<DVec3>().map(IntoTyped::into_typed),
        };
        let scene = scene.map_err(|error| file_error(&error))?;
        let names = file.layer_names();
        let layers = (0..32).filter_map(|layer| names.name(layer).map(|name| (name.to_owned(), layer))).collect();
        Ok((Scene::new(scene), layers, file.notes()))
    })
}
