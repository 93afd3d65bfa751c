//! Meshes that were saved with their trees.

use super::MeshData;
use crate::error::Fault;
use crate::numbers::Precision;
use hitscan::glam::{DVec3, Vec3};
use hitscan::math::{Real, Vector3};
use hitscan::{Accelerator, LoadError, MeshError, TriangleMesh};
use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

/// What a mesh file holds: a mesh, and its tree if it was saved with one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum MeshFile {
    /// Vertices and triangles.
    Data(MeshData),
    /// A saved mesh of `f32`.
    Single(Arc<TriangleMesh<Vec3>>),
    /// A saved mesh of `f64`.
    Double(Arc<TriangleMesh<DVec3>>),
}

impl MeshFile {
    /// A saved mesh, in the precision that it was saved in.
    pub(super) fn saved(bytes: &[u8]) -> Result<Self, Fault> {
        let single = TriangleMesh::from_bytes(bytes).map(|mesh| Self::Single(Arc::new(mesh)));
        let loaded = match single {
            Err(LoadError::Precision { found: 8, .. }) => {
                TriangleMesh::from_bytes(bytes).map(|mesh| Self::Double(Arc::new(mesh)))
            }
            single => single,
        };
        loaded.map_err(|error| Fault::file(error.to_string()))
    }

    /// The mesh with its tree, if it was saved in this precision.
    pub(crate) fn mesh<V: Vector3>(&self) -> Option<Arc<TriangleMesh<V>>> {
        let any: Arc<dyn Any + Send + Sync> = match self {
            Self::Data(_) => return None,
            Self::Single(mesh) => mesh.clone(),
            Self::Double(mesh) => mesh.clone(),
        };
        any.downcast().ok()
    }

    /// The narrowest precision that holds every coordinate.
    pub fn precision(&self) -> Precision {
        match self {
            Self::Data(data) => data.precision,
            Self::Single(_) => Precision::F32,
            Self::Double(mesh) => Precision::of(mesh.vertices().iter().flat_map(DVec3::to_array)),
        }
    }

    /// The vertices and triangles.
    pub fn data(&self) -> Cow<'_, MeshData> {
        match self {
            Self::Data(data) => Cow::Borrowed(data),
            Self::Single(mesh) => Cow::Owned(MeshData::from(&**mesh)),
            Self::Double(mesh) => Cow::Owned(MeshData::from(&**mesh)),
        }
    }

    pub(super) fn into_data(self) -> MeshData {
        if let Self::Data(data) = self { data } else { self.data().into_owned() }
    }
}

impl MeshData {
    /// Builds a mesh that rays are cast at, with coordinates rounded to the nearest numbers of the precision.
    ///
    /// ```
    /// use hitscan::{Ray, Shape, glam::Vec3};
    /// let data = hitscan_io::parse_mesh("a.obj".as_ref(), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3")?;
    /// let mesh = data.to_mesh::<Vec3>()?;
    /// let ray = Ray::new(Vec3::new(0.25, 0.25, 3.0), -Vec3::Z);
    /// assert_eq!(mesh.cast_ray(&ray, ..).map(|hit| hit.t), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`TriangleMesh::new`]: a coordinate beyond the range of `f32`, and for data that no file has given an index
    /// out of range or no triangles.
    pub fn to_mesh<V: Vector3>(&self) -> Result<TriangleMesh<V>, MeshError> {
        self.to_mesh_with(Accelerator::Bvh)
    }

    /// Builds a mesh with a chosen accelerator: see [`Self::to_mesh`].
    ///
    /// # Errors
    ///
    /// Those of [`Self::to_mesh`].
    pub fn to_mesh_with<V: Vector3>(&self, accelerator: Accelerator) -> Result<TriangleMesh<V>, MeshError> {
        let vertices = self.vertices.iter().map(|v| V::from_xyz(v.map(V::Scalar::from_f64))).collect();
        TriangleMesh::with_method(vertices, self.triangles.clone(), accelerator)
    }
}

/// The vertices and triangles of a mesh of the library.
impl<V: Vector3> From<&TriangleMesh<V>> for MeshData {
    fn from(mesh: &TriangleMesh<V>) -> Self {
        let vertices: Vec<_> = mesh.vertices().iter().map(|v| v.to_xyz().map(Real::to_f64)).collect();
        let precision = Precision::of(vertices.iter().flatten().copied());
        Self { vertices, triangles: mesh.triangles().to_vec(), precision }
    }
}
