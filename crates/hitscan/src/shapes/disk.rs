//! Flat disk in space.

use crate::aabb::Aabb;
use crate::block_hits::Numbers;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::error::{ShapeError, direction, finite, positive};
use crate::shapes::plane::unit;

/// Disk: the points of a plane within `radius` of `center`. A surface.
#[doc(alias = "disc")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disk<V: Vector> {
    center: V,
    normal: V,
    /// `normal` brought to length 1.
    unit: V,
    radius: V::Scalar,
}

impl<V: Vector3> Disk<V> {
    /// Disk of `radius` around `center`; `normal` may have any length and says which side is the front.
    ///
    /// # Errors
    /// A number that is not finite; `normal` zero; `radius` not greater than 0.
    pub fn new(center: V, normal: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        finite("center", center)?;
        direction("normal", normal)?;
        positive("radius", radius)?;
        Ok(Self { center, normal, unit: unit(normal), radius })
    }
    /// The centre.
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }
    /// The normal, as given.
    #[must_use]
    pub fn normal(&self) -> V {
        self.normal
    }
    /// The radius.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
}

/// Magnitude of the terms of `|n x m|^2 - r^2 (n . d)^2`; `rim` is `r^2 |n . d|`.
#[inline(always)]
fn excess_magnitude<T: Arithmetic>(frame: &Frame<T>, n: Vec3<T>, across: Vec3<T>, rim: T) -> T {
    let moment_magnitude = frame.o.cross_magnitude(frame.d);
    across.square_magnitude(n.cross_magnitude(moment_magnitude)) + rim * n.dot_magnitude(frame.d)
}

impl<V: Vector3> Kernel for Disk<V> {
    type Vector = V;
    const NAME: &'static str = "disk";
    const SOLID: bool = false;
    const PACKETS: Option<Numbers> = Some(Numbers::All);
    type State<T: Arithmetic> = ();
    type Double = Disk<V::Double>;
    type Slow = Self::Double;

    fn double(&self) -> Self::Double {
        let normal = self.normal.double();
        Disk { center: self.center.double(), normal, unit: unit(normal), radius: self.radius.to_f64() }
    }

    fn slow(&self) -> Self::Slow {
        self.double()
    }

    /// # Method
    /// The line meets the plane at `p = n x m / (n . d)` from the centre, `m` being the moment of the line, so the test
    /// is `|n x m| <= r |n . d|`: no difference of the origin and a far point.
    ///
    /// # Source
    /// `n x (o x d) = o (n . d) - d (n . o)`, the triple product; our derivation.
    ///
    /// # Accuracy
    /// The decision and `t` in twice the digits of the inputs: `cases.rs` on `disk.toml`, rim and far cases.
    ///
    /// # Edges
    /// The rim belongs to the disk. A line in its plane misses.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, ()>> {
        let frame = line.local(self.center.widen(), self.radius.to_f64());
        let n = self.normal.widen::<T>().normalize_exponent_checked();
        let (height, slope) = (n.dot(frame.o), n.dot(frame.d));
        let r = frame.length(T::from_f64(self.radius.to_f64()));
        frame.check_scale([], [r], observer);
        Frame::check_direction::<V::Scalar, _>(n, observer);
        let across = n.cross(frame.moment());
        let across_sq = across.length_sq();
        observer.number("slope: normal . direction (scaled)", || slope.to_f64());
        observer.number("distance from the centre / radius", || (across_sq / (slope * slope * r * r)).sqrt().to_f64());
        observer.value(slope, n.dot_magnitude(frame.d));
        if slope.equals(T::ZERO) {
            observer.verdict("miss: the line is parallel to the disk");
            return None;
        }
        let excess = across_sq - r * r * slope * slope;
        observer.sign(excess, excess_magnitude(&frame, n, across, r * r * slope.abs()));
        if (-excess).is_miss() {
            observer.verdict("miss: the line crosses the plane outside the rim");
            return None;
        }
        observer.value(height, n.dot_magnitude(frame.o));
        Some(Intersection::new(Crossing::new(frame.t(-height / slope), 0, slope), ()))
    }
    const FILTERS_ROUNDED_RAYS: bool = true;
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_plane(self.normal.widen(), self.unit.widen(), self.center.widen())
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
        bounds_around(self.center, disk_magnitude(self.normal.widen(), self.radius))
    }
}

/// Half extents of a disk perpendicular to `axis`: `r sqrt(1 - a_i^2)` for a unit axis, from the other two components
/// so that nothing cancels. Where those are nonzero, but so small beside the third that they underflow, they are off by
/// less than 2^-1073, which a large radius makes visible again.
pub(crate) fn disk_magnitude<S: Real>(axis: Vec3<f64>, radius: S) -> Vec3<f64> {
    let (r, zero) = (radius.to_f64(), 0.0);
    let Some(a) = axis.unit() else { return Vec3::new(r, r, r) };
    let lost = f64::from_bits(4); // 2^-1072
    let across = |i, j| {
        if axis.get(i) == zero && axis.get(j) == zero {
            return zero;
        }
        (Vec3::new(a.get(i), a.get(j), zero).length() + lost) * r
    };
    Vec3::new(across(1, 2), across(2, 0), across(0, 1))
}
