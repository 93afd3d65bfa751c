//! `SplitShape`: what the split of a scene asks of the enum of shapes of a space.

use crate::math::vector::Vector;
use crate::mesh::topology::{LazyTopology, ParitySurface};
use alloc::vec::Vec;

/// The triangles of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct MeshData<'a, V: Vector> {
    /// The address of the memory that clones share.
    pub(crate) address: usize,
    pub(crate) vertices: &'a [V],
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) topology: &'a LazyTopology,
}

impl<V: Vector> MeshData<'_, V> {
    /// The topology, which the first call computes, and the triangles that parity leaves out.
    pub(crate) fn parity_surface(&self) -> &ParitySurface {
        self.topology.get(self.vertices, self.triangles)
    }
}

/// Shapes some of which are meshes, which a split cuts by triangle.
pub trait SplitShape<V: Vector>: Sized {
    /// The triangles, if the shape is a mesh.
    fn mesh_data(&self) -> Option<MeshData<'_, V>>;

    /// The mesh of some triangles of another mesh, with the topology and the repetitions that are given; `None` in the plane, and
    /// for no triangles.
    fn of_triangles(vertices: Vec<V>, triangles: Vec<[u32; 3]>, surface: Option<ParitySurface>) -> Option<Self>;
}
