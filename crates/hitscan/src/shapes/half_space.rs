//! Half-space, in 2D the half-plane.

use crate::aabb::Aabb;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::{Precision, Real};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::error::{ShapeError, direction, finite};
use crate::shapes::plane::{height_and_slope, unit};
use glam::DVec3;

/// Half-space: the points on or behind a plane, with `normal . (p - point) <= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<V: Vector> {
    point: V,
    normal: V,
    /// `normal` brought to length 1.
    unit: V,
}

/// Half-plane: the half-space in 2D.
pub type HalfPlane<V> = HalfSpace<V>;

impl<V: Vector> HalfSpace<V> {
    /// Half-space behind `point`; `normal` points out of it and may have any length.
    ///
    /// # Errors
    /// `point` or `normal` not finite; `normal` zero.
    pub fn new(point: V, normal: V) -> Result<Self, ShapeError> {
        finite("point", point)?;
        direction("normal", normal)?;
        Ok(Self { point, normal, unit: unit(normal) })
    }
    /// A point of the boundary.
    #[must_use]
    pub fn point(&self) -> V {
        self.point
    }
    /// The outward normal, as given.
    #[must_use]
    pub fn normal(&self) -> V {
        self.normal
    }
}

impl<V: Vector> Kernel for HalfSpace<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "half_plane" } else { "half_space" };
    const SOLID: bool = true;
    /// Exit crossing of the line.
    type State<T: Arithmetic> = Crossing<T>;
    type Double = HalfSpace<V::Double>;
    type Slow = HalfSpace<DVec3>;

    fn double(&self) -> Self::Double {
        let normal = self.normal.double();
        HalfSpace { point: self.point.double(), normal, unit: unit(normal) }
    }

    fn slow(&self) -> Self::Slow {
        let normal = self.normal.in_space();
        // Of `f32` the unit normal has too few digits.
        let unit = if V::Scalar::PRECISION == Precision::Double { self.unit.in_space() } else { unit(normal) };
        HalfSpace { point: self.point.in_space(), normal, unit }
    }

    /// # Method
    /// `height = n . o` and `slope = n . d`: a falling line enters at `-height / slope`, a rising one leaves there, and
    /// a parallel one is always inside or never.
    ///
    /// # Source
    /// Compensated products: Ogita, Rump, Oishi, *Accurate Sum and Dot Product*, SIAM J. Sci. Comput. 26(6), 2005.
    ///
    /// # Accuracy
    /// Two rounded products and a quotient in twice the digits of the inputs: `conformance.rs`, half-space within 2
    /// ulp.
    ///
    /// # Edges
    /// A line in the boundary plane is always inside, for the solid is closed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, Crossing<T>>> {
        let (frame, height, slope) = height_and_slope(self.point, self.normal, line, observer);
        let forever = |sign: f64| Crossing::new(T::from_f64(sign * f64::INFINITY), 0, slope);
        let at = Crossing::new(frame.plain_t(-height / slope), 0, slope);
        if slope.lt(T::ZERO) {
            Some(Intersection::new(at, forever(1.0)))
        } else if slope.gt(T::ZERO) {
            Some(Intersection::new(forever(-1.0), at))
        } else if height.le(T::ZERO) {
            observer.verdict("parallel to the boundary and behind it: inside forever");
            Some(Intersection::new(forever(-1.0), forever(1.0)))
        } else {
            observer.verdict("miss: parallel to the boundary and in front of it");
            None
        }
    }
    const FILTERS_ROUNDED_RAYS: bool = true;
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_plane(self.normal.widen(), self.unit.widen(), self.point.widen())
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(&self, meet: &Intersection<T, Crossing<T>>, _observer: &mut P) -> Crossing<T> {
        meet.state
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, _exit: &Crossing<T>, _at: &Crossing<T>) -> Normal<T> {
        Normal::Unit(self.unit.widen())
    }
    #[inline(always)]
    fn normal_direction<T: Arithmetic>(&self, _state: &Crossing<T>, _at: &Crossing<T>) -> Vec3<T> {
        self.normal.widen()
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let (n, frame) =
            (self.normal.widen::<T>().normalize_exponent_checked(), Frame::around(point, self.point.widen(), 0.0));
        let o = frame.o;
        frame.check_scale([], [], observer);
        Frame::check_direction::<V::Scalar, _>(n, observer);
        observer.sign(n.dot(o), n.dot_magnitude(o));
        n.dot(o).le(T::ZERO)
    }
    fn axis_plane(&self, _face: u32, _is_exit: bool, _direction: [f64; 3]) -> Option<AxisPlane> {
        AxisPlane::across(self.normal.to_f64(), self.point.to_f64())
    }
    fn bounds(&self) -> Aabb<V> {
        Aabb::everything()
    }
}
