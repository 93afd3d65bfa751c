//! Capped cone: the kernel that cylinder, cone and frustum share, a solid of revolution between two parallel disks.

use crate::aabb::Aabb;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::math::working_ray::WorkingRay;
use crate::shapes::along_axis::runs_along;
use crate::shapes::bounds::bounds_around;
use crate::shapes::cone::Cone;
use crate::shapes::cone_side::{ConeSide, SideCrossing, Slant, growth};
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::disk_magnitude;
use crate::shapes::frustum::Frustum;
use crate::shapes::level_line::Level;
use core::cmp::Ordering;
use core::cmp::Ordering::{Equal, Greater, Less};
use glam::DVec3;

/// State of a line that intersects the solid.
pub struct CappedConeState<T, const ROUND: bool> {
    solid: ConeSide<T, ROUND>,
    /// Exit crossing with the infinite side, and the cap by which the line leaves if that crossing lies beyond it.
    exit: Option<SideCrossing<T>>,
    cap: u32,
    /// Whether both crossings with the side are known to be between the caps.
    is_between: bool,
}

const SIDE: u32 = 0;

const CAP_A: u32 = 1;

const CAP_B: u32 = 2;

impl<T: Arithmetic, const ROUND: bool> ConeSide<T, ROUND> {
    /// # Method
    /// Inside is `|u|^2 |p x u|^2 <= (radius_a |u|^2 + growth p . u)^2`, between two caps. Along the line that is a
    /// quadratic with discriminant `|u|^2 |radius_a w - growth m|^2 - (|u|^2 + growth^2) e^2`, in which no large terms
    /// cancel. The side gives an interval of the line; the *heights* of its ends, whose signs are decided on squares,
    /// say whether a cap replaces an end. One interval decides: no line slips between separate tests of side and caps.
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<P: Observer>(self, observer: &mut P) -> Option<Intersection<T, CappedConeState<T, ROUND>>> {
        shared!(T, {
            self.frame.check_scale([self.u], [self.radius_a, self.growth], observer);
            let (height, magnitude) = (self.frame.o.dot(self.u), self.frame.o.dot_magnitude(self.u));
            observer.number("height of the origin above a / |a b|", || (height / self.axis_sq).to_f64());
            // The side of a cylinder does not bound a line along its axis that passes both caps.
            let Self { frame: Frame { o, d, .. }, u, w, radius_a, .. } = self;
            let is_along = ROUND && runs_along((d, w), (u, radius_a), || [o, o - u], observer);
            let [enter, exit] = if is_along { [None, None] } else { self.side_roots(observer)? };
            let up = self.up.value;
            let level = self.level([enter, exit], height, magnitude, observer);
            if level == Level::Beyond {
                observer.verdict("miss: the line runs along the caps, not between them");
                return None;
            }
            let is_between = level == Level::Between;
            if !is_between {
                observer.sign(up, self.up.magnitude);
            }
            if up.equals(T::ZERO) && !is_between {
                observer.sign(height, magnitude);
                observer.sign(height - self.axis_sq, magnitude + self.axis_sq);
                if !(height.ge(T::ZERO) && height.le(self.axis_sq)) {
                    observer.verdict("miss: the line runs parallel to the caps, not between them");
                    return None;
                }
            }
            let caps = if up.gt(T::ZERO) { [CAP_A, CAP_B] } else { [CAP_B, CAP_A] };
            let Some(enter) = self.end(enter, Greater, (caps[0], is_between), observer) else {
                observer.verdict("miss: the line enters the side beyond the second cap");
                return None;
            };
            // A line that enters by the side enters the solid.
            if enter.face != SIDE && exit.is_some_and(|exit| self.place(&exit, observer) == Less) {
                observer.verdict("miss: the line leaves the side before the first cap");
                return None;
            }
            Some(Intersection::new(enter, CappedConeState { solid: self, exit, cap: caps[1], is_between }))
        })
    }

