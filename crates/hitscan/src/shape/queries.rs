//! Every query on a line in working arithmetic, and how a kernel answers it.

use super::candidate::Candidate;
use super::climb::{Question, answer, climb};
use super::kernel::{Kernel, Meet};
use super::resolve::{Found, Limits, first, hit, second, starts_inside};
use crate::explain::Recorder;
use crate::math::{Exact, Line, Probe, Raw, Vector, W, Watch, Wide};
use crate::{Aabb, Cast, Explanation, Hit, Query, Ray, Span};
use smallvec::SmallVec;

/// Every query, on a line in working arithmetic. Implemented once for all kernels, and by what is made of many.
pub trait Queries<V: Vector> {
    #[doc(hidden)]
    fn name(&self) -> &'static str;
    #[doc(hidden)]
    fn bounding_box(&self) -> Aabb<V>;
    #[doc(hidden)]
    fn contains_point(&self, point: V) -> bool;
    /// [`first`](Self::first), of a line as it was given.
    #[doc(hidden)]
    #[inline]
    fn cast(&self, cast: &impl Cast<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.first(&cast.line(), query)
    }
    /// [`any`](Self::any), of a line as it was given.
    #[doc(hidden)]
    #[inline]
    fn meets(&self, cast: &impl Cast<V>, query: &Query<V::Scalar>) -> bool {
        self.any(&cast.line(), query)
    }
    /// The first hit in the making: what decides which of two shapes is nearer. What lies beyond `limit` need not be
    /// found.
    #[doc(hidden)]
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>>;
    /// The full hit of a candidate of the same line and query.
    #[doc(hidden)]
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, found: &Candidate<W<V>>) -> Option<Hit<V>>;
    #[doc(hidden)]
    fn first(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.finish(line, query, &self.candidate(line, query, f64::INFINITY)?)
    }
    #[doc(hidden)]
    fn any(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> bool {
        self.candidate(line, query, f64::INFINITY).is_some()
    }
    /// Hits by rising `t`, each with its unrounded `t`.
    #[doc(hidden)]
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>));
    /// The exact `t` of a candidate, to tell it from another one that is all but as near.
    #[doc(hidden)]
    fn exact_first(&self, line: &Line<Exact>, query: &Query<V::Scalar>, found: &Candidate<W<V>>) -> Option<Exact>;
    /// The exact `t` of every hit, in the order of [`every`](Self::every).
    #[doc(hidden)]
    fn exact_every(&self, line: &Line<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact));
    #[doc(hidden)]
    fn count(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> usize;
    /// Spans by rising `t`, each with its unrounded entry.
    #[doc(hidden)]
    fn stretches(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>));
    #[doc(hidden)]
    fn narrate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation);
}

/// The two questions that are asked most are answered by themselves in the first arithmetic, and by [`Full`] when that
/// is in doubt.
struct Nearest<'a, K: Kernel>(&'a K, Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for Nearest<'_, K> {
    type Answer = Option<Candidate<W<K::Vector>>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let meet = self.0.meet(line, probe)?;
        let found = first::<K, T, _, P>(&meet, &Limits::new(line, &self.1), &self.1, probe)?;
        Some(Candidate::new(&found))
    }
}

struct First<'a, K: Kernel>(&'a K, Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for First<'_, K> {
    type Answer = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let meet = self.0.meet(line, probe)?;
        let found = first::<K, T, _, P>(&meet, &Limits::new(line, &self.1), &self.1, probe)?;
        Some(hit(self.0, line, &meet.state, &found))
    }
}

/// Everything that a line can be told about one shape.
struct Full<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);
struct FullAnswer<V: Vector> {
    /// Each with its unrounded `t`.
    hits: SmallVec<[(W<V>, Hit<V>); 2]>,
    /// The first one is where the range begins, inside the solid.
    at_start: bool,
    stretch: Option<(W<V>, Span<V>)>,
}

impl<K: Kernel> Question for Full<'_, K> {
    type Answer = FullAnswer<K::Vector>;
    // One frame at a time: those of exact numbers are large.
    #[inline(never)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let Self(shape, query) = *self;
        let mut answer = FullAnswer { hits: SmallVec::new(), at_start: false, stretch: None };
        let limits = Limits::new(line, query);
        probe.number("t_min", limits.min.to_f64());
        probe.number("t_max", limits.max.to_f64());
        let Some(meet) = shape.meet(line, probe) else { return answer };
        let finish = |found: Found<T>| (Wide::from_parts(found.t().parts()), hit(shape, line, &meet.state, &found));
        let one = first::<K, T, _, P>(&meet, &limits, query, probe);
        probe.number(
            if K::SOLID { "t where the line enters" } else { "t where the line crosses" },
            meet.enter.t.to_f64(),
        );
        if K::SOLID {
            probe.number("t where it leaves", meet.exit().t.to_f64());
        }
        probe.verdict(verdict::<K, T, _>(one.as_ref(), &meet, &limits));
        let two = one.and_then(|one| second::<K, T, _, P>(&meet, &limits, &one, probe));
        answer.at_start = matches!(one, Some(Found::Inside(_)));
        answer.hits.extend([one, two].into_iter().flatten().map(finish));
        if !K::SOLID {
            return answer;
        }
        let enter = if starts_inside(&meet, &limits, probe) {
            Some(Found::Inside(limits.min))
        } else {
            limits.hold(meet.enter.t, probe).then_some(Found::Enter(meet.enter))
        };
        // Without an entry there may still be a stretch: one without beginning, of a line without beginning.
        let endless = limits.min.to_f64() == f64::NEG_INFINITY
            && meet.enter.t <= limits.min
            && limits.min < limits.max
            && meet.exit().t >= -limits.largest;
        if enter.is_some() || endless {
            let exit = meet.exit();
            let exit = limits.hold(exit.t, probe).then(|| finish(Found::Exit(exit)).1);
            let t = enter.map_or(limits.min, |at| at.t());
            answer.stretch = Some((Wide::from_parts(t.parts()), Span { enter: enter.map(|at| finish(at).1), exit }));
        }
        answer
    }
}

