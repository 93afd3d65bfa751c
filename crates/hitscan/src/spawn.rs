//! Spawned rays: origins beside a surface, so that the next ray does not hit that surface again.

use crate::hit::{Hit, Side};
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::ray::Ray;

/// Spawned rays: origins beside the surface, so that the next ray does not hit that surface again.
///
/// # Method
/// The exact hit point `P` lies on the surface; the rounded `point` `p` lies beside it. Two bounds hold for every hit:
/// `|p_i - P_i| <= u_i`, one ulp of the coordinate and an eighth of `EPSILON` of the distance from the ray's origin (a
/// coordinate near zero may have lost so many digits), and `|n_i - N_i| <= e`, twice the ulp of 1, for the exact unit
/// normal `N`. So the tangent plane at `P` lies within `c = sum (|n_i| + e) u_i` of `p`: that is [`Hit::error_bound`]. An origin
/// `q` that differs from `p` by a step `s` along axis `j` alone, on the side of `n_j`, has the height
///
/// ```text
/// N . (q - P) = N_j s + N . (p - P) >= (|n_j| - e) s - c
/// ```
///
/// above that plane, which is positive once `s > c / (|n_j| - e)`. The step is an eighth longer than that, rounded
/// outward to the numbers of the precision, along the axis (of at most three) on which it is shortest. Only one coordinate changes, so only one is rounded, however coarse the others are.
///
/// # Source
/// The error box and its extent `c` along the normal: Pharr, Jakob, Humphreys, *Physically Based Rendering*, 4th edition,
/// section 6.8. There all coordinates move by `c n` and each is rounded outward, which takes a coordinate that is coarse
/// and hardly matters by a whole ulp. The step along one axis is derived here. For comparison: Waechter, Binder,
/// *A Fast and Robust Method for Avoiding Self-Intersection*, Ray Tracing Gems, chapter 6 (2019), without a bound.
///
/// # Accuracy
/// Heights above the exact tangent plane are at least `c / 9` and at most `3.2 c`. From below: the eighth, less the
/// roundings here, each 2^-53 of its result. From above: on the axis `j` of the largest `|n_j|` the step is at most
/// `1.125 c / (|n_j| - e)` and one ulp more for its rounding; that ulp times `|n_j|` is at most `c`, `p` itself may lie
/// `c` above the plane, and the axis that is taken has a shorter step and a smaller `|n_j|`. Products below the normal
/// numbers are rounded up by a whole step. Thus what lies farther than `4 c` from the surface is not skipped. See
/// docs/proofs.md, Lemma 28.
///
/// `tests/all/leaving.rs` measures it: 100,000 hits left along 10^8 rays, none of which hits the surface again or skips a
/// neighbour at `4 c`. The step is 1.7 c on average and 2.5 c at most; that of Waechter and Binder is 2,000 c on average.
///
/// # Edges
/// - *Outward of a convex solid*, and on both sides of a plane, a disk, a segment or a triangle, that is a proof: all of
///   the shape lies on the other side of the tangent plane, or in it. Of a mesh it holds for the triangle that was hit;
///   the ray may hit a neighbour that rises above its plane, as it should.
/// - *Inward of a curved solid* the surface falls away from its tangent plane, by `x^2 / 2r` at the distance `x` of `P`
///   for a radius of curvature `r`. The origin is `c / 9` deep at least and at most `x = |u| + 4c` aside, so it is inside
///   if `r >= 4.5 x^2 / c + c`. With coordinates of like size, radii from 2^8 of their ulps on are enough. With unlike
///   ones, when the normal points along a fine coordinate and another is `k` times as coarse, `r` must be some `14 k`
///   of the coarse one's ulps. Within `x` of an edge the other face decides, and there is no proof.
/// - *A range that starts inside a solid* gives a hit that lies on no surface: its normal is against the ray.
///   [`Hit::spawn_ray`] then moves the origin one step along the ray or back. To find where the ray leaves the solid, cast it
///   with [`Inside::Hollow`](crate::Inside). The same holds for a ray into a solid from
///   [`origin_inside`](Hit::origin_inside): with `Inside::Solid` it hits where it starts.
/// - A component of the normal that is zero takes part with `e`: it need not be zero exactly. A coordinate that is 0 has
///   the smallest positive number as its ulp.
/// - Where no finite number is beyond, or a number is not finite, the origin is the point itself.
impl<V: Vector> Hit<V> {
    /// The error bound of `point`: the largest possible distance to the exact tangent plane, proved and rounded up.
    ///
    /// [`origin_outside`](Self::origin_outside) and [`origin_inside`](Self::origin_inside) are beyond that plane and
    /// less than four such distances away from it: a neighbour that is farther away is still ahead of a ray from there.
    #[doc(alias("shadow_bias"))]
    #[must_use]
    pub fn error_bound(&self) -> V::Scalar {
        beyond(V::Scalar::ZERO, self.point_uncertainty())
    }

