//! From where a line meets a shape to the hits of a query: one place, the same rules for every shape.

use crate::hit::{Hit, Side};
use crate::kernel::crossing::{Crossing, Intersection, ShapeClass};
use crate::kernel::hit_builder::hit_at;
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::working_ray::WorkingRay;
use crate::query::{Faces, Inside, Query};

/// The range of `t` of a query on a line, in working arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TRange<T> {
    pub(crate) min: T,
    /// Not above the largest finite number.
    pub(crate) max: T,
    /// No hit lies beyond it, on either side.
    pub(crate) largest: T,
    /// The least `t` that a hit may have: `min`, unless that lies before the first finite number.
    lowest: T,
}

impl<T: Arithmetic> TRange<T> {
    #[inline(always)]
    pub(crate) fn new<S: Real>(line: &WorkingRay<T>, query: &Query<S>) -> Self {
        // `max(a, b)` of a NaN and a number is the number: written so that a NaN in the query stays and hits nothing.
        let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
        let at_least = |x: f64, least: f64| if x < least { least } else { x };
        let min = at_least(min, line.raw.t_min);
        let max = if max > line.raw.t_max { line.raw.t_max } else { max };
        let largest = line.raw.largest;
        let lowest = T::from_f64(at_least(min, -largest));
        Self { min: T::from_f64(min), max: T::from_f64(max), largest: T::from_f64(largest), lowest }
    }
    /// Whether a finite `t` is within the range.
    #[inline(always)]
    pub(crate) fn hold<P: Observer>(&self, t: T, observer: &mut P) -> bool {
        self.weigh(t, observer);
        self.lowest <= t && t <= self.max
    }
    /// Whether `t` is so far within the range that nothing has to be weighed: most are. Asked where bounds are coarse.
    #[inline(always)]
    fn certainly_contains(&self, t: T) -> bool {
        // What is off by a share of itself is off by no more than twice that share of what it is compared with.
        let slack = |limit: T| limit.abs() * T::from_f64(2.0 * T::value_threshold());
        T::NORMWISE_BOUNDS && !T::VALUES_ONLY && self.min + slack(self.min) < t && t < self.max - slack(self.max)
    }
    /// Whether there is any number between the two ends, the first of which is one.
    #[inline(always)]
    fn have_a_beginning(&self) -> bool {
        self.min <= self.max && self.min > T::from_f64(f64::NEG_INFINITY)
    }
    /// A decision hangs on whether a parameter is larger than a limit, which is a number that was given.
    #[inline(always)]
    fn weigh<P: Observer>(&self, t: T, observer: &mut P) {
        if P::SURE {
            return;
        }
        if T::NORMWISE_BOUNDS {
            // Both at once. Differences that are infinite compare as they should.
            let gap = (t - self.min).abs().min((t - self.max).abs());
            if !gap.is_at_least(T::value_threshold(), t.abs()) {
                observer.doubt();
            }
            return;
        }
        // What is infinite is certain, and so is a parameter that is zero: it would not be if it were rounded.
        let infinite = |x: T| x.to_f64().abs() == f64::INFINITY;
        for limit in [self.min, self.max] {
            // A value, not a sign: it may have lost as many digits as a value is allowed to.
            let certain = infinite(t) || infinite(limit) || (t - limit).is_at_least(T::value_threshold(), t.abs());
            if !certain {
                observer.doubt();
            }
        }
    }
}

/// A hit in the making: what is needed to compare it with others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoundaryHit<T> {
    /// The range starts inside a solid.
    Inside(T),
    /// The line goes in, or crosses a surface.
    Enter(Crossing<T>),
    /// The line comes out.
    Exit(Crossing<T>),
}

impl<T: Arithmetic> BoundaryHit<T> {
    /// Each number in `f64`.
    #[inline(always)]
    pub(crate) fn rounded(self) -> BoundaryHit<f64> {
        let round = |at: Crossing<T>| Crossing::new(at.t.to_f64(), at.face, at.sign.to_f64());
        match self {
            Self::Inside(t) => BoundaryHit::Inside(t.to_f64()),
            Self::Enter(at) => BoundaryHit::Enter(round(at)),
            Self::Exit(at) => BoundaryHit::Exit(round(at)),
        }
    }
    #[inline(always)]
    pub(crate) fn t(&self) -> T {
        match self {
            Self::Inside(t) => *t,
            Self::Enter(at) | Self::Exit(at) => at.t,
        }
    }
}

/// Where a line that meets a shape leaves it. Rounding may swap two crossings that all but coincide: they then do.
#[inline(always)]
pub(crate) fn exit<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    meet: &Intersection<T, K::State<T>>,
    observer: &mut P,
) -> Crossing<T> {
    let (enter, exit) = (&meet.enter, shape.leave(meet, observer));
    if exit.t < enter.t { Crossing { t: enter.t, local: enter.local, ..exit } } else { exit }
}

