//! One line through one mesh: what is compiled for wide registers is compiled here, once.

use crate::bvh::bvh::Tree;
use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::Single;
use crate::bvh::traverse::visitor::Leaves;
use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::mesh::hit_output::Tells;
use crate::mesh::hit_search::{Any, Asked, First, Question};
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::Task;
use core::marker::PhantomData;
use core::ops::ControlFlow;

/// Tells about a line that is not for registers: of unusual size, from a negative `t`, or none at all.
type Otherwise<'a, O> = &'a dyn Fn() -> O;

/// The first hit.
#[inline(never)]
pub(crate) fn first(
    asked: &Asked,
    tree: &Tree,
    otherwise: Otherwise<Option<Hit<glam::Vec3>>>,
) -> Option<Hit<glam::Vec3>> {
    dispatch(One::<First, _> { asked, tree, otherwise, question: PhantomData })
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
pub(crate) fn place(asked: &Asked, tree: &Tree, otherwise: Otherwise<Option<(u32, f64)>>) -> Option<(u32, f64)> {
    dispatch(One::<First, _> { asked, tree, otherwise, question: PhantomData })
}

/// Whether there is any.
#[inline(never)]
pub(crate) fn any(asked: &Asked, tree: &Tree, otherwise: Otherwise<bool>) -> bool {
    dispatch(One::<Any, _> { asked, tree, otherwise, question: PhantomData })
}

/// A question about one line, in wide registers. What is told is written where it is wanted: nothing is wrapped around it on
/// the way, for to take it out again would be to copy it.
struct One<'a, Q, O> {
    asked: &'a Asked<'a>,
    tree: &'a Tree,
    otherwise: Otherwise<'a, O>,
    question: PhantomData<Q>,
}

impl<Q: Question, O: Tells<Q>> Task for One<'_, Q, O> {
    type Output = O;
    #[inline(always)]
    fn run<L: SimdF32>(self) -> O {
        let Self { asked, tree, otherwise, .. } = self;
        let Some(line) = asked.shot.line(tree) else { return otherwise() };
        let mut search = Search::<Q> { asked, note: Q::Note::default() };
        tree.walk_in_f32::<L>(&line, asked.shot.t_max, &mut search);
        O::told(asked, &search.note)
    }
}

/// Looks at one leaf after the other.
struct Search<'a, Q: Question> {
    asked: &'a Asked<'a>,
    note: Q::Note,
}

impl<Q: Question> Leaves for Search<'_, Q> {
    #[inline(always)]
    fn leaf<L: SimdF32>(
        &mut self,
        line: Option<&Single>,
        leaf: Leaf,
        _parts: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Some(line) = line else { return ControlFlow::Continue(()) };
        self.asked.each::<L, Q>(line, leaf, end, &mut self.note)
    }
}
