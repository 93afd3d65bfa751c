//! Construction and refit of meshes.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::build::spatial_split::{SplitTriangle, TriangleCorners};
use crate::bvh::node::{MAX_PRIMS, WIDTH};
use crate::bvh::options::{Accelerator, Quality};
use crate::bvh::primitive_index::Accel;
use crate::bvh::ray::in_safe_range;
use crate::math::real::{Precision, Real};
use crate::math::rounding::SINGLE_ROUNDING;
use crate::math::vector::{Vector, Vector3};
use crate::mesh::error::MeshError;
use crate::mesh::topology::LazyTopology;
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::mesh::winding_moments::LazyMoments;
use crate::parallel::{is_parallel, join_if};
use alloc::vec;
use alloc::vec::Vec;
use glam::Vec4;

impl<V: Vector3> TriangleMesh<V> {
    /// Checks the mesh and builds its BVH in O(n log n). Degenerate triangles are allowed; no ray hits them.
    ///
    /// # Errors
    /// No triangles; a coordinate that is not finite; a vertex index out of range.
    pub fn new(vertices: Vec<V>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        Self::with_quality(vertices, triangles, Quality::Default)
    }

    /// Builds a mesh with a chosen quality of the BVH. Results do not depend on the quality, bit for bit.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new): no triangles, a coordinate or an index out of range.
    pub fn with_quality(vertices: Vec<V>, triangles: Vec<[u32; 3]>, quality: Quality) -> Result<Self, MeshError> {
        Self::build(vertices, triangles, Accelerator::Bvh, quality)
    }

    /// Builds a mesh with a chosen accelerator.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new): no triangles, a coordinate or an index out of range.
    pub fn with_accelerator(
        vertices: Vec<V>,
        triangles: Vec<[u32; 3]>,
        accelerator: Accelerator,
    ) -> Result<Self, MeshError> {
        Self::build(vertices, triangles, accelerator, Quality::Default)
    }

    fn build(
        vertices: Vec<V>,
        triangles: Vec<[u32; 3]>,
        accelerator: Accelerator,
        quality: Quality,
    ) -> Result<Self, MeshError> {
        // All later code relies on finite coordinates and indices in range.
        check(&vertices, &triangles)?;
        // A box for each triangle, and the box of all.
        let mut prim_refs = vec![PrimRef::default(); triangles.len()];
        let bounds = make_prim_refs(&vertices, (0, &triangles), &mut prim_refs);
        // A leaf may have sixteen triangles if the `f32` filter tests them all at once. Without the filter each costs
        // an exact test, so leaves are small.
        let leaf = if in_safe_f32_range(&bounds) { [WIDTH, WIDTH] } else { [WIDTH / 2, 1] };
        // Spatial splits clip the triangle in `f32`: the room for rounded corners keeps the true triangle within the
        // pieces.
        let rounding = if V::Scalar::PRECISION == Precision::Single { 0.0 } else { SINGLE_ROUNDING };
        let corners = |triangle: u32| {
            let [a, b, c] = triangles[triangle as usize];
            let corner = |v: u32| {
                let [x, y, z] = vertices[v as usize].to_xyz();
                Vec4::new(x.to_f64() as f32, y.to_f64() as f32, z.to_f64() as f32, 1.0)
            };
            SplitTriangle { corners: [corner(a), corner(b), corner(c)], rounding }
        };
        // Beyond the safe range of `f32`, clipped boxes would not be bounds: then triangles stay whole.
        let corners = in_safe_f32_range(&bounds).then_some(&corners as &TriangleCorners);
        let index = Accel::build::<V>(accelerator, prim_refs, quality, leaf, corners);
        Ok(Self::with_index(vertices, triangles, bounds, index))
    }

    /// Builds a mesh from an accelerator of these triangles.
    pub(crate) fn with_index(vertices: Vec<V>, triangles: Vec<[u32; 3]>, bounds: Aabb<V>, index: Accel) -> Self {
        let (topology, winding) = (LazyTopology::default(), LazyMoments::default());
        let mut mesh = Self { vertices, triangles, bounds, topology, winding, index, corners: None };
        mesh.fill_blocks();
        mesh
    }

