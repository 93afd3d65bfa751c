//! Batch queries of a scene: a ray stream traverses each of its BVHs.

use crate::bvh::primitive_index::AccelRef;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::stream::{MIN_STREAM, RayStream, STREAM_SIZE};
use crate::bvh::traverse::stream_prims::PrimMemory;
use crate::hit::Hit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::round_up_f32;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::scene::any::Space;
use crate::scene::closest_object::{ClosestSearch, ObjectCandidate};
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::{TreeLevel, View};
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Prefetch distance of objects, in finished rays.
const OBJECT_PREFETCH: usize = 8;

/// The bytes of a transform count so often: a placed shape is mostly a mesh, which takes its share of the cache. Measured with
/// 3,000 to 30,000 instances of a mesh.
const PLACED_SHARE: usize = 3;

/// Batch query of a scene, closest or any hit; the result type implements it.
pub(crate) trait BatchQuery<V: Space>: Sized + Clone {
    /// State of the search of one ray, beside its result.
    type Payload<'a>: Clone + Default;
    /// Result of a ray before its search.
    const NONE: Self;
    /// Tests an object, which has a query of its own. Hits beyond `limit` need not be found; a closer hit lowers `limit`.
    /// `Break` stops the search.
    fn evaluate<'a>(
        search: ClosestSearch<'_, '_, V>,
        placed: (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
        state: (&mut Self::Payload<'a>, &mut Self),
    ) -> ControlFlow<()>;
    /// Prefetches the object that [`finish_hit`](Self::finish_hit) reads.
    fn prefetch_object(&self, payload: &Self::Payload<'_>);
    /// Completes the result of a finished search.
    fn finish_hit(&mut self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>, payload: &Self::Payload<'_>);
}

/// Closest hit.
impl<V: Space> BatchQuery<V> for Option<Hit<V>> {
    type Payload<'a> = Option<ObjectCandidate<'a, V>>;
    const NONE: Self = None;
    #[inline(always)]
    fn evaluate<'a>(
        search: ClosestSearch<'_, '_, V>,
        placed: (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
        (best, hit): (&mut Option<ObjectCandidate<'a, V>>, &mut Self),
    ) -> ControlFlow<()> {
        search.update(placed, limit, best, hit);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn prefetch_object(&self, best: &Option<ObjectCandidate<'_, V>>) {
        if let (Some((placed, _)), None) = (best, self) {
            prefetch(*placed);
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish_hit(&mut self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>, best: &Option<ObjectCandidate<'_, V>>) {
        match (best, &mut *self) {
            // Most shapes have computed the hit: their rays are not read again.
            (Some((placed, _)), Some(hit)) => placed.mark(hit),
            (Some(best), None) => ClosestSearch { line: &InstanceRay::new(&ray.line()), query }.finish(best, self),
            (None, _) => {}
        }
    }
}

/// Any hit.
impl<V: Space> BatchQuery<V> for bool {
    type Payload<'a> = ();
    const NONE: Self = false;
    #[inline(always)]
    fn evaluate(
        search: ClosestSearch<'_, '_, V>,
        (placed, own): (&PlacedObject<V>, &Query<V::Scalar>),
        _limit: &mut f64,
        (_, found): (&mut (), &mut Self),
    ) -> ControlFlow<()> {
        *found = placed.object.instance.0.any_hit(search.line, own);
        if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    #[inline(always)]
    fn prefetch_object(&self, _payload: &()) {}
    #[inline(always)]
    fn finish_hit(&mut self, _ray: &dyn RayLike<V>, _query: &Query<V::Scalar>, _payload: &()) {}
}

impl<'a, V: Space> SceneView<'a, V> {
    /// Writes the result of each ray in order; every result equals that of `single`, bit for bit.
    pub(crate) fn each<A: BatchQuery<V>>(
        self,
        rays: RaySlice<'_, V>,
        query: &Query<V::Scalar>,
        out: &mut [A],
        single: impl Fn(&dyn RayLike<V>) -> A,
    ) {
        // Whether `f32` can hold a ray depends on the largest coordinate among all trees. A linear scan has no tree,
        // and no stream either.
        let largest_in = |view: View<'a, V>| match view.index {
            AccelRef::Bvh(tree) => Some(tree.largest),
            AccelRef::LinearScan(_) => None,
        };
        let Some(largest) = self.views().map(largest_in).try_fold(0.0, |a: f32, b| Some(a.max(b?))) else {
            return rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
        };
        // A few rays do not pay for the preparation of a stream.
        if rays.len() < MIN_STREAM || self.scene.levels.is_empty() {
            return rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
        }
        // Each stream remembers what it learned about the memory of its tree. The trees beside the main one are small:
        // what one ray of a stream finds of them holds for all.
        let (mut main, mut beside) = (RayStream::new(), RayStream::new());
        let (mut payloads, mut aims) = (Vec::new(), Vec::new());
        // Chunks are so short that rays, payloads and results stay in cache while each tree is traversed.
        for (rays, out) in rays.chunks(STREAM_SIZE).zip(out.chunks_mut(STREAM_SIZE)) {
            payloads.clear();
            payloads.resize(rays.len(), A::Payload::default());
            out.fill(A::NONE);
            aims.clear();
            // Unbounded objects are tested first, so that the trees see shorter rays.
            self.prepare::<A>(largest, (rays, query), &mut aims, (&mut payloads, out));
            let mut stream = &mut main;
            for (i, view) in self.views().enumerate() {
                if i > 0 {
                    // A ray ends at its closest hit in the trees before.
                    take_ends(stream, &mut aims);
                    stream = &mut beside;
                }
                traverse::<V, A>(view, stream, (rays, query), &aims, (&mut payloads, out));
            }
            // Hits are completed in the order of the rays: the results are written once, and one after the other.
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
        (payloads, out): (&mut [A::Payload<'a>], &mut [A]),
    ) {
        for ((i, payload), out) in (0..rays.len()).zip(payloads).zip(out) {
            // The layers of the ray and those of the query count together, as for a single ray.
            let world = rays.raw(i).line();
            let line = InstanceRay::<V>::new(&world);
            let query = &query.layers(query.layer_mask() & line.raw.layers);
            let limits = TRange::new(&line, query);
            // The ray in `f32`. Without one (a direction that `f32` cannot hold, an invalid ray) the ray is cast alone
            // in `finish_all`.
            let aim = RayF32::of(&line.raw, limits.min.to_f64(), largest).filter(|_| line.is_valid());
            aims.push(aim.map(|aim| {
                // Objects without a box are in no tree. A hit at one of them ends the ray earlier.
                let mut limit = limits.max.to_f64();
                let mut look = |view: View<'a, V>, slot: u32| {
                    view.look(slot, query, |placed, own| {
                        let search = ClosestSearch { line: &line, query };
                        A::evaluate(search, (placed, own), &mut limit, (payload, out))
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
#[cfg_attr(not(debug_assertions), inline(always))]
fn traverse<'a, V: Space, A: BatchQuery<V>>(
    view: View<'a, V>,
    stream: &mut RayStream<()>,
    (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
    aims: &[Option<(RayF32, f32)>],
    (payloads, out): (&mut [A::Payload<'a>], &mut [A]),
) {
    let AccelRef::Bvh(tree) = view.index else { return };
    // The `f32` ray decides about boxes only: objects are tested with the ray as given, so that hits equal those of
    // single rays.
    let mut look = |number: u32, slot: u32, limit: &mut f64| {
        let number = number as usize;
        let world = rays.raw(number).line();
        let line = InstanceRay::new(&world);
        let query = &query.layers(query.layer_mask() & line.raw.layers);
        let search = ClosestSearch { line: &line, query };
        let state = (&mut payloads[number], &mut out[number]);
        view.look(slot, query, |placed, own| A::evaluate(search, (placed, own), limit, state))
    };
    // A stream knows the leaves it will test, and prefetches in two steps: the object, and then the transform that the
    // object points to.
    let fetch = |slot| prefetch(&view.placed[slot as usize]);
    let fetch_rest = |slot| view.placed[slot as usize].object.instance.0.fetch_placement();
    // The bytes of all objects, for the estimate of cache misses: as many as if all were like the first one.
    let each = view
        .placed
        .first()
        .map_or(0, |placed| size_of_val(placed) + PLACED_SHARE * placed.object.instance.0.placement_bytes());
    let memory = PrimMemory { fetch: &fetch, fetch_rest: &fetch_rest, bytes: each * view.placed.len() };
    tree.traverse_stream(stream, aims, &mut look, memory);
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
#[cfg_attr(not(debug_assertions), inline(always))]
fn finish_all<V: Space, A: BatchQuery<V>>(
    (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
    aims: &[Option<(RayF32, f32)>],
    payloads: &[A::Payload<'_>],
    out: &mut [A],
    single: &impl Fn(&dyn RayLike<V>) -> A,
) {
    for number in 0..rays.len() {
        // The hit of a later ray may need its object again, and the object may have left the cache by then.
        let later = number + OBJECT_PREFETCH;
        if let (Some(payload), Some(out)) = (payloads.get(later), out.get(later)) {
            out.prefetch_object(payload);
        }
        let (ray, out) = (rays.get(number), &mut out[number]);
        // A ray without an `f32` form was not in the stream.
        if aims[number].is_some() {
            out.finish_hit(ray, query, &payloads[number]);
        } else {
            *out = single(ray);
        }
    }
}
