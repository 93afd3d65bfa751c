//! Surfaces of many triangles.

mod batch;
mod block;
mod build;
mod crossing;
mod error;
mod one;
mod saved;
mod search;
mod told;
mod topology;
mod triangle_mesh;
mod weigh;

pub use error::{LoadError, MeshError};
pub use topology::Topology;
pub use triangle_mesh::TriangleMesh;
