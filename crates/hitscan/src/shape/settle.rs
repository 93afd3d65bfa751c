//! What is in doubt, settled: every question in the wider arithmetics. That is much code, and rare to be run: it is
//! written for shapes in `f64`, to which those in `f32` are brought, and compiled in this crate once.

use super::candidate::HitCandidate;
use super::climb::{Evaluate, evaluate_adaptive, evaluate_filter, evaluate_unfused};
use super::kernel::{Crossing, Kernel, ShapeClass};
use super::refine::{refined, refined_t};
use super::resolve::{BoundaryHit, TRange, TSpan, exit, first, first_of, hit, second, stretch};
use super::{
    Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace, OrientedBox, Plane,
    SegmentShape, Sphere, Triangle, Triangle2,
};
use crate::explain::Trace;
use crate::math::{
    Arithmetic, Dd, DynNumber, Exact, FilterFlag, InputRay, Observer, Precision, Real, Stage, Vector, Working,
    WorkingRay, at_stage,
};
use crate::{Hit, Query, Span};
use core::any::{Any, TypeId};
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// A number in two parts: see [`Arithmetic::parts`].
pub(super) type Parts = (f64, f64);

// The questions that are asked most are answered by themselves in the first arithmetic, and by [`AllResults`] when that is in doubt.

/// The first hit in the making.
pub(super) struct ClosestT<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Evaluate for ClosestT<'_, K> {
    type Output = Option<HitCandidate<Working<K::Vector>>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let intersection = self.0.intersect(line, observer)?;
        Some(HitCandidate::new(&first_of(self.0, &intersection, &TRange::new(line, self.1), self.1, observer)?))
    }
}

/// The first hit.
pub(super) struct ClosestHit<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Evaluate for ClosestHit<'_, K> {
    type Output = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let meet = self.0.intersect(line, observer)?;
        let found = first_of(self.0, &meet, &TRange::new(line, self.1), self.1, observer)?;
        Some(hit(self.0, line, &meet.state, &found))
    }
}

/// Everything that a line can be told about one shape.
pub(super) struct AllResults<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
pub(super) struct AllResultsAnswer<V: Vector> {
    /// Each with its unrounded `t`.
    pub(super) hits: SmallVec<[(Parts, Hit<V>); 2]>,
    /// The first one is where the range begins, inside the solid.
    pub(super) at_start: bool,
    pub(super) span: Option<(Parts, Span<V>)>,
}

impl<V: Vector> AllResultsAnswer<V> {
    #[inline(never)]
    fn in_space(self) -> AllResultsAnswer<DVec3> {
        let convert =
            |Span { enter, exit }: Span<_>| Span { enter: enter.map(Hit::convert), exit: exit.map(Hit::convert) };
        AllResultsAnswer {
            hits: self.hits.into_iter().map(|(t, hit)| (t, hit.convert())).collect(),
            at_start: self.at_start,
            span: self.span.map(|(t, span)| (t, convert(span))),
        }
    }
}

impl<K: Kernel> Evaluate for AllResults<'_, K> {
    type Output = AllResultsAnswer<K::Vector>;
    #[inline(never)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let Self(shape, query) = *self;
        let mut answer = AllResultsAnswer { hits: SmallVec::new(), at_start: false, span: None };
        let range = TRange::new(line, query);
        observer.number("t_min", || range.min.to_f64());
        observer.number("t_max", || range.max.to_f64());
        let Some((state, results)) = boundary_hits(shape, line, &range, query, observer) else { return answer };
        let finish = |found: &BoundaryHit<T>| finish(shape, line, &state, found);
        answer.at_start = matches!(results.one, Some(BoundaryHit::Inside(_)));
        answer.hits.extend([&results.one, &results.two].into_iter().flatten().map(finish));
        answer.span = results.span.map(|span| {
            let [enter, exit] = [span.enter, span.exit].map(|end| end.map(|end| finish(&end).1));
            (span.t.parts(), Span { enter, exit })
        });
        answer
    }
}

