//! What is in doubt, settled: every question in the wider arithmetics. That is much code, and rare to be run: it is
//! written for shapes in `f64`, to which those in `f32` are brought, and compiled in this crate once.

use super::candidate::Candidate;
use super::climb::{Question, climb};
use super::kernel::{Body, Crossing, Kernel, Meet};
#[cfg(feature = "small")]
use super::refine::Locate;
use super::refine::{refined, refined_t};
use super::resolve::{Found, Limits, Stretch, exit, first, first_of, hit, second, stretch};
use super::{
    Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace, OrientedBox, Plane,
    SegmentShape, Sphere, Triangle, Triangle2,
};
use crate::explain::Recorder;
use crate::math::{Dd, Exact, InputRay, Precision, Probe, Real, Vector, W, Watch, Wide, WorkingRay};
#[cfg(feature = "small")]
use crate::math::{Dynamic, Level, Quick, at_level};
use crate::{Hit, Query, Span};
use core::any::{Any, TypeId};
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// A number in two parts: see [`Wide::parts`].
pub(super) type Parts = (f64, f64);

// The questions that are asked most are answered by themselves in the first arithmetic, and by [`Full`] when that is in doubt.

/// The first hit in the making.
pub(super) struct Nearest<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for Nearest<'_, K> {
    type Answer = Option<Candidate<W<K::Vector>>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> Self::Answer {
        let meet = meeting(self.0, line, probe)?;
        Some(Candidate::new(&first_of(self.0, &meet, &Limits::new(line, self.1), self.1, probe)?))
    }
}

/// The first hit.
pub(super) struct First<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
impl<K: Kernel> Question for First<'_, K> {
    type Answer = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> Self::Answer {
        let meet = meeting(self.0, line, probe)?;
        let found = first_of(self.0, &meet, &Limits::new(line, self.1), self.1, probe)?;
        Some(hit(self.0, line, &meet.state, &found))
    }
}

/// Everything that a line can be told about one shape.
pub(super) struct Full<'a, K: Kernel>(pub(super) &'a K, pub(super) &'a Query<<K::Vector as Vector>::Scalar>);
pub(super) struct FullAnswer<V: Vector> {
    /// Each with its unrounded `t`.
    pub(super) hits: SmallVec<[(Parts, Hit<V>); 2]>,
    /// The first one is where the range begins, inside the solid.
    pub(super) at_start: bool,
    pub(super) stretch: Option<(Parts, Span<V>)>,
}

impl<V: Vector> FullAnswer<V> {
    #[inline(never)]
    fn in_space(self) -> FullAnswer<DVec3> {
        let span =
            |Span { enter, exit }: Span<_>| Span { enter: enter.map(Hit::convert), exit: exit.map(Hit::convert) };
        FullAnswer {
            hits: self.hits.into_iter().map(|(t, hit)| (t, hit.convert())).collect(),
            at_start: self.at_start,
            stretch: self.stretch.map(|(t, stretch)| (t, span(stretch))),
        }
    }
}

impl<K: Kernel> Question for Full<'_, K> {
    type Answer = FullAnswer<K::Vector>;
    // One frame at a time: those of exact numbers are large.
    #[inline(never)]
    fn ask<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> Self::Answer {
        let Self(shape, query) = *self;
        let mut answer = FullAnswer { hits: SmallVec::new(), at_start: false, stretch: None };
        let limits = Limits::new(line, query);
        probe.number("t_min", || limits.min.to_f64());
        probe.number("t_max", || limits.max.to_f64());
        let Some(meet) = meeting(shape, line, probe) else { return answer };
        let exit = exit(shape, &meet, probe);
        let Outcome { one, two, stretch } = outcome([&meet.enter, &exit], K::BODY, &limits, query, probe);
        answer.at_start = matches!(one, Some(Found::Inside(_)));
        let [enter, exit] = stretch.as_ref().map_or([None, None], |stretch| [stretch.enter, stretch.exit]);
        let finish = |found: Found<T>| (found.t().parts(), hit(shape, line, &meet.state, &found));
        let [one, two, enter, exit] = [one, two, enter, exit].map(|found| found.map(finish));
        answer.hits.extend([one, two].into_iter().flatten());
        let hit = |found: Option<(Parts, Hit<_>)>| found.map(|(_, hit)| hit);
        answer.stretch = stretch.map(|stretch| (stretch.t.parts(), Span { enter: hit(enter), exit: hit(exit) }));
        answer
    }
}

