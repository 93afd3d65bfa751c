#![cfg_attr(docsrs, feature(doc_cfg))]
//! Files for hitscan: meshes, scenes, tables of rays, tables of hits.
//!
//! | file | read | write |
//! |---|---|---|
//! | OBJ, STL, PLY, OFF, glTF | [`read_mesh`], [`MeshFile`] | [`write_obj`], [`write_ply`] |
//! | meshes with their BVHs (`.hitmesh`) | [`read_mesh`], [`SceneFile`] | [`hitscan::TriangleMesh::to_bytes`] |
//! | scenes: TOML, or a mesh | [`SceneFile`] | [`write_scene`] |
//! | scenes with their BVHs (`.hitscene`) | [`SceneFile`] | [`hitscan::Scene::to_bytes`] |
//! | rays: CSV, JSON lines, Parquet, Arrow IPC | [`RayReader`], [`RayTable`] | |
//! | hits: CSV, JSON lines, Parquet, Arrow IPC | | [`HitWriter`], [`TableCast`] |
//! | hit points: PLY, LAS | | [`TableCast`] |
//! | points: CSV, JSON lines, Parquet, Arrow IPC | [`PointReader`] | |
//! | distances and containment of points: CSV, JSON lines, Parquet, Arrow IPC | | [`PointWriter`] |
//! | spheres and boxes: CSV, JSON lines, Parquet, Arrow IPC | [`SphereReader`], [`BoxReader`] | |
//! | what they overlap: CSV, JSON lines, Parquet, Arrow IPC | | [`OverlapWriter`] |
//!
//! [`ExplainReport`] explains in words why a ray or a moving sphere hits or misses the shapes of a scene, how far they are from a
//! point, and which of them a volume overlaps.
//!
//! A mesh from its file to a hit:
//!
//! ```no_run
//! use hitscan::{glam::Vec3, Ray, RayCast};
//! let mesh = hitscan_io::read_mesh("bunny.ply".as_ref())?.to_mesh::<Vec3>()?;
//! let hit = mesh.cast_ray(&Ray::new(Vec3::new(0.0, 0.1, 1.0), -Vec3::Z), ..);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Three promises, each kept by a test in `tests/`:
//!
//! - every [`Error`] is one line that names the file and the place in it (`rays.csv: row 3 (line 5), column 'dx': …`), and its
//!   [`source`](std::error::Error::source) is the error that caused it, if one did;
//! - tables are streamed: memory does not grow with the number of rows (`tests/bounded_memory.rs`);
//! - damaged or hostile files give an error, never a panic, a hang or a huge allocation (`tests/hostile.rs`).
//!
//! # Features
//!
//! `tables` (default): the tables of rays, points, volumes and results. Without it the crate is small enough for a web page.

#[cfg(feature = "tables")]
mod cast;
mod dimension;
mod error;
mod explain;
pub mod fmt;
mod mesh;
mod output;
mod rule_words;
mod scene;
#[cfg(feature = "tables")]
mod table;

#[cfg(feature = "tables")]
pub use cast::{
    BLOCK_ROWS, BadRowTable, CHUNK_ROWS, CastOutputOptions, CastQuery, CastSink, CastStatistics, FolderLock,
    FolderOptions, FolderProgress, FolderReport, InputFacts, InputFile, MANIFEST, MAX_THREADS, Noted, RayCaster,
    RayTable, RayTableOptions, ResultFile, ResultOpener, ResultRows, Rows, SphereCast, T_OF_LINE, T_OF_SEGMENT,
    TableCast, TableVector, WrittenFile, bad_rows_path, cast_all_into_folder, cast_into_folder, compare_manifests,
    content_hash, folder_options_text, holds_nothing, input_digest, input_files, is_several_files, las_options_text,
    manifest, options_text, prepare_folder, table_metadata, table_rows,
};
pub use dimension::{Dimension, Precision};
pub use error::{Error, Place, Result};
pub use explain::{Detail, ExplainReport, RayOrSegment, ShapeReport, SphereOrBox};
pub use mesh::{
    ClosingWeld, MeshData, MeshFile, WeldError, WeldReport, mesh_parts, obj_bytes, parse_mesh, ply_bytes, read_mesh,
    write_obj, write_ply,
};
pub use output::{remove_unfinished_files, write_file};
pub use scene::{
    LayerNames, LeafName, SceneFile, SceneNames, SceneVector, mesh_files_named_in, named_expression, object_positions,
    scene_reference, shape_from_table, shape_parameters, write_scene, write_scene_with_names,
};
#[cfg(feature = "tables")]
pub use table::{
    BadRow, BoxBatch, BoxReader, Carried, ClosestRow, Compression, DEFAULT_BATCH_ROWS, DistanceRow, Endpoint, Format,
    HitBatch, HitLayout, HitRow, HitSchema, HitWriter, Hits, LasRounding, OnError, OverlapLayout, OverlapResults,
    OverlapRow, OverlapSchema, OverlapWriter, PointBatch, PointLayout, PointReader, PointResults, PointSchema,
    PointWriter, RayBatch, RayReader, ReadOptions, SpanEnd, SphereBatch, SphereReader, TableBatch, TableReader,
    TableResults, TableWriter, TextOptions, hide_panics_of_decoders, is_stream, point_columns,
};
