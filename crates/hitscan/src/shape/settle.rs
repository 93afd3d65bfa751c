//! What is in doubt, settled: every question in the wider arithmetics. That is much code, and rare to be run: it is
//! written for shapes in `f64`, to which those in `f32` are brought, and compiled in this crate once.

use super::candidate::Candidate;
use super::climb::{Question, climb, surely};
use super::kernel::{Kernel, Meet};
use super::resolve::{Found, Limits, first, hit, second, starts_inside};
use super::{
    Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace, OrientedBox, Plane, Sphere,
    Triangle, Triangle2, Wall,
};
use crate::explain::Recorder;
use crate::math::{Dd, Exact, Line, Precision, Probe, Raw, Vector, W, Watch, Wide};
use crate::{Hit, Query, Span};
use core::any::Any;
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// A number in two parts: see [`Wide::parts`].
type Parts = (f64, f64);

/// The two questions that are asked most are answered by themselves in the first arithmetic, and by [`Full`] when that
/// is in doubt.
pub(super) struct Nearest<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for Nearest<'_, K> {
    type Answer = Option<Candidate<W<K::Vector>>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let meet = self.0.meet(line, probe)?;
        let found = first::<K, T, _, P>(&meet, &Limits::new(line, self.1), self.1, probe)?;
        Some(Candidate::new(&found))
    }
}

pub(super) struct First<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for First<'_, K> {
    type Answer = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let meet = self.0.meet(line, probe)?;
        let found = first::<K, T, _, P>(&meet, &Limits::new(line, self.1), self.1, probe)?;
        Some(hit(self.0, line, &meet.state, &found))
    }
}

/// Everything that a line can be told about one shape.
struct Full<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);
pub(super) struct FullAnswer<V: Vector> {
    /// Each with its unrounded `t`.
    pub(super) hits: SmallVec<[(Parts, Hit<V>); 2]>,
    /// The first one is where the range begins, inside the solid.
    pub(super) at_start: bool,
    pub(super) stretch: Option<(Parts, Span<V>)>,
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
        let finish = |found: Found<T>| (found.t().parts(), hit(shape, line, &meet.state, &found));
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
            answer.stretch = Some((t.parts(), Span { enter: enter.map(|at| finish(at).1), exit }));
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

/// A shape in `f64`, asked for numbers of one precision or the other. A flat one answers in space too, with z = 0.
pub(super) trait Settled {
    /// Everything, whatever arithmetic it takes; nothing for what is not a ray.
    fn full(&self, raw: &Raw, query: &Query<f64>, precision: Precision, recorder: &mut Recorder) -> FullAnswer<DVec3>;
    /// The first hit, to all digits, where `f64` was certain of every decision.
    fn first_surely(&self, raw: &Raw, query: &Query<f64>) -> Option<Hit<DVec3>>;
    /// The same in the making.
    fn nearest_surely(&self, raw: &Raw, query: &Query<f64>) -> Option<Candidate<Dd>>;
    /// The exact `t` of every hit.
    fn exact_every(&self, line: &Line<Exact>, query: &Query<f64>, out: &mut dyn FnMut(Exact));
    /// Whether the closed solid holds the point.
    fn holds(&self, point: [f64; 3], precision: Precision) -> bool;
}

impl<K: Kernel<Vector: Vector<Scalar = f64>>> Settled for K {
    fn full(&self, raw: &Raw, query: &Query<f64>, precision: Precision, recorder: &mut Recorder) -> FullAnswer<DVec3> {
        if !raw.is_valid() {
            return FullAnswer { hits: SmallVec::new(), at_start: false, stretch: None };
        }
        let FullAnswer { hits, at_start, stretch } = climb(&Full(self, query), raw, precision, recorder);
        let span =
            |Span { enter, exit }: Span<_>| Span { enter: enter.map(Hit::convert), exit: exit.map(Hit::convert) };
        FullAnswer {
            hits: hits.into_iter().map(|(t, hit)| (t, hit.convert())).collect(),
            at_start,
            stretch: stretch.map(|(t, stretch)| (t, span(stretch))),
        }
    }
    fn first_surely(&self, raw: &Raw, query: &Query<f64>) -> Option<Hit<DVec3>> {
        surely(&First(self, query), raw).map(Hit::convert)
    }
    fn nearest_surely(&self, raw: &Raw, query: &Query<f64>) -> Option<Candidate<Dd>> {
        surely(&Nearest(self, query), raw)
    }
    fn exact_every(&self, line: &Line<Exact>, query: &Query<f64>, out: &mut dyn FnMut(Exact)) {
        let (mut quiet, limits) = (Watch::default(), Limits::new(line, query));
        let Some(meet) = self.meet(line, &mut quiet) else { return };
        let one = first::<K, _, _, _>(&meet, &limits, query, &mut quiet);
        let two = one.and_then(|one| second::<K, _, _, _>(&meet, &limits, &one, &mut quiet));
        [one, two].into_iter().flatten().for_each(|found| out(found.t()));
    }
    fn holds(&self, point: [f64; 3], precision: Precision) -> bool {
        climb(&Holds(self), &Raw::point(point), precision, &mut Recorder::default())
    }
}

/// Finds the code for a shape, which only this crate compiles: by its name here.
fn settled(shape: &dyn Any) -> &dyn Settled {
    macro_rules! one_of {
        ($($kernel:ty),+ $(,)?) => {
            $(if let Some(shape) = shape.downcast_ref::<$kernel>() {
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
        Wall<DVec2>,
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
pub(super) fn settle<K: Kernel, R>(shape: &K, ask: impl FnOnce(&dyn Settled) -> R) -> R {
    let itself: &dyn Any = shape;
    if itself.is::<K::Double>() { ask(settled(itself)) } else { ask(settled(&shape.double())) }
}
