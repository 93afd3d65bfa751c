//! What is no mesh, and no saved one.

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
    /// As many vertices were to be moved as the mesh does not have.
    OtherCount {
        /// How many vertices it has.
        vertices: usize,
        /// How many were given.
        given: usize,
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
            Self::OtherCount { vertices, given } => {
                write!(f, "the mesh has {vertices} vertices, and {given} were given")
            }
        }
    }
}

impl core::error::Error for MeshError {}

/// Why bytes were not taken for a saved mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// They do not begin as a saved mesh does.
    NotSaved,
    /// They are of a version that is not known here.
    Version {
        /// Their version.
        found: u32,
    },
    /// The mesh has coordinates of another size than those of this type.
    Precision {
        /// The bytes of a coordinate: 4 for `f32`, 8 for `f64`.
        found: u32,
        /// The bytes of a coordinate of this type.
        wanted: u32,
    },
    /// More or fewer bytes than the counts at the beginning ask for.
    Length {
        /// What they ask for.
        expected: u64,
        /// How many there are.
        found: usize,
    },
    /// Some byte has changed since they were written.
    Checksum {
        /// The last four bytes.
        written: u32,
        /// What they should be.
        computed: u32,
    },
    /// The vertices and triangles are no mesh.
    Mesh(MeshError),
    /// The tree is none, or none of this mesh.
    Bvh16 {
        /// `"node"`, `"leaf"` or `"triangle"`.
        part: &'static str,
        /// Its number.
        number: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSaved => write!(f, "not a saved mesh: it does not begin as one"),
            Self::Version { found } => write!(f, "a saved mesh of version {found}, of which nothing is known here"),
            Self::Precision { found, wanted } => {
                write!(f, "a saved mesh whose coordinates have {found} bytes, not {wanted}")
            }
            Self::Length { expected, found } => {
                write!(f, "{found} bytes, where its beginning announces {expected}")
            }
            Self::Checksum { written, computed } => {
                write!(f, "damaged: the checksum is {computed:08x}, where {written:08x} was written")
            }
            Self::Mesh(error) => error.fmt(f),
            Self::Bvh16 { part, number, problem } => write!(f, "{part} {number} of the tree {problem}"),
        }
    }
}

impl core::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Mesh(error) => Some(error),
            _ => None,
        }
    }
}

impl From<MeshError> for LoadError {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}
