//! `SavedShape`: what the format of scenes asks of the enum of shapes of a space.

use crate::little_endian::{ByteReader, ByteWriter, EndOfBytes};
use crate::math::vector::Vector;
use crate::mesh::error::LoadError;
use crate::shapes::error::ShapeError;
use alloc::vec::Vec;

/// The shape has no bytes.
#[derive(Debug)]
pub struct Unsaved;

/// Reason why bytes are not a shape.
#[derive(Debug)]
pub enum ShapeReadError {
    /// The bytes end.
    End,
    /// No shape of this space has this kind.
    Kind,
    Shape(ShapeError),
}

impl From<EndOfBytes> for ShapeReadError {
    fn from(_: EndOfBytes) -> Self {
        Self::End
    }
}

impl From<ShapeError> for ShapeReadError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

/// Shapes of a space as bytes: their kind, then the numbers of their constructor. Meshes and groups are shared, and stand
/// beside the objects.
pub trait SavedShape<V: Vector>: Sized {
    /// Writes a shape that is neither a mesh nor a group.
    ///
    /// # Errors
    /// A mesh, a group or a user geometry.
    fn write(&self, out: &mut ByteWriter) -> Result<(), Unsaved>;

    /// Reads a shape after its kind.
    ///
    /// # Errors
    /// Missing bytes; an unknown kind; numbers that the constructor refuses.
    fn read(kind: u32, input: &mut ByteReader<'_>) -> Result<Self, ShapeReadError>;

    /// The address of the mesh, and its bytes, if the shape is one.
    fn mesh(&self) -> Option<(usize, impl FnOnce() -> Vec<u8>)>;

    /// Mesh of its bytes; `None` in the plane.
    fn of_mesh(bytes: &[u8]) -> Option<Result<Self, LoadError>>;
}
