//! The trait [`Shape`]: the object-safe core that shapes, meshes and scenes implement.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::{Hit, ObjectId, Span};
use crate::hit_rows::HitRows;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::{InstanceLevel, InstanceMap};
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::ray_columns::RayColumns;
use crate::sweep_hit::{SweepResult, SweepResults};
use crate::transform::Transform;
use core::ops::ControlFlow;

/// The receiver of spans: unrounded `t` of both ends, which is infinite where the span has none, and the span.
pub(crate) type OnSpan<'f, V> = dyn FnMut([Working<V>; 2], Span<V>) + 'f;

/// An end of a span as a crossing of the line and a leaf of a solid. Other solids may have an equal leaf: then the crossings are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceCrossing {
    /// The number of the leaf in its solid.
    pub(crate) leaf: u32,
    /// The number of the span of the leaf, and which end of it.
    pub(crate) span: u32,
    pub(crate) is_exit: bool,
}

/// The receiver of spans with the surfaces that are crossed at both ends, where these are known.
pub(crate) type OnSurfaces<'f, V> = dyn FnMut([Working<V>; 2], Span<V>, [Option<SurfaceCrossing>; 2]) + 'f;

/// The span of a whole line in a shape that has one at most, from the filter alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpanEnds {
    /// The filter is uncertain, or the shape may have several spans.
    Open,
    /// The line has no point of the shape.
    Empty,
    /// `t` of both ends, relatively within 2^-26 of the exact ones and infinite where the span has none; the face at each end, as the
    /// kernel numbers it.
    Known([f64; 2], [u32; 2]),
}

/// Greatest number of groups and solids within each other.
pub(crate) const MAX_NESTING: u32 = 8;

/// The cast of one ray at an instance.
pub(crate) type SingleCast<'a, V, O> = &'a dyn Fn(&dyn RayLike<V>) -> O;

