//! Meshes that were saved with their trees.

use super::MeshData;
use crate::error::Fault;
use crate::numbers::Precision;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{LoadError, TriangleMesh};
use hitscan::{Real, Vector3};
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
            Self::Single(mesh) => Cow::Owned(data_of(mesh)),
            Self::Double(mesh) => Cow::Owned(data_of(mesh)),
        }
    }

    pub(super) fn into_data(self) -> MeshData {
        if let Self::Data(data) = self { data } else { self.data().into_owned() }
    }
}

/// A mesh of the library as that of a file.
pub(crate) fn data_of<V: Vector3>(mesh: &TriangleMesh<V>) -> MeshData {
    let vertices: Vec<_> = mesh.vertices().iter().map(|v| v.to_xyz().map(Real::to_f64)).collect();
    let precision = Precision::of(vertices.iter().flatten().copied());
    MeshData { vertices, triangles: mesh.triangles().to_vec(), precision }
}
