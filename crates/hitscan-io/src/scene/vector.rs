//! The vector types of scenes that files can hold.

use super::fields::Fields;
use super::shapes;
use super::values::Wrong;
use super::write::Writer;
use crate::numbers::Dimension;
use hitscan::Vector3;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{AnyShape2, AnyShape3, Space, TriangleMesh};

/// `Vec2`, `Vec3`, `DVec2` or `DVec3`: the dimension and the precision in which a scene is built.
pub trait SceneVector: Space + sealed::Sealed {
    /// The number of coordinates.
    const DIMENSION: Dimension;
    /// A mesh has vectors of space. In the plane there is none.
    #[doc(hidden)]
    type InSpace: Vector3;
    #[doc(hidden)]
    fn read(fields: &Shape<'_>) -> Result<Self::Shape, NotRead>;
    #[doc(hidden)]
    fn write(shape: &Self::Shape, writer: &mut Writer<'_>) -> Option<()>;
    #[doc(hidden)]
    fn mesh(shape: &Self::Shape) -> Option<&TriangleMesh<Self::InSpace>>;
}

/// [`Fields`], opaque.
pub struct Shape<'a>(pub(super) Fields<'a>);

/// [`Wrong`], opaque.
pub struct NotRead(pub(super) Wrong);

mod sealed {
    pub trait Sealed {}
}

macro_rules! vector {
    ($vector:ty, $space:ty, $dimension:ident, $read:ident, $write:ident, $mesh:expr) => {
        impl sealed::Sealed for $vector {}
        impl SceneVector for $vector {
            const DIMENSION: Dimension = Dimension::$dimension;
            type InSpace = $space;
            fn read(fields: &Shape<'_>) -> Result<Self::Shape, NotRead> {
                shapes::$read(&fields.0).map_err(NotRead)
            }
            fn write(shape: &Self::Shape, writer: &mut Writer<'_>) -> Option<()> {
                shapes::$write(shape, writer)
            }
            fn mesh(shape: &Self::Shape) -> Option<&TriangleMesh<Self::InSpace>> {
                $mesh(shape)
            }
        }
    };
}
vector!(Vec2, Vec3, Two, of_plane, write_plane, no_mesh);
vector!(DVec2, DVec3, Two, of_plane, write_plane, no_mesh);
vector!(Vec3, Vec3, Three, of_space, write_space, mesh);
vector!(DVec3, DVec3, Three, of_space, write_space, mesh);

fn mesh<V: Vector3>(shape: &AnyShape3<V>) -> Option<&TriangleMesh<V>> {
    match shape {
        AnyShape3::Mesh(mesh) => Some(mesh),
        _ => None,
    }
}

fn no_mesh<V: hitscan::Vector2, W: Vector3>(_: &AnyShape2<V>) -> Option<&TriangleMesh<W>> {
    None
}
