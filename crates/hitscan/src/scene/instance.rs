//! Instances: a shape under a transform. An instance is a shape itself, so that a scene need not know about transforms.

use crate::aabb::Aabb;
use crate::adaptive::evaluate::Contender;
use crate::explain::Explanation;
use crate::hit::{Hit, Span};
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::vector::Working;
use crate::math::working_ray::WorkingRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::RaySlice;
use crate::scene::any::Space;
use crate::transform::Transform;

/// A shape under a transform. Without a transform, all queries are those of the shape, bit for bit.
#[derive(Clone, Debug)]
pub(crate) struct Instance<V: Space> {
    pub(crate) shape: V::Shape,
    pub(crate) transform: Option<Transform<V>>,
}

impl<V: Space> Instance<V> {
    /// The instance of a shape; the identity is no transform.
    pub(crate) fn new(shape: V::Shape, transform: Option<Transform<V>>) -> Self {
        Self { shape, transform: transform.filter(|transform| !transform.is_identity()) }
    }
}

impl<V: Space> Shape<V> for Instance<V> {
    fn name(&self) -> &'static str {
        self.shape.name()
    }
    fn aabb(&self) -> Aabb<V> {
        self.shape.aabb()
    }
    fn contains_point(&self, point: V) -> bool {
        self.shape.contains_point(point)
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        self.shape.cast_closest_each(rays, query, out);
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        self.shape.cast_any_each(rays, query, out);
    }
    fn candidate(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<HitCandidate<Working<V>>> {
        self.shape.candidate(line, query, limit)
    }
    fn closest_candidate(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<Contender<V>> {
        self.shape.closest_candidate(line, query, limit)
    }
    fn finish(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        self.shape.finish(line, query, found)
    }
    fn closest_hit(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.shape.closest_hit(line, query)
    }
    fn any_hit(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>) -> bool {
        self.shape.any_hit(line, query)
    }
    fn all_hits(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        self.shape.all_hits(line, query, out);
    }
    fn exact_first(
        &self,
        line: &WorkingRay<Exact>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        self.shape.exact_first(line, query, found)
    }
    fn exact_all_t(&self, line: &WorkingRay<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        self.shape.exact_all_t(line, query, out);
    }
    fn count(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>) -> usize {
        self.shape.count(line, query)
    }
    fn all_spans(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        out: &mut dyn FnMut(Working<V>, Span<V>),
    ) {
        self.shape.all_spans(line, query, out);
    }
    fn explain_ray(&self, line: &WorkingRay<Working<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        self.shape.explain_ray(line, query, explanation);
    }
}
