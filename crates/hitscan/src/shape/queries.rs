//! Every query on a line in working arithmetic, and how a kernel answers it.

use super::climb::{Question, ask_first, climb, surely_none};
use super::kernel::{Kernel, Meet};
use super::resolve::{Found, Limits, first, hit, second, starts_inside};
use crate::explain::Recorder;
use crate::math::{Line, Probe, ROUNDING, Vector, W, Wide};
use crate::{Aabb, Cast, Explanation, Hit, Query, Ray, Span};
use smallvec::SmallVec;

/// The first hit of a shape in the making, with its unrounded `t`.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<T> {
    pub(crate) t: T,
    pub(crate) primitive: u32,
}

impl<T: Wide> Candidate<T> {
    /// Nearer, or as near with a lower number: whatever the order in which parts are visited, the same one wins.
    #[inline]
    pub(crate) fn beats(&self, other: &Self) -> bool {
        self.t < other.t || (self.t == other.t && self.primitive < other.primitive)
    }
    /// An upper bound of `t` in `f64`, whatever digits it may have lost to cancellation (`Wide::VALUE_DOUBT` leaves a
    /// 64th of itself at least): what lies beyond cannot win.
    #[inline]
    pub(crate) fn limit(&self) -> f64 {
        let t = self.t.to_f64();
        t + t.abs() * (T::VALUE_DOUBT / 64.0 + 2.0 * ROUNDING) + f64::MIN_POSITIVE
    }
}

/// Every query, on a line in working arithmetic. Implemented once for all kernels, and by what is made of many.
pub trait Queries<V: Vector> {
    #[doc(hidden)]
    fn name(&self) -> &'static str;
    #[doc(hidden)]
    fn bounding_box(&self) -> Aabb<V>;
    #[doc(hidden)]
    fn contains_point(&self, point: V) -> bool;
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
struct Nearest<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for Nearest<'_, K> {
    type Answer = Option<Candidate<W<K::Vector>>>;
    #[inline]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let meet = self.0.meet(line, probe)?;
        let found = first::<K, T, _, P>(&meet, &Limits::new(line, self.1), self.1, probe)?;
        Some(Candidate { t: Wide::from_parts(found.t().parts()), primitive: 0 })
    }
}

struct First<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for First<'_, K> {
    type Answer = Option<Hit<K::Vector>>;
    #[inline]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let meet = self.0.meet(line, probe)?;
        let found = first::<K, T, _, P>(&meet, &Limits::new(line, self.1), self.1, probe)?;
        Some(hit(self.0, line, &meet.state, &found))
    }
}

/// Everything that a line can be told about one shape.
struct Full<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);
struct FullAnswer<V: Vector> {
    /// Each with its unrounded `t`.
    hits: SmallVec<[(W<V>, Hit<V>); 2]>,
    stretch: Option<(W<V>, Span<V>)>,
}

impl<K: Kernel> Question for Full<'_, K> {
    type Answer = FullAnswer<K::Vector>;
    // One frame at a time: those of exact numbers are large.
    #[inline(never)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let Self(shape, query) = *self;
        let mut answer = FullAnswer { hits: SmallVec::new(), stretch: None };
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
            probe.number("t where it leaves", meet.exit.t.to_f64());
        }
        probe.verdict(verdict::<K, T, _>(one.as_ref(), &meet, &limits));
        let two = one.and_then(|one| second::<K, T, _, P>(&meet, &limits, &one, probe));
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
        let endless = limits.min.to_f64() == f64::NEG_INFINITY && meet.enter.t <= limits.min && limits.min < limits.max;
        if enter.is_some() || endless {
            let exit = limits.hold(meet.exit.t, probe).then(|| finish(Found::Exit(meet.exit)).1);
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
        None if meet.exit.t < limits.min => "no hit: the shape lies behind the range of t",
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

/// The full answer, whatever arithmetic it takes; none for what is not a ray. Its first hit is that of `cast_ray`, bit
/// for bit: where the first arithmetic is sure of that one, it stands, though the others may have asked for more.
fn full<V: Vector, K: Kernel<Vector = V>>(shape: &K, line: &Line<W<V>>, query: &Query<V::Scalar>) -> FullAnswer<V> {
    if !line.is_valid() {
        return FullAnswer { hits: SmallVec::new(), stretch: None };
    }
    let mut answer = climb::<V::Scalar, _>(&Full(shape, query), line, &mut Recorder::default());
    if let (Some(Some(first)), Some(hit)) = (ask_first(&First(shape, query), line), answer.hits.first_mut()) {
        for enter in answer.stretch.iter_mut().filter_map(|(_, span)| span.enter.as_mut()) {
            if *enter == hit.1 {
                *enter = first;
            }
        }
        hit.1 = first;
    }
    answer
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
        if !line.is_valid() || surely_none::<V::Scalar, _, _>(&Nearest(self, query), line) {
            return None;
        }
        ask_first(&Nearest(self, query), line)
            .unwrap_or_else(|| full(self, line, query).hits.first().map(|&(t, _)| Candidate { t, primitive: 0 }))
    }
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Hit<V>> {
        self.first(line, query)
    }
    #[inline]
    fn first(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        if !line.is_valid() || surely_none::<V::Scalar, _, _>(&Nearest(self, query), line) {
            return None;
        }
        ask_first(&First(self, query), line)
            .unwrap_or_else(|| full(self, line, query).hits.first().map(|&(_, hit)| hit))
    }
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        full(self, line, query).hits.into_iter().for_each(|(t, hit)| out(t, hit));
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
