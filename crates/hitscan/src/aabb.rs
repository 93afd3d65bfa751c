//! Axis-aligned bounding boxes.

use crate::math::real::Real;
use crate::math::vector::Vector;

/// The points between `min` and `max`, both included. It may be unbounded; it is empty when some `min > max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<V> {
    /// The smallest coordinates.
    pub min: V,
    /// The largest coordinates.
    pub max: V,
}

impl<V: Vector> Aabb<V> {
    /// No point at all: the neutral element of [`union`](Self::union).
    pub fn empty() -> Self {
        Self { min: V::splat(V::Scalar::INFINITY), max: V::splat(-V::Scalar::INFINITY) }
    }
    /// Every point.
    pub fn everything() -> Self {
        Self { min: V::splat(-V::Scalar::INFINITY), max: V::splat(V::Scalar::INFINITY) }
    }
    /// The smallest box around some points.
    pub fn from_points(points: impl IntoIterator<Item = V>) -> Self {
        points.into_iter().fold(Self::empty(), |b, p| b.union(Self { min: p, max: p }))
    }
    /// The smallest box around two.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.zip(other.min, |a, b| if b < a { b } else { a }),
            max: self.max.zip(other.max, |a, b| if b > a { b } else { a }),
        }
    }
    /// Every coordinate is finite, and there is a point.
    pub fn is_bounded(&self) -> bool {
        self.min.all_finite() && self.max.all_finite() && !self.is_empty()
    }
    /// There is no point.
    pub fn is_empty(&self) -> bool {
        let (min, max) = (self.min.to_xyz(), self.max.to_xyz());
        (0..V::DIM).any(|i| !(min[i] <= max[i]))
    }
    /// The middle, each coordinate halved before it is added so that it cannot overflow.
    pub fn center(&self) -> V {
        let half = V::Scalar::from_f64(0.5);
        self.min * half + self.max * half
    }
    /// Half the extent along each axis.
    pub fn half_extents(&self) -> V {
        let half = V::Scalar::from_f64(0.5);
        self.max * half - self.min * half
    }
    /// The box is closed: its faces belong to it.
    pub fn contains(&self, point: V) -> bool {
        let (p, min, max) = (point.to_xyz(), self.min.to_xyz(), self.max.to_xyz());
        (0..V::DIM).all(|i| min[i] <= p[i] && p[i] <= max[i])
    }
}