    /// One end of the interval inside: the crossing with the side if it lies between the caps, else with the cap;
    /// `None` if it lies beyond the other cap.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end<P: Observer>(
        &self,
        side: Option<SideCrossing<T>>,
        beyond: Ordering,
        (cap, is_between): (u32, bool),
        observer: &mut P,
    ) -> Option<Crossing<T>> {
        shared!(T, {
            let Some(side) = side else { return Some(self.cap(cap, observer)) };
            match if is_between { Equal } else { self.place(&side, observer) } {
                Equal => Some(Crossing::new(self.frame.t(self.t(&side, observer)), SIDE, side.sign)),
                order if order == beyond => None,
                _ => Some(self.cap(cap, observer)),
            }
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cap<P: Observer>(&self, face: u32, observer: &mut P) -> Crossing<T> {
        shared!(T, {
            let (o, u) = (self.frame.o, self.u);
            let (way, magnitude) = if face == CAP_A {
                (-o.dot(u), o.dot_magnitude(u))
            } else {
                ((u - o).dot(u), o.dot_magnitude(u) + self.axis_sq)
            };
            observer.value(self.up.value, self.up.magnitude);
            observer.value(way, magnitude);
            let t = self.frame.t(way / self.up.value);
            observer.number(if face == CAP_A { "t at cap a" } else { "t at cap b" }, || t.to_f64());
            Crossing::new(t, face, T::ZERO)
        })
    }

    /// Outward normal at a crossing. On the side it is the radial direction, tilted by the growth of the radius.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn normal(&self, at: &Crossing<T>) -> Vec3<T> {
        match at.face {
            CAP_A => return -self.u,
            CAP_B => return self.u,
            _ => {}
        }
        let radial = self.radial(at).unit();
        let tilt = (self.u * self.growth).map(Self::grown);
        radial.map_or(-tilt, |radial| radial * self.axis_sq - tilt)
    }

    /// Radial vector of any length from the axis to a crossing of the side, in the orthogonal basis of `w` and `u x w`.
    /// The origin enters through the moment only, so a far origin costs no digits beyond those of `v` and `e`, which
    /// `ConeSide` checks.
    ///
    /// The part along `u x w` is the root `z = (B +- S) / a` of `a z^2 - 2 B z + k^2 - e^2 |w|^2 = 0`, beside `e` along
    /// `w`; see [`Slant`]. Times `a / |w|^2` that is a sum of vectors that holds even where `w` vanishes; where `a`
    /// does, the smaller root comes from the larger sum instead.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn radial(&self, at: &Crossing<T>) -> Vec3<T> {
        let Self { u, w, e, axis_sq, growth, .. } = *self;
        let (across, zero) = (u.cross(w), T::ZERO);
        let Some(Slant { w_sq, k, b, s }) = self.slant() else {
            let root = at.sign * self.disc.value.max(zero).sqrt();
            let radial =
                w * (axis_sq * e) + (u.cross(self.v) * (growth * self.up.value)).map(Self::grown) + across * root;
            return if self.a.value.gt(zero) { radial } else { -radial };
        };
        let z = if !at.sign.equals(zero) && (at.sign * b).ge(zero) {
            (b + at.sign * s) / self.a.value
        } else {
            (e.sq() * w_sq - k.sq()) / if b.ge(zero) { b + s } else { b - s }
        };
        w * e + across * z
    }
}

/// See [`Kernel::refine`].
#[cfg_attr(not(debug_assertions), inline(always))]
fn refine<const FMA: bool>(start: &Start<FMA>, [a, b]: [Vec3<f64>; 2], radii: [f64; 2]) -> Option<Refined<FMA>> {
    if start.at.face == SIDE {
        return start.on_side([a, b], radii);
    }
    let (from, to) = if start.at.face == CAP_A { (b, a) } else { (a, b) };
    start.on_cap(from, to)
}

/// Whether the solid contains a point.
pub(crate) fn contains<V: Vector, T: Arithmetic, P: Observer>(
    point: Vec3<T>,
    ends: [V; 2],
    radii: [V::Scalar; 2],
    observer: &mut P,
) -> bool {
    let [ra, rb] = radii.map(|r| T::from_f64(r.to_f64()));
    let (a, u) = (ends[0].widen::<T>(), ends[1].widen::<T>() - ends[0].widen());
    let frame = Frame::around(point, a, u.max_abs_f64().max(ra.to_f64()).max(rb.to_f64()));
    let (p, u, ra) = (frame.o, frame.vector(u), frame.length(ra));
    let growth = growth(radii, [ra, frame.length(rb)]);
    frame.check_scale([u], [ra, growth], observer);
    let (height, magnitude, axis_sq) = (p.dot(u), p.dot_magnitude(u), u.length_sq());
    let (radius, across) = (ra * axis_sq + growth * height, p.cross(u));
    let excess = axis_sq * across.length_sq() - radius.sq();
    let radius_magnitude = ra * axis_sq + growth.abs() * magnitude;
    let radius_share = radius.abs() * radius_magnitude + radius_magnitude.sq() * T::from_f64(T::sign_threshold());
    observer.sign(height, magnitude);
    observer.sign(height - axis_sq, magnitude + axis_sq);
    observer.sign(excess, axis_sq * across.square_magnitude(p.cross_magnitude(u)) + radius_share);
    height.ge(T::ZERO) && height.le(axis_sq) && excess.le(T::ZERO)
}

