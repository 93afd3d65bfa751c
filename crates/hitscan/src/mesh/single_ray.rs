//! Single-ray queries of a mesh. Their SIMD code is compiled here, once.

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

/// Fallback for a ray that the `f32` traversal does not support: outside the safe range, from a negative `t`, or
/// invalid.
type Fallback<'a, O> = &'a dyn Fn() -> O;

/// Closest hit.
#[inline(never)]
pub(crate) fn first(
    context: &QueryContext,
    tree: &Bvh16,
    otherwise: Fallback<Option<Hit<glam::Vec3>>>,
) -> Option<Hit<glam::Vec3>> {
    dispatch(SingleRay::<ClosestMode, _> { context, tree, otherwise, mode: PhantomData })
}

/// Casts a hit to the caller's vector type, which must equal the given one; otherwise `None`.
#[inline(always)]
pub(crate) fn same<V: Vector, U: Vector>(hit: Option<Hit<V>>) -> Option<Hit<U>> {
    // `copied` and `?` wrap the hit again and so copy it.
    match (&hit as &dyn core::any::Any).downcast_ref() {
        Some(hit) => *hit,
        None => None,
    }
}

/// The place for a hit as one of the caller's vector type, which must equal the given one; otherwise `None`.
#[inline(always)]
pub(crate) fn same_mut<V: Vector, U: Vector>(hit: &mut Option<Hit<V>>) -> Option<&mut Option<Hit<U>>> {
    (hit as &mut dyn core::any::Any).downcast_mut()
}

/// Writes the closest hit to `out`, and returns its unrounded `t`; `None` for a ray that the `f32` traversal does not
/// support.
#[inline(never)]
pub(crate) fn first_into(
    context: &QueryContext,
    tree: &Bvh16,
    out: &mut Option<Hit<glam::Vec3>>,
) -> Option<Option<f64>> {
    dispatch(FirstInto { context, tree, out })
}

/// Whether the ray hits any triangle.
#[inline(never)]
pub(crate) fn any(context: &QueryContext, tree: &Bvh16, otherwise: Fallback<bool>) -> bool {
    dispatch(SingleRay::<AnyMode, _> { context, tree, otherwise, mode: PhantomData })
}

/// SIMD kernel of a single-ray query. It constructs the result in place: a wrapper type around the result would cost a
/// copy.
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
        let Some(line) = context.line(tree) else { return otherwise() };
        let mut search = Search::<Q> { context, payload: Q::Payload::default() };
        tree.traverse_f32::<L>(&line, context.query_f32.t_max, &mut search);
        O::output(context, &search.payload)
    }
}

/// SIMD kernel of [`first_into`].
struct FirstInto<'a> {
    context: &'a QueryContext<'a>,
    tree: &'a Bvh16,
    out: &'a mut Option<Hit<glam::Vec3>>,
}

impl SimdKernel for FirstInto<'_> {
    type Output = Option<Option<f64>>;
    #[inline(always)]
    fn run<L: SimdF32>(self) -> Self::Output {
        let Self { context, tree, out } = self;
        let line = context.line(tree)?;
        let mut search = Search::<ClosestMode> { context, payload: None };
        tree.traverse_f32::<L>(&line, context.query_f32.t_max, &mut search);
        Some(context.write_hit(&search.payload, out))
    }
}

/// Leaf visitor of a single-ray query.
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
        _prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Some(line) = line else { return ControlFlow::Continue(()) };
        self.context.each::<L, Q>(line, leaf, end, &mut self.payload)
    }
}
