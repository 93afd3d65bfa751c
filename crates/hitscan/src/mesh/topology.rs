//! Topology of a mesh: counts of its edges, and whether it is closed.

use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::mesh::repeated_triangles::Reading;
use crate::stable_sort::{sorted_rows, stable_sort_by_key};
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
    /// Repeated triangles: their three corners are those of an earlier triangle, in any order.
    pub repeated_triangles: usize,
    /// Odd edges: an odd number of the triangles that count has the edge. A mesh with such an edge has no inside.
    ///
    /// Triangles with the same three corners count modulo two where that leaves a closed surface, as the wall that two boxes
    /// share, and else once, as faces that are there twice.
    pub odd_edges: usize,
}

impl Topology {
    /// Whether the mesh is closed, so that it has an inside: every edge has an even number of triangles, where
    /// [`odd_edges`](Self::odd_edges) has the rule for repeated ones. The orientation of triangles plays no part in it.
    #[doc(alias = "watertight")]
    pub fn is_closed(&self) -> bool {
        self.odd_edges == 0 && self.edges > 0
    }
}

/// Topology of a mesh, and the triangles that parity leaves out.
#[derive(Clone, Debug, Default)]
pub struct ParitySurface {
    pub(crate) topology: Topology,
    /// The triangles that parity leaves out, for they repeat others; ascending.
    pub(crate) repetitions: Box<[u32]>,
}

impl ParitySurface {
    /// Counts the edges, and decides how often repeated triangles count: O(n log n) in the number of triangles.
    pub(crate) fn of<V: Vector>(vertices: &[V], triangles: &[[u32; 3]]) -> Self {
        // Vertices at the same point are one: files often repeat vertices for normals or texture coordinates.
        let (points, id) = weld(vertices);
        let mut topology = Topology { points, ..Topology::default() };
        // An edge is smaller id, larger id, third corner, and triangle with direction; sorting makes equal edges adjacent, and there equal
        // triangles.
        let mut edges: Vec<[u32; 4]> = Vec::with_capacity(3 * triangles.len());
        for (number, t) in (0u32..).zip(triangles) {
            let [a, b, c] = t.map(|i| id[i as usize]);
            // A triangle with two corners at the same point encloses no area: it is counted, and its edges are left
            // out.
            if is_degenerate([a, b, c]) {
                topology.degenerate_triangles += 1;
                continue;
            }
            for (p, q, third) in [(a, b, c), (b, c, a), (c, a, b)] {
                edges.push([p.min(q), p.max(q), third, number << 1 | u32::from(p < q)]);
            }
        }
        let edges = sorted_rows(edges.into_iter());
        // Each edge with all triangles that have it. In an oriented closed surface both directions occur equally often.
        let mut repetitions = 0;
        for same in edges.chunk_by(|a, b| a[..2] == b[..2]) {
            let forward = same.iter().filter(|edge| edge[3] & 1 == 1).count();
            topology.edges += 1;
            topology.boundary_edges += usize::from(same.len() == 1);
            topology.non_manifold_edges += usize::from(same.len() > 2);
            topology.unbalanced_edges += usize::from(2 * forward != same.len());
            topology.odd_edges += same.len() % 2;
            repetitions += same.windows(2).filter(|pair| pair[0][2] == pair[1][2]).count();
        }
        // A repeated triangle was counted at each of its edges.
        topology.repeated_triangles = repetitions / 3;
        if repetitions == 0 {
            return Self { topology, ..Self::default() };
        }
        let reading = Reading::of(different_corners(triangles, &id));
        topology.odd_edges = reading.odd_edges;
        Self { topology, repetitions: reading.repetitions() }
    }

    /// The same topology, with the repetitions that are among some triangles, whose numbers ascend.
    pub(crate) fn among(&self, numbers: &[u32]) -> Self {
        let own = self.repetitions.iter().copied().filter(|number| numbers.binary_search(number).is_ok());
        Self { topology: self.topology, repetitions: own.collect() }
    }
}

