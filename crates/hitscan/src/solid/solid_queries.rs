//! Queries of a solid.

use crate::aabb::Aabb;
use crate::adaptive::evaluate::{BoundaryHits, within_range};
use crate::closest_point::{ClosestPoint, ClosestResult, NotMeasured, PointGoal};
use crate::explain::{Explanation, Trace};
use crate::hit::{Hit, Side, Span};
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate};
use crate::kernel::crossing::{Crossing, ShapeClass};
use crate::kernel::range_rules::{BoundaryHit, TRange};
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::observer::{FilterFlag, Observer};
use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OnSurfaces, OverlapGoal, Shape, SurfaceCrossing};
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Faces, Inside, Query, Triggers};
use crate::solid::evaluation::Evaluation;
use crate::solid::line_crossings::{LineCrossings, Place};
use crate::solid::line_lanes::line_lanes;
use crate::solid::merged_spans::{MergedSpan, MergedSpans, SpanEnd};
use crate::solid::solid::{LeafIndex, Solid, SolidIndex};
use crate::sweep_hit::SweepResult;
use alloc::borrow::Cow;
use core::ops::ControlFlow;

/// A hit of a span with the range of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The start of the range, inside the solid.
    Start,
    Enter,
    Exit,
}

impl Part {
    fn of<T>(hit: &BoundaryHit<T>) -> Self {
        match hit {
            BoundaryHit::Inside(_) => Self::Start,
            BoundaryHit::Enter(_) => Self::Enter,
            BoundaryHit::Exit(_) => Self::Exit,
        }
    }
}

/// The hits of a span within the range of a query, in their order, and the ends of the part of the span in the range.
struct PartsInRange {
    hits: [Option<Part>; 2],
    span: Option<[Option<Part>; 2]>,
}

impl PartsInRange {
    fn of<T: Arithmetic>(found: &BoundaryHits<T>) -> Self {
        let part = |hit: &Option<BoundaryHit<T>>| hit.as_ref().map(Part::of);
        let span = found.span.as_ref().map(|span| [part(&span.enter), part(&span.exit)]);
        Self { hits: [part(&found.one), part(&found.two)], span }
    }
}

/// A span of the whole line, and what a query wants of it.
struct SpanInRange<'s, 'a, V: Vector> {
    all: &'s LineCrossings<'a, V>,
    span: MergedSpan,
    /// The ray as the query has it, and the range.
    line: &'s InstanceRay<'s, V>,
    min: Working<V>,
    parts: PartsInRange,
}

impl<V: Vector> SpanInRange<'_, '_, V> {
    fn end(&self, part: Part) -> Option<SpanEnd> {
        match part {
            Part::Start | Part::Enter => self.span.enter,
            Part::Exit => self.span.exit,
        }
    }
    /// A hit, that of the leaf with the normal out of the solid, and its unrounded `t`.
    fn hit(&self, part: Part) -> (Working<V>, Hit<V>) {
        let end = self.end(part);
        let member = end.map(|end| self.all.crossings[end.crossing].leaf);
        let of_leaf = end.filter(|_| part != Part::Start).and_then(|end| self.all.hit(end.crossing));
        let (t, mut hit) = of_leaf.unwrap_or_else(|| (self.min, self.line.start_hit(self.min)));
        if part != Part::Start && end.is_some_and(|end| end.is_flipped) {
            hit.normal = V::from_xyz(hit.normal.to_xyz().map(|x| (-x).of_result()));
            hit.side = if hit.side == Side::Front { Side::Back } else { Side::Front };
        }
        (t, Hit { object: None, member, is_trigger: false, ..hit })
    }
}

/// The query for the whole line through a leaf. Layers and triggers within a group do not change which points it has, as they do not
/// for `contains`.
pub(crate) fn whole<S: Real>(query: &Query<S>) -> Query<S> {
    let both = query.range(-S::INFINITY, S::MAX).within_distance(S::INFINITY);
    both.inside(Inside::Solid).faces(Faces::Both).layers(u32::MAX).triggers(Triggers::Hit)
}

impl<V: Vector> Solid<V> {
    /// The leaf, if the solid is one.
    fn only_leaf(&self) -> Option<&dyn Shape<V>> {
        self.0.expression.is_leaf().then(|| &*self.0.leaves[0].shape)
    }

    /// The hit of the only leaf.
    fn own(hit: Hit<V>) -> Hit<V> {
        Hit { object: None, member: Some(0), is_trigger: false, ..hit }
    }

