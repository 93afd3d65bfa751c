//! The ray or segment as given ([`InputRay`]), and in working arithmetic ([`WorkingRay`]).

use crate::math::arithmetic::{Arithmetic, outlined};
use crate::math::eft::{two_prod, two_sum};
use crate::math::frame::{Frame, SAFE_FACTOR, TINIEST, scale_of};
use crate::math::scale::power_of_two_below;
use crate::math::vec3::{Vec3, shrunk};

/// The ray or segment as given, widened to `f64`: the input of every arithmetic stage.
#[derive(Clone, Copy, Debug)]
pub struct InputRay {
    pub(crate) origin: [f64; 3],
    /// The direction of a ray, the end of a segment.
    pub(crate) target: [f64; 3],
    pub(crate) is_segment: bool,
    /// Range of `t` of the ray or segment itself.
    pub(crate) t_min: f64,
    pub(crate) t_max: f64,
    /// Largest finite number of the input precision: `t` of a hit is within plus and minus this. Infinite for an
    /// unlimited line.
    pub(crate) largest: f64,
    /// Layer mask of the ray itself.
    pub(crate) layers: u32,
}

/// A ray in working arithmetic: origin and direction.
#[derive(Clone, Copy, Debug)]
pub struct WorkingRay<T> {
    pub(crate) origin: Vec3<T>,
    pub(crate) direction: Vec3<T>,
    pub(crate) raw: InputRay,
}

impl InputRay {
    /// A point, as a ray without direction.
    pub(crate) fn point(origin: [f64; 3]) -> Self {
        let end = f64::INFINITY;
        Self { origin, target: [0.0; 3], is_segment: false, t_min: -end, t_max: end, largest: end, layers: u32::MAX }
    }
    /// The same ray with a range of `t` and layers of its own. A NaN makes the range empty.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn within(self, t_min: f64, t_max: f64, layers: u32) -> Self {
        // Kernels may then compare and reduce the ends of many rays: none is NaN.
        let (t_min, t_max) = if t_min.is_nan() || t_max.is_nan() { (1.0, 0.0) } else { (t_min, t_max) };
        Self {
            t_min: if t_min < self.t_min { self.t_min } else { t_min },
            t_max: if t_max > self.t_max { self.t_max } else { t_max },
            layers: self.layers & layers,
            ..self
        }
    }
    /// The same ray without limits of `t`.
    pub(crate) fn unlimited(self) -> Self {
        Self { t_min: f64::NEG_INFINITY, t_max: f64::INFINITY, largest: f64::INFINITY, ..self }
    }
    /// Whether origin and direction are finite and the direction is not zero: an invalid ray hits nothing. Tests the
    /// inputs, because the difference of two ends may be beyond the range of this arithmetic.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_valid(&self) -> bool {
        let InputRay { origin, target, is_segment, .. } = *self;
        // 0 times a NaN or an infinity is NaN.
        let [o, d] = [origin, target].map(|[x, y, z]| x * 0.0 + y * 0.0 + z * 0.0);
        let start = if is_segment { origin } else { [0.0; 3] };
        o + d == 0.0 && target != start
    }
    /// Whether the line certainly goes through a point: the moment about it is zero, in products and differences without rounding.
    /// `false` where a difference rounds, or a product is near the ends of the exponents. See docs/proofs.md, Lemma 21.
    pub(crate) fn certainly_meets(&self, point: [f64; 3]) -> bool {
        let difference = |a: [f64; 3], b: [f64; 3]| {
            let exact = |i: usize| {
                let (difference, error) = two_sum(a[i], -b[i]);
                (error == 0.0).then_some(difference)
            };
            Some([exact(0)?, exact(1)?, exact(2)?])
        };
        let way = difference(point, self.origin);
        let direction = if self.is_segment { difference(self.target, self.origin) } else { Some(self.target) };
        let (Some(way), Some(direction)) = (way, direction) else { return false };
        // A product is zero for a factor of zero alone, or else far from both ends of the exponents.
        let product = |i: usize, j: usize| {
            let (high, low) = two_prod(way[i], direction[j]);
            let is_exact = if high == 0.0 { way[i] == 0.0 || direction[j] == 0.0 } else { high.abs() > TINIEST };
            is_exact.then_some((high, low))
        };
        let equal = |i: usize, j: usize| product(i, j).zip(product(j, i)).is_some_and(|(a, b)| a == b);
        equal(1, 2) && equal(2, 0) && equal(0, 1)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn line<T: Arithmetic>(self) -> WorkingRay<T> {
        outlined!(T, {
            let wide = |[x, y, z]: [f64; 3]| Vec3::new(T::from_f64(x), T::from_f64(y), T::from_f64(z));
            let (origin, target) = (wide(self.origin), wide(self.target));
            WorkingRay { origin, direction: if self.is_segment { target - origin } else { target }, raw: self }
        })
    }
}

impl<T: Arithmetic> WorkingRay<T> {
    /// See [`InputRay::is_valid`].
    #[inline(always)]
    pub(crate) fn is_valid(&self) -> bool {
        self.raw.is_valid()
    }

    /// Whether the direction is a vector of numbers: the difference of the ends of a segment may overflow.
    pub(crate) fn has_direction(&self) -> bool {
        let Vec3 { x, y, z } = self.direction;
        [x, y, z].iter().all(|x| x.to_f64().is_finite())
    }

