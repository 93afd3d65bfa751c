//! Results of the calls: counts that are 0 or more, and codes of errors, which are negative.

use hitscan::{LoadError, MeshError};

/// Numbers of an error, for its message.
pub type Details = [f64; 3];

/// An error of a call. `npm/src/errors.ts` has the words for each code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// The handle is of no object, or of one of another kind.
    Handle = -1,
    /// The memory of the module does not suffice.
    Memory = -2,
    /// The mesh has no triangles.
    NoTriangles = -3,
    /// The mesh has more vertices or triangles than it can have.
    TooMany = -4,
    /// A coordinate is NaN or infinite. Details: the vertex.
    NotFinite = -5,
    /// A vertex index is out of range. Details: the triangle, the index, the count of vertices.
    OutOfRange = -6,
    /// A refit with another count of vertices. Details: the count of the mesh, and that of the refit.
    OtherCount = -7,
    /// The bytes are not those of a saved mesh.
    NotSaved = -8,
    /// The version of the saved mesh is unknown. Details: the version.
    Version = -9,
    /// The saved mesh has another precision. Details: the bytes of its coordinates.
    Precision = -10,
    /// The count of bytes is wrong. Details: the right count, and that which was given.
    Length = -11,
    /// The checksum does not match.
    Checksum = -12,
    /// The saved tree is invalid.
    Tree = -13,
    /// The buffer holds fewer rays or hits than the call names. Details: the count of the buffer.
    Short = -14,
    /// The radius or the box is invalid.
    Volume = -15,
    /// A call came while another one ran, or after one that ended in a trap.
    Busy = -16,
    /// The module was built without this capability.
    Missing = -17,
}

/// An error and its numbers.
pub(crate) type Failure = (Code, Details);

/// A code without numbers.
pub(crate) fn plain(code: Code) -> Failure {
    (code, [0.0; 3])
}

/// The failure of a mesh that cannot be built or refitted.
pub(crate) fn of_mesh(error: MeshError) -> Failure {
    match error {
        MeshError::NoTriangles => plain(Code::NoTriangles),
        MeshError::NotFinite { vertex } => (Code::NotFinite, [vertex as f64, 0.0, 0.0]),
        MeshError::OutOfRange { triangle, index, vertices } => {
            (Code::OutOfRange, [triangle as f64, f64::from(index), vertices as f64])
        }
        MeshError::OtherCount { vertices, given } => (Code::OtherCount, [vertices as f64, given as f64, 0.0]),
        _ => plain(Code::TooMany),
    }
}

/// The failure of bytes that cannot be loaded.
pub(crate) fn of_load(error: LoadError) -> Failure {
    match error {
        LoadError::NotSaved => plain(Code::NotSaved),
        LoadError::Version { found } => (Code::Version, [f64::from(found), 0.0, 0.0]),
        LoadError::Precision { found, .. } => (Code::Precision, [f64::from(found), 0.0, 0.0]),
        LoadError::Length { expected, found } => (Code::Length, [expected as f64, found as f64, 0.0]),
        LoadError::Checksum { .. } => plain(Code::Checksum),
        LoadError::Mesh(error) => of_mesh(error),
        _ => plain(Code::Tree),
    }
}
