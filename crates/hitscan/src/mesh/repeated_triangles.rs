//! Triangles with the same three corners: how often each of them counts for parity.

use crate::mesh::parity_forest::ParityForest;
use crate::stable_sort::sorted_rows;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// Passes over the edges that look for a reading. The passes end before that if one of them finds nothing new.
const MAX_PASSES: usize = 16;

/// The triangles that parity counts, of a mesh in which some triangles have the same three corners.
///
/// # Method
/// The unknown of each set of equal triangles of even number is whether it counts once or, modulo two, not at all; a set of odd
/// number counts once. Every edge of a closed surface has an even number of triangles that count: an equation modulo two. An
/// edge with one unknown decides it, one with two unknowns makes them equal or different. Unknowns that stay free do not count.
/// Where all sets of a connected part are even, the part as a whole is repeated, and its numbers are halved first. If edges stay
/// odd, the sets of three and more are unknowns, too: one side of a wall may be there twice.
pub(crate) struct Reading {
    /// Sets of equal triangles: the numbers of their triangles, ascending.
    sets: Sets,
    /// Whether each set counts.
    counts: Vec<bool>,
    /// Edges with an odd number of triangles that count.
    pub(crate) odd_edges: usize,
}

/// An edge, by its vertices in ascending order, with a set of triangles that has it.
type SetEdge = ([u32; 2], u32);

/// Triangles in sets with the same three corners.
struct Sets {
    /// The triangles of all sets, one set after the other.
    triangles: Vec<u32>,
    /// Where each set begins, and the end of the last one.
    starts: Vec<usize>,
}

impl Sets {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }
    fn of(&self, set: usize) -> &[u32] {
        &self.triangles[self.starts[set]..self.starts[set + 1]]
    }
}

impl Reading {
    /// The reading of triangles, each given by three different points in any order. O(n log n).
    pub(crate) fn of(triangles: impl Iterator<Item = ([u32; 3], u32)>) -> Self {
        // Equal triangles become neighbours: corners are sorted, then triangles.
        let triangles = sorted_rows(triangles.map(|(mut corners, triangle)| {
            corners.sort_unstable();
            let [a, b, c] = corners;
            [a, b, c, triangle]
        }));
        let (mut starts, mut edges) = (vec![0], Vec::new());
        for same in triangles.chunk_by(|a, b| a[..3] == b[..3]) {
            let ([a, b, c, _], set) = (same[0], (starts.len() - 1) as u32);
            edges.extend([[a, b], [b, c], [a, c]].map(|[p, q]| [p, q, set, 0]));
            starts.push(starts[starts.len() - 1] + same.len());
        }
        let edges: Vec<SetEdge> =
            sorted_rows(edges.into_iter()).into_iter().map(|[p, q, set, _]| ([p, q], set)).collect();
        let sets = Sets { triangles: triangles.into_iter().map(|[.., triangle]| triangle).collect(), starts };
        // The whole mesh modulo two, and once, are readings, too. The one with the fewest odd edges is taken; a reading in
        // which nothing counts is none.
        let modulo_two = (0..sets.len()).map(|set| sets.of(set).len() % 2 == 1).collect();
        let local = |is_unknown| local_reading(&sets, &edges, is_unknown);
        let readings =
            [local(|copies| copies % 2 == 0), local(|copies| copies > 1), modulo_two, vec![true; sets.len()]];
        let mut best = (usize::MAX, Vec::new());
        for counts in readings.into_iter().filter(|counts| counts.contains(&true)) {
            let odd = odd_edges(&edges, &counts).count();
            if odd < best.0 {
                best = (odd, counts);
            }
        }
        let (odd_edges, counts) = best;
        Self { sets, counts, odd_edges }
    }

    /// The triangles that parity leaves out, ascending: of a set that counts all but the first, of another one the last if their
    /// number is odd.
    pub(crate) fn repetitions(&self) -> Box<[u32]> {
        let left_out = |set: usize| {
            let triangles = self.sets.of(set);
            let kept = if self.counts[set] { 1 } else { triangles.len() / 2 * 2 };
            &triangles[kept..]
        };
        let mut found: Vec<u32> = (0..self.sets.len()).flat_map(left_out).copied().collect();
        found.sort_unstable();
        found.into()
    }

