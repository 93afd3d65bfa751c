//! The tests of files and tables, in one program: what they use is compiled and linked once. `cargo test -p hitscan-io --test all
//! MODULE::` runs those of one file. Tests that measure memory are programs of their own.

#[path = "../support/case.rs"]
mod case;
mod cases;
mod cookbook;
#[path = "../support/decimal.rs"]
mod decimal;
mod groups;
mod hits;
mod instances;
mod mesh_files;
mod meshes;
mod objects;
mod overlaps;
mod points;
mod rays;
mod scene;
mod scene_errors;
mod scene_reference;
mod solids;
mod streams;
#[path = "../support/mod.rs"]
mod support;
