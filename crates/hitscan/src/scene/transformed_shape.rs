//! Shapes under transforms. They are shapes themselves, so that a scene need not know about transforms.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::Hit;
use crate::hit_rows::HitRows;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::{InstanceLevel, InstanceMap, InverseMatrix};
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OnSurfaces, OverlapGoal, Shape, SpanEnds};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::ray_columns::RayColumns;
use crate::scene::any::Space;
use crate::simd::lanes::prefetch;
use crate::sweep_hit::SweepResult;
use crate::transform::Transform;
use alloc::boxed::Box;
use core::ops::ControlFlow;

/// A shape under a transform: the state of an [`Instance`](crate::Instance), with its queries.
// In a box, and first: a query of a small shape without a transform reads one cache line.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct TransformedShape<V: Space> {
    placement: Option<Box<Placement<V>>>,
    pub(crate) shape: V::Shape,
}

/// A transform with its rounded inverse.
#[derive(Clone, Debug)]
struct Placement<V> {
    transform: Transform<V>,
    inverse: InverseMatrix,
}

impl<V: Vector> InstanceMap for Placement<V> {
    fn columns(&self) -> ([[f64; 3]; 3], [f64; 3]) {
        (self.transform.columns(), self.transform.translation().to_f64())
    }
    fn translation(&self) -> [f64; 3] {
        self.transform.translation().to_f64()
    }
    fn inverse(&self) -> &InverseMatrix {
        &self.inverse
    }
}

impl<V: Space> TransformedShape<V> {
    pub(crate) fn new(shape: V::Shape) -> Self {
        Self { shape, placement: None }
    }

    /// Prefetches the first cache line, which has a small shape.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.placement);
    }

    /// Prefetches the transform; false if there is none.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fetch_placement(&self) -> bool {
        let Some(placement) = &self.placement else { return false };
        prefetch(&placement.transform);
        prefetch(&placement.inverse);
        prefetch(placement.inverse.last_row());
        true
    }

    /// The bytes of the transform.
    pub(crate) fn placement_bytes(&self) -> usize {
        self.placement.as_deref().map_or(0, size_of_val)
    }

    /// Sets the transform. The identity is no transform.
    pub(crate) fn set_transform(&mut self, transform: Transform<V>) {
        // The identity takes no memory and no time: queries are those of the shape, bit for bit.
        if transform.is_identity() {
            self.placement = None;
            return;
        }
        // The rounded inverse guides filters; exact numbers come from the transform itself.
        let placement = Placement { transform, inverse: InverseMatrix::new(transform.columns()) };
        match &mut self.placement {
            // Objects that move every frame keep their memory.
            Some(old) => **old = placement,
            None => self.placement = Some(Box::new(placement)),
        }
    }

    /// The transform, if it is not the identity.
    pub(crate) fn transform(&self) -> Option<&Transform<V>> {
        self.placement.as_ref().map(|placement| &placement.transform)
    }

    /// Whether two shapes are certainly one set of points: see [`Space::is_same`].
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.transform() == other.transform() && V::is_same(&self.shape, &other.shape)
    }

    /// Whether a ray certainly crosses two shapes without transforms at one `t`: see [`Space::meet_in_one_face`].
    pub(crate) fn meet_in_one_face(&self, other: &Self, ray: &InputRay, t: f64) -> bool {
        self.placement.is_none() && other.placement.is_none() && V::meet_in_one_face(&self.shape, &other.shape, ray, t)
    }

    /// Calls `query` with the instance stack above the shape, for a point: one more level than above the instance.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn place_point<R>(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        query: impl FnOnce(Option<&InstanceLevel<'_>>) -> R,
    ) -> R {
        match &self.placement {
            None => query(level),
            Some(placement) => query(Some(&InstanceLevel::new(&**placement, level, &InputRay::point(point.to_f64())))),
        }
    }

    /// Calls `query` with the ray as the shape needs it: with one more level on its instance stack.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn place<R>(&self, ray: &InstanceRay<'_, V>, query: impl FnOnce(&InstanceRay<'_, V>) -> R) -> R {
        match &self.placement {
            None => query(ray),
            Some(placement) => {
                let level = InstanceLevel::new(&**placement, ray.level, &ray.world.raw);
                query(&InstanceRay { world: ray.world, level: Some(&level) })
            }
        }
    }
}

