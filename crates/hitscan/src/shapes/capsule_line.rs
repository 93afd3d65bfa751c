//! Line and capsule: the part of the kernel that moving spheres use, too.

use crate::kernel::crossing::{Crossing, Intersection};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::{NoTrace, Observer, ScopedFlag};
use crate::math::roots::{Bounded, Quadratic, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::math::working_ray::WorkingRay;
use crate::shapes::along_axis::runs_along;
use crate::shapes::sphere::{Chord, ball};
use core::cmp::Ordering;

pub(crate) const CAPSULE_SIDE: u32 = 0;
pub(crate) const BALL_A: u32 = 1;
pub(crate) const BALL_B: u32 = 2;

/// State of a line and a capsule, in the units of the capsule and relative to `a`.
pub struct CapsuleState<T> {
    pub(crate) frame: Frame<T>,
    /// Origin relative to `b`, computed from the two points themselves.
    pub(crate) from_b: Vec3<T>,
    /// From `a` to `b`.
    pub(crate) u: Vec3<T>,
    /// `d x u`.
    pub(crate) w: Vec3<T>,
    /// `m . u`: the moment about the axis.
    pub(crate) e: T,
    pub(crate) r: T,
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chord_of<P: Observer>(&self, face: u32, observer: &mut P) -> Option<Chord<T>> {
        shared!(T, {
            let o = if face == BALL_B { self.from_b } else { self.frame.o };
            ball(self.frame.with_origin(o), self.r, face, observer)
        })
    }
    /// Magnitude of the terms of `r^2 w . w - e^2`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn disc_magnitude(&self) -> T {
        let Self { frame: Frame { o, d, .. }, u, w, e, r, .. } = *self;
        let e_magnitude = o.cross_magnitude(d).dot_magnitude(u);
        let slack = e_magnitude.sq() * T::from_f64(T::sign_threshold());
        r * r * w.square_magnitude(d.cross_magnitude(u)) + e.abs() * e_magnitude + slack
    }
    /// Intersection with the infinite cylinder from its discriminant; `w_sq` is `w . w`.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn side<P: Observer>(&self, cut: &Cut<T>, observer: &mut P) -> Quadratic<T> {
        shared!(T, {
            let CapsuleState { frame: Frame { o, d, .. }, u, w, r, .. } = *self;
            let Cut { a, axis_sq, disc, .. } = *cut;
            let (x, x_magnitude, e_magnitude) =
                (o.cross(u), o.cross_magnitude(u), o.cross_magnitude(d).dot_magnitude(u));
            if !P::UNFILTERED {
                // The normal of the side, of length r w . w |u|, has a part e |u| w.
                observer.value_sq(r * r * a.value, e_magnitude.sq());
                observer.value_sq(disc.value * r * r * a.value, disc.magnitude.sq());
            }
            let root = (axis_sq * disc.value).sqrt();
            let side = Quadratic { a: a.value, b: -w.dot(x), c: x.dot_plus(x, -(r * r * axis_sq)), root };
            let magnitude =
                [a.magnitude, w.dot_magnitude(x_magnitude), x.square_magnitude(x_magnitude) + r * r * axis_sq];
            side.check_filter(magnitude, axis_sq * disc.magnitude, observer);
            side
        })
    }
    /// Exit crossing of a line that intersects the capsule. It meets the ball that the height selects.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn exit<P: Observer>(&self, enter: &Crossing<T>, observer: &mut P) -> Crossing<T> {
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
#[cfg_attr(not(debug_assertions), inline(always))]
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

/// Intersection of a line with the points within `r` of the segment between two ends. The kernel of
/// [`Capsule`](crate::Capsule) has the headings # Method, # Source, # Accuracy and # Edges.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn cross_capsule<T: Arithmetic, P: Observer>(
    line: &WorkingRay<T>,
    [a, b]: [Vec3<T>; 2],
    r: T,
    observer: &mut P,
) -> Option<Intersection<T, CapsuleState<T>>> {
    let u = b - a;
    let frame = line.local(a, u.max_abs_f64().max(r.to_f64()));
    let (u, r) = (frame.vector(u), frame.length(r));
    frame.check_scale([u], [r], observer);
    let (w, e, from_b) = (frame.d.cross(u), frame.moment().dot(u), frame.offset(line.origin, b));
    if T::NORMWISE_BOUNDS {
        observer.check_origin_size(from_b.l1_norm());
    }
    let (w_sq, du) = (w.length_sq(), Bounded { value: frame.d.dot(u), magnitude: frame.d.dot_magnitude(u) });
    let state = CapsuleState { frame, from_b, u, w, e, r, du, cut: None };
    let is_along = runs_along((frame.d, w), (u, r), || [frame.o, from_b], observer);
    if !is_along {
        observer.value(w_sq, frame.d.cross_magnitude(u).length_sq());
    }
    if is_along || !w_sq.gt(T::ZERO) {
        observer.verdict("parallel to the axis: only the ends can be hit");
        let near = if du.value.ge(T::ZERO) { BALL_A } else { BALL_B };
        return Some(Intersection::new(state.chord_of(near, observer)?.enter(), state));
    }
    let disc = r * r * w_sq - e * e;
    observer.number("distance of the line from the axis / radius", || (e.abs() / (w_sq.sqrt() * r)).to_f64());
    let disc = Bounded::new(disc, || state.disc_magnitude());
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
