//! Batch queries of a scene: a ray stream traverses its BVH.

use crate::bvh::bvh::Bvh16;
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
use crate::scene::instance::Instance;
use crate::scene::scene::{ClosestSoFar, Scene};
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Prefetch distance of objects, in finished rays.
const OBJECT_PREFETCH: usize = 8;

/// Batch query of a scene, closest or any hit; the result type implements it.
pub(crate) trait BatchQuery<V: Space>: Sized + Clone {
    /// State of the search of one ray.
    type Payload: Clone + Default;
    /// Tests the shape of a slot. Hits beyond `limit` need not be found; a closer hit lowers `limit`. `Break` stops the
    /// search.
    fn evaluate(
        scene: &Scene<V>,
        line: (&InstanceRay<'_, V>, &Query<V::Scalar>),
        placed: (u32, &Instance<V>),
        limit: &mut f64,
        payload: &mut Self::Payload,
    ) -> ControlFlow<()>;
    /// Index of the object that [`finish_hit`](Self::finish_hit) reads.
    fn needs(payload: &Self::Payload) -> Option<u32>;
    /// Result of a finished search.
    fn finish_hit(scene: &Scene<V>, ray: &dyn RayLike<V>, query: &Query<V::Scalar>, payload: &Self::Payload) -> Self;
}

/// Closest hit.
impl<V: Space> BatchQuery<V> for Option<Hit<V>> {
    type Payload = Option<ClosestSoFar<V>>;
    #[inline(always)]
    fn evaluate(
        scene: &Scene<V>,
        (line, query): (&InstanceRay<'_, V>, &Query<V::Scalar>),
        placed: (u32, &Instance<V>),
        limit: &mut f64,
        best: &mut Option<ClosestSoFar<V>>,
    ) -> ControlFlow<()> {
        scene.nearer(line, query, placed, limit, best);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn needs(best: &Option<ClosestSoFar<V>>) -> Option<u32> {
        best.as_ref().and_then(ClosestSoFar::needs)
    }
    #[inline(always)]
    fn finish_hit(
        scene: &Scene<V>,
        ray: &dyn RayLike<V>,
        query: &Query<V::Scalar>,
        best: &Option<ClosestSoFar<V>>,
    ) -> Self {
        scene.finish_hit(&ray.line().into(), query, best.as_ref()?)
    }
}

/// Any hit.
impl<V: Space> BatchQuery<V> for bool {
    type Payload = bool;
    #[inline(always)]
    fn evaluate(
        _scene: &Scene<V>,
        (line, query): (&InstanceRay<'_, V>, &Query<V::Scalar>),
        (_, shape): (u32, &Instance<V>),
        _limit: &mut f64,
        found: &mut bool,
    ) -> ControlFlow<()> {
        *found = shape.any_hit(line, query);
        if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    #[inline(always)]
    fn needs(_found: &bool) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn finish_hit(_scene: &Scene<V>, _ray: &dyn RayLike<V>, _query: &Query<V::Scalar>, found: &bool) -> Self {
        *found
    }
}

impl<V: Space> Scene<V> {
    /// Writes the result of each ray in order; every result equals that of `single`, bit for bit.
    pub(crate) fn each<A: BatchQuery<V>>(
        &self,
        rays: RaySlice<'_, V>,
        query: &Query<V::Scalar>,
        out: &mut [A],
        single: impl Fn(&dyn RayLike<V>) -> A,
    ) {
        let Some(tree) = self.index.tree().filter(|_| rays.len() >= MIN_STREAM) else {
            rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
            return;
        };
        let (mut stream, mut notes, mut aims) = (RayStream::new(), Vec::new(), Vec::new());
        for (rays, out) in rays.chunks(STREAM_SIZE).zip(out.chunks_mut(STREAM_SIZE)) {
            notes.clear();
            notes.resize(rays.len(), A::Payload::default());
            aims.clear();
            self.prepare::<A>(tree, (rays, query), &mut aims, &mut notes, &mut *out, &single);
            let mut look = |number: u32, slot: u32, limit: &mut f64| {
                let number = number as usize;
                self.evaluate::<A>(&InstanceRay::from(rays.raw(number).line()), query, slot, limit, &mut notes[number])
            };
            tree.traverse_stream(&mut stream, &aims, &mut look, &|slot| prefetch(&self.placed[slot as usize]));
            let later = stream.rays.iter().skip(OBJECT_PREFETCH).map(Some).chain([None; OBJECT_PREFETCH]);
            for (now, later) in stream.rays.iter().zip(later) {
                if let Some(object) = later.and_then(|later| A::needs(&notes[later.number as usize])) {
                    prefetch(&self.objects[object as usize]);
                }
                let number = now.number as usize;
                out[number] = A::finish_hit(self, rays.get(number), query, &notes[number]);
            }
        }
    }

    /// Prepares the rays: tests the unbounded shapes and pushes the `f32` ray for the traversal. `single` computes the
    /// result of a ray that the stream does not support.
    fn prepare<A: BatchQuery<V>>(
        &self,
        tree: &Bvh16,
        (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
        aims: &mut Vec<Option<(RayF32, f32)>>,
        notes: &mut [A::Payload],
        out: &mut [A],
        single: &impl Fn(&dyn RayLike<V>) -> A,
    ) {
        for (i, (payload, out)) in (0..rays.len()).zip(notes.iter_mut().zip(out)) {
            let line = InstanceRay::<V>::from(rays.raw(i).line());
            let limits = TRange::new(&line, query);
            let aim = tree.aim(&line.raw, limits.min.to_f64()).filter(|_| line.is_valid());
            aims.push(aim.map(|aim| {
                let mut limit = limits.max.to_f64();
                let evaluate = |slot: u32| self.evaluate::<A>(&line, query, slot, &mut limit, payload);
                let is_representable = self.unbounded_places().try_for_each(evaluate).is_break();
                // A finished ray visits no nodes.
                (aim, if is_representable { f32::NEG_INFINITY } else { round_up_f32(limit) })
            }));
            if aim.is_none() {
                *out = single(rays.get(i));
            }
        }
    }

    /// Tests the shape of a slot, if it is on a layer of the query.
    #[inline(always)]
    fn evaluate<A: BatchQuery<V>>(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        slot: u32,
        limit: &mut f64,
        payload: &mut A::Payload,
    ) -> ControlFlow<()> {
        match self.shape_in_layers(slot, query) {
            Some(shape) => A::evaluate(self, (line, query), (slot, shape), limit, payload),
            None => ControlFlow::Continue(()),
        }
    }
}
