//! Errors of saving a scene and of loading one.

use crate::hit::ObjectId;
use crate::mesh::error::LoadError;
use crate::scene::error::SceneError;
use crate::shapes::error::ShapeError;
use crate::transform::TransformError;
use alloc::vec::Vec;
use core::fmt;

/// The reason why a scene cannot be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveError {
    /// The shape of an object is a user geometry, or a solid with one, which has no numbers to save.
    Shape {
        /// The objects from the scene down to the shape: one, and one more for each group around it.
        path: Vec<ObjectId>,
    },
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Shape { path } = self;
        for (i, id) in path.iter().enumerate() {
            write!(f, "{}object {id}", if i == 0 { "" } else { " of the group, " })?;
        }
        write!(
            f,
            ": its shape is a user geometry, or a solid with one, which cannot be saved: remove the object before saving, and \
             insert it again"
        )
    }
}

impl core::error::Error for SaveError {}

/// The reason why bytes are not a scene of a type. Positions count bytes from the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneLoadError {
    /// The bytes do not begin with the header of a saved scene.
    NotSaved,
    /// The version of the format is unknown.
    Version {
        /// The version in the header.
        found: u32,
    },
    /// The saved scene has another dimension than this scene type.
    Dimension {
        /// The saved dimension: 2 or 3.
        found: u32,
        /// The dimension of this type.
        wanted: u32,
    },
    /// The saved numbers have another precision than this scene type.
    Precision {
        /// The saved bytes per number: 4 for `f32`, 8 for `f64`.
        found: u32,
        /// The bytes per number of this type.
        wanted: u32,
    },
    /// The number of bytes differs from the length in the header.
    Length {
        /// The length in the header.
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
    /// Some bytes contradict others, or mean nothing.
    Invalid {
        /// The position of an object, a geometry or a scene with the problem.
        at: usize,
        /// The problem.
        problem: &'static str,
    },
    /// The numbers of a shape are refused.
    Shape {
        /// The position of the object.
        at: usize,
        /// The error of the constructor.
        error: ShapeError,
    },
    /// The numbers of a transform are refused.
    Transform {
        /// The position of the object.
        at: usize,
        /// The error of the constructor.
        error: TransformError,
    },
    /// A mesh is refused.
    Mesh {
        /// The position of the mesh.
        at: usize,
        /// The error of the mesh.
        error: LoadError,
    },
    /// An object is refused, or a group.
    Scene {
        /// The position of the object or group.
        at: usize,
        /// The error of the scene.
        error: SceneError,
    },
    /// The BVH of the objects is invalid, or does not fit them.
    Bvh {
        /// `"node"`, `"leaf"` or `"object"`.
        part: &'static str,
        /// The index of the part.
        number: usize,
        /// The problem.
        problem: &'static str,
    },
}

impl fmt::Display for SceneLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each text names what is wrong and, where the user can act, what to do.
        match self {
            Self::NotSaved => write!(f, "not a saved scene: it does not begin as one"),
            Self::Version { found } => write!(f, "saved scene has unsupported version {found}: save it again"),
            Self::Dimension { found, wanted } => {
                let types = if *found == 2 { "Vec2 or DVec2" } else { "Vec3 or DVec3" };
                write!(f, "a saved scene of {found} dimensions, not {wanted}: load it as a scene of {types}")
            }
            Self::Precision { found, wanted } => {
                let types = if *found == 8 { "DVec2 or DVec3" } else { "Vec2 or Vec3" };
                write!(f, "a saved scene whose numbers have {found} bytes, not {wanted}: load it as a scene of {types}")
            }
            Self::Length { expected, found } => {
                write!(f, "{found} bytes in place of {expected}")
            }
            Self::Checksum { written, computed } => {
                write!(f, "damaged: the checksum is {computed:08x}, where {written:08x} was written")
            }
            Self::Invalid { at, problem } => write!(f, "byte {at}: {problem}"),
            Self::Shape { at, error } => write!(f, "byte {at}: {error}"),
            Self::Transform { at, error } => write!(f, "byte {at}: {error}"),
            Self::Mesh { at, error } => write!(f, "byte {at}: {error}"),
            Self::Scene { at, error } => write!(f, "byte {at}: {error}"),
            Self::Bvh { part, number, problem } => write!(f, "{part} {number} of the tree {problem}"),
        }
    }
}

impl core::error::Error for SceneLoadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Shape { error, .. } => Some(error),
            Self::Transform { error, .. } => Some(error),
            Self::Mesh { error, .. } => Some(error),
            Self::Scene { error, .. } => Some(error),
            _ => None,
        }
    }
}
