//! Errors of the library as Python's exceptions.

use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use std::fmt::Display;

/// A `ValueError`.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A `TypeError`.
pub(crate) fn type_error(error: impl Display) -> PyErr {
    PyTypeError::new_err(error.to_string())
}

/// A `RuntimeError`.
pub(crate) fn runtime_error(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
