//! Outlines of meshes.

use crate::math::vector::Vector3;
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::outline::outline::Outline;
use crate::outline::outline_pen::OutlinePen;
use alloc::vec::Vec;

impl<V: Vector3> Outline<V> for TriangleMesh<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        // Each edge once, whichever triangles share it.
        let edges = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
        let mut edges: Vec<[u32; 2]> =
            self.triangles().iter().flat_map(edges).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        for [a, b] in edges.into_iter().filter(|[a, b]| a != b) {
            let [a, b] = [a, b].map(|i| self.vertices()[i as usize].widen());
            pen.segment(a, b);
        }
    }
}
