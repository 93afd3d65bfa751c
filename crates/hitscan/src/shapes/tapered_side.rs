//! Line and the side of a tapered capsule: the cone that touches both balls.

use crate::kernel::crossing::Crossing;
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::{Observer, ScopedFlag};
use crate::math::roots::{Bounded, Quadratic, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::shapes::capsule_line::{BALL_A, BALL_B, CAPSULE_SIDE};
use core::cmp::Ordering;

/// Line and the cone that touches both balls, in the units of the capsule and relative to `a`.
pub(crate) struct TaperedSide<T> {
    frame: Frame<T>,
    /// From `a` to `b`.
    u: Vec3<T>,
    axis_sq: T,
    radii: [T; 2],
    /// `radius_b - radius_a`.
    growth: T,
    /// `|u|^2 - growth^2`, greater than 0: the distance between the planes of contact, times `|u|`.
    gap: Bounded<T>,
    /// `d x u`, its square, and the moment about the axis `m . u`.
    w: Vec3<T>,
    w_sq: Bounded<T>,
    e: T,
    e_magnitude: T,
    /// `radius_a w - growth m`.
    v: Vec3<T>,
    v_magnitude: Vec3<T>,
    /// `d . u`.
    pub(crate) du: Bounded<T>,
    /// Coefficient of `t^2`: positive where the line is less steep than the side.
    a: Bounded<T>,
    /// `v . v - e^2`: the discriminant, over `gap |u|^4`.
    disc: Bounded<T>,
}

impl<T: Arithmetic> TaperedSide<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(frame: Frame<T>, u: Vec3<T>, radii: [T; 2], growth: T, gap: Bounded<T>) -> Self {
        let (m, w) = (frame.moment(), frame.d.cross(u));
        let (e, v, axis_sq) = (m.dot(u), w * radii[0] - m * growth, u.length_sq());
        let du = Bounded { value: frame.d.dot(u), magnitude: frame.d.dot_magnitude(u) };
        let (m_magnitude, w_magnitude) = (frame.o.cross_magnitude(frame.d), frame.d.cross_magnitude(u));
        let v_magnitude = w_magnitude * radii[0] + m_magnitude * growth.abs();
        let (e_magnitude, share) = (u.dot_magnitude(m_magnitude), T::from_f64(T::sign_threshold()));
        let w_sq = Bounded::new(w.length_sq(), || w.square_magnitude(w_magnitude));
        let a = Bounded::new(gap.value * w_sq.value - (growth * du.value).sq(), || {
            let of_du = du.value.abs() * du.magnitude + du.magnitude.sq() * share;
            gap.magnitude * w_sq.magnitude + growth.sq() * of_du
        });
        let disc = Bounded::new(v.length_sq() - e.sq(), || {
            v.square_magnitude(v_magnitude) + e.abs() * e_magnitude + e_magnitude.sq() * share
        });
        Self { frame, u, axis_sq, radii, growth, gap, w, w_sq, e, e_magnitude, v, v_magnitude, du, a, disc }
    }

    /// The product of `gap` and the discriminant.
    #[inline(always)]
    fn gap_disc(&self) -> Bounded<T> {
        let Self { gap, disc, .. } = self;
        Bounded { value: gap.value * disc.value, magnitude: gap.magnitude * disc.magnitude }
    }

    /// Interval of the line inside the nappe around the capsule: the signs of the roots at its ends; an end that is `None` is
    /// infinite. Where the line meets the other nappe alone, both ends are there, and no ball is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn interval<P: Observer>(&self, observer: &mut P) -> Option<[Option<T>; 2]> {
        shared!(T, {
            let Self { growth, du, a, disc, .. } = *self;
            observer.number("discriminant (scaled)", || disc.value.to_f64());
            observer.sign(a.value, a.magnitude);
            let (enters, leaves, widening) = (Some(-T::ONE), Some(T::ONE), growth * du.value);
            if a.value.gt(T::ZERO) {
                observer.sign(disc.value, disc.magnitude);
                if disc.value.is_miss() {
                    observer.verdict("miss: discriminant < 0, the line passes the side");
                    return None;
                }
                return Some([enters, leaves]);
            }
            if a.value.lt(T::ZERO) {
                // Steeper than the side: each nappe is crossed once.
                return Some(if widening.gt(T::ZERO) { [enters, None] } else { [None, leaves] });
            }
            // Parallel to a generator, or to the axis if both radii are equal.
            let (Quadratic { b, c, .. }, magnitude) = self.quadratic(T::ZERO, &mut ScopedFlag::<P>::new());
            if widening.equals(T::ZERO) || b.equals(T::ZERO) {
                observer.sign(c, magnitude[2]);
                return if c.le(T::ZERO) { Some([None, None]) } else { None };
            }
            observer.value(b, magnitude[1]);
            match (b.gt(T::ZERO), widening.gt(T::ZERO)) {
                (true, true) => Some([enters, None]),
                (false, false) => Some([None, leaves]),
                _ => None,
            }
        })
    }

    /// Part of the capsule at a crossing with the cone: by its heights above the planes of contact, at `p . u = -radius_a growth`
    /// and `|u|^2 - radius_b growth`. Times `a / |u|^2` they are `gap P + sign d.u sqrt(gap disc)` with
    /// `P = u . (d x m) + radius_a growth d . d`, and the same relative to `b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn part<P: Observer>(&self, sign: T, observer: &mut P) -> u32 {
        shared!(T, {
            let Self { frame: Frame { o, d, .. }, u, radii, growth, gap, w_sq, du, a, .. } = *self;
            if a.value.equals(T::ZERO) {
                return self.part_at_generator(observer);
            }
            let (along, d_sq) = (u.dot(d.cross(self.frame.moment())), d.length_sq());
            let magnitude = u.dot_magnitude(d.cross_magnitude(o.cross_magnitude(d)));
            let [tilt_a, tilt_b] = radii.map(|r| r * growth * d_sq);
            let above_a =
                Bounded { value: gap.value * (along + tilt_a), magnitude: gap.magnitude * (magnitude + tilt_a.abs()) };
            let above_b = Bounded {
                value: gap.value * (along - w_sq.value + tilt_b),
                magnitude: gap.magnitude * (magnitude + w_sq.magnitude + tilt_b.abs()),
            };
            let (q, disc) = (Bounded { value: sign * du.value, ..du }, self.gap_disc());
            let mut order = |p: Bounded<T>| {
                let order = sign_of_roots(p, T::ONE, q, disc, observer);
                if a.value.gt(T::ZERO) { order } else { order.reverse() }
            };
            if order(above_a) == Ordering::Less {
                BALL_A
            } else if order(above_b) == Ordering::Greater {
                BALL_B
            } else {
                CAPSULE_SIDE
            }
        })
    }

    /// [`part`](Self::part) for `a = 0`, at `t = c / 2 b`: heights times `2 b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn part_at_generator<P: Observer>(&self, observer: &mut P) -> u32 {
        shared!(T, {
            let Self { frame: Frame { o, .. }, u, radii, growth, gap, du, .. } = *self;
            let (Quadratic { b, c, .. }, _) = self.quadratic(T::ZERO, &mut ScopedFlag::<P>::new());
            let (twice_b, tilt) = (b + b, radii[0] * growth);
            let above_a = (o.dot(u) + tilt) * twice_b + c * du.value;
            let above_b = above_a - gap.value * twice_b;
            let magnitude = (o.dot_magnitude(u) + tilt.abs()) * twice_b.abs() + c.abs() * du.magnitude;
            // `b` and `c` are values: they may have lost as many digits as a value is allowed to.
            observer.value(above_a, magnitude);
            observer.value(above_b, magnitude + gap.magnitude * twice_b.abs());
            if (above_a * b).lt(T::ZERO) {
                BALL_A
            } else if (above_b * b).gt(T::ZERO) {
                BALL_B
            } else {
                CAPSULE_SIDE
            }
        })
    }

    /// Crossing with the side. Call it only where the side bounds the capsule: elsewhere the side needs no digits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn crossing<P: Observer>(&self, sign: T, observer: &mut P) -> Crossing<T> {
        shared!(T, {
            let Self { axis_sq, gap, w_sq, v, a, disc, .. } = *self;
            let all = self.gap_disc();
            if a.value.lt(T::ZERO) {
                observer.sign(disc.value, disc.magnitude);
            }
            if !P::UNFILTERED {
                // The normal has a part `|u| |w| sqrt(gap disc)`, and a length of at least `gap |w| |v| / 4`.
                observer.value(gap.value, gap.magnitude);
                observer.value_sq(all.value * v.length_sq(), axis_sq * disc.magnitude.sq());
                if let Some(SteepNormal { b, s, .. }) = self.slant() {
                    observer.value(s * (b.abs() + s), w_sq.value.sq() * all.magnitude);
                }
            }
            let (roots, magnitude) = self.quadratic(axis_sq * all.value.max(T::ZERO).sqrt(), observer);
            roots.check_filter(magnitude, axis_sq.sq() * all.magnitude, observer);
            let local = if sign.lt(T::ZERO) { roots.minus() } else { roots.plus() };
            let t = self.frame.t(local);
            observer.number("t at the side", || t.to_f64());
            Crossing::new(t, CAPSULE_SIDE, sign)
        })
    }

    /// Quadratic of the crossings with the cone, with the magnitudes of the terms of its coefficients; `root` is the root of its
    /// discriminant.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn quadratic<P: Observer>(&self, root: T, observer: &mut P) -> (Quadratic<T>, [T; 3]) {
        shared!(T, {
            let Self { frame: Frame { o, .. }, u, axis_sq, radii, growth, gap, a, du, .. } = *self;
            let x = o.cross(u);
            let (radius, widening) = (radii[0] * axis_sq + growth * o.dot(u), growth * du.value);
            // The normal comes from v, w and e: this checks the digits that a far origin leaves them.
            if !P::UNFILTERED {
                let lost = axis_sq * (self.v_magnitude.length_sq() + self.e_magnitude.sq());
                observer.value_sq(gap.value * self.v.length_sq(), lost);
            }
            let roots = Quadratic {
                a: a.value,
                b: widening * radius - gap.value * self.w.dot(x),
                c: gap.value * x.length_sq() - radius.sq(),
                root,
            };
            if P::UNFILTERED {
                return (roots, [T::ZERO; 3]);
            }
            let x_magnitude = o.cross_magnitude(u);
            let radius_magnitude = radii[0] * axis_sq + growth.abs() * o.dot_magnitude(u);
            let magnitude = [
                a.magnitude,
                radius_magnitude * growth.abs() * du.magnitude + gap.magnitude * self.w.dot_magnitude(x_magnitude),
                gap.magnitude * x.square_magnitude(x_magnitude)
                    + radius.abs() * radius_magnitude
                    + radius_magnitude.sq() * T::from_f64(T::sign_threshold()),
            ];
            (roots, magnitude)
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slant(&self) -> Option<SteepNormal<T>> {
        let Self { gap, w_sq, a, du, v, w, .. } = *self;
        if !(((a.value + a.value).abs()).lt(gap.value * w_sq.value)) {
            return None;
        }
        let k = v.dot(w);
        let s = w_sq.value * self.gap_disc().value.max(T::ZERO).sqrt();
        Some(SteepNormal { k, b: self.growth * du.value * k, s })
    }

    /// Outward normal: the radial direction, tilted by the growth of the radius. At a tip, the direction of the axis.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn normal(&self, at: &Crossing<T>) -> Vec3<T> {
        let Self { u, axis_sq, growth, gap, .. } = *self;
        let tilt = u * growth;
        self.radial(at).unit().map_or(-tilt, |radial| radial * (axis_sq * gap.value).sqrt() - tilt)
    }

    /// Radial vector of any length from the axis to a crossing of the side, in the orthogonal basis of `w` and `u x w`.
    ///
    /// The part along `u x w` is the root `z = (B +- S) / a` of `a z^2 - 2 B z + gap e^2 |w|^2 / |u|^2 - k^2 = 0`, beside `e`
    /// along `w`; see [`SteepNormal`]. Times `a / |w|^2` that is a sum of vectors that holds even where `w` vanishes; where `a`
    /// does, the smaller root comes from the larger sum instead.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn radial(&self, at: &Crossing<T>) -> Vec3<T> {
        let Self { u, axis_sq, growth, gap, w, w_sq, e, v, du, a, .. } = *self;
        let (across, zero) = (u.cross(w), T::ZERO);
        let Some(SteepNormal { k, b, s }) = self.slant() else {
            let root = at.sign * self.gap_disc().value.max(zero).sqrt();
            let radial = w * (gap.value * e) + u.cross(v) * (growth * du.value) + across * root;
            return if a.value.gt(zero) { radial } else { -radial };
        };
        let s = at.sign * s;
        let z = if (s * b).ge(zero) && !a.value.equals(zero) {
            axis_sq * ((b + s) / a.value)
        } else {
            (gap.value * w_sq.value * e.sq() - axis_sq * k.sq()) / (b - s)
        };
        w * (axis_sq * e) + across * z
    }
}

/// Terms of the normal of the side, for a line nearly parallel to the side (`a` below half of its terms): with
/// `k = v . w`, `b = growth (d . u) k` and `s = |w|^2 sqrt(gap disc)`.
struct SteepNormal<T> {
    k: T,
    b: T,
    s: T,
}
