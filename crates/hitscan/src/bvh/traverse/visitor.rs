//! Visitors of leaves and of single primitives.

use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::Single;
use crate::math::rounding::above;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// Looks at the parts of a leaf; may lower the end, or stop.
pub(crate) trait Leaves {
    /// `parts` are all of them; the line is given in `f32`, if it is of ordinary size. What lies beyond `end` need not be
    /// found.
    fn leaf<L: SimdF32>(&mut self, line: Option<&Single>, leaf: Leaf, parts: &[u32], end: &mut f32) -> ControlFlow<()>;
}

/// Looks at one part after the other, by their places; has the limit as the parts know it.
pub(crate) struct Parts<F> {
    pub(crate) part: F,
    pub(crate) limit: f64,
}

impl<F: FnMut(u32, &mut f64) -> ControlFlow<()>> Leaves for Parts<F> {
    #[inline(always)]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&Single>,
        leaf: Leaf,
        _parts: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Self { part, limit } = self;
        leaf.places().try_for_each(|place| part(place, limit))?;
        *end = above(*limit);
        ControlFlow::Continue(())
    }
}
