//! The triangles of the shapes of each space.

use crate::math::vector::{Vector2, Vector3};
use crate::mesh::topology::{LazyTopology, ParitySurface};
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::scene::any::{AnyShape2, AnyShape3};
use crate::scene::split_shape::{MeshData, SplitShape};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl<V: Vector2> SplitShape<V> for AnyShape2<V> {
    fn mesh_data(&self) -> Option<MeshData<'_, V>> {
        None
    }
    fn of_triangles(_: Vec<V>, _: Vec<[u32; 3]>, _: Option<ParitySurface>) -> Option<Self> {
        None
    }
}

impl<V: Vector3> SplitShape<V> for AnyShape3<V> {
    fn mesh_data(&self) -> Option<MeshData<'_, V>> {
        let Self::Mesh(mesh) = self else { return None };
        let TriangleMesh { vertices, triangles, topology, .. } = &**mesh;
        Some(MeshData { address: Arc::as_ptr(mesh) as usize, vertices, triangles, topology })
    }
    fn of_triangles(vertices: Vec<V>, triangles: Vec<[u32; 3]>, surface: Option<ParitySurface>) -> Option<Self> {
        let mesh = TriangleMesh::new(vertices, triangles).ok()?;
        let topology = surface.map_or_else(LazyTopology::default, LazyTopology::known);
        Some(Self::from(TriangleMesh { topology, ..mesh }))
    }
}
