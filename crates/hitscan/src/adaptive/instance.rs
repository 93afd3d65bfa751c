//! Evaluations of instances: the ray in the coordinates of the shape is rounded, so it is evaluated in
//! balls, and in lazy exact arithmetic where these leave something open.

use crate::adaptive::evaluate::{BoundaryHits, ShapeResults, TParts, Wanted, boundary_hits, shape_results};
use crate::adaptive::stages::{SHAPE_PRECISION, decide};
use crate::explain::Trace;
use crate::hit::{Hit, Side};
use crate::kernel::crossing::Normal;
use crate::kernel::hit_builder::hit_at;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange, side};
use crate::math::arithmetic::Arithmetic;
use crate::math::ball::{Ball, if_decided};
use crate::math::double_word::DoubleWord;
use crate::math::instance_stack::{InstanceLevel, PlacedRay, max_norm, needs_no_scale};
use crate::math::lazy_exact::{LazyExact, in_double_words};
use crate::math::observer::{Observer, Unfiltered};
use crate::math::real::Precision;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::query::Query;
use crate::target::COMPACT;

/// Evaluation of one ray against one shape of an instance, generic over the arithmetic.
pub(crate) trait EvaluateInstance {
    type Output;
    fn evaluate<T: Arithmetic, P: Observer>(&self, ray: &PlacedRay<T>, observer: &mut P) -> Self::Output;
    /// Whether an output consists of decisions only, so that more digits do not change it.
    fn has_no_numbers(output: &Self::Output) -> bool;
}

/// Evaluates in balls around `f64`, whose numbers have the digits of `f32` only, and where these do not suffice in lazy exact
/// arithmetic.
pub(crate) fn evaluate_instance<Q: EvaluateInstance>(
    evaluation: &Q,
    level: &InstanceLevel<'_>,
    precision: Precision,
    trace: &mut Trace,
) -> Q::Output {
    // A trace shows the numbers of the arithmetic that decided, and balls record none.
    if !trace.is_recording() {
        let decided = LazyExact::exclusively(|| if_decided(|| evaluation.evaluate(&level.in_balls(), &mut Unfiltered)));
        let is_complete = |output: &Q::Output| precision == Precision::Single || Q::has_no_numbers(output);
        if let Some(output) = decided.filter(is_complete) {
            return output;
        }
    }
    decide(SHAPE_PRECISION, &|trace| evaluation.evaluate(&level.homogeneous(), trace), trace)
}

/// Results of one shape of an instance, in the coordinates of the world. What is wanted is no type parameter: kernels are
/// compiled for balls once.
pub(crate) struct InstanceResults<'a, K: Kernel>(
    pub(crate) &'a K,
    pub(crate) &'a Query<<K::Vector as Vector>::Scalar>,
    pub(crate) Wanted,
);

impl<K: Kernel> EvaluateInstance for InstanceResults<'_, K> {
    type Output = ShapeResults;
    fn evaluate<T: Arithmetic, P: Observer>(&self, ray: &PlacedRay<T>, observer: &mut P) -> Self::Output {
        let Self(shape, query, wanted) = *self;
        shape_results(shape, &ray.line, (query, wanted), observer, |state, found| {
            (found.t().parts(), placed_hit(shape, ray, state, found))
        })
    }
    fn has_no_numbers(output: &Self::Output) -> bool {
        output.hits.is_empty() && output.span.is_none()
    }
}

/// Closest hit of an instance in the coordinates of the world, with its `t` and whether it is the start of the range inside a
/// solid; by the first stage of [`evaluate_instance`], with its bits, without the memory that all results need.
pub(crate) fn closest_in_balls<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    query: &Query<f64>,
    out: &mut Option<Hit<K::Vector>>,
) -> Option<Option<(TParts, bool)>> {
    let closest = || {
        let line = level.local();
        let range = TRange::new(&line, query);
        let (state, hits) = boundary_hits(shape, &line, &range, (query, Wanted::Closest), &mut Unfiltered)?;
        let found = hits.one?;
        *out = Some(placed_hit(shape, &level.with_normals(line), state.as_ref(), &found));
        Some((found.t().parts(), matches!(found, BoundaryHit::Inside(_))))
    };
    LazyExact::exclusively(|| if_decided(closest))
}

/// Closest hit of an instance in `f64`, in the coordinates of the world, with its `t` and whether it is the start of the range inside
/// a solid, after an earlier stage was certain of every decision; `None` if double-words have too few digits.
pub(crate) fn closest_in_double_words<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    query: &Query<f64>,
) -> Option<(TParts, Hit<K::Vector>, bool)> {
    let ray = refined_ray(shape, level)?;
    if COMPACT { decided_compactly(shape, &ray, query) } else { decided(shape, &ray, query, &mut Unfiltered) }
}

/// The ray of an instance in double-words; `None` if these have too few digits.
fn refined_ray<K: Kernel>(shape: &K, level: &InstanceLevel<'_>) -> Option<PlacedRay<DoubleWord<false>>> {
    // The filter has tested the size of its shape; the entry into a box needs no such test.
    if shape.axis_box().is_some_and(|[center, half]| !needs_no_scale(max_norm(center) + max_norm(half))) {
        return None;
    }
    level.refined()
}

