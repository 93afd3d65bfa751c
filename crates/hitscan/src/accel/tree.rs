//! A bounding volume hierarchy over numbered boxes, eight children a node.

use super::build::{Branch, Plan, plan};
use super::slab::{Double, Single, SlabTest};
use super::{Leaves, Statistics};
use crate::Aabb;
use crate::math::{Line, Vector, Wide};
use crate::simd::{Lanes, Task, vectorized};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use smallvec::SmallVec;

/// Children of a node, parts of a leaf.
pub(crate) const WIDTH: usize = 8;

/// The boxes of eight children, coordinate by coordinate, rounded outward to `f32`: half the memory, and twice as many
/// at a time. Whatever the precision of the parts, they only say where to look.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Smallest x, y, z, largest x, y, z. A child that is not there has the empty box, which no line meets.
    pub(super) planes: [[f32; WIDTH]; 6],
    /// The number of a node, or of a leaf and `LEAF`.
    child: [u32; WIDTH],
}

const LEAF: u32 = 1 << 31;
/// In the place of a part that is not there.
pub(crate) const NOTHING: u32 = u32::MAX;

/// The tree: nodes in depth-first order, and the numbers of the parts by leaves.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<[u32; WIDTH]>,
    depth: usize,
}

impl Tree {
    /// Builds the tree by the surface area heuristic over 16 bins: O(n log n), the same tree every time. A leaf has at most
    /// `most` parts, which is at most eight, and `together` of them are tested in the time of one.
    pub(crate) fn build<V: Vector>(boxes: &[Aabb<V>], most: usize, together: usize) -> Self {
        let mut tree = Self { nodes: Vec::new(), leaves: Vec::new(), depth: 0 };
        let plan = plan(boxes, most.min(WIDTH), together);
        if !plan.branches.is_empty() {
            tree.add(&plan, 0, 1);
        }
        tree
    }

    /// The leaves, each the numbers of its parts and then `NOTHING`.
    pub(crate) fn leaves(&self) -> &[[u32; WIDTH]] {
        &self.leaves
    }

    /// Adds the node for a branch of the binary plan: its children are opened, the largest first, until there are eight.
    fn add<V: Vector>(&mut self, plan: &Plan<V>, branch: usize, depth: usize) -> u32 {
        self.depth = self.depth.max(depth);
        let mut children: SmallVec<[usize; WIDTH]> = SmallVec::new();
        children.push(branch);
        loop {
            let open = |&(_, &i): &(usize, &usize)| plan.branches[i].count == 0;
            let area = |i: usize| plan.branches[i].area;
            let largest = children.iter().enumerate().filter(open).max_by(|a, b| area(*a.1).total_cmp(&area(*b.1)));
            let Some((at, &i)) = largest.filter(|_| children.len() < WIDTH) else { break };
            children[at] = i + 1;
            children.push(plan.branches[i].first as usize);
        }
        let number = self.nodes.len();
        let empty = [f32::INFINITY, f32::NEG_INFINITY].map(|x| [x; WIDTH]);
        let planes = [empty[0], empty[0], empty[0], empty[1], empty[1], empty[1]];
        self.nodes.push(Node { planes, child: [NOTHING; WIDTH] });
        for (lane, &i) in children.iter().enumerate() {
            let Branch { bounds, first, count, .. } = &plan.branches[i];
            let child = if *count > 0 {
                let mut leaf = [NOTHING; WIDTH];
                let parts = &plan.parts[*first as usize..][..*count as usize];
                leaf[..parts.len()].copy_from_slice(parts);
                self.leaves.push(leaf);
                self.depth = self.depth.max(depth + 1);
                (self.leaves.len() as u32 - 1) | LEAF
            } else {
                self.add(plan, i, depth + 1)
            };
            let node = &mut self.nodes[number];
            node.child[lane] = child;
            let (min, max) = (bounds.min.widen::<f64>(), bounds.max.widen::<f64>());
            for axis in 0..3 {
                node.planes[axis][lane] = below(min.get(axis));
                node.planes[axis + 3][lane] = -below(-max.get(axis));
            }
        }
        number as u32
    }

    /// Shows `leaves` every leaf that the line may meet for `t` in `t_min..=limit`, and perhaps others; near ones first.
    #[inline(always)]
    pub(crate) fn visit<T: Wide>(
        &self,
        line: &Line<T>,
        t_min: f64,
        limit: f64,
        leaves: &mut impl Leaves,
    ) -> ControlFlow<()> {
        match Single::of(line, t_min) {
            Some(test) => vectorized(Walk { tree: self, test, limit, leaves }),
            None => self.visit_in_f64(line, t_min, limit, leaves),
        }
    }