    /// The leaves that a line may cross, in ascending order.
    pub(crate) fn crossed<'a>(&'a self, line: &InstanceRay<'_, V>) -> Cow<'a, [u32]> {
        let LeafIndex { tree, leaves, unbounded } = match &self.0.index {
            SolidIndex::All(leaves) => return Cow::Borrowed(leaves),
            SolidIndex::Tree(index) => index,
        };
        let (mut crossed, mut limit) = (unbounded.clone(), f64::INFINITY);
        let all = |slot: u32, _: &mut f64| {
            crossed.push(leaves[slot as usize]);
            ControlFlow::Continue(())
        };
        let _ = tree.as_ref().visit(line.world, line.level, f64::NEG_INFINITY, &mut limit, |_| {}, all);
        crossed.sort_unstable();
        Cow::Owned(crossed)
    }

    /// Calls `query` with the spans of the whole line of a valid ray.
    fn with_spans(
        &self,
        line: &InstanceRay<'_, V>,
        own: &Query<V::Scalar>,
        query: &mut dyn FnMut(&LineCrossings<'_, V>, MergedSpans<'_, V>),
    ) {
        if !line.is_valid() {
            return;
        }
        let mut run = |line: &InstanceRay<'_, V>| {
            let own = whole(own);
            let crossed = self.crossed(line);
            let all = LineCrossings::new(&self.0.leaves, &crossed, line, &own);
            let evaluation = Evaluation::new(&self.0.outside, &crossed);
            query(&all, MergedSpans::new(evaluation, &all));
        };
        // The range of the ray itself cuts the merged spans, not those of the leaves.
        let raw = InputRay { t_min: f64::NEG_INFINITY, t_max: f64::INFINITY, layers: u32::MAX, ..line.raw };
        let mut world = *line.world;
        world.raw = raw;
        match line.level {
            None => run(&InstanceRay::new(&world)),
            Some(level) => {
                level.with_ray(&raw, &mut |level| run(&InstanceRay { world: &world, level: Some(level) }));
            }
        }
    }

    /// Calls `each` with the spans of the line that have a hit or a part within the range of the query, until it breaks.
    fn each_span(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        each: &mut dyn FnMut(&SpanInRange<'_, '_, V>) -> ControlFlow<()>,
    ) {
        self.with_spans(line, query, &mut |all, spans| {
            let (range, rounded) = (TRange::new(line.world, query), TRange::new(&line.again::<f64>(), query));
            for span in spans {
                let mut flag = FilterFlag::default();
                let ends = [span.enter, span.exit].map(|end| end.map(|end| all.crossings[end.crossing].t.to_f64()));
                let found = PartsInRange::of(&within(ends, &rounded, query, &mut flag));
                // A crossing near the end of the range, or near the other one, is compared in exact numbers; so is one whose `t` may
                // have vanished.
                let parts = if flag.is_uncertain || ends.into_iter().flatten().any(may_have_underflown::<V>) {
                    with_precision(COMPARISON_PRECISION, || PartsInRange::of(&exactly(all, span, line, query)))
                } else {
                    found
                };
                if parts.hits[0].is_none() && parts.span.is_none() {
                    continue;
                }
                if each(&SpanInRange { all, span, line, min: range.min, parts }).is_break() {
                    return;
                }
            }
        });
    }

    /// Calls `each` with the exact hits and parts of spans within the range.
    fn each_exactly(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        each: &mut dyn FnMut(&BoundaryHits<Exact>),
    ) {
        self.with_spans(line, query, &mut |all, spans| {
            spans.for_each(|span| each(&exactly(all, span, line, query)));
        });
    }
}

/// The first contact of a moving volume with parts that are taken for whole.
#[derive(Clone, Copy)]
enum PartContact<T> {
    Nowhere,
    /// With a leaf, at a `t`.
    At(u32, T),
    Anywhere,
}

impl<T: Arithmetic> PartContact<T> {
    /// That with a union or an intersection. A volume meets an intersection not before it has met both parts.
    fn combined(is_union: bool, a: Self, b: Self) -> Self {
        match (is_union, a, b) {
            (true, Self::Anywhere, _) | (true, _, Self::Anywhere) => Self::Anywhere,
            (false, Self::Nowhere, _) | (false, _, Self::Nowhere) => Self::Nowhere,
            (_, Self::At(_, s), Self::At(_, t)) if t.equals(s) || t.lt(s) != is_union => a,
            (_, Self::At(..), Self::At(..)) | (true, Self::Nowhere, _) | (false, Self::Anywhere, _) => b,
            _ => a,
        }
    }
}

