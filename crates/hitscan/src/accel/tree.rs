//! A bounding volume hierarchy over numbered boxes, eight children a node.

use super::bounds::Bounds;
use super::build::{Axes, Recipe, Reference, plan};
use super::collapse::{Wide, collapse};
use super::groups::over_groups;
use super::slab::{Aim, Double, Single, SlabTest, TAME};
use super::{Leaves, Quality, Splitter, Statistics};
use crate::Aabb;
use crate::math::{Raw, Vector};
use crate::simd::{Lanes, Task, prefetch, vectorized};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use smallvec::SmallVec;

/// Children of a node, parts of a leaf.
pub(crate) const WIDTH: usize = 8;

/// The boxes of eight children, coordinate by coordinate, rounded outward to `f32`: half the memory, and twice as many
/// at a time. Whatever the precision of the parts, they only say where to look.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub(super) struct Node {
    /// Smallest x, y, z, largest x, y, z. A child that is not there has the empty box, which no line meets.
    pub(super) planes: [[f32; WIDTH]; 6],
    /// The number of a node, or of a leaf and `LEAF`.
    pub(super) child: [u32; WIDTH],
}

pub(super) const LEAF: u32 = 1 << 31;
/// In the place of a part that is not there.
pub(crate) const NOTHING: u32 = u32::MAX;

/// The tree: nodes in depth-first order, and the numbers of the parts by leaves.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<[u32; WIDTH]>,
    pub(super) depth: usize,
    /// Of the coordinates of all boxes, without their signs.
    pub(super) largest: f32,
}

impl Tree {
    /// Builds the tree: O(n log n), the same one every time, on however many threads. A leaf has at most `most` parts, which
    /// is at most eight, and `together` of them are tested in the time of one. Parts that a `splitter` can cut may be
    /// in several leaves.
    pub(crate) fn build<V: Vector>(
        boxes: &[Aabb<V>],
        quality: Quality,
        [most, together]: [usize; 2],
        splitter: Option<&Splitter>,
    ) -> Self {
        let reference = |(part, aabb): (usize, &Aabb<V>)| Reference::new(Bounds::around(aabb), part as u32);
        let references: Vec<_> = boxes.iter().enumerate().map(reference).collect();
        let splitter = splitter.filter(|_| quality == Quality::High);
        let recipe = Recipe { most: most.min(WIDTH), together, flat: V::DIM == 2, axes: Axes::All, splitter };
        let Wide { nodes, leaves, depth } = match quality {
            Quality::Fast => over_groups(&references, &recipe),
            Quality::Default | Quality::High => collapse(&plan(references, &recipe), &recipe),
        };
        let mut tree = Self { nodes, leaves, depth, largest: 0.0 };
        tree.measure();
        tree
    }

    /// Finds the largest coordinate: that of the root.
    pub(super) fn measure(&mut self) {
        self.largest = self.nodes.first().map_or(0.0, |root| root.around().largest());
    }

    /// The leaves, each the numbers of its parts and then `NOTHING`.
    pub(crate) fn leaves(&self) -> &[[u32; WIDTH]] {
        &self.leaves
    }

    pub(super) fn root(&self) -> u32 {
        if self.nodes.is_empty() { NOTHING } else { 0 }
    }

    /// Shows `leaves` every leaf that the line may meet for `t` in `t_min..=limit`, and perhaps others; near ones first.
    #[inline(always)]
    pub(crate) fn visit(&self, line: &Raw, t_min: f64, limit: f64, leaves: &mut impl Leaves) -> ControlFlow<()> {
        match Single::of(line, t_min, self.largest) {
            Some(test) => vectorized(Walk { tree: self, test: &test, end: above(limit), leaves }),
            None => self.visit_in_f64(line, t_min, limit, leaves),
        }
        .into()
    }

    /// The line made ready for the tree's boxes, if it is of ordinary size.
    #[inline(always)]
    pub(crate) fn line_in_f32<L: Lanes>(&self, aim: Aim) -> Option<Single> {
        Single::new::<L>(aim, self.largest)
    }

    /// The largest coordinate of a box, without its sign, if lines in `f32` can be among them.
    #[inline(always)]
    pub(super) fn largest_coordinate(&self) -> Option<f32> {
        (self.largest < TAME).then_some(self.largest)
    }