/// What becomes of a meeting within a range.
struct Outcome<T> {
    one: Option<Found<T>>,
    two: Option<Found<T>>,
    stretch: Option<Stretch<T>>,
}

#[cfg_attr(not(feature = "small"), inline(always))]
fn outcome<T: Wide, S: Real, P: Probe>(
    [enter, exit]: [&Crossing<T>; 2],
    body: Body,
    limits: &Limits<T>,
    query: &Query<S>,
    probe: &mut P,
) -> Outcome<T> {
    let one = first(enter, |_| *exit, body, limits, query, probe);
    match body {
        Body::Solid => {
            probe.number("t where the line enters", || enter.t.to_f64());
            probe.number("t where it leaves", || exit.t.to_f64());
        }
        Body::Surface => probe.number("t where the line crosses", || enter.t.to_f64()),
    }
    probe.verdict(verdict(one.as_ref(), [enter, exit], body, limits));
    let two = one.and_then(|one| second(exit, body, limits, &one, probe));
    Outcome { one, two, stretch: stretch([enter, exit], body, limits, probe) }
}

fn verdict<T: Wide>(
    found: Option<&Found<T>>,
    [enter, exit]: [&Crossing<T>; 2],
    body: Body,
    limits: &Limits<T>,
) -> &'static str {
    match (found, body) {
        (Some(Found::Inside(_)), _) => "hit: the range of t starts inside the solid",
        (Some(Found::Enter(_)), Body::Solid) => "hit: the line enters within the range of t",
        (Some(Found::Enter(_)), Body::Surface) => "hit: the line crosses within the range of t",
        (Some(Found::Exit(_)), _) => "hit: the line leaves within the range of t",
        (None, _) if exit.t < limits.min => "no hit: the shape lies behind the range of t",
        (None, _) if enter.t > limits.max => "no hit: the shape lies beyond the range of t",
        (None, Body::Surface) => "no hit: this side of the surface is not asked for",
        (None, Body::Solid) => "no hit: the boundary is not reached within the range of t",
    }
}

/// Where the line meets the shape: one body of code for all who ask, where it has to be small.
#[cfg_attr(not(feature = "small"), inline(always))]
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn meeting<K: Kernel, T: Wide, P: Probe>(
    shape: &K,
    line: &WorkingRay<T>,
    probe: &mut P,
) -> Option<Meet<T, K::State<T>>> {
    shape.meet(line, probe)
}

struct Holds<'a, K: Kernel>(&'a K);
impl<K: Kernel> Question for Holds<'_, K> {
    type Answer = bool;
    fn ask<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> bool {
        self.0.holds(line.origin, probe)
    }
}

/// A shape in `f64`, asked for numbers of one precision or the other. A flat one answers in space too, with z = 0.
pub(super) trait Settled {
    /// Everything, whatever arithmetic it takes; nothing for what is not a ray.
    fn full(
        &self,
        raw: &InputRay,
        query: &Query<f64>,
        precision: Precision,
        recorder: &mut Recorder,
    ) -> FullAnswer<DVec3>;
    /// The first hit, to all digits, where `f64` was certain of every decision and has found it.
    fn first_surely(&self, raw: &InputRay, query: &Query<f64>, found: &Found<f64>) -> Option<Hit<DVec3>>;
    /// The same in the making.
    fn nearest_surely(&self, raw: &InputRay, query: &Query<f64>, found: &Found<f64>) -> Option<Candidate<Dd>>;
    /// Where the first hit is, in the first arithmetic, and whether that is in doubt.
    #[cfg(feature = "small")]
    fn locate(&self, raw: &InputRay, query: &Query<f64>) -> (Option<Found<f64>>, bool);
    /// The first hit in the first arithmetic, and whether it is in doubt.
    #[cfg(feature = "small")]
    fn quick_first(&self, raw: &InputRay, query: &Query<f64>) -> (Option<Hit<DVec3>>, bool);
    #[cfg(feature = "small")]
    fn quick_nearest(&self, raw: &InputRay, query: &Query<f64>) -> (Option<Candidate<Dd>>, bool);
    /// The exact `t` of every hit.
    fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<f64>, out: &mut dyn FnMut(Exact));
    /// Whether the closed solid holds the point.
    fn holds(&self, point: [f64; 3], precision: Precision) -> bool;
}

