//! The capsule (stadium), in space and in the plane.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::{NoTrace, Observer, ScopedFlag};
use crate::math::real::Real;
use crate::math::roots::{Quadratic, Sum, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::error::{ShapeError, finite, positive};
use crate::shapes::sphere::{Chord, ball, ball_normal, within};
use core::cmp::Ordering;

/// Everything within `radius` of the segment from `a` to `b`, which may be a point.
#[doc(alias("stadium", "swept sphere"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule<V: Vector> {
    a: V,
    b: V,
    radius: V::Scalar,
}

impl<V: Vector> Capsule<V> {
    /// # Errors
    /// A number that is not finite; `radius` not greater than 0.
    pub fn new(a: V, b: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        finite("a", a)?;
        finite("b", b)?;
        positive("radius", radius)?;
        Ok(Self { a, b, radius })
    }
    /// One end of the core.
    pub fn a(&self) -> V {
        self.a
    }
    /// The other end of the core.
    pub fn b(&self) -> V {
        self.b
    }
    /// The radius.
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
}

const SIDE: u32 = 0;

const BALL_A: u32 = 1;

const BALL_B: u32 = 2;

/// The line beside the capsule, in its units and relative to `a`.
pub struct State<T> {
    frame: Frame<T>,
    /// The origin relative to `b`, formed from the two points themselves.
    from_b: Vec3<T>,
    /// From `a` to `b`.
    u: Vec3<T>,
    /// `d x u`.
    w: Vec3<T>,
    /// `m . u`: the moment about the axis.
    e: T,
    r: T,
    /// `d . u`.
    du: Sum<T>,
    /// Where the line cuts the infinite cylinder, unless it is parallel to it.
    cut: Option<Cut<T>>,
}

/// The infinite cylinder, cut by a line.
#[derive(Clone, Copy)]
struct Cut<T> {
    p: Sum<T>,
    a: Sum<T>,
    axis_sq: T,
    disc: Sum<T>,
}

impl<T: Arithmetic> State<T> {
    #[inline(always)]
    fn chord_of<P: Observer>(&self, face: u32, observer: &mut P) -> Option<Chord<T>> {
        let o = if face == BALL_B { self.from_b } else { self.frame.o };
        ball(self.frame.seen_from(o), self.r, face, observer)
    }
    /// Where the side is crossed: asked only where it bounds the capsule, for its digits count there alone.
    #[inline(always)]
    fn side<P: Observer>(&self, cut: &Cut<T>, observer: &mut P) -> Quadratic<T> {
        let State { frame: Frame { o, d, .. }, u, w, r, .. } = *self;
        let Cut { a, axis_sq, disc, .. } = *cut;
        let (x, x_reach, e_reach) = (o.cross(u), o.cross_magnitude(u), o.cross_magnitude(d).dot_magnitude(u));
        // The normal of the side, of length r w . w |u|, has e |u| w in it.
        let share = T::from_f64(T::value_threshold());
        observer.value(r * r * a.value, e_reach.sq() * share);
        observer.value(disc.value * r * r * a.value, disc.magnitude.sq() * share);
        let root = (axis_sq * disc.value).sqrt();
        let side = Quadratic { a: a.value, b: -w.dot(x), c: x.dot_plus(x, -(r * r * axis_sq)), root };
        let magnitude = [a.magnitude, w.dot_magnitude(x_reach), x.square_reach(x_reach) + r * r * axis_sq];
        side.weigh(magnitude, axis_sq * disc.magnitude, observer);
        side
    }
    /// Where a line that has met the capsule leaves it; it then meets the ball it is asked about.
    #[inline(always)]
    fn leave<P: Observer>(&self, enter: &Crossing<T>, observer: &mut P) -> Crossing<T> {
        let face = match &self.cut {
            Some(cut) => {
                let leaves = part(cut.p, self.du, cut.a, cut.axis_sq, cut.disc, observer);
                if leaves == SIDE {
                    let side = self.side(cut, observer);
                    return Crossing::new(self.frame.t(side.plus()), SIDE, side.root);
                }
                leaves
            }
            None if self.du.value >= T::ZERO => BALL_B,
            None => BALL_A,
        };
        self.chord_of(face, &mut NoTrace(observer)).map_or(*enter, |chord| chord.exit())
    }
}

/// Which part of the capsule a line crosses where it crosses the infinite cylinder: by the height above `a`, times
/// `(d x u)^2 / |u|`, which is `p |u| + q sqrt(disc)`.
#[inline(always)]
fn part<T: Arithmetic, P: Observer>(
    p: Sum<T>,
    q: Sum<T>,
    a: Sum<T>,
    axis_sq: T,
    disc: Sum<T>,
    observer: &mut P,
) -> u32 {
    let above_b = Sum { value: p.value - a.value, magnitude: p.magnitude + a.magnitude };
    if sign_of_roots(p, axis_sq, q, disc, observer) == Ordering::Less {
        BALL_A
    } else if sign_of_roots(above_b, axis_sq, q, disc, observer) == Ordering::Greater {
        BALL_B
    } else {
        SIDE
    }
}

impl<V: Vector> Kernel for Capsule<V> {
    type Vector = V;
    const NAME: &'static str = "capsule";
    const SOLID: bool = true;
    type State<T: Arithmetic> = State<T>;
    type Double = Capsule<V::Double>;

    fn double(&self) -> Self::Double {
        Capsule { a: self.a.double(), b: self.b.double(), radius: self.radius.to_f64() }
    }

