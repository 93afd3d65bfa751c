//! `Frame`: a ray relative to a shape, scaled by powers of two so that nothing overflows.

use crate::math::arithmetic::{Arithmetic, outlined};
use crate::math::observer::Observer;
use crate::math::real::{Precision, Real};
use crate::math::scale::power_of_two_below;
use crate::math::vec3::{TINY, Vec3, shrunk};

/// 2^100: for two numbers between its inverse and it, the product and its rounding error are far from both ends of
/// the range of `f64`.
pub(crate) const SAFE_FACTOR: f64 = f64::from_bits((1023 + 100) << 52);

/// A ray relative to a shape, in the shape's units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<T> {
    /// Origin of the ray relative to the shape's reference point.
    pub(crate) o: Vec3<T>,
    /// Direction, its largest component in 1..2.
    pub(crate) d: Vec3<T>,
    pub(crate) scale: f64,
    pub(crate) speed: f64,
}

impl<T: Arithmetic> Frame<T> {
    /// Frame of a point: like that of a ray, with direction zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn around(point: Vec3<T>, reference: Vec3<T>, extent: f64) -> Self {
        outlined!(T, {
            let o = point - reference.weighted();
            let extent = T::weight().map_or(extent, |weight| extent * weight.to_f64());
            let scale = scale_of::<T>(o.max_abs_f64().max(extent));
            let zero = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
            Self { o: o.map(|c| shrunk(c, scale)), d: zero, scale, speed: 1.0 }
        })
    }
    /// Moves the origin to `o`, relative to another reference point in the same units.
    #[inline(always)]
    pub(crate) fn with_origin(self, o: Vec3<T>) -> Self {
        Self { o, ..self }
    }
    /// Moment of the ray about the reference point, `o x d` (Plücker coordinates). Its length is the distance of the
    /// line from the point, times the length of `d`. It does not change along the line, so a far origin costs no
    /// digits.
    #[inline(always)]
    pub(crate) fn moment(&self) -> Vec3<T> {
        self.o.cross(self.d)
    }
    /// Filter test of the scale: flags a number, of the ray or among the `edges` and `lengths` of the shape, that is
    /// so small relative to the others that a product of a few may underflow. The query then runs in lazy exact
    /// arithmetic, which has no exponent limits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn check_scale<const N: usize, const M: usize, P: Observer>(
        &self,
        edges: [Vec3<T>; N],
        lengths: [T; M],
        observer: &mut P,
    ) {
        if P::UNFILTERED {
            return;
        }
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                // Nothing is scaled: products of the largest numbers, on which all bounds depend, must stay in the
                // range of f64. Each edge is a factor of the tested values, and so is the largest of the lengths and
                // the vector from the shape to the origin.
                let far = self.o.l1_norm();
                observer.check_origin_size(far);
                let near = lengths.into_iter().fold(far, |a, b| a.max(b.abs()));
                let (mut least, mut most) = (near, near);
                for edge in edges {
                    let length = edge.l1_norm();
                    (least, most) = (least.min(length), most.max(length));
                }
                let [smaller, smallest, largest] = [SMALLER, SMALLEST, LARGEST].map(T::from_f64);
                let speed = self.d.l1_norm();
                let sized = least.exceeds(1.0, smaller) && most.exceeds(1.0, smallest) && largest.exceeds(1.0, most);
                if !(sized && speed.exceeds(1.0, smallest) && largest.exceeds(1.0, speed)) {
                    observer.set_uncertain();
                }
                return;
            }
            let fine = |x: T| x.equals(T::ZERO) || x.abs().to_f64() > TINY;
            let tame = |v: Vec3<T>| fine(v.x) && fine(v.y) && fine(v.z);
            if !(tame(self.o) && tame(self.d) && edges.into_iter().all(tame) && lengths.into_iter().all(fine)) {
                observer.set_uncertain();
            }
        });
    }
    /// [`check_scale`](Self::check_scale) for a kernel whose numbers are products of at most six inputs, and
    /// quotients of such products. Inputs in `f32` lie within 2^-149 and 2^128: unscaled arithmetic needs no test
    /// (docs/proofs.md, Lemma 6).
    #[inline(always)]
    pub(crate) fn check_scale_short<S: Real, const N: usize, const M: usize, P: Observer>(
        &self,
        edges: [Vec3<T>; N],
        lengths: [T; M],
        observer: &mut P,
    ) {
        if !(T::NORMWISE_BOUNDS && S::PRECISION == Precision::Single) {
            self.check_scale(edges, lengths, observer);
        }
    }
    /// [`check_scale`](Self::check_scale) for a vector whose length does not matter, a normal: tests only its
    /// components.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn check_direction<S: Real, P: Observer>(n: Vec3<T>, observer: &mut P) {
        if P::UNFILTERED {
            return;
        }
        outlined!(T, {
            if T::NORMWISE_BOUNDS && S::PRECISION == Precision::Single {
                return;
            }
            let fine = |x: T| x.equals(T::ZERO) || x.abs().to_f64() > TINY;
            let tame = if T::NORMWISE_BOUNDS {
                let size = n.max_abs();
                size.exceeds(1.0, T::from_f64(SMALLEST)) && T::from_f64(LARGEST).exceeds(1.0, size)
            } else {
                fine(n.x) && fine(n.y) && fine(n.z)
            };
            if !tame {
                observer.set_uncertain();
            }
        });
    }
    /// Converts a length from scene units to the shape's units.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn length(&self, x: T) -> T {
        if T::NORMWISE_BOUNDS {
            return x;
        }
        shrunk(x.weighted(), self.scale)
    }
    /// Converts a point of the ray from scene units, relative to another reference point of the shape.
    #[inline(always)]
    pub(crate) fn offset(&self, point: Vec3<T>, reference: Vec3<T>) -> Vec3<T> {
        let offset = point - reference.weighted();
        if T::NORMWISE_BOUNDS { offset } else { offset.map(|c| shrunk(c, self.scale)) }
    }
    /// Converts a vector from scene units to the shape's units.
    #[inline(always)]
    pub(crate) fn vector(&self, v: Vec3<T>) -> Vec3<T> {
        v.map(|c| self.length(c))
    }
    /// [`t`](Self::t) for a quotient of numbers that passed filter tests against the largest magnitudes: it is large
    /// enough without a test (docs/proofs.md, Lemma 6).
    #[inline(always)]
    pub(crate) fn plain_t(&self, t: T) -> T {
        if T::NORMWISE_BOUNDS { t } else { self.t(t) }
    }
    /// [`t`](Self::t) for a quotient of two numbers that passed [`check_scale_short`](Self::check_scale_short).
    #[inline(always)]
    pub(crate) fn short_t<S: Real>(&self, t: T) -> T {
        if T::NORMWISE_BOUNDS && S::PRECISION == Precision::Single { t } else { self.t(t) }
    }
    /// Converts a parameter along `d`, in the shape's units, to `t` of the ray: an exact scaling, or in the filter NaN where digits
    /// may be lost.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn t(&self, t: T) -> T {
        outlined!(T, {
            if T::NORMWISE_BOUNDS {
                // A quotient of two numbers along one axis has no lower bound.
                return if t.equals(T::ZERO) || t.abs().gt(T::from_f64(TINIEST)) { t } else { T::from_f64(f64::NAN) };
            }
            let ratio = self.speed / self.scale;
            if ratio > 0.0 && ratio < f64::INFINITY && self.speed / ratio == self.scale {
                t.times_power_of_two(ratio)
            } else {
                t.times_power_of_two(self.speed).times_power_of_two(1.0 / self.scale)
            }
        })
    }
}

