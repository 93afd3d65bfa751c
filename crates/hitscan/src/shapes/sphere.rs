//! Sphere, in 2D the circle.

use crate::aabb::Aabb;
use crate::block_hits::Numbers;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::roots::Quadratic;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::error::{ShapeError, finite, positive};
use glam::DVec3;

/// Sphere: the solid ball around `center`; in 2D, the disc.
#[doc(alias("ball", "circle"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere<V: Vector> {
    center: V,
    radius: V::Scalar,
}

/// Circle: the sphere in 2D.
pub type Circle<V> = Sphere<V>;

impl<V: Vector> Sphere<V> {
    /// Sphere of `radius` around `center`.
    ///
    /// # Errors
    /// `center` not finite; `radius` not finite or not greater than 0.
    pub fn new(center: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        finite("center", center)?;
        positive("radius", radius)?;
        Ok(Self { center, radius })
    }
    /// The centre.
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }
    /// The radius.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
}

/// Intersection of a line with a ball around the reference point.
#[derive(Clone, Copy)]
pub struct Chord<T> {
    frame: Frame<T>,
    r: T,
    face: u32,
    roots: Quadratic<T>,
}

impl<T: Arithmetic> Chord<T> {
    #[inline(always)]
    pub(crate) fn enter(&self) -> Crossing<T> {
        self.at(self.roots.minus(), -self.roots.root)
    }
    #[inline(always)]
    pub(crate) fn exit(&self) -> Crossing<T> {
        self.at(self.roots.plus(), self.roots.root)
    }
    #[inline(always)]
    fn at(&self, local: T, sign: T) -> Crossing<T> {
        Crossing { t: self.frame.plain_t(local), local, face: self.face, sign }
    }
}

/// Normal from the centre of a ball to a crossing. With norm-wise bounds, a hit that passes the filter keeps its digits
/// even for a far origin (docs/proofs.md, Lemma 9). Elsewhere the moment has them: `d x m` is the foot of the centre on
/// the line, times `d . d`. Double-words take the moment, too: `COMPACT` builds compute them without norm-wise bounds,
/// and vectors of different lengths round to different unit vectors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn ball_normal<T: Arithmetic>(frame: &Frame<T>, r: T, at: &Crossing<T>) -> Normal<T> {
    let Frame { o, d, .. } = *frame;
    if T::NORMWISE_BOUNDS && !T::VALUES_ONLY {
        return Normal::Long(o + d * at.local, r);
    }
    Normal::Direction(d.cross(frame.moment()) + d * at.sign)
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
/// docs/proofs.md, Lemma 9, in twice the digits of the inputs: `conformance.rs`, families grazing, far and surface.
///
/// # Edges
/// Tangent: `root = 0`, one point. A half chord of NaN is a miss.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn ball<T: Arithmetic, P: Observer>(frame: Frame<T>, r: T, face: u32, observer: &mut P) -> Option<Chord<T>> {
    shared!(T, {
        let Frame { o, d, .. } = frame;
        let (a, r_sq) = (d.length_sq(), r * r);
        let (m, limit) = (frame.moment(), r_sq * a);
        let half_chord_sq = limit - m.length_sq();
        observer.number("a: projection of the centre on the ray, in t", || frame.t(-o.dot(d) / a).to_f64());
        observer.number("distance of the line from the centre / radius", || {
            (m.length_sq() / a).sqrt().to_f64() / r.to_f64()
        });
        observer.number("f^2: (half chord / radius)^2", || (half_chord_sq / limit).to_f64());
        // Bounds of the terms: only filter tests need them.
        let o_sq = if P::UNFILTERED { T::ZERO } else { o.length_sq() };
        let spread = |share: f64| a * (r_sq + o_sq * T::from_f64(share));
        if observer.is_miss(half_chord_sq, if P::UNFILTERED { T::ZERO } else { spread(4.0) }) {
            observer.verdict("miss: f^2 < 0, the line passes the centre at more than the radius");
            return None;
        }
        let roots = Quadratic { a, b: -o.dot(d), c: o.dot_plus(o, -r_sq), root: half_chord_sq.sqrt() };
        if !P::UNFILTERED {
            // The filter compares the root with its sum with b, which gives t, and with r |d|, for the normal contains the
            // root.
            let (least, magnitude) = (roots.sum().sq().min(limit), spread(8.0));
            observer.value_sq(half_chord_sq * least, limit * (magnitude + magnitude));
            observer.value(roots.c, o_sq + r_sq);
        }
        Some(Chord { frame, r, face, roots })
    })
}

/// Whether `|v|^2 <= limit`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn within<T: Arithmetic, P: Observer>(v: Vec3<T>, limit: T, observer: &mut P) -> bool {
    shared!(T, {
        let excess = v.dot_plus(v, -limit);
        observer.sign(excess, v.length_sq() + limit);
        excess.le(T::ZERO)
    })
}

impl<V: Vector> Kernel for Sphere<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "circle" } else { "sphere" };
    const SOLID: bool = true;
    const PACKETS: Option<Numbers> = Some(Numbers::All);
    type State<T: Arithmetic> = Chord<T>;
    type Double = Sphere<V::Double>;
    type Slow = Sphere<DVec3>;

    fn double(&self) -> Self::Double {
        Sphere { center: self.center.double(), radius: self.radius.to_f64() }
    }

    fn slow(&self) -> Self::Slow {
        Sphere { center: self.center.in_space(), radius: self.radius.to_f64() }
    }

    /// See [`ball`]: # Method, # Source, # Accuracy and # Edges are there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, Chord<T>>> {
        let frame = line.local(self.center.widen(), self.radius.to_f64());
        let r = frame.length(T::from_f64(self.radius.to_f64()));
        frame.check_scale_short::<V::Scalar, _, _, _>([], [r], observer);
        let chord = ball(frame, r, 0, observer)?;
        Some(Intersection::new(chord.enter(), chord))
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(&self, meet: &Intersection<T, Chord<T>>, _observer: &mut P) -> Crossing<T> {
        meet.state.exit()
    }
    const FILTERS_ROUNDED_RAYS: bool = true;
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_sphere(self.center.widen(), self.radius.to_f64())
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, chord: &Chord<T>, at: &Crossing<T>) -> Normal<T> {
        ball_normal(&chord.frame, chord.r, at)
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let frame = Frame::around(point, self.center.widen(), self.radius.to_f64());
        let r = frame.length(T::from_f64(self.radius.to_f64()));
        frame.check_scale([], [r], observer);
        within(frame.o, r * r, observer)
    }
    fn bounds(&self) -> Aabb<V> {
        bounds_around(self.center, V::splat(self.radius).widen())
    }
}
