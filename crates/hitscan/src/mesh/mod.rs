//! Surfaces of many triangles.

mod block;
mod crossing;
mod search;
mod topology;
mod triangle_mesh;

pub use topology::Topology;
pub use triangle_mesh::{MeshError, TriangleMesh};
