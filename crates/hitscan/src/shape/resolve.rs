//! From where a line meets a shape to the hits of a query: one place, the same rules for every shape.

use super::kernel::{Body, Crossing, Ends, Kernel};
use crate::math::{Line, Probe, Real, Vector, Wide, Wide3};
use crate::{Faces, Hit, Origin, Query, Side};

/// The range of `t` of a query on a line, in working arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<T> {
    pub(crate) min: T,
    pub(crate) max: T,
    /// No hit lies beyond it, on either side.
    pub(crate) largest: T,
}

impl<T: Wide> Limits<T> {
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn new<S: Real>(line: &Line<T>, query: &Query<S>) -> Self {
        // `max(a, b)` of a NaN and a number is the number: written so that a NaN in the query stays and hits nothing.
        let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
        let min = if min < line.raw.t_min { line.raw.t_min } else { min };
        let max = if max > line.raw.t_max { line.raw.t_max } else { max };
        Self { min: T::from_f64(min), max: T::from_f64(max), largest: T::from_f64(line.raw.largest) }
    }
    /// Whether a finite `t` is within the range.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn hold<P: Probe>(&self, t: T, probe: &mut P) -> bool {
        weigh_limit(t, self.min, probe);
        weigh_limit(t, self.max, probe);
        self.min <= t && t <= self.max && t.abs() <= self.largest
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
    /// Each number in `f64`.
    #[inline(always)]
    pub(crate) fn rounded(self) -> Found<f64> {
        let round = |at: Crossing<T>| Crossing::new(at.t.to_f64(), at.face, at.root.to_f64());
        match self {
            Self::Inside(t) => Found::Inside(t.to_f64()),
            Self::Enter(at) => Found::Enter(round(at)),
            Self::Exit(at) => Found::Exit(round(at)),
        }
    }
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn t(&self) -> T {
        match self {
            Self::Inside(t) => *t,
            Self::Enter(at) | Self::Exit(at) => at.t,
        }
    }
}

/// The first hit of a meeting, within the limits.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn first<T: Wide, S: Real, P: Probe>(
    ends: &Ends<T>,
    body: Body,
    limits: &Limits<T>,
    query: &Query<S>,
    probe: &mut P,
) -> Option<Found<T>> {
    let enter = &ends.enter;
    // Where doubts are not heard, a parameter beyond what this arithmetic can tell is no number, and nothing is found.
    if P::SURE && enter.t.to_f64().is_nan() {
        return None;
    }
    if body == Body::Surface {
        let seen = match query.faces_mode() {
            Faces::Both => true,
            Faces::Front => enter.root < T::ZERO,
            Faces::Back => !(enter.root < T::ZERO),
        };
        return (seen && limits.hold(enter.t, probe)).then_some(Found::Enter(*enter));
    }
    if query.origin_mode() == Origin::Solid && starts_inside(ends, limits, probe) {
        Some(Found::Inside(limits.min))
    } else if limits.hold(enter.t, probe) {
        Some(Found::Enter(*enter))
    } else {
        let exit = ends.exit();
        limits.hold(exit.t, probe).then_some(Found::Exit(exit))
    }
}

/// The hit after the first one: only a solid has it, where the line leaves.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn second<T: Wide, P: Probe>(
    ends: &Ends<T>,
    body: Body,
    limits: &Limits<T>,
    first: &Found<T>,
    probe: &mut P,
) -> Option<Found<T>> {
    let exit = ends.exit();
    if body == Body::Surface || !limits.hold(exit.t, probe) {
        return None;
    }
    // Values, not signs: each may have lost as many digits as a value is allowed to.
    probe.value(first.t() - exit.t, first.t().abs() + exit.t.abs());
    (exit.t > first.t()).then_some(Found::Exit(exit))
}

/// The stretch of the line inside a solid, within the limits.
pub(super) struct Stretch<T> {
    /// Where it begins.
    pub(super) t: T,
    pub(super) enter: Option<Found<T>>,
    pub(super) exit: Option<Found<T>>,
}

