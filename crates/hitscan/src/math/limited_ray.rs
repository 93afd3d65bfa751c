//! Rays that end at a distance from their origin.

use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::real::Real;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::working_ray::{InputRay, WorkingRay};
use core::cmp::Ordering;
use core::ops::Range;

/// A ray or segment that ends at a distance from its origin.
///
/// The exact end is `distance / |direction|`, which is seldom a number of the precision. The range of `t` of the ray ends at the
/// next number above. A hit whose rounded `t` is at least `certain` is compared with the exact end.
#[derive(Clone, Copy, Debug)]
pub struct LimitedRay {
    pub(crate) raw: InputRay,
    pub(crate) distance: f64,
    /// Every hit with a smaller rounded `t` is within the distance. Infinite where the end of the range is the exact end.
    pub(crate) certain: f64,
}

impl LimitedRay {
    /// The ray without a limit by a distance.
    #[inline]
    pub(crate) fn unlimited(raw: InputRay) -> Self {
        Self { raw, distance: f64::INFINITY, certain: f64::INFINITY }
    }

    /// The ray up to the nearer one of its own limit and `distance`, in the precision of `S`. A NaN hits nothing.
    pub fn within<S: Real>(self, distance: f64) -> Self {
        if distance.is_nan() {
            return Self { raw: self.raw.within(f64::NAN, f64::NAN, u32::MAX), ..self };
        }
        // A ray that is not valid hits nothing, whatever its end.
        if !(distance < self.distance) || !self.raw.is_valid() {
            return self;
        }
        let [below, above] = end_of::<S>(distance, &self.raw);
        // The rounded `t` of a hit beyond the exact end may be less than 1 ulp below the number in front of it.
        let certain = if below < above { below.next_down().next_down().to_f64() } else { f64::INFINITY };
        Self { raw: self.raw.within(f64::NEG_INFINITY, above.to_f64(), u32::MAX), distance, certain }
    }

    /// Whether a hit with this rounded `t` may be beyond the exact end.
    #[inline]
    pub(crate) fn is_uncertain(&self, t: impl Real) -> bool {
        t.to_f64() >= self.certain
    }

    /// The exact end, `distance / |direction|`, to the precision of the evaluation: as an intersection with a sphere it is the
    /// root of a quadratic.
    pub(crate) fn exact_end(&self) -> Exact {
        Exact::from_f64(self.distance) / self.raw.line::<Exact>().direction.length_sq().sqrt()
    }
}

/// The numbers of the precision around `distance / |direction|`: the largest one that is not above it, and the smallest one that is
/// not below it.
fn end_of<S: Real>(distance: f64, ray: &InputRay) -> [S; 2] {
    let [below, above] = end_in_f64(distance.abs(), ray);
    let [below, above] = if distance < 0.0 { [-above, -below] } else { [below, above] };
    let (mut low, mut high) = (S::from_f64(below), S::from_f64(above));
    // The conversion rounds to nearest: one step corrects it.
    if low.to_f64() > below {
        low = low.next_down();
    }
    if high.to_f64() < above {
        high = high.next_up();
    }
    [low, high]
}

/// Room for the errors of a quotient by a length in `Dd`, relative: some 30 units of 2^-106.
const ERROR: f64 = f64::from_bits((1023 - 96) << 52);

/// Least and largest quotient that `Dd` computes without a loss at the ends of the exponents.
const SAFE: Range<f64> = f64::from_bits((1023 - 900) << 52)..f64::from_bits((1023 + 900) << 52);

/// The numbers in `f64` around `distance / |direction|`, for a distance of at least zero.
///
/// # Method
/// The quotient in `Dd` decides between the two neighbours of its first part, unless its second part is as small as its error.
/// Then, and at the ends of the exponents, the sign of `t² |direction|² - distance²` decides in exact numbers.
fn end_in_f64(distance: f64, ray: &InputRay) -> [f64; 2] {
    if distance == 0.0 || distance == f64::INFINITY {
        return [distance; 2];
    }
    // The direction and the distance, scaled so that squares neither vanish nor overflow.
    let line: WorkingRay<Dd> = ray.line();
    if line.has_direction() {
        let speed = power_of_two_below(line.direction.max_abs_f64()).unwrap_or(1.0);
        let size = power_of_two_below(distance).unwrap_or(1.0);
        let length = line.direction.map(|c| c.times_power_of_two(speed)).length_sq().sqrt();
        let (t, rest) = (Dd::from_f64(distance * size) / length).parts();
        let scaled = t * (speed / size);
        if rest.abs() > ERROR * t && SAFE.contains(&scaled) {
            return if rest > 0.0 { [scaled, scaled.next_up()] } else { [scaled.next_down(), scaled] };
        }
    }
    with_precision(1, || end_by_sign(distance, ray))
}

