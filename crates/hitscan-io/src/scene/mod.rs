//! Scene files: TOML, a mesh file as a scene of one shape, or a saved scene.
//!
//! ```toml
//! dimension = 3                        # or 2; 3 may be left out
//! layers = { ground = 0, trees = 3 }   # names of layers, for `layer`, `layers` and `--layers`
//!
//! [[shape]]
//! type = "sphere"
//! name = "ball"                        # optional; no two shapes have the same name
//! center = [0, 0, 5]
//! radius = 1.5
//! layer = "trees"                      # or 3, or layers = ["trees", 4]; layer 0 when left out
//!
//! [[shape]]
//! type = "box"
//! trigger = true                       # rays pass through it; also faces and inside: rules of its own
//! center = [0, 0, 0]
//! half_extents = [1, 2, 3]
//! # Scaled, then rotated, then moved; each may be left out.
//! transform = { scale = 2, rotation = { axis = [0, 0, 1], degrees = 30 }, translation = [1, 0, 0] }
//!
//! [[shape]]
//! type = "mesh"
//! file = "rock.obj"                    # relative to the folder of this file
//! transform = { scale = [1, 1, -2] }   # normals stay outward
//!
//! [[geometry]]                         # a shape that objects place; the scene holds it once
//! name = "tree"
//! type = "mesh"
//! file = "tree.obj"
//!
//! [[object]]
//! geometry = "tree"
//! name = "oak"
//! transform = { translation = [3, 0, 0] }
//!
//! [[object]]
//! geometry = "tree"
//! transform = { matrix = [[1, 0.5, 0, -3], [0, 2, 0, 0], [0, 0, 1, 0]] }
//! ```
//!
//! A geometry of `type = "group"` holds shapes and objects of its own, `[[geometry.shape]]` and `[[geometry.object]]`. So does
//! one of `type = "solid"`, with an `expression` of their names: `plate - (bore_a | bore_b)`.
//!
//! An object is the exact image of its geometry. So is a `[[shape]]` with a matrix or an uneven or negative scale, unless it
//! is a mesh, whose vertices take up the scale.
//!
//! [`scene_reference`] lists every type of shape with its keys. An unknown key is an error, so that a typing error is not
//! silently ignored.

mod document;
mod emit;
mod entry;
mod expression;
mod fields;
mod file;
mod gltf;
mod groups;
mod layer_names;
mod node;
mod positions;
mod reference;
mod saved;
mod schema;
mod shapes;
mod solids;
mod transform;
mod values;
mod vector;
mod write;

pub use expression::named_expression;
pub use file::{SceneFile, shape_from_table};
pub use layer_names::LayerNames;
pub use positions::object_positions;
pub use reference::scene_reference;
pub use solids::LeafName;
pub use vector::SceneVector;
pub use write::{SceneNames, mesh_files_named_in, shape_parameters, write_scene, write_scene_with_names};
