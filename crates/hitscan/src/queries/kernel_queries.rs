//! Implements every query for a kernel.

use crate::aabb::Aabb;
use crate::adaptive::compiled::with_fallback;
use crate::adaptive::evaluate::{ShapeResults, Wanted, filtered_results_f32};
use crate::adaptive::fallback::{ExactKernel, ExactResults};
use crate::closest_point::{ClosestResult, PointGoal};
use crate::distance::projection::{closest_point, projection_of_image};
use crate::explain::{Explanation, Trace};
use crate::hit::{Hit, Span};
use crate::hit_rows::HitRows;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::closest_hit::{any_hit, closest_candidate, closest_hit};
use crate::queries::instance_box::misses_box;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::kernel_sweep::sweep_shape;
use crate::queries::shape::{OnSpan, OverlapGoal, Shape, SpanEnds, any_one_by_one, one_by_one};
use crate::queries::shape_batch::{self, BatchShape, CastSingles, Singles};
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Inside, Query};
use crate::ray::{RayLike, RaySlice};
use crate::ray_block::RayBlock;
use crate::ray_columns::RayColumns;
use crate::sweep_hit::SweepResult;
use crate::target::COMPACT;
use crate::transform::Transform;
use core::any::TypeId;
use core::ops::ControlFlow;

/// Runs a batch at the shape: `cast` gets what it needs.
fn batch<V: Vector, K: Kernel<Vector = V>, R>(shape: &K, cast: impl FnOnce(BatchShape<'_, V>) -> R) -> R {
    let has_same_bits = TypeId::of::<K::Slow>() == TypeId::of::<K::Double>();
    with_fallback(shape, |kernel| cast(BatchShape { shape, singles: shape, kernel, has_same_bits }))
}

impl<V: Vector, K: Kernel<Vector = V>> CastSingles<V> for K {
    fn closest_singles(
        &self,
        rays: &RayBlock,
        which: Singles<'_>,
        query: &Query<V::Scalar>,
        out: &mut [Option<Hit<V>>],
    ) {
        // Rays without ranges have constants, which the compiler knows: nearly all rays are such. The others share the code of scenes.
        if rays.are_plain() {
            for &(place, i) in which {
                out[usize::from(place)] = closest_hit(self, || rays.plain_ray::<V>(usize::from(i)), query);
            }
            return;
        }
        for &(place, i) in which {
            let line = rays.ray(usize::from(i)).line();
            out[usize::from(place)] = self.closest_hit(&InstanceRay::new(&line), query);
        }
    }
    fn any_singles(&self, rays: &RayBlock, which: Singles<'_>, query: &Query<V::Scalar>, out: &mut [bool]) {
        if rays.are_plain() {
            for &(place, i) in which {
                out[usize::from(place)] = any_hit(self, || rays.plain_ray::<V>(usize::from(i)), query);
            }
            return;
        }
        for &(place, i) in which {
            let line = rays.ray(usize::from(i)).line();
            out[usize::from(place)] = Shape::any_hit(self, &InstanceRay::new(&line), query);
        }
    }
}

/// Whether an instance of the shape has a hit.
#[inline(never)]
fn is_instance_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    query: &Query<V::Scalar>,
) -> bool {
    if misses_box(&shape.bounds(), level, query, f64::INFINITY) {
        return false;
    }
    with_fallback(shape, |kernel| kernel.is_instance_hit(level, &query.double(), V::Scalar::PRECISION))
}

/// Candidate of the closest hit of an instance, with the hit.
fn instance_candidate<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    (query, limit): (&Query<V::Scalar>, f64),
    out: &mut Option<Hit<V>>,
) -> Option<HitCandidate<Working<V>>> {
    if misses_box(&shape.bounds(), level, query, limit) {
        return None;
    }
    let (query, precision, mut hit) = (query.double(), V::Scalar::PRECISION, None);
    let (t, at_start) = with_fallback(shape, |kernel| kernel.instance_closest(level, &query, precision, &mut hit))?;
    *out = hit.map(Hit::convert);
    Some(HitCandidate { t: Arithmetic::from_parts(t), primitive: 0, at_start })
}

/// Writes the wanted results of a shape, or of an instance of it, to `out`, which is empty: see [`results_of`].
#[cfg_attr(not(debug_assertions), inline(always))]
fn write_results<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &InstanceRay<'_, V>,
    wanted: (&Query<V::Scalar>, Wanted),
    first: &dyn Fn() -> Option<Hit<V>>,
    out: &mut ShapeResults,
) {
    if line.level.is_some_and(|level| misses_box(&shape.bounds(), level, wanted.0, f64::INFINITY)) {
        return;
    }
    with_fallback(shape, |kernel| results_of(kernel, line, wanted, first, out));
}

