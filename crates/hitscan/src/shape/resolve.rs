//! From where a line meets a shape to the answer of a query: one place, the same rules for every shape.

use super::kernel::{Crossing, Kernel, Meet};
use crate::math::{Line, Real, Vector, W, Wide, Wide3};
use crate::{Aabb, Explanation, Faces, Hit, Origin, Probe, Query, Side, Span};

/// The range of `t` of a query on a line, in working arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<T> {
    pub(crate) min: T,
    pub(crate) max: T,
}

impl<T: Wide> Limits<T> {
    #[inline(always)]
    pub(crate) fn new<S: Real>(line: &Line<T>, query: &Query<S>) -> Self {
        // `max(a, b)` of a NaN and a number is the number: written so that a NaN in the query stays and hits nothing.
        let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
        let min = if min < line.t_min { line.t_min } else { min };
        let max = if max > line.t_max { line.t_max } else { max };
        Self { min: T::from_f64(min), max: T::from_f64(max) }
    }
    #[inline(always)]
    pub(crate) fn hold(&self, t: T) -> bool {
        self.min <= t && t <= self.max
    }
}

/// A hit in the making: what is needed to compare it with others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<T> {
    /// The range starts inside a solid.
    Inside(T),
    /// The line goes in, or crosses a surface.
    Enter(Crossing<T>),
    /// The line comes out.
    Exit(Crossing<T>),
}

impl<T: Wide> Found<T> {
    #[inline(always)]
    pub(crate) fn t(&self) -> T {
        match self {
            Self::Inside(t) => *t,
            Self::Enter(at) | Self::Exit(at) => at.t,
        }
    }
}

/// The first hit of a shape in the making, with its unrounded `t`.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<T> {
    pub(crate) t: T,
    pub(crate) primitive: u32,
}

