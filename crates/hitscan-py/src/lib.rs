//! The module `hitscan._core`: the library for Python. The package in `python/hitscan` checks arguments and has the documentation.

use pyo3::prelude::*;

/// The module of the Python package.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
