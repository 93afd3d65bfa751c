//! The slab of a plane: the points within a distance of it, and the half-space that ends at it.

use crate::kernel::crossing::Crossing;
use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::roots::{Bounded, sign_of_roots};
use crate::math::vec3::Vec3;
use core::cmp::Ordering;

/// A line and a plane, relative to a point of it.
pub(crate) struct ThickPlane<T> {
    pub(crate) frame: Frame<T>,
    pub(crate) n: Vec3<T>,
    /// Sum of the magnitudes of the components of `n`.
    pub(crate) size: T,
    /// Distance, in the units of the frame.
    pub(crate) r: T,
    pub(crate) slope: T,
    height: T,
    height_magnitude: T,
    /// `r |n|`.
    offset: T,
}

/// Crossings with a convex set; `None` if the line passes it.
pub(crate) type EnterExit<T> = Option<[Crossing<T>; 2]>;

fn crossing<T: Arithmetic>(t: T) -> Crossing<T> {
    Crossing::new(t, 0, T::ONE)
}

fn never<T: Arithmetic>(sign: f64) -> Crossing<T> {
    crossing(T::from_f64(sign * f64::INFINITY))
}

impl<T: Arithmetic> ThickPlane<T> {
    /// The plane through the reference point of the frame. A slope from zeros only is certainly zero: spheres often move
    /// parallel to floors and walls.
    pub(crate) fn new<P: Observer>(frame: Frame<T>, normal: BoundedVector<T>, r: T, observer: &mut P) -> Self {
        let BoundedVector { vector: n, magnitude } = normal;
        let terms = |v: Vec3<T>| magnitude.plain_dot(v.map(Arithmetic::abs));
        let (slope, height) = (n.dot(frame.d), n.dot(frame.o));
        let slope_magnitude = terms(frame.d);
        if !slope_magnitude.equals(T::ZERO) {
            observer.value(slope, slope_magnitude);
        }
        let (height_magnitude, offset) = (terms(frame.o), r * n.length_sq().sqrt());
        Self { frame, n, size: magnitude.l1_norm(), r, slope, height, height_magnitude, offset }
    }

    /// The plane through a reference point that is rounded: `terms` bound the terms of the coordinates of the origin beyond these
    /// coordinates themselves, in the units of the frame, with the magnitude of the normal.
    pub(crate) fn with_offset_terms(self, normal: Vec3<T>, terms: Vec3<T>) -> Self {
        Self { height_magnitude: self.height_magnitude + normal.plain_dot(terms), ..self }
    }

    /// `t` at which the signed distance from the plane is the offset, times `sign`.
    fn at_distance<P: Observer>(&self, sign: T, observer: &mut P) -> Crossing<T> {
        let rest = sign * self.offset - self.height;
        observer.value(rest, self.height_magnitude + self.r * self.size);
        crossing(self.frame.t(rest / self.slope))
    }

    /// The sign of `|n . o| - r |n|`, or without the bars.
    fn side<P: Observer>(&self, height: T, observer: &mut P) -> Ordering {
        if T::SELF_VALIDATING {
            let exact = |value: T| Bounded { value, magnitude: T::ZERO };
            return sign_of_roots(exact(height), T::ONE, exact(-self.r), exact(self.n.length_sq()), observer);
        }
        let excess = height - self.offset;
        observer.sign(excess, self.height_magnitude + self.r * self.size);
        excess.compare(T::ZERO).unwrap_or(Ordering::Greater)
    }

    /// The points within the distance on both sides.
    ///
    /// # Method
    /// The signed distance of the line from the plane is `n . o + t n . d`, over `|n|`; it is `r |n|` or its negative at both
    /// ends of the interval.
    pub(crate) fn cross_slab<P: Observer>(&self, observer: &mut P) -> EnterExit<T> {
        if self.slope.equals(T::ZERO) {
            return self.side(self.height.abs(), observer).is_le().then(|| [never(-1.0), never(1.0)]);
        }
        let towards = T::ONE.mul_sign(self.slope);
        Some([self.at_distance(-towards, observer), self.at_distance(towards, observer)])
    }

    /// The points up to the distance in the direction of the normal, and all behind.
    pub(crate) fn cross_half_space<P: Observer>(&self, observer: &mut P) -> EnterExit<T> {
        if self.slope.lt(T::ZERO) {
            Some([self.at_distance(T::ONE, observer), never(1.0)])
        } else if self.slope.gt(T::ZERO) {
            Some([never(-1.0), self.at_distance(T::ONE, observer)])
        } else {
            self.side(self.height, observer).is_le().then(|| [never(-1.0), never(1.0)])
        }
    }
}