    /// [`visit`](Self::visit) for such a line, as part of a task.
    #[inline(always)]
    pub(crate) fn walk_in_f32<L: Lanes>(&self, test: &Single, end: f32, leaves: &mut impl Leaves) -> Ended {
        Walk { tree: self, test, end, leaves }.run::<L>()
    }

    #[inline(never)]
    fn visit_in_f64(&self, line: &Raw, t_min: f64, limit: f64, leaves: &mut impl Leaves) -> Ended {
        Walk { tree: self, test: &Double::of(line, t_min), end: above(limit), leaves }.run::<[f32; WIDTH]>()
    }

    /// See [`Index::renumber`](super::Index::renumber).
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        let parts = self.leaves.iter_mut().flatten().filter(|part| **part != NOTHING);
        parts.for_each(|part| *part = numbers[*part as usize]);
    }

    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            nodes: self.nodes.len() + self.leaves.len(),
            leaves: self.leaves.len(),
            depth: self.depth,
            bytes: size_of_val(&self.nodes[..]) + size_of_val(&self.leaves[..]),
        }
    }
}

/// The largest `f32` that is not larger.
#[inline(always)]
pub(crate) fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The smallest `f32` that is not smaller.
#[inline(always)]
pub(crate) fn above(x: f64) -> f32 {
    -below(-x)
}

struct Walk<'a, S, F> {
    tree: &'a Tree,
    test: &'a S,
    end: f32,
    leaves: &'a mut F,
}

impl<S: SlabTest, F: Leaves> Task for Walk<'_, S, F> {
    type Output = Ended;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Ended {
        let Self { tree, test, end, leaves } = self;
        let mut path = Path::new(tree, end);
        loop {
            if let ControlFlow::Break(ended) = path.step::<L, _>(tree, test, leaves) {
                return ended;
            }
        }
    }
}

/// How a path through the tree ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// There was nothing more to visit.
    Finished,
    /// A leaf stopped it.
    Stopped,
}

impl From<Ended> for ControlFlow<()> {
    #[inline(always)]
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Finished => Self::Continue(()),
            Ended::Stopped => Self::Break(()),
        }
    }
}

/// The way of one line through the tree.
pub(crate) struct Path {
    /// The node, or the leaf, to look at.
    next: u32,
    stack: Stack,
    /// What lies beyond is not visited.
    end: f32,
}

impl Path {
    /// From the root.
    #[inline(always)]
    pub(crate) fn new(tree: &Tree, end: f32) -> Self {
        Self { next: tree.root(), stack: Stack::new(), end }
    }

    /// From a child on.
    #[inline(always)]
    pub(super) fn below(child: u32, end: f32) -> Self {
        Self { next: child, stack: Stack::new(), end }
    }

    /// What lies beyond is not visited.
    #[inline(always)]
    pub(super) fn end(&self) -> f32 {
        self.end
    }

    /// From the root, as new.
    #[inline(always)]
    pub(crate) fn start_again(&mut self, tree: &Tree, end: f32) {
        self.stack.clear();
        (self.next, self.end) = (tree.root(), end);
    }

    /// Looks at one node, or at one leaf.
    #[inline(always)]
    pub(crate) fn step<L: Lanes, S: SlabTest>(
        &mut self,
        tree: &Tree,
        test: &S,
        leaves: &mut impl Leaves,
    ) -> ControlFlow<Ended> {
        let ended = self.look::<L, _>(tree, test, leaves);
        while self.next == NOTHING && ended.is_continue() {
            let Some(entry) = self.stack.pop() else { return ControlFlow::Break(Ended::Finished) };
            self.next = entry as u32;
            if entered::<S>(entry) > self.end {
                self.next = NOTHING;
            }
        }
        ended
    }

    #[inline(always)]
    fn look<L: Lanes, S: SlabTest>(&mut self, tree: &Tree, test: &S, leaves: &mut impl Leaves) -> ControlFlow<Ended> {
        let next = self.next;
        if next & LEAF != 0 {
            self.next = NOTHING;
            if next != NOTHING && leaves.leaf::<L>(test.aim(), next & !LEAF, &tree.leaves, &mut self.end).is_break() {
                return ControlFlow::Break(Ended::Stopped);
            }
            return ControlFlow::Continue(());
        }
        let node = &tree.nodes[next as usize];
        // Needed once the boxes are weighed; in a line of the cache of its own.
        prefetch(&node.child);
        let (entries, mask) = test.enter::<L>(&node.planes, self.end);
        self.next = match mask {
            0 => NOTHING,
            // Most nodes have one child to visit, or two.
            _ if mask & (mask - 1) == 0 => node.child[mask.trailing_zeros() as usize % WIDTH],
            _ => {
                let mut entry = Row([0.0; WIDTH]);
                entries.store(&mut entry.0);
                let near = order::<S>(mask, &entry.0, &node.child, &mut self.stack);
                // It comes after what is below the near one.
                if let Some(&far) = self.stack.last()
                    && far as u32 & LEAF == 0
                {
                    prefetch(&tree.nodes[far as u32 as usize]);
                }
                near
            }
        };
        ControlFlow::Continue(())
    }

