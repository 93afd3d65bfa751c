//! Single-ray traversal: ordered descent, culling, and the node stack.

use crate::bvh::bvh::Tree;
use crate::bvh::node::{LEAF, Leaf, WIDTH};
use crate::bvh::prepared_ray::{Double, Single};
use crate::bvh::slab::SlabTest;
use crate::bvh::traverse::stack::Stack;
use crate::bvh::traverse::visitor::Leaves;
use crate::math::rounding::above;
use crate::math::working_ray::InputRay;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::{Row, SimdF32, prefetch};
use crate::simd::task::Task;
use core::hint::black_box;
use core::ops::ControlFlow;

impl Tree {
    /// Shows `leaves` every leaf that the line may meet for `t` in `t_min..=limit`, and perhaps others; near ones first.
    #[inline(always)]
    pub(crate) fn visit(&self, line: &InputRay, t_min: f64, limit: f64, leaves: &mut impl Leaves) -> ControlFlow<()> {
        match self.single(line, t_min) {
            Some(line) => dispatch(Walk { tree: self, test: line.slab, line: Some(&line), end: above(limit), leaves }),
            None => self.visit_in_f64(line, t_min, limit, leaves),
        }
        .into()
    }

    #[inline(never)]
    fn visit_in_f64(&self, line: &InputRay, t_min: f64, limit: f64, leaves: &mut impl Leaves) -> Ended {
        Walk { tree: self, test: Double::of(line, t_min), line: None, end: above(limit), leaves }.run::<Row>()
    }
    /// [`visit`](Self::visit) for such a line, as part of a task.
    #[inline(always)]
    pub(crate) fn walk_in_f32<L: SimdF32>(&self, line: &Single, end: f32, leaves: &mut impl Leaves) -> Ended {
        Walk { tree: self, test: line.slab, line: Some(line), end, leaves }.run::<L>()
    }
}

pub(crate) struct Walk<'a, S, F> {
    pub(crate) tree: &'a Tree,
    /// Not a reference: it is kept in registers.
    pub(crate) test: S,
    pub(crate) line: Option<&'a Single>,
    pub(crate) end: f32,
    pub(crate) leaves: &'a mut F,
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

/// The nearest of the children that are entered; the others are put on the stack, the farthest first.
#[inline(always)]
pub(crate) fn nearest<L: SimdF32, S: SlabTest>(
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
pub(crate) fn put_off<S: SlabTest>(stack: &mut Stack, end: f32) -> Option<u32> {
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
pub(crate) fn key<S: SlabTest>(entry: f32) -> u64 {
    let bits = entry.to_bits();
    let turn = if S::SIGNED { (bits as i32 >> 31) as u32 | 1 << 31 } else { 0 };
    u64::from(bits ^ turn) << 32
}

#[inline(always)]
pub(crate) fn entered<S: SlabTest>(key: u64) -> f32 {
    let bits = (key >> 32) as u32;
    let turn = if S::SIGNED { (!bits as i32 >> 31) as u32 | 1 << 31 } else { 0 };
    f32::from_bits(bits ^ turn)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::prepared_ray::Double;
    use crate::bvh::slab::Slab;

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
}
