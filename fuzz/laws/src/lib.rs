//! Laws of the fuzz targets: they hold for any bytes. Each target is a function that takes bytes and panics if a law is
//! broken; `fuzz_targets/` passes it to libFuzzer, `tests/` replays seeds and kept cases.

mod cast_input;
mod distances;
mod edits;
mod files;
mod instances;
mod law;
mod mesh;
mod numbers;
#[cfg(feature = "oracle")]
mod oracle;
mod overlaps;
mod placement;
mod query;
mod recipe;
mod saved;
mod scene;
mod sweeps;

pub use distances::distances;
pub use edits::edits;
pub use files::{
    let_panics_be_caught, mesh_gltf, mesh_obj, mesh_off, mesh_ply, mesh_stl, modest, rays_csv, rays_jsonl,
    rays_parquet_arrow, scene_toml,
};
pub use instances::instances;
pub use mesh::mesh;
pub use overlaps::overlaps;
pub use query::{query2, query3_f32, query3_f64};
pub use saved::{saved, saved_scene};
pub use scene::scene;
pub use sweeps::sweeps;

/// Target.
pub type Target = fn(&[u8]);

/// Targets by name.
pub const TARGETS: [(&str, Target); 21] = [
    ("query3_f32", query3_f32),
    ("query3_f64", query3_f64),
    ("query2", query2),
    ("mesh", mesh),
    ("saved", saved),
    ("saved_scene", saved_scene),
    ("scene", scene),
    ("instances", instances),
    ("edits", edits),
    ("sweeps", sweeps),
    ("distances", distances),
    ("overlaps", overlaps),
    ("scene_toml", scene_toml),
    ("mesh_obj", mesh_obj),
    ("mesh_stl", mesh_stl),
    ("mesh_ply", mesh_ply),
    ("mesh_off", mesh_off),
    ("mesh_gltf", mesh_gltf),
    ("rays_csv", rays_csv),
    ("rays_jsonl", rays_jsonl),
    ("rays_parquet_arrow", rays_parquet_arrow),
];
