//! Query rules, the same for every shape: turn the intersection of a line and a shape into hits within the range of
//! `t`.

use crate::hit::{Hit, Side};
use crate::kernel::crossing::{Crossing, Intersection, ShapeClass};
use crate::kernel::hit_builder::hit_at;
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::working_ray::WorkingRay;
use crate::query::{Faces, Inside, Query};

/// Range of `t` of a query on a ray, in working arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TRange<T> {
    pub(crate) min: T,
    /// At most the largest finite number.
    pub(crate) max: T,
    /// Largest `abs(t)` of a hit.
    pub(crate) largest: T,
    /// Smallest `t` of a hit: `min`, or the smallest finite number if `min` is below it.
    lowest: T,
}

impl<T: Arithmetic> TRange<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new<S: Real>(line: &WorkingRay<T>, query: &Query<S>) -> Self {
        shared!(T, {
            // Not `f64::max`, which drops a NaN: a NaN in the query stays a NaN, and hits nothing.
            let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
            let at_least = |x: f64, least: f64| if x < least { least } else { x };
            let min = at_least(min, line.raw.t_min);
            let max = if max > line.raw.t_max { line.raw.t_max } else { max };
            let largest = line.raw.largest;
            let lowest = T::from_f64(at_least(min, -largest));
            Self { min: T::from_f64(min), max: T::from_f64(max), largest: T::from_f64(largest), lowest }
        })
    }
    /// Ends of the range: `min`, `max` and the smallest `t` of a hit.
    #[inline(always)]
    pub(crate) fn ends(&self) -> [T; 3] {
        [self.min, self.max, self.lowest]
    }
    /// Range with these ends, which may differ from lane to lane.
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[inline(always)]
    pub(crate) fn with_ends([min, max, lowest]: [T; 3], largest: f64) -> Self {
        Self { min, max, largest: T::from_f64(largest), lowest }
    }
    /// Whether a finite `t` is within the range.
    #[inline(always)]
    pub(crate) fn contains<P: Observer>(&self, t: T, observer: &mut P) -> bool {
        self.check_filter(t, observer);
        self.lowest.le(t) && t.le(self.max)
    }
    /// Whether `t` is within the range by so much that the filter needs no test. This holds for most hits; used with
    /// norm-wise bounds only.
    #[inline(always)]
    fn certainly_contains(&self, t: T) -> bool {
        // A relative error of `t` is at most twice as large relative to the limit.
        let slack = |limit: T| limit.abs() * T::from_f64(2.0 * T::value_threshold());
        T::NORMWISE_BOUNDS && !T::VALUES_ONLY && (self.min + slack(self.min)).lt(t) && t.lt(self.max - slack(self.max))
    }
    /// Whether the range has a first number and is not empty.
    #[inline(always)]
    fn has_first_t(&self) -> bool {
        self.min.le(self.max) && self.min.gt(T::from_f64(f64::NEG_INFINITY))
    }
    /// Filter test for the comparison of a parameter with the ends of the range, which are exact inputs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_filter<P: Observer>(&self, t: T, observer: &mut P) {
        if P::UNFILTERED {
            return;
        }
        // Both ends in one test. Infinite differences compare correctly. The value threshold, not the sign threshold: `t` may have lost
        // the digits that a value may lose.
        let gap = (t - self.min).abs().min((t - self.max).abs());
        if !gap.is_at_least(T::value_threshold(), t.abs()) {
            observer.set_uncertain();
        }
    }
}

/// Boundary hit: a hit before its point and normal are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoundaryHit<T> {
    /// The range starts inside a solid.
    Inside(T),
    /// The line enters a solid, or crosses a surface.
    Enter(Crossing<T>),
    /// The line leaves a solid.
    Exit(Crossing<T>),
}

