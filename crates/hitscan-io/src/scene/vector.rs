//! The vector types of scenes that files can hold.

use super::emit::ShapeWriter;
use super::fields::Fields;
use super::shapes;
use super::values::FieldError;
use crate::dimension::Dimension;
use hitscan::Vector3;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{AnyShape2, AnyShape3, Space, TriangleMesh};

/// `Vec2`, `Vec3`, `DVec2` or `DVec3`: the dimension and the precision in which a scene is built.
pub trait SceneVector: Space + sealed::Sealed {
    /// The number of coordinates.
    const DIMENSION: Dimension;
    /// The vector type of meshes, which have three dimensions.
    #[doc(hidden)]
    type InSpace: Vector3;
    #[doc(hidden)]
    fn read(fields: &Fields<'_>) -> Result<Self::Shape, FieldError>;
    #[doc(hidden)]
    fn write(shape: &Self::Shape, writer: &mut ShapeWriter<'_>) -> Option<()>;
    #[doc(hidden)]
    fn mesh(shape: &Self::Shape) -> Option<&TriangleMesh<Self::InSpace>>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! vector {
    ($vector:ty, $space:ty, $dimension:ident, $read:ident, $write:ident, $mesh:expr) => {
        impl sealed::Sealed for $vector {}
        impl SceneVector for $vector {
            const DIMENSION: Dimension = Dimension::$dimension;
            type InSpace = $space;
            fn read(fields: &Fields<'_>) -> Result<Self::Shape, FieldError> {
                shapes::$read(fields)
            }
            fn write(shape: &Self::Shape, writer: &mut ShapeWriter<'_>) -> Option<()> {
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