    /// A ray origin just outside: `point` moved beyond the exact surface, to the side of the normal.
    ///
    /// One coordinate differs from `point`, by a few units in the last place of the largest one. A ray from here to that
    /// side does not hit the convex solid, the surface or the triangle again.
    #[doc(alias("offset_ray_origin", "next_origin"))]
    #[must_use]
    pub fn origin_outside(&self) -> V {
        self.origin_on(Side::Front)
    }

    /// A ray origin just inside: `point` moved beyond the exact surface, against the normal.
    ///
    /// A proof holds behind a flat face; a curved solid needs a radius of curvature of some 2^8 units in the last
    /// place of the coordinates. Cast a ray into a solid with [`Inside::Hollow`](crate::Inside) to find its next hit.
    #[doc(alias = "offset_ray_origin")]
    #[must_use]
    pub fn origin_inside(&self) -> V {
        self.origin_on(Side::Back)
    }

    /// Spawns a ray: from here along `direction`, starting on the side of the surface that the direction points to.
    ///
    /// A direction at right angles to the normal starts on the side that the ray came from. So does one with a NaN, which hits
    /// nothing. A direction closer to the tangent plane than the error of the normal, 2 ulp of 1 per component, may belong to
    /// the other side: its ray starts beyond the surface and hits it far away, at a glancing angle.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Inside, Query, Ray, RayCast, Segment, Shape, Sphere};
    /// let ball = Sphere::new(Vec3::new(0.3, 0.1, 7.0), 1.7)?;
    /// let ray = Ray::new(Vec3::ZERO, Vec3::new(0.01, 0.1, 1.0));
    /// let hit = ball.cast_ray(&ray, ..).ok_or("a miss")?;
    ///
    /// // A mirror, and the shadow of a lamp: no hit of the ball itself.
    /// let mirrored = ray.direction - 2.0 * ray.direction.dot(hit.normal) * hit.normal;
    /// assert!(!ball.intersects_ray(&hit.spawn_ray(mirrored), ..));
    /// let lamp = Vec3::new(5.0, 9.0, -2.0);
    /// let from = hit.spawn_ray(lamp - hit.point).origin;
    /// assert!(!ball.intersects_ray(&Segment::new(from, lamp), ..));
    ///
    /// // Through the glass: from the inner side, to the far one.
    /// let refracted = hit.spawn_ray(Vec3::new(0.0, 0.05, 1.0));
    /// assert!(ball.contains(refracted.origin));
    /// let far = ball.cast_ray(&refracted, Query::new().inside(Inside::Hollow)).ok_or("a miss")?;
    /// assert!(far.t > 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("leave", "offset_ray_origin"))]
    #[must_use]
    pub fn spawn_ray(&self, direction: V) -> Ray<V> {
        let zero = Working::<V>::ZERO;
        let rising = direction.widen::<Working<V>>().normalize_exponent().dot(self.normal.widen());
        let side = if rising.gt(zero) {
            Side::Front
        } else if rising.lt(zero) {
            Side::Back
        } else {
            self.side
        };
        Ray::new(self.origin_on(side), direction)
    }