/// The numbers around the quotient by the sign of `t² |direction|² - distance²`.
#[cold]
fn end_by_sign(distance: f64, ray: &InputRay) -> [f64; 2] {
    let direction: Vec3<Exact> = ray.line().direction;
    let (length_sq, distance_sq) = (direction.length_sq(), Exact::from_f64(distance).sq());
    let order = |t: f64| (Exact::from_f64(t).sq() * length_sq).compare(distance_sq).unwrap_or(Ordering::Equal);
    // Numbers of at least zero are in the order of their bits.
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match order(f64::from_bits(middle)) {
            Ordering::Less => low = middle,
            Ordering::Greater => high = middle,
            Ordering::Equal => return [f64::from_bits(middle); 2],
        }
    }
    [f64::from_bits(low), f64::from_bits(high)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Rng;

    fn ray(direction: [f64; 3]) -> InputRay {
        InputRay { target: direction, ..InputRay::point([0.0; 3]) }
    }

    /// Directions of whole length have exact ends; all others lie between neighbours.
    #[test]
    fn ends_by_hand() {
        assert_eq!(end_of::<f64>(10.0, &ray([3.0, 4.0, 0.0])), [2.0, 2.0]);
        assert_eq!(
            end_of::<f32>(-10.0, &ray([2.0, 3.0, 6.0])).map(f64::from),
            // The nearest number is below it.
            [f64::from(-10f32 / 7.0), f64::from((-10f32 / 7.0).next_up())]
        );
        let third = 10.0 / 3.0; // rounded up
        assert_eq!(end_of::<f64>(10.0, &ray([0.0, 0.0, 3.0])), [f64::next_down(third), third]);
        let segment = InputRay { origin: [1.0, 2.0, 3.0], target: [4.0, 6.0, 3.0], is_segment: true, ..ray([0.0; 3]) };
        assert_eq!(end_of::<f64>(2.5, &segment), [0.5, 0.5]);
    }

    /// At the ends of the exponents, and for lengths that are squares but for a last bit.
    #[test]
    fn ends_of_the_exponents() {
        let [tiny, huge] = [f64::from_bits(1), f64::MAX];
        assert_eq!(end_of::<f64>(tiny, &ray([tiny, 0.0, 0.0])), [1.0, 1.0]);
        assert_eq!(end_of::<f64>(huge, &ray([tiny, 0.0, 0.0])), [f64::MAX, f64::INFINITY]);
        assert_eq!(end_of::<f64>(tiny, &ray([huge, 0.0, 0.0])), [0.0, tiny]);
        assert_eq!(end_of::<f64>(3.0 * tiny, &ray([2.0, 0.0, 0.0])), [tiny, 2.0 * tiny]);
        assert_eq!(end_of::<f64>(5.0, &ray([3.0, 4.0, tiny])), [f64::next_down(1.0), 1.0]);
        let across =
            InputRay { origin: [-huge, 0.0, 0.0], target: [huge, 0.0, 0.0], is_segment: true, ..ray([0.0; 3]) };
        assert_eq!(end_of::<f64>(huge, &across), [0.5, 0.5]);
    }

    /// The quick quotient and the sign of the exact numbers give the same neighbours.
    #[test]
    fn both_ways_agree() {
        let mut rng = Rng::new(51);
        for _ in 0..2_000 {
            let [x, y, z] = rng.cube(3);
            let direction = [x, y, z].map(|x| if rng.below(3) == 0 { (x * 8.0).round() } else { x });
            let ray = ray(direction);
            let distance = (rng.cube(3)[0].abs() * 64.0).round() / 4.0 + 0.25;
            if ray.is_valid() {
                assert_eq!(
                    end_in_f64(distance, &ray),
                    with_precision(1, || end_by_sign(distance, &ray)),
                    "{direction:?}"
                );
            }
        }
    }
}
