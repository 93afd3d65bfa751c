//! Visitors of leaves and of single primitives.

use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::PreparedRay;
use crate::math::rounding::round_up_f32;
use crate::simd::dispatch::Baseline;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// Leaf visitor: tests the primitives of a leaf. May lower the end, or stop the traversal.
pub(crate) trait LeafVisitor {
    /// Whether [`leaf`](Self::leaf) reads the prepared ray. If not, the traversal need not prepare all of it.
    const READS_RAY: bool = true;

    /// `prim_ids` are those of the whole BVH. `line` is `None` if the ray is outside the safe `f32` range, or if the
    /// visitor does not [read](Self::READS_RAY) it. `end` is the upper bound of `t`.
    fn leaf<L: SimdF32>(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()>;

    /// Whether the traversal will visit most children that it pushes: then it prefetches them with their parent.
    #[inline(always)]
    fn sees_most(&self) -> bool {
        false
    }

    /// Prefetches what [`leaf`](Self::leaf) will read.
    #[inline(always)]
    fn fetch(&self, _leaf: Leaf) {}
}

/// Leaf visitor with [`Baseline`] vectors. It can be a trait object, where [`LeafVisitor`] cannot.
pub(crate) trait BaselineVisitor {
    /// [`LeafVisitor::leaf`] with [`Baseline`] vectors.
    fn baseline_leaf(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()>;
}

impl<F: LeafVisitor> BaselineVisitor for F {
    #[inline(never)]
    fn baseline_leaf(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        self.leaf::<Baseline>(line, leaf, prim_ids, end)
    }
}

/// [`LeafVisitor::leaf`]. Vectors without filters are [`Baseline`] ones: their code is large and seldom runs, or has to be small,
/// so that all traversals call one copy of it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn visit_leaf<L: SimdF32>(
    leaves: &mut impl LeafVisitor,
    line: Option<&PreparedRay>,
    leaf: Leaf,
    prim_ids: &[u32],
    end: &mut f32,
) -> ControlFlow<()> {
    if L::HAS_FILTERS {
        leaves.leaf::<L>(line, leaf, prim_ids, end)
    } else {
        leaves.baseline_leaf(line, leaf, prim_ids, end)
    }
}

/// Leaf visitor that passes each slot of a leaf to a closure, with the limit in `f64`.
pub(crate) struct PrimVisitor<F, G, const SEES_MOST: bool> {
    pub(crate) part: F,
    pub(crate) limit: f64,
    /// Prefetches a primitive.
    pub(crate) fetch: G,
}

impl<F, G, const SEES_MOST: bool> LeafVisitor for PrimVisitor<F, G, SEES_MOST>
where
    F: FnMut(u32, &mut f64) -> ControlFlow<()>,
    G: Fn(u32),
{
    const READS_RAY: bool = false;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&PreparedRay>,
        leaf: Leaf,
        _prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Self { part, limit, .. } = self;
        leaf.slots().try_for_each(|slot| part(slot, limit))?;
        *end = round_up_f32(*limit);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn sees_most(&self) -> bool {
        SEES_MOST
    }

    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        leaf.slots().for_each(&self.fetch);
    }
}
