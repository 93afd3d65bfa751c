//! Rings of a polygon with holes, and the check that they neither cross nor touch.

use crate::mesh::error::{MeshError, RingProblem};
use crate::shapes::orientation::turn;
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A simple polygon with holes: the corners of its rings by number. The polygon is to the left of all edges, so the outline, the first
/// ring, goes counter-clockwise and holes go clockwise.
pub(crate) struct PolygonRings {
    pub(crate) points: Vec<[f64; 2]>,
    pub(crate) rings: Vec<Vec<u32>>,
}

/// An edge: its ends, and ring and corner where it begins.
#[derive(Clone, Copy)]
struct Edge {
    ends: [[f64; 2]; 2],
    from: (usize, usize),
}

impl Edge {
    /// The least and the greatest coordinate along an axis.
    fn extent(&self, axis: usize) -> [f64; 2] {
        let [a, b] = self.ends.map(|end| end[axis]);
        [a.min(b), a.max(b)]
    }
}

/// Whether two closed segments have a point in common.
pub(crate) fn segments_meet([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let overlap = |axis: usize| {
        let [p, q, r, s] = [a, b, c, d].map(|end| end[axis]);
        p.min(q) <= r.max(s) && r.min(s) <= p.max(q)
    };
    let straddle = |a, b, c, d| turn([a, b, c]) != turn([a, b, d]) || turn([a, b, c]).is_eq();
    overlap(0) && overlap(1) && straddle(a, b, c, d) && straddle(c, d, a, b)
}

/// Lexicographic order of two points.
pub(crate) fn precedes(a: [f64; 2], b: [f64; 2]) -> bool {
    a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])
}

impl PolygonRings {
    /// The rings of these lengths; the first one is the outline.
    #[inline(never)]
    pub(crate) fn new(points: Vec<[f64; 2]>, lengths: impl Iterator<Item = usize>) -> Result<Self, MeshError> {
        if u32::try_from(points.len()).is_err() {
            return Err(MeshError::TooMany);
        }
        // The rings as they are given.
        let (mut rings, mut first) = (Vec::new(), 0);
        for (ring, length) in lengths.enumerate() {
            let wrong = |vertex, problem| Err(MeshError::Ring { ring, vertex, problem });
            if length < 3 {
                return wrong(0, RingProblem::TooFewCorners);
            }
            if let Some(at) = points[first..first + length].iter().position(|p| !p.iter().all(|x| x.is_finite())) {
                return wrong(at, RingProblem::NotFinite);
            }
            let corners = &points[first..first + length];
            if let Some(at) = (0..length).find(|&at| corners[at] == corners[(at + 1) % length]) {
                return wrong(at, RingProblem::Repeated);
            }
            rings.push((first as u32..(first + length) as u32).collect::<Vec<u32>>());
            first += length;
        }
        let mut polygon = Self { points, rings };
        polygon.check_edges()?;
        polygon.check_holes()?;
        // The polygon to the left of every edge.
        for ring in 0..polygon.rings.len() {
            if polygon.is_counterclockwise(ring) != (ring == 0) {
                polygon.rings[ring].reverse();
            }
        }
        Ok(polygon)
    }

    pub(crate) fn point(&self, corner: u32) -> [f64; 2] {
        self.points[corner as usize]
    }

    fn edges(&self, ring: usize) -> impl Iterator<Item = Edge> + '_ {
        let corners = &self.rings[ring];
        let at = move |i: usize| self.point(corners[i % corners.len()]);
        (0..corners.len()).map(move |i| Edge { ends: [at(i), at(i + 1)], from: (ring, i) })
    }

    /// Whether edges have a point in common other than the corner between two that follow each other.
    fn check_edges(&self) -> Result<(), MeshError> {
        // From left to right: an edge is compared with those that begin before it ends.
        let mut edges: Vec<Edge> = (0..self.rings.len()).flat_map(|ring| self.edges(ring)).collect();
        let compare = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        stable_sort_by(&mut edges, |a, b| compare(a.extent(0)[0], b.extent(0)[0]));
        // Of several pairs, the first one by ring and corner.
        let mut found: Option<[(usize, usize); 2]> = None;
        for (i, edge) in edges.iter().enumerate() {
            let right = edge.extent(0)[1];
            for other in edges[i + 1..].iter().take_while(|other| other.extent(0)[0] <= right) {
                if self.meet(edge, other) {
                    let pair = [edge.from.min(other.from), edge.from.max(other.from)];
                    found = Some(found.map_or(pair, |found| found.min(pair)));
                }
            }
        }
        let Some([(ring, vertex), (other, at)]) = found else { return Ok(()) };
        Err(MeshError::Ring { ring, vertex, problem: RingProblem::Meets { ring: other, vertex: at } })
    }

    fn meet(&self, a: &Edge, b: &Edge) -> bool {
        let length = self.rings[a.from.0].len();
        let follows = |a: &Edge, b: &Edge| a.from.0 == b.from.0 && (a.from.1 + 1) % length == b.from.1;
        if !follows(a, b) && !follows(b, a) {
            return segments_meet(a.ends, b.ends);
        }
        // Two edges at a corner: one goes back along the other.
        let [first, second] = if follows(a, b) { [a, b] } else { [b, a] };
        let [p, q, r] = [first.ends[0], first.ends[1], second.ends[1]];
        turn([p, q, r]).is_eq() && precedes(p, q) != precedes(q, r)
    }

    /// Whether each hole is within the outline, and none within another one.
    fn check_holes(&self) -> Result<(), MeshError> {
        for ring in 1..self.rings.len() {
            let corner = self.point(self.rings[ring][0]);
            let wrong = |problem| Err(MeshError::Ring { ring, vertex: 0, problem });
            if !self.contains(0, corner) {
                return wrong(RingProblem::OutsideOutline);
            }
            if let Some(other) = (1..self.rings.len()).find(|&other| other != ring && self.contains(other, corner)) {
                return wrong(RingProblem::InsideHole { ring: other });
            }
        }
        Ok(())
    }

    /// Whether a point that is on no edge is within a ring: an odd number of edges is to its right.
    fn contains(&self, ring: usize, point: [f64; 2]) -> bool {
        let is_right = |Edge { ends: [a, b], .. }: &Edge| {
            let [low, high] = if a[1] > b[1] { [*b, *a] } else { [*a, *b] };
            (a[1] > point[1]) != (b[1] > point[1]) && turn([low, high, point]).is_gt()
        };
        self.edges(ring).filter(is_right).count() % 2 == 1
    }

    /// The way around, by the turn at the first corner in lexicographic order, which is never straight.
    fn is_counterclockwise(&self, ring: usize) -> bool {
        let corners = &self.rings[ring];
        let at = |i: usize| self.point(corners[i % corners.len()]);
        let first = (1..corners.len()).fold(0, |first, i| if precedes(at(i), at(first)) { i } else { first });
        turn([at(first + corners.len() - 1), at(first), at(first + 1)]).is_gt()
    }
}
