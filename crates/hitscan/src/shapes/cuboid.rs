//! Axis-aligned box, in 2D the rectangle.

use crate::aabb::Aabb;
use crate::block_hits::Numbers;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::error::{ShapeError, each, finite, not_negative};
use crate::shapes::slabs::Slabs;

/// Axis-aligned box: the solid within `half_extents` of `center` along each axis.
#[doc(alias("box", "rectangle"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid<V: Vector> {
    center: V,
    half_extents: V,
}

/// Axis-aligned rectangle: the box in 2D.
pub type Rectangle<V> = Cuboid<V>;

impl<V: Vector> Cuboid<V> {
    /// Box around `center`. A half extent may be zero: the box is then flat, and can still be hit.
    ///
    /// # Errors
    /// `center` not finite; `half_extents` not finite or negative.
    pub fn new(center: V, half_extents: V) -> Result<Self, ShapeError> {
        finite("center", center)?;
        each(half_extents, |x| not_negative("half_extents", x))?;
        Ok(Self { center, half_extents })
    }
    /// The centre.
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }
    /// Half the size along each axis.
    #[must_use]
    pub fn half_extents(&self) -> V {
        self.half_extents
    }
}

/// Whether `|p_i| <= h_i` for all three.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn between<T: Arithmetic, P: Observer>(
    p: Vec3<T>,
    magnitude: Vec3<T>,
    h: Vec3<T>,
    observer: &mut P,
) -> bool {
    shared!(T, {
        let excess = p.map(Arithmetic::abs) - h;
        for axis in 0..3 {
            observer.sign(excess.get(axis), magnitude.get(axis) + h.get(axis));
        }
        excess.x.le(T::ZERO) && excess.y.le(T::ZERO) && excess.z.le(T::ZERO)
    })
}

/// Intersection of a line with the box of half extents `h` around `center`.
///
/// # Method
/// Line and box are disjoint exactly when one of the three products of an axis with the direction separates them:
/// `|m_i| > h_j |d_k| + h_k |d_j|`. That decides; the slabs only give the parameters, largest entry and smallest exit.
///
/// # Source
/// Separating axes: Gottschalk, Lin, Manocha, *OBBTree*, SIGGRAPH 1996; slabs: Kay, Kajiya, 1986. The slab test by
/// itself loses ties (0 times infinity), the separating test has no division.
///
/// # Accuracy
/// One subtraction and one quotient per face, in twice the digits of the inputs: `conformance.rs`. With
/// `r_i = h_i + |o_i|` the terms of the test about axis i are below `(|d_j| + |d_k|) (r_1 + r_2 + r_3)`; a parameter
/// is off by a few u of `r_i / |d_i|`, so the slab that is entered last is certain where it leads by v of that.
///
/// # Edges
/// Faces, edges and corners belong to the box. A direction with zeros has no slab on those axes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn cross_cuboid<V: Vector, T: Arithmetic, P: Observer>(
    line: &WorkingRay<T>,
    center: Vec3<T>,
    h: Vec3<T>,
    observer: &mut P,
) -> Option<Intersection<T, Slabs<T>>> {
    let frame = line.local(center, h.max_abs_f64());
    let (h, Frame { o, d, .. }) = (frame.vector(h), frame);
    frame.check_scale_short::<V::Scalar, _, _, _>([], [h.x, h.y, h.z], observer);
    let size = o.map(Arithmetic::abs) + h;
    let (e, all) = (d.map(Arithmetic::abs), size.x + size.y + size.z);
    let magnitude = if T::NORMWISE_BOUNDS {
        Vec3::new(e.y + e.z, e.z + e.x, e.x + e.y) * all
    } else {
        Vec3::new(T::ZERO, T::ZERO, T::ZERO)
    };
    let slabs = Slabs { frame, o, d, h, size };
    if !slabs.intersects::<V, _>(frame.moment(), magnitude, observer) {
        return None;
    }
    if T::NORMWISE_BOUNDS {
        // An infinite term need not have made a gap uncertain.
        observer.is_finite((e.x + e.y + e.z) * all);
    }
    Some(Intersection::new(slabs.enter::<V, _>(observer), slabs))
}

impl<V: Vector> Kernel for Cuboid<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "rectangle" } else { "box" };
    const SOLID: bool = true;
    const PACKETS: Option<Numbers> = Some(Numbers::Parameter);
    type State<T: Arithmetic> = Slabs<T>;
    type Double = Cuboid<V::Double>;
    type Slow = Self::Double;

    fn double(&self) -> Self::Double {
        Cuboid { center: self.center.double(), half_extents: self.half_extents.double() }
    }

    fn slow(&self) -> Self::Slow {
        self.double()
    }

    /// See [`cross_cuboid`], which has the headings # Method, # Source, # Accuracy and # Edges.
    #[inline(always)]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, Slabs<T>>> {
        cross_cuboid::<V, _, _>(line, self.center.widen(), self.half_extents.widen(), observer)
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(&self, meet: &Intersection<T, Slabs<T>>, observer: &mut P) -> Crossing<T> {
        meet.state.exit::<V, _>(observer)
    }
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_face(self.center.widen(), self.half_extents.widen())
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, slabs: &Slabs<T>, at: &Crossing<T>) -> Normal<T> {
        Normal::Unit(slabs.outward(at))
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let (p, h) = (point - self.center.widen().weighted(), self.half_extents.widen::<T>().weighted());
        between(p, p.map(Arithmetic::abs), h, observer)
    }
    #[inline(always)]
    fn axis_box(&self) -> Option<[Vec3<f64>; 2]> {
        Some([self.center.widen(), self.half_extents.widen()])
    }
    fn axis_plane(&self, face: u32, is_exit: bool, direction: [f64; 3]) -> Option<AxisPlane> {
        Some(AxisPlane::of_box([self.center.widen(), self.half_extents.widen()], face as usize, is_exit, direction))
    }
    fn bounds(&self) -> Aabb<V> {
        bounds_around(self.center, self.half_extents.widen())
    }
}