impl<T: Arithmetic> BoundaryHit<T> {
    /// The same hit, rounded to `f64`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn rounded(self) -> BoundaryHit<f64> {
        let round = |at: Crossing<T>| Crossing::new(at.t.to_f64(), at.face, at.sign.to_f64());
        match self {
            Self::Inside(t) => BoundaryHit::Inside(t.to_f64()),
            Self::Enter(at) => BoundaryHit::Enter(round(at)),
            Self::Exit(at) => BoundaryHit::Exit(round(at)),
        }
    }
    /// The face of a crossing.
    pub(crate) fn face(&self) -> u32 {
        match self {
            Self::Inside(_) => 0,
            Self::Enter(at) | Self::Exit(at) => at.face,
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn t(&self) -> T {
        match self {
            Self::Inside(t) => *t,
            Self::Enter(at) | Self::Exit(at) => at.t,
        }
    }
}

/// Exit crossing of a line and a shape. If rounding has swapped two nearly equal crossings, the exit gets the `t` of
/// the entry.
#[inline(always)]
pub(crate) fn exit<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    meet: &Intersection<T, K::State<T>>,
    observer: &mut P,
) -> Crossing<T> {
    let (enter, exit) = (&meet.enter, shape.exit(meet, observer));
    if exit.t.lt(enter.t) { Crossing { t: enter.t, local: enter.local, ..exit } } else { exit }
}

/// What the entry of a line says of its first boundary hit.
enum ByEntry<T> {
    Decided(Option<BoundaryHit<T>>),
    /// The exit decides. Whether the entry is ahead of the range of a solid.
    Open(bool),
}

/// The first boundary hit within the range, as far as the entry decides it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_entry<T: Arithmetic, S: Real, P: Observer>(
    enter: &Crossing<T>,
    body: ShapeClass,
    limits: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> ByEntry<T> {
    // Without a filter flag, a parameter beyond the range of this arithmetic is a NaN, and the ray misses.
    if P::UNFILTERED && enter.t.to_f64().is_nan() {
        return ByEntry::Decided(None);
    }
    let seen = match (body, query.faces_mode()) {
        (ShapeClass::Solid, _) | (_, Faces::Both) => true,
        (_, Faces::Front) => enter.sign.lt(T::ZERO),
        (_, Faces::Back) => !enter.sign.lt(T::ZERO),
    };
    let found = Some(BoundaryHit::Enter(*enter));
    if seen && limits.certainly_contains(enter.t) {
        return ByEntry::Decided(found);
    }
    if body == ShapeClass::Surface {
        let is_hit = seen && limits.contains(enter.t, observer);
        return ByEntry::Decided(if is_hit { found } else { None });
    }
    limits.check_filter(enter.t, observer);
    let solid = query.inside_mode() == Inside::Solid;
    let ahead = if solid { limits.min.lt(enter.t) } else { limits.min.le(enter.t) };
    if ahead && limits.lowest.le(enter.t) {
        // If the entry lies beyond the range, so does the exit.
        return ByEntry::Decided(if enter.t.le(limits.max) { found } else { None });
    }
    ByEntry::Open(ahead)
}

/// The first boundary hit within the range, where the entry leaves it open.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_exit<T: Arithmetic, S: Real, P: Observer>(
    exit: Crossing<T>,
    ahead: bool,
    limits: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    let is_in_range = limits.contains(exit.t, observer);
    if query.inside_mode() == Inside::Solid && !ahead && limits.min.le(exit.t) && limits.has_first_t() {
        return Some(BoundaryHit::Inside(limits.min));
    }
    if is_in_range { Some(BoundaryHit::Exit(exit)) } else { None }
}

/// First boundary hit within the range. Calls `exit` only if the result depends on it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn first<T: Arithmetic, S: Real, P: Observer>(
    enter: &Crossing<T>,
    exit: impl FnOnce(&mut P) -> Crossing<T>,
    body: ShapeClass,
    limits: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    match by_entry(enter, body, limits, query, observer) {
        ByEntry::Decided(found) => found,
        ByEntry::Open(ahead) => by_exit(exit(observer), ahead, limits, query, observer),
    }
}