fn verdict<K: Kernel, T: Wide, S>(found: Option<&Found<T>>, meet: &Meet<T, S>, limits: &Limits<T>) -> &'static str {
    match found {
        Some(Found::Inside(_)) => "hit: the range of t starts inside the solid",
        Some(Found::Enter(_)) if K::SOLID => "hit: the line enters within the range of t",
        Some(Found::Enter(_)) => "hit: the line crosses within the range of t",
        Some(Found::Exit(_)) => "hit: the line leaves within the range of t",
        None if meet.exit().t < limits.min => "no hit: the shape lies behind the range of t",
        None if meet.enter.t > limits.max => "no hit: the shape lies beyond the range of t",
        None if !K::SOLID => "no hit: this side of the surface is not asked for",
        None => "no hit: the boundary is not reached within the range of t",
    }
}

struct Holds<'a, K: Kernel>(&'a K);
impl<K: Kernel> Question for Holds<'_, K> {
    type Answer = bool;
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> bool {
        self.0.holds(line.origin, probe)
    }
}

/// The full answer, whatever arithmetic it takes; none for what is not a ray.
#[inline(never)]
fn weighed<V: Vector, K: Kernel<Vector = V>>(shape: &K, raw: Raw, query: Query<V::Scalar>) -> FullAnswer<V> {
    let line = raw.line();
    if !line.is_valid() {
        return FullAnswer { hits: SmallVec::new(), at_start: false, stretch: None };
    }
    climb::<V::Scalar, _>(&Full(shape, &query), &line, &mut Recorder::default())
}

/// The same, with the first hit of `cast_ray`, bit for bit: that may have been answered in less arithmetic than all
/// together.
fn full<V: Vector, K: Kernel<Vector = V>>(shape: &K, line: &Line<W<V>>, query: &Query<V::Scalar>) -> FullAnswer<V> {
    let mut full = weighed(shape, line.raw, *query);
    if let (Some(first), Some(hit)) = (first_hit(shape, || line.raw, query), full.hits.first_mut()) {
        for enter in full.stretch.iter_mut().filter_map(|(_, span)| span.enter.as_mut()) {
            if *enter == hit.1 {
                *enter = first;
            }
        }
        hit.1 = first;
    }
    full
}

#[inline(always)]
fn first_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> Raw,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    answer::<V::Scalar, _, _>(First(shape, *query), raw, |First(shape, query), raw| {
        weighed(shape, raw, query).hits.first().map(|&(_, hit)| hit)
    })
}

#[inline(always)]
fn nearest<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> Raw,
    query: &Query<V::Scalar>,
) -> Option<Candidate<W<V>>> {
    answer::<V::Scalar, _, _>(Nearest(shape, *query), raw, |Nearest(shape, query), raw| {
        let full = weighed(shape, raw, query);
        full.hits.first().map(|&(t, _)| Candidate { t, primitive: 0, at_start: full.at_start })
    })
}

impl<V: Vector, K: Kernel<Vector = V>> Queries<V> for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn bounding_box(&self) -> Aabb<V> {
        self.bounds()
    }
    fn contains_point(&self, point: V) -> bool {
        climb::<V::Scalar, _>(&Holds(self), &Ray::new(point, V::default()).line(), &mut Recorder::default())
    }
    #[inline]
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _limit: f64) -> Option<Candidate<W<V>>> {
        nearest(self, || line.raw, query)
    }
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Hit<V>> {
        self.first(line, query)
    }
    #[inline]
    fn first(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        first_hit(self, || line.raw, query)
    }
    #[inline]
    fn cast(&self, cast: &impl Cast<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        first_hit(self, || cast.raw(), query)
    }
    #[inline]
    fn meets(&self, cast: &impl Cast<V>, query: &Query<V::Scalar>) -> bool {
        nearest(self, || cast.raw(), query).is_some()
    }
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        full(self, line, query).hits.into_iter().for_each(|(t, hit)| out(t, hit));
    }
    fn exact_first(&self, line: &Line<Exact>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Exact> {
        let mut first = None;
        self.exact_every(line, query, &mut |t| first = first.or(Some(t)));
        first
    }
    fn exact_every(&self, line: &Line<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        let (mut quiet, limits) = (Watch::default(), Limits::new(line, query));
        let Some(meet) = self.meet(line, &mut quiet) else { return };
        let one = first::<K, _, _, _>(&meet, &limits, query, &mut quiet);
        let two = one.and_then(|one| second::<K, _, _, _>(&meet, &limits, &one, &mut quiet));
        [one, two].into_iter().flatten().for_each(|found| out(found.t()));
    }
    fn count(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> usize {
        full(self, line, query).hits.len()
    }
    fn stretches(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
        full(self, line, query).stretch.into_iter().for_each(|(t, span)| out(t, span));
    }
    fn narrate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        if !line.is_valid() {
            explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
            return;
        }
        let mut recorder = Recorder::writing();
        climb::<V::Scalar, _>(&Full(self, query), line, &mut recorder);
        explanation.append(recorder);
    }
}
