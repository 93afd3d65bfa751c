//! Ear clipping of a polygon in the plane, with exact orientations.
//!
//! Source: Meisters, *Polygons Have Ears*, 1975; O'Rourke, *Computational Geometry in C*, 1998, section 1.6, for the rings of
//! corners. All triangles that turn left together cover each point as often as the polygon winds around it, so a polygon is
//! cut right if no triangle turns right and no two overlap: a test of the result, whatever led to it.

use super::box_tree::{Box2, BoxTree, Search};
use super::orientation::{Point, Turn, turn};
use super::overlap::bounds;
use std::collections::VecDeque;

/// Cuts polygons, and keeps its memory from one to the next.
#[derive(Default)]
pub(super) struct EarClipper {
    /// The corners that are left, in a ring.
    ring: Vec<Corner>,
    left: usize,
    /// Any corner that is left.
    any: usize,
    /// Corners that may be the tips of ears.
    waiting: VecDeque<usize>,
    /// Corners where the path may go back the way that it came.
    spikes: Vec<usize>,
    boxes: Vec<Box2>,
    tree: BoxTree,
    /// Nodes and corners that were visited.
    pub(super) visits: u64,
    /// The triangles, as numbers of corners.
    pub(super) triangles: Vec<[usize; 3]>,
    result: EarResult,
}

#[derive(Clone, Copy)]
struct Corner {
    previous: usize,
    next: usize,
    state: CornerState,
}

#[derive(Clone, Copy, PartialEq)]
enum CornerState {
    Waiting,
    Tried,
    Removed,
}

/// The triangles of a polygon that was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EarResult {
    /// None turns right: they cover what the polygon winds around.
    #[default]
    Covers,
    /// Some turn right, or the polygon took too long.
    TurnsRight,
}

/// Which corners keep a triangle from being an ear.
#[derive(Clone, Copy, PartialEq)]
enum Blocking {
    /// Those within it and on its edges. A polygon whose boundary does not touch itself always has such an ear.
    Closed,
    /// Those within it only.
    Open,
}

impl EarClipper {
    /// Visits for each corner. Ears of usual polygons need some dozens; a polygon that uses all was made to.
    pub(super) const VISITS: u64 = 256;

    /// Cuts a polygon of four or more corners that runs counterclockwise; into two triangles less than it has corners.
    pub(super) fn cut(&mut self, points: &[Point]) -> EarResult {
        self.start(points);
        let most = 4096 + Self::VISITS * points.len() as u64;
        while self.left > 3 {
            if self.visits >= most {
                self.cut_rest(points);
                break;
            }
            // Spikes first: their triangles have no area, and no ear is in their way.
            if let Some(corner) = self.spikes.pop() {
                if self.ring[corner].state != CornerState::Removed && self.is_spike(points, corner) {
                    self.clip(points, corner);
                }
                continue;
            }
            let Some(tip) = self.waiting.pop_front() else {
                self.unlock(points);
                continue;
            };
            if self.ring[tip].state == CornerState::Waiting {
                self.ring[tip].state = CornerState::Tried;
                if self.is_ear(points, tip, Blocking::Closed) {
                    self.clip(points, tip);
                }
            }
        }
        let Corner { previous, next, .. } = self.ring[self.any];
        self.push(points, [previous, self.any, next]);
        self.result
    }

    fn start(&mut self, points: &[Point]) {
        let count = points.len();
        self.ring.clear();
        let corner =
            |i: usize| Corner { previous: (i + count - 1) % count, next: (i + 1) % count, state: CornerState::Waiting };
        self.ring.extend((0..count).map(corner));
        (self.left, self.any) = (count, 0);
        // The second corner is the first tip: its triangle begins with the first corner, as that of a fan does.
        self.waiting.clear();
        self.waiting.extend((1..count).chain([0]));
        self.spikes.clear();
        self.spikes.extend((0..count).rev());
        self.boxes.clear();
        self.boxes.extend(points.iter().map(|point| [*point; 2]));
        self.tree.build(&self.boxes);
        self.visits = 0;
        self.triangles.clear();
        self.result = EarResult::Covers;
    }

    /// The turn at a corner of the ring.
    fn turn_at(&self, points: &[Point], corner: usize) -> Turn {
        let Corner { previous, next, .. } = self.ring[corner];
        turn(points[previous], points[corner], points[next])
    }

    /// Whether the path goes back at a corner the way that it came, or stays at one point. The triangle there has no area.
    fn is_spike(&self, points: &[Point], corner: usize) -> bool {
        let Corner { previous, next, .. } = self.ring[corner];
        let [a, b, c] = [previous, corner, next].map(|corner| points[corner]);
        let goes_back = |axis: usize| a[axis].max(c[axis]) < b[axis] || b[axis] < a[axis].min(c[axis]);
        (a == b || b == c || goes_back(0) || goes_back(1)) && turn(a, b, c) == Turn::Straight
    }