#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn stretch<T: Wide, P: Probe>(
    ends: &Ends<T>,
    body: Body,
    limits: &Limits<T>,
    probe: &mut P,
) -> Option<Stretch<T>> {
    if body == Body::Surface {
        return None;
    }
    let enter = if starts_inside(ends, limits, probe) {
        Some(Found::Inside(limits.min))
    } else {
        limits.hold(ends.enter.t, probe).then_some(Found::Enter(ends.enter))
    };
    // Without an entry there may still be a stretch: of a line without beginning one without beginning, or one that begins
    // before the first number that `t` can be.
    let endless = limits.min.to_f64() == f64::NEG_INFINITY
        && ends.enter.t <= -limits.largest
        && limits.min < limits.max
        && ends.exit().t >= -limits.largest;
    if enter.is_none() && !endless {
        return None;
    }
    let exit = ends.exit();
    let exit = limits.hold(exit.t, probe).then_some(Found::Exit(exit));
    Some(Stretch { t: enter.map_or(limits.min, |at| at.t()), enter, exit })
}

/// A decision hangs on whether a parameter is larger than a limit, which is a number that was given. What is infinite is
/// certain, and so is a parameter that is zero: it would not be if it were rounded.
#[cfg_attr(not(feature = "small"), inline(always))]
fn weigh_limit<T: Wide, P: Probe>(t: T, limit: T, probe: &mut P) {
    let infinite = |x: T| x.to_f64().abs() == f64::INFINITY;
    // In plain `f64` an infinite difference compares as it should.
    if P::SURE || (!T::COARSE && (infinite(t) || infinite(limit))) {
        return;
    }
    // A value, not a sign: it may have lost as many digits as a value is allowed to.
    if !(t - limit).is_at_least(T::value_doubt(), t.abs()) {
        probe.doubt();
    }
}

#[cfg_attr(not(feature = "small"), inline(always))]
fn starts_inside<T: Wide, P: Probe>(ends: &Ends<T>, limits: &Limits<T>, probe: &mut P) -> bool {
    weigh_limit(ends.enter.t, limits.min, probe);
    if !(ends.enter.t <= limits.min) {
        return false;
    }
    let exit = ends.exit().t;
    weigh_limit(exit, limits.min, probe);
    limits.min <= exit && limits.min <= limits.max && limits.min > T::from_f64(f64::NEG_INFINITY)
}

/// The full hit: rounded once, from working arithmetic.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn hit<K: Kernel, T: Wide>(
    shape: &K,
    line: &Line<T>,
    state: &K::State<T>,
    found: &Found<T>,
) -> Hit<K::Vector> {
    let (normal, uv) = match found {
        Found::Inside(_) => (None, None),
        Found::Enter(at) | Found::Exit(at) => (Some(shape.normal(state, at)), shape.uv(state, at)),
    };
    build_hit(line, found.t(), normal, side::<K, T>(found), uv)
}

/// The side of the boundary that is met.
#[inline(always)]
pub(super) fn side<K: Kernel, T: Wide>(found: &Found<T>) -> Side {
    match found {
        Found::Enter(at) if K::SOLID || at.root < T::ZERO => Side::Front,
        _ => Side::Back,
    }
}

/// A hit from its parts; without a normal of its own it gets the one against the ray.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(crate) fn build_hit<V: Vector, T: Wide>(
    line: &Line<T>,
    t: T,
    normal: Option<Wide3<T>>,
    side: Side,
    uv: Option<[T; 2]>,
) -> Hit<V> {
    let (point, distance) = line.at(t);
    hit_at(line, (t, point, distance), normal, side, uv)
}

/// The same, where the point and the distance are known.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn hit_at<V: Vector, T: Wide>(
    line: &Line<T>,
    (t, point, distance): (T, Wide3<T>, T),
    normal: Option<Wide3<T>>,
    side: Side,
    uv: Option<[T; 2]>,
) -> Hit<V> {
    let d = line.direction;
    let narrow = |x: T| V::Scalar::from_f64(x.to_f64());
    // A direction that was found in wide arithmetic is brought to length 1 in `f64`: see `unit`.
    let normal = normal.and_then(Wide3::direction).or_else(|| (-d).direction()).unwrap_or_default();
    Hit {
        t: narrow(t),
        distance: narrow(distance),
        point: V::narrow(point),
        normal: V::narrow::<f64>(normal),
        side,
        uv: uv.map(|uv| uv.map(narrow)),
        primitive: None,
        shape: None,
        instance: None,
    }
}
