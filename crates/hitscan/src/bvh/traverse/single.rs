//! Single-ray traversal: ordered descent, culling, and the node stack.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf, WIDTH};
use crate::bvh::prepared_ray::{PreparedRay, PreparedRayF64};
use crate::bvh::ray::RayF32;
use crate::bvh::slab::{SlabConstants, SlabTest};
use crate::bvh::traverse::deep::TraverseDeep;
use crate::bvh::traverse::ended::Ended;
use crate::bvh::traverse::local_ray::{LocalRay, SweptRay};
use crate::bvh::traverse::stack::{Stack, StackMemory};
use crate::bvh::traverse::visitor::{LeafVisitor, visit_leaf};
use crate::math::instance_stack::InstanceLevel;
use crate::math::rounding::round_up_f32;
use crate::math::working_ray::InputRay;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::{CAN_PREFETCH, SimdF32, prefetch};
use crate::simd::task::SimdKernel;
use alloc::vec::Vec;
use core::hint::black_box;
use core::ops::ControlFlow;

impl Bvh16 {
    /// Visits every leaf that the ray may hit for `t` in `t_min..=limit`, and perhaps others, in front-to-back order.
    #[inline(always)]
    pub(crate) fn visit(
        &self,
        line: &InputRay,
        t_min: f64,
        limit: f64,
        leaves: &mut impl LeafVisitor,
    ) -> ControlFlow<()> {
        let ended = dispatch(TraverseInput { tree: self, ray: line, t_min, limit, leaves: &mut *leaves });
        ended.unwrap_or_else(|| self.visit_f64(line, t_min, limit, leaves)).into()
    }

    /// [`visit`](Self::visit) for a ray in the coordinates of an instance.
    ///
    /// # Accuracy
    /// Where the true ray is at a point of the boxes, so is the rounded one at the same `t`, up to
    /// [`LocalRay::margin`]: it grows with `t` and so with the coordinates that the ray can reach.
    pub(crate) fn visit_instance(
        &self,
        level: &InstanceLevel<'_>,
        t_min: f64,
        limit: f64,
        leaves: &mut impl LeafVisitor,
    ) -> ControlFlow<()> {
        // The ray in the coordinates of the tree is uncertain by a margin, which inflates the boxes.
        let (ray, end) = (LocalRay::new(level.rounded(), self.largest), round_up_f32(limit));
        match self.prepare_local(&ray, t_min) {
            Some(line) => dispatch(Traverse { tree: self, test: line.slab, line: Some(&line), end, leaves }),
            // A ray that `f32` cannot hold goes through the boxes in `f64`, which is slower and rare.
            None => {
                let test = PreparedRayF64::of(&ray.input(level.raw()), t_min).with_margin(2.0 * ray.margin);
                TraverseDeep { tree: self, test: &test, line: None, leaves }.run((self.root(), Vec::new()), end)
            }
        }
        .into()
    }

    /// Visits every leaf that a moving sphere may touch for `t` in `t_min..=limit`, and perhaps others, in
    /// front-to-back order. The rays that the leaves get are inflated, too.
    pub(crate) fn visit_swept(
        &self,
        swept: &SweptRay,
        (t_min, limit): (f64, f64),
        leaves: &mut impl LeafVisitor,
    ) -> ControlFlow<()> {
        let end = round_up_f32(limit);
        let aim = RayF32::of(&swept.ray, t_min, self.largest);
        match aim.and_then(|aim| self.prepare_within(&aim, round_up_f32(swept.margin))) {
            Some(line) => dispatch(Traverse { tree: self, test: line.slab, line: Some(&line), end, leaves }),
            None => {
                let test = PreparedRayF64::of(&swept.ray, t_min).with_margin(swept.margin);
                TraverseDeep { tree: self, test: &test, line: None, leaves }.run((self.root(), Vec::new()), end)
            }
        }
        .into()
    }

