//! Whether triangles in the plane overlap.

use super::box_tree::{Box2, BoxTree, Search};
use super::orientation::{Point, Turn, turn};

/// Searches for overlaps, and keeps its memory from one polygon to the next.
#[derive(Default)]
pub(super) struct OverlapFinder {
    boxes: Vec<Box2>,
    tree: BoxTree,
    /// Nodes and triangles that were visited.
    pub(super) visits: u64,
}

/// Whether the triangles of a polygon overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// No two have a point within both; or the search ended before it found any.
    Apart,
    /// Two have one.
    Meet,
}

impl OverlapFinder {
    /// Visits for each triangle: enough for all pairs of some hundred triangles, and for larger polygons unless most of their triangles
    /// are long.
    pub(super) const VISITS: u64 = 1024;

    /// Searches among triangles of corners at `points` that do not turn right.
    pub(super) fn find(&mut self, points: &[Point], triangles: &[[usize; 3]]) -> Overlap {
        let corners = |triangle: usize| triangles[triangle].map(|corner| points[corner]);
        self.boxes.clear();
        self.boxes.extend((0..triangles.len()).map(|triangle| bounds(&corners(triangle))));
        self.tree.build(&self.boxes);
        self.visits = 0;
        let (boxes, most) = (&self.boxes, 4096 + Self::VISITS * triangles.len() as u64);
        for triangle in 0..triangles.len() {
            // Each pair is tested once: an earlier triangle does not meet the later ones.
            let (mut nodes, mut visited) = (0, 0);
            let mut is_near = |bounds: &Box2| {
                nodes += 1;
                meet(bounds, &boxes[triangle])
            };
            let mut visit = |other: usize| {
                visited += 1;
                let overlap = other > triangle
                    && meet(&boxes[other], &boxes[triangle])
                    && overlap(&corners(triangle), &corners(other));
                if overlap { Search::Stop } else { Search::Continue }
            };
            let ended = self.tree.search(&mut is_near, &mut visit);
            self.visits += nodes + visited;
            if ended == Search::Stop {
                return Overlap::Meet;
            }
            if self.visits >= most {
                break;
            }
        }
        Overlap::Apart
    }
}

/// The box around a triangle.
pub(super) fn bounds([a, b, c]: &[Point; 3]) -> Box2 {
    let low = [0, 1].map(|axis| a[axis].min(b[axis]).min(c[axis]));
    [low, [0, 1].map(|axis| a[axis].max(b[axis]).max(c[axis]))]
}

/// Whether boxes have points within both.
fn meet(a: &Box2, b: &Box2) -> bool {
    (0..2).all(|axis| a[0][axis] < b[1][axis] && b[0][axis] < a[1][axis])
}

/// Whether triangles that do not turn right have points within both: no edge has the other triangle on its right.
fn overlap(a: &[Point; 3], b: &[Point; 3]) -> bool {
    let is_flat = |[a, b, c]: &[Point; 3]| turn(*a, *b, *c) == Turn::Straight;
    let separates = |of: &[Point; 3], other: &[Point; 3]| {
        let edges = [(of[0], of[1]), (of[1], of[2]), (of[2], of[0])];
        edges.into_iter().any(|(from, to)| other.iter().all(|point| turn(from, to, *point) != Turn::Left))
    };
    !(is_flat(a) || is_flat(b) || separates(a, b) || separates(b, a))
}
