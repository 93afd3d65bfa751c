//! Slow path: every query in lazy exact arithmetic. It is rarely executed, so it is compiled once, for `f64` shapes; `f32`
//! shapes are converted exactly.

use crate::adaptive::evaluate::{
    BoundaryHits, ContainsPoint, Results, ShapeResults, TParts, Wanted, boundary_hits, filtered_crossing,
    filtered_results,
};
use crate::adaptive::instance::{
    InstanceContains, InstanceResults, any_in_balls, closest_in_balls, closest_in_double_words, evaluate_instance,
    instance_boundary_hits, results_in_double_words,
};
use crate::adaptive::placed_box::{box_results, certainly_enters, write_entry};
use crate::adaptive::placed_filter::{
    ClosestOfShape, closest_of_placed, filtered_closest, results_of_placed, write_closest,
};
use crate::adaptive::refine::{refined, refined_hit, refined_t};
use crate::adaptive::stages::{evaluate_in_f64, evaluate_lazily, evaluate_unfused};
use crate::block_hits::{BlockHits, Numbers};
use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange};
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::lazy_exact::{LazyExact, lazily};
use crate::math::observer::FilterFlag;
use crate::math::real::Precision;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::query::Query;
use crate::ray_block::RayBlock;
use crate::target::COMPACT;
use glam::DVec3;
use smallvec::SmallVec;

/// Exact `t` of the results of one shape.
#[derive(Default)]
pub(crate) struct ExactResults {
    /// Of each hit, in their order.
    pub(crate) hits: SmallVec<[Exact; 2]>,
    /// Of the ends of the span; infinite where it has none.
    pub(crate) span: Option<[Exact; 2]>,
}

impl ExactResults {
    /// The wanted numbers alone: each may take as long as the evaluation.
    fn new(found: &BoundaryHits<LazyExact>, wanted: Wanted) -> Self {
        if wanted == Wanted::Span {
            let end = |exit: &Option<BoundaryHit<LazyExact>>| match exit {
                Some(exit) => exit.t().to_exact(),
                None => Exact::from_f64(f64::INFINITY),
            };
            let ends = found.span.as_ref().map(|span| [span.t.to_exact(), end(&span.exit)]);
            return Self { span: ends, ..Self::default() };
        }
        let hits = [&found.one, &found.two].into_iter().flatten().map(|hit| hit.t().to_exact()).collect();
        Self { hits, span: None }
    }
}

