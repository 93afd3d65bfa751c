//! Eight lines through the tree side by side: a box is weighed for all of them at once.

use super::Leaves;
use super::slab::{Aim, Single, is_ordinary, sides, slopes};
use super::tree::{Ended, LEAF, Node, Path, Tree, WIDTH};
use crate::simd::Lanes;
use core::ops::ControlFlow;
use smallvec::SmallVec;

/// Lines in a packet.
pub(crate) const LINES: usize = 8;

/// A number of each line.
type Row = [f32; LINES];

/// As few lines as these go on alone.
const FEW: u32 = 2;

/// Lines of ordinary size that go into one octant.
pub(crate) struct Packet {
    aims: [Aim; LINES],
    t_min: Row,
    /// As in [`Single`], axis by axis.
    inverse: [Row; 3],
    near: [Row; 3],
    far: [Row; 3],
    negative: [bool; 3],
}

/// A child to visit, by which lines, as bits, and where they enter it.
#[derive(Clone, Copy)]
struct Pending {
    entries: Row,
    child: u32,
    lines: u32,
}

impl Pending {
    /// Where the first of its lines enters it: those of a packet that pays are near each other.
    #[inline(always)]
    fn key(&self) -> f32 {
        self.entries[self.lines.trailing_zeros() as usize % LINES]
    }
}

impl Packet {
    /// None where one of the lines is of other size (see [`Single::new`]), or goes into another octant than the others.
    #[inline(always)]
    pub(crate) fn new<L: Lanes>(aims: [Aim; LINES], tree: &Tree) -> Option<Self> {
        let mut packet = Self {
            aims,
            t_min: [0.0; LINES],
            inverse: [[0.0; LINES]; 3],
            near: [[0.0; LINES]; 3],
            far: [[0.0; LINES]; 3],
            negative: [false; 3],
        };
        // Where the slopes will be, for now origins and directions.
        for (i, aim) in aims.iter().enumerate() {
            packet.t_min[i] = aim.t_min;
            for axis in 0..3 {
                (packet.near[axis][i], packet.far[axis][i]) = (aim.origin[axis], aim.direction[axis]);
            }
        }
        let largest = tree.largest_coordinate()?;
        let (zero, mut farthest) = (L::splat(0.0), L::splat(largest));
        let (mut fine, mut stands) = (zero.at_most(L::load(&packet.t_min)), 0xFF);
        for axis in 0..3 {
            let (o, d) = (L::load(&packet.near[axis]), L::load(&packet.far[axis]));
            fine &= is_ordinary(o, d);
            stands &= d.abs().at_most(zero);
            farthest = farthest.plus(o.abs());
        }
        if fine != 0xFF || stands != 0 {
            return None;
        }
        for axis in 0..3 {
            let (o, d) = (L::load(&packet.near[axis]), L::load(&packet.far[axis]));
            let [inverse, near, far] = slopes(o, d, largest, farthest);
            inverse.store(&mut packet.inverse[axis]);
            near.store(&mut packet.near[axis]);
            far.store(&mut packet.far[axis]);
            let negative = inverse.less(zero);
            if negative != 0 && negative != 0xFF {
                return None;
            }
            packet.negative[axis] = negative != 0;
        }
        Some(packet)
    }

    /// Shows the `leaves` of each line what [`Tree::walk_in_f32`] would show them, and perhaps more, up to the end of
    /// that line. Which lines were stopped, as bits.
    #[inline(always)]
    pub(crate) fn walk<L: Lanes, F: Leaves>(&self, tree: &Tree, mut ends: Row, leaves: &mut [F; LINES]) -> u32 {
        let mut stack: SmallVec<[Pending; 64]> = SmallVec::new();
        let mut rows = [[0.0; LINES]; WIDTH];
        let mut next =
            Some(Pending { entries: [0.0; LINES], child: tree.root(), lines: 0xFF }).filter(|_| !tree.nodes.is_empty());
        let mut stopped = 0;
        while let Some(Pending { entries, child, lines }) = next {
            let active = L::load(&entries).at_most(L::load(&ends)) & lines & !stopped;
            if active.count_ones() > FEW && child & LEAF == 0 {
                self.enter::<L>(&tree.nodes[child as usize], active, &ends, &mut stack, &mut rows);
            } else {
                let mut lines = active;
                while lines != 0 {
                    let i = lines.trailing_zeros() as usize % LINES;
                    lines &= lines - 1;
                    let ended = self.alone::<L, F>(tree, child, i, &mut ends[i], &mut leaves[i]);
                    stopped |= u32::from(ended == Ended::Stopped) << i;
                }
            }
            next = stack.pop();
        }
        stopped
    }

    /// One line through what is below a child.
    #[inline(always)]
    fn alone<L: Lanes, F: Leaves>(&self, tree: &Tree, child: u32, i: usize, end: &mut f32, leaves: &mut F) -> Ended {
        if child & LEAF != 0 {
            let shown = leaves.leaf::<L>(Some(&self.aims[i]), child & !LEAF, &tree.leaves, end);
            return if shown.is_break() { Ended::Stopped } else { Ended::Finished };
        }
        let mut line = Single { aim: self.aims[i], inverse: [0.0; WIDTH], shifts: [[0.0; WIDTH]; 2] };
        for axis in 0..3 {
            line.inverse[axis] = self.inverse[axis][i];
            (line.shifts[0][axis], line.shifts[1][axis]) = (self.near[axis][i], self.far[axis][i]);
        }
        let mut path = Path::below(child, *end);
        loop {
            if let ControlFlow::Break(ended) = path.step::<L, _>(tree, &line, leaves) {
                *end = path.end();
                return ended;
            }
        }
    }

    /// Puts the children that an active line may enter on the stack, the nearest last.
    #[inline(always)]
    fn enter<L: Lanes>(
        &self,
        node: &Node,
        active: u32,
        ends: &Row,
        stack: &mut SmallVec<[Pending; 64]>,
        rows: &mut [Row; WIDTH],
    ) {
        let (first, ends, mut entered) = (stack.len(), L::load(ends), 0);
        let mut who = [0; WIDTH];
        for lane in 0..WIDTH {
            let [x, y, z] = [self.met::<L>(node, 0, lane), self.met::<L>(node, 1, lane), self.met::<L>(node, 2, lane)];
            let near = x.0.max(y.0).max(z.0.max(L::load(&self.t_min)));
            let far = x.1.min(y.1).min(z.1.min(ends));
            who[lane] = near.at_most(far) & active;
            near.store(&mut rows[lane]);
            entered |= u32::from(who[lane] != 0) << lane;
        }
        // One branch that is hard to foresee, not eight.
        while entered != 0 {
            let lane = entered.trailing_zeros() as usize % WIDTH;
            entered &= entered - 1;
            let child = Pending { entries: rows[lane], child: node.child[lane], lines: who[lane] };
            stack.push(child);
            let mut at = stack.len() - 1;
            while at > first && stack[at - 1].key() < child.key() {
                stack.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// Where the lines meet the near and the far plane of a child along an axis.
    #[inline(always)]
    fn met<L: Lanes>(&self, node: &Node, axis: usize, lane: usize) -> (L, L) {
        let inverse = L::load(&self.inverse[axis]);
        let [near, far] = sides(axis, self.negative[axis]);
        let near = L::splat(node.planes[near][lane]).times_plus(inverse, L::load(&self.near[axis]));
        (near, L::splat(node.planes[far][lane]).times_plus(inverse, L::load(&self.far[axis])))
    }
}
