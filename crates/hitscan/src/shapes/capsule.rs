//! The capsule (stadium), in space and in the plane.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::{NoTrace, Observer, ScopedFlag};
use crate::math::real::Real;
use crate::math::roots::{Bounded, Quadratic, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::error::{ShapeError, finite, positive};
use crate::shapes::sphere::{Chord, ball, ball_normal, within};
use core::cmp::Ordering;

/// Capsule: the points within `radius` of the segment from `a` to `b`, which may be one point.
#[doc(alias("stadium", "swept sphere"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule<V: Vector> {
    a: V,
    b: V,
    radius: V::Scalar,
}

impl<V: Vector> Capsule<V> {
    /// Capsule of `radius` around the segment from `a` to `b`.
    ///
    /// # Errors
    /// A number that is not finite; `radius` not greater than 0.
    pub fn new(a: V, b: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        finite("a", a)?;
        finite("b", b)?;
        positive("radius", radius)?;
        Ok(Self { a, b, radius })
    }
    /// One end of the core.
    #[must_use]
    pub fn a(&self) -> V {
        self.a
    }
    /// The other end of the core.
    #[must_use]
    pub fn b(&self) -> V {
        self.b
    }
    /// The radius.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
}

const CAPSULE_SIDE: u32 = 0;
const BALL_A: u32 = 1;
const BALL_B: u32 = 2;

/// State of a line and a capsule, in the units of the capsule and relative to `a`.
pub struct CapsuleState<T> {
    frame: Frame<T>,
    /// Origin relative to `b`, computed from the two points themselves.
    from_b: Vec3<T>,
    /// From `a` to `b`.
    u: Vec3<T>,
    /// `d x u`.
    w: Vec3<T>,
    /// `m . u`: the moment about the axis.
    e: T,
    r: T,
    /// `d . u`.
    du: Bounded<T>,
    /// Intersection with the infinite cylinder, unless the line is parallel to it.
    cut: Option<Cut<T>>,
}

/// Intersection of the line with the infinite cylinder.
#[derive(Clone, Copy)]
struct Cut<T> {
    p: Bounded<T>,
    a: Bounded<T>,
    axis_sq: T,
    disc: Bounded<T>,
}

impl<T: Arithmetic> CapsuleState<T> {
    #[inline(always)]
    fn chord_of<P: Observer>(&self, face: u32, observer: &mut P) -> Option<Chord<T>> {
        shared!(T, {
            let o = if face == BALL_B { self.from_b } else { self.frame.o };
            ball(self.frame.with_origin(o), self.r, face, observer)
        })
    }
    /// Magnitude of the terms of `r^2 w . w - e^2`.
    #[inline(always)]
    fn disc_magnitude(&self) -> T {
        let Self { frame: Frame { o, d, .. }, u, w, e, r, .. } = *self;
        let e_magnitude = o.cross_magnitude(d).dot_magnitude(u);
        let slack = e_magnitude.sq() * T::from_f64(T::sign_threshold());
        r * r * w.square_magnitude(d.cross_magnitude(u)) + e.abs() * e_magnitude + slack
    }
    /// Intersection with the infinite cylinder from its discriminant; `w_sq` is `w . w`.
    #[inline(always)]
    fn cut(&self, w_sq: T, disc: Bounded<T>) -> Cut<T> {
        let Self { frame: Frame { o, d, .. }, u, w, .. } = *self;
        let p_magnitude = u.dot_magnitude(d.cross_magnitude(o.cross_magnitude(d)));
        Cut {
            p: Bounded { value: u.dot(d.cross(self.frame.moment())), magnitude: p_magnitude },
            a: Bounded { value: w_sq, magnitude: w.square_magnitude(d.cross_magnitude(u)) },
            axis_sq: u.length_sq(),
            disc,
        }
    }
    /// Crossings with the side. Call it only where the side bounds the capsule: elsewhere the side needs no digits.
    #[inline(always)]
    fn side<P: Observer>(&self, cut: &Cut<T>, observer: &mut P) -> Quadratic<T> {
        shared!(T, {
            let CapsuleState { frame: Frame { o, d, .. }, u, w, r, .. } = *self;
            let Cut { a, axis_sq, disc, .. } = *cut;
            let (x, x_magnitude, e_magnitude) =
                (o.cross(u), o.cross_magnitude(u), o.cross_magnitude(d).dot_magnitude(u));
            // The normal of the side, of length r w . w |u|, has a part e |u| w.
            let share = T::from_f64(T::value_threshold());
            observer.value(r * r * a.value, e_magnitude.sq() * share);
            observer.value(disc.value * r * r * a.value, disc.magnitude.sq() * share);
            let root = (axis_sq * disc.value).sqrt();
            let side = Quadratic { a: a.value, b: -w.dot(x), c: x.dot_plus(x, -(r * r * axis_sq)), root };
            let magnitude =
                [a.magnitude, w.dot_magnitude(x_magnitude), x.square_magnitude(x_magnitude) + r * r * axis_sq];
            side.check_filter(magnitude, axis_sq * disc.magnitude, observer);
            side
        })
    }
    /// Exit crossing of a line that intersects the capsule. It meets the ball that the height selects.
    #[inline(always)]
    fn exit<P: Observer>(&self, enter: &Crossing<T>, observer: &mut P) -> Crossing<T> {
        shared!(T, {
            let face = match &self.cut {
                Some(cut) => {
                    let leaves = part(cut.p, self.du, cut.a, cut.axis_sq, cut.disc, observer);
                    if leaves == CAPSULE_SIDE {
                        let side = self.side(cut, observer);
                        return Crossing::new(self.frame.t(side.plus()), CAPSULE_SIDE, side.root);
                    }
                    leaves
                }
                None if self.du.value.ge(T::ZERO) => BALL_B,
                None => BALL_A,
            };
            self.chord_of(face, &mut NoTrace(observer)).map_or(*enter, |chord| chord.exit())
        })
    }
}

