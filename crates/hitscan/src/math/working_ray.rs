//! A ray or a segment as it was given ([`InputRay`]), and in working arithmetic ([`WorkingRay`]).

use crate::math::arithmetic::Arithmetic;
use crate::math::frame::{Frame, ROOMY};
use crate::math::scale::power_of_two_below;
use crate::math::vec3::{Vec3, shrunk};

/// A ray or a segment as it was given: what every arithmetic starts from.
#[derive(Clone, Copy, Debug)]
pub struct InputRay {
    pub(crate) origin: [f64; 3],
    /// The direction of a ray, the end of a segment.
    pub(crate) target: [f64; 3],
    pub(crate) is_segment: bool,
    /// The range of `t` that it has by itself.
    pub(crate) t_min: f64,
    pub(crate) t_max: f64,
    /// The largest finite number of the precision: no hit lies beyond it, on either side. Of a line without limits it is
    /// infinite.
    pub(crate) largest: f64,
}

/// Origin and direction in working arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct WorkingRay<T> {
    pub(crate) origin: Vec3<T>,
    pub(crate) direction: Vec3<T>,
    pub(crate) raw: InputRay,
}

impl InputRay {
    /// A point, in the form of a line without direction.
    pub(crate) fn point(origin: [f64; 3]) -> Self {
        let end = f64::INFINITY;
        Self { origin, target: [0.0; 3], is_segment: false, t_min: -end, t_max: end, largest: end }
    }
    /// A direction of non-zero finite length from a finite origin: everything else hits nothing. Asked of the numbers
    /// that were given: the difference of two ends may be beyond the range of this arithmetic.
    #[inline(always)]
    pub(crate) fn is_valid(&self) -> bool {
        let InputRay { origin, target, is_segment, .. } = *self;
        // 0 times a NaN or an infinity is NaN.
        let [o, d] = [origin, target].map(|[x, y, z]| x * 0.0 + y * 0.0 + z * 0.0);
        let start = if is_segment { origin } else { [0.0; 3] };
        o + d == 0.0 && target != start
    }
    #[inline(always)]
    pub(crate) fn line<T: Arithmetic>(self) -> WorkingRay<T> {
        T::outlined(|| {
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

    /// The same line in other arithmetic, from the numbers it was given by.
    pub(crate) fn again<U: Arithmetic>(&self) -> WorkingRay<U> {
        self.raw.line()
    }

    /// Each number in other arithmetic.
    pub(crate) fn map<U: Arithmetic>(&self, number: impl Fn(T) -> U) -> WorkingRay<U> {
        let vector = |v: Vec3<T>| Vec3::new(number(v.x), number(v.y), number(v.z));
        WorkingRay { origin: vector(self.origin), direction: vector(self.direction), raw: self.raw }
    }

    /// The whole line, whatever range of `t` it was given with.
    pub(crate) fn unlimited(&self) -> Self {
        Self {
            raw: InputRay { t_min: f64::NEG_INFINITY, t_max: f64::INFINITY, largest: f64::INFINITY, ..self.raw },
            ..*self
        }
    }

    /// The point at `t`, in the scene's own coordinates, and the distance to it from the origin. Scaled on the way, for
    /// the exact products of `Dd` need room.
    #[inline(always)]
    pub(crate) fn at(&self, t: T) -> (Vec3<T>, T) {
        T::outlined(|| {
            // Powers of two change no digit of products that keep all of theirs.
            let roomy = |x: T| x == T::ZERO || (x.abs().to_f64() > 1.0 / ROOMY && x.abs().to_f64() < ROOMY);
            let Vec3 { x, y, z } = self.direction;
            if T::NORMWISE_BOUNDS || (roomy(x) && roomy(y) && roomy(z) && roomy(t)) {
                return (self.origin + self.direction * t, t * self.direction.length_sq().sqrt());
            }
            let speed = power_of_two_below(self.direction.extent()).unwrap_or(1.0);
            let pace = power_of_two_below(t.abs().to_f64()).unwrap_or(1.0);
            let d = self.direction.map(|c| c.times_power_of_two(speed));
            let t = t.times_power_of_two(pace);
            let back = |x: T| x.times_power_of_two(1.0 / speed).times_power_of_two(1.0 / pace);
            // Beyond the range of f64 a point has infinite coordinates, and none that are not a number.
            let add = |o: T, way: T| {
                let sum = o + way;
                if sum.to_f64().is_nan() { T::from_f64(o.to_f64() + way.to_f64()) } else { sum }
            };
            let (o, way) = (self.origin, (d * t).map(back));
            let point = Vec3::new(add(o.x, way.x), add(o.y, way.y), add(o.z, way.z));
            (point, back(t * d.length_sq().sqrt()))
        })
    }

    /// The line seen from a shape: `reference` is the new origin and `extent` the largest magnitude among the shape's
    /// other parameters (edges, radii). Powers of two bring the largest number near 1 and the direction's length
    /// near 1; they are exact, so a kernel of any degree decides as if the range of exponents had no end.
    #[inline(always)]
    pub(crate) fn local(&self, reference: Vec3<T>, extent: f64) -> Frame<T> {
        T::outlined(|| {
            if T::NORMWISE_BOUNDS {
                return Frame { o: self.origin - reference, d: self.direction, scale: 1.0, speed: 1.0 };
            }
            let speed = power_of_two_below(self.direction.extent()).unwrap_or(1.0);
            let d = self.direction.map(|c| shrunk(c, speed));
            Frame { d, speed, ..Frame::around(self.origin, reference, extent) }
        })
    }
}