    /// Asks for the memory of what will be looked at next.
    #[inline(always)]
    pub(crate) fn fetch<T>(&self, tree: &Tree, blocks: &[T]) {
        if self.next & LEAF == 0 {
            prefetch(&tree.nodes[self.next as usize]);
        } else if let Some(block) = blocks.get((self.next & !LEAF) as usize) {
            prefetch(block);
        }
    }
}

/// Aligned as a register: then the compiler aligns all registers that it keeps on the stack, and none of them lies across
/// two lines of the cache.
#[repr(align(32))]
struct Row([f32; WIDTH]);

/// The nearest of two or more children; the others are put on the stack, the farthest first.
#[inline(always)]
fn order<S: SlabTest>(mut mask: u32, entries: &[f32; WIDTH], children: &[u32; WIDTH], stack: &mut Stack) -> u32 {
    let mut child = || {
        let lane = mask.trailing_zeros() as usize % WIDTH;
        mask &= mask - 1;
        (key::<S>(entries[lane]) | u64::from(children[lane]), mask != 0)
    };
    let ((a, _), (b, mut more)) = (child(), child());
    let (mut near, far) = (a.min(b), a.max(b));
    if !more {
        stack.push(far);
        return near as u32;
    }
    let mut sorted = [far; WIDTH];
    let mut count = 1;
    while more {
        let mut entry;
        (entry, more) = child();
        (near, entry) = (near.min(entry), near.max(entry));
        let mut at = count;
        while at > 0 && sorted[at - 1] < entry {
            sorted[at % WIDTH] = sorted[at - 1];
            at -= 1;
        }
        sorted[at % WIDTH] = entry;
        count += 1;
    }
    sorted[..count].iter().for_each(|&entry| stack.push(entry));
    near as u32
}

/// What is still to be visited, the nearest last: where it is entered, and below it which. Enough for a tree of a million
/// parts without asking for memory.
type Stack = SmallVec<[u64; 64]>;

/// The entry in the upper half of a key: as it is, or where there are negative ones with all their bits turned, and the
/// sign of others.
#[inline(always)]
fn key<S: SlabTest>(entry: f32) -> u64 {
    let bits = entry.to_bits();
    let turn = if S::SIGNED { (bits as i32 >> 31) as u32 | 1 << 31 } else { 0 };
    u64::from(bits ^ turn) << 32
}

#[inline(always)]
fn entered<S: SlabTest>(key: u64) -> f32 {
    let bits = (key >> 32) as u32;
    let turn = if S::SIGNED { (!bits as i32 >> 31) as u32 | 1 << 31 } else { 0 };
    f32::from_bits(bits ^ turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_like_entries() {
        let entries = [f32::NEG_INFINITY, -2.5, -1e-40, 0.0, 1e-40, 3.0, f32::MAX];
        for pair in entries.windows(2) {
            assert!(key::<Double>(pair[0]) < key::<Double>(pair[1]), "{pair:?}");
            assert!(pair[0] < 0.0 || key::<Single>(pair[0]) < key::<Single>(pair[1]), "{pair:?}");
        }
        entries.iter().for_each(|&x| assert_eq!(entered::<Double>(key::<Double>(x)), x));
        entries[3..].iter().for_each(|&x| assert_eq!(entered::<Single>(key::<Single>(x)), x));
    }

    #[test]
    fn rounding_down() {
        assert_eq!(below(1e300), f32::MAX);
        assert_eq!(below(-1e300), f32::NEG_INFINITY);
        assert!(f64::from(below(0.1)) <= 0.1 && f64::from(below(0.1).next_up()) > 0.1);
        assert_eq!(below(-1e-300), -f32::from_bits(1));
        assert_eq!(below(f64::INFINITY), f32::INFINITY);
    }
}
