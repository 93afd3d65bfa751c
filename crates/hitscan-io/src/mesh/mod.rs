//! Triangle meshes: OBJ, STL, PLY, OFF and glTF; and meshes that were saved with their BVHs.
//!
//! The parsers are our own, for reasons found by reading the crates:
//! - `tobj` 4 cuts a file into one model per group and material and renumbers the vertices of each, which severs the
//!   edges shared across groups; its errors name no face; faces of 1 and 2 corners become degenerate triangles.
//! - `stl_io` 0.11 takes any file that begins with `solid ` for text, keeps -0 and +0 apart when it welds, and rounds
//!   text to `f32`.
//! - `ply-rs-bw` 4 loops and allocates for each of 4 billion announced elements that have no properties (and so no
//!   bytes), matches property names per value, and its errors span several lines.
//!
//! All parse a slice of bytes: no parser allocates memory for more things than the rest of the file can hold.

mod data;
mod faces;
mod file;
mod gltf;
mod obj;
mod off;
mod parsed;
mod ply;
mod polygon;
mod signature;
mod stl;
mod tally;
mod text_encoding;
mod weld;
mod write;

pub use data::MeshData;
pub(crate) use file::{EXTENSIONS, KNOWN_EXTENSIONS, MeshScene};
pub use file::{MeshFile, mesh_parts, parse_mesh, read_mesh};
pub(crate) use gltf::GltfNode;
pub(crate) use signature::refuse_foreign;
pub use weld::{ClosingWeld, WeldError, WeldReport};
pub use write::{obj_bytes, ply_bytes, write_obj, write_ply};
