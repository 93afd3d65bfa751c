//! The frustum (truncated cone), and the kernel that it shares with the cylinder and the cone.

use super::disk::disk_reach;
use super::error::{Problem, ShapeError, distinct, not_negative};
use super::{Crossing, Kernel, Meet, outward};
use crate::math::{Frame, Line, Quadratic, Real, Sum, Vector, Vector3, Wide, Wide3, sign_of_roots};
use crate::probe::Watch;
use crate::{Aabb, Probe};
use core::cmp::Ordering::{self, Equal, Greater, Less};

/// The solid between two parallel disks: `radius_a` around `a` and `radius_b` around `b`, across the line `a b`.
#[doc(alias("truncated_cone", "conical_frustum"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum<V: Vector> {
    a: V,
    b: V,
    radius_a: V::Scalar,
    radius_b: V::Scalar,
}

impl<V: Vector3> Frustum<V> {
    /// One of the radii may be zero: the frustum is then a cone.
    ///
    /// # Errors
    /// A number that is not finite; `b` equal to `a`; a negative radius; both radii zero.
    pub fn new(a: V, b: V, radius_a: V::Scalar, radius_b: V::Scalar) -> Result<Self, ShapeError> {
        distinct("b", b, "a", a)?;
        not_negative("radius_a", radius_a)?;
        not_negative("radius_b", radius_b)?;
        if radius_a + radius_b > V::Scalar::ZERO {
            Ok(Self { a, b, radius_a, radius_b })
        } else {
            Err(ShapeError { field: "radius_a", problem: Problem::NotPositive })
        }
    }
    /// The centre of one end.
    pub fn a(&self) -> V {
        self.a
    }
    /// The centre of the other end.
    pub fn b(&self) -> V {
        self.b
    }
    /// The radius around `a`.
    pub fn radius_a(&self) -> V::Scalar {
        self.radius_a
    }
    /// The radius around `b`.
    pub fn radius_b(&self) -> V::Scalar {
        self.radius_b
    }
}

const SIDE: u32 = 0;
const CAP_A: u32 = 1;
const CAP_B: u32 = 2;

/// The line beside a solid of revolution with a straight side, in its units and relative to `a`.
pub struct Revolved<T> {
    frame: Frame<T>,
    m: Wide3<T>,
    /// From `a` to `b`.
    u: Wide3<T>,
    axis_sq: T,
    radius_a: T,
    /// `radius_b - radius_a`: how the radius grows along the axis.
    growth: T,
    /// `d x u`, and the moment about the axis `m . u`.
    w: Wide3<T>,
    e: T,
    /// `(radius_a w - growth m)`: across it lies the half chord.
    v: Wide3<T>,
    /// Coefficient of `t^2`: positive when the line runs more across the axis than the side does.
    a: Sum<T>,
    disc: Sum<T>,
    /// `d . u`: how fast the line climbs.
    up: Sum<T>,
}

/// A crossing with the infinite side: `t = (b + sign root) / a`.
#[derive(Clone, Copy)]
struct Side<T> {
    t: T,
    sign: T,
}

impl<T: Wide> Revolved<T> {
    #[inline(always)]
    fn new<V: Vector>(line: &Line<T>, ends: [V; 2], radii: [V::Scalar; 2]) -> Self {
        let [ra, rb] = radii.map(|r| T::from_f64(r.to_f64()));
        let (from, u) = (ends[0].widen::<T>(), ends[1].widen::<T>() - ends[0].widen());
        let frame = line.local(from, u.extent().max(ra.to_f64()).max(rb.to_f64()));
        let (u, radius_a, growth) = (frame.vector(u), frame.length(ra), frame.length(rb) - frame.length(ra));
        let (m, w) = (frame.moment(), frame.d.cross(u));
        let (e, v, axis_sq) = (m.dot(u), w * radius_a - m * growth, u.length_sq());
        let up = Sum { value: frame.d.dot(u), reach: frame.d.dot_reach(u) };
        let (m_reach, w_reach) = (frame.o.cross_reach(frame.d), frame.d.cross_reach(u));
        let v_reach = w_reach * radius_a + m_reach * growth.abs();
        let a = Sum {
            value: axis_sq * w.length_sq() - (growth * up.value).sq(),
            reach: axis_sq * w.dot_reach(w_reach) + growth.sq() * up.value.abs() * up.reach,
        };
        let spread = axis_sq + growth.sq();
        let disc = Sum {
            value: axis_sq * v.length_sq() - spread * e.sq(),
            reach: axis_sq * v.dot_reach(v_reach) + spread * e.abs() * u.dot_reach(m_reach),
        };
        Self { frame, m, u, axis_sq, radius_a, growth, w, e, v, a, disc, up }
    }