pub(crate) fn bounds<V: Vector>(ends: [V; 2], radii: [V::Scalar; 2]) -> Aabb<V> {
    let axis = |half: f64| ends[1].widen::<f64>() * half - ends[0].widen::<f64>() * half;
    // Half the axis where the whole one overflows, and only there: halves of the smallest numbers lose a bit.
    let axis = if axis(1.0).max_abs_f64() < f64::INFINITY { axis(1.0) } else { axis(0.5) };
    let around = |i: usize| bounds_around(ends[i], disk_magnitude(axis, radii[i]));
    around(0).union(around(1))
}

/// The plane of a cap, if the axis is along a coordinate axis. A difference of two numbers is zero only if they are equal.
fn cap_plane(face: u32, [a, b]: [[f64; 3]; 2]) -> Option<AxisPlane> {
    let axis = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    if face == SIDE { None } else { AxisPlane::across(axis, if face == CAP_A { a } else { b }) }
}

/// Kernels of the three solids, which differ in names and parameters only.
macro_rules! revolved_kernel {
    ($shape:ident, $name:literal, $round:literal, |$s:ident| $ends:expr, $radii:expr, $slow:ty: $as_slow:expr) => {
        impl<V: Vector3> Kernel for $shape<V> {
            type Vector = V;
            const NAME: &'static str = $name;
            const SOLID: bool = true;
            type State<T: Arithmetic> = CappedConeState<T, $round>;
            type Double = $shape<V::Double>;
            type Slow = $slow;

            fn double(&self) -> Self::Double {
                self.double()
            }

            fn slow(&self) -> Self::Slow {
                let $s = self;
                $as_slow
            }

            #[inline(always)]
            fn intersect<T: Arithmetic, P: Observer>(
                &self,
                line: &WorkingRay<T>,
                observer: &mut P,
            ) -> Option<Intersection<T, CappedConeState<T, $round>>> {
                let $s = self;
                ConeSide::new(line, $ends, $radii).intersect(observer)
            }
            const FILTERS_ROUNDED_RAYS: bool = true;
            const REFINES: bool = true;
            #[inline(always)]
            fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
                let $s = self;
                refine(start, $ends.map(V::widen), $radii.map(Real::to_f64))
            }
            #[inline(always)]
            fn normal<T: Arithmetic>(&self, state: &CappedConeState<T, $round>, at: &Crossing<T>) -> Normal<T> {
                Normal::Direction(state.solid.normal(at))
            }
            #[inline(always)]
            fn exit<T: Arithmetic, P: Observer>(
                &self,
                meet: &Intersection<T, CappedConeState<T, $round>>,
                observer: &mut P,
            ) -> Crossing<T> {
                let CappedConeState { solid, exit, cap, is_between } = &meet.state;
                solid.end(*exit, Less, (*cap, *is_between), observer).unwrap_or(meet.enter)
            }
            fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
                let $s = self;
                contains(point, $ends, $radii, observer)
            }
            fn axis_plane(&self, face: u32, _is_exit: bool, _direction: [f64; 3]) -> Option<AxisPlane> {
                let $s = self;
                cap_plane(face, $ends.map(|end| end.to_f64()))
            }
            fn bounds(&self) -> Aabb<V> {
                let $s = self;
                bounds($ends, $radii)
            }
        }
    };
}

revolved_kernel!(Frustum, "frustum", false, |s| [s.a(), s.b()], [s.radius_a(), s.radius_b()], Self::Double: s.double());

revolved_kernel!(Cylinder, "cylinder", true, |s| [s.a(), s.b()], [s.radius(), s.radius()], Self::Double: s.double());

// From the apex the radius grows from zero, and the discriminant has one product less. The slow path computes the same numbers as that of
// a frustum, so it is compiled once for both.
revolved_kernel!(Cone, "cone", false, |s| [s.apex(), s.base()], [V::Scalar::ZERO, s.radius()], Frustum<DVec3>: s.as_frustum());
