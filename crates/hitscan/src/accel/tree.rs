//! A bounding volume hierarchy over numbered boxes, sixteen children a node.

use super::build::{Axes, Recipe, Reference, plan};
use super::collapse::{WideNodes, collapse};
use super::groups::over_groups;
use super::slab::{Aim, Double, Single, SlabTest};
use super::stack::Stack;
use super::{Corners, Leaves, Quality, Statistics};
use crate::math::{InputRay, Vector};
use crate::simd::{LANES, Row, SimdF32, Task, dispatch, in_large_pages, prefetch};
use alloc::vec::Vec;
use core::hint::black_box;
use core::ops::{ControlFlow, Range};

/// Children of a node, parts of a leaf.
pub(crate) const WIDTH: usize = LANES;

/// Smallest x, y, z, largest x, y, z of sixteen boxes.
pub(super) type Planes = [Row; 6];

/// The boxes of sixteen children, coordinate by coordinate, rounded outward to `f32`: half the memory, and twice as many
/// at a time. Whatever the precision of the parts, they only say where to look. Seven lines of the cache, of eight: where a node
/// lies is waited for, and to shift its number takes less than to multiply it.
#[derive(Clone, Debug)]
#[repr(C, align(512))]
pub(super) struct Node {
    /// A child that is not there has the empty box, which no line meets.
    pub(super) planes: Planes,
    /// The number of a node, or a [`Leaf`].
    pub(super) child: [u32; WIDTH],
}

pub(super) const LEAF: u32 = 1 << 31;
/// In the place of a child that is not there.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Parts that are next to each other, one to sixteen of them: where they begin, how many they are less one, and `LEAF`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf(u32);

/// Bits of where parts begin.
const FIRST: u32 = 27;

/// Parts that a tree can have, each counted as often as it is in a leaf. The last ones would be taken for `NOTHING`.
pub(crate) const MOST_PARTS: usize = (1 << FIRST) - WIDTH;

impl Leaf {
    #[inline(always)]
    pub(crate) fn new(first: usize, count: usize) -> Self {
        debug_assert!((1..=WIDTH).contains(&count) && first + count <= MOST_PARTS, "{first} {count}");
        Self(LEAF | (count as u32 - 1) << FIRST | first as u32)
    }
    /// What a child of a node is, if it is not a node.
    #[inline(always)]
    pub(super) fn of(child: u32) -> Option<Self> {
        (child & LEAF != 0 && child != NOTHING).then_some(Self(child))
    }
    /// As a child of a node.
    #[inline(always)]
    pub(super) fn child(self) -> u32 {
        self.0
    }
    #[inline(always)]
    pub(crate) fn first(self) -> usize {
        (self.0 & ((1 << FIRST) - 1)) as usize
    }
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        (self.0 >> FIRST & (WIDTH as u32 - 1)) as usize + 1
    }
    /// Where its parts are among all.
    #[inline(always)]
    pub(crate) fn places(self) -> Range<u32> {
        let first = self.first() as u32;
        first..first + self.count() as u32
    }
    /// Its parts among all.
    #[inline(always)]
    pub(crate) fn of_all<T>(self, all: &[T]) -> &[T] {
        &all[self.first()..][..self.count()]
    }
}

/// The tree: nodes in depth-first order, and the numbers of the parts, leaf by leaf.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) parts: Vec<u32>,
    pub(super) depth: usize,
    /// Of the coordinates of all boxes, without their signs.
    pub(super) largest: f32,
}

impl Tree {
    /// Builds the tree: O(n log n), the same one every time, on however many threads. A leaf has at most `most` parts, which
    /// is at most sixteen, and `together` of them are tested in the time of one. Triangles, of which the `corners`
    /// are known, may be cut, and be in several leaves. There are at most [`MOST_PARTS`].
    pub(crate) fn build<V: Vector>(
        references: Vec<Reference>,
        quality: Quality,
        [most, together]: [usize; 2],
        corners: Option<&Corners>,
    ) -> Self {
        let corners = corners.filter(|_| quality == Quality::High);
        let recipe = Recipe { most: most.min(WIDTH), together, flat: V::DIM == 2, axes: Axes::All, corners };
        let WideNodes { nodes, parts, depth } = match quality {
            Quality::Fast => over_groups(&references, &recipe),
            Quality::Default | Quality::High => collapse(&plan(references, &recipe), &recipe),
        };
        let mut tree = Self { nodes: in_large_pages(nodes), parts, depth, largest: 0.0 };
        tree.measure();
        tree
    }

    /// Finds the largest coordinate: that of the root.
    pub(super) fn measure(&mut self) {
        self.largest = self.nodes.first().map_or(0.0, |root| root.around().largest());
    }