    /// The height of a side crossing along the line: before the slab between the caps, within, or after it.
    /// Exactly `a height / |u|^2 = p + sign q sqrt(disc)`; decided on squares.
    #[inline(always)]
    fn place<P: Probe>(&self, side: &Side<T>, probe: &mut P) -> Ordering {
        let Self { frame, m, u, axis_sq, radius_a, growth, a, up, .. } = *self;
        let m_reach = frame.o.cross_reach(frame.d);
        let rise = growth * radius_a * up.value;
        let p = Sum {
            value: axis_sq * u.dot(frame.d.cross(m)) + rise * up.value,
            reach: axis_sq * u.dot_reach(frame.d.cross_reach(m_reach)) + rise.abs() * up.reach,
        };
        let past = Sum { value: p.value - a.value, reach: p.reach + a.reach };
        let q = Sum { value: side.sign * up.value, reach: up.reach };
        let order = match sign_of_roots(p, T::ONE, q, self.disc, probe) {
            Equal => return Equal,
            low => (low, sign_of_roots(past, T::ONE, q, self.disc, probe)),
        };
        // Divided by `a`: the height is p + ..., and past b it is (p - a) + ....
        let order = if a.value > T::ZERO { order } else { (order.0.reverse(), order.1.reverse()) };
        let order = match order {
            (Less, _) => Less,
            (_, Greater) => Greater,
            _ => Equal,
        };
        if up.value > T::ZERO { order } else { order.reverse() }
    }

