//! The capsule (stadium), in space and in the plane.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_beyond;
use crate::shapes::capsule_line::{BALL_A, BALL_B, CAPSULE_SIDE, CapsuleState, cross_capsule};
use crate::shapes::error::{ShapeError, finite, positive};
use crate::shapes::sphere::{ball_normal, within};
use glam::DVec3;

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

impl<V: Vector> Kernel for Capsule<V> {
    type Vector = V;
    const NAME: &'static str = "capsule";
    const SOLID: bool = true;
    type State<T: Arithmetic> = CapsuleState<T>;
    type Double = Capsule<V::Double>;
    type Slow = Capsule<DVec3>;

    fn double(&self) -> Self::Double {
        Capsule { a: self.a.double(), b: self.b.double(), radius: self.radius.to_f64() }
    }

    fn slow(&self) -> Self::Slow {
        Capsule { a: self.a.in_space(), b: self.b.in_space(), radius: self.radius.to_f64() }
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
        cross_capsule(line, [self.a.widen(), self.b.widen()], T::from_f64(self.radius.to_f64()), observer)
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(
        &self,
        meet: &Intersection<T, CapsuleState<T>>,
        observer: &mut P,
    ) -> Crossing<T> {
        meet.state.exit(&meet.enter, observer)
    }
    const FILTERS_ROUNDED_RAYS: bool = true;
    const REFINES: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        let (a, b, r) = (self.a.widen(), self.b.widen(), self.radius.to_f64());
        match start.at.face {
            CAPSULE_SIDE => start.on_side([a, b], [r, r]),
            BALL_A => start.on_sphere(a, r),
            _ => start.on_sphere(b, r),
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
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
        bounds_beyond(Aabb::from_points([self.a, self.b]), V::splat(self.radius).widen())
    }
}
