//! `LocalPoint`: a point relative to a shape, scaled by powers of two.

use crate::closest_point::Feature;
use crate::kernel::projection::Projection;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;

/// 2^1000: sums of a few numbers below it do not overflow.
const OVERFLOW_GUARD: f64 = power(1000);

/// 2^-8: brings all numbers below [`OVERFLOW_GUARD`], and leaves room for sums.
const SHRINK: f64 = power(-8);

/// A point relative to the reference point of a shape. The powers of two bring the largest of the coordinates and the
/// lengths of the shape to 1..2, so no product of a few overflows. A number that underflows is far below the error bound,
/// which is relative to the largest one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalPoint<T> {
    /// The point, relative and scaled.
    pub(crate) o: Vec3<T>,
    /// The point, times `shrink`.
    point: Vec3<T>,
    /// Reference point, times `shrink`.
    reference: Vec3<T>,
    /// 1, or [`SHRINK`] if there are numbers near the end of the range.
    shrink: f64,
    scale: f64,
}

/// Product of a vector with a power of two.
#[inline(always)]
fn times<T: Arithmetic>(v: Vec3<T>, factor: f64) -> Vec3<T> {
    v.map(|c| c.times_power_of_two(factor))
}

/// Length of a vector.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn length<T: Arithmetic>(v: Vec3<T>) -> T {
    let length_sq = v.length_sq();
    // Below this, squares have lost digits, in the low parts of a number first.
    if length_sq.to_f64() < SHORT_SQUARE { length_of_short(v) } else { length_sq.sqrt() }
}

/// 2^-800: products above it have all their digits in the range of `f64`.
const SHORT_SQUARE: f64 = power(-800);

#[cold]
#[inline(never)]
fn length_of_short<T: Arithmetic>(v: Vec3<T>) -> T {
    let scale = power_of_two_below(v.max_abs_f64()).unwrap_or(1.0);
    times(v, scale).length_sq().sqrt().times_power_of_two(1.0 / scale)
}

impl<T: Arithmetic> LocalPoint<T> {
    /// `extent` is the greatest length of the shape.
    pub(crate) fn new(point: Vec3<T>, reference: Vec3<T>, extent: f64) -> Self {
        let largest = point.max_abs_f64().max(reference.max_abs_f64()).max(extent);
        let shrink = if largest < OVERFLOW_GUARD { 1.0 } else { SHRINK };
        let reference = times(reference, shrink);
        let point = times(point, shrink);
        let unscaled = point - reference;
        let extent = extent.min(f64::MAX) * shrink;
        let scale = power_of_two_below(unscaled.max_abs_f64().max(extent)).unwrap_or(1.0);
        Self { o: times(unscaled, scale), point, reference, shrink, scale }
    }
    /// Scaled length.
    #[inline(always)]
    pub(crate) fn length(&self, x: T) -> T {
        x.times_power_of_two(self.shrink).times_power_of_two(self.scale)
    }
    /// Scaled lengths along the axes.
    #[inline(always)]
    pub(crate) fn lengths(&self, v: Vec3<T>) -> Vec3<T> {
        v.map(|c| self.length(c))
    }
    /// Scaled vector from `a` to `b`.
    #[inline(always)]
    pub(crate) fn between(&self, a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
        times(self.direction_between(a, b), self.scale)
    }
    /// Scaled offset of another point from the reference point.
    #[inline(always)]
    pub(crate) fn offset(&self, p: Vec3<T>) -> Vec3<T> {
        times(times(p, self.shrink) - self.reference, self.scale)
    }
    /// Vector from `p` to the point, of any length. Its direction has all digits even if the shape is much larger, because it
    /// is not scaled.
    #[inline(always)]
    pub(crate) fn direction_from(&self, p: Vec3<T>) -> Vec3<T> {
        self.point - times(p, self.shrink)
    }
    /// Vector from `a` to `b`, of any length, with all digits.
    #[inline(always)]
    pub(crate) fn direction_between(&self, a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
        times(b, self.shrink) - times(a, self.shrink)
    }
    /// The projection at a scaled offset from the reference point.
    #[inline(always)]
    pub(crate) fn projection(&self, offset: Vec3<T>, distance: T, feature: Feature) -> Projection<T> {
        let back = |x: T| x.times_power_of_two(1.0 / self.scale);
        let point = times(self.reference + offset.map(back), 1.0 / self.shrink);
        Projection { point, distance: back(distance).times_power_of_two(1.0 / self.shrink), feature, uv: None }
    }
    /// The projection at a scaled offset from the point.
    #[inline(always)]
    pub(crate) fn projection_beside(&self, offset: Vec3<T>, feature: Feature) -> Projection<T> {
        self.projection(self.o + offset, length(offset), feature)
    }
}