    /// Prepares a ray in the coordinates of an instance; `None` unless it is ordinary.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn prepare_local(&self, local: &LocalRay, t_min: f64) -> Option<PreparedRay> {
        let (aim, is_faithful) = RayF32::rounded_from(local.origin, local.direction, t_min);
        if !(is_faithful & self.is_ordinary(&aim)) {
            return None;
        }
        // Twice the margin covers the rounding of the margin and of sums with it.
        self.prepare_within(&aim, round_up_f32(2.0 * local.margin))
    }

    /// Prepares an ordinary ray every point of which is uncertain by a margin; `None` for an infinite one.
    #[inline(always)]
    fn prepare_within(&self, aim: &RayF32, margin: f32) -> Option<PreparedRay> {
        (margin < f32::INFINITY).then(|| PreparedRay::inflated(aim, self.largest, margin))
    }

    #[inline(never)]
    fn visit_f64(&self, line: &InputRay, t_min: f64, limit: f64, leaves: &mut impl LeafVisitor) -> Ended {
        let test = PreparedRayF64::of(line, t_min);
        TraverseDeep { tree: self, test: &test, line: None, leaves }.run((self.root(), Vec::new()), round_up_f32(limit))
    }
    /// [`visit`](Self::visit) for a prepared ray, inside a SIMD task.
    #[inline(always)]
    pub(crate) fn traverse_f32<L: SimdF32>(
        &self,
        test: SlabConstants,
        line: &PreparedRay,
        end: f32,
        leaves: &mut impl LeafVisitor,
    ) -> Ended {
        Traverse { tree: self, test, line: Some(line), end, leaves }.run::<L>()
    }
}

/// Traversal of a ray that is prepared in the task: one prepared before would be copied right after it was written, and such
/// loads wait for their stores.
struct TraverseInput<'a, F> {
    tree: &'a Bvh16,
    ray: &'a InputRay,
    t_min: f64,
    limit: f64,
    leaves: &'a mut F,
}

impl<F: LeafVisitor> SimdKernel for TraverseInput<'_, F> {
    /// `None` for a ray that is not ordinary.
    type Output = Option<Ended>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> Option<Ended> {
        let Self { tree, ray, t_min, limit, leaves } = self;
        // Most rays are ordinary: `f32` holds them with known errors.
        let (aim, is_faithful) = RayF32::rounded(ray, t_min);
        if !(is_faithful & aim.is_ordinary(tree.largest)) {
            return None;
        }
        let end = round_up_f32(limit);
        // Visitors of objects test boxes only, and need no shear.
        if !F::READS_RAY {
            let test = SlabConstants::of_ordinary(&aim, tree.largest);
            return Some(Traverse { tree, test, line: None, end, leaves }.run::<L>());
        }
        let line = PreparedRay::of_ordinary::<L>(&aim, tree.largest);
        let slab = line.slab;
        Some(tree.traverse_f32::<L>(slab, &line, end, leaves))
    }
}

pub(crate) struct Traverse<'a, F> {
    pub(crate) tree: &'a Bvh16,
    /// Ray/box test, by value so that it stays in registers.
    pub(crate) test: SlabConstants,
    pub(crate) line: Option<&'a PreparedRay>,
    pub(crate) end: f32,
    pub(crate) leaves: &'a mut F,
}

impl<F: LeafVisitor> SimdKernel for Traverse<'_, F> {
    type Output = Ended;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> Ended {
        let Self { tree, test, line, mut end, leaves } = self;
        let mut memory = StackMemory::new();
        let mut stack = Stack::new(&mut memory);
        // The next child to visit: a node, a leaf, or none. The stack has those that wait.
        let mut next = tree.root();
        loop {
            // A node. Where a tree is too deep for the stack, the traversal on the heap takes over.
            if next & LEAF == 0 {
                let node = &tree.nodes[next as usize];
                if stack.is_full() {
                    return TraverseDeep { tree, test: &test, line, leaves }.run((next, stack.keys()), end);
                }
                // Needed after the box tests, and in a different cache line.
                prefetch(&node.child);
                let (entries, mask) = test.enter::<L>(&node.planes, end);
                // The nearest child is next, without a way through the stack; the others wait, the nearest last.
                if mask != 0 {
                    if CAN_PREFETCH && leaves.sees_most() {
                        fetch_children(tree, mask, &node.child, leaves);
                    }
                    next = stack.push_children::<L, SlabConstants>(entries, mask, &node.child);
                    continue;
                }
            } else if let Some(leaf) = Leaf::of(next)
                // Leaves are rare: `black_box` keeps the loads of leaf constants out of the node loop.
                && visit_leaf::<L>(leaves, black_box(line), leaf, &tree.prim_ids, &mut end).is_break()
            {
                return Ended::Stopped;
            }
            // The next child that waits, unless a hit since then is nearer.
            next = match stack.pop_unculled::<SlabConstants>(end) {
                Some(next) => next,
                None => return Ended::Finished,
            };
        }
    }
}

/// Prefetches the children of the mask.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn fetch_children(tree: &Bvh16, mut mask: u32, children: &[u32; WIDTH], leaves: &impl LeafVisitor) {
    while mask != 0 {
        let child = children[mask.trailing_zeros() as usize % WIDTH];
        mask &= mask - 1;
        if let Some(leaf) = Leaf::of(child) {
            leaves.fetch(leaf);
        } else if let Some(node) = tree.nodes.get(child as usize) {
            prefetch(&node.planes);
        }
    }
}