    /// `c` of the derivation above; infinite or NaN where a coordinate has no number beyond it.
    fn point_uncertainty(&self) -> f64 {
        let (p, n) = (self.point.to_xyz(), self.normal.to_xyz());
        let e = normal_error::<V::Scalar>();
        let way = (self.distance.to_f64().abs() * V::Scalar::EPSILON.to_f64() / 8.0).next_up();
        (0..V::DIM).map(|i| ((n[i].to_f64().abs() + e) * (ulp(p[i]) + way)).next_up()).sum()
    }

    /// The nearest origin beyond the exact surface, on one side of it.
    fn origin_on(&self, side: Side) -> V {
        let (p, n) = (self.point.to_xyz(), self.normal.to_xyz());
        let height = self.point_uncertainty() * 1.125;
        let (mut origin, mut shortest) = (self.point, f64::INFINITY);
        for i in 0..V::DIM {
            let share = n[i].to_f64().abs() - normal_error::<V::Scalar>();
            if !(share > 0.0) {
                continue;
            }
            let step = (height / share).next_up();
            let rising = n[i] > V::Scalar::ZERO;
            let x = if rising == (side == Side::Front) { beyond(p[i], step) } else { -beyond(-p[i], step) };
            let way = (x.to_f64() - p[i].to_f64()).abs();
            if way < shortest {
                let mut moved = p;
                moved[i] = x.of_result();
                (origin, shortest) = (V::from_xyz(moved), way);
            }
        }
        origin
    }
}

/// Unit in the last place of a number at most one step from `x`: the larger one beside a power of two.
fn ulp<S: Real>(x: S) -> f64 {
    let round_up_f32 = (if x < S::ZERO { -x } else { x }).next_up();
    (round_up_f32.next_up() - round_up_f32).to_f64()
}

/// Error bound of a component of a normal: 2 ulp of 1.
fn normal_error<S: Real>() -> f64 {
    2.0 * ulp(S::ONE)
}