/// Whether two corners of a triangle are one point.
pub(crate) fn is_degenerate([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// The triangles with three different points, by the ids of these points.
fn different_corners(triangles: &[[u32; 3]], id: &[u32]) -> impl Iterator<Item = ([u32; 3], u32)> {
    let corners = triangles.iter().map(|t| t.map(|i| id[i as usize]));
    corners.zip(0..).filter(|(corners, _)| !is_degenerate(*corners))
}

/// Lazily computed topology of a mesh: few callers need it, and it takes a fifth of the build time. Threads that
/// request it at the same time may each compute it.
#[derive(Clone, Default)]
pub(crate) struct LazyTopology(OnceBox<ParitySurface>);

impl LazyTopology {
    /// A topology that is known already.
    pub(crate) fn known(surface: ParitySurface) -> Self {
        Self(OnceBox::with_value(Box::new(surface)))
    }

    /// The topology, if it has been computed.
    pub(crate) fn if_known(&self) -> Option<&ParitySurface> {
        self.0.get()
    }

    pub(crate) fn get<V: Vector>(&self, vertices: &[V], triangles: &[[u32; 3]]) -> &ParitySurface {
        self.0.get_or_init(|| Box::new(ParitySurface::of(vertices, triangles)))
    }
}

impl fmt::Debug for LazyTopology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.get().map(|surface| surface.topology).fmt(f)
    }
}

/// Merges vertices at the same point: returns the number of distinct points, and for each vertex the first index at its
/// point.
fn weld<V: Vector>(vertices: &[V]) -> (usize, Vec<u32>) {
    // -0 + 0 = 0: both zeros are the same coordinate.
    let key = |i: u32| vertices[i as usize].to_xyz().map(|x| (x.to_f64() + 0.0).to_bits());
    let mut order: Vec<u32> = (0..u32::try_from(vertices.len()).unwrap_or(u32::MAX)).collect();
    stable_sort_by_key(&mut order, |&i| key(i));
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

    fn topology_of(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Topology {
        ParitySurface::of(vertices, triangles).topology
    }

    #[test]
    fn closed_and_open() {
        let closed = topology_of(&corners(), &TETRAHEDRON);
        assert!(closed.is_closed());
        assert_eq!((closed.points, closed.edges), (4, 6));
        let open = topology_of(&corners(), &TETRAHEDRON[..3]);
        assert!(!open.is_closed());
        assert_eq!(open.boundary_edges, 3);
        let mut turned = TETRAHEDRON;
        turned[0].swap(0, 1);
        let turned = topology_of(&corners(), &turned);
        assert_eq!((turned.boundary_edges, turned.unbalanced_edges), (0, 3));
        assert!(turned.is_closed(), "orientation plays no part in it");
    }

    /// The counts of a mesh that is given by the numbers of `TETRAHEDRON`, and of these those that parity leaves out.
    fn repeated(triangles: &[usize]) -> (usize, usize, Vec<u32>) {
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|&i| TETRAHEDRON[i]).collect();
        let ParitySurface { topology, repetitions } = ParitySurface::of(&corners(), &triangles);
        (topology.repeated_triangles, topology.odd_edges, repetitions.to_vec())
    }

    #[test]
    fn repeated_triangles_count_once_where_modulo_two_leaves_a_hole() {
        assert_eq!(repeated(&[0, 1, 2, 3, 2]), (1, 0, vec![4]));
        assert_eq!(repeated(&[0, 1, 2, 3, 3, 3]), (2, 0, vec![4, 5]));
        assert_eq!(repeated(&[0, 0, 1, 1, 2, 3]), (2, 0, vec![1, 3]));
    }

    #[test]
    fn a_mesh_that_is_repeated_counts_once() {
        assert_eq!(repeated(&[0, 1, 2, 3, 0, 1, 2, 3]), (4, 0, vec![4, 5, 6, 7]));
        assert_eq!(repeated(&[0, 1, 2, 0, 1, 2]), (3, 3, vec![3, 4, 5]), "open, and there twice");
        assert_eq!(repeated(&[0, 0]), (1, 3, vec![1]), "a sheet with two sides");
    }

    /// Two tetrahedra that share a face, which lies inside of both together.
    #[test]
    fn a_wall_that_two_solids_share_counts_modulo_two() {
        let mut vertices = corners();
        vertices.push(Vec3::ONE);
        let mut triangles = TETRAHEDRON.to_vec();
        triangles.extend([[1, 2, 3], [1, 2, 4], [2, 3, 4], [3, 1, 4]]);
        let surface = ParitySurface::of(&vertices, &triangles);
        assert_eq!((surface.topology.odd_edges, surface.repetitions.len()), (0, 0));
        // All of it twice.
        triangles.extend(triangles.clone());
        let surface = ParitySurface::of(&vertices, &triangles);
        assert_eq!((surface.topology.odd_edges, surface.repetitions.to_vec()), (0, vec![8, 9, 11, 13, 14, 15]));
    }

    #[test]
    fn vertices_at_one_point_are_one() {
        let vertices: Vec<Vec3> = TETRAHEDRON.iter().flatten().map(|&i| corners()[i as usize] * -0.5).collect();
        let soup: Vec<[u32; 3]> = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        assert!(topology_of(&vertices, &soup).is_closed());
    }
}