/// First boundary hit of an intersection.
#[inline(always)]
pub(crate) fn first_of<K: Kernel, T: Arithmetic, S: Real, P: Observer>(
    shape: &K,
    meet: &Intersection<T, K::State<T>>,
    limits: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    if !T::PACKET {
        return first(&meet.enter, |observer: &mut P| exit(shape, meet, observer), K::CLASS, limits, query, observer);
    }
    // Without the closure, which over registers may compile to a call; elsewhere the call saves code.
    match by_entry(&meet.enter, K::CLASS, limits, query, observer) {
        ByEntry::Decided(found) => found,
        ByEntry::Open(ahead) => by_exit(exit(shape, meet, observer), ahead, limits, query, observer),
    }
}

/// Boundary hit after the first one: the exit from a solid.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn second<T: Arithmetic, P: Observer>(
    exit: &Crossing<T>,
    body: ShapeClass,
    limits: &TRange<T>,
    first: &BoundaryHit<T>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    shared!(T, {
        // An exit that is the first hit is not compared with itself: the two are as close as can be.
        let is_first = matches!(first, BoundaryHit::Exit(_));
        if body == ShapeClass::Surface || is_first || !limits.contains(exit.t, observer) {
            return None;
        }
        // Value thresholds, not sign thresholds: each may have lost the digits that a value may lose.
        observer.value(first.t() - exit.t, first.t().abs() + exit.t.abs());
        (exit.t.gt(first.t())).then_some(BoundaryHit::Exit(*exit))
    })
}

/// Span of the line inside a solid, within the range.
pub(crate) struct TSpan<T> {
    /// Start of the span.
    pub(crate) t: T,
    pub(crate) enter: Option<BoundaryHit<T>>,
    pub(crate) exit: Option<BoundaryHit<T>>,
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn t_span<T: Arithmetic, P: Observer>(
    [enter, exit]: [&Crossing<T>; 2],
    body: ShapeClass,
    limits: &TRange<T>,
    observer: &mut P,
) -> Option<TSpan<T>> {
    shared!(T, {
        if body == ShapeClass::Surface {
            return None;
        }
        let [goes_in, comes_out] = [enter, exit].map(|at| limits.contains(at.t, observer));
        let inside = enter.t.le(limits.min) && limits.min.le(exit.t) && limits.has_first_t();
        // A span has no entry if the range has no first number, or if the span starts before the first finite
        // `t`.
        let endless = limits.min.to_f64() == f64::NEG_INFINITY
            && enter.t.le(limits.lowest)
            && limits.min.lt(limits.max)
            && exit.t.ge(limits.lowest);
        let found =
            if inside { Some(BoundaryHit::Inside(limits.min)) } else { goes_in.then_some(BoundaryHit::Enter(*enter)) };
        if found.is_none() && !endless {
            return None;
        }
        let t = found.map_or(limits.min, |at| at.t());
        Some(TSpan { t, enter: found, exit: comes_out.then_some(BoundaryHit::Exit(*exit)) })
    })
}

/// Completes a boundary hit: point, normal and surface coordinates, rounded once from working arithmetic.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn hit<K: Kernel, T: Arithmetic>(
    shape: &K,
    line: &WorkingRay<T>,
    state: &K::State<T>,
    found: &BoundaryHit<T>,
) -> Hit<K::Vector> {
    let (normal, uv) = match found {
        BoundaryHit::Inside(_) => (None, None),
        BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => (Some(shape.normal(state, at)), shape.uv(state, at)),
    };
    let (point, distance) = line.at(found.t());
    hit_at(line, (found.t(), point, distance), normal, side::<K, T>(found), uv)
}

/// Side of the boundary that the line crosses.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn side<K: Kernel, T: Arithmetic>(found: &BoundaryHit<T>) -> Side {
    match found {
        BoundaryHit::Enter(at) if K::SOLID || at.sign.lt(T::ZERO) => Side::Front,
        _ => Side::Back,
    }
}
