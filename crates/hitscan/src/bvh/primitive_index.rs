//! Accelerator over primitives: a BVH or a linear scan.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::build::spatial_split::TriangleCorners;
use crate::bvh::bvh::Bvh16;
use crate::bvh::linear_scan::LinearScan;
use crate::bvh::options::{Accelerator, Quality, Statistics};
use crate::bvh::traverse::local_ray::SweptRay;
use crate::bvh::traverse::nearest_first::NearestFirst;
use crate::bvh::traverse::visitor::PrimVisitor;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::rounding::round_up_f32;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::simd::dispatch::dispatch;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Accelerator over boxes with ids.
#[derive(Clone, Debug)]
pub(crate) enum Accel {
    Bvh(Bvh16),
    LinearScan(LinearScan),
}

impl Accel {
    /// Builds an accelerator over boxes with ids from 0 on: see [`Bvh16::build`].
    pub(crate) fn build<V: Vector>(
        accelerator: Accelerator,
        prim_refs: Vec<PrimRef>,
        quality: Quality,
        leaf: [usize; 2],
        corners: Option<&TriangleCorners>,
    ) -> Self {
        match accelerator {
            Accelerator::Bvh => Self::Bvh(Bvh16::build::<V>(prim_refs, quality, leaf, corners)),
            Accelerator::LinearScan => Self::LinearScan(LinearScan::new(prim_refs.len())),
        }
    }

    /// Primitive ids in slot order; the slots of a leaf are adjacent.
    #[inline]
    pub(crate) fn prim_ids(&self) -> &[u32] {
        match self {
            Self::Bvh(tree) => tree.prim_ids(),
            Self::LinearScan(all) => all.prim_ids(),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn as_ref(&self) -> AccelRef<'_> {
        match self {
            Self::Bvh(tree) => AccelRef::Bvh(tree),
            Self::LinearScan(all) => AccelRef::LinearScan(all),
        }
    }

    /// The BVH, if there is one.
    pub(crate) fn tree(&self) -> Option<&Bvh16> {
        match self {
            Self::Bvh(tree) => Some(tree),
            Self::LinearScan(_) => None,
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        match self {
            Self::Bvh(tree) => tree.statistics(),
            Self::LinearScan(_) => Statistics::default(),
        }
    }
}

/// Accelerator by reference.
#[derive(Clone, Copy)]
pub(crate) enum AccelRef<'a> {
    Bvh(&'a Bvh16),
    LinearScan(&'a LinearScan),
}

impl AccelRef<'_> {
    /// Calls `part` with every slot that the ray may hit for `t` in `t_min..=limit`, and perhaps others; a BVH goes
    /// front to back. `level` is the instance stack above the primitives. `part` may lower the limit, or stop. `fetch` prefetches
    /// a slot that `part` will probably see.
    #[inline]
    pub(crate) fn visit<T: Arithmetic>(
        self,
        line: &WorkingRay<T>,
        level: Option<&InstanceLevel<'_>>,
        t_min: f64,
        limit: &mut f64,
        fetch: impl Fn(u32),
        part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self::Bvh(tree) = self else { return self.scan(limit, part) };
        let mut visitor = PrimVisitor::<_, _, true> { part, limit: *limit, fetch };
        let flow = match level {
            None => tree.visit(&line.raw, t_min, *limit, &mut visitor),
            Some(level) => tree.visit_instance(level, t_min, *limit, &mut visitor),
        };
        *limit = visitor.limit;
        flow
    }

    /// [`visit`](Self::visit) with every slot that a sphere of `radius` around the ray may touch.
    pub(crate) fn visit_swept<V: Vector>(
        self,
        line: &InputRay,
        level: Option<&InstanceLevel<'_>>,
        (radius, t_min): (f64, f64),
        limit: &mut f64,
        part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self::Bvh(tree) = self else { return self.scan(limit, part) };
        let mut visitor = PrimVisitor::<_, _, true> { part, limit: *limit, fetch: |_| {} };
        let flow =
            tree.visit_swept(&SweptRay::new::<V>(line, level, radius, tree.largest), (t_min, *limit), &mut visitor);
        *limit = visitor.limit;
        flow
    }

    /// Calls `part` with every slot whose box is at most `limit_sq` away, and perhaps others, the nearest first. Distances are
    /// squared and scaled: see [`BoxDistance::of_point`]. `part` may lower the limit, or stop.
    pub(crate) fn visit_by_distance(
        self,
        test: BoxDistance,
        limit_sq: &mut f64,
        part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self::Bvh(tree) = self else { return self.scan(limit_sq, part) };
        let end = round_up_f32(*limit_sq);
        let mut visitor = PrimVisitor::<_, _, false> { part, limit: *limit_sq, fetch: |_| {} };
        let flow = dispatch(NearestFirst { tree, test, end, leaves: &mut visitor }).into();
        *limit_sq = visitor.limit;
        flow
    }

    /// Upper bound of the coordinates of the boxes that a search by distance skips.
    pub(crate) fn largest(self) -> f64 {
        match self {
            Self::Bvh(tree) => f64::from(tree.largest),
            Self::LinearScan(_) => 0.0,
        }
    }

    #[inline(never)]
    fn scan(self, limit: &mut f64, part: impl FnMut(u32, &mut f64) -> ControlFlow<()>) -> ControlFlow<()> {
        let Self::LinearScan(all) = self else { return ControlFlow::Continue(()) };
        all.visit(limit, part)
    }
}