/// The wanted results of an instance in `f64`, after an earlier stage was certain of every decision; `None` if double-words have too
/// few digits. The first hit has the bits of [`closest_in_double_words`].
pub(crate) fn results_in_double_words<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    (query, wanted): (&Query<f64>, Wanted),
) -> Option<ShapeResults> {
    let (ray, results) = (refined_ray(shape, level)?, InstanceResults(shape, query, wanted));
    Some(if COMPACT {
        in_double_words(|| results.evaluate(&ray.convert::<LazyExact>(), &mut Trace::default()))
    } else {
        results.evaluate(&ray, &mut Unfiltered)
    })
}

/// The same hit by the type-erased body, for `COMPACT` builds.
pub(crate) fn decided_compactly<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    ray: &PlacedRay<DoubleWord<false>>,
    query: &Query<f64>,
) -> Option<(TParts, Hit<K::Vector>, bool)> {
    in_double_words(|| decided::<_, LazyExact, _>(shape, &ray.convert(), query, &mut Trace::default()))
}

/// Closest hit in arithmetic `T`, which need not test its decisions.
#[inline(never)]
fn decided<K: Kernel<Vector: Vector<Scalar = f64>>, T: Arithmetic, P: Observer>(
    shape: &K,
    ray: &PlacedRay<T>,
    query: &Query<f64>,
    observer: &mut P,
) -> Option<(TParts, Hit<K::Vector>, bool)> {
    let range = TRange::new(&ray.line, query);
    let (state, hits) = boundary_hits(shape, &ray.line, &range, (query, Wanted::Closest), observer)?;
    let found = hits.one?;
    Some((found.t().parts(), placed_hit(shape, ray, state.as_ref(), &found), matches!(found, BoundaryHit::Inside(_))))
}

/// Whether there is a hit; `None` if balls around `f64` do not decide it.
pub(crate) fn any_in_balls<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    line: impl FnOnce() -> WorkingRay<Ball<f64>>,
    query: &Query<f64>,
) -> Option<bool> {
    let any = || {
        let line = line();
        let range = TRange::new(&line, query);
        let hits = boundary_hits(shape, &line, &range, (query, Wanted::Any), &mut Unfiltered);
        hits.is_some_and(|(_, hits)| hits.one.is_some())
    };
    LazyExact::exclusively(|| if_decided(any))
}

/// Completes a boundary hit in the coordinates of the world.
#[inline(never)]
fn placed_hit<K: Kernel, T: Arithmetic>(
    shape: &K,
    ray: &PlacedRay<T>,
    state: Option<&K::State<T>>,
    found: &BoundaryHit<T>,
) -> Hit<K::Vector> {
    // A start inside, and a line that runs in a surface, have no normal of that. Otherwise the normal goes to the world,
    // where it must keep its digits.
    let (normal, uv) = match (found, state) {
        (BoundaryHit::Enter(at) | BoundaryHit::Exit(at), Some(state)) => {
            (Some(shape.normal_direction(state, at)), shape.uv(state, at))
        }
        _ => (None, None),
    };
    complete(ray, found.t(), normal, side::<K, T>(found), uv)
}

/// Hit in the coordinates of the world from its parts, with the normal in those of the shape: the same for every shape.
#[inline(never)]
fn complete<V: Vector, T: Arithmetic>(
    ray: &PlacedRay<T>,
    t: T,
    normal: Option<Vec3<T>>,
    side: Side,
    uv: Option<[T; 2]>,
) -> Hit<V> {
    let normal = normal.map(|normal| ray.normal(normal));
    if let Some(normal) = normal {
        T::check_digits(&[normal.x, normal.y, normal.z]);
    }
    // `t` and the surface coordinates must have the digits of a result, or lazy exact numbers compute them.
    T::check_digits(&[t]);
    if let Some([u, v]) = uv {
        T::check_digits(&[T::ONE, u, v]);
    }
    // The point is on the ray of the world, not on the rounded local one.
    let (point, distance) = ray.world.at(t);
    T::check_digits(&[distance]);
    T::check_digits(&[distance, point.x, point.y, point.z]);
    hit_at(&ray.world, (t, point, distance), normal.map(Normal::Direction), side, uv)
}

/// Boundary hits and span of an instance, in lazy exact arithmetic.
pub(crate) fn instance_boundary_hits<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    (query, wanted): (&Query<f64>, Wanted),
) -> Option<BoundaryHits<LazyExact>> {
    let ray = level.homogeneous();
    let range = TRange::new(&ray.line, query);
    Some(boundary_hits(shape, &ray.line, &range, (query, wanted), &mut Trace::default())?.1)
}

/// Whether the closed solid of an instance contains the point at the origin of the ray.
pub(crate) struct InstanceContains<'a, K: Kernel>(pub(crate) &'a K);

impl<K: Kernel> EvaluateInstance for InstanceContains<'_, K> {
    type Output = bool;
    fn evaluate<T: Arithmetic, P: Observer>(&self, ray: &PlacedRay<T>, observer: &mut P) -> bool {
        self.0.contains(ray.line.origin, observer)
    }
    fn has_no_numbers(_: &bool) -> bool {
        true
    }
}