/// The power of two that brings a size near 1. Arithmetic with a bound of its error needs none, unless products of a dozen numbers leave
/// the range of `f64`.
#[inline(always)]
pub(crate) fn scale_of<T: Arithmetic>(size: f64) -> f64 {
    let needs_none = T::SELF_VALIDATING && size > 1.0 / LARGEST && size < LARGEST;
    if needs_none { 1.0 } else { power_of_two_below(size).unwrap_or(1.0) }
}

/// 2^±40: bounds of sizes and directions that need no scaling. The kernels' normals have degree 9, their squares
/// degree 18; a term that underflows is far below the smallest bound of that degree (docs/proofs.md, Lemma 6).
pub(crate) const LARGEST: f64 = f64::from_bits((1023 + 40) << 52);

const SMALLEST: f64 = f64::from_bits((1023 - 40) << 52);

/// 2^-64: lower bound of one edge, or of all sizes but the edges, while the other numbers exceed [`SMALLEST`]. Its
/// degree in a tested value is at most 8, that of all other factors at most 10: 2^-512 times 2^-400.
const SMALLER: f64 = f64::from_bits((1023 - 64) << 52);

/// 2^-900: the low parts of `Dd` are still normal numbers.
pub(crate) const TINIEST: f64 = f64::from_bits((1023 - 900) << 52);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::working_ray::{InputRay, WorkingRay};

    #[test]
    fn powers_bring_numbers_near_one() {
        for x in [1.0, 1.5, 3.0, 1e300, 1e-300, f64::MIN_POSITIVE, 0.1] {
            let y = x * power_of_two_below(x).unwrap();
            assert!((1.0..2.0).contains(&y), "{x} became {y}");
        }
        assert_eq!(power_of_two_below(0.0), None);
        assert_eq!(power_of_two_below(f64::INFINITY), None);
        assert_eq!(power_of_two_below(f64::NAN), None);
        assert!(power_of_two_below(5e-324).is_some() && power_of_two_below(f64::MAX).is_some());
    }

    fn line(origin: [f64; 3], direction: [f64; 3]) -> WorkingRay<f64> {
        InputRay { target: direction, ..InputRay::point(origin) }.line()
    }

    #[test]
    fn validity() {
        assert!(line([0.0; 3], [0.0, -0.0, 5e-324]).is_valid());
        assert!(!line([0.0; 3], [0.0, -0.0, 0.0]).is_valid());
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for i in 0..3 {
                let mut v = [1.0; 3];
                v[i] = bad;
                assert!(!line(v, [1.0; 3]).is_valid() && !line([1.0; 3], v).is_valid(), "{v:?}");
            }
        }
    }

    #[test]
    fn scaling_back_is_exact() {
        for (o, d, size) in [(3.0, 7.0, 1.0), (1e100, 1e-100, 1e90), (1e-100, 1e100, 1e-105)] {
            let f = line([o, 0.0, 0.0], [d, 0.0, 0.0]).local(Vec3::new(0.0, 0.0, 0.0), size);
            // The foot of the perpendicular from the reference point lies at t = -o/d.
            assert_eq!(f.t(-f.o.x / f.d.x), -o / d);
        }
    }
}