    /// Whether the triangle at `tip` can be cut off: it turns left, and no other corner is in the way.
    fn is_ear(&mut self, points: &[Point], tip: usize, blocking: Blocking) -> bool {
        self.visits += 1;
        if self.turn_at(points, tip) != Turn::Left {
            return false;
        }
        let Corner { previous, next, .. } = self.ring[tip];
        let corners = [previous, tip, next];
        let [a, b, c] = corners.map(|corner| points[corner]);
        let mut visits = 0;
        let own = bounds(&[a, b, c]);
        // A box is near unless it is beside the triangle's own, or an edge has all of it on its right.
        let mut is_near = |bounds: &Box2| {
            visits += 1;
            touch(bounds, &own)
                && [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| {
                    let x = bounds[usize::from(to[1] <= from[1])][0];
                    let y = bounds[usize::from(to[0] >= from[0])][1];
                    turn(from, to, [x, y]) != Turn::Right
                })
        };
        let mut visited = 0;
        let mut visit = |corner: usize| {
            visited += 1;
            let is_other = self.ring[corner].state != CornerState::Removed && !corners.contains(&corner);
            let blocks = is_other && self.blocks(points, corner, [a, b, c], blocking);
            if blocks { Search::Stop } else { Search::Continue }
        };
        let ended = self.tree.search(&mut is_near, &mut visit);
        self.visits += visits + visited;
        ended == Search::Continue
    }

    /// Whether a corner keeps the triangle `a b c` from being an ear with the tip `b`.
    fn blocks(&self, points: &[Point], corner: usize, [a, b, c]: [Point; 3], blocking: Blocking) -> bool {
        let point = points[corner];
        // A path through a or c cannot leave the triangle without a corner in it, for the edges there are the polygon's.
        if point == a || point == c {
            return false;
        }
        // A path through the tip leaves it across the cut.
        if point == b {
            let Corner { previous, next, .. } = self.ring[corner];
            let enters = |other: usize| {
                let other = points[other];
                turn(a, b, other) == Turn::Left && turn(b, c, other) == Turn::Left
            };
            return enters(previous) || enters(next);
        }
        let turns = [turn(a, b, point), turn(b, c, point), turn(c, a, point)];
        match blocking {
            Blocking::Closed => !turns.contains(&Turn::Right),
            Blocking::Open => turns == [Turn::Left; 3],
        }
    }

    /// Cuts off the triangle at a corner, after which its neighbours may be tips.
    fn clip(&mut self, points: &[Point], tip: usize) {
        let Corner { previous, next, .. } = self.ring[tip];
        self.push(points, [previous, tip, next]);
        self.ring[tip].state = CornerState::Removed;
        self.ring[previous].next = next;
        self.ring[next].previous = previous;
        self.tree.remove(tip);
        self.left -= 1;
        self.any = next;
        for neighbour in [previous, next] {
            self.wait(neighbour);
            self.spikes.push(neighbour);
        }
    }

    fn wait(&mut self, corner: usize) {
        if self.ring[corner].state == CornerState::Tried {
            self.ring[corner].state = CornerState::Waiting;
            self.waiting.push_back(corner);
        }
    }

    fn push(&mut self, points: &[Point], triangle: [usize; 3]) {
        let [a, b, c] = triangle.map(|corner| points[corner]);
        if turn(a, b, c) == Turn::Right {
            self.result = EarResult::TurnsRight;
        }
        self.triangles.push(triangle);
    }

    /// Cuts off a triangle where no corner is the tip of an ear: the polygon touches or crosses itself, or all of it is on a line.
    fn unlock(&mut self, points: &[Point]) {
        // Ears on whose edges there are corners; triangles without an area, which cover nothing; any that turn left; any.
        let tip = self.find(|clipper, corner| clipper.is_ear(points, corner, Blocking::Open));
        let tip = tip.or_else(|| self.find(|clipper, corner| clipper.turn_at(points, corner) == Turn::Straight));
        let tip = tip.or_else(|| self.find(|clipper, corner| clipper.turn_at(points, corner) == Turn::Left));
        self.clip(points, tip.unwrap_or(self.any));
        let mut corner = self.any;
        for _ in 0..self.left {
            self.wait(corner);
            corner = self.ring[corner].next;
        }
        self.visits += self.left as u64;
    }

    /// Cuts what is left into a fan.
    fn cut_rest(&mut self, points: &[Point]) {
        self.result = EarResult::TurnsRight;
        let first = self.any;
        while self.left > 3 {
            self.clip(points, self.ring[first].next);
        }
        self.any = first;
    }

    /// The first corner of the ring with a property.
    fn find(&mut self, mut has: impl FnMut(&mut Self, usize) -> bool) -> Option<usize> {
        let mut corner = self.any;
        for _ in 0..self.left {
            if has(self, corner) {
                return Some(corner);
            }
            corner = self.ring[corner].next;
        }
        None
    }
}

/// Whether boxes have points in common.
fn touch(a: &Box2, b: &Box2) -> bool {
    (0..2).all(|axis| a[0][axis] <= b[1][axis] && b[0][axis] <= a[1][axis])
}