/// The `t` of every hit.
fn every_t<K: Kernel, T: Wide, P: Probe>(
    shape: &K,
    line: &WorkingRay<T>,
    query: &Query<<K::Vector as Vector>::Scalar>,
    probe: &mut P,
    out: impl FnMut(T),
) {
    let limits = Limits::new(line, query);
    let Some(meet) = meeting(shape, line, probe) else { return };
    let exit = exit(shape, &meet, probe);
    let one = first(&meet.enter, |_| exit, K::BODY, &limits, query, probe);
    let two = one.and_then(|one| second(&exit, K::BODY, &limits, &one, probe));
    [one, two].into_iter().flatten().map(|found| found.t()).for_each(out);
}

impl<K: Kernel<Vector: Vector<Scalar = f64>>> Settled for K {
    fn full(
        &self,
        raw: &InputRay,
        query: &Query<f64>,
        precision: Precision,
        recorder: &mut Recorder,
    ) -> FullAnswer<DVec3> {
        if !raw.is_valid() {
            return FullAnswer { hits: SmallVec::new(), at_start: false, stretch: None };
        }
        climb(&Full(self, query), raw, precision, recorder).in_space()
    }
    fn first_surely(&self, raw: &InputRay, query: &Query<f64>, found: &Found<f64>) -> Option<Hit<DVec3>> {
        refined(self, raw, query, found).map(Hit::convert)
    }
    fn nearest_surely(&self, raw: &InputRay, query: &Query<f64>, found: &Found<f64>) -> Option<Candidate<Dd>> {
        let at_start = matches!(found, Found::Inside(_));
        let t = Dd::from_parts(refined_t(self, raw, query, found)?);
        Some(Candidate { t, primitive: 0, at_start })
    }
    #[cfg(feature = "small")]
    fn locate(&self, raw: &InputRay, query: &Query<f64>) -> (Option<Found<f64>>, bool) {
        let mut watch = Watch::default();
        let found = Locate(self, query).ask(&raw.line::<Quick>(), &mut watch);
        (found, watch.doubtful)
    }
    #[cfg(feature = "small")]
    fn quick_first(&self, raw: &InputRay, query: &Query<f64>) -> (Option<Hit<DVec3>>, bool) {
        let mut watch = Watch::default();
        let hit = First(self, query).ask(&raw.line::<Quick>(), &mut watch);
        (hit.map(Hit::convert), watch.doubtful)
    }
    #[cfg(feature = "small")]
    fn quick_nearest(&self, raw: &InputRay, query: &Query<f64>) -> (Option<Candidate<Dd>>, bool) {
        let mut watch = Watch::default();
        let found = Nearest(self, query).ask(&raw.line::<Quick>(), &mut watch);
        (found.map(Candidate::convert), watch.doubtful)
    }
    #[cfg(not(feature = "small"))]
    fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<f64>, out: &mut dyn FnMut(Exact)) {
        every_t(self, line, query, &mut Watch::default(), out);
    }
    #[cfg(feature = "small")]
    fn exact_every(&self, line: &WorkingRay<Exact>, query: &Query<f64>, out: &mut dyn FnMut(Exact)) {
        at_level(Level::Exact, || {
            let line = line.map(Dynamic::from_exact);
            every_t(self, &line, query, &mut Recorder::default(), |t| out(t.to_exact()));
        });
    }
    fn holds(&self, point: [f64; 3], precision: Precision) -> bool {
        climb(&Holds(self), &InputRay::point(point), precision, &mut Recorder::default())
    }
}

/// Finds the code for a shape, which only this crate compiles: by its name here.
fn settled(shape: &dyn Any) -> &dyn Settled {
    // Asked once: the question is a call.
    let kind = shape.type_id();
    macro_rules! one_of {
        ($($kernel:ty),+ $(,)?) => {
            $(if kind == TypeId::of::<$kernel>() && let Some(shape) = shape.downcast_ref::<$kernel>() {
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
        SegmentShape<DVec2>,
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
