//! Surfaces of many triangles.

mod batch;
mod block;
mod crossing;
mod cut;
mod error;
mod pace;
mod search;
mod topology;
mod triangle_mesh;

pub use error::MeshError;
pub use topology::Topology;
pub use triangle_mesh::TriangleMesh;