/// Writes the wanted results of an `f32` shape that has no transform to `out`, if the filter is certain of them, else returns `None`. The
/// caller has the results: a copy of a hit takes longer than its computation.
#[cfg_attr(not(debug_assertions), inline(always))]
fn quick_results<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &InstanceRay<'_, V>,
    wanted: (&Query<V::Scalar>, Wanted),
    out: &mut ShapeResults<V>,
) -> Option<()> {
    // Builds for size have one body for all shapes.
    if COMPACT || line.level.is_some() {
        return None;
    }
    V::Scalar::only_in_f32(|| filtered_results_f32(shape, &line.raw, wanted, out)).flatten()
}

/// Writes the wanted results of a shape, or of an instance of it. After the slow path, the result of `first` replaces the first hit, or
/// the entry of the span: the two must be equal bit for bit, and the closest hit may stop at an earlier stage than the others.
#[inline(never)]
fn results_of<V: Vector>(
    kernel: &dyn ExactKernel,
    line: &InstanceRay<'_, V>,
    (query, wanted): (&Query<V::Scalar>, Wanted),
    first: &dyn Fn() -> Option<Hit<V>>,
    out: &mut ShapeResults,
) {
    let (wanted, precision) = ((&query.double(), wanted), V::Scalar::PRECISION);
    if kernel.filtered_results(&line.raw, line.level, wanted, precision, out).is_some() {
        return;
    }
    *out = match line.level {
        None => kernel.results(&line.raw, wanted, &mut Trace::default()),
        Some(level) => kernel.instance_results(level, wanted, precision, &mut Trace::default()),
    };
    let hit = out.hits.first_mut().map(|(_, hit)| hit);
    let enter = out.span.as_mut().and_then(|(_, span)| span.enter.as_mut());
    if let Some(hit) = hit.or(enter)
        && let Some(first) = first()
    {
        *hit = first.convert();
    }
}

/// Ends of the span by the filter.
#[inline(never)]
fn ends_of<V: Vector>(kernel: &dyn ExactKernel, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> SpanEnds {
    let (wanted, mut found) = ((&query.double(), Wanted::Ends), ShapeResults::default());
    match kernel.filtered_results(&line.raw, line.level, wanted, V::Scalar::PRECISION, &mut found) {
        None => SpanEnds::Open,
        Some(()) => match found.span.map(|(t, _)| t.map(|t| t.0)) {
            None => SpanEnds::Empty,
            // A `t` beyond the largest finite number is where no hit can be, and the rules of ranges are for exact numbers.
            Some(ends) if ends.iter().all(|t| t.is_infinite() || t.abs() < 0.5 * line.raw.largest) => {
                SpanEnds::Known(ends, found.faces)
            }
            Some(_) => SpanEnds::Open,
        },
    }
}

/// Exact `t` of the wanted results.
fn exact_results<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &InstanceRay<'_, V>,
    (query, wanted): (&Query<V::Scalar>, Wanted),
) -> ExactResults {
    with_fallback(shape, |kernel| match line.level {
        None => kernel.exact_results(&line.again(), (&query.double(), wanted)),
        Some(level) => kernel.instance_exact_results(level, (&query.double(), wanted)),
    })
}