/// Hit of one boundary crossing, with its `t` to 106 bits. Not inlined: this is the slow path, and four calls need one body.
#[inline(never)]
fn finish<K: Kernel, T: Arithmetic>(
    shape: &K,
    line: &WorkingRay<T>,
    state: &K::State<T>,
    found: &BoundaryHit<T>,
) -> (Parts, Hit<K::Vector>) {
    (found.t().parts(), hit(shape, line, state, found))
}

/// Boundary hits and span of one ray and shape, with the kernel's state.
#[inline(never)]
fn boundary_hits<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    line: &WorkingRay<T>,
    range: &TRange<T>,
    query: &Query<<K::Vector as Vector>::Scalar>,
    observer: &mut P,
) -> Option<(K::State<T>, BoundaryHits<T>)> {
    let intersection = shape.intersect(line, observer)?;
    let exit = exit(shape, &intersection, observer);
    let hits = within_range([&intersection.enter, &exit], K::CLASS, range, query, observer);
    Some((intersection.state, hits))
}

/// Boundary hits of one shape within a range of `t`.
struct BoundaryHits<T> {
    one: Option<BoundaryHit<T>>,
    two: Option<BoundaryHit<T>>,
    span: Option<TSpan<T>>,
}

/// Applies the range of `t` to an intersection: one body for all shapes.
#[inline(never)]
fn within_range<T: Arithmetic, S: Real, P: Observer>(
    [enter, exit]: [&Crossing<T>; 2],
    class: ShapeClass,
    range: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> BoundaryHits<T> {
    let one = first(enter, |_| *exit, class, range, query, observer);
    match class {
        ShapeClass::Solid => {
            observer.number("t where the line enters", || enter.t.to_f64());
            observer.number("t where it leaves", || exit.t.to_f64());
        }
        ShapeClass::Surface => observer.number("t where the line crosses", || enter.t.to_f64()),
    }
    observer.verdict(verdict(one.as_ref(), [enter, exit], class, range));
    let two = one.and_then(|one| second(exit, class, range, &one, observer));
    BoundaryHits { one, two, span: stretch([enter, exit], class, range, observer) }
}

fn verdict<T: Arithmetic>(
    found: Option<&BoundaryHit<T>>,
    [enter, exit]: [&Crossing<T>; 2],
    body: ShapeClass,
    limits: &TRange<T>,
) -> &'static str {
    match (found, body) {
        (Some(BoundaryHit::Inside(_)), _) => "hit: the range of t starts inside the solid",
        (Some(BoundaryHit::Enter(_)), ShapeClass::Solid) => "hit: the line enters within the range of t",
        (Some(BoundaryHit::Enter(_)), ShapeClass::Surface) => "hit: the line crosses within the range of t",
        (Some(BoundaryHit::Exit(_)), _) => "hit: the line leaves within the range of t",
        (None, _) if exit.t < limits.min => "no hit: the shape lies behind the range of t",
        (None, _) if enter.t > limits.max => "no hit: the shape lies beyond the range of t",
        (None, ShapeClass::Surface) => "no hit: this side of the surface is not asked for",
        (None, ShapeClass::Solid) => "no hit: the boundary is not reached within the range of t",
    }
}

struct ContainsPoint<'a, K: Kernel>(&'a K);
impl<K: Kernel> Evaluate for ContainsPoint<'_, K> {
    type Output = bool;
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> bool {
        self.0.contains(line.origin, observer)
    }
}

/// Slow path of one shape in `f64`, type-erased: every query, in whatever precision it takes, for numbers of either type.
/// A 2D shape answers in 3D too, with z = 0.
pub(super) trait ExactKernel {
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
pub(super) fn with_fallback<K: Kernel, R>(shape: &K, query: impl FnOnce(&dyn ExactKernel) -> R) -> R {
    let itself: &dyn Any = shape;
    if itself.is::<K::Double>() { query(exact_kernel(itself)) } else { query(exact_kernel(&shape.double())) }
}
