//! Scene files: TOML for people, or a mesh by itself.
//!
//! ```toml
//! dimension = 3                        # or 2; 3 may be left out
//!
//! [[shape]]
//! type = "sphere"
//! name = "ball"                        # optional; no two shapes have the same
//! center = [0, 0, 5]
//! radius = 1.5
//! layer = 3                            # 0 to 31, or layers = [0, 3]; layer 0 when left out
//!
//! [[shape]]
//! type = "box"
//! center = [0, 0, 0]
//! half_extents = [1, 2, 3]
//! # Scaled, then rotated, then moved; each may be left out.
//! transform = { scale = 2, rotation = { axis = [0, 0, 1], degrees = 30 }, translation = [1, 0, 0] }
//!
//! [[shape]]
//! type = "mesh"
//! file = "rock.obj"                    # or .stl, .ply, .hitmesh; relative to the folder of this file
//! transform = { scale = [1, 1, -2] }   # only a mesh can be scaled unevenly, or mirrored: normals stay outward
//! ```
//!
//! | in space | |
//! |---|---|
//! | `box` | `center` `half_extents`, optional `axes` |
//! | `capsule`, `cylinder` | `a` `b` `radius` |
//! | `cone` | `base` `apex` `radius` |
//! | `disk` | `center` `normal` `radius` |
//! | `ellipsoid` | `center` `radii`, optional `axes` |
//! | `frustum` | `a` `b` `radius_a` `radius_b` |
//! | `half_space`, `plane` | `point` `normal` |
//! | `mesh` | `file` |
//! | `sphere` | `center` `radius` |
//! | `triangle` | `a` `b` `c` |
//!
//! | in the plane | |
//! |---|---|
//! | `capsule` | `a` `b` `radius` |
//! | `circle` | `center` `radius` |
//! | `ellipse` | `center` `radii`, optional `axes` |
//! | `half_plane`, `line` | `point` `normal` |
//! | `polygon` | `vertices` (convex) |
//! | `rectangle` | `center` `half_extents`, optional `axes` |
//! | `segment` | `a` `b` |
//! | `triangle` | `a` `b` `c` |
//!
//! A key that is not known is an error: a slip of the pen is not silently lost.

mod emit;
mod fields;
mod file;
mod node;
mod schema;
mod shapes;
mod transform;
mod values;
mod vector;
mod write;

pub use file::{SceneFile, shape_from_table};
pub use vector::SceneVector;
pub use write::{shape_parameters, write_scene};
