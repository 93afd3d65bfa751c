//! Plane, in 2D the line.

use crate::aabb::Aabb;
use crate::block_hits::Numbers;
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
use glam::DVec3;

/// Plane: the points with `normal . (p - point) = 0`. A surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<V: Vector> {
    point: V,
    normal: V,
    /// `normal` brought to length 1.
    unit: V,
}

/// Line: the plane in 2D.
pub type Line<V> = Plane<V>;

impl<V: Vector> Plane<V> {
    /// Plane through `point`; `normal` may have any length and says which side is the front.
    ///
    /// # Errors
    /// `point` or `normal` not finite; `normal` zero.
    pub fn new(point: V, normal: V) -> Result<Self, ShapeError> {
        finite("point", point)?;
        direction("normal", normal)?;
        Ok(Self { point, normal, unit: unit(normal) })
    }
    /// A point of the plane.
    #[must_use]
    pub fn point(&self) -> V {
        self.point
    }
    /// The normal, as given.
    #[must_use]
    pub fn normal(&self) -> V {
        self.normal
    }
}

/// Unit vector along `normal`; zero for a vector without direction.
pub(crate) fn unit<V: Vector>(normal: V) -> V {
    // A zero is positive.
    let unit = normal.widen::<f64>().direction().unwrap_or_default();
    V::narrow(unit.map(|c| c + 0.0))
}

/// Line and plane: the frame, `height = n . o` and `slope = n . d`, with the normal scaled near 1.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn height_and_slope<V: Vector, T: Arithmetic, P: Observer>(
    point: V,
    normal: V,
    line: &WorkingRay<T>,
    observer: &mut P,
) -> (Frame<T>, T, T) {
    let frame = line.local(point.widen(), 0.0);
    let n = normal.widen::<T>().normalize_exponent_checked();
    frame.check_scale_short::<V::Scalar, _, _, _>([], [], observer);
    Frame::check_direction::<V::Scalar, _>(n, observer);
    let (height, slope) = (n.dot(frame.o), n.dot(frame.d));
    observer.number("slope: normal . direction (scaled)", || slope.to_f64());
    observer.number("height: normal . (origin - point) (scaled)", || height.to_f64());
    observer.value(slope, n.input_dot_magnitude::<V::Scalar>(frame.d));
    observer.value(height, n.input_dot_magnitude::<V::Scalar>(frame.o));
    (frame, height, slope)
}

impl<V: Vector> Kernel for Plane<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "line" } else { "plane" };
    const SOLID: bool = false;
    const PACKETS: Option<Numbers> = Some(Numbers::All);
    type State<T: Arithmetic> = ();
    type Double = Plane<V::Double>;
    type Slow = Plane<DVec3>;

    fn double(&self) -> Self::Double {
        let normal = self.normal.double();
        Plane { point: self.point.double(), normal, unit: unit(normal) }
    }

    fn slow(&self) -> Self::Slow {
        let normal = self.normal.in_space();
        // Of `f32` the unit normal has too few digits.
        let unit = if V::Scalar::PRECISION == Precision::Double { self.unit.in_space() } else { unit(normal) };
        Plane { point: self.point.in_space(), normal, unit }
    }

    /// # Method
    /// `t = -(n . o) / (n . d)`, with `o` relative to the plane's point.
    ///
    /// # Source
    /// Compensated products: Ogita, Rump, Oishi, *Accurate Sum and Dot Product*, SIAM J. Sci. Comput. 26(6), 2005.
    ///
    /// # Accuracy
    /// The accuracy of the half-space, whose kernel this is: `conformance.rs`.
    ///
    /// # Edges
    /// A parallel line misses, in the plane itself too.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, ()>> {
        let (frame, height, slope) = height_and_slope(self.point, self.normal, line, observer);
        if slope.equals(T::ZERO) {
            observer.verdict("miss: the line is parallel to the plane");
            return None;
        }
        Some(Intersection::new(Crossing::new(frame.plain_t(-height / slope), 0, slope), ()))
    }
    const FILTERS_ROUNDED_RAYS: bool = true;
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_plane(self.normal.widen(), self.unit.widen(), self.point.widen())
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, _state: &(), _at: &Crossing<T>) -> Normal<T> {
        Normal::Unit(self.unit.widen())
    }
    #[inline(always)]
    fn normal_direction<T: Arithmetic>(&self, _state: &(), _at: &Crossing<T>) -> Vec3<T> {
        self.normal.widen()
    }
    fn bounds(&self) -> Aabb<V> {
        Aabb::everything()
    }
}
