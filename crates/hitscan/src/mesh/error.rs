//! Errors of mesh construction and of loading.

use core::fmt;

/// Error of mesh construction or refit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// The mesh has no triangles.
    NoTriangles,
    /// The mesh has more than 2^32 - 1 vertices, or more than 2^27 - 16 triangles.
    TooMany,
    /// A coordinate of a vertex is NaN or infinite.
    NotFinite {
        /// The index of the vertex.
        vertex: usize,
    },
    /// A vertex index of a triangle is out of range.
    OutOfRange {
        /// The index of the triangle.
        triangle: usize,
        /// The vertex index.
        index: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A refit was given another number of vertices than the mesh has.
    OtherCount {
        /// The number of vertices of the mesh.
        vertices: usize,
        /// The number of vertices given.
        given: usize,
    },
    /// The tolerance of a repair is negative, infinite or NaN.
    Tolerance,
    /// A repair leaves no triangle: its tolerance merges corners of each one.
    NothingLeft,
    /// A convex hull was given too few points.
    TooFewPoints {
        /// The least number of points.
        needed: usize,
        /// The number of points given.
        given: usize,
    },
    /// All points of a convex hull lie on one line.
    Collinear,
    /// All points of a convex hull lie in one plane.
    Coplanar,
    /// The heights of a prism are not finite, or the first one is not less.
    Heights,
    /// A ring of a prism is invalid.
    Ring {
        /// The number of the ring: 0 for the outline, 1 for the first hole.
        ring: usize,
        /// The number of the corner in it.
        vertex: usize,
        /// What is wrong there.
        problem: RingProblem,
    },
}

/// What is wrong at a corner of a ring, in [`MeshError::Ring`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RingProblem {
    /// The ring has fewer than three corners.
    TooFewCorners,
    /// A coordinate of the corner is NaN or infinite.
    NotFinite,
    /// The next corner is at the same place.
    Repeated,
    /// The edge from the corner to the next one crosses or touches another edge.
    Meets {
        /// The number of the ring of that edge.
        ring: usize,
        /// The number of the corner where that edge begins.
        vertex: usize,
    },
    /// The corner of a hole lies outside of the outline.
    OutsideOutline,
    /// The corner of a hole lies within another hole.
    InsideHole {
        /// The number of the ring of that hole.
        ring: usize,
    },
}

/// The name of a ring by its number.
struct RingName(usize);

impl fmt::Display for RingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "the outline"),
            number => write!(f, "hole {}", number - 1),
        }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTriangles => write!(f, "the mesh has no triangles"),
            Self::TooMany => write!(f, "the mesh has more than 2^32 - 1 vertices or 2^27 - 16 triangles"),
            Self::NotFinite { vertex } => write!(f, "vertex {vertex}: a coordinate is not finite"),
            Self::OutOfRange { triangle, index, vertices } => {
                write!(f, "triangle {triangle}: vertex index {index} out of range ({vertices} vertices)")
            }
            Self::OtherCount { vertices, given } => {
                write!(f, "the mesh has {vertices} vertices, and {given} were given")
            }
            Self::Tolerance => write!(f, "the tolerance must be a finite number, 0 or more"),
            Self::NothingLeft => write!(f, "repairing the mesh leaves no triangle (use a smaller tolerance)"),
            Self::TooFewPoints { needed, given } => {
                write!(f, "a hull needs at least {needed} points, and {given} were given")
            }
            Self::Collinear => write!(f, "all points lie on one line"),
            Self::Coplanar => write!(f, "all points lie in one plane"),
            Self::Heights => write!(f, "the heights must be finite, and the first one less than the second"),
            Self::Ring { ring, vertex, problem } => {
                let name = RingName(*ring);
                match problem {
                    RingProblem::TooFewCorners => write!(f, "{name}: a ring needs at least 3 corners"),
                    RingProblem::NotFinite => write!(f, "{name}, corner {vertex}: a coordinate is not finite"),
                    RingProblem::Repeated => write!(f, "{name}, corner {vertex}: the next corner is at the same place"),
                    RingProblem::Meets { ring, vertex: other } => {
                        let other_name = RingName(*ring);
                        write!(
                            f,
                            "{name}, corner {vertex}: the edge from there meets the edge from corner {other} of {other_name}"
                        )
                    }
                    RingProblem::OutsideOutline => write!(f, "{name}, corner {vertex}: it lies outside of the outline"),
                    RingProblem::InsideHole { ring } => {
                        write!(f, "{name}, corner {vertex}: it lies within {}", RingName(*ring))
                    }
                }
            }
        }
    }
}

impl core::error::Error for MeshError {}

/// Error of loading a saved mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes do not begin with the header of a saved mesh.
    NotSaved,
    /// The version of the format is unknown.
    Version {
        /// The version in the header.
        found: u32,
    },
    /// The saved coordinates have another precision than this mesh type.
    Precision {
        /// The saved bytes per coordinate: 4 for `f32`, 8 for `f64`.
        found: u32,
        /// The bytes per coordinate of this type.
        wanted: u32,
    },
    /// The number of bytes differs from the length that the header implies.
    Length {
        /// The length that the header implies.
        expected: u64,
        /// The number of bytes given.
        found: usize,
    },
    /// The checksum does not match: some byte has changed since writing.
    Checksum {
        /// The saved checksum.
        written: u32,
        /// The checksum of the bytes given.
        computed: u32,
    },
    /// The vertices and triangles are not a valid mesh.
    Mesh(MeshError),
    /// The BVH is invalid, or does not fit this mesh.
    Bvh16 {
        /// `"node"`, `"leaf"` or `"triangle"`.
        part: &'static str,
        /// The index of the part.
        number: usize,
        /// The problem.
        problem: &'static str,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSaved => write!(f, "not a saved mesh: it does not begin as one"),
            Self::Version { found } => write!(f, "saved mesh has unsupported version {found}"),
            Self::Precision { found, wanted } => {
                write!(f, "a saved mesh whose coordinates have {found} bytes, not {wanted}")
            }
            Self::Length { expected, found } => {
                write!(f, "{found} bytes in place of {expected}")
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