    /// Refits the mesh to moved vertices: the same number of vertices, the same triangles. Refitting keeps the topology
    /// of the BVH and recomputes its boxes in O(n), which takes a small part of the build time. Every result equals
    /// that of a mesh built from these vertices, bit for bit.
    ///
    /// Queries become slower as neighbouring triangles separate, because their boxes grow. Rebuild after a large
    /// deformation (a twist, a burst, new contacts) or every few frames. A mesh of [`Quality::High`] loses its spatial
    /// splits: pieces of moved triangles would have to be clipped again.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Ray, RayCast, TriangleMesh};
    /// let mut mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
    /// let ray = Ray::new(Vec3::new(0.25, 0.25, 3.0), -Vec3::Z);
    /// assert_eq!(mesh.cast_ray(&ray, ..).map(|hit| hit.t), Some(3.0));
    /// mesh.refit(&[Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y + Vec3::Z])?;
    /// assert_eq!(mesh.cast_ray(&ray, ..).map(|hit| hit.t), Some(2.0));
    /// # Ok::<(), hitscan::MeshError>(())
    /// ```
    ///
    /// # Source
    /// Larsson, Akenine-Moller, *Collision Detection for Continuously Deforming Bodies*, Eurographics, 2001: bottom-up
    /// refit, from the leaves to the root.
    ///
    /// # Errors
    /// Another number of vertices; a coordinate that is not finite. An error leaves the mesh unchanged.
    pub fn refit(&mut self, vertices: &[V]) -> Result<(), MeshError> {
        // Everything is checked before anything changes: an error leaves the mesh as it was.
        if vertices.len() != self.vertices.len() {
            return Err(MeshError::OtherCount { vertices: self.vertices.len(), given: vertices.len() });
        }
        check_finite(vertices)?;
        self.vertices.copy_from_slice(vertices);
        // Topology and moments depend on the positions, so they are computed anew when somebody needs them.
        self.topology = LazyTopology::default();
        self.winding = LazyMoments::default();
        let Self { vertices, triangles, bounds, index, .. } = self;
        // The box of a leaf is that of its whole triangles: the pieces of spatial splits belong to the old positions.
        let leaf = |prim_ids: &[u32]| {
            prim_ids.iter().fold(Aabb::empty(), |all, &i| all.union(around(vertices, &triangles[i as usize])))
        };
        *bounds = triangles.iter().fold(Aabb::empty(), |all, t| all.union(around(vertices, t)));
        if let Accel::Bvh(tree) = index {
            tree.refit(|_, prim_ids| Bounds::around(&leaf(prim_ids)));
        }
        self.fill_blocks();
        Ok(())
    }

    /// Turns triangles, so that they face to the other side.
    pub(crate) fn turn(&mut self, triangles: &[u32]) {
        for &triangle in triangles {
            self.triangles[triangle as usize].swap(1, 2);
        }
        // What depends on the order of vertices is computed anew.
        self.topology = LazyTopology::default();
        self.winding = LazyMoments::default();
        self.fill_blocks();
    }

    /// Fills the triangle blocks, if the coordinates are in the safe range of `f32`.
    fn fill_blocks(&mut self) {
        let Self { vertices, triangles, bounds, index, corners, .. } = self;
        // The filter's copies of the corners, in the order of the leaves.
        let Some(tree) = index.tree() else { return };
        if in_safe_f32_range(bounds) {
            corners.get_or_insert_default().fill(
                vertices,
                triangles,
                &tree.leaves().collect::<Vec<_>>(),
                tree.prim_ids(),
            );
        } else {
            *corners = None;
        }
    }
}

/// Whether all coordinates are in the safe range of `f32`.
fn in_safe_f32_range<V: Vector>(bounds: &Aabb<V>) -> bool {
    let is_safe = |v: V| v.to_xyz().into_iter().all(|x| in_safe_range(x.to_f64()));
    is_safe(bounds.min) && is_safe(bounds.max)
}

/// Triangles above which a second thread pays off.
const PRIM_REFS_PER_THREAD: usize = 8192;

/// Writes the primitive reference (box and id) of each triangle, ids from `first` on; returns the bounds of all.
fn make_prim_refs<V: Vector>(vertices: &[V], (first, triangles): (u32, &[[u32; 3]]), out: &mut [PrimRef]) -> Aabb<V> {
    if is_parallel() && triangles.len() > PRIM_REFS_PER_THREAD {
        let half = triangles.len() / 2;
        let ((a, b), (to_a, to_b)) = (triangles.split_at(half), out.split_at_mut(half));
        let (a, b) = join_if(
            true,
            || make_prim_refs(vertices, (first, a), to_a),
            || make_prim_refs(vertices, (first + half as u32, b), to_b),
        );
        return a.union(b);
    }
    let mut all = Aabb::empty();
    for ((number, triangle), out) in (first..).zip(triangles).zip(out) {
        let own = around(vertices, triangle);
        *out = PrimRef::new(Bounds::around(&own), number);
        all = all.union(own);
    }
    all
}

#[inline(always)]
pub(crate) fn around<V: Vector>(vertices: &[V], triangle: &[u32; 3]) -> Aabb<V> {
    Aabb::from_points(triangle.map(|i| vertices[i as usize]))
}

/// Validates a mesh: at least one triangle, finite coordinates, indices in range, counts within the limits.
pub(crate) fn check<V: Vector>(vertices: &[V], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    if triangles.is_empty() {
        return Err(MeshError::NoTriangles);
    }
    if u32::try_from(vertices.len()).is_err() || triangles.len() > MAX_PRIMS {
        return Err(MeshError::TooMany);
    }
    check_finite(vertices)?;
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&index) = t.iter().find(|&&i| i as usize >= vertices.len()) {
            return Err(MeshError::OutOfRange { triangle, index, vertices: vertices.len() });
        }
    }
    Ok(())
}

fn check_finite<V: Vector>(vertices: &[V]) -> Result<(), MeshError> {
    let bad = vertices.iter().position(|v| !v.all_finite());
    bad.map_or(Ok(()), |vertex| Err(MeshError::NotFinite { vertex }))
}
