//! What is no mesh.

use core::fmt;

/// Why a mesh was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// There are no triangles.
    NoTriangles,
    /// More vertices or triangles than 32 bits can number.
    TooMany,
    /// A vertex has a NaN or an infinity.
    NotFinite {
        /// Its number.
        vertex: usize,
    },
    /// A triangle names a vertex that is not there.
    OutOfRange {
        /// The number of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTriangles => write!(f, "the mesh has no triangles"),
            Self::TooMany => write!(f, "the mesh has more than 2^32 - 1 vertices or triangles"),
            Self::NotFinite { vertex } => write!(f, "vertex {vertex}: a coordinate is not finite"),
            Self::OutOfRange { triangle, index, vertices } => {
                write!(f, "triangle {triangle}: vertex index {index} out of range ({vertices} vertices)")
            }
        }
    }
}
impl core::error::Error for MeshError {}