/// A shape, a mesh or a scene. [`RayCast`](crate::RayCast) has its queries.
///
/// The trait is object-safe: a `Box<dyn Shape<Vec3>>` holds any of them, and has the same queries with the same results.
/// Each call then goes through a table of functions, which the compiler cannot inline.
///
/// Other crates cannot implement this trait.
///
/// ```
/// use hitscan::{glam::Vec3, Cuboid, Ray, RayCast, Shape, Sphere};
/// let shapes: Vec<Box<dyn Shape<Vec3>>> = vec![
///     Box::new(Sphere::new(Vec3::new(0.0, 0.0, 5.0), 1.0)?),
///     Box::new(Cuboid::new(Vec3::new(0.0, 0.0, 3.0), Vec3::ONE)?),
/// ];
/// let ray = Ray::new(Vec3::ZERO, Vec3::Z);
/// let t: Vec<_> = shapes.iter().filter_map(|shape| shape.cast_ray(&ray, ..)).map(|hit| hit.t).collect();
/// assert_eq!(t, [4.0, 2.0]);
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
pub trait Shape<V: Vector>: Send + Sync {
    #[doc(hidden)]
    fn name(&self) -> &'static str;
    /// The axis-aligned bounding box, rounded outward. It is infinite along each axis along which the shape is.
    #[must_use]
    fn aabb(&self) -> Aabb<V>;
    /// The bounding box of the image of the shape under a transform, rounded outward.
    #[doc(hidden)]
    fn image_bounds(&self, transform: &Transform<V>) -> Aabb<V> {
        transform.image_of(&self.aabb())
    }
    /// The number of groups and solids within each other: 0 for any other shape.
    #[doc(hidden)]
    fn nesting(&self) -> u32 {
        0
    }
    /// Whether the shape encloses points: a convex solid, a half-space, a closed mesh. Of a scene, each object.
    #[doc(hidden)]
    fn encloses_points(&self) -> bool;
    /// Whether the closed solid contains the point. A surface contains no point.
    #[must_use]
    fn contains(&self, point: V) -> bool {
        point.all_finite() && self.contains_point(point, None)
    }
    /// [`contains`](Self::contains) of a finite point. `level` is the instance stack above the shape, for the point.
    #[doc(hidden)]
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool;
    /// The closest point of the surface to a finite point. `level` is the instance stack above the shape, for the point.
    #[doc(hidden)]
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V>;
    /// The first contact of a volume that moves along the ray. A contact beyond `limit` need not be found.
    #[doc(hidden)]
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V>;
    /// The first contact of a volume with each object of a scene, in order; with any other shape its own first one.
    #[doc(hidden)]
    fn sweep_each(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
    ) -> SweepResults<V> {
        Ok(self.sweep(ray, swept, query, f64::INFINITY)?.into_iter().collect())
    }
    /// Passes the closest point of each primitive up to `limit` away to `out`, and perhaps of others: in any order, and some
    /// of them twice. `out` returns the new limit.
    #[doc(hidden)]
    fn project_primitives(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        if let Some(found) = self.project_point(point, level, PointGoal::Within(limit)).map_err(|_| 0.0).transpose() {
            out(found);
        }
    }
    /// The place of an object in the order of insertion, for a scene.
    #[doc(hidden)]
    fn insertion_order(&self, _object: ObjectId) -> u64 {
        0
    }
    /// Calls `found` with what a volume overlaps, until it breaks. `level` is the instance stack above the shape, for the point
    /// of the volume.
    #[doc(hidden)]
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()>;
    /// [`closest_hit`](Self::closest_hit) of a ray as the caller gave it.
    #[doc(hidden)]
    #[inline]
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.closest_hit(&InstanceRay::new(&ray.line()), query)
    }
    /// [`cast_closest`](Self::cast_closest) of each ray, in order.
    #[doc(hidden)]
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        one_by_one(self, rays, query, out);
    }
    /// The closest hit of an instance of the shape for each ray. `single` casts one ray at the instance. Shapes that are faster with
    /// a stream of rays have a way of their own.
    #[doc(hidden)]
    fn cast_closest_each_placed(
        &self,
        _map: &dyn InstanceMap,
        (rays, _query): (RaySlice<'_, V>, &Query<V::Scalar>),
        single: SingleCast<'_, V, Option<Hit<V>>>,
        out: &mut [Option<Hit<V>>],
    ) {
        rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
    }
    /// Whether each ray hits an instance of the shape, like [`cast_closest_each_placed`](Self::cast_closest_each_placed).
    #[doc(hidden)]
    fn cast_any_each_placed(
        &self,
        _map: &dyn InstanceMap,
        (rays, _query): (RaySlice<'_, V>, &Query<V::Scalar>),
        single: SingleCast<'_, V, bool>,
        out: &mut [bool],
    ) {
        rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
    }
    /// [`any_hit`](Self::any_hit) of a ray as the caller gave it.
    #[doc(hidden)]
    #[inline]
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        self.any_hit(&InstanceRay::new(&ray.line()), query)
    }
    /// [`cast_any`](Self::cast_any) of each ray, in order.
    #[doc(hidden)]
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        any_one_by_one(self, rays, query, out);
    }
    /// Writes the closest hits of the rays of columns from a number on, one per row, if the shape has a way of its own for columns: returns
    /// whether it has. The rays have no limits by distances, nor has the query.
    #[doc(hidden)]
    fn cast_rows(
        &self,
        _rays: (&RayColumns<'_, V>, usize),
        _query: &Query<V::Scalar>,
        _out: &mut HitRows<'_, V>,
    ) -> bool {
        false
    }
    /// Candidate of the closest hit, which decides between two shapes. A candidate beyond `limit` need not be found. `hit`
    /// becomes its hit where that costs little more, and stays `None` otherwise: [`finish`](Self::finish) computes it then.
    #[doc(hidden)]
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>>;
    /// Hit of a candidate of the same ray and query.
    #[doc(hidden)]
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>>;
    #[doc(hidden)]
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let mut hit = None;
        let found = self.candidate(line, query, f64::INFINITY, &mut hit)?;
        hit.or_else(|| self.finish(line, query, &found))
    }
    #[doc(hidden)]
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        self.candidate(line, query, f64::INFINITY, &mut None).is_some()
    }
    /// Hits by increasing `t`, each with its unrounded `t`; the first `most` of them.
    #[doc(hidden)]
    fn all_hits(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    );
    /// Exact `t` of a candidate, for comparison with a candidate that is nearly as close.
    #[doc(hidden)]
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact>;
    /// Exact `t` of every hit, in the order of [`all_hits`](Self::all_hits).
    #[doc(hidden)]
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact));
    #[doc(hidden)]
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize;
    /// Spans by increasing `t`.
    #[doc(hidden)]
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>);
    /// The plane of a face of a shape without a transform, if it lies across a coordinate axis.
    #[doc(hidden)]
    fn plane_of_face(&self, _face: u32, _is_exit: bool, _direction: [f64; 3]) -> Option<AxisPlane> {
        None
    }
    /// `t` of both ends of the only span of a whole line, as [`SpanEnds::Known`] has them.
    #[doc(hidden)]
    fn span_ends(&self, _line: &InstanceRay<'_, V>, _query: &Query<V::Scalar>) -> SpanEnds {
        SpanEnds::Open
    }
    /// The spans of [`all_spans`](Self::all_spans), with the leaves of solids without a transform that are crossed.
    #[doc(hidden)]
    fn spans_with_surfaces(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSurfaces<'_, V>) {
        self.all_spans(line, query, &mut |ends, span| out(ends, span, [None; 2]));
    }
    /// Exact `t` of the ends of each span, in the order of [`all_spans`](Self::all_spans): infinite where it has none.
    #[doc(hidden)]
    fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2]));
    #[doc(hidden)]
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation);
}

/// The goal of an overlap query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapGoal {
    /// Whether there is any overlap: the first one will do.
    Any,
    /// Each shape of a group once.
    EachShape,
    /// Each object of a scene or triangle of a mesh, perhaps more than once.
    Repeated,
    /// Each object of a scene or triangle of a mesh once.
    Once,
}

/// Implements [`cast_closest_each`](Shape::cast_closest_each) one ray at a time, if groups of rays gain nothing.
pub(crate) fn one_by_one<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    rays.iter().zip(out).for_each(|(ray, out)| *out = shape.cast_closest(ray, query));
}

/// Implements [`cast_any_each`](Shape::cast_any_each) one ray at a time.
pub(crate) fn any_one_by_one<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [bool],
) {
    rays.iter().zip(out).for_each(|(ray, out)| *out = shape.cast_any(ray, query));
}
