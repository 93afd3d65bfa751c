//! What is in doubt, settled: every question in the wider arithmetics. That is much code, and rare to be run: it is
//! written for shapes in `f64`, to which those in `f32` are brought, and compiled in this crate once.

use crate::adaptive::evaluate::{AllResults, AllResultsAnswer, ContainsPoint, boundary_hits};
use crate::adaptive::refine::{refined, refined_t};
use crate::adaptive::stages::{Evaluate, evaluate_adaptive, evaluate_filter, evaluate_unfused};
use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange};
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::dyn_number::{DynNumber, Stage, at_stage};
use crate::math::exact::exact::Exact;
use crate::math::observer::FilterFlag;
use crate::math::real::{Precision, Real};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::query::Query;
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::Disk;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::plane::Plane;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use core::any::{Any, TypeId};
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// Slow path of one shape in `f64`, type-erased: every query, in whatever precision it takes, for numbers of either type.
/// A 2D shape answers in 3D too, with z = 0.
pub(crate) trait ExactKernel {
    /// Hits and span; empty for what is not a ray.
    fn all_results(
        &self,
        input: &InputRay,
        query: &Query<f64>,
        precision: Precision,
        trace: &mut Trace,
    ) -> AllResultsAnswer<DVec3>;
    /// Closest hit in `f64`, where the filter was certain of every decision and has `found` it.
    fn closest_hit_decided(&self, input: &InputRay, query: &Query<f64>, found: &BoundaryHit<f64>)
    -> Option<Hit<DVec3>>;
    /// Candidate of that hit.
    fn closest_t_decided(
        &self,
        input: &InputRay,
        query: &Query<f64>,
        found: &BoundaryHit<f64>,
    ) -> Option<HitCandidate<Dd>>;
    /// Exact `t` of all hits.
    fn exact_all_t(&self, line: &WorkingRay<Exact>, query: &Query<f64>) -> SmallVec<[Exact; 2]>;
    /// Whether the closed solid contains the point.
    fn contains(&self, point: [f64; 3], precision: Precision) -> bool;
}

/// Results by the filter, where that is certain of every decision: for `f32` as they are, for `f64` in double words.
fn filtered<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    input: &InputRay,
    query: &Query<f64>,
    precision: Precision,
) -> Option<AllResultsAnswer<K::Vector>> {
    let evaluation = AllResults(shape, query);
    let filtered = evaluate_filter(&evaluation, || *input)?;
    if precision == Precision::Single {
        return Some(filtered);
    }
    let results = evaluate_unfused(&evaluation, input);
    // Where `t` or a point overflows in double words, results are missing.
    let is_complete = results.hits.len() == filtered.hits.len() && results.span.is_some() == filtered.span.is_some();
    is_complete.then_some(results)
}

impl<K: Kernel<Vector: Vector<Scalar = f64>>> ExactKernel for K {
    fn all_results(
        &self,
        input: &InputRay,
        query: &Query<f64>,
        precision: Precision,
        trace: &mut Trace,
    ) -> AllResultsAnswer<DVec3> {
        if !input.is_valid() {
            return AllResultsAnswer { hits: SmallVec::new(), at_start: false, span: None };
        }
        // A trace shows the numbers of the stage that decided; the filter has none to show.
        let filtered = if trace.is_recording() { None } else { filtered(self, input, query, precision) };
        filtered.unwrap_or_else(|| evaluate_adaptive(&AllResults(self, query), input, precision, trace)).in_space()
    }
    fn closest_hit_decided(
        &self,
        input: &InputRay,
        query: &Query<f64>,
        found: &BoundaryHit<f64>,
    ) -> Option<Hit<DVec3>> {
        refined(self, input, query, found).map(Hit::convert)
    }
    fn closest_t_decided(
        &self,
        input: &InputRay,
        query: &Query<f64>,
        found: &BoundaryHit<f64>,
    ) -> Option<HitCandidate<Dd>> {
        let at_start = matches!(found, BoundaryHit::Inside(_));
        let t = Dd::from_parts(refined_t(self, input, query, found)?);
        Some(HitCandidate { t, primitive: 0, at_start })
    }
    fn exact_all_t(&self, line: &WorkingRay<Exact>, query: &Query<f64>) -> SmallVec<[Exact; 2]> {
        at_stage(Stage::Exact, || {
            let line = line.map(DynNumber::from_exact);
            let range = TRange::new(&line, query);
            let Some((_, hits)) = boundary_hits(self, &line, &range, query, &mut Trace::default()) else {
                return SmallVec::new();
            };
            [hits.one, hits.two].into_iter().flatten().map(|found| found.t().to_exact()).collect()
        })
    }
    fn contains(&self, point: [f64; 3], precision: Precision) -> bool {
        let (point, mut flag) = (InputRay::point(point), FilterFlag::default());
        let contains = ContainsPoint(self).evaluate(&point.line::<f64>(), &mut flag);
        if flag.is_uncertain {
            return evaluate_adaptive(&ContainsPoint(self), &point, precision, &mut Trace::default());
        }
        contains
    }
}

