//! One line through one mesh: what is compiled for wide registers is compiled here, once.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::mesh::hit_output::FromSearch;
use crate::mesh::hit_search::{AnyMode, ClosestMode, HitMode, QueryContext};
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::SimdKernel;
use core::marker::PhantomData;
use core::ops::ControlFlow;

/// Tells about a line that is not for registers: of unusual size, from a negative `t`, or none at all.
type Fallback<'a, O> = &'a dyn Fn() -> O;

/// The first hit.
#[inline(never)]
pub(crate) fn first(
    context: &QueryContext,
    tree: &Bvh16,
    otherwise: Fallback<Option<Hit<glam::Vec3>>>,
) -> Option<Hit<glam::Vec3>> {
    dispatch(SingleRay::<ClosestMode, _> { context, tree, otherwise, mode: PhantomData })
}

/// The same hit, in the vectors of the caller, who knows that they are the same.
#[inline(always)]
pub(crate) fn same<V: Vector, U: Vector>(hit: Option<Hit<V>>) -> Option<Hit<U>> {
    // Neither by `copied` nor by `?`: what is wrapped once more is copied.
    match (&hit as &dyn core::any::Any).downcast_ref() {
        Some(hit) => *hit,
        None => None,
    }
}

/// Its triangle and `t`.
#[inline(never)]
pub(crate) fn slot(
    context: &QueryContext,
    tree: &Bvh16,
    otherwise: Fallback<Option<(u32, f64)>>,
) -> Option<(u32, f64)> {
    dispatch(SingleRay::<ClosestMode, _> { context, tree, otherwise, mode: PhantomData })
}

/// Whether there is any.
#[inline(never)]
pub(crate) fn any(context: &QueryContext, tree: &Bvh16, otherwise: Fallback<bool>) -> bool {
    dispatch(SingleRay::<AnyMode, _> { context, tree, otherwise, mode: PhantomData })
}

/// A question about one line, in wide registers. What is told is written where it is wanted: nothing is wrapped around it on
/// the way, for to take it out again would be to copy it.
struct SingleRay<'a, Q, O> {
    context: &'a QueryContext<'a>,
    tree: &'a Bvh16,
    otherwise: Fallback<'a, O>,
    mode: PhantomData<Q>,
}

impl<Q: HitMode, O: FromSearch<Q>> SimdKernel for SingleRay<'_, Q, O> {
    type Output = O;
    #[inline(always)]
    fn run<L: SimdF32>(self) -> O {
        let Self { context, tree, otherwise, .. } = self;
        let Some(line) = context.query_f32.line(tree) else { return otherwise() };
        let mut search = Search::<Q> { context, payload: Q::Payload::default() };
        tree.walk_in_f32::<L>(&line, context.query_f32.t_max, &mut search);
        O::output(context, &search.payload)
    }
}

/// Looks at one leaf after the other.
struct Search<'a, Q: HitMode> {
    context: &'a QueryContext<'a>,
    payload: Q::Payload,
}

impl<Q: HitMode> LeafVisitor for Search<'_, Q> {
    #[inline(always)]
    fn leaf<L: SimdF32>(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        _parts: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Some(line) = line else { return ControlFlow::Continue(()) };
        self.context.each::<L, Q>(line, leaf, end, &mut self.payload)
    }
}
