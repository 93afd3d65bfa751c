//! Topology of a mesh: counts of its edges, and whether it is closed.

use crate::math::real::Real;
use crate::math::vector::Vector;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use once_cell::race::OnceBox;

/// Topology of a mesh, as counts over its edges. Vertices at the same point count as one vertex, whatever their
/// indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Topology {
    /// Distinct points.
    pub points: usize,
    /// Distinct edges.
    pub edges: usize,
    /// Boundary edges, which only one triangle has: the rim of a hole.
    pub boundary_edges: usize,
    /// Non-manifold edges, which more than two triangles share.
    pub non_manifold_edges: usize,
    /// Unbalanced edges: the triangles do not traverse the edge equally often in both directions. Holes and neighbours
    /// of opposite orientation have such edges.
    pub unbalanced_edges: usize,
    /// Degenerate triangles: two corners are the same point.
    pub degenerate_triangles: usize,
}

impl Topology {
    /// Whether the mesh is closed, so that it has an inside: its triangles traverse every edge equally often in both
    /// directions.
    #[doc(alias = "watertight")]
    pub fn is_closed(&self) -> bool {
        self.unbalanced_edges == 0 && self.edges > 0
    }

    /// Counts the edges: O(n log n) in the number of triangles.
    pub(crate) fn of<V: Vector>(vertices: &[V], triangles: &[[u32; 3]]) -> Self {
        // Vertices at the same point are one: files often repeat vertices for normals or texture coordinates.
        let (points, id) = weld(vertices);
        let mut topology = Self { points, ..Self::default() };
        // An edge is (smaller id, larger id, direction); sorting makes equal edges adjacent.
        let mut edges: Vec<(u64, bool)> = Vec::with_capacity(3 * triangles.len());
        for t in triangles {
            let [a, b, c] = t.map(|i| id[i as usize]);
            // A triangle with two corners at the same point encloses no area: it is counted, and its edges are left
            // out.
            if a == b || b == c || c == a {
                topology.degenerate_triangles += 1;
                continue;
            }
            for (p, q) in [(a, b), (b, c), (c, a)] {
                edges.push((u64::from(p.min(q)) << 32 | u64::from(p.max(q)), p < q));
            }
        }
        edges.sort_unstable();
        // Each edge with all triangles that have it. In a closed surface both directions occur equally often.
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            let forward = same.iter().filter(|e| e.1).count();
            topology.edges += 1;
            topology.boundary_edges += usize::from(same.len() == 1);
            topology.non_manifold_edges += usize::from(same.len() > 2);
            topology.unbalanced_edges += usize::from(2 * forward != same.len());
        }
        topology
    }
}

/// Lazily computed topology of a mesh: few callers need it, and it takes a fifth of the build time. Threads that
/// request it at the same time may each compute it.
#[derive(Clone, Default)]
pub(crate) struct LazyTopology(OnceBox<Topology>);

impl LazyTopology {
    /// A topology that is known already.
    pub(crate) fn known(topology: Topology) -> Self {
        Self(OnceBox::with_value(Box::new(topology)))
    }

    /// The topology, if it has been computed.
    pub(crate) fn if_known(&self) -> Option<&Topology> {
        self.0.get()
    }

    pub(crate) fn get<V: Vector>(&self, vertices: &[V], triangles: &[[u32; 3]]) -> &Topology {
        self.0.get_or_init(|| Box::new(Topology::of(vertices, triangles)))
    }
}

impl fmt::Debug for LazyTopology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.get().fmt(f)
    }
}

/// Merges vertices at the same point: returns the number of distinct points, and for each vertex the first index at its
/// point.
fn weld<V: Vector>(vertices: &[V]) -> (usize, Vec<u32>) {
    // -0 + 0 = 0: both zeros are the same coordinate.
    let key = |i: u32| vertices[i as usize].to_xyz().map(|x| (x.to_f64() + 0.0).to_bits());
    let mut order: Vec<u32> = (0..u32::try_from(vertices.len()).unwrap_or(u32::MAX)).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    let mut id = vec![0; vertices.len()];
    let mut points = 0;
    for same in order.chunk_by(|&a, &b| key(a) == key(b)) {
        points += 1;
        for &i in same {
            id[i as usize] = same[0];
        }
    }
    (points, id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    fn corners() -> Vec<Vec3> {
        [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].to_vec()
    }

    #[test]
    fn closed_and_open() {
        let closed = Topology::of(&corners(), &TETRAHEDRON);
        assert!(closed.is_closed());
        assert_eq!((closed.points, closed.edges), (4, 6));
        let open = Topology::of(&corners(), &TETRAHEDRON[..3]);
        assert!(!open.is_closed());
        assert_eq!(open.boundary_edges, 3);
        let mut turned = TETRAHEDRON;
        turned[0].swap(0, 1);
        let turned = Topology::of(&corners(), &turned);
        assert_eq!((turned.boundary_edges, turned.unbalanced_edges), (0, 3));
    }

    #[test]
    fn vertices_at_one_point_are_one() {
        let vertices: Vec<Vec3> = TETRAHEDRON.iter().flatten().map(|&i| corners()[i as usize] * -0.5).collect();
        let soup: Vec<[u32; 3]> = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        assert!(Topology::of(&vertices, &soup).is_closed());
    }
}
