//! Batch queries of a scene: a ray stream traverses each of its BVHs.

use crate::bvh::primitive_index::AccelRef;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::stream::{MIN_STREAM, RayStream, STREAM_SIZE};
use crate::hit::Hit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::round_up_f32;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::scene::any::Space;
use crate::scene::closest_object::ClosestSoFar;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object_tree::PlacedObject;
use crate::scene::tree_level::{TreeLevel, View};
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Prefetch distance of objects, in finished rays.
const OBJECT_PREFETCH: usize = 8;

/// Batch query of a scene, closest or any hit; the result type implements it.
pub(crate) trait BatchQuery<V: Space>: Sized + Clone {
    /// State of the search of one ray.
    type Payload<'a>: Clone + Default;
    /// Tests an object, which has a query of its own. Hits beyond `limit` need not be found; a closer hit lowers `limit`.
    /// `Break` stops the search.
    fn evaluate<'a>(
        line: (&InstanceRay<'_, V>, &Query<V::Scalar>),
        placed: (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
        payload: &mut Self::Payload<'a>,
    ) -> ControlFlow<()>;
    /// Prefetches the object that [`finish_hit`](Self::finish_hit) reads.
    fn prefetch_object(payload: &Self::Payload<'_>);
    /// Result of a finished search.
    fn finish_hit(ray: &dyn RayLike<V>, query: &Query<V::Scalar>, payload: &Self::Payload<'_>) -> Self;
}

/// Closest hit.
impl<V: Space> BatchQuery<V> for Option<Hit<V>> {
    type Payload<'a> = Option<ClosestSoFar<'a, V>>;
    #[inline(always)]
    fn evaluate<'a>(
        line: (&InstanceRay<'_, V>, &Query<V::Scalar>),
        placed: (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
        best: &mut Option<ClosestSoFar<'a, V>>,
    ) -> ControlFlow<()> {
        ClosestSoFar::update(best, line, placed, limit);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn prefetch_object(best: &Option<ClosestSoFar<'_, V>>) {
        if let Some(placed) = best.as_ref().and_then(ClosestSoFar::needs) {
            prefetch(placed);
        }
    }
    #[inline(always)]
    fn finish_hit(ray: &dyn RayLike<V>, query: &Query<V::Scalar>, best: &Option<ClosestSoFar<'_, V>>) -> Self {
        best.as_ref()?.finish(&ray.line().into(), query)
    }
}

/// Any hit.
impl<V: Space> BatchQuery<V> for bool {
    type Payload<'a> = bool;
    #[inline(always)]
    fn evaluate(
        (line, _query): (&InstanceRay<'_, V>, &Query<V::Scalar>),
        (placed, own): (&PlacedObject<V>, &Query<V::Scalar>),
        _limit: &mut f64,
        found: &mut bool,
    ) -> ControlFlow<()> {
        *found = placed.object.instance.any_hit(line, own);
        if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    #[inline(always)]
    fn prefetch_object(_found: &bool) {}
    #[inline(always)]
    fn finish_hit(_ray: &dyn RayLike<V>, _query: &Query<V::Scalar>, found: &bool) -> Self {
        *found
    }
}

impl<'a, V: Space> FilteredScene<'a, V> {
    /// Writes the result of each ray in order; every result equals that of `single`, bit for bit.
    pub(crate) fn each<A: BatchQuery<V>>(
        self,
        rays: RaySlice<'_, V>,
        query: &Query<V::Scalar>,
        out: &mut [A],
        single: impl Fn(&dyn RayLike<V>) -> A,
    ) {
        let largest_in = |view: View<'a, V>| match view.index {
            AccelRef::Bvh(tree) => Some(tree.largest),
            AccelRef::LinearScan(_) => None,
        };
        let Some(largest) = self.views().map(largest_in).try_fold(0.0, |a: f32, b| Some(a.max(b?))) else {
            return rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
        };
        if rays.len() < MIN_STREAM || self.scene.levels.is_empty() {
            return rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
        }
        // The other trees are small: what a stream learns about one of them holds for all.
        let (mut main, mut beside) = (RayStream::new(), RayStream::new());
        let (mut payloads, mut aims) = (Vec::new(), Vec::new());
        for (rays, out) in rays.chunks(STREAM_SIZE).zip(out.chunks_mut(STREAM_SIZE)) {
            payloads.clear();
            payloads.resize(rays.len(), A::Payload::default());
            aims.clear();
            self.prepare::<A>(largest, (rays, query), &mut aims, &mut payloads);
            let mut stream = &mut main;
            for (i, view) in self.views().enumerate() {
                if i > 0 {
                    take_ends(stream, &mut aims);
                    stream = &mut beside;
                }
                traverse::<V, A>(view, stream, (rays, query), &aims, &mut payloads);
            }
            finish_all::<V, A>((rays, query), &aims, &payloads, out, &single);
        }
    }

    /// The trees of the scene, in the order of a search.
    fn views(self) -> impl Iterator<Item = View<'a, V>> {
        let views = move |level: &'a TreeLevel<V>| [Some(level.view(self.accept)), level.moved_view(self.accept)];
        self.scene.levels.iter().flat_map(views).flatten()
    }

    /// Prepares the rays: tests the unbounded shapes and pushes the `f32` ray for the traversal, unless the stream does not
    /// support it.
    fn prepare<A: BatchQuery<V>>(
        self,
        largest: f32,
        (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
        aims: &mut Vec<Option<(RayF32, f32)>>,
        payloads: &mut [A::Payload<'a>],
    ) {
        for (i, payload) in (0..rays.len()).zip(payloads) {
            let line = InstanceRay::<V>::from(rays.raw(i).line());
            let query = &query.layers(query.layer_mask() & line.raw.layers);
            let limits = TRange::new(&line, query);
            let aim = RayF32::of(&line.raw, limits.min.to_f64(), largest).filter(|_| line.is_valid());
            aims.push(aim.map(|aim| {
                let mut limit = limits.max.to_f64();
                let mut look = |view: View<'a, V>, slot: u32| {
                    view.look(slot, query, |placed, own| {
                        A::evaluate((&line, query), (placed, own), &mut limit, payload)
                    })
                };
                let is_finished = self
                    .scene
                    .levels
                    .iter()
                    .map(|level| level.view(self.accept))
                    .try_for_each(|view| view.unbounded.iter().try_for_each(|&slot| look(view, slot)));
                // A finished ray visits no nodes.
                (aim, if is_finished.is_break() { f32::NEG_INFINITY } else { round_up_f32(limit) })
            }));
        }
    }
}

/// Sends a stream of rays through one tree.
#[inline(always)]
fn traverse<'a, V: Space, A: BatchQuery<V>>(
    view: View<'a, V>,
    stream: &mut RayStream<()>,
    (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
    aims: &[Option<(RayF32, f32)>],
    payloads: &mut [A::Payload<'a>],
) {
    let AccelRef::Bvh(tree) = view.index else { return };
    let mut look = |number: u32, slot: u32, limit: &mut f64| {
        let (line, payload) = (InstanceRay::from(rays.raw(number as usize).line()), &mut payloads[number as usize]);
        let query = &query.layers(query.layer_mask() & line.raw.layers);
        view.look(slot, query, |placed, own| A::evaluate((&line, query), (placed, own), limit, payload))
    };
    tree.traverse_stream(stream, aims, &mut look, &|slot| prefetch(&view.placed[slot as usize]));
}

/// Takes over the ends of the rays, for the next tree.
fn take_ends(stream: &RayStream<()>, aims: &mut [Option<(RayF32, f32)>]) {
    for ray in &stream.rays {
        if let Some((_, end)) = &mut aims[ray.number as usize] {
            *end = ray.end;
        }
    }
}

/// Writes the results. `single` computes that of a ray that the stream does not support.
#[inline(always)]
fn finish_all<V: Space, A: BatchQuery<V>>(
    (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
    aims: &[Option<(RayF32, f32)>],
    payloads: &[A::Payload<'_>],
    out: &mut [A],
    single: &impl Fn(&dyn RayLike<V>) -> A,
) {
    for (number, out) in out.iter_mut().enumerate() {
        if let Some(later) = payloads.get(number + OBJECT_PREFETCH) {
            A::prefetch_object(later);
        }
        let ray = rays.get(number);
        *out = if aims[number].is_some() { A::finish_hit(ray, query, &payloads[number]) } else { single(ray) };
    }
}