    /// Converts the input to another arithmetic.
    pub(crate) fn again<U: Arithmetic>(&self) -> WorkingRay<U> {
        self.raw.line()
    }

    /// Applies `number` to origin and direction.
    pub(crate) fn map<U: Arithmetic>(&self, number: impl Fn(T) -> U) -> WorkingRay<U> {
        let vector = |v: Vec3<T>| Vec3::new(number(v.x), number(v.y), number(v.z));
        WorkingRay { origin: vector(self.origin), direction: vector(self.direction), raw: self.raw }
    }

    /// The whole line, without limits of `t`.
    pub(crate) fn unlimited(&self) -> Self {
        Self { raw: self.raw.unlimited(), ..*self }
    }

    /// The point at `t` in scene coordinates, and its distance from the origin. Scaled in between where products need exponent range
    /// and have no bound of their error.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn at(&self, t: T) -> (Vec3<T>, T) {
        outlined!(T, {
            // In this range products lose no digits, so scaling would change none.
            let is_safe =
                |x: T| x.equals(T::ZERO) || (x.abs().to_f64() > 1.0 / SAFE_FACTOR && x.abs().to_f64() < SAFE_FACTOR);
            let Vec3 { x, y, z } = self.direction;
            if T::NORMWISE_BOUNDS || T::SELF_VALIDATING || (is_safe(x) && is_safe(y) && is_safe(z) && is_safe(t)) {
                return (self.origin + self.direction * t, t * self.direction.length_sq().sqrt());
            }
            let speed = power_of_two_below(self.direction.max_abs_f64()).unwrap_or(1.0);
            let pace = power_of_two_below(t.abs().to_f64()).unwrap_or(1.0);
            let d = self.direction.map(|c| c.times_power_of_two(speed));
            let t = t.times_power_of_two(pace);
            // Both factors in one, so that a subnormal result is rounded once. Where their product leaves the range, the
            // smaller one first: the larger one by itself may overflow.
            let (a, b) = (1.0 / speed, 1.0 / pace);
            let (first, second) =
                if a * b > 0.0 && a * b < f64::INFINITY { (a * b, 1.0) } else { (a.min(b), a.max(b)) };
            let back = |x: T| x.times_power_of_two(first).times_power_of_two(second);
            // Beyond the range of f64 a point has infinite coordinates, never NaN.
            let add = |o: T, way: T| {
                let sum = o + way;
                if sum.to_f64().is_nan() { T::from_f64(o.to_f64() + way.to_f64()) } else { sum }
            };
            let (o, way) = (self.origin, (d * t).map(back));
            let point = Vec3::new(add(o.x, way.x), add(o.y, way.y), add(o.z, way.z));
            (point, back(t * d.length_sq().sqrt()))
        })
    }

    /// The ray relative to a shape: `reference` is the new origin and `extent` the largest absolute value of the
    /// shape's other parameters (edges, radii). Powers of two bring the largest number and the length of the
    /// direction near 1. They are exact, so a kernel of any degree decides as if exponents had no limits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn local(&self, reference: Vec3<T>, extent: f64) -> Frame<T> {
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                return Frame { o: self.origin - reference, d: self.direction, scale: 1.0, speed: 1.0 };
            }
            let speed = scale_of::<T>(self.direction.max_abs_f64());
            let d = self.direction.map(|c| shrunk(c, speed));
            Frame { d, speed, ..Frame::around(self.origin, reference, extent) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rounding::power;

    /// A line meets the points that are exactly on it; differences that round and products that underflow say no.
    #[test]
    fn points_on_a_line() {
        let ray = |origin, target| InputRay { target, ..InputRay::point(origin) };
        let line = ray([1.0, 2.0, -3.0], [2.0, -4.0, 6.0]);
        assert!(line.certainly_meets([0.0, 4.0, -6.0]) && line.certainly_meets([1.0, 2.0, -3.0]));
        assert!(!line.certainly_meets([0.0, 4.0, f64::next_up(-6.0)]) && !line.certainly_meets([0.0, 4.0, -5.0]));
        let segment = InputRay { is_segment: true, ..ray([1.0, 2.0, -3.0], [3.0, -2.0, 3.0]) };
        assert!(segment.certainly_meets([2.0, 0.0, 0.0]) && !segment.certainly_meets([2.0, 0.0, 1.0]));
        // The difference to the origin rounds.
        assert!(!ray([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]).certainly_meets([power(-80), 0.0, 0.0]));
        // Products of two parallel vectors, and of two others, that are both zero after rounding.
        let (tiny, small) = (power(-600), power(-700));
        assert!(!ray([0.0; 3], [tiny, tiny, 0.0]).certainly_meets([small, small, 0.0]));
        assert!(!ray([0.0; 3], [tiny, tiny, 0.0]).certainly_meets([small, 2.0 * small, 0.0]));
        // The axes have no such products.
        assert!(ray([0.0; 3], [tiny, 0.0, 0.0]).certainly_meets([small, 0.0, 0.0]));
        assert!(!ray([0.0; 3], [f64::MAX, 1.0, 0.0]).certainly_meets([f64::MAX, 1.0, f64::NAN]));
    }
}
