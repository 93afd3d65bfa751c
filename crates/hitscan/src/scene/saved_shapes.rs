//! Bytes of each shape: the numbers of its constructor, which stores them as they are. What a constructor derives from
//! them (the unit normal of a plane) has the same bits on every machine.

use crate::basis::Basis;
use crate::little_endian::{ByteReader, ByteWriter};
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::mesh::error::LoadError;
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::scene::any::{AnyShape2, AnyShape3};
use crate::scene::saved_shape::{SavedShape, ShapeReadError, Unsaved};
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::Disk;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::error::axes;
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::plane::Plane;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::quad::Quad;
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::shapes::triangle::Triangle;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Shape as the numbers of its constructor.
trait SavedNumbers: Sized {
    fn write_numbers(&self, out: &mut ByteWriter);
    fn read_numbers(input: &mut ByteReader<'_>) -> Result<Self, ShapeReadError>;
}

impl ByteWriter {
    fn basis<V: Vector>(&mut self, basis: &Basis<V>) {
        basis.axes().iter().for_each(|&axis| self.vector(axis));
    }
    fn corners<V: Vector>(&mut self, corners: [V; 3]) {
        corners.into_iter().for_each(|corner| self.vector(corner));
    }
    fn list<V: Vector>(&mut self, list: &[V]) {
        // A list of 2^32 vertices would need more memory than a scene can have bytes.
        self.words(&[list.len() as u32]);
        list.iter().for_each(|&v| self.vector(v));
    }
}

impl ByteReader<'_> {
    fn basis<V: Vector>(&mut self) -> Result<Basis<V>, ShapeReadError> {
        let mut all = [V::default(); 3];
        for axis in &mut all[..V::DIM] {
            *axis = self.vector()?;
        }
        Ok(axes(&all[..V::DIM])?)
    }
    fn corners<V: Vector>(&mut self) -> Result<[V; 3], ShapeReadError> {
        Ok([self.vector()?, self.vector()?, self.vector()?])
    }
    fn list<V: Vector>(&mut self) -> Result<Vec<V>, ShapeReadError> {
        let count = self.word()? as usize;
        let size = V::DIM * size_of::<V::Scalar>();
        Ok(self.take(count, size)?.chunks_exact(size).map(crate::little_endian::vector).collect())
    }
}

/// Implements [`SavedNumbers`] by the accessors and the constructor of a shape.
macro_rules! by_numbers {
    ($($type:ident: $bound:ident { $($field:ident: $part:ident),+ } => $new:expr;)+) => {$(
        impl<V: $bound> SavedNumbers for $type<V> {
            fn write_numbers(&self, out: &mut ByteWriter) {
                $(out.$part(self.$field());)+
            }
            fn read_numbers(input: &mut ByteReader<'_>) -> Result<Self, ShapeReadError> {
                $(let $field = input.$part()?;)+
                Ok(($new)($($field),+)?)
            }
        }
    )+};
}

by_numbers! {
    Sphere: Vector { center: vector, radius: scalar } => Self::new;
    HalfSpace: Vector { point: vector, normal: vector } => Self::new;
    Plane: Vector { point: vector, normal: vector } => Self::new;
    Cuboid: Vector { center: vector, half_extents: vector } => Self::new;
    OrientedBox: Vector { center: vector, half_extents: vector, basis: basis } => Self::new;
    Capsule: Vector { a: vector, b: vector, radius: scalar } => Self::new;
    TaperedCapsule: Vector { a: vector, b: vector, radius_a: scalar, radius_b: scalar } => Self::new;
    Ellipsoid: Vector { center: vector, radii: vector, basis: basis } => Self::with_basis;
    Triangle: Vector3 { vertices: corners } => |[a, b, c]: [V; 3]| Self::new(a, b, c);
    Disk: Vector3 { center: vector, normal: vector, radius: scalar } => Self::new;
    Cylinder: Vector3 { a: vector, b: vector, radius: scalar } => Self::new;
    Cone: Vector3 { base: vector, apex: vector, radius: scalar } => Self::new;
    Frustum: Vector3 { a: vector, b: vector, radius_a: scalar, radius_b: scalar } => Self::new;
    Quad: Vector3 { corner: vector, edge_u: vector, edge_v: vector } => Self::new;
    Triangle2: Vector2 { vertices: corners } => |[a, b, c]: [V; 3]| Self::new(a, b, c);
    SegmentShape: Vector2 { a: vector, b: vector } => Self::new;
    ConvexPolygon: Vector2 { vertices: list } => |vertices: Vec<V>| Self::new(vertices);
}

/// Implements reading and writing of the shapes with numbers: each has its kind.
macro_rules! by_kind {
    ($any:ident { $($variant:ident = $kind:literal),+ $(,)? } shared $($shared:ident),+) => {
        fn write(&self, out: &mut ByteWriter) -> Result<(), Unsaved> {
            match self {
                $(Self::$variant(shape) => {
                    out.words(&[$kind]);
                    shape.write_numbers(out);
                    Ok(())
                })+
                $(Self::$shared(_) => Err(Unsaved),)+
            }
        }
        fn read(kind: u32, input: &mut ByteReader<'_>) -> Result<Self, ShapeReadError> {
            Ok(match kind {
                $($kind => Self::$variant(SavedNumbers::read_numbers(input)?),)+
                _ => return Err(ShapeReadError::Kind),
            })
        }
    };
}

impl<V: Vector2> SavedShape<V> for AnyShape2<V> {
    by_kind!(AnyShape2 {
        Circle = 1, HalfPlane = 2, Line = 3, Rectangle = 4, OrientedRectangle = 5, Capsule = 6, Ellipse = 7,
        Triangle = 8, Segment = 13, Polygon = 14, TaperedCapsule = 15,
    } shared Group, Solid, User);

    fn mesh(&self) -> Option<(usize, impl FnOnce() -> Vec<u8>)> {
        None::<(usize, fn() -> Vec<u8>)>
    }
    fn of_mesh(_bytes: &[u8]) -> Option<Result<Self, LoadError>> {
        None
    }
}

impl<V: Vector3> SavedShape<V> for AnyShape3<V> {
    by_kind!(AnyShape3 {
        Sphere = 1, HalfSpace = 2, Plane = 3, Cuboid = 4, OrientedBox = 5, Capsule = 6, Ellipsoid = 7, Triangle = 8,
        Disk = 9, Cylinder = 10, Cone = 11, Frustum = 12, TaperedCapsule = 15, Quad = 16,
    } shared Mesh, Group, Solid, User);

    fn mesh(&self) -> Option<(usize, impl FnOnce() -> Vec<u8>)> {
        match self {
            Self::Mesh(mesh) => Some((Arc::as_ptr(mesh) as usize, || mesh.to_bytes())),
            _ => None,
        }
    }
    fn of_mesh(bytes: &[u8]) -> Option<Result<Self, LoadError>> {
        Some(TriangleMesh::from_bytes(bytes).map(Self::from))
    }
}