/// Whether a rounded `t` may be another number than the exact one by more than its rounding. Numbers of `f32` rays are in the range of
/// `f64`.
pub(crate) fn may_have_underflown<V: Vector>(t: f64) -> bool {
    V::Scalar::PRECISION == Precision::Double && t.abs() < power(-1000)
}

/// Hits and part of a span, whose ends are given, within the range of a query.
fn within<T: Arithmetic, S: Real>(
    [enter, exit]: [Option<T>; 2],
    range: &TRange<T>,
    query: &Query<S>,
    observer: &mut impl Observer,
) -> BoundaryHits<T> {
    let end =
        |t: Option<T>, sign: f64| Crossing::new(t.unwrap_or(T::from_f64(sign * f64::INFINITY)), 0, T::from_f64(sign));
    within_range([&end(enter, -1.0), &end(exit, 1.0)], ShapeClass::Solid, range, query, observer)
}

/// [`within`] in exact numbers.
fn exactly<V: Vector>(
    all: &LineCrossings<'_, V>,
    span: MergedSpan,
    line: &InstanceRay<'_, V>,
    query: &Query<V::Scalar>,
) -> BoundaryHits<Exact> {
    let t = |end: Option<SpanEnd>| end.and_then(|end| all.exact_t([&all.crossings[end.crossing]].into_iter()).pop());
    let range = TRange::new(&line.again::<Exact>(), query);
    within([t(span.enter), t(span.exit)], &range, query, &mut Trace::default())
}