/// The first hit of a line that enters a shape, within the limits. Where it leaves is asked only if that matters.
#[inline(always)]
pub(crate) fn first<T: Arithmetic, S: Real, P: Observer>(
    enter: &Crossing<T>,
    exit: impl FnOnce(&mut P) -> Crossing<T>,
    body: ShapeClass,
    limits: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    // Where doubts are not heard, a parameter beyond what this arithmetic can tell is no number, and nothing is found.
    if P::SURE && enter.t.to_f64().is_nan() {
        return None;
    }
    let seen = match (body, query.faces_mode()) {
        (ShapeClass::Solid, _) | (_, Faces::Both) => true,
        (_, Faces::Front) => enter.sign < T::ZERO,
        (_, Faces::Back) => !(enter.sign < T::ZERO),
    };
    if seen && limits.certainly_contains(enter.t) {
        return Some(BoundaryHit::Enter(*enter));
    }
    if body == ShapeClass::Surface {
        return (seen && limits.hold(enter.t, observer)).then_some(BoundaryHit::Enter(*enter));
    }
    limits.weigh(enter.t, observer);
    let solid = query.inside_mode() == Inside::Solid;
    let ahead = if solid { limits.min < enter.t } else { limits.min <= enter.t };
    if ahead && limits.lowest <= enter.t {
        // Beyond the range, where it leaves is too.
        return (enter.t <= limits.max).then_some(BoundaryHit::Enter(*enter));
    }
    let exit = exit(observer);
    let hold = limits.hold(exit.t, observer);
    if solid && !ahead && limits.min <= exit.t && limits.have_a_beginning() {
        Some(BoundaryHit::Inside(limits.min))
    } else {
        hold.then_some(BoundaryHit::Exit(exit))
    }
}

/// The first hit of a line that meets the shape.
#[inline(always)]
pub(crate) fn first_of<K: Kernel, T: Arithmetic, S: Real, P: Observer>(
    shape: &K,
    meet: &Intersection<T, K::State<T>>,
    limits: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    first(&meet.enter, |observer: &mut P| exit(shape, meet, observer), K::CLASS, limits, query, observer)
}

/// The hit after the first one: only a solid has it, where the line leaves.
#[inline(always)]
pub(crate) fn second<T: Arithmetic, P: Observer>(
    exit: &Crossing<T>,
    body: ShapeClass,
    limits: &TRange<T>,
    first: &BoundaryHit<T>,
    observer: &mut P,
) -> Option<BoundaryHit<T>> {
    if body == ShapeClass::Surface || !limits.hold(exit.t, observer) {
        return None;
    }
    // Values, not signs: each may have lost as many digits as a value is allowed to.
    observer.value(first.t() - exit.t, first.t().abs() + exit.t.abs());
    (exit.t > first.t()).then_some(BoundaryHit::Exit(*exit))
}

/// The stretch of the line inside a solid, within the limits.
pub(crate) struct TSpan<T> {
    /// Where it begins.
    pub(crate) t: T,
    pub(crate) enter: Option<BoundaryHit<T>>,
    pub(crate) exit: Option<BoundaryHit<T>>,
}

#[inline(always)]
pub(crate) fn stretch<T: Arithmetic, P: Observer>(
    [enter, exit]: [&Crossing<T>; 2],
    body: ShapeClass,
    limits: &TRange<T>,
    observer: &mut P,
) -> Option<TSpan<T>> {
    if body == ShapeClass::Surface {
        return None;
    }
    let [goes_in, comes_out] = [enter, exit].map(|at| limits.hold(at.t, observer));
    let inside = enter.t <= limits.min && limits.min <= exit.t && limits.have_a_beginning();
    // Without an entry there may still be a stretch: of a line without beginning one without beginning, or one that begins
    // before the first number that `t` can be.
    let endless = limits.min.to_f64() == f64::NEG_INFINITY
        && enter.t <= limits.lowest
        && limits.min < limits.max
        && exit.t >= limits.lowest;
    let found =
        if inside { Some(BoundaryHit::Inside(limits.min)) } else { goes_in.then_some(BoundaryHit::Enter(*enter)) };
    if found.is_none() && !endless {
        return None;
    }
    let t = found.map_or(limits.min, |at| at.t());
    Some(TSpan { t, enter: found, exit: comes_out.then_some(BoundaryHit::Exit(*exit)) })
}

/// The full hit: rounded once, from working arithmetic.
#[inline(always)]
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

/// The side of the boundary that is met.
#[inline(always)]
pub(crate) fn side<K: Kernel, T: Arithmetic>(found: &BoundaryHit<T>) -> Side {
    match found {
        BoundaryHit::Enter(at) if K::SOLID || at.sign < T::ZERO => Side::Front,
        _ => Side::Back,
    }
}