/// Finds the code for a shape, which only this crate compiles: by its name here.
fn exact_kernel(shape: &dyn Any) -> &dyn ExactKernel {
    // Asked once: the question is a call.
    let kind = shape.type_id();
    macro_rules! one_of {
        ($($kernel:ty),+ $(,)?) => {
            $(if kind == TypeId::of::<$kernel>() && let Some(shape) = shape.downcast_ref::<$kernel>() {
                return shape;
            })+
        };
    }
    one_of!(
        Triangle<DVec3>,
        Sphere<DVec3>,
        Cuboid<DVec3>,
        Capsule<DVec3>,
        Cylinder<DVec3>,
        Cone<DVec3>,
        Frustum<DVec3>,
        OrientedBox<DVec3>,
        Ellipsoid<DVec3>,
        Disk<DVec3>,
        Plane<DVec3>,
        HalfSpace<DVec3>,
    );
    one_of!(
        Sphere<DVec2>,
        SegmentShape<DVec2>,
        Cuboid<DVec2>,
        Capsule<DVec2>,
        Triangle2<DVec2>,
        ConvexPolygon<DVec2>,
        OrientedBox<DVec2>,
        Ellipsoid<DVec2>,
        Plane<DVec2>,
        HalfSpace<DVec2>,
    );
    unreachable!("every kernel is named above")
}

/// The shape in `f64`, itself if that is what it is, to be asked.
pub(crate) fn with_fallback<K: Kernel, R>(shape: &K, query: impl FnOnce(&dyn ExactKernel) -> R) -> R {
    let itself: &dyn Any = shape;
    if itself.is::<K::Double>() { query(exact_kernel(itself)) } else { query(exact_kernel(&shape.double())) }
}

/// The hit of a line that is known to cross a triangle, in whatever arithmetic it takes.
#[cold]
#[inline(never)]
pub(crate) fn weighed_hit(corners: [Vec3<f64>; 3], raw: &InputRay, precision: Precision) -> Option<Hit<DVec3>> {
    let [a, b, c] = corners.map(|v| DVec3::new(v.x, v.y, v.z));
    let all = Query::new().range(f64::NEG_INFINITY, f64::INFINITY);
    let full = ExactKernel::all_results(&Triangle { a, b, c }, raw, &all, precision, &mut Trace::default());
    full.hits.first().map(|(_, hit)| *hit)
}

/// The full answer, whatever arithmetic it takes; nothing for what is not a ray.
#[inline(never)]
pub(crate) fn all_results<V: Vector>(
    shape: &dyn ExactKernel,
    raw: &InputRay,
    query: &Query<V::Scalar>,
    trace: &mut Trace,
) -> AllResultsAnswer<DVec3> {
    shape.all_results(raw, &query.double(), V::Scalar::PRECISION, trace)
}
