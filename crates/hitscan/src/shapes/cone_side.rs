//! Infinite side of a solid of revolution: its crossings with a line, and their heights.

use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::{Observer, ScopedFlag};
use crate::math::real::Real;
use crate::math::roots::{Bounded, Quadratic, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use core::cmp::Ordering;
use core::cmp::Ordering::{Equal, Greater, Less};

/// Line and infinite side of a solid of revolution, in the units of the solid and relative to `a`. `ROUND` states that
/// both radii are equal: the terms with the growth of the radius are then zero, and not computed.
pub(crate) struct ConeSide<T, const ROUND: bool> {
    pub(crate) frame: Frame<T>,
    pub(crate) m: Vec3<T>,
    /// From `a` to `b`.
    pub(crate) u: Vec3<T>,
    pub(crate) axis_sq: T,
    pub(crate) radius_a: T,
    /// `radius_b - radius_a`: growth of the radius along the axis.
    pub(crate) growth: T,
    /// `d x u`, and the moment about the axis `m . u`.
    pub(crate) w: Vec3<T>,
    pub(crate) e: T,
    /// `radius_a w - growth m`: its square times `|u|^2` is the positive term of the discriminant.
    pub(crate) v: Vec3<T>,
    v_magnitude: Vec3<T>,
    e_magnitude: T,
    /// Coefficient of `t^2`: positive where the line is less steep than the side.
    pub(crate) a: Bounded<T>,
    pub(crate) disc: Bounded<T>,
    /// `d . u`: rate of height along the line.
    pub(crate) up: Bounded<T>,
}

/// Crossing with the infinite side: `t = (b + sign root) / a`, or for `a = 0` the fraction `c / 2 b`.
#[derive(Clone, Copy)]
pub(crate) struct SideCrossing<T> {
    pub(crate) sign: T,
    fraction: [T; 2],
}

/// Terms of the normal of the side, for a line nearly parallel to the side (`a` below half of its terms): with
/// `k = v . w`, `b = growth (d . u) k` and `s = |w|^2 sqrt(disc)`.
pub(crate) struct Slant<T> {
    pub(crate) w_sq: T,
    pub(crate) k: T,
    pub(crate) b: T,
    pub(crate) s: T,
}

impl<T: Arithmetic> SideCrossing<T> {
    #[inline(always)]
    fn root(sign: T) -> Self {
        Self { sign, fraction: [T::ZERO; 2] }
    }
}

/// Growth of the radius, from the radii and the same in the units of the solid. For equal radii it is exactly zero: in balls, the
/// difference of two equal lengths is only zero up to their errors.
#[inline(always)]
pub(crate) fn growth<S: Real, T: Arithmetic>(radii: [S; 2], [length_a, length_b]: [T; 2]) -> T {
    if radii[0] == radii[1] { T::ZERO } else { length_b - length_a }
}

impl<T: Arithmetic, const ROUND: bool> ConeSide<T, ROUND> {
    /// A term with the growth of the radius: zero for `ROUND`.
    #[inline(always)]
    pub(crate) fn grown(x: T) -> T {
        if ROUND { T::ZERO } else { x }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new<V: Vector>(line: &WorkingRay<T>, ends: [V; 2], radii: [V::Scalar; 2]) -> Self {
        let [ra, rb] = radii.map(|r| T::from_f64(r.to_f64()));
        let (from, u) = (ends[0].widen::<T>(), ends[1].widen::<T>() - ends[0].widen());
        let frame = line.local(from, u.max_abs_f64().max(ra.to_f64()).max(rb.to_f64()));
        let (u, radius_a) = (frame.vector(u), frame.length(ra));
        let growth = growth(radii, [radius_a, frame.length(rb)]);
        let (m, w) = (frame.moment(), frame.d.cross(u));
        let (e, v, axis_sq) = (m.dot(u), w * radius_a - (m * growth).map(Self::grown), u.length_sq());
        let up = Bounded { value: frame.d.dot(u), magnitude: frame.d.dot_magnitude(u) };
        let (m_magnitude, w_magnitude) = (frame.o.cross_magnitude(frame.d), frame.d.cross_magnitude(u));
        let v_magnitude = w_magnitude * radius_a + (m_magnitude * growth.abs()).map(Self::grown);
        let (spread, e_magnitude, share) =
            (axis_sq + Self::grown(growth.sq()), u.dot_magnitude(m_magnitude), T::from_f64(T::sign_threshold()));
        let a = Bounded::new(axis_sq * w.length_sq() - Self::grown((growth * up.value).sq()), || {
            let of_up = up.value.abs() * up.magnitude + up.magnitude.sq() * share;
            axis_sq * w.square_magnitude(w_magnitude) + Self::grown(growth.sq() * of_up)
        });
        let disc = Bounded::new(axis_sq * v.length_sq() - spread * e.sq(), || {
            let of_e = e.abs() * e_magnitude + e_magnitude.sq() * share;
            axis_sq * v.square_magnitude(v_magnitude) + spread * of_e
        });
        Self { frame, m, u, axis_sq, radius_a, growth, w, e, v, v_magnitude, e_magnitude, a, disc, up }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn slant(&self) -> Option<Slant<T>> {
        let w_sq = self.w.length_sq();
        if ROUND || !(((self.a.value + self.a.value).abs()).lt(self.axis_sq * w_sq)) {
            return None;
        }
        let k = self.v.dot(self.w);
        let s = w_sq * self.disc.value.max(T::ZERO).sqrt();
        Some(Slant { w_sq, k, b: self.growth * self.up.value * k, s })
    }

    /// Filter test for a normal that comes from a [`Slant`]: it divides by `|b| + s`, or by `a`, which is a value. By
    /// Lemma 4 (docs/proofs.md) `s` is off by `g |w|^2 R / 2 sqrt(disc)`, R the magnitude of `disc`. Where that is as
    /// small a part of the sum as Lemma 3 requires, so is the error of `k`, for R is at least `|u|^2 |v|` times the
    /// magnitude of `v`; and `w` has its digits because `a`, which is less than its square, has them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_slant<P: Observer>(&self, observer: &mut P) {
        if let Some(Slant { w_sq, b, s, .. }) = self.slant() {
            observer.value(s * (b.abs() + s), w_sq.sq() * self.disc.magnitude);
        }
    }

    /// Position of a side crossing on the line: before the slab between the caps (`Less`), within it (`Equal`), or
    /// after it (`Greater`). A line parallel to the caps is within, which `intersect` has checked. Exactly
    /// `a height / |u|^2 = p + sign q sqrt(disc)`; decided on squares.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn place<P: Observer>(&self, side: &SideCrossing<T>, observer: &mut P) -> Ordering {
        shared!(T, {
            if self.up.value.equals(T::ZERO) {
                return Equal;
            }
            if self.a.value.equals(T::ZERO) {
                return self.place_linear(side, observer);
            }
            let Self { frame, m, u, axis_sq, radius_a, growth, a, up, .. } = *self;
            let m_magnitude = frame.o.cross_magnitude(frame.d);
            let rise = Self::grown(growth * radius_a * up.value);
            let p = Bounded {
                value: axis_sq * u.dot(frame.d.cross(m)) + Self::grown(rise * up.value),
                magnitude: axis_sq * u.dot_magnitude(frame.d.cross_magnitude(m_magnitude))
                    + Self::grown(rise.abs() * up.magnitude),
            };
            let past = Bounded { value: p.value - a.value, magnitude: p.magnitude + a.magnitude };
            let q = Bounded { value: side.sign * up.value, magnitude: up.magnitude };
            let order = match sign_of_roots(p, T::ONE, q, self.disc, observer) {
                Equal => return Equal,
                low => (low, sign_of_roots(past, T::ONE, q, self.disc, observer)),
            };
            // Divided by `a`: the height is p + ..., and past b it is (p - a) + ....
            let order = if a.value.gt(T::ZERO) { order } else { (order.0.reverse(), order.1.reverse()) };
            let order = match order {
                (Less, _) => Less,
                (_, Greater) => Greater,
                _ => Equal,
            };
            if up.value.gt(T::ZERO) { order } else { order.reverse() }
        })
    }

    /// Interval of the line inside the one nappe that contains the solid; an end that is `None` is infinite.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn side_roots<P: Observer>(&self, observer: &mut P) -> Option<[Option<SideCrossing<T>>; 2]> {
        shared!(T, {
            let Self { growth, a, disc, up, .. } = *self;
            let widening = Self::grown(growth * up.value);
            observer.number("discriminant (scaled)", || disc.value.to_f64());
            observer.sign(a.value, a.magnitude);
            if a.value.gt(T::ZERO) {
                observer.sign(disc.value, disc.magnitude);
                if disc.value.is_miss() {
                    observer.verdict("miss: discriminant < 0, the line passes the side");
                    return None;
                }
                Some([Some(SideCrossing::root(-T::ONE)), Some(SideCrossing::root(T::ONE))])
            } else if a.value.lt(T::ZERO) {
                // Steeper than the side: the exact discriminant is never negative, and each nappe is crossed once.
                if widening.gt(T::ZERO) {
                    Some([Some(SideCrossing::root(-T::ONE)), None])
                } else {
                    Some([None, Some(SideCrossing::root(T::ONE))])
                }
            } else {
                self.parallel(widening, observer)
            }
        })
    }

    /// `t` of a crossing. Call it only where the side bounds the solid: elsewhere it needs no digits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn t<P: Observer>(&self, side: &SideCrossing<T>, observer: &mut P) -> T {
        shared!(T, {
            let Self { axis_sq, a, disc, .. } = *self;
            if a.value.equals(T::ZERO) {
                let ([c, twice_b], (_, magnitude)) = (side.fraction, self.quadratic(T::ZERO, observer));
                observer.value(c, magnitude[2]);
                return c / twice_b;
            }
            if a.value.lt(T::ZERO) {
                observer.sign(disc.value, disc.magnitude);
            }
            if !P::UNFILTERED {
                observer.value_sq(disc.value * axis_sq * self.v.length_sq(), disc.magnitude.sq());
                self.check_slant(observer);
            }
            let (roots, magnitude) = self.quadratic(axis_sq * disc.value.max(T::ZERO).sqrt(), observer);
            roots.check_filter(magnitude, axis_sq.sq() * disc.magnitude, observer);
            if side.sign.lt(T::ZERO) { roots.minus() } else { roots.plus() }
        })
    }

    /// Interval of a line that is parallel to a generator of the nappe, or to the axis of a cylinder.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn parallel<P: Observer>(&self, widening: T, observer: &mut P) -> Option<[Option<SideCrossing<T>>; 2]> {
        shared!(T, {
            let (Quadratic { b, c, .. }, magnitude) = self.quadratic(T::ZERO, &mut ScopedFlag::<P>::new());
            if widening.equals(T::ZERO) || b.equals(T::ZERO) {
                observer.sign(c, magnitude[2]);
                // Along the axis of a cylinder, or along a generator through the apex: always inside or never.
                if c.le(T::ZERO) { Some([None, None]) } else { None }
            } else {
                // Parallel to a generator: one crossing, if the line runs on the inner side of it at all.
                observer.value(b, magnitude[1]);
                let at = SideCrossing { sign: T::ZERO, fraction: [c, b + b] };
                match (b.gt(T::ZERO), widening.gt(T::ZERO)) {
                    (true, true) => Some([Some(at), None]),
                    (false, false) => Some([None, Some(at)]),
                    _ => None,
                }
            }
        })
    }

    /// Quadratic of the crossings with the side, with the magnitudes of the terms of its coefficients; `root` is the
    /// root of the discriminant. Computed only once the line is known to intersect the side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn quadratic<P: Observer>(&self, root: T, observer: &mut P) -> (Quadratic<T>, [T; 3]) {
        shared!(T, {
            let Self { frame, u, axis_sq, radius_a, growth, a, up, .. } = *self;
            let x = frame.o.cross(u);
            let (radius, widening) = (radius_a * axis_sq + Self::grown(growth * frame.o.dot(u)), growth * up.value);
            // The normal of the side comes from v, w and e: this checks the digits that a far origin leaves them.
            if !P::UNFILTERED {
                let spread = axis_sq + Self::grown(growth.sq());
                let lost = axis_sq * self.v_magnitude.length_sq() + spread * self.e_magnitude.sq();
                observer.value_sq(axis_sq * self.v.length_sq(), lost);
            }
            let roots = Quadratic {
                a: a.value,
                b: Self::grown(widening * radius) - axis_sq * self.w.dot(x),
                c: axis_sq * x.length_sq() - radius.sq(),
                root,
            };
            if P::UNFILTERED {
                return (roots, [T::ZERO; 3]);
            }
            let x_magnitude = frame.o.cross_magnitude(u);
            let radius_magnitude = radius_a * axis_sq + Self::grown(growth.abs() * frame.o.dot_magnitude(u));
            let magnitude = [
                a.magnitude,
                Self::grown(radius_magnitude * growth.abs() * up.magnitude)
                    + axis_sq * self.w.dot_magnitude(x_magnitude),
                axis_sq * x.square_magnitude(x_magnitude)
                    + radius.abs() * radius_magnitude
                    + radius_magnitude.sq() * T::from_f64(T::sign_threshold()),
            ];
            (roots, magnitude)
        })
    }

    /// [`place`](Self::place) of the one crossing `t = c / 2 b` of a line parallel to a generator: heights times `2 b`,
    /// without a quotient.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn place_linear<P: Observer>(&self, side: &SideCrossing<T>, observer: &mut P) -> Ordering {
        shared!(T, {
            let (o, u, up, [c, twice_b]) = (self.frame.o, self.u, self.up, side.fraction);
            let (positive, top) = (twice_b.gt(T::ZERO), self.axis_sq * twice_b);
            let height = o.dot(u) * twice_b + c * up.value;
            let magnitude = o.dot_magnitude(u) * twice_b.abs() + c.abs() * up.magnitude;
            // `b` and `c` are values: they may have lost as many digits as a value is allowed to.
            observer.value(height, magnitude);
            observer.value(height - top, magnitude + top.abs());
            let order = if (height.lt(T::ZERO)) == positive && !height.equals(T::ZERO) {
                Less
            } else if (height.gt(top)) == positive && !height.equals(top) {
                Greater
            } else {
                Equal
            };
            if up.value.gt(T::ZERO) { order } else { order.reverse() }
        })
    }
}
