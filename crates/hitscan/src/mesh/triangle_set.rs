//! `TriangleSet`: what searches read of a mesh.

use crate::aabb::Aabb;
use crate::bvh::node::Leaf;
use crate::bvh::primitive_index::Accel;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::mesh::triangle_blocks::TriangleBlocks;

/// The triangles of a mesh, for a search.
#[derive(Clone, Copy)]
pub(crate) struct TriangleSet<'a, V: Vector> {
    pub(crate) vertices: &'a [V],
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) bounds: &'a Aabb<V>,
    pub(crate) index: &'a Accel,
    pub(crate) blocks: Option<&'a TriangleBlocks>,
}

impl<V: Vector3> TriangleSet<'_, V> {
    /// Corners of a triangle.
    #[inline(always)]
    pub(crate) fn corners_of(&self, triangle: u32) -> [Vec3<f64>; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize].widen())
    }

    /// The same corners, from the blocks if these have all digits: after a search they are in the cache.
    #[inline(always)]
    pub(crate) fn corners_at(&self, triangle: u32, slot: Option<(Leaf, u32)>) -> [Vec3<f64>; 3] {
        match (self.blocks, slot) {
            (Some(blocks), Some(slot)) if blocks.are_exact => blocks.of(slot),
            _ => self.corners_of(triangle),
        }
    }
}
