//! Bytes of a shape with its transform, which objects and the leaves of solids have.

use crate::bvh::validate::InvalidBvh;
use crate::little_endian::{ByteReader, ByteWriter, EndOfBytes};
use crate::math::vector::Vector;
use crate::scene::any::Space;
use crate::scene::saved_error::SceneLoadError;
use crate::scene::saved_shape::{SavedShape, ShapeReadError};
use crate::transform::Transform;

/// Kind of a shape that is a geometry.
pub(crate) const SHARED: u32 = 0;

/// Reason why a part of a scene cannot be read.
pub(crate) enum ReadError {
    End,
    Problem(&'static str),
    Shape(ShapeReadError),
    Error(SceneLoadError),
}

impl From<EndOfBytes> for ReadError {
    fn from(_: EndOfBytes) -> Self {
        Self::End
    }
}

impl From<ShapeReadError> for ReadError {
    fn from(error: ShapeReadError) -> Self {
        Self::Shape(error)
    }
}

impl From<SceneLoadError> for ReadError {
    fn from(error: SceneLoadError) -> Self {
        Self::Error(error)
    }
}

impl From<InvalidBvh> for ReadError {
    fn from(InvalidBvh { part, number, problem }: InvalidBvh) -> Self {
        Self::Error(SceneLoadError::Bvh { part, number, problem })
    }
}

impl ReadError {
    /// The error, for a part that begins at this position.
    pub(crate) fn of_part(self, at: usize) -> SceneLoadError {
        match self {
            Self::End | Self::Shape(ShapeReadError::End) => {
                SceneLoadError::Invalid { at, problem: "it ends too early" }
            }
            Self::Shape(ShapeReadError::Kind) => {
                SceneLoadError::Invalid { at, problem: "its shape has a kind that this space has not" }
            }
            Self::Shape(ShapeReadError::Shape(error)) => SceneLoadError::Shape { at, error },
            Self::Problem(problem) => SceneLoadError::Invalid { at, problem },
            Self::Error(error) => error,
        }
    }
}

pub(crate) fn write_transform<V: Vector>(transform: &Transform<V>, out: &mut ByteWriter) {
    transform.axes().iter().for_each(|&axis| out.vector(axis));
    out.vector(transform.translation());
}

/// Reads a transform of a part that begins at `at`. It passes its constructor again, so that bad bytes cannot make a singular one.
pub(crate) fn read_transform<V: Vector>(input: &mut ByteReader<'_>, at: usize) -> Result<Transform<V>, ReadError> {
    let mut axes = [V::default(); 3];
    for axis in &mut axes[..V::DIM] {
        *axis = input.vector()?;
    }
    let transform = Transform::new(&axes[..V::DIM], input.vector()?);
    Ok(transform.map_err(|error| SceneLoadError::Transform { at, error })?)
}

/// Reads a shape. A shared geometry must have been read before; other shapes pass their constructors, too.
pub(crate) fn read_shape<V: Space>(input: &mut ByteReader<'_>, geometries: &[V::Shape]) -> Result<V::Shape, ReadError> {
    match input.word()? {
        SHARED => {
            let number = input.word()? as usize;
            let missing = ReadError::Problem("a shape that is a geometry which does not come before");
            geometries.get(number).cloned().ok_or(missing)
        }
        kind => Ok(V::Shape::read(kind, input)?),
    }
}