    /// The first triangle of each set that counts, ascending: the surface without repetitions.
    pub(crate) fn surface(&self) -> Vec<u32> {
        let counted = (0..self.sets.len()).filter(|&set| self.counts[set]);
        let mut found: Vec<u32> = counted.map(|set| self.sets.of(set)[0]).collect();
        found.sort_unstable();
        found
    }
}

/// The sets of each edge, from edges that are sorted.
fn by_edge(edges: &[SetEdge]) -> impl Iterator<Item = &[SetEdge]> {
    edges.chunk_by(|a, b| a.0 == b.0)
}

/// The edges with an odd number of sets that count, by one of their sets.
fn odd_edges<'a>(edges: &'a [SetEdge], counts: &'a [bool]) -> impl Iterator<Item = u32> + 'a {
    let is_odd = |sets: &&[SetEdge]| sets.iter().filter(|(_, set)| counts[*set as usize]).count() % 2 == 1;
    by_edge(edges).filter(is_odd).map(|sets| sets[0].1)
}

/// For each set whether it counts, from the equations of the edges; `is_unknown` tells it of the number of copies.
fn local_reading(sets: &Sets, edges: &[SetEdge], is_unknown: fn(usize) -> bool) -> Vec<bool> {
    // Parts that hang together by edges, and how often each part as a whole is repeated.
    let mut parts = ParityForest::new(sets.len());
    for pair in edges.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        parts.join(pair[0].1, pair[1].1, false);
    }
    let part: Vec<usize> = (0..sets.len() as u32).map(|set| parts.root(set).0 as usize).collect();
    let mut halvings = vec![u32::MAX; sets.len()];
    for set in 0..sets.len() {
        halvings[part[set]] = halvings[part[set]].min(sets.of(set).len().trailing_zeros());
    }
    // One more node stands for a set that does not count. Sets that are known to count are its opposite.
    let nothing = sets.len() as u32;
    let mut unknowns = ParityForest::new(sets.len() + 1);
    for set in 0..sets.len() {
        if !is_unknown(sets.of(set).len() >> halvings[part[set]]) {
            unknowns.join(set as u32, nothing, true);
        }
    }
    solve(edges, nothing, &mut unknowns);
    let (zero, offset) = unknowns.root(nothing);
    let mut counts: Vec<bool> =
        (0..nothing).map(|set| unknowns.root(set)).map(|(root, odd)| root == zero && odd != offset).collect();
    // A part that is repeated and, counted once, is not closed has two sides: a sheet. It encloses nothing.
    let mut is_sheet = vec![false; sets.len()];
    for set in odd_edges(edges, &counts) {
        let part = part[set as usize];
        is_sheet[part] = halvings[part] > 0;
    }
    for set in 0..sets.len() {
        counts[set] &= !is_sheet[part[set]];
    }
    counts
}

/// Joins unknowns by the equations of edges that have at most two of them.
fn solve(edges: &[SetEdge], nothing: u32, unknowns: &mut ParityForest) {
    let mut open = Vec::new();
    for _ in 0..MAX_PASSES {
        let mut found_more = false;
        for sets in by_edge(edges) {
            // What is known adds up to a number; an unknown that occurs twice cancels itself.
            let (zero, offset) = unknowns.root(nothing);
            let mut sum = false;
            open.clear();
            for &(_, set) in sets {
                let (root, odd) = unknowns.root(set);
                if root == zero {
                    sum ^= odd != offset;
                } else {
                    sum ^= odd;
                    match open.iter().position(|other| *other == root) {
                        Some(place) => drop(open.swap_remove(place)),
                        None => open.push(root),
                    }
                }
            }
            match open[..] {
                [one] => found_more |= unknowns.join(one, nothing, sum),
                [one, other] => found_more |= unknowns.join(one, other, sum),
                _ => {}
            }
        }
        if !found_more {
            break;
        }
    }
}