    #[inline(never)]
    fn visit_in_f64<T: Wide>(
        &self,
        line: &Line<T>,
        t_min: f64,
        limit: f64,
        leaves: &mut impl Leaves,
    ) -> ControlFlow<()> {
        Walk { tree: self, test: Double::of(line, t_min), limit, leaves }.run::<[f32; WIDTH]>()
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
pub(crate) fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

struct Walk<'a, S, F> {
    tree: &'a Tree,
    test: S,
    limit: f64,
    leaves: &'a mut F,
}

impl<S: SlabTest, F: Leaves> Task for Walk<'_, S, F> {
    type Output = ControlFlow<()>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> ControlFlow<()> {
        let Self { tree, test, mut limit, leaves } = self;
        let Some(mut node) = tree.nodes.first() else { return ControlFlow::Continue(()) };
        let mut stack = Stack::new();
        let mut entries = [0.0; WIDTH];
        // Rounded up.
        let mut end = -below(-limit);
        loop {
            let mut mask = test.enter::<L>(&node.planes, end, &mut entries);
            let mut next = None;
            if mask != 0 {
                let mut child = || {
                    let lane = mask.trailing_zeros() as usize % WIDTH;
                    mask &= mask - 1;
                    (key(entries[lane]) | u64::from(node.child[lane]), mask != 0)
                };
                // Most nodes have one or two children to visit.
                let (mut near, mut more) = child();
                if more {
                    let mut far;
                    (far, more) = child();
                    (near, far) = (near.min(far), near.max(far));
                    if more {
                        let mut sorted = [far; WIDTH];
                        let mut count = 1;
                        while more {
                            let mut entry;
                            (entry, more) = child();
                            (near, entry) = (near.min(entry), near.max(entry));
                            // The farthest first.
                            let mut at = count;
                            while at > 0 && sorted[at - 1] < entry {
                                sorted[at % WIDTH] = sorted[at - 1];
                                at -= 1;
                            }
                            sorted[at % WIDTH] = entry;
                            count += 1;
                        }
                        sorted[..count].iter().for_each(|&entry| stack.push(entry));
                    } else {
                        stack.push(far);
                    }
                }
                next = Some(near);
            }
            node = loop {
                let Some(entry) = next.or_else(|| stack.pop()) else { return ControlFlow::Continue(()) };
                next = None;
                if entered(entry) > end {
                    continue;
                }
                let child = entry as u32;
                if child & LEAF == 0 {
                    break &tree.nodes[child as usize];
                }
                leaves.leaf::<L>(test.single(), child & !LEAF, &tree.leaves, &mut limit)?;
                end = -below(-limit);
            };
        }
    }
}

/// What is still to be visited, the nearest last: where it is entered, and below it which.
struct Stack {
    top: [u64; TOP],
    height: usize,
    /// What did not fit: older than all of `top`.
    rest: Vec<u64>,
}

/// Enough for a tree of a million parts.
const TOP: usize = 48;

impl Stack {
    #[inline(always)]
    fn new() -> Self {
        Self { top: [0; TOP], height: 0, rest: Vec::new() }
    }
    #[inline(always)]
    fn push(&mut self, entry: u64) {
        if self.height == TOP {
            self.spill();
        }
        self.top[self.height % TOP] = entry;
        self.height += 1;
    }
    #[inline(always)]
    fn pop(&mut self) -> Option<u64> {
        if self.height == 0 {
            return self.rest.pop();
        }
        self.height -= 1;
        Some(self.top[self.height % TOP])
    }
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        let half = TOP / 2;
        self.rest.extend(&self.top[..half]);
        self.top.copy_within(half.., 0);
        self.height = TOP - half;
    }
}

/// The entry in the upper half of a key: all bits of a negative number turned, the sign of another one.
#[inline(always)]
fn key(entry: f32) -> u64 {
    let bits = entry.to_bits();
    let turn = (bits as i32 >> 31) as u32 | 1 << 31;
    u64::from(bits ^ turn) << 32
}

#[inline(always)]
fn entered(key: u64) -> f32 {
    let bits = (key >> 32) as u32;
    let turn = (!bits as i32 >> 31) as u32 | 1 << 31;
    f32::from_bits(bits ^ turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_like_entries() {
        let entries = [f32::NEG_INFINITY, -2.5, -1e-40, 0.0, 1e-40, 3.0, f32::MAX];
        for pair in entries.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        entries.iter().for_each(|&x| assert_eq!(entered(key(x)), x));
    }

    #[test]
    fn what_does_not_fit_comes_back_in_order() {
        let mut stack = Stack::new();
        (0..200).for_each(|i| stack.push(i));
        (0..200).rev().for_each(|i| assert_eq!(stack.pop(), Some(i)));
        assert_eq!(stack.pop(), None);
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
