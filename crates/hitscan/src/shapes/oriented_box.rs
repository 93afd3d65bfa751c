//! Oriented box, in 2D the oriented rectangle.

use crate::aabb::Aabb;
use crate::basis::Basis;
use crate::block_hits::Numbers;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::cuboid::between;
use crate::shapes::error::{ShapeError, axes, each, finite, not_negative};
use crate::shapes::slabs::Slabs;

/// Oriented box: the solid within `half_extents` of `center` along the axes of a basis, with
/// `|axis_i . (p - center)| <= half_extents_i`, for the axes exactly as they are.
#[doc(alias = "obb")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox<V: Vector> {
    center: V,
    half_extents: V,
    basis: Basis<V>,
}

impl<V: Vector> OrientedBox<V> {
    /// Oriented box around `center`. A half extent may be zero: the box is then flat, and can still be hit.
    ///
    /// # Errors
    /// `center` not finite; `half_extents` not finite or negative.
    pub fn new(center: V, half_extents: V, basis: Basis<V>) -> Result<Self, ShapeError> {
        finite("center", center)?;
        each(half_extents, |x| not_negative("half_extents", x))?;
        Ok(Self { center, half_extents, basis })
    }
    /// Oriented box from its axes as vectors.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new); `axes` that are not orthonormal.
    pub fn with_axes(center: V, half_extents: V, given: &[V]) -> Result<Self, ShapeError> {
        Self::new(center, half_extents, axes(given)?)
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
    /// The orientation.
    #[must_use]
    pub fn basis(&self) -> &Basis<V> {
        &self.basis
    }
}

/// Whether the filter may take a line as parallel to a slab: the direction across it is not certain, and the line is certainly between its
/// faces from where it enters the box to where it leaves.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_along_slab<T: Arithmetic, P: Observer>(
    axis: usize,
    [o, d, h]: [Vec3<T>; 3],
    [o_magnitude, d_magnitude]: [Vec3<T>; 2],
    observer: &P,
) -> bool {
    let share = T::value_threshold() * observer.strictness();
    if P::UNFILTERED || !T::NORMWISE_BOUNDS || d.get(axis).exceeds(share, d_magnitude.get(axis)) {
        return false;
    }
    // In the box, `t` is at most the sizes of origin and box over the largest component of the direction. Twice that covers roundings.
    let share = T::from_f64(share);
    let farthest = (o_magnitude.max_abs() + h.max_abs()) / d.max_abs();
    let drift = (d.get(axis).abs() + d_magnitude.get(axis) * share) * (farthest + farthest);
    (o.get(axis).abs() + drift + (o_magnitude.get(axis) + h.get(axis)) * share).lt(h.get(axis))
}

impl<V: Vector> Kernel for OrientedBox<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "rectangle" } else { "box" };
    const SOLID: bool = true;
    const PACKETS: Option<Numbers> = Some(Numbers::Parameter);
    type State<T: Arithmetic> = Slabs<T>;
    type Double = OrientedBox<V::Double>;
    type Slow = Self::Double;

    fn double(&self) -> Self::Double {
        OrientedBox {
            center: self.center.double(),
            half_extents: self.half_extents.double(),
            basis: self.basis.double(),
        }
    }

    fn slow(&self) -> Self::Slow {
        self.double()
    }

    /// # Method
    /// The line in the coordinates of the box, then the axis-aligned box. The matrix of cofactors rotates the moment
    /// itself, which is not computed anew from the rotated line: a far origin costs no digits.
    ///
    /// # Source
    /// `(A o) x (A d) = cof(A) (o x d)`; otherwise the source of [`Cuboid`](crate::Cuboid).
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `cases.rs` on `oriented_box.toml`.
    ///
    /// # Edges
    /// Faces, edges and corners belong to the box. A local direction with zeros has no slab on those axes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, Slabs<T>>> {
        let h = self.half_extents.widen::<T>();
        let frame = line.local(self.center.widen(), h.max_abs_f64());
        let h = frame.vector(h);
        frame.check_scale([], [h.x, h.y, h.z], observer);
        let (o, d) = (self.basis.local(frame.o), self.basis.local(frame.d));
        let m = self.basis.local_moment(frame.moment());
        // Rotated numbers are sums of three products, two of them zero where the axes are those of the coordinates.
        let m_magnitude = self.basis.magnitude_of_moment(frame.o.cross_magnitude(frame.d));
        let (o_magnitude, d_magnitude) = (self.basis.magnitude_of(frame.o), self.basis.magnitude_of(frame.d));
        self.basis.check_scale::<T, P>(observer);
        let mut slabs = Slabs { frame, o, d, h, size: h + o_magnitude };
        if !slabs.intersects::<V, _>(m, h.cross_magnitude(d_magnitude) + m_magnitude, observer) {
            return None;
        }
        // The line enters and leaves by other slabs than those along which it runs. Only a hit needs the digits of its direction.
        let mut across = [d.x, d.y, d.z];
        for (axis, across) in across.iter_mut().enumerate().take(V::DIM) {
            if is_along_slab(axis, [o, d, h], [o_magnitude, d_magnitude], observer) {
                *across = T::ZERO;
            } else {
                observer.value(d.get(axis), d_magnitude.get(axis));
            }
        }
        let [x, y, z] = across;
        slabs.d = Vec3::new(x, y, z);
        Some(Intersection::new(slabs.enter::<V, _>(observer), slabs))
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(&self, meet: &Intersection<T, Slabs<T>>, observer: &mut P) -> Crossing<T> {
        meet.state.exit::<V, _>(observer)
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, slabs: &Slabs<T>, at: &Crossing<T>) -> Normal<T> {
        Normal::Direction(self.basis.world(slabs.outward(at)))
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let h = self.half_extents.widen::<T>();
        let frame = Frame::around(point, self.center.widen(), h.max_abs_f64());
        let h = frame.vector(h);
        frame.check_scale([], [h.x, h.y, h.z], observer);
        self.basis.check_scale::<T, P>(observer);
        between(self.basis.local(frame.o), self.basis.magnitude_of(frame.o), h, observer)
    }
    fn bounds(&self) -> Aabb<V> {
        let half = self.half_extents.widen::<f64>();
        bounds_around(self.center, self.basis.enclosing(self.basis.extents_of(half), half.max_abs_f64()))
    }
}
