//! The frustum (truncated cone), and the kernel that it shares with the cylinder and the cone.

use super::disk::disk_reach;
use super::error::{Problem, ShapeError, distinct, not_negative};
use super::{Crossing, Kernel, Meet, outward};
use crate::math::{Frame, Line, Quadratic, Real, Vector, Vector3, Wide, Wide3, sign_of_roots};
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
    /// Coefficient of `t^2`: positive when the direction is steeper than the side.
    a: T,
    disc: T,
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
        let a = axis_sq * w.length_sq() - (growth * frame.d.dot(u)).sq();
        let disc = axis_sq * v.length_sq() - (axis_sq + growth.sq()) * e.sq();
        Self { frame, m, u, axis_sq, radius_a, growth, w, e, v, a, disc }
    }

    /// The height of a side crossing along the line: before the slab between the caps, within, or after it.
    /// Exactly `a height / |u|^2 = p + sign q sqrt(disc)`; decided on squares.
    #[inline(always)]
    fn place(&self, side: &Side<T>, up: T) -> Ordering {
        let p = self.axis_sq * self.u.dot(self.frame.d.cross(self.m)) + self.growth * self.radius_a * up * up;
        let q = side.sign * up;
        let of = |p: T, q: T| sign_of_roots(p, T::ONE, q, self.disc);
        let below = if self.a > T::ZERO { of(p, q) } else { of(-p, -q) } == Less;
        let above = if self.a > T::ZERO { of(p - self.a, q) } else { of(self.a - p, -q) } == Greater;
        if below {
            if up > T::ZERO { Less } else { Greater }
        } else if above {
            if up > T::ZERO { Greater } else { Less }
        } else {
            Equal
        }
    }

    /// Where the line runs inside the one infinite nappe that the solid is cut from: `None` is without end.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn nappe<P: Probe>(&self, probe: &mut P) -> Option<(Option<Side<T>>, Option<Side<T>>)> {
        let Self { frame, u, axis_sq, radius_a, growth, .. } = *self;
        let (x, up) = (frame.o.cross(u), frame.d.dot(u));
        let (radius, widening) = (radius_a * axis_sq + growth * frame.o.dot(u), growth * up);
        let b = widening * radius - axis_sq * self.w.dot(x);
        // axis_sq |o x u|^2 - radius^2, as a product: exact on the surface where the factors are.
        let c = axis_sq * x.length_sq() - radius.sq();
        probe.number("discriminant (scaled)", self.disc.to_f64());
        if self.a > T::ZERO {
            if !(self.disc >= T::ZERO) {
                probe.verdict("miss: discriminant < 0, the line passes the side");
                return None;
            }
            let (low, high) = Quadratic { a: self.a, b, c, root: axis_sq * self.disc.sqrt() }.roots();
            Some((Some(Side { t: low, sign: -T::ONE }), Some(Side { t: high, sign: T::ONE })))
        } else if self.a < T::ZERO {
            // Steeper than the side: the exact discriminant is never negative, and each nappe is crossed once.
            let root = axis_sq * self.disc.max(T::ZERO).sqrt();
            let (minus, plus) = Quadratic { a: self.a, b, c, root }.roots();
            if widening > T::ZERO {
                Some((Some(Side { t: minus, sign: -T::ONE }), None))
            } else {
                Some((None, Some(Side { t: plus, sign: T::ONE })))
            }
        } else if widening == T::ZERO || b == T::ZERO {
            // Along the axis of a cylinder, or along a generator through the apex: inside for ever or never.
            if c <= T::ZERO { Some((None, None)) } else { None }
        } else {
            // Parallel to a generator: one crossing, if the line runs on the inner side of it at all.
            let at = Side { t: c / (b + b), sign: T::ZERO };
            match (b > T::ZERO, widening > T::ZERO) {
                (true, true) => Some((Some(at), None)),
                (false, false) => Some((None, Some(at))),
                _ => None,
            }
        }
    }

    /// `place` where the side is crossed once by a line parallel to a generator.
    #[inline(always)]
    fn place_linear(&self, side: &Side<T>, up: T) -> Ordering {
        let height = self.frame.o.dot(self.u) + side.t * up;
        let order = if height < T::ZERO {
            Less
        } else if height > self.axis_sq {
            Greater
        } else {
            Equal
        };
        if up > T::ZERO { order } else { order.reverse() }
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
        let (height, up) = (self.frame.o.dot(self.u), self.frame.d.dot(self.u));
        probe.number("height of the origin above a / |a b|", (height / self.axis_sq).to_f64());
        let place = |side: &Side<T>| if self.a == T::ZERO { self.place_linear(side, up) } else { self.place(side, up) };
        let (enter, exit) = self.nappe(probe)?;
        if up == T::ZERO && !(height >= T::ZERO && height <= self.axis_sq) {
            probe.verdict("miss: the line runs parallel to the caps, not between them");
            return None;
        }
        let caps = if up > T::ZERO { [CAP_A, CAP_B] } else { [CAP_B, CAP_A] };
        let cap = |face: u32| {
            let to_cap = if face == CAP_A { -height } else { (self.u - self.frame.o).dot(self.u) };
            Crossing::new(self.frame.t(to_cap / up), face, T::ZERO)
        };
        let side = |s: Side<T>| Crossing::new(self.frame.t(s.t), SIDE, s.sign);
        if up != T::ZERO {
            probe.number("t at the first cap", cap(caps[0]).t.to_f64());
            probe.number("t at the second cap", cap(caps[1]).t.to_f64());
        }
        let enter = match enter.map(|s| (s, if up == T::ZERO { Equal } else { place(&s) })) {
            Some((s, Equal)) => side(s),
            Some((_, Greater)) => {
                probe.verdict("miss: the side is entered beyond the second cap");
                return None;
            }
            _ => cap(caps[0]),
        };
        let exit = match exit.map(|s| (s, if up == T::ZERO { Equal } else { place(&s) })) {
            Some((s, Equal)) => side(s),
            Some((_, Less)) => {
                probe.verdict("miss: the side is left before the first cap");
                return None;
            }
            _ => cap(caps[1]),
        };
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
        let up = frame.d.dot(u);
        let steep = (self.a + self.a).abs() < axis_sq * self.w.length_sq();
        if steep {
            // The quadratic all but degenerates: from the foot of the perpendicular, whose size is that of the shape.
            let d_sq = frame.d.length_sq();
            let foot = frame.d.cross(self.m) * (T::ONE / d_sq);
            let t = self.frame.t_inverse(at.t) + frame.o.dot(frame.d) / d_sq;
            let p = foot + frame.d * t;
            return p * axis_sq - u * p.dot(u);
        }
        let across = self.w * (axis_sq * self.e) + u.cross(self.v) * (growth * up);
        let radial = across + u.cross(self.w) * (at.root * self.disc.max(T::ZERO).sqrt());
        if self.a > T::ZERO { radial } else { -radial }
    }
}

/// Whether a point lies in the solid between the caps.
pub(super) fn holds<V: Vector, T: Wide>(point: Wide3<T>, ends: [V; 2], radii: [V::Scalar; 2]) -> bool {
    let at = Revolved::new(&Line::point(point), ends, radii);
    let (p, height) = (at.frame.o, at.frame.o.dot(at.u));
    let radius = at.radius_a * at.axis_sq + at.growth * height;
    height >= T::ZERO && height <= at.axis_sq && at.axis_sq * p.cross(at.u).length_sq() <= radius.sq()
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
            fn holds<T: Wide>(&self, point: Wide3<T>) -> bool {
                let $s = self;
                holds(point, $ends, $radii)
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
