//! The tests of the library that use its interface only, in one program: the kernels are compiled once for all of them.
//! `cargo test -p hitscan --test all MODULE::` runs those of one file.

mod batches;
mod bounds;
mod closest_point;
mod closest_point_mesh;
mod closest_point_scene;
mod columns;
mod conformance;
mod constructors;
mod containment;
mod damaged_scenes;
mod edits;
mod extremes;
mod filters;
mod instances;
mod invariance;
mod leaving;
mod mesh;
mod mesh_scenes;
mod nearest_points;
mod ranged;
mod refit;
mod saved;
mod saved_scenes;
mod scene;
mod sight;
mod sphere_cast;
mod sphere_cast_scene;
mod support;
mod textbook;
mod totality;
mod user_shapes;
mod winding;