/// Part of the capsule at a crossing with the infinite cylinder: by its height above `a`, times `(d x u)^2 / |u|`,
/// which is `p |u| + q sqrt(disc)`.
#[inline(always)]
fn part<T: Arithmetic, P: Observer>(
    p: Bounded<T>,
    q: Bounded<T>,
    a: Bounded<T>,
    axis_sq: T,
    disc: Bounded<T>,
    observer: &mut P,
) -> u32 {
    shared!(T, {
        let above_b = Bounded { value: p.value - a.value, magnitude: p.magnitude + a.magnitude };
        if sign_of_roots(p, axis_sq, q, disc, observer) == Ordering::Less {
            BALL_A
        } else if sign_of_roots(above_b, axis_sq, q, disc, observer) == Ordering::Greater {
            BALL_B
        } else {
            CAPSULE_SIDE
        }
    })
}

impl<V: Vector> Kernel for Capsule<V> {
    type Vector = V;
    const NAME: &'static str = "capsule";
    const SOLID: bool = true;
    type State<T: Arithmetic> = CapsuleState<T>;
    type Double = Capsule<V::Double>;

    fn double(&self) -> Self::Double {
        Capsule { a: self.a.double(), b: self.b.double(), radius: self.radius.to_f64() }
    }

    /// # Method
    /// The infinite cylinder around the axis `u` decides first: with `w = d x u` and `e = m . u` its half chord is
    /// `sqrt(r^2 w . w - e^2)`. The height at which the line enters it selects the part of the capsule: the side
    /// between the ends, or the ball at one end; the same holds for the exit. Heights are compared on squares, without
    /// roots.
    ///
    /// # Source
    /// Cylinder: Gram's identity `|d x u|^2 |o x u|^2 - ((d x u) . (o x u))^2 = |u|^2 (m . u)^2`; the order of the
    /// tests as in Eberly, *Intersection of a Line and a Cylinder*; our derivation for the heights.
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `conformance.rs`.
    ///
    /// # Edges
    /// A core of length zero is a ball. A line along the axis meets only the balls. In 2D, `e = 0` and the cylinder is
    /// the strip.
    #[inline(always)]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, CapsuleState<T>>> {
        let (a, u) = (self.a.widen::<T>(), self.b.widen::<T>() - self.a.widen());
        let frame = line.local(a, u.max_abs_f64().max(self.radius.to_f64()));
        let (u, r) = (frame.vector(u), frame.length(T::from_f64(self.radius.to_f64())));
        frame.check_scale([u], [r], observer);
        let (w, e) = (frame.d.cross(u), frame.moment().dot(u));
        let from_b = frame.offset(line.origin, self.b.widen());
        let (w_sq, du) = (w.length_sq(), Bounded { value: frame.d.dot(u), magnitude: frame.d.dot_magnitude(u) });
        let state = CapsuleState { frame, from_b, u, w, e, r, du, cut: None };
        observer.value(w_sq, frame.d.cross_magnitude(u).length_sq());
        if !w_sq.gt(T::ZERO) {
            observer.verdict("parallel to the axis: only the ends can be hit");
            let near = if du.value.ge(T::ZERO) { BALL_A } else { BALL_B };
            return Some(Intersection::new(state.chord_of(near, observer)?.enter(), state));
        }
        let disc = r * r * w_sq - e * e;
        observer.number("distance of the line from the axis / radius", || (e.abs() / (w_sq.sqrt() * r)).to_f64());
        let disc = Bounded { value: disc, magnitude: state.disc_magnitude() };
        observer.sign(disc.value, disc.magnitude);
        if disc.value.is_miss() {
            observer.verdict("miss: the line passes the axis at more than the radius");
            return None;
        }
        let cut = state.cut(w_sq, disc);
        let enters = part(cut.p, Bounded { value: -du.value, ..du }, cut.a, cut.axis_sq, disc, observer);
        let side = || state.side(&cut, &mut ScopedFlag::<P>::new());
        observer.number("t where the infinite cylinder is entered", || frame.t(side().minus()).to_f64());
        observer.number("t where it is left", || frame.t(side().plus()).to_f64());
        let enter = if enters == CAPSULE_SIDE {
            let side = state.side(&cut, observer);
            Crossing::new(frame.t(side.minus()), CAPSULE_SIDE, -side.root)
        } else {
            observer.verdict("the line enters the cylinder beyond an end: the ball there decides");
            state.chord_of(enters, observer)?.enter()
        };
        Some(Intersection::new(enter, CapsuleState { cut: Some(cut), ..state }))
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(
        &self,
        meet: &Intersection<T, CapsuleState<T>>,
        observer: &mut P,
    ) -> Crossing<T> {
        meet.state.exit(&meet.enter, observer)
    }
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        let (a, b, r) = (self.a.widen(), self.b.widen(), self.radius.to_f64());
        match start.at.face {
            CAPSULE_SIDE => start.on_side([a, b], [r, r]),
            BALL_A => start.on_sphere(a, r),
            _ => start.on_sphere(b, r),
        }
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, state: &CapsuleState<T>, at: &Crossing<T>) -> Normal<T> {
        let CapsuleState { frame, from_b, u, w, e, r, .. } = state;
        if at.face == CAPSULE_SIDE {
            // Across the axis, in the orthogonal basis of w and u x w: e |u|^2 w + |u| sqrt(disc) (u x w).
            return Normal::Direction(*w * (*e * u.length_sq()) + u.cross(*w) * at.sign);
        }
        let o = if at.face == BALL_B { *from_b } else { frame.o };
        ball_normal(&frame.with_origin(o), *r, at)
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let u = self.b.widen::<T>() - self.a.widen();
        let frame = Frame::around(point, self.a.widen(), u.max_abs_f64().max(self.radius.to_f64()));
        let (p, u, r) = (frame.o, frame.vector(u), frame.length(T::from_f64(self.radius.to_f64())));
        frame.check_scale([u], [r], observer);
        let (height, magnitude, axis_sq) = (p.dot(u), p.dot_magnitude(u), u.length_sq());
        observer.sign(height, magnitude);
        observer.sign(height - axis_sq, magnitude + axis_sq);
        if height.le(T::ZERO) {
            within(p, r * r, observer)
        } else if height.ge(axis_sq) {
            within(frame.offset(point, self.b.widen()), r * r, observer)
        } else {
            let (across, limit) = (p.cross(u), r * r * axis_sq);
            let excess = across.dot_plus(across, -limit);
            observer.sign(excess, across.square_magnitude(p.cross_magnitude(u)) + limit);
            excess.le(T::ZERO)
        }
    }
    fn bounds(&self) -> Aabb<V> {
        let [a, b] = [self.a, self.b].map(|end| bounds_around(end, V::splat(self.radius).widen()));
        a.union(b)
    }
}