impl<V: Vector> Shape<V> for Solid<V> {
    fn name(&self) -> &'static str {
        "solid"
    }
    fn aabb(&self) -> Aabb<V> {
        self.0.bounds
    }
    fn nesting(&self) -> u32 {
        self.0.nesting
    }
    fn encloses_points(&self) -> bool {
        true
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        self.0.expression.value(|leaf| self.0.leaves[leaf as usize].shape.contains_point(point, level))
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        match self.only_leaf() {
            Some(leaf) => Ok(leaf.project_point(point, level, goal)?.map(|found| ClosestPoint {
                object: None,
                member: Some(0),
                ..found
            })),
            None if goal == PointGoal::Depth && !self.contains_point(point, level) => Ok(None),
            None => Err(NotMeasured),
        }
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        // A volume may meet the complement of a leaf anywhere, and so a leaf whose contacts are not measured.
        let contact = |leaf: u32, is_complement: bool| {
            let swept = || self.0.leaves[leaf as usize].shape.sweep(ray, swept, query, limit);
            match if is_complement { Err(NotMeasured) } else { swept() } {
                Ok(Some(found)) => PartContact::At(leaf, found.t),
                Ok(None) => PartContact::Nowhere,
                Err(NotMeasured) => PartContact::Anywhere,
            }
        };
        let leaf = match self.0.expression.fold(contact, PartContact::combined) {
            PartContact::Nowhere => return Ok(None),
            PartContact::Anywhere => return Err(NotMeasured),
            PartContact::At(leaf, _) => leaf,
        };
        let found = self.0.leaves[leaf as usize].shape.sweep(ray, swept, query, limit)?;
        Ok(found.map(|mut found| {
            (found.hit.object, found.hit.member) = (None, Some(leaf));
            found
        }))
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        _goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // What is outside of a leaf may have a point in common with any volume.
        let overlaps = |leaf: u32, is_complement: bool| {
            let mut any = |_| ControlFlow::Break(());
            let shape = &self.0.leaves[leaf as usize].shape;
            is_complement || shape.visit_overlaps(volume, level, OverlapGoal::Any, &mut any).is_break()
        };
        let may_overlap = self.0.expression.fold(overlaps, |is_union, a, b| if is_union { a | b } else { a & b });
        if may_overlap { found(Overlap::WHOLE) } else { ControlFlow::Continue(()) }
    }
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        if let Some(leaf) = self.only_leaf() {
            let candidate = leaf.candidate(line, query, limit, hit);
            *hit = hit.map(Self::own);
            return candidate;
        }
        let mut candidate = None;
        self.each_span(line, query, &mut |span| {
            let Some(first) = span.parts.hits[0] else { return ControlFlow::Continue(()) };
            let (t, found) = span.hit(first);
            candidate = Some(HitCandidate { t, primitive: 0, at_start: first == Part::Start });
            *hit = Some(found);
            ControlFlow::Break(())
        });
        candidate
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        if let Some(leaf) = self.only_leaf() {
            return leaf.finish(line, query, found).map(Self::own);
        }
        let mut hit = None;
        self.candidate(line, query, f64::INFINITY, &mut hit);
        hit
    }
    fn all_hits(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        if let Some(leaf) = self.only_leaf() {
            return leaf.all_hits(line, query, most, &mut |t, hit| out(t, Self::own(hit)));
        }
        let mut left = most;
        self.each_span(line, query, &mut |span| {
            for part in span.parts.hits.into_iter().flatten().take(left) {
                let (t, hit) = span.hit(part);
                out(t, hit);
                left -= 1;
            }
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        if let Some(leaf) = self.only_leaf() {
            return leaf.exact_first(line, query, found);
        }
        let mut first = None;
        self.each_exactly(line, query, &mut |found| first = first.or(found.one.as_ref().map(BoundaryHit::t)));
        first
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        if let Some(leaf) = self.only_leaf() {
            return leaf.exact_all_t(line, query, out);
        }
        self.each_exactly(line, query, &mut |found| {
            [&found.one, &found.two].into_iter().flatten().for_each(|hit| out(hit.t()));
        });
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        if let Some(leaf) = self.only_leaf() {
            return leaf.count(line, query);
        }
        let mut count = 0;
        self.each_span(line, query, &mut |span| {
            count += span.parts.hits.iter().flatten().count();
            ControlFlow::Continue(())
        });
        count
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        self.spans_with_surfaces(line, query, &mut |ends, span, _| out(ends, span));
    }
    fn spans_with_surfaces(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSurfaces<'_, V>) {
        let surface = |leaf: u32, span: u32, is_exit: bool| Some(SurfaceCrossing { leaf, span, is_exit });
        if let Some(leaf) = self.only_leaf() {
            let (own, mut number) = (|end: Option<Hit<V>>| end.map(Self::own), 0);
            return leaf.all_spans(line, query, &mut |ends, Span { enter, exit }| {
                let surfaces = [surface(0, number, false), surface(0, number, true)];
                out(ends, Span { enter: own(enter), exit: own(exit) }, surfaces);
                number += 1;
            });
        }
        self.each_span(line, query, &mut |span| {
            if let Some(parts) = span.parts.span {
                let hit = |part: Option<Part>, infinity: f64| match part.map(|part| span.hit(part)) {
                    Some((t, hit)) => (t, Some(hit)),
                    None => (Working::<V>::from_f64(infinity), None),
                };
                let surface = |part: Option<Part>| {
                    let end = part.filter(|part| *part != Part::Start).and_then(|part| span.end(part))?;
                    let Place { leaf, span, is_exit } = span.all.crossings[end.crossing].place;
                    surface(leaf, span, is_exit)
                };
                let [(t_enter, enter), (t_exit, exit)] =
                    [hit(parts[0], f64::NEG_INFINITY), hit(parts[1], f64::INFINITY)];
                out([t_enter, t_exit], Span { enter, exit }, parts.map(surface));
            }
            ControlFlow::Continue(())
        });
    }
    fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        if let Some(leaf) = self.only_leaf() {
            return leaf.exact_spans(line, query, out);
        }
        self.each_exactly(line, query, &mut |found| {
            if let Some(span) = &found.span {
                let exit = span.exit.as_ref().map_or(Exact::from_f64(f64::INFINITY), BoundaryHit::t);
                out([span.t, exit]);
            }
        });
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        if let Some(leaf) = self.only_leaf() {
            return leaf.explain_ray(line, query, explanation);
        }
        explanation.number("leaves", self.0.leaves.len() as f64);
        self.with_spans(line, query, &mut |all, spans| {
            explanation.number("crossings of the line and the leaves", all.crossings.len() as f64);
            explanation.lanes = line_lanes(all, spans, |leaf| self.0.leaves[leaf as usize].shape.name());
            explanation.number("spans of the line inside", explanation.lanes.solid.len() as f64);
        });
        let mut hit = None;
        match self.candidate(line, query, f64::INFINITY, &mut hit) {
            None if !line.is_valid() => {
                explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
            }
            None => explanation.verdict("no hit: no span has an end within the range of t"),
            Some(found) => {
                if let Some(member) = hit.and_then(|hit| hit.member) {
                    explanation.number("leaf that decides", f64::from(member));
                }
                explanation.number("t", found.t.to_f64());
                explanation.verdict(match hit {
                    _ if found.at_start => "hit: the range of t starts inside the solid",
                    Some(hit) if hit.side == Side::Front => "hit: the line enters within the range of t",
                    _ => "hit: the line leaves within the range of t",
                });
            }
        }
    }
}
