//! Axis-aligned bounding boxes.

use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;

/// An axis-aligned bounding box: the points from `min` to `max`, both included.
///
/// A box may be unbounded. It is empty if some `min > max`; the [`Default`] is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb<V> {
    /// The smallest coordinates.
    pub min: V,
    /// The largest coordinates.
    pub max: V,
}

impl<V: Vector> Aabb<V> {
    /// The empty box: the neutral element of [`union`](Self::union).
    #[must_use]
    pub fn empty() -> Self {
        Self { min: V::splat(V::Scalar::INFINITY), max: V::splat(-V::Scalar::INFINITY) }
    }
    /// The box of all points.
    #[must_use]
    pub fn everything() -> Self {
        Self { min: V::splat(-V::Scalar::INFINITY), max: V::splat(V::Scalar::INFINITY) }
    }
    /// The smallest box that contains the points.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = V>) -> Self {
        points.into_iter().fold(Self::empty(), |b, p| b.union(Self { min: p, max: p }))
    }
    /// The box between two corners in `f64`, each coordinate one number further outward: they were rounded to nearest.
    pub(crate) fn rounded_outward(corners: [[f64; 3]; 2]) -> Self {
        let [min, max] = corners.map(|corner| V::from_xyz(corner.map(V::Scalar::from_f64)));
        Self { min, max }.outward()
    }
    /// The box, one number further outward: its coordinates were rounded to nearest from working arithmetic.
    pub(crate) fn outward(self) -> Self {
        Self { min: self.min.map(Real::next_down), max: self.max.map(Real::next_up) }
    }
    /// The smallest box that contains both boxes.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.zip(other.min, |a, b| if b < a { b } else { a }),
            max: self.max.zip(other.max, |a, b| if b > a { b } else { a }),
        }
    }
    /// The points in both boxes.
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self {
            min: self.min.zip(other.min, |a, b| if b > a { b } else { a }),
            max: self.max.zip(other.max, |a, b| if b < a { b } else { a }),
        }
    }
    /// Whether the box contains a point and all its coordinates are finite.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.min.all_finite() && self.max.all_finite() && !self.is_empty()
    }
    /// Whether the box contains no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let (min, max) = (self.min.to_xyz(), self.max.to_xyz());
        (0..V::DIM).any(|i| !(min[i] <= max[i]))
    }
    /// The greatest extent along an axis.
    pub(crate) fn greatest_extent(&self) -> f64 {
        (self.max.widen::<f64>() - self.min.widen()).max_abs_f64()
    }
    /// The center. Each coordinate is halved before the addition, which thus cannot overflow.
    #[must_use]
    pub fn center(&self) -> V {
        let half = V::Scalar::from_f64(0.5);
        self.min * half + self.max * half
    }
    /// Half the extent along each axis.
    #[must_use]
    pub fn half_extents(&self) -> V {
        let half = V::Scalar::from_f64(0.5);
        self.max * half - self.min * half
    }
    /// The distance of a point from the box, 0 inside, rounded from `f64`. Sides may be infinitely far away.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Aabb};
    /// let half = Aabb { min: Vec3::ZERO, max: Vec3::INFINITY };
    /// assert_eq!((half.distance(Vec3::new(-3.0, -4.0, 7.0)), half.distance(Vec3::ONE)), (5.0, 0.0));
    /// ```
    #[must_use]
    pub fn distance(&self, point: V) -> V::Scalar {
        let [min, max, point] = [self.min, self.max, point].map(Vector::to_f64);
        let gap = |i: usize| if i < V::DIM { (min[i] - point[i]).max(point[i] - max[i]).max(0.0) } else { 0.0 };
        V::Scalar::from_f64(Vec3::new(gap(0), gap(1), gap(2)).length())
    }
    /// Whether the box contains the point. Its faces belong to it.
    #[must_use]
    pub fn contains(&self, point: V) -> bool {
        let (p, min, max) = (point.to_xyz(), self.min.to_xyz(), self.max.to_xyz());
        (0..V::DIM).all(|i| min[i] <= p[i] && p[i] <= max[i])
    }
}

impl<V: Vector> Default for Aabb<V> {
    fn default() -> Self {
        Self::empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, Vec3};

    #[test]
    fn the_default_is_empty_and_neutral() {
        assert!(Aabb::<DVec2>::default().is_empty());
        let cube = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert_eq!(Aabb::default().union(cube), cube);
        assert_eq!(cube.union(Aabb::default()), cube);
    }
}
