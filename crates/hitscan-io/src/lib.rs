//! Files for hitscan: meshes, scenes, tables of rays, tables of hits.
//!
//! | file | read | write |
//! |---|---|---|
//! | OBJ, STL, PLY, glTF | [`read_mesh`] | [`write_obj`], [`write_ply`] |
//! | meshes with their trees (`.hitmesh`) | [`read_mesh`], [`SceneFile`] | [`hitscan::TriangleMesh::to_bytes`] |
//! | scenes: TOML, or a mesh | [`SceneFile`] | [`write_scene`] |
//! | rays: CSV, Parquet, Arrow IPC | [`RayReader`] | |
//! | hits: CSV, JSON lines, Parquet, Arrow IPC | | [`HitWriter`] |
//!
//! [`Story`] tells in words why a ray hits or misses what is in a scene.
//!
//! Three promises, each kept by a test in `tests/`:
//!
//! - every [`Error`] is one line that names the file and the place in it (`rays.csv: row 3 (line 5), column 'dx': …`);
//! - tables are streamed: memory does not grow with the number of rows (`tests/bounded_memory.rs`);
//! - damaged or hostile files give an error, never a panic, a hang or a huge allocation (`tests/hostile.rs`).
//!
//! # Features
//!
//! `tables` (default): the tables of rays and of hits. Without it the crate is small enough for a web page.

mod error;
mod mesh;
mod numbers;
mod output;
mod scene;
mod story;
#[cfg(feature = "tables")]
mod table;
pub mod words;

pub use error::{Error, Place, Result};
pub use mesh::{
    ClosingWeld, MeshData, MeshFile, WeldError, WeldReport, mesh_parts, parse_mesh, read_mesh, write_obj, write_ply,
};
pub use numbers::{Dimension, Precision};
pub use output::write_file;
pub use scene::{SceneFile, SceneVector, shape_from_table, shape_parameters, write_scene};
pub use story::{ShapeStory, Shot, Story, Tell};
#[cfg(feature = "tables")]
pub use table::{
    DEFAULT_BATCH_ROWS, End, Format, HitBatch, HitLayout, HitRow, HitSchema, HitWriter, Hits, RayBatch, RayReader,
    ReadOptions, Second,
};
