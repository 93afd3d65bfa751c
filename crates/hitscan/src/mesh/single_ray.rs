//! Single-ray queries of a mesh. Their SIMD code is compiled here, once.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::traverse::local_ray::LocalRay;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::hit::Hit;
use crate::mesh::hit_output::FromSearch;
use crate::mesh::hit_search::{AnyMode, ClosestMode, HitMode, QueryContext};
use crate::mesh::search_ray::{SearchRay, SearchRayF32, SearchRayF64};
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
    context: &QueryContext<SearchRayF32>,
    tree: &Bvh16,
    otherwise: Fallback<Option<Hit<glam::Vec3>>>,
) -> Option<Hit<glam::Vec3>> {
    dispatch(SingleRay::<ClosestMode, _, _> { context, tree, otherwise, mode: PhantomData })
}

/// Writes the closest hit to `out`, and returns its unrounded `t`; `None` for a ray that the `f32` traversal does not
/// support.
#[inline(never)]
pub(crate) fn first_into(
    context: &QueryContext<SearchRayF32>,
    tree: &Bvh16,
    out: &mut Option<Hit<glam::Vec3>>,
) -> Option<Option<f64>> {
    dispatch(FirstInto { context, tree, out })
}

/// Closest hit of a mesh in `f64`.
#[inline(never)]
pub(crate) fn first_in_double(
    context: &QueryContext<SearchRayF64>,
    tree: &Bvh16,
    otherwise: Fallback<Option<Hit<glam::DVec3>>>,
) -> Option<Hit<glam::DVec3>> {
    dispatch(SingleRay::<ClosestMode, _, _> { context, tree, otherwise, mode: PhantomData })
}

/// Number of the closest triangle of a mesh in `f64`.
#[inline(never)]
pub(crate) fn closest_triangle_in_double(
    context: &QueryContext<SearchRayF64>,
    tree: &Bvh16,
    otherwise: Fallback<Option<u32>>,
) -> Option<u32> {
    dispatch(SingleRay::<ClosestMode, _, _> { context, tree, otherwise, mode: PhantomData })
}

/// Whether the ray hits any triangle.
#[inline(never)]
pub(crate) fn any(context: &QueryContext<SearchRayF32>, tree: &Bvh16, otherwise: Fallback<bool>) -> bool {
    dispatch(SingleRay::<AnyMode, _, _> { context, tree, otherwise, mode: PhantomData })
}

/// Whether the ray hits any triangle of a mesh in `f64`.
#[inline(never)]
pub(crate) fn any_in_double(context: &QueryContext<SearchRayF64>, tree: &Bvh16, otherwise: Fallback<bool>) -> bool {
    dispatch(SingleRay::<AnyMode, _, _> { context, tree, otherwise, mode: PhantomData })
}

/// Declares the prepared ray, and a copy of its slab constants for registers; or leaves if the `f32` traversal does not support
/// the ray. Not a function: its result would be copied right after it was written, and such loads wait for their stores.
macro_rules! prepared {
    ($slab:ident, $line:ident, $context:ident, $tree:ident, $leave:expr) => {
        let ($slab, $line) = match $context.level {
            None => {
                let (aim, is_faithful) = $context.query.aim();
                if !(is_faithful & $tree.is_ordinary(&aim)) {
                    $leave;
                }
                let line = PreparedRay::of_ordinary::<L>(&aim, $tree.largest);
                (line.slab, line)
            }
            Some(level) => {
                let local = LocalRay::new(level.rounded(), $tree.largest);
                match $tree.prepare_local(&local, $context.query.query().t_min()) {
                    Some(line) => (line.slab, line),
                    None => $leave,
                }
            }
        };
    };
}

/// SIMD kernel of a single-ray query. It constructs the result in place: a wrapper type around the result would cost a
/// copy.
struct SingleRay<'a, Q, R, O> {
    context: &'a QueryContext<'a, R>,
    tree: &'a Bvh16,
    otherwise: Fallback<'a, O>,
    mode: PhantomData<Q>,
}

impl<Q: HitMode, R: SearchRay, O: FromSearch<Q, R>> SimdKernel for SingleRay<'_, Q, R, O> {
    type Output = O;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> O {
        let Self { context, tree, otherwise, .. } = self;
        prepared!(slab, line, context, tree, return otherwise());
        let mut search = Search::<Q, R> { context, payload: Q::Payload::default() };
        tree.traverse_f32::<L>(slab, &line, context.query.end(), &mut search);
        if L::HAS_FMA {
            O::output::<true>(context, &search.payload)
        } else {
            O::output::<false>(context, &search.payload)
        }
    }
}

/// SIMD kernel of [`first_into`].
struct FirstInto<'a> {
    context: &'a QueryContext<'a, SearchRayF32>,
    tree: &'a Bvh16,
    out: &'a mut Option<Hit<glam::Vec3>>,
}

impl SimdKernel for FirstInto<'_> {
    type Output = Option<Option<f64>>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> Self::Output {
        let Self { context, tree, out } = self;
        prepared!(slab, line, context, tree, return None);
        let mut search = Search::<ClosestMode, _> { context, payload: None };
        tree.traverse_f32::<L>(slab, &line, context.query.end(), &mut search);
        Some(if L::HAS_FMA {
            context.write_hit::<true, _>(&search.payload, out)
        } else {
            context.write_hit::<false, _>(&search.payload, out)
        })
    }
}

/// Leaf visitor of a single-ray query.
struct Search<'a, Q: HitMode, R> {
    context: &'a QueryContext<'a, R>,
    payload: Q::Payload,
}

impl<Q: HitMode, R: SearchRay> LeafVisitor for Search<'_, Q, R> {
    #[inline(always)]
    fn leaf<L: SimdF32>(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        _prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Some(line) = line else { return ControlFlow::Continue(()) };
        self.context.each::<L, Q, true>(line, leaf, end, &mut self.payload)
    }
}
