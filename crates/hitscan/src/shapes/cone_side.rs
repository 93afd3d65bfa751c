//! The infinite side of a solid of revolution: where a line crosses it, and at which height.

use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::{Observer, ScopedFlag};
use crate::math::real::Real;
use crate::math::roots::{Quadratic, Sum, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use core::cmp::Ordering;
use core::cmp::Ordering::{Equal, Greater, Less};

/// The line beside a solid of revolution with a straight side, in its units and relative to `a`. Where it is known to be
/// `ROUND`, as wide at one end as at the other, nothing is computed of what the growth of its radius has a part in.
pub(crate) struct ConeSide<T, const ROUND: bool> {
    pub(crate) frame: Frame<T>,
    pub(crate) m: Vec3<T>,
    /// From `a` to `b`.
    pub(crate) u: Vec3<T>,
    pub(crate) axis_sq: T,
    pub(crate) radius_a: T,
    /// `radius_b - radius_a`: how the radius grows along the axis.
    pub(crate) growth: T,
    /// `d x u`, and the moment about the axis `m . u`.
    pub(crate) w: Vec3<T>,
    pub(crate) e: T,
    /// `(radius_a w - growth m)`: across it lies the half chord.
    pub(crate) v: Vec3<T>,
    v_reach: Vec3<T>,
    e_reach: T,
    /// Coefficient of `t^2`: positive when the line runs more across the axis than the side does.
    pub(crate) a: Sum<T>,
    pub(crate) disc: Sum<T>,
    /// `d . u`: how fast the line climbs.
    pub(crate) up: Sum<T>,
}

/// A crossing with the infinite side: `t = (b + sign root) / a`, or where `a = 0` the fraction `c / 2 b`.
#[derive(Clone, Copy)]
pub(crate) struct Side<T> {
    pub(crate) sign: T,
    fraction: [T; 2],
}

/// What the normal of the side is found from where the line all but runs along the side, `a` below half of its terms:
/// with `k = v . w`, `b = growth (d . u) k` and `s = |w|^2 sqrt(disc)`.
pub(crate) struct Slant<T> {
    pub(crate) w_sq: T,
    pub(crate) k: T,
    pub(crate) b: T,
    pub(crate) s: T,
}

impl<T: Arithmetic> Side<T> {
    #[inline(always)]
    fn root(sign: T) -> Self {
        Self { sign, fraction: [T::ZERO; 2] }
    }
}

impl<T: Arithmetic, const ROUND: bool> ConeSide<T, ROUND> {
    /// What the growth of the radius has a part in.
    #[inline(always)]
    pub(crate) fn grown(x: T) -> T {
        if ROUND { T::ZERO } else { x }
    }

    #[inline(always)]
    pub(crate) fn new<V: Vector>(line: &WorkingRay<T>, ends: [V; 2], radii: [V::Scalar; 2]) -> Self {
        let [ra, rb] = radii.map(|r| T::from_f64(r.to_f64()));
        let (from, u) = (ends[0].widen::<T>(), ends[1].widen::<T>() - ends[0].widen());
        let frame = line.local(from, u.extent().max(ra.to_f64()).max(rb.to_f64()));
        let (u, radius_a, growth) = (frame.vector(u), frame.length(ra), frame.length(rb) - frame.length(ra));
        let (m, w) = (frame.moment(), frame.d.cross(u));
        let (e, v, axis_sq) = (m.dot(u), w * radius_a - (m * growth).map(Self::grown), u.length_sq());
        let up = Sum { value: frame.d.dot(u), magnitude: frame.d.dot_magnitude(u) };
        let (m_reach, w_reach) = (frame.o.cross_magnitude(frame.d), frame.d.cross_magnitude(u));
        let v_reach = w_reach * radius_a + (m_reach * growth.abs()).map(Self::grown);
        let (spread, e_reach, share) =
            (axis_sq + Self::grown(growth.sq()), u.dot_magnitude(m_reach), T::from_f64(T::sign_threshold()));
        let a = Sum {
            value: axis_sq * w.length_sq() - Self::grown((growth * up.value).sq()),
            magnitude: axis_sq * w.square_reach(w_reach)
                + Self::grown(growth.sq() * (up.value.abs() * up.magnitude + up.magnitude.sq() * share)),
        };
        let disc = Sum {
            value: axis_sq * v.length_sq() - spread * e.sq(),
            magnitude: axis_sq * v.square_reach(v_reach) + spread * (e.abs() * e_reach + e_reach.sq() * share),
        };
        Self { frame, m, u, axis_sq, radius_a, growth, w, e, v, v_reach, e_reach, a, disc, up }
    }

    #[inline(always)]
    pub(crate) fn slant(&self) -> Option<Slant<T>> {
        let w_sq = self.w.length_sq();
        if ROUND || !((self.a.value + self.a.value).abs() < self.axis_sq * w_sq) {
            return None;
        }
        let k = self.v.dot(self.w);
        let s = w_sq * self.disc.value.max(T::ZERO).sqrt();
        Some(Slant { w_sq, k, b: self.growth * self.up.value * k, s })
    }

    /// Vouches for a normal that is found from a [`Slant`]: it divides by `|b| + s`, or by `a`, which is a value. By Lemma 4
    /// `s` is off by `g |w|^2 R / 2 sqrt(disc)`, R the reach of `disc`. Where that is as small a part of the sum as Lemma 3
    /// wants, so is what `k` has lost, for R is at least `|u|^2 |v|` times the reach of `v`; and `w` has its digits because
    /// `a`, which is less than its square, has them.
    #[inline(always)]
    fn vouch_slant<P: Observer>(&self, observer: &mut P) {
        if P::SURE {
            return;
        }
        if let Some(Slant { w_sq, b, s, .. }) = self.slant() {
            observer.value(s * (b.abs() + s), w_sq.sq() * self.disc.magnitude);
        }
    }

    /// The height of a side crossing along the line: before the slab between the caps, within, or after it. A line
    /// parallel to the caps is within, as `meet` has seen.
    /// Exactly `a height / |u|^2 = p + sign q sqrt(disc)`; decided on squares.
    #[inline(always)]
    pub(crate) fn place<P: Observer>(&self, side: &Side<T>, observer: &mut P) -> Ordering {
        if self.up.value == T::ZERO {
            return Equal;
        }
        if self.a.value == T::ZERO {
            return self.place_linear(side, observer);
        }
        let Self { frame, m, u, axis_sq, radius_a, growth, a, up, .. } = *self;
        let m_reach = frame.o.cross_magnitude(frame.d);
        let rise = Self::grown(growth * radius_a * up.value);
        let p = Sum {
            value: axis_sq * u.dot(frame.d.cross(m)) + Self::grown(rise * up.value),
            magnitude: axis_sq * u.dot_magnitude(frame.d.cross_magnitude(m_reach))
                + Self::grown(rise.abs() * up.magnitude),
        };
        let past = Sum { value: p.value - a.value, magnitude: p.magnitude + a.magnitude };
        let q = Sum { value: side.sign * up.value, magnitude: up.magnitude };
        let order = match sign_of_roots(p, T::ONE, q, self.disc, observer) {
            Equal => return Equal,
            low => (low, sign_of_roots(past, T::ONE, q, self.disc, observer)),
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
    pub(crate) fn nappe<P: Observer>(&self, observer: &mut P) -> Option<[Option<Side<T>>; 2]> {
        let Self { growth, a, disc, up, .. } = *self;
        let widening = Self::grown(growth * up.value);
        observer.number("discriminant (scaled)", || disc.value.to_f64());
        observer.sign(a.value, a.magnitude);
        if a.value > T::ZERO {
            observer.sign(disc.value, disc.magnitude);
            if disc.value.is_miss() {
                observer.verdict("miss: discriminant < 0, the line passes the side");
                return None;
            }
            Some([Some(Side::root(-T::ONE)), Some(Side::root(T::ONE))])
        } else if a.value < T::ZERO {
            // Steeper than the side: the exact discriminant is never negative, and each nappe is crossed once.
            if widening > T::ZERO {
                Some([Some(Side::root(-T::ONE)), None])
            } else {
                Some([None, Some(Side::root(T::ONE))])
            }
        } else {
            self.parallel(widening, observer)
        }
    }

    /// `t` of a crossing: asked only where the side bounds the solid, for its digits count there alone.
    #[inline(always)]
    pub(crate) fn t<P: Observer>(&self, side: &Side<T>, observer: &mut P) -> T {
        let Self { axis_sq, a, disc, .. } = *self;
        if a.value == T::ZERO {
            let ([c, twice_b], (_, magnitude)) = (side.fraction, self.quadratic(T::ZERO, observer));
            observer.value(c, magnitude[2]);
            return c / twice_b;
        }
        if a.value < T::ZERO {
            observer.sign(disc.value, disc.magnitude);
        }
        observer
            .value(disc.value * axis_sq * self.v.length_sq(), disc.magnitude.sq() * T::from_f64(T::value_threshold()));
        self.vouch_slant(observer);
        let (roots, magnitude) = self.quadratic(axis_sq * disc.value.max(T::ZERO).sqrt(), observer);
        roots.weigh(magnitude, axis_sq.sq() * disc.magnitude, observer);
        if side.sign < T::ZERO { roots.minus() } else { roots.plus() }
    }

    /// Where the line runs parallel to a generator of the nappe, or along the axis of a cylinder.
    #[inline(always)]
    fn parallel<P: Observer>(&self, widening: T, observer: &mut P) -> Option<[Option<Side<T>>; 2]> {
        let (Quadratic { b, c, .. }, magnitude) = self.quadratic(T::ZERO, &mut ScopedFlag::<P>::new());
        if widening == T::ZERO || b == T::ZERO {
            observer.sign(c, magnitude[2]);
            // Along the axis of a cylinder, or along a generator through the apex: inside for ever or never.
            if c <= T::ZERO { Some([None, None]) } else { None }
        } else {
            // Parallel to a generator: one crossing, if the line runs on the inner side of it at all.
            observer.value(b, magnitude[1]);
            let at = Side { sign: T::ZERO, fraction: [c, b + b] };
            match (b > T::ZERO, widening > T::ZERO) {
                (true, true) => Some([Some(at), None]),
                (false, false) => Some([None, Some(at)]),
                _ => None,
            }
        }
    }

    /// The quadratic of the crossings with the side, of which `root` is the root of the discriminant, and the magnitudes of
    /// the terms of its coefficients: asked for when the line is known not to pass by.
    #[inline(always)]
    fn quadratic<P: Observer>(&self, root: T, observer: &mut P) -> (Quadratic<T>, [T; 3]) {
        let Self { frame, u, axis_sq, radius_a, growth, a, up, .. } = *self;
        let (x, x_reach) = (frame.o.cross(u), frame.o.cross_magnitude(u));
        let (radius, widening) = (radius_a * axis_sq + Self::grown(growth * frame.o.dot(u)), growth * up.value);
        let radius_reach = radius_a * axis_sq + Self::grown(growth.abs() * frame.o.dot_magnitude(u));
        // The normal of the side comes from v, w and e: what a far origin leaves of their digits.
        let lost = axis_sq * self.v_reach.length_sq() + (axis_sq + Self::grown(growth.sq())) * self.e_reach.sq();
        observer.value(axis_sq * self.v.length_sq(), lost * T::from_f64(T::value_threshold()));
        let roots = Quadratic {
            a: a.value,
            b: Self::grown(widening * radius) - axis_sq * self.w.dot(x),
            c: axis_sq * x.length_sq() - radius.sq(),
            root,
        };
        let magnitude = [
            a.magnitude,
            Self::grown(radius_reach * growth.abs() * up.magnitude) + axis_sq * self.w.dot_magnitude(x_reach),
            axis_sq * x.square_reach(x_reach)
                + radius.abs() * radius_reach
                + radius_reach.sq() * T::from_f64(T::sign_threshold()),
        ];
        (roots, magnitude)
    }

    /// `place` where the side is crossed once, at `t = c / 2 b`, by a line parallel to a generator: heights times `2 b`,
    /// without a quotient.
    #[inline(always)]
    fn place_linear<P: Observer>(&self, side: &Side<T>, observer: &mut P) -> Ordering {
        let (o, u, up, [c, twice_b]) = (self.frame.o, self.u, self.up, side.fraction);
        let (positive, top) = (twice_b > T::ZERO, self.axis_sq * twice_b);
        let height = o.dot(u) * twice_b + c * up.value;
        let magnitude = o.dot_magnitude(u) * twice_b.abs() + c.abs() * up.magnitude;
        // `b` and `c` are values: they may have lost as many digits as a value is allowed to.
        observer.value(height, magnitude);
        observer.value(height - top, magnitude + top.abs());
        let order = if (height < T::ZERO) == positive && height != T::ZERO {
            Less
        } else if (height > top) == positive && height != top {
            Greater
        } else {
            Equal
        };
        if up.value > T::ZERO { order } else { order.reverse() }
    }
}