    /// Where the line runs inside the one infinite nappe that the solid is cut from: `None` is without end.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn nappe<P: Probe>(&self, aside: &mut Watch, probe: &mut P) -> Option<(Option<Side<T>>, Option<Side<T>>)> {
        let Self { frame, u, axis_sq, radius_a, growth, a, disc, up, .. } = *self;
        let (x, x_reach) = (frame.o.cross(u), frame.o.cross_reach(u));
        let (radius, widening) = (radius_a * axis_sq + growth * frame.o.dot(u), growth * up.value);
        let radius_reach = radius_a * axis_sq + growth.abs() * frame.o.dot_reach(u);
        let b = widening * radius - axis_sq * self.w.dot(x);
        let c = axis_sq * x.length_sq() - radius.sq();
        let reach = [
            a.reach,
            radius_reach * growth.abs() * up.reach + axis_sq * self.w.dot_reach(x_reach),
            axis_sq * x.dot_reach(x_reach) + radius.abs() * radius_reach,
        ];
        probe.number("discriminant (scaled)", disc.value.to_f64());
        probe.sign(a.value, a.reach);
        if a.value > T::ZERO {
            probe.sign(disc.value, disc.reach);
            if !(disc.value >= T::ZERO) {
                probe.verdict("miss: discriminant < 0, the line passes the side");
                return None;
            }
            let root = axis_sq * disc.value.sqrt();
            let (low, high) = Quadratic { a: a.value, b, c, root, reach }.roots(aside);
            Some((Some(Side { t: low, sign: -T::ONE }), Some(Side { t: high, sign: T::ONE })))
        } else if a.value < T::ZERO {
            // Steeper than the side: the exact discriminant is never negative, and each nappe is crossed once.
            let root = axis_sq * disc.value.max(T::ZERO).sqrt();
            let (minus, plus) = Quadratic { a: a.value, b, c, root, reach }.roots(aside);
            if widening > T::ZERO {
                Some((Some(Side { t: minus, sign: -T::ONE }), None))
            } else {
                Some((None, Some(Side { t: plus, sign: T::ONE })))
            }
        } else if widening == T::ZERO || b == T::ZERO {
            probe.sign(c, reach[2]);
            // Along the axis of a cylinder, or along a generator through the apex: inside for ever or never.
            if c <= T::ZERO { Some((None, None)) } else { None }
        } else {
            // Parallel to a generator: one crossing, if the line runs on the inner side of it at all.
            probe.value(b, reach[1]);
            aside.value(c, reach[2]);
            let at = Side { t: c / (b + b), sign: T::ZERO };
            match (b > T::ZERO, widening > T::ZERO) {
                (true, true) => Some((Some(at), None)),
                (false, false) => Some((None, Some(at))),
                _ => None,
            }
        }
    }

    /// `place` where the side is crossed once, at `t = c / 2 b`, by a line parallel to a generator.
    #[inline(always)]
    fn place_linear<P: Probe>(&self, side: &Side<T>, probe: &mut P) -> Ordering {
        let (o, u, up) = (self.frame.o, self.u, self.up);
        let height = o.dot(u) + side.t * up.value;
        let reach = o.dot_reach(u) + (side.t * up.reach).abs();
        probe.sign(height, reach);
        probe.sign(height - self.axis_sq, reach + self.axis_sq);
        let order = if height < T::ZERO {
            Less
        } else if height > self.axis_sq {
            Greater
        } else {
            Equal
        };
        if up.value > T::ZERO { order } else { order.reverse() }
    }

    /// # Method
    /// Inside is `|u|^2 |p x u|^2 <= (radius_a |u|^2 + growth p . u)^2`, between two caps. Along the line that is a
    /// quadratic with discriminant `|u|^2 |radius_a w - growth m|^2 - (|u|^2 + growth^2) e^2`, in which no large terms
    /// cancel. The side gives a stretch of the line; the *heights* of its ends, whose signs are decided on squares,
    /// say whether a cap takes their place. One interval decides: there are no separate tests of features to leak
    /// between.
    ///
    /// # Source
    /// Gram's identity on the general quadratic (our derivation); the classical form is in Shene, *Computing the
    /// Intersection of a Line and a Cone*, Graphics Gems V, 1995, and Cychosz, Waggenspack, Graphics Gems IV, 1994.
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `conformance.rs`, cylinder and cone.
    ///
    /// # Edges
    /// Rims and apex belong to the solid. A direction steeper than the side is never rejected by a discriminant.
    #[inline(always)]
    fn meet<P: Probe>(self, probe: &mut P) -> Option<Meet<T, Self>> {
        let (o, u, up) = (self.frame.o, self.u, self.up.value);
        let (height, height_reach) = (o.dot(u), o.dot_reach(u));
        probe.number("height of the origin above a / |a b|", (height / self.axis_sq).to_f64());
        // Doubts about where the side is crossed only count where it bounds the solid.
        let mut aside = Watch::default();
        let (enter, exit) = self.nappe(&mut aside, probe)?;
        probe.sign(up, self.up.reach);
        if up == T::ZERO {
            probe.sign(height, height_reach);
            probe.sign(height - self.axis_sq, height_reach + self.axis_sq);
            if !(height >= T::ZERO && height <= self.axis_sq) {
                probe.verdict("miss: the line runs parallel to the caps, not between them");
                return None;
            }
        }
        let caps = if up > T::ZERO { [CAP_A, CAP_B] } else { [CAP_B, CAP_A] };
        let cap = |face: u32| {
            let to_cap = if face == CAP_A { -height } else { (u - o).dot(u) };
            Crossing::new(self.frame.t(to_cap / up), face, T::ZERO)
        };
        let side = |s: Side<T>| Crossing::new(self.frame.t(s.t), SIDE, s.sign);
        let place = |side: Option<Side<T>>, probe: &mut P| {
            side.map(|s| match () {
                () if up == T::ZERO => (s, Equal),
                () if self.a.value == T::ZERO => (s, self.place_linear(&s, probe)),
                () => (s, self.place(&s, probe)),
            })
        };
        if up != T::ZERO {
            probe.number("t at the first cap", cap(caps[0]).t.to_f64());
            probe.number("t at the second cap", cap(caps[1]).t.to_f64());
        }
        let enter = match place(enter, probe) {
            Some((s, Equal)) => side(s),
            Some((_, Greater)) => {
                probe.verdict("miss: the side is entered beyond the second cap");
                return None;
            }
            _ => cap(caps[0]),
        };
        let exit = match place(exit, probe) {
            Some((s, Equal)) => side(s),
            Some((_, Less)) => {
                probe.verdict("miss: the side is left before the first cap");
                return None;
            }
            _ => cap(caps[1]),
        };
        for end in [enter, exit] {
            match end.face {
                SIDE if aside.doubtful => probe.doubt(),
                SIDE => {}
                face => {
                    probe.value(up, self.up.reach);
                    let reach = if face == CAP_A { height_reach } else { height_reach + self.axis_sq };
                    probe.value(if face == CAP_A { height } else { (u - o).dot(u) }, reach);
                }
            }
        }
        Some(Meet::solid(enter, exit, self))
    }

    /// Outward at a crossing. On the side it is the radial direction, found in the orthogonal basis of `w` and
    /// `u x w`, tilted by the growth of the radius.
    #[inline(always)]
    fn normal(&self, at: &Crossing<T>) -> Wide3<T> {
        match at.face {
            CAP_A => return -self.u,
            CAP_B => return self.u,
            _ => {}
        }
        let radial = self.radial(at).unit();
        let tilt = self.u * self.growth;
        radial.map_or(-tilt, |radial| radial * self.axis_sq - tilt)
    }

    #[inline(always)]
    fn radial(&self, at: &Crossing<T>) -> Wide3<T> {
        let Self { frame, u, axis_sq, growth, .. } = *self;
        let steep = (self.a.value + self.a.value).abs() < axis_sq * self.w.length_sq();
        if steep {
            // The quadratic all but degenerates: from the foot of the perpendicular, whose size is that of the shape.
            let d_sq = frame.d.length_sq();
            let foot = frame.d.cross(self.m) * (T::ONE / d_sq);
            let t = self.frame.t_inverse(at.t) + frame.o.dot(frame.d) / d_sq;
            let p = foot + frame.d * t;
            return p * axis_sq - u * p.dot(u);
        }
        let across = self.w * (axis_sq * self.e) + u.cross(self.v) * (growth * self.up.value);
        let radial = across + u.cross(self.w) * (at.root * self.disc.value.max(T::ZERO).sqrt());
        if self.a.value > T::ZERO { radial } else { -radial }
    }
}

