//! The vertices and triangles of a mesh file.

use crate::dimension::Precision;
use hitscan::{Accelerator, MeshError, TriangleMesh};
use hitscan::{Real, Vector3};

/// Vertices and the triangles between them.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshData {
    /// The positions, all finite.
    pub vertices: Vec<[f64; 3]>,
    /// Three indices of vertices each, all in range, in the order of the file; there is at least one triangle.
    pub triangles: Vec<[u32; 3]>,
    /// `F32` when every coordinate is exactly an `f32`.
    pub precision: Precision,
}

impl MeshData {
    /// Builds a mesh that rays are cast at, with coordinates rounded to the nearest numbers of the precision.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Ray, RayCast};
    /// let data = hitscan_io::parse_mesh("a.obj".as_ref(), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3")?;
    /// let mesh = data.to_mesh::<Vec3>()?;
    /// let ray = Ray::new(Vec3::new(0.25, 0.25, 3.0), -Vec3::Z);
    /// assert_eq!(mesh.cast_ray(&ray, ..).map(|hit| hit.t), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`TriangleMesh::new`]: a coordinate beyond the range of `f32`; for data that does not come from a file,
    /// also an index out of range, or no triangles.
    pub fn to_mesh<V: Vector3>(&self) -> Result<TriangleMesh<V>, MeshError> {
        self.to_mesh_with(Accelerator::Bvh)
    }

    /// Builds a mesh with a chosen accelerator: see [`Self::to_mesh`].
    ///
    /// # Errors
    ///
    /// The errors of [`Self::to_mesh`]: a coordinate or an index out of range, no triangles.
    pub fn to_mesh_with<V: Vector3>(&self, accelerator: Accelerator) -> Result<TriangleMesh<V>, MeshError> {
        let vertices = self.vertices.iter().map(|v| V::from_xyz(v.map(V::Scalar::from_f64))).collect();
        TriangleMesh::with_accelerator(vertices, self.triangles.clone(), accelerator)
    }
}

/// Copies the vertices and triangles of a mesh.
impl<V: Vector3> From<&TriangleMesh<V>> for MeshData {
    fn from(mesh: &TriangleMesh<V>) -> Self {
        let vertices: Vec<_> = mesh.vertices().iter().map(|v| v.to_xyz().map(Real::to_f64)).collect();
        let precision = Precision::of(vertices.iter().flatten().copied());
        Self { vertices, triangles: mesh.triangles().to_vec(), precision }
    }
}
