//! The plane, and in the plane the straight line.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::error::{ShapeError, direction, finite};

/// The points with `normal . (p - point) = 0`: a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<V: Vector> {
    point: V,
    normal: V,
    /// The normal of length 1.
    unit: V,
}

/// The straight line is the plane of the plane.
pub type Line<V> = Plane<V>;

impl<V: Vector> Plane<V> {
    /// The surface through `point`; `normal` may have any length and says which side is the front.
    ///
    /// # Errors
    /// `point` or `normal` not finite; `normal` zero.
    pub fn new(point: V, normal: V) -> Result<Self, ShapeError> {
        finite("point", point)?;
        direction("normal", normal)?;
        Ok(Self { point, normal, unit: unit(normal) })
    }
    /// A point of the plane.
    pub fn point(&self) -> V {
        self.point
    }
    /// The normal, as given.
    pub fn normal(&self) -> V {
        self.normal
    }
}

/// The normal of length 1; zero where there is none.
pub(crate) fn unit<V: Vector>(normal: V) -> V {
    V::narrow(normal.widen::<f64>().direction().unwrap_or_default())
}

/// The line beside a plane: its frame, and with the normal scaled near 1 `height = n . o` and `slope = n . d`.
#[inline(always)]
pub(crate) fn height_and_slope<V: Vector, T: Arithmetic, P: Observer>(
    point: V,
    normal: V,
    line: &WorkingRay<T>,
    observer: &mut P,
) -> (Frame<T>, T, T) {
    let frame = line.local(point.widen(), 0.0);
    let n = normal.widen::<T>().near_one_or_doubt();
    frame.vouch_short::<V::Scalar, _, _, _>([], [], observer);
    Frame::vouch_direction::<V::Scalar, _>(n, observer);
    let (height, slope) = (n.dot(frame.o), n.dot(frame.d));
    observer.number("slope: normal . direction (scaled)", || slope.to_f64());
    observer.number("height: normal . (origin - point) (scaled)", || height.to_f64());
    observer.value(slope, n.given_dot_reach::<V::Scalar>(frame.d));
    observer.value(height, n.given_dot_reach::<V::Scalar>(frame.o));
    (frame, height, slope)
}

impl<V: Vector> Kernel for Plane<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "line" } else { "plane" };
    const SOLID: bool = false;
    const ABREAST: bool = true;
    type State<T: Arithmetic> = ();
    type Double = Plane<V::Double>;

    fn double(&self) -> Self::Double {
        let normal = self.normal.double();
        Plane { point: self.point.double(), normal, unit: unit(normal) }
    }

    /// # Method
    /// `t = -(n . o) / (n . d)`, with `o` relative to the plane's point.
    ///
    /// # Source
    /// Compensated products: Ogita, Rump, Oishi, *Accurate Sum and Dot Product*, SIAM J. Sci. Comput. 26(6), 2005.
    ///
    /// # Accuracy
    /// That of the half-space, whose kernel this is: `conformance.rs`.
    ///
    /// # Edges
    /// A parallel line misses, in the plane itself too.
    #[inline(always)]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, ()>> {
        let (frame, height, slope) = height_and_slope(self.point, self.normal, line, observer);
        if !(slope != T::ZERO) {
            observer.verdict("miss: the line is parallel to the plane");
            return None;
        }
        Some(Intersection::new(Crossing::new(frame.plain_t(-height / slope), 0, slope), ()))
    }
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_plane(self.normal.widen(), self.point.widen())
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, _state: &(), _at: &Crossing<T>) -> Normal<T> {
        Normal::Unit(self.unit.widen())
    }
    fn bounds(&self) -> Aabb<V> {
        Aabb::everything()
    }
}