/// Slow path of one shape in `f64`, type-erased: every query, in lazy exact arithmetic, for
/// results of either precision. A 2D shape returns 3D results with z = 0.
pub(crate) trait ExactKernel {
    /// Writes the wanted results of the shape, or of an instance of it, to `out` if the filter is certain of them; the first hit has
    /// the bits of the closest hit. `None` where it is uncertain, and for hits in `f32` without an instance: then `out` holds nothing of use.
    fn filtered_results(
        &self,
        input: &InputRay,
        level: Option<&InstanceLevel<'_>>,
        query: (&Query<f64>, Wanted),
        precision: Precision,
        out: &mut ShapeResults,
    ) -> Option<()>;
    /// The wanted results, in lazy exact arithmetic; empty for an invalid ray.
    fn results(&self, input: &InputRay, query: (&Query<f64>, Wanted), trace: &mut Trace) -> ShapeResults;
    /// Closest hit in `f64`, after the filter was certain of every decision and returned `found`.
    fn closest_hit_decided(&self, input: &InputRay, query: &Query<f64>, found: &BoundaryHit<f64>)
    -> Option<Hit<DVec3>>;
    /// Candidate of that hit.
    fn closest_t_decided(
        &self,
        input: &InputRay,
        query: &Query<f64>,
        found: &BoundaryHit<f64>,
    ) -> Option<HitCandidate<Dd>>;
    /// Closest hit by the filter, and whether that is certain. For `COMPACT` builds.
    fn filter_closest(&self, input: &InputRay, query: &Query<f64>) -> Option<ClosestOfShape<DVec3>>;
    /// Crossing of that hit.
    fn filter_crossing(&self, input: &InputRay, query: &Query<f64>) -> Option<Option<BoundaryHit<f64>>>;
    /// Whether there is a hit, if balls around `f64` decide that. Unlike the filter, they do not need the digits of a crossing outside
    /// of the range, such as that with the plane from which a ray starts.
    fn is_hit_in_balls(&self, input: &InputRay, query: &Query<f64>) -> Option<bool>;
    /// Exact `t` of the wanted results.
    fn exact_results(&self, line: &WorkingRay<Exact>, query: (&Query<f64>, Wanted)) -> ExactResults;
    /// Whether the closed solid contains the point.
    fn contains(&self, point: [f64; 3]) -> bool;
    /// The wanted results of an instance of the shape; empty for an invalid ray.
    fn instance_results(
        &self,
        level: &InstanceLevel<'_>,
        query: (&Query<f64>, Wanted),
        precision: Precision,
        trace: &mut Trace,
    ) -> ShapeResults;
    /// Closest hit of an instance, its `t`, and whether it is the start of the range inside a solid; `out` must be `None`.
    fn instance_closest(
        &self,
        level: &InstanceLevel<'_>,
        query: &Query<f64>,
        precision: Precision,
        out: &mut Option<Hit<DVec3>>,
    ) -> Option<(TParts, bool)>;
    /// Whether an instance has a hit.
    fn is_instance_hit(&self, level: &InstanceLevel<'_>, query: &Query<f64>, precision: Precision) -> bool;
    /// Exact `t` of the wanted results of an instance.
    fn instance_exact_results(&self, level: &InstanceLevel<'_>, query: (&Query<f64>, Wanted)) -> ExactResults;
    /// Whether the closed solid of an instance contains the point at the origin of the ray.
    fn instance_contains(&self, level: &InstanceLevel<'_>) -> bool;
    /// Answers the rays of a block by the filter, as far as packets can.
    fn cast_block(&self, rays: &RayBlock, query: (&Query<f64>, Numbers), hits: &mut BlockHits);
}

impl<K: Kernel<Vector: Vector<Scalar = f64>>> ExactKernel for K {
    fn cast_block(&self, rays: &RayBlock, query: (&Query<f64>, Numbers), hits: &mut BlockHits) {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        crate::adaptive::packets::cast_block(self, rays, query, hits);
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        {
            let _ = query;
            hits.leave_open(rays);
        }
    }
    fn filtered_results(
        &self,
        input: &InputRay,
        level: Option<&InstanceLevel<'_>>,
        (query, wanted): (&Query<f64>, Wanted),
        precision: Precision,
        out: &mut ShapeResults,
    ) -> Option<()> {
        if let Some(level) = level {
            return early_results_of_placed(self, level, (query, wanted), precision, out);
        }
        // Shapes of `f32` have asked the filter in their own type. Builds for size have no code of their own for these lists: lazy exact
        // arithmetic has the same numbers.
        if precision == Precision::Single && wanted != Wanted::Ends {
            return None;
        }
        // A kernel without a Newton step is evaluated in double-words, which need not test decisions.
        if K::REFINES || !wanted.has_hits() {
            let refine = |found: &BoundaryHit<f64>| refined_hit(self, input, found);
            return filtered_results(self, input, (query, wanted), refine, out);
        }
        let mut found = ShapeResults::default();
        filtered_results(self, input, (query, Wanted::Count), |_| None, &mut found)?;
        *out = evaluate_unfused(&Results(self, query, wanted), input);
        // If `t` or a point overflows in double-word arithmetic, results are missing.
        ((out.count, out.has_span) == (found.count, found.has_span)).then_some(())
    }
    fn results(&self, input: &InputRay, (query, wanted): (&Query<f64>, Wanted), trace: &mut Trace) -> ShapeResults {
        if !input.is_valid() {
            return ShapeResults::default();
        }
        evaluate_lazily(&Results(self, query, wanted), input, trace)
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
    fn filter_closest(&self, input: &InputRay, query: &Query<f64>) -> Option<ClosestOfShape<DVec3>> {
        if !COMPACT {
            return None;
        }
        let closest = filtered_closest(self, &input.line(), query, FilterFlag::default())?;
        Some(closest.map(|(candidate, hit)| (candidate, hit.convert())))
    }
    fn filter_crossing(&self, input: &InputRay, query: &Query<f64>) -> Option<Option<BoundaryHit<f64>>> {
        if COMPACT { filtered_crossing(self, input, query) } else { None }
    }
    fn is_hit_in_balls(&self, input: &InputRay, query: &Query<f64>) -> Option<bool> {
        if !input.is_valid() {
            return Some(false);
        }
        any_in_balls(self, || input.line(), query)
    }
    fn exact_results(&self, line: &WorkingRay<Exact>, (query, wanted): (&Query<f64>, Wanted)) -> ExactResults {
        lazily(|| {
            let line = line.map(LazyExact::from_exact);
            let range = TRange::new(&line, query);
            let found = boundary_hits(self, &line, &range, (query, wanted), &mut Trace::default());
            found.map(|(_, hits)| ExactResults::new(&hits, wanted)).unwrap_or_default()
        })
    }
    fn contains(&self, point: [f64; 3]) -> bool {
        let (point, evaluation) = (InputRay::point(point), ContainsPoint(self));
        let exactly = || evaluate_lazily(&evaluation, &point, &mut Trace::default());
        // Builds for size have no code of their own for the first stage.
        if COMPACT { exactly() } else { evaluate_in_f64(&evaluation, &point).unwrap_or_else(exactly) }
    }
    fn instance_results(
        &self,
        level: &InstanceLevel<'_>,
        query: (&Query<f64>, Wanted),
        precision: Precision,
        trace: &mut Trace,
    ) -> ShapeResults {
        if !level.raw().is_valid() {
            return ShapeResults::default();
        }
        evaluate_instance(&InstanceResults(self, query.0, query.1), level, precision, trace)
    }
    fn instance_closest(
        &self,
        level: &InstanceLevel<'_>,
        query: &Query<f64>,
        precision: Precision,
        out: &mut Option<Hit<DVec3>>,
    ) -> Option<(TParts, bool)> {
        if !level.raw().is_valid() {
            return None;
        }
        // The filter of placed shapes: plain `f64` with thresholds for the rounded ray (Lemma 16). A certain miss ends
        // here. These early stages run in every build: a later one may round the other way, or find the other zero.
        let filtered = closest_of_placed(self, level, query);
        if let Some(None) = filtered {
            return None;
        }
        // In `f32`, the numbers of the filter have all digits; where it is uncertain, the certain entry into a box has
        // them.
        if precision == Precision::Single {
            let mut hit = None;
            let written = match filtered.flatten() {
                Some(closest) => write_closest(level, &closest, &mut hit),
                None => self.axis_box().and_then(|axis_box| write_entry(level, axis_box, query, &mut hit)),
            };
            if written.is_some() {
                *out = hit.map(Hit::convert);
                return written;
            }
            // The bits of `instance_results`.
            if !COMPACT && let Some(found) = closest_in_balls(self, level, query, &mut hit) {
                *out = hit.map(Hit::convert);
                return found;
            }
        } else if (filtered.is_some() || certainly_enters(self, level, query))
            && let Some((t, hit, at_start)) = closest_in_double_words(self, level, query)
        {
            // In `f64`, an early stage was certain of every decision, and double-words add the digits.
            *out = Some(hit.convert());
            return Some((t, at_start));
        }
        // What no early stage decides goes through balls to lazy exact numbers.
        let results = self.instance_results(level, (query, Wanted::Closest), precision, &mut Trace::default());
        let (t, hit) = results.hits.first()?;
        *out = Some(*hit);
        Some((*t, results.at_start))
    }
    fn is_instance_hit(&self, level: &InstanceLevel<'_>, query: &Query<f64>, precision: Precision) -> bool {
        if !level.raw().is_valid() {
            return false;
        }
        // The cheapest stage that is certain answers: filter, entry into a box, balls, then lazy exact numbers.
        if let Some(closest) = closest_of_placed(self, level, query) {
            return closest.is_some();
        }
        if certainly_enters(self, level, query) {
            return true;
        }
        any_in_balls(self, || level.local(), query).unwrap_or_else(|| {
            self.instance_results(level, (query, Wanted::Any), precision, &mut Trace::default()).count > 0
        })
    }
    fn instance_exact_results(&self, level: &InstanceLevel<'_>, query: (&Query<f64>, Wanted)) -> ExactResults {
        lazily(|| {
            let found = instance_boundary_hits(self, level, query);
            found.map(|hits| ExactResults::new(&hits, query.1)).unwrap_or_default()
        })
    }
    fn instance_contains(&self, level: &InstanceLevel<'_>) -> bool {
        evaluate_instance(&InstanceContains(self), level, Precision::Single, &mut Trace::default())
    }
}

/// Writes the wanted results of an instance if the early stages of its closest hit are certain of them: these run in every build.
fn early_results_of_placed<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    (query, wanted): (&Query<f64>, Wanted),
    precision: Precision,
    out: &mut ShapeResults,
) -> Option<()> {
    // For `f64`, these stages only decide: their numbers have the digits of `f32`.
    let decides_only = precision == Precision::Double && wanted.has_hits();
    let early = (query, if decides_only { Wanted::Count } else { wanted });
    let is_any = match shape.axis_box() {
        Some(axis_box) => box_results::<K::Vector>(level, axis_box, early, out)?,
        None => results_of_placed(shape, level, early, out)?,
    };
    if decides_only && is_any {
        // Double-words add the digits. If `t` or a point overflows in them, results are missing.
        let count = out.count;
        *out = results_in_double_words(shape, level, (query, wanted))?;
        return (out.count == count && (wanted != Wanted::Span || out.span.is_some())).then_some(());
    }
    Some(())
}

/// Results with the closest hit. Balls decide that there is none in a fraction of the time.
#[inline(never)]
pub(crate) fn closest_results(shape: &dyn ExactKernel, input: &InputRay, query: &Query<f64>) -> ShapeResults {
    if shape.is_hit_in_balls(input, query) == Some(false) {
        return ShapeResults::default();
    }
    shape.results(input, (query, Wanted::Closest), &mut Trace::default())
}

/// Whether there is a hit.
#[inline(never)]
pub(crate) fn is_hit(shape: &dyn ExactKernel, input: &InputRay, query: &Query<f64>) -> bool {
    let decided = shape.is_hit_in_balls(input, query);
    decided.unwrap_or_else(|| shape.results(input, (query, Wanted::Any), &mut Trace::default()).count > 0)
}