/// The smallest number that is at least `x + step`. The sum may have been rounded down, by less than a step of the
/// precision; the difference to `x` is rounded by 2^-53 of itself.
fn beyond<S: Real>(x: S, step: f64) -> S {
    let sum = S::from_f64(x.to_f64() + step);
    if sum.to_f64() - x.to_f64() < step { sum.next_up() } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HalfSpace, RayCast, Shape, Sphere};
    use glam::{DVec2, DVec3, Vec3};

    fn hit<V: Vector>(point: V, normal: V) -> Hit<V> {
        Hit::new(V::Scalar::ONE, V::Scalar::ZERO, point, normal, Side::Front)
    }

    #[test]
    fn ulps_are_those_of_the_coarser_neighbour() {
        for (x, expected) in [(1.0f32, 23), (-1.0, 23), (1.0f32.next_down(), 23), (0.75, 24), (1.5, 23), (0.0, 149)] {
            assert_eq!(ulp(x), f64::from(-expected).exp2(), "{x}");
        }
        assert_eq!(ulp(0.0f64), f64::from_bits(1));
        assert!(!ulp(f32::MAX).is_finite());
    }

    #[test]
    fn beyond_is_the_smallest_number_beyond() {
        let e = f64::from(f32::EPSILON);
        for (x, step, steps) in
            [(1.0f32, e, 1), (1.0, 1.001 * e, 2), (1.0, 0.999 * e, 1), (1.0, 0.0, 0), (1.5, e / 64.0, 1)]
        {
            let expected = (0..steps).fold(x, |x, _| x.next_up());
            assert_eq!(beyond(x, step), expected, "{x} {step}");
        }
        assert_eq!(beyond(-1.0f32, e / 2.0), (-1.0f32).next_up());
        assert_eq!(beyond(-2.0f32, 3.0), 1.0);
        assert_eq!(beyond(0.0f64, f64::from_bits(3)), f64::from_bits(3));
        assert_eq!(beyond(f64::MAX, 1e300), f64::INFINITY);
    }

    #[test]
    fn a_flat_floor_is_left_by_two_units() {
        let (p, up) = (Vec3::new(1.5, 1.5, 1.5), Vec3::Y);
        let two = 2.0 * f32::EPSILON;
        assert_eq!(hit(p, up).origin_outside(), p + two * up);
        assert_eq!(hit(p, up).origin_inside(), p - two * up);
        // 1 + 2e, and 2e each for the others, all in ulps, rounded up.
        assert!((hit(p, up).error_bound() / f32::EPSILON - 1.0) < 8.0 * f32::EPSILON);
        // A coarse coordinate along which the normal hardly points stays as it is.
        let far = hit(Vec3::new(1000.0, 1.0, 1.0), Vec3::new(1e-3, 1.0, 0.0).normalize());
        assert_eq!((far.origin_outside().x, far.origin_outside().z), (1000.0, 1.0));
        assert!(far.origin_outside().y > 1.0);
    }

    #[test]
    fn direction_chooses_the_side() {
        let on = hit(Vec3::new(0.3, -7.0, 1e-6), Vec3::new(0.6, -0.8, 0.0));
        let (out, inner) = (on.origin_outside(), on.origin_inside());
        let tiny = f32::from_bits(1);
        for scale in [f32::MAX, 1.0, tiny] {
            assert_eq!(on.spawn_ray(Vec3::X * scale).origin, out);
            assert_eq!(on.spawn_ray(Vec3::Y * scale).origin, inner);
        }
        assert_eq!(on.spawn_ray(Vec3::Z).origin, out);
        assert_eq!(Hit { side: Side::Back, ..on }.spawn_ray(Vec3::Z).origin, inner);
        assert_eq!(Hit { side: Side::Back, ..on }.spawn_ray(Vec3::NAN).origin, inner);
        assert_eq!(on.spawn_ray(Vec3::Z).direction, Vec3::Z);
    }

    #[test]
    fn from_within_a_solid_onward_along_the_ray() {
        let ball = Sphere::new(DVec3::ZERO, 3.0).unwrap();
        let ray = Ray::new(DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, -2.0, 0.5));
        let hit = ball.cast_ray(&ray, ..).unwrap();
        assert_eq!((hit.side, hit.point), (Side::Back, ray.origin));
        let on = hit.spawn_ray(ray.direction);
        assert!((on.origin - ray.origin).dot(ray.direction) > 0.0 && ball.contains(on.origin));
    }

    #[test]
    fn at_the_ends_of_the_range_of_numbers() {
        let tiny = f64::from_bits(1);
        for (point, normal) in [
            (DVec2::ZERO, DVec2::Y),
            (DVec2::new(3.0 * tiny, -tiny), DVec2::new(0.6, -0.8)),
            (DVec2::new(1e308, -1e308), DVec2::new(-0.8, 0.6)),
        ] {
            let solid = HalfSpace::new(point, normal).unwrap();
            let hit = hit(point, normal);
            assert!(!solid.contains(hit.origin_outside()) && solid.contains(hit.origin_inside()), "{point}");
            assert!(!solid.intersects_ray(&hit.spawn_ray(normal), ..), "{point}");
        }
        // Two steps below the largest number there is one beyond; at the next the ulp is not known any more.
        let last = f32::MAX.next_down().next_down();
        assert_eq!(hit(Vec3::X * last, Vec3::X).origin_outside().x, f32::MAX);
        let edge = hit(Vec3::new(last.next_up(), 1.0, 1.0), Vec3::X);
        assert_eq!(edge.origin_outside(), edge.point);
        assert_eq!(Hit { point: Vec3::splat(f32::INFINITY), ..edge }.origin_outside(), Vec3::splat(f32::INFINITY));
    }
}
