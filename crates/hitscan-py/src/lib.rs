//! The module `hitscan._core`: the library for Python. The package in `python/hitscan` checks arguments and has the documentation.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments of Python by value")]

mod arrow;
mod capsule;
mod error;
mod files;
mod first_error;
mod geometry;
mod queries;
mod rays;
mod results;
mod row_work;
mod run;
mod scene;
mod shards;
mod solid;
mod spawn;
mod tables;
mod target;
mod typed;
mod user_shape;
mod volume;

use pyo3::prelude::*;

/// Keeps the memory of a block for the next one. Dask sets `MALLOC_TRIM_THRESHOLD_` in its workers; then the C library gives
/// each buffer of a table back to the system, and a cast of tables takes 1.4 to 1.5 times the processor time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The module of the Python package.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::arrow::{array, record_batch, table};
    #[pymodule_export]
    use crate::files::load;
    #[pymodule_export]
    use crate::geometry::Geometry;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::shards::{Shard, Sharded, contested, merge_all, merge_closest};
    #[pymodule_export]
    use crate::solid::{combined, complement, expression, leaf_count, leaves, near_surfaces, solid_of};
    #[pymodule_export]
    use crate::spawn::spawn_origins;
    #[pymodule_export]
    use crate::tables::{TableCast, compare_manifests, input_digest, manifest, scene_hash, table_rows};
    #[pymodule_export]
    use crate::target::Target;
    #[pymodule_export]
    use crate::volume::{ViewFrustum, Volume};

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        // A damaged file is an exception, without a report of the decoder beside it.
        hitscan_io::hide_panics_of_decoders();
        Ok(())
    }
}