impl<T: Wide> Candidate<T> {
    /// Nearer, or as near with a lower number: whatever the order in which parts are visited, the same one wins.
    #[inline(always)]
    pub(crate) fn beats(&self, other: &Self) -> bool {
        self.t < other.t || (self.t == other.t && self.primitive < other.primitive)
    }
    /// An upper bound of `t` in `f64`: what lies beyond cannot win.
    #[inline(always)]
    pub(crate) fn limit(&self) -> f64 {
        let t = self.t.to_f64();
        t + t.abs() * f64::EPSILON + f64::MIN_POSITIVE
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

/// The first hit of a meeting, within the limits.
#[inline(always)]
fn first<V: Vector, K: Kernel<Vector = V>, S>(
    meet: &Meet<W<V>, S>,
    limits: &Limits<W<V>>,
    query: &Query<V::Scalar>,
) -> Option<Found<W<V>>> {
    let Meet { enter, exit, .. } = meet;
    if !K::SOLID {
        let front = enter.root < W::<V>::ZERO;
        let seen = match query.faces_mode() {
            Faces::Both => true,
            Faces::Front => front,
            Faces::Back => !front,
        };
        return (seen && limits.hold(enter.t)).then_some(Found::Enter(*enter));
    }
    let full = query.origin_mode() == Origin::Solid;
    if full && starts_inside(meet, limits) {
        Some(Found::Inside(limits.min))
    } else if limits.hold(enter.t) && enter.t.to_f64() > f64::NEG_INFINITY {
        Some(Found::Enter(*enter))
    } else if limits.hold(exit.t) && exit.t.to_f64() < f64::INFINITY {
        Some(Found::Exit(*exit))
    } else {
        None
    }
}

/// The hit after the first one: only a solid has it, where the line leaves.
#[inline(always)]
fn second<V: Vector, K: Kernel<Vector = V>, S>(
    meet: &Meet<W<V>, S>,
    limits: &Limits<W<V>>,
    first: &Found<W<V>>,
) -> Option<Found<W<V>>> {
    let exit = meet.exit;
    let later = K::SOLID && exit.t > first.t() && exit.t <= limits.max && exit.t.to_f64() < f64::INFINITY;
    later.then_some(Found::Exit(exit))
}

#[inline(always)]
fn starts_inside<T: Wide, S>(meet: &Meet<T, S>, limits: &Limits<T>) -> bool {
    meet.enter.t <= limits.min
        && limits.min <= meet.exit.t
        && limits.min <= limits.max
        && limits.min.to_f64() > f64::NEG_INFINITY
}

/// The full hit: rounded once, from working arithmetic.
#[inline(always)]
fn hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &Line<W<V>>,
    state: &K::State<W<V>>,
    found: &Found<W<V>>,
) -> Hit<V> {
    let t = found.t();
    let (normal, side, uv) = match found {
        Found::Inside(_) => (None, Side::Back, None),
        Found::Enter(at) | Found::Exit(at) => {
            let side = match found {
                Found::Enter(_) if K::SOLID || at.root < W::<V>::ZERO => Side::Front,
                _ => Side::Back,
            };
            (shape.normal(state, at).unit(), side, shape.uv(state, at))
        }
    };
    build_hit(line, t, normal, side, uv)
}

/// A hit from its parts; without a normal of its own it gets the one against the ray.
#[inline(always)]
pub(crate) fn build_hit<V: Vector>(
    line: &Line<W<V>>,
    t: W<V>,
    normal: Option<Wide3<W<V>>>,
    side: Side,
    uv: Option<[W<V>; 2]>,
) -> Hit<V> {
    let d = line.direction;
    let normal = normal.or_else(|| (-d).unit()).unwrap_or(d);
    Hit {
        t: V::Scalar::narrow(t),
        distance: V::Scalar::narrow(t * length(d)),
        point: V::narrow(line.at(t)),
        normal: V::narrow(normal),
        side,
        uv: uv.map(|uv| uv.map(V::Scalar::narrow)),
        primitive: None,
        shape: None,
        instance: None,
    }
}

/// A length that neither overflows nor underflows on the way.
#[inline(always)]
fn length<T: Wide>(d: Wide3<T>) -> T {
    d.unit().map_or(T::ZERO, |u| d.dot(u))
}

impl<V: Vector, K: Kernel<Vector = V>> Queries<V> for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn bounding_box(&self) -> Aabb<V> {
        self.bounds()
    }
    fn contains_point(&self, point: V) -> bool {
        self.holds::<W<V>>(point.widen())
    }
    #[inline]
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _limit: f64) -> Option<Candidate<W<V>>> {
        if !line.is_valid() {
            return None;
        }
        let meet = self.meet(line, &mut ())?;
        Some(Candidate { t: first::<V, K, _>(&meet, &Limits::new(line, query), query)?.t(), primitive: 0 })
    }
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Hit<V>> {
        self.first(line, query)
    }
    #[inline]
    fn first(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        if !line.is_valid() {
            return None;
        }
        let meet = self.meet(line, &mut ())?;
        let found = first::<V, K, _>(&meet, &Limits::new(line, query), query)?;
        Some(hit(self, line, &meet.state, &found))
    }
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        let limits = Limits::new(line, query);
        let Some(meet) = line.is_valid().then(|| self.meet(line, &mut ())).flatten() else { return };
        let Some(one) = first::<V, K, _>(&meet, &limits, query) else { return };
        out(one.t(), hit(self, line, &meet.state, &one));
        if let Some(two) = second::<V, K, _>(&meet, &limits, &one) {
            out(two.t(), hit(self, line, &meet.state, &two));
        }
    }
    fn count(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> usize {
        let limits = Limits::new(line, query);
        let Some(meet) = line.is_valid().then(|| self.meet(line, &mut ())).flatten() else { return 0 };
        let Some(one) = first::<V, K, _>(&meet, &limits, query) else { return 0 };
        1 + usize::from(second::<V, K, _>(&meet, &limits, &one).is_some())
    }
    fn stretches(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
        if !K::SOLID || !line.is_valid() {
            return;
        }
        let limits = Limits::new(line, query);
        let Some(meet) = self.meet(line, &mut ()) else { return };
        let enter = if starts_inside(&meet, &limits) {
            Found::Inside(limits.min)
        } else if limits.hold(meet.enter.t) && meet.enter.t.to_f64() > f64::NEG_INFINITY {
            Found::Enter(meet.enter)
        } else {
            return;
        };
        let leaves = meet.exit.t <= limits.max && meet.exit.t.to_f64() < f64::INFINITY;
        let exit = leaves.then(|| hit(self, line, &meet.state, &Found::Exit(meet.exit)));
        out(enter.t(), Span { enter: hit(self, line, &meet.state, &enter), exit });
    }
    fn narrate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        if !line.is_valid() {
            explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
            return;
        }
        let limits = Limits::new(line, query);
        explanation.number("t_min", limits.min.to_f64());
        explanation.number("t_max", limits.max.to_f64());
        let Some(meet) = self.meet(line, explanation) else { return };
        if K::SOLID {
            explanation.number("t where the line enters", meet.enter.t.to_f64());
            explanation.number("t where it leaves", meet.exit.t.to_f64());
        } else {
            explanation.number("t where the line crosses", meet.enter.t.to_f64());
        }
        explanation.verdict(match first::<V, K, _>(&meet, &limits, query) {
            Some(Found::Inside(_)) => "hit: the range of t starts inside the solid",
            Some(Found::Enter(_)) if K::SOLID => "hit: the line enters within the range of t",
            Some(Found::Enter(_)) => "hit: the line crosses within the range of t",
            Some(Found::Exit(_)) => "hit: the line leaves within the range of t",
            None if meet.exit.t < limits.min => "no hit: the shape lies behind the range of t",
            None if meet.enter.t > limits.max => "no hit: the shape lies beyond the range of t",
            None if !K::SOLID => "no hit: this side of the surface is not asked for",
            None => "no hit: the boundary is not reached within the range of t",
        });
    }
}