    /// The leaves, as the nodes name them, one after the other.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.nodes.iter().flat_map(|node| node.child.iter().filter_map(|&child| Leaf::of(child)))
    }

    #[inline(always)]
    pub(super) fn root(&self) -> u32 {
        if self.nodes.is_empty() { NOTHING } else { 0 }
    }

    /// The numbers of the parts, leaf by leaf.
    #[inline(always)]
    pub(crate) fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// Shows `leaves` every leaf that the line may meet for `t` in `t_min..=limit`, and perhaps others; near ones first.
    #[inline(always)]
    pub(crate) fn visit(&self, line: &InputRay, t_min: f64, limit: f64, leaves: &mut impl Leaves) -> ControlFlow<()> {
        match self.single(line, t_min) {
            Some(line) => dispatch(Walk { tree: self, test: line.slab, line: Some(&line), end: above(limit), leaves }),
            None => self.visit_in_f64(line, t_min, limit, leaves),
        }
        .into()
    }

    /// The line made ready for the tree's boxes, if it is of ordinary size.
    #[inline(always)]
    pub(crate) fn single(&self, line: &InputRay, t_min: f64) -> Option<Single> {
        Single::of(line, t_min, self.largest)
    }

    /// The line rounded for the tree's boxes, likewise.
    #[inline(always)]
    pub(crate) fn aim(&self, line: &InputRay, t_min: f64) -> Option<Aim> {
        Aim::of(line, t_min, self.largest)
    }

    /// Whether a line is of ordinary size.
    #[inline(always)]
    pub(crate) fn is_ordinary(&self, aim: &Aim) -> bool {
        aim.is_ordinary(self.largest)
    }

    /// A line in `f32` made ready, likewise.
    #[inline(always)]
    pub(crate) fn line_in_f32(&self, aim: &Aim) -> Option<Single> {
        Single::new(aim, self.largest)
    }

    /// [`visit`](Self::visit) for such a line, as part of a task.
    #[inline(always)]
    pub(crate) fn walk_in_f32<L: SimdF32>(&self, line: &Single, end: f32, leaves: &mut impl Leaves) -> Ended {
        Walk { tree: self, test: line.slab, line: Some(line), end, leaves }.run::<L>()
    }

    /// Asks for the memory of a node.
    #[inline(always)]
    pub(super) fn fetch(&self, node: u32) {
        let Node { planes, child } = &self.nodes[node as usize];
        prefetch(planes);
        prefetch(child);
    }

    #[inline(never)]
    fn visit_in_f64(&self, line: &InputRay, t_min: f64, limit: f64, leaves: &mut impl Leaves) -> Ended {
        Walk { tree: self, test: Double::of(line, t_min), line: None, end: above(limit), leaves }.run::<Row>()
    }

    /// See [`Index::renumber`](super::Index::renumber).
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        self.parts.iter_mut().for_each(|part| *part = numbers[*part as usize]);
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let leaves = self.leaves().count();
        Statistics { nodes: self.nodes.len() + leaves, leaves, depth: self.depth, bytes: self.bytes() }
    }

    /// What it takes.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.parts[..])
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
    /// Not a reference: it is kept in registers.
    test: S,
    line: Option<&'a Single>,
    end: f32,
    leaves: &'a mut F,
}

impl<S: SlabTest, F: Leaves> Task for Walk<'_, S, F> {
    type Output = Ended;
    #[inline(always)]
    fn run<L: SimdF32>(self) -> Ended {
        let Self { tree, test, line, mut end, leaves } = self;
        let mut stack = Stack::new();
        let mut next = tree.root();
        loop {
            if next & LEAF == 0 {
                let node = &tree.nodes[next as usize];
                // Needed once the boxes are weighed; in a line of the cache of its own.
                prefetch(&node.child);
                let (entries, mask) = test.enter::<L>(&node.planes, end);
                if mask != 0 {
                    next = nearest::<L, S>(entries, mask, &node.child, &mut stack);
                    continue;
                }
            } else if let Some(leaf) = Leaf::of(next)
                // Leaves are few: what the line is to them is not made ready before there is one.
                && leaves.leaf::<L>(black_box(line), leaf, &tree.parts, &mut end).is_break()
            {
                return Ended::Stopped;
            }
            next = match put_off::<S>(&mut stack, end) {
                Some(next) => next,
                None => return Ended::Finished,
            };
        }
    }
}

/// How a walk through the tree ended.
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

/// The nearest of the children that are entered; the others are put on the stack, the farthest first.
#[inline(always)]
pub(super) fn nearest<L: SimdF32, S: SlabTest>(
    entries: L,
    mut mask: u32,
    children: &[u32; WIDTH],
    stack: &mut Stack,
) -> u32 {
    // Most nodes have one child to visit, or two.
    if mask & (mask - 1) == 0 {
        return children[mask.trailing_zeros() as usize % WIDTH];
    }
    let mut entered = CacheLine([0.0; WIDTH]);
    entries.store(&mut entered.0);
    let mut child = || {
        let lane = mask.trailing_zeros() as usize % WIDTH;
        mask &= mask - 1;
        (key::<S>(entered.0[lane]) | u64::from(children[lane]), mask != 0)
    };
    let ((a, _), (b, mut more)) = (child(), child());
    let mut near = a.min(b);
    let mut pile = stack.pile();
    pile.push(a.max(b));
    while more {
        let entry;
        (entry, more) = child();
        pile.insert(near.max(entry));
        near = near.min(entry);
    }
    near as u32
}

/// The nearest child that was put on the stack, of those that are entered before the end.
#[inline(always)]
pub(super) fn put_off<S: SlabTest>(stack: &mut Stack, end: f32) -> Option<u32> {
    loop {
        let entry = stack.pop()?;
        if !(entered::<S>(entry) > end) {
            return Some(entry as u32);
        }
    }
}

/// Aligned as a line of the cache, so that what is written is read again at once.
#[repr(align(64))]
struct CacheLine(Row);

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
    use super::super::slab::Slab;
    use super::*;

    #[test]
    fn keys_are_ordered_like_entries() {
        let entries = [f32::NEG_INFINITY, -2.5, -1e-40, 0.0, 1e-40, 3.0, f32::MAX];
        for pair in entries.windows(2) {
            assert!(key::<Double>(pair[0]) < key::<Double>(pair[1]), "{pair:?}");
            assert!(pair[0] < 0.0 || key::<Slab>(pair[0]) < key::<Slab>(pair[1]), "{pair:?}");
        }
        entries.iter().for_each(|&x| assert_eq!(entered::<Double>(key::<Double>(x)), x));
        entries[3..].iter().for_each(|&x| assert_eq!(entered::<Slab>(key::<Slab>(x)), x));
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
