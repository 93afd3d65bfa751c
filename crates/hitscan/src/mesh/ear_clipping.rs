//! Triangles that fill a polygon with holes.

use crate::mesh::polygon_rings::{PolygonRings, precedes, segments_meet};
use crate::shapes::orientation::turn;
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The triangles of a polygon, counter-clockwise, by the numbers of its corners.
///
/// # Method
/// Each hole is joined with the outline by a pair of edges from its rightmost corner to a corner that it sees. From the one ring that
/// results, ears are cut: triangles of three corners in a row that contain no other corner.
///
/// # Source
/// Eberly, *Triangulation by Ear Clipping*, Geometric Tools, 2002; Meisters, *Polygons Have Ears*, American Mathematical Monthly
/// 82(6), 1975.
///
/// # Edges
/// All signs are exact. A corner between two edges along one line is never the tip of an ear, and no ear has it on its border.
pub(crate) fn triangulate(polygon: &PolygonRings) -> Vec<[u32; 3]> {
    let mut ring = joined(polygon);
    let mut triangles = Vec::with_capacity(ring.len());
    // Around the ring, as long as there are ears: a simple polygon always has two.
    let (mut at, mut missed) = (0, 0);
    while ring.len() > 3 && missed < ring.len() {
        let n = ring.len();
        let [before, tip, after] = [at + n - 1, at, at + 1].map(|i| ring[i % n]);
        if is_ear(polygon, &ring, [before, tip, after]) {
            triangles.push([before, tip, after]);
            ring.remove(at);
            missed = 0;
        } else {
            at += 1;
            missed += 1;
        }
        at %= ring.len();
    }
    debug_assert_eq!(ring.len(), 3, "every simple polygon has an ear");
    triangles.push([ring[0], ring[1], ring[2]]);
    triangles
}

/// Whether three corners in a row turn left, and their triangle contains no other corner of the ring. Corners at the place of one of
/// them are the other ends of joints.
fn is_ear(polygon: &PolygonRings, ring: &[u32], corners: [u32; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| polygon.point(corner));
    if !turn([a, b, c]).is_gt() {
        return false;
    }
    // Most corners are outside of the box of the triangle.
    let low = [0, 1].map(|axis| a[axis].min(b[axis]).min(c[axis]));
    let high = [0, 1].map(|axis| a[axis].max(b[axis]).max(c[axis]));
    let is_beside = |p: [f64; 2]| (0..2).any(|axis| p[axis] < low[axis] || p[axis] > high[axis]);
    let is_within = |p: [f64; 2]| [[a, b, p], [b, c, p], [c, a, p]].into_iter().all(|corners| turn(corners).is_ge());
    ring.iter()
        .map(|&corner| polygon.point(corner))
        .all(|p| is_beside(p) || p == a || p == b || p == c || !is_within(p))
}

/// The outline with all holes joined to it, from right to left: a hole sees no hole that is further to the left.
fn joined(polygon: &PolygonRings) -> Vec<u32> {
    let at = |corner: u32| polygon.point(corner);
    let rightmost = |ring: &Vec<u32>| {
        (1..ring.len()).fold(0, |best, i| if precedes(at(ring[best]), at(ring[i])) { i } else { best })
    };
    let mut holes: Vec<(usize, &Vec<u32>)> = polygon.rings[1..].iter().map(|ring| (rightmost(ring), ring)).collect();
    stable_sort_by(
        &mut holes,
        |(i, a), (j, b)| {
            if precedes(at(b[*j]), at(a[*i])) { Ordering::Less } else { Ordering::Greater }
        },
    );
    let mut ring = polygon.rings[0].clone();
    for (number, &(first, hole)) in holes.iter().enumerate() {
        let from = hole[first];
        let rest: Vec<&Vec<u32>> = holes[number..].iter().map(|(_, hole)| *hole).collect();
        let joint = joint_of(polygon, &ring, &rest, from);
        // There, around the hole, back, and on from the same corner.
        let around = (0..=hole.len()).map(|i| hole[(first + i) % hole.len()]);
        let detour: Vec<u32> = around.chain([ring[joint]]).collect();
        ring.splice(joint + 1..joint + 1, detour);
    }
    ring
}

/// The place in the ring of the nearest corner that the rightmost corner `from` of a hole sees; `holes` are those that are not joined.
fn joint_of(polygon: &PolygonRings, ring: &[u32], holes: &[&Vec<u32>], from: u32) -> usize {
    let at = |corner: u32| polygon.point(corner);
    let from = at(from);
    // Which of several corners that it sees does not matter, so the distances may be rounded.
    let distance_sq = |i: &usize| {
        let [x, y] = at(ring[*i]);
        (x - from[0]) * (x - from[0]) + (y - from[1]) * (y - from[1])
    };
    let mut order: Vec<usize> = (0..ring.len()).collect();
    stable_sort_by(&mut order, |a, b| distance_sq(a).partial_cmp(&distance_sq(b)).unwrap_or(Ordering::Equal));
    let edges = |ring: &[u32], i: usize| [at(ring[i]), at(ring[(i + 1) % ring.len()])];
    let sees = |i: usize| {
        let to = at(ring[i]);
        let [before, after] = [at(ring[(i + ring.len() - 1) % ring.len()]), at(ring[(i + 1) % ring.len()])];
        is_between([before, to, after], from)
            && (0..ring.len()).all(|i| !blocks([from, to], edges(ring, i)))
            && holes.iter().all(|hole| (0..hole.len()).all(|i| !blocks([from, to], edges(hole, i))))
    };
    let found = order.iter().copied().find(|&i| sees(i));
    debug_assert!(found.is_some(), "the rightmost corner of a hole sees a corner to its right");
    found.unwrap_or(0)
}

/// Whether the way from the corner `b` to a point begins inside of the polygon, between the edges to `c` and from `a`.
fn is_between([a, b, c]: [[f64; 2]; 3], point: [f64; 2]) -> bool {
    let [to_next, from_last] = [turn([b, c, point]), turn([a, b, point])];
    if turn([a, b, c]).is_gt() { to_next.is_gt() && from_last.is_gt() } else { to_next.is_gt() || from_last.is_gt() }
}

/// Whether an edge has a point in common with a segment other than an end of both.
fn blocks([p, q]: [[f64; 2]; 2], [a, b]: [[f64; 2]; 2]) -> bool {
    let shared = |end: [f64; 2]| end == p || end == q;
    let [end, other] = match (shared(a), shared(b)) {
        (false, false) => return segments_meet([p, q], [a, b]),
        (true, true) => return true,
        (true, false) => [a, b],
        (false, true) => [b, a],
    };
    // From the common end: in the same direction, or not.
    let far = if end == p { q } else { p };
    turn([end, far, other]).is_eq() && precedes(end, far) == precedes(end, other)
}