impl<V: Space> Shape<V> for TransformedShape<V> {
    fn name(&self) -> &'static str {
        self.shape.name()
    }
    fn aabb(&self) -> Aabb<V> {
        match &self.placement {
            None => self.shape.aabb(),
            Some(placement) => self.shape.image_bounds(&placement.transform),
        }
    }
    fn nesting(&self) -> u32 {
        self.shape.nesting()
    }
    fn encloses_points(&self) -> bool {
        self.shape.encloses_points()
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        self.place_point(point, level, |level| self.shape.contains_point(point, level))
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        self.place_point(point, level, |level| self.shape.project_point(point, level, goal))
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        self.place(ray, |ray| self.shape.sweep(ray, swept, query, limit))
    }
    fn project_primitives(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        self.place_point(point, level, |level| self.shape.project_primitives(point, level, limit, out));
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.place_point(volume.point, level, |level| self.shape.visit_overlaps(volume, level, goal, found))
    }
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        match self.placement {
            None => self.shape.cast_closest(ray, query),
            Some(_) => self.closest_hit(&InstanceRay::new(&ray.line()), query),
        }
    }
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        match self.placement {
            None => self.shape.cast_any(ray, query),
            Some(_) => self.any_hit(&InstanceRay::new(&ray.line()), query),
        }
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        match &self.placement {
            None => self.shape.cast_closest_each(rays, query, out),
            Some(placement) => {
                let single = |ray: &dyn RayLike<V>| self.cast_closest(ray, query);
                self.shape.cast_closest_each_placed(&**placement, (rays, query), &single, out);
            }
        }
    }
    fn cast_rows(&self, rays: (&RayColumns<'_, V>, usize), query: &Query<V::Scalar>, out: &mut HitRows<'_, V>) -> bool {
        self.placement.is_none() && self.shape.cast_rows(rays, query, out)
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        match &self.placement {
            None => self.shape.cast_any_each(rays, query, out),
            Some(placement) => {
                let single = |ray: &dyn RayLike<V>| self.cast_any(ray, query);
                self.shape.cast_any_each_placed(&**placement, (rays, query), &single, out);
            }
        }
    }
    fn candidate(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        self.place(ray, |ray| self.shape.candidate(ray, query, limit, hit))
    }
    fn finish(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        self.place(ray, |ray| self.shape.finish(ray, query, found))
    }
    fn closest_hit(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.place(ray, |ray| self.shape.closest_hit(ray, query))
    }
    fn any_hit(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        self.place(ray, |ray| self.shape.any_hit(ray, query))
    }
    fn all_hits(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        self.place(ray, |ray| self.shape.all_hits(ray, query, most, out));
    }
    fn exact_first(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        self.place(ray, |ray| self.shape.exact_first(ray, query, found))
    }
    fn exact_all_t(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        self.place(ray, |ray| self.shape.exact_all_t(ray, query, out));
    }
    fn count(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        self.place(ray, |ray| self.shape.count(ray, query))
    }
    fn all_spans(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        self.place(ray, |ray| self.shape.all_spans(ray, query, out));
    }
    fn plane_of_face(&self, face: u32, is_exit: bool, direction: [f64; 3]) -> Option<AxisPlane> {
        if self.placement.is_some() { None } else { self.shape.plane_of_face(face, is_exit, direction) }
    }
    fn span_ends(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> SpanEnds {
        self.place(ray, |ray| self.shape.span_ends(ray, query))
    }
    fn spans_with_surfaces(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSurfaces<'_, V>) {
        // Under a transform, the surface of a leaf is another one.
        if self.placement.is_some() || ray.level.is_some() {
            return self.all_spans(ray, query, &mut |ends, span| out(ends, span, [None; 2]));
        }
        self.shape.spans_with_surfaces(ray, query, out);
    }
    fn exact_spans(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        self.place(ray, |ray| self.shape.exact_spans(ray, query, out));
    }
    fn explain_ray(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        self.place(ray, |ray| self.shape.explain_ray(ray, query, explanation));
    }
}
