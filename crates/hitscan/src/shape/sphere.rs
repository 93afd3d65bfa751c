//! The sphere, and in the plane the circle.

use super::error::{ShapeError, finite, positive};
use super::newton::{Refined, Start};
use super::{Crossing, Kernel, Meet, bounds_around};
use crate::Aabb;
use crate::math::{Frame, Line, Probe, Quadratic, Real, Vector, Wide, Wide3};

/// The solid ball around `center`; in the plane, the disc.
#[doc(alias("ball", "circle"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere<V: Vector> {
    center: V,
    radius: V::Scalar,
}

/// The circle is the sphere of the plane.
pub type Circle<V> = Sphere<V>;

impl<V: Vector> Sphere<V> {
    /// # Errors
    /// `center` not finite; `radius` not finite or not greater than 0.
    pub fn new(center: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        finite("center", center)?;
        positive("radius", radius)?;
        Ok(Self { center, radius })
    }
    /// The centre.
    pub fn center(&self) -> V {
        self.center
    }
    /// The radius.
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
}

/// Where a line meets a ball around the reference point, whose moment about the centre is `m`.
pub(super) struct Chord<T> {
    pub(super) enter: Crossing<T>,
    pub(super) exit: Crossing<T>,
    pub(super) state: BallState<T>,
}

pub struct BallState<T> {
    /// `d x m`: the foot of the perpendicular from the centre, times `d . d`.
    foot: Wide3<T>,
    d: Wide3<T>,
}

impl<T: Wide> BallState<T> {
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn new(d: Wide3<T>, m: Wide3<T>) -> Self {
        Self { foot: d.cross(m), d }
    }
    /// From the centre to the crossing, times `d . d`: no difference of nearby points.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn normal(&self, root: T) -> Wide3<T> {
        self.foot + self.d * root
    }
}

/// # Method
/// With the moment `m = o x d` about the centre, the line passes at `|m| / |d|`, so half the chord, squared and times
/// `(d . d)^2`, is `r^2 (d . d) - m . m`. Its root and `b = -o . d`, `c = o . o - r^2` give both ends of the chord; the
/// normals are `d x m -+ d root`.
///
/// # Source
/// The moment form replaces moving the origin near the sphere (Haines, Guenther, Akenine-Moeller, *Precision
/// Improvements for Ray/Sphere Intersection*, Ray Tracing Gems, chapter 7, 2019).
///
/// # Accuracy
/// In twice the digits of the inputs: `conformance.rs`, families grazing, far and surface.
///
/// # Edges
/// Tangent: `root = 0`, one point. The half chord of a NaN compares as a miss.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn ball<T: Wide, P: Probe>(
    o: Wide3<T>,
    d: Wide3<T>,
    m: Wide3<T>,
    r: T,
    face: u32,
    frame: &Frame<T>,
    probe: &mut P,
) -> Option<Chord<T>> {
    let a = d.length_sq();
    let half_chord_sq = r * r * a - m.length_sq();
    let m_reach = o.cross_reach(d);
    let b = -o.dot(d);
    probe.number("a: projection of the centre on the ray, in t", || frame.t(b / a).to_f64());
    probe.number("distance of the line from the centre / radius", || (m.length_sq() / a).sqrt().to_f64() / r.to_f64());
    probe.number("f^2: (half chord / radius)^2", || (half_chord_sq / (a * r * r)).to_f64());
    let chord_reach = r * r * a + m.square_reach(m_reach);
    probe.sign(half_chord_sq, chord_reach);
    if half_chord_sq.rules_out() {
        probe.verdict("miss: f^2 < 0, the line passes the centre at more than the radius");
        return None;
    }
    let root = half_chord_sq.sqrt();
    // The normal, of length r a, is d x m -+ d root: what a far origin leaves of the digits of either.
    probe.value(r * r * a, m_reach.length_sq() * T::from_f64(T::value_doubt()));
    probe.value(root * r * d.largest(), chord_reach);
    let reach = [a, o.dot_reach(d), o.length_sq() + r * r];
    let (low, high) =
        Quadratic { a, b, c: o.dot_plus(o, -(r * r)), root, reach, root_sq_reach: chord_reach }.roots(probe);
    Some(Chord {
        enter: Crossing::new(frame.t(low), face, -root),
        exit: Crossing::new(frame.t(high), face, root),
        state: BallState::new(d, m),
    })
}

/// `|v|^2 <= limit`.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn within<T: Wide, P: Probe>(v: Wide3<T>, limit: T, probe: &mut P) -> bool {
    let excess = v.dot_plus(v, -limit);
    probe.sign(excess, v.length_sq() + limit);
    excess <= T::ZERO
}

impl<V: Vector> Kernel for Sphere<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "circle" } else { "sphere" };
    const SOLID: bool = true;
    const ABREAST: bool = true;
    type State<T: Wide> = BallState<T>;
    type Double = Sphere<V::Double>;

    fn double(&self) -> Self::Double {
        Sphere { center: self.center.double(), radius: self.radius.to_f64() }
    }

    /// See [`ball`]: # Method, # Source, # Accuracy and # Edges are there.
    #[inline(always)]
    fn meet<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Option<Meet<T, BallState<T>>> {
        let frame = line.local(self.center.widen(), self.radius.to_f64());
        let r = frame.length(T::from_f64(self.radius.to_f64()));
        frame.vouch([], [r], probe);
        let Chord { enter, exit, state } = ball(frame.o, frame.d, frame.moment(), r, 0, &frame, probe)?;
        Some(Meet::solid(enter, exit, state))
    }
    #[inline(always)]
    fn refine<const FUSED: bool>(&self, start: &Start<FUSED>) -> Option<Refined<FUSED>> {
        start.on_ball(self.center.widen(), self.radius.to_f64())
    }
    #[inline(always)]
    fn normal<T: Wide>(&self, state: &BallState<T>, at: &Crossing<T>) -> Wide3<T> {
        state.normal(at.root)
    }
    fn holds<T: Wide, P: Probe>(&self, point: Wide3<T>, probe: &mut P) -> bool {
        let frame = Frame::around(point, self.center.widen(), self.radius.to_f64());
        let r = frame.length(T::from_f64(self.radius.to_f64()));
        frame.vouch([], [r], probe);
        within(frame.o, r * r, probe)
    }
    fn bounds(&self) -> Aabb<V> {
        bounds_around(self.center, V::splat(self.radius).widen())
    }
}
