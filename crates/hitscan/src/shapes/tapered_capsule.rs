//! The tapered capsule, in space and in the plane.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::{NoTrace, Observer};
use crate::math::real::Real;
use crate::math::roots::Bounded;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::capsule_line::{BALL_A, BALL_B, CAPSULE_SIDE};
use crate::shapes::error::{ShapeError, ShapeErrorKind, finite, not_negative};
use crate::shapes::sphere::{Chord, ball, ball_normal, within};
use crate::shapes::tapered_side::TaperedSide;
use glam::DVec3;

/// Tapered capsule: the convex hull of two balls, `radius_a` around `a` and `radius_b` around `b`; the cone that touches both is its
/// side. If one ball contains the other, it is that ball.
///
/// ```
/// use hitscan::{RayCast, Ray, TaperedCapsule, glam::Vec3};
/// let limb = TaperedCapsule::new(Vec3::ZERO, Vec3::Z * 5.0, 2.0, 5.0)?;
/// // The side touches the balls at the heights -6/5 and 2, where its radii are 8/5 and 4.
/// let hit = limb.cast_ray(&Ray::new(Vec3::new(10.0, 0.0, 2.0), -Vec3::X), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.normal), (6.0, Vec3::new(0.8, 0.0, -0.6)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("round cone", "cone sphere", "sphere cone", "rounded cone"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaperedCapsule<V: Vector> {
    a: V,
    b: V,
    radius_a: V::Scalar,
    radius_b: V::Scalar,
}

impl<V: Vector> TaperedCapsule<V> {
    /// Tapered capsule around the segment from `a` to `b`, which may be one point. One of the radii may be zero: that end is then
    /// the tip of a cone.
    ///
    /// # Errors
    /// A number that is not finite; a negative radius; both radii zero.
    pub fn new(a: V, b: V, radius_a: V::Scalar, radius_b: V::Scalar) -> Result<Self, ShapeError> {
        finite("a", a)?;
        finite("b", b)?;
        not_negative("radius_a", radius_a)?;
        not_negative("radius_b", radius_b)?;
        if radius_a + radius_b > V::Scalar::ZERO {
            Ok(Self { a, b, radius_a, radius_b })
        } else {
            Err(ShapeError { field: "radius_a", problem: ShapeErrorKind::NotPositive })
        }
    }
    /// The centre of one ball.
    #[must_use]
    pub fn a(&self) -> V {
        self.a
    }
    /// The centre of the other ball.
    #[must_use]
    pub fn b(&self) -> V {
        self.b
    }
    /// The radius around `a`.
    #[must_use]
    pub fn radius_a(&self) -> V::Scalar {
        self.radius_a
    }
    /// The radius around `b`.
    #[must_use]
    pub fn radius_b(&self) -> V::Scalar {
        self.radius_b
    }
    /// Centres and radii of both balls.
    #[inline(always)]
    fn balls<T: Arithmetic>(&self) -> ([Vec3<T>; 2], [T; 2]) {
        ([self.a.widen(), self.b.widen()], [self.radius_a, self.radius_b].map(|r| T::from_f64(r.to_f64())))
    }
    /// The ball with the larger radius.
    #[inline(always)]
    fn larger_ball(&self) -> u32 {
        if self.radius_b > self.radius_a { BALL_B } else { BALL_A }
    }
    /// Growth of the radius, from the radii in other units. For equal radii it is exactly zero: in balls, the difference of two
    /// equal lengths is only zero up to their errors.
    #[inline(always)]
    fn growth<T: Arithmetic>(&self, [a, b]: [T; 2]) -> T {
        if self.radius_a == self.radius_b { T::ZERO } else { b - a }
    }
}

/// State of a line that intersects a tapered capsule, in its units and relative to `a`.
pub struct TaperedState<T> {
    frame: Frame<T>,
    /// Origin relative to `b`, computed from the two points themselves.
    from_b: Vec3<T>,
    radii: [T; 2],
    /// Line and cone; `None` if one ball contains the other.
    side: Option<TaperedSide<T>>,
    /// Sign of the root where the line leaves the cone; `None` if it does not.
    leaves: Option<T>,
    /// The ball by which the line leaves the capsule if it does not leave the cone.
    last: u32,
}