    /// # Method
    /// The infinite cylinder around the axis `u` decides first: with `w = d x u` and `e = m . u` its half chord is
    /// `sqrt(r^2 w . w - e^2)`. The height at which the line enters it says what it enters: the side between the ends,
    /// or the ball at one end; likewise where it leaves. Heights are compared on squares, without roots.
    ///
    /// # Source
    /// Cylinder: Gram's identity `|d x u|^2 |o x u|^2 - ((d x u) . (o x u))^2 = |u|^2 (m . u)^2`; the order of the
    /// tests as in Eberly, *Intersection of a Line and a Cylinder*; our derivation for the heights.
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `conformance.rs`.
    ///
    /// # Edges
    /// A core of length zero is a ball. A line along the axis meets only the balls. In the plane `e = 0`, and the
    /// cylinder is the strip.
    #[inline(always)]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, State<T>>> {
        let (a, u) = (self.a.widen::<T>(), self.b.widen::<T>() - self.a.widen());
        let frame = line.local(a, u.extent().max(self.radius.to_f64()));
        let (u, r) = (frame.vector(u), frame.length(T::from_f64(self.radius.to_f64())));
        frame.vouch([u], [r], observer);
        let (o, d, m) = (frame.o, frame.d, frame.moment());
        let (w, e) = (d.cross(u), m.dot(u));
        let from_b = frame.vector(line.origin - self.b.widen());
        let (w_sq, axis_sq) = (w.length_sq(), u.length_sq());
        let du = Sum { value: d.dot(u), magnitude: d.dot_magnitude(u) };
        let state = State { frame, from_b, u, w, e, r, du, cut: None };
        let (w_reach, m_reach) = (w.square_reach(d.cross_magnitude(u)), o.cross_magnitude(d));
        observer.value(w_sq, d.cross_magnitude(u).length_sq());
        if !(w_sq > T::ZERO) {
            observer.verdict("parallel to the axis: only the ends can be hit");
            let near = if du.value >= T::ZERO { BALL_A } else { BALL_B };
            return Some(Intersection::new(state.chord_of(near, observer)?.enter(), state));
        }
        let disc = r * r * w_sq - e * e;
        observer.number("distance of the line from the axis / radius", || (e.abs() / (w_sq.sqrt() * r)).to_f64());
        let e_reach = m_reach.dot_magnitude(u);
        let slack = e_reach.sq() * T::from_f64(T::sign_threshold());
        let disc = Sum { value: disc, magnitude: r * r * w_reach + e.abs() * e_reach + slack };
        observer.sign(disc.value, disc.magnitude);
        if disc.value.is_miss() {
            observer.verdict("miss: the line passes the axis at more than the radius");
            return None;
        }
        let p = Sum { value: u.dot(d.cross(m)), magnitude: u.dot_magnitude(d.cross_magnitude(m_reach)) };
        let a = Sum { value: w_sq, magnitude: w_reach };
        let enters = part(p, Sum { value: -du.value, ..du }, a, axis_sq, disc, observer);
        let cut = Cut { p, a, axis_sq, disc };
        let side = || state.side(&cut, &mut ScopedFlag::<P>::new());
        observer.number("t where the infinite cylinder is entered", || frame.t(side().minus()).to_f64());
        observer.number("t where it is left", || frame.t(side().plus()).to_f64());
        let enter = if enters == SIDE {
            let side = state.side(&cut, observer);
            Crossing::new(frame.t(side.minus()), SIDE, -side.root)
        } else {
            observer.verdict("the cylinder is entered beyond an end: its ball decides");
            state.chord_of(enters, observer)?.enter()
        };
        Some(Intersection::new(enter, State { cut: Some(cut), ..state }))
    }
    #[inline(always)]
    fn leave<T: Arithmetic, P: Observer>(&self, meet: &Intersection<T, State<T>>, observer: &mut P) -> Crossing<T> {
        meet.state.leave(&meet.enter, observer)
    }
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        let (a, b, r) = (self.a.widen(), self.b.widen(), self.radius.to_f64());
        match start.at.face {
            SIDE => start.on_side([a, b], [r, r]),
            BALL_A => start.on_ball(a, r),
            _ => start.on_ball(b, r),
        }
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, state: &State<T>, at: &Crossing<T>) -> Normal<T> {
        let State { frame, from_b, u, w, e, r, .. } = state;
        if at.face == SIDE {
            // Across the axis, in the orthogonal basis of w and u x w: e |u|^2 w + |u| sqrt(disc) (u x w).
            return Normal::Along(*w * (*e * u.length_sq()) + u.cross(*w) * at.sign);
        }
        let o = if at.face == BALL_B { *from_b } else { frame.o };
        ball_normal(&frame.seen_from(o), *r, at)
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let u = self.b.widen::<T>() - self.a.widen();
        let frame = Frame::around(point, self.a.widen(), u.extent().max(self.radius.to_f64()));
        let (p, u, r) = (frame.o, frame.vector(u), frame.length(T::from_f64(self.radius.to_f64())));
        frame.vouch([u], [r], observer);
        let (height, magnitude, axis_sq) = (p.dot(u), p.dot_magnitude(u), u.length_sq());
        observer.sign(height, magnitude);
        observer.sign(height - axis_sq, magnitude + axis_sq);
        if height <= T::ZERO {
            within(p, r * r, observer)
        } else if height >= axis_sq {
            within(frame.vector(point - self.b.widen()), r * r, observer)
        } else {
            let (across, limit) = (p.cross(u), r * r * axis_sq);
            let excess = across.dot_plus(across, -limit);
            observer.sign(excess, across.square_reach(p.cross_magnitude(u)) + limit);
            excess <= T::ZERO
        }
    }
    fn bounds(&self) -> Aabb<V> {
        let [a, b] = [self.a, self.b].map(|end| bounds_around(end, V::splat(self.radius).widen()));
        a.union(b)
    }
}
