//! The sphere, and in the plane the circle.

use super::error::{ShapeError, finite, positive};
use super::newton::{Refined, Start};
use super::{Crossing, Kernel, Meet, Normal, bounds_around};
use crate::Aabb;
use crate::math::{Frame, Probe, Quadratic, Real, Vector, Wide, Wide3, WorkingRay};

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

/// Where a line meets a ball around the reference point.
#[derive(Clone, Copy)]
pub struct Chord<T> {
    frame: Frame<T>,
    r: T,
    face: u32,
    roots: Quadratic<T>,
}

impl<T: Wide> Chord<T> {
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn enter(&self) -> Crossing<T> {
        self.at(self.roots.minus(), -self.roots.root)
    }
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn exit(&self) -> Crossing<T> {
        self.at(self.roots.plus(), self.roots.root)
    }
    #[inline(always)]
    fn at(&self, local: T, sign: T) -> Crossing<T> {
        Crossing { t: self.frame.plain_t(local), local, face: self.face, sign }
    }
}

/// From the centre of a ball to a crossing: what coarse bounds let pass keeps its digits even where the origin is far (Lemma
/// 9). Elsewhere the moment has them: `d x m` is the foot of the centre on the line, times `d . d`.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn ball_normal<T: Wide>(frame: &Frame<T>, r: T, at: &Crossing<T>) -> Normal<T> {
    let Frame { o, d, .. } = *frame;
    if T::COARSE {
        return Normal::Long(o + d * at.local, r);
    }
    Normal::Along(d.cross(frame.moment()) + d * at.sign)
}

/// # Method
/// With the moment `m = o x d` about the centre, the line passes at `|m| / |d|`, so half the chord, squared and times
/// `(d . d)^2`, is `r^2 (d . d) - m . m`. Its root and `b = -o . d`, `c = o . o - r^2` give both ends of the chord; the
/// normals are `o + t d`, of length r, or `d x m -+ d root`.
///
/// # Source
/// The moment form replaces moving the origin near the sphere (Haines, Guenther, Akenine-Moeller, *Precision
/// Improvements for Ray/Sphere Intersection*, Ray Tracing Gems, chapter 7, 2019).
///
/// # Accuracy
/// Lemma 9 in ACCURACY.md, in twice the digits of the inputs: `conformance.rs`, families grazing, far and surface.
///
/// # Edges
/// Tangent: `root = 0`, one point. The half chord of a NaN compares as a miss.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn ball<T: Wide, P: Probe>(frame: Frame<T>, r: T, face: u32, probe: &mut P) -> Option<Chord<T>> {
    let Frame { o, d, .. } = frame;
    let (a, r_sq, o_sq) = (d.length_sq(), r * r, o.length_sq());
    let (m, limit) = (frame.moment(), r_sq * a);
    let half_chord_sq = limit - m.length_sq();
    probe.number("a: projection of the centre on the ray, in t", || frame.t(-o.dot(d) / a).to_f64());
    probe.number("distance of the line from the centre / radius", || (m.length_sq() / a).sqrt().to_f64() / r.to_f64());
    probe.number("f^2: (half chord / radius)^2", || (half_chord_sq / limit).to_f64());
    let m_reach = o.cross_reach(d);
    let reach = if T::COARSE { a * (r_sq + o_sq * T::from_f64(4.0)) } else { limit + m.square_reach(m_reach) };
    if probe.misses(half_chord_sq, reach) {
        probe.verdict("miss: f^2 < 0, the line passes the centre at more than the radius");
        return None;
    }
    let roots = Quadratic { a, b: -o.dot(d), c: o.dot_plus(o, -r_sq), root: half_chord_sq.sqrt() };
    // The root beside its sum with b, from which t comes, and beside r |d|, of which the normal has a part.
    let least = roots.sum().sq().min(limit);
    if T::COARSE {
        let reach = a * (r_sq + o_sq * T::from_f64(8.0));
        probe.value_sq(half_chord_sq * least, limit * (reach + reach));
    } else {
        probe.value_sq(half_chord_sq * least, reach.sq());
        probe.value(limit, m_reach.length_sq() * T::from_f64(T::value_doubt()));
    }
    probe.value(roots.c, o_sq + r_sq);
    Some(Chord { frame, r, face, roots })
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
    type State<T: Wide> = Chord<T>;
    type Double = Sphere<V::Double>;

    fn double(&self) -> Self::Double {
        Sphere { center: self.center.double(), radius: self.radius.to_f64() }
    }

    /// See [`ball`]: # Method, # Source, # Accuracy and # Edges are there.
    #[inline(always)]
    fn meet<T: Wide, P: Probe>(&self, line: &WorkingRay<T>, probe: &mut P) -> Option<Meet<T, Chord<T>>> {
        let frame = line.local(self.center.widen(), self.radius.to_f64());
        let r = frame.length(T::from_f64(self.radius.to_f64()));
        frame.vouch_short::<V::Scalar, _, _, _>([], [r], probe);
        let chord = ball(frame, r, 0, probe)?;
        Some(Meet::new(chord.enter(), chord))
    }
    #[inline(always)]
    fn leave<T: Wide, P: Probe>(&self, meet: &Meet<T, Chord<T>>, _probe: &mut P) -> Crossing<T> {
        meet.state.exit()
    }
    #[inline(always)]
    fn refine<const FUSED: bool>(&self, start: &Start<FUSED>) -> Option<Refined<FUSED>> {
        start.on_ball(self.center.widen(), self.radius.to_f64())
    }
    #[inline(always)]
    fn normal<T: Wide>(&self, chord: &Chord<T>, at: &Crossing<T>) -> Normal<T> {
        ball_normal(&chord.frame, chord.r, at)
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