impl<V: Vector, K: Kernel<Vector = V>> Shape<V> for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn aabb(&self) -> Aabb<V> {
        self.bounds()
    }
    fn encloses_points(&self) -> bool {
        K::SOLID
    }
    fn image_bounds(&self, transform: &Transform<V>) -> Aabb<V> {
        transform.image_of(&self.bounds()).intersection(self.convex_shape().image_bounds(transform))
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        with_fallback(self, |shape| match level {
            None => shape.contains(point.to_f64()),
            Some(level) => shape.instance_contains(level),
        })
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        if goal == PointGoal::Depth && !self.contains_point(point, level) {
            return Ok(None);
        }
        let point = point.widen::<Working<V>>();
        let projection = match level {
            None => self.project(point),
            Some(level) => projection_of_image::<V, _>(self, point, &level.affine_map()),
        };
        goal.result(closest_point(&projection))
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        sweep_shape(self, ray, swept, query, limit)
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        _goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if volume.overlaps_convex(&self.convex_shape(), level) {
            found(Overlap::WHOLE)
        } else {
            ControlFlow::Continue(())
        }
    }
    #[inline]
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        match line.level {
            None => closest_candidate(self, || line.raw, query, hit),
            Some(level) => instance_candidate(self, level, (query, limit), hit),
        }
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        _found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        self.closest_hit(line, query)
    }
    #[inline]
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        match line.level {
            None => closest_hit(self, || line.raw, query),
            Some(level) => {
                let mut hit = None;
                instance_candidate(self, level, (query, f64::INFINITY), &mut hit)?;
                hit
            }
        }
    }
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        match line.level {
            None => any_hit(self, || line.raw, query),
            Some(level) => is_instance_hit(self, level, query),
        }
    }
    // Where it is not inlined, the conversion of the ray is a virtual call, and takes longer than the rest.
    #[inline(always)]
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        closest_hit(self, || ray.raw(), query)
    }
    #[inline(always)]
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        any_hit(self, || ray.raw(), query)
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        if COMPACT {
            return one_by_one(self, rays, query, out);
        }
        batch(self, |shape| shape_batch::closest_each(shape, (rays, query), out));
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        if COMPACT {
            return any_one_by_one(self, rays, query, out);
        }
        batch(self, |shape| shape_batch::any_each(shape, (rays, query), out));
    }
    fn cast_rows(&self, rays: (&RayColumns<'_, V>, usize), query: &Query<V::Scalar>, out: &mut HitRows<'_, V>) -> bool {
        if !COMPACT {
            batch(self, |shape| shape_batch::closest_rows(shape, rays, query, out));
        }
        !COMPACT
    }
    fn all_hits(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        let mut found = ShapeResults::default();
        if quick_results(self, line, (query, Wanted::Hits), &mut found).is_some() {
            return found.hits.iter().take(most).for_each(|(t, hit)| out(Arithmetic::from_parts(*t), *hit));
        }
        let mut found = ShapeResults::default();
        write_results(self, line, (query, Wanted::Hits), &|| self.closest_hit(line, query), &mut found);
        found.hits.iter().take(most).for_each(|(t, hit)| out(Arithmetic::from_parts(*t), hit.convert()));
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        _found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        exact_results(self, line, (query, Wanted::Closest)).hits.first().copied()
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        exact_results(self, line, (query, Wanted::Hits)).hits.into_iter().for_each(out);
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        let mut found = ShapeResults::default();
        if quick_results(self, line, (query, Wanted::Count), &mut found).is_some() {
            return found.count;
        }
        let mut found = ShapeResults::default();
        write_results(self, line, (query, Wanted::Count), &|| None, &mut found);
        found.count
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        let mut found = ShapeResults::default();
        if quick_results(self, line, (query, Wanted::Span), &mut found).is_some() {
            return found.span.iter().for_each(|(t, span)| out(t.map(Arithmetic::from_parts), *span));
        }
        // A span begins with the closest hit of the query that counts a start inside.
        let first = || self.closest_hit(line, &query.inside(Inside::Solid));
        let mut found = ShapeResults::default();
        write_results(self, line, (query, Wanted::Span), &first, &mut found);
        if let Some((t, span)) = &found.span {
            let [enter, exit] = [&span.enter, &span.exit].map(|end| end.as_ref().map(|hit| hit.convert()));
            out(t.map(Arithmetic::from_parts), Span { enter, exit });
        }
    }
    fn span_ends(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> SpanEnds {
        if line.level.is_some_and(|level| misses_box(&self.bounds(), level, query, f64::INFINITY)) {
            return SpanEnds::Empty;
        }
        with_fallback(self, |kernel| ends_of(kernel, line, query))
    }
    fn plane_of_face(&self, face: u32, is_exit: bool, direction: [f64; 3]) -> Option<AxisPlane> {
        self.axis_plane(face, is_exit, direction)
    }
    fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        exact_results(self, line, (query, Wanted::Span)).span.into_iter().for_each(out);
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        with_fallback(self, |shape| explain_exactly::<V>(shape, line, query, explanation));
    }
}

#[inline(never)]
fn explain_exactly<V: Vector>(
    shape: &dyn ExactKernel,
    line: &InstanceRay<'_, V>,
    query: &Query<V::Scalar>,
    explanation: &mut Explanation,
) {
    if !line.is_valid() {
        explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
        return;
    }
    let mut trace = Trace::writing();
    let (wanted, precision) = ((&query.double(), Wanted::Hits), V::Scalar::PRECISION);
    // A trace shows the numbers that decided; the filter records none.
    match line.level {
        None => drop(shape.results(&line.raw, wanted, &mut trace)),
        Some(level) => drop(shape.instance_results(level, wanted, precision, &mut trace)),
    }
    explanation.append(trace);
}