/// Whether a point lies in the solid between the caps.
pub(super) fn holds<V: Vector, T: Wide, P: Probe>(
    point: Wide3<T>,
    ends: [V; 2],
    radii: [V::Scalar; 2],
    probe: &mut P,
) -> bool {
    let [ra, rb] = radii.map(|r| T::from_f64(r.to_f64()));
    let (a, u) = (ends[0].widen::<T>(), ends[1].widen::<T>() - ends[0].widen());
    let frame = Frame::around(point, a, u.extent().max(ra.to_f64()).max(rb.to_f64()));
    let (p, u, ra, growth) = (frame.o, frame.vector(u), frame.length(ra), frame.length(rb) - frame.length(ra));
    let (height, reach, axis_sq) = (p.dot(u), p.dot_reach(u), u.length_sq());
    let (radius, across) = (ra * axis_sq + growth * height, p.cross(u));
    let excess = axis_sq * across.length_sq() - radius.sq();
    let radius_reach = ra * axis_sq + growth.abs() * reach;
    probe.sign(height, reach);
    probe.sign(height - axis_sq, reach + axis_sq);
    probe.sign(excess, axis_sq * across.dot_reach(p.cross_reach(u)) + radius.abs() * radius_reach);
    height >= T::ZERO && height <= axis_sq && excess <= T::ZERO
}

pub(super) fn bounds<V: Vector>(ends: [V; 2], radii: [V::Scalar; 2]) -> Aabb<V> {
    let [a, b] = ends.map(V::widen);
    let around = |c: Wide3<_>, radius| {
        let reach = disk_reach::<V>(b - a, radius);
        [V::narrow(c - reach), V::narrow(c + reach)]
    };
    outward(Aabb::from_points(around(a, radii[0]).into_iter().chain(around(b, radii[1]))))
}

/// The three solids differ in their names and parameters only.
macro_rules! revolved_kernel {
    ($shape:ident, $name:literal, |$s:ident| $ends:expr, $radii:expr) => {
        impl<V: Vector3> Kernel for $shape<V> {
            type Vector = V;
            const NAME: &'static str = $name;
            const SOLID: bool = true;
            type State<T: Wide> = Revolved<T>;

            #[inline(always)]
            fn meet<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Option<Meet<T, Revolved<T>>> {
                let $s = self;
                Revolved::new(line, $ends, $radii).meet(probe)
            }
            #[inline(always)]
            fn normal<T: Wide>(&self, state: &Revolved<T>, at: &Crossing<T>) -> Wide3<T> {
                state.normal(at)
            }
            fn holds<T: Wide, P: Probe>(&self, point: Wide3<T>, probe: &mut P) -> bool {
                let $s = self;
                holds(point, $ends, $radii, probe)
            }
            fn bounds(&self) -> Aabb<V> {
                let $s = self;
                bounds($ends, $radii)
            }
        }
    };
}

use super::{Cone, Cylinder};
revolved_kernel!(Frustum, "frustum", |s| [s.a, s.b], [s.radius_a, s.radius_b]);
revolved_kernel!(Cylinder, "cylinder", |s| [s.a(), s.b()], [s.radius(), s.radius()]);
// From the apex the radius grows from zero, and the discriminant has one product less.
revolved_kernel!(Cone, "cone", |s| [s.apex(), s.base()], [V::Scalar::ZERO, s.radius()]);
