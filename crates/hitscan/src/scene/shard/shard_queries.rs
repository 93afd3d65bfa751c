//! Queries of a shard: those of its scene, with the numbers of the whole scene.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestPoint, ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::{Hit, ObjectId, Span};
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::Working;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OverlapGoal, Shape};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::scene::any::Space;
use crate::scene::compiled::compiled_scene;
use crate::scene::shard::shard::Shard;
use crate::sweep_hit::{SweepCandidate, SweepHit, SweepResult, SweepResults};
use core::ops::ControlFlow;

impl<V: Space> Shard<V> {
    /// An object and its triangle, with the numbers of the whole scene.
    fn whole_numbers(&self, object: Option<ObjectId>, triangle: Option<u32>) -> (Option<ObjectId>, Option<u32>) {
        match object.and_then(|id| self.numbers.get(id.index())) {
            Some(number) => (Some(number.id), triangle.map(|triangle| number.triangle(triangle))),
            None => (object, triangle),
        }
    }

    fn whole_contact(&self, found: SweepCandidate<V>) -> SweepCandidate<V> {
        let (object, primitive) = self.whole_numbers(found.hit.object, found.hit.primitive);
        SweepCandidate { hit: SweepHit { object, primitive, ..found.hit }, ..found }
    }

    fn whole_point(&self, found: ClosestPoint<V>) -> ClosestPoint<V> {
        let (object, primitive) = self.whole_numbers(found.object, found.primitive);
        ClosestPoint { object, primitive, ..found }
    }
}

impl<V: Space> Shape<V> for Shard<V> {
    fn name(&self) -> &'static str {
        "shard"
    }
    fn aabb(&self) -> Aabb<V> {
        compiled_scene(&self.queried()).aabb()
    }
    fn encloses_points(&self) -> bool {
        compiled_scene(&self.queried()).encloses_points()
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        compiled_scene(&self.queried()).contains_point(point, level)
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        Ok(compiled_scene(&self.queried()).project_point(point, level, goal)?.map(|found| self.whole_point(found)))
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        let found = compiled_scene(&self.queried()).sweep(ray, swept, query, limit)?;
        Ok(found.map(|found| self.whole_contact(found)))
    }
    fn sweep_each(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
    ) -> SweepResults<V> {
        let found = compiled_scene(&self.queried()).sweep_each(ray, swept, query)?;
        Ok(found.into_iter().map(|found| self.whole_contact(found)).collect())
    }
    fn project_primitives(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        let mut whole = |found: Result<ClosestPoint<V>, f64>| out(found.map(|found| self.whole_point(found)));
        compiled_scene(&self.queried()).project_primitives(point, level, limit, &mut whole);
    }
    fn insertion_order(&self, object: ObjectId) -> u64 {
        self.find(object).map_or(u64::MAX, |slot| self.numbers[slot].order)
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        compiled_scene(&self.queried()).visit_overlaps(volume, level, goal, &mut |part| {
            let (object, primitive) = self.whole_numbers(part.object, part.primitive);
            found(Overlap { object, primitive, ..part })
        })
    }
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        compiled_scene(&self.queried()).cast_closest(ray, query).map(|hit| self.whole_hit(hit))
    }
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        compiled_scene(&self.queried()).cast_any(ray, query)
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        compiled_scene(&self.queried()).cast_closest_each(rays, query, out);
        out.iter_mut().flatten().for_each(|hit| *hit = self.whole_hit(*hit));
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        compiled_scene(&self.queried()).cast_any_each(rays, query, out);
    }
    fn candidate(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        let candidate = compiled_scene(&self.queried()).candidate(ray, query, limit, hit);
        *hit = hit.map(|hit| self.whole_hit(hit));
        candidate
    }
    fn finish(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        compiled_scene(&self.queried()).finish(ray, query, found).map(|hit| self.whole_hit(hit))
    }
    fn closest_hit(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        compiled_scene(&self.queried()).closest_hit(ray, query).map(|hit| self.whole_hit(hit))
    }
    fn any_hit(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        compiled_scene(&self.queried()).any_hit(ray, query)
    }
    fn all_hits(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        compiled_scene(&self.queried()).all_hits(ray, query, most, &mut |t, hit| out(t, self.whole_hit(hit)));
    }
    fn exact_first(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        compiled_scene(&self.queried()).exact_first(ray, query, found)
    }
    fn exact_all_t(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        compiled_scene(&self.queried()).exact_all_t(ray, query, out);
    }
    fn count(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        compiled_scene(&self.queried()).count(ray, query)
    }
    fn all_spans(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        let whole = |end: Option<Hit<V>>| end.map(|hit| self.whole_hit(hit));
        compiled_scene(&self.queried()).all_spans(ray, query, &mut |t, Span { enter, exit }| {
            out(t, Span { enter: whole(enter), exit: whole(exit) });
        });
    }
    fn exact_spans(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        compiled_scene(&self.queried()).exact_spans(ray, query, out);
    }
    fn explain_ray(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        compiled_scene(&self.queried()).explain_ray(ray, query, explanation);
    }
}
