//! Scenes: collections of objects in trees, and their edits.

pub(crate) mod any;
pub(crate) mod batch;
pub(crate) mod builder;
pub(crate) mod chunked_vec;
pub(crate) mod closest_object;
pub(crate) mod closest_surface;
pub(crate) mod edit;
pub(crate) mod error;
pub(crate) mod filtered_scene;
pub(crate) mod group;
pub(crate) mod instance;
pub(crate) mod mesh_batch;
pub(crate) mod names;
pub(crate) mod object;
pub(crate) mod object_tree;
pub(crate) mod overlapping_objects;
pub(crate) mod saved;
pub(crate) mod saved_error;
pub(crate) mod saved_scene;
pub(crate) mod saved_shape;
pub(crate) mod saved_shapes;
pub(crate) mod saved_tree;
pub(crate) mod scene;
pub(crate) mod scene_queries;
pub(crate) mod tree_level;
pub(crate) mod user_shape;