impl<T: Arithmetic> TaperedState<T> {
    /// Frame and radius of a ball.
    #[inline(always)]
    fn ball(&self, face: u32) -> (Frame<T>, T) {
        let [ra, rb] = self.radii;
        if face == BALL_B { (self.frame.with_origin(self.from_b), rb) } else { (self.frame, ra) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chord_of<P: Observer>(&self, face: u32, observer: &mut P) -> Option<Chord<T>> {
        shared!(T, {
            let (frame, r) = self.ball(face);
            ball(frame, r, face, observer)
        })
    }
}

/// `|u|^2 - growth^2`: not above 0 where one ball contains the other.
#[inline(always)]
fn gap_of<T: Arithmetic>(u: Vec3<T>, growth: T) -> Bounded<T> {
    let (axis_sq, growth_sq) = (u.length_sq(), growth.sq());
    Bounded { value: axis_sq - growth_sq, magnitude: axis_sq + growth_sq }
}

impl<V: Vector> Kernel for TaperedCapsule<V> {
    type Vector = V;
    const NAME: &'static str = "tapered_capsule";
    const SOLID: bool = true;
    type State<T: Arithmetic> = TaperedState<T>;
    type Double = TaperedCapsule<V::Double>;
    type Slow = TaperedCapsule<DVec3>;

    fn double(&self) -> Self::Double {
        let (radius_a, radius_b) = (self.radius_a.to_f64(), self.radius_b.to_f64());
        TaperedCapsule { a: self.a.double(), b: self.b.double(), radius_a, radius_b }
    }

    fn slow(&self) -> Self::Slow {
        let (radius_a, radius_b) = (self.radius_a.to_f64(), self.radius_b.to_f64());
        TaperedCapsule { a: self.a.in_space(), b: self.b.in_space(), radius_a, radius_b }
    }

    /// # Method
    /// With `g = radius_b - radius_a` and `K = |u|^2 - g^2`, the side is
    /// `K |p x u|^2 <= (radius_a |u|^2 + g p . u)^2`, between the planes where it touches the balls, which are `K / |u|` apart.
    /// With `v = radius_a w - g m` its discriminant is `K |u|^4 (v . v - e^2)`. The height at which the line enters the cone
    /// selects the part of the capsule: the side between the planes, or the ball beyond one; the same holds for the exit.
    ///
    /// # Source
    /// Gram's identity on the general quadratic (our derivation); the planes of contact as in Barbier, Galin, *Fast Distance
    /// Computation Between a Point and Cylinders, Cones, Line-Swept Spheres and Cone-Spheres*, Journal of Graphics Tools 9(2),
    /// 2004.
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `conformance.rs`.
    ///
    /// # Edges
    /// `K <= 0`: one ball contains the other and is the shape. A line that is steeper than the side, or parallel to it, comes from
    /// the larger ball or goes there. A radius of zero makes the end a tip, which belongs to the side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, TaperedState<T>>> {
        let ([a, b], radii) = self.balls::<T>();
        let u = b - a;
        let frame = line.local(a, u.max_abs_f64().max(radii[0].to_f64()).max(radii[1].to_f64()));
        let (u, radii) = (frame.vector(u), radii.map(|r| frame.length(r)));
        let growth = self.growth(radii);
        let from_b = frame.offset(line.origin, b);
        if T::NORMWISE_BOUNDS {
            observer.check_origin_size(from_b.l1_norm());
        }
        let (gap, larger) = (gap_of(u, growth), self.larger_ball());
        let mut state = TaperedState { frame, from_b, radii, side: None, leaves: None, last: larger };
        observer.sign(gap.value, gap.magnitude);
        if !gap.value.gt(T::ZERO) {
            frame.check_scale([Vec3::new(growth, T::ZERO, T::ZERO)], radii, observer);
            observer.verdict("one ball contains the other: it decides alone");
            return Some(Intersection::new(state.chord_of(larger, observer)?.enter(), state));
        }
        frame.check_scale([u], [radii[0], radii[1], growth], observer);
        let side = TaperedSide::new(frame, u, radii, growth, gap);
        observer.number("sine of the angle between side and axis", || (growth / u.length_sq().sqrt()).to_f64());
        let [enters, leaves] = side.interval(observer)?;
        // A line that does not cross the cone in this direction comes from a ball, and goes to one.
        let [first, last] = if side.du.value.ge(T::ZERO) { [BALL_A, BALL_B] } else { [BALL_B, BALL_A] };
        let face = enters.map_or(first, |sign| side.part(sign, observer));
        let enter = if let (Some(sign), CAPSULE_SIDE) = (enters, face) {
            side.crossing(sign, observer)
        } else {
            observer.verdict("the line enters the cone beyond a plane of contact: the ball there decides");
            state.chord_of(face, observer)?.enter()
        };
        (state.side, state.leaves, state.last) = (Some(side), leaves, last);
        Some(Intersection::new(enter, state))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exit<T: Arithmetic, P: Observer>(
        &self,
        meet: &Intersection<T, TaperedState<T>>,
        observer: &mut P,
    ) -> Crossing<T> {
        let state = &meet.state;
        let mut face = state.last;
        if let (Some(side), Some(sign)) = (&state.side, state.leaves) {
            face = side.part(sign, observer);
            if face == CAPSULE_SIDE {
                return side.crossing(sign, observer);
            }
        }
        state.chord_of(face, &mut NoTrace(observer)).map_or(meet.enter, |chord| chord.exit())
    }
    const FILTERS_ROUNDED_RAYS: bool = true;
    const REFINES: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        let ([a, b], [ra, rb]) = self.balls();
        match start.at.face {
            CAPSULE_SIDE => start.on_tapered_side([a, b], [ra, rb]),
            BALL_A => start.on_sphere(a, ra),
            _ => start.on_sphere(b, rb),
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn normal<T: Arithmetic>(&self, state: &TaperedState<T>, at: &Crossing<T>) -> Normal<T> {
        if let (Some(side), CAPSULE_SIDE) = (&state.side, at.face) {
            return Normal::Direction(side.normal(at));
        }
        let (frame, r) = state.ball(at.face);
        ball_normal(&frame, r, at)
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let ([a, b], radii) = self.balls::<T>();
        let u = b - a;
        let frame = Frame::around(point, a, u.max_abs_f64().max(radii[0].to_f64()).max(radii[1].to_f64()));
        let (p, u, radii) = (frame.o, frame.vector(u), radii.map(|r| frame.length(r)));
        let growth = self.growth(radii);
        frame.check_scale([u], [radii[0], radii[1], growth], observer);
        // Height above the plane of contact with the ball around `a`, which is `gap` below that of the other one.
        let gap = gap_of(u, growth);
        let tilt = radii[0] * growth;
        let (height, magnitude) = (p.dot(u) + tilt, p.dot_magnitude(u) + tilt.abs());
        observer.sign(gap.value, gap.magnitude);
        let is_one_ball = !gap.value.gt(T::ZERO);
        if !is_one_ball {
            observer.sign(height, magnitude);
            observer.sign(height - gap.value, magnitude + gap.magnitude);
        }
        let [below, above] = [height.le(T::ZERO), height.ge(gap.value)];
        if is_one_ball && self.larger_ball() == BALL_B || !is_one_ball && above {
            within(frame.offset(point, b), radii[1].sq(), observer)
        } else if is_one_ball || below {
            within(p, radii[0].sq(), observer)
        } else {
            // On the side, the power of the point with respect to a ball is the square of a height.
            let power = p.dot_plus(p, -radii[0].sq());
            let excess = gap.value * power - height.sq();
            let of_height = height.abs() * magnitude + magnitude.sq() * T::from_f64(T::sign_threshold());
            observer.sign(excess, gap.magnitude * (p.length_sq() + radii[0].sq()) + of_height);
            excess.le(T::ZERO)
        }
    }
    fn bounds(&self) -> Aabb<V> {
        let around = |center: V, radius: V::Scalar| bounds_around(center, V::splat(radius).widen());
        around(self.a, self.radius_a).union(around(self.b, self.radius_b))
    }
}
