//! Crossing of an `f32` ray with a triangle that it certainly crosses, with x, y and z in one register.

use crate::hit::{Hit, Side};
use crate::math::arithmetic::Arithmetic;
use crate::math::eft::sqrt;
use crate::math::filter_f64::FilterF64;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::simd::xyz::Xyz;

/// Values of a crossing in plain `f64`, as [`known_crossing`](crate::shapes::triangle::known_crossing) computes them, bit for
/// bit: the same operations in the same order, on vectors.
///
/// # Accuracy
/// See [`cross_triangle`](crate::shapes::triangle::cross_triangle). Products of three numbers in `f32` do not underflow in
/// `f64`, and neither does the square of a component of the normal (docs/proofs.md, Lemma 6).
pub(crate) struct KnownCrossing<const FMA: bool> {
    pub(crate) t: f64,
    /// Barycentric weights of the second and the third corner.
    pub(crate) uv: [f64; 2],
    pub(crate) side: Side,
    pub(crate) point: Xyz<FMA>,
    pub(crate) normal: Xyz<FMA>,
    pub(crate) distance: f64,
    /// Whether the bounds leave a number too few digits.
    pub(crate) is_uncertain: bool,
}

impl<const FMA: bool> KnownCrossing<FMA> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(origin: Xyz<FMA>, direction: Xyz<FMA>, [a, b, c]: [Xyz<FMA>; 3]) -> Self {
        // The same quantities as in the scalar kernel: normal and moment, then four sums at a time.
        let (o, d, e, f) = (origin - a, direction, b - a, c - a);
        let (normal, moment) = (e.cross(f), o.cross(d));
        let [slope, depth, u, v] = Xyz::sums([normal * d, normal * o, moment * f, moment * e]);
        // The filter of values: slope and depth must exceed a share of their magnitudes, or the quotient has too few
        // digits.
        let [norm_o, norm_d, norm_e, norm_f] = Xyz::sums([o.abs(), d.abs(), e.abs(), f.abs()]);
        let (plane, share) = (norm_e * norm_f, FilterF64::value_threshold());
        // Written so that a NaN is uncertain.
        let is_certain = (slope.abs() > share * (plane * norm_d)) & (depth.abs() > share * (plane * norm_o));
        let [length_sq, speed_sq] = Xyz::two_sums(normal * normal, d * d);
        // One division serves `t` and both weights.
        let inverse = 1.0 / slope;
        let t = -depth * inverse;
        // Rounding may have moved the point out of the triangle.
        let weight = |w: f64| Arithmetic::min(Arithmetic::max(w, 0.0), 1.0);
        Self {
            t,
            uv: [weight(-u * inverse), weight(v * inverse)],
            side: if slope < 0.0 { Side::Front } else { Side::Back },
            point: origin + d * Xyz::splat(t),
            normal: normal * Xyz::splat(1.0 / sqrt(length_sq)),
            distance: t * sqrt(speed_sq),
            is_uncertain: !is_certain,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hit<V: Vector>(&self, triangle: u32) -> Hit<V> {
        let narrow = V::Scalar::from_f64;
        let vector = |v: Xyz<FMA>| {
            let [x, y, z] = v.to_array();
            V::narrow(Vec3::new(x, y, z))
        };
        let (place, uv) = ((narrow(self.t), narrow(self.distance)), [narrow(self.uv[0]), narrow(self.uv[1])]);
        let hit = Hit::of_numbers(place, vector(self.point), vector(self.normal), self.side, Some(uv));
        Hit { primitive: Some(triangle), ..hit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::working_ray::InputRay;
    use crate::mesh::search_ray::{SearchRay, SearchRayF32};
    use crate::mesh::triangle_test;
    use crate::simd::dispatch::dispatch_fma;
    use crate::simd::task::FmaKernel;
    use crate::{Query, Ray, RayLike, Segment};
    use alloc::format;
    use glam::Vec3 as Point;
    use test_support::random::Lcg;

    struct Cross<'a>(&'a InputRay, [Point; 3]);
    impl FmaKernel for Cross<'_> {
        type Output = (Hit<Point>, f64, bool);
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run<const FMA: bool>(self) -> Self::Output {
            let [origin, direction] = SearchRayF32::new(self.0, &Query::<f32>::new()).in_registers::<FMA>();
            let corner = |v: Point| Xyz::from_singles([v.x, v.y, v.z, 0.0]);
            let at = KnownCrossing::new(origin, direction, [corner(self.1[0]), corner(self.1[1]), corner(self.1[2])]);
            (at.hit(7), at.t, at.is_uncertain)
        }
    }

    /// Registers and single numbers, with FMA and without, have the bits of the kernel.
    #[test]
    fn crossings_in_registers_are_those_of_the_kernel() {
        let mut rng = Lcg::new(5);
        let mut point = |size: f32| Point::from_array([0; 3].map(|_| rng.signed_unit() as f32 * size));
        let (mut certain, mut uncertain) = (0, 0);
        for round in 0..20_000 {
            // Triangles of several sizes, near and far from the origin, some with all corners on a line.
            let ([size, far], is_flat) =
                ([[1.0, 1e-3, 1e4][round % 3], [1.0, 1e5, 10.0][round % 5 % 3]], round % 7 == 0);
            let (a, mut b, c) = (point(size * far), point(size), point(size));
            if is_flat {
                b = c * 0.5;
            }
            let corners = [a, a + b, a + c];
            // The ray goes through a point inside, as a ray or as a segment.
            let (origin, target) = (a + point(size * far), a + (b + c) * 0.3);
            let raw = if round % 2 == 0 {
                RayLike::<Point>::raw(&Ray::new(origin, target - origin))
            } else {
                RayLike::<Point>::raw(&Segment::new(origin, target))
            };
            // The kernel gives the bits that both forms must have.
            let (at, is_uncertain) = triangle_test::known(&raw.line(), corners.map(Vector::widen));
            let expected = (triangle_test::hit::<Point, _>(&raw.line(), 7, &at), at.t.to_f64(), is_uncertain);
            for found in [dispatch_fma(Cross(&raw, corners)), Cross(&raw, corners).run::<false>()] {
                assert_eq!(found.2, expected.2);
                if !found.2 {
                    assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{raw:?} {corners:?}");
                }
            }
            // Both cases must occur.
            *if is_uncertain { &mut uncertain } else { &mut certain } += 1;
        }
        assert!(certain > 10_000 && uncertain > 1000, "{certain} {uncertain}");
    }
}
