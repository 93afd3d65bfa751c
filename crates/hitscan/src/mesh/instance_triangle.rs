//! Crossing with a triangle of an instance in plain `f64`, with bounds by norms: the first stage for results in `f32`.
//!
//! # Method
//! The crossing is that of [`cross_triangle`](crate::shapes::triangle::cross_triangle), for the rounded ray in the
//! coordinates of the mesh. Balls would give each number a bound of its own, at ten times the cost; here one bound holds for
//! all components of a vector.
//!
//! # Accuracy
//! docs/instances.md, Lemma 12. With `|v|` the largest magnitude of a component, `u` = 2^-53, and the errors `E_o`, `E_d` of
//! the local ray: `n = e x f` is within `10 u |e| |f|`, the moment `m = o x d` within
//! `2 (|o| E_d + |d| E_o + E_o E_d) + 8 u |o| |d|`, `n . d` within `6 |e| |f| E_d + 64 u |e| |f| |d|`, `n . o` alike with
//! `E_o` and `|o|`, and `m . f` within three times `|f|` the error of `m`, and `32 u |o| |d| |f|`. A quarter more covers
//! products of errors and the roundings of the bounds, and 2^-850 covers underflow.

use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::instance_stack::{InstanceLevel, RoundedRay};
use crate::math::rounding::{ROUNDING, power};
use crate::math::vec3::Vec3;
use crate::query::Query;
use crate::shapes::triangle::TriangleHit;

/// Sizes of edges and directions for which nothing overflows, and underflow stays below [`LARGEST_UNDERFLOW`].
const SIZES: [f64; 2] = [power(-200), power(200)];

const LARGEST_UNDERFLOW: f64 = power(-850);

/// Largest error of a numerator or a denominator relative to it. The quotient then has the digits of a hit: 2^-28.
const QUOTIENT_DIGITS: f64 = power(-30);

/// Crossing of a ray and an instance stack, `Some(None)` for a miss; `None` if `f64` does not decide it, or lacks digits
/// for a result in `f32`.
#[inline(never)]
pub(crate) fn crossing_in_f64(
    level: &InstanceLevel<'_>,
    corners: [Vec3<f64>; 3],
    query: &Query<f64>,
) -> Option<Option<TriangleHit<Dd>>> {
    let at = plain_crossing(level, corners, query)?;
    Some(at.map(|at| at.convert()))
}

/// [`crossing_in_f64`], inlined, in `f64`.
#[inline(always)]
pub(crate) fn plain_crossing(
    level: &InstanceLevel<'_>,
    [a, b, c]: [Vec3<f64>; 3],
    query: &Query<f64>,
) -> Option<Option<TriangleHit<f64>>> {
    let RoundedRay { origin, direction, errors: [of_origin, of_direction] } = *level.rounded();
    let (o, d, e, f) = (origin - a, direction, b - a, c - a);
    let [size_o, size_d, size_e, size_f] = [o, d, e, f].map(Vec3::max_abs_f64);
    let is_ordinary = |size: f64| SIZES[0] < size && size < SIZES[1];
    // Written so that a NaN is not ordinary.
    if !([size_d, size_e, size_f].into_iter().all(is_ordinary) && size_o < SIZES[1]) {
        return None;
    }
    let of_origin = of_origin + 2.0 * ROUNDING * size_o;
    let of_moment = 2.0 * (size_o * of_direction + size_d * of_origin + of_origin * of_direction)
        + 8.0 * ROUNDING * size_o * size_d;
    let (plane, sweep) = (size_e * size_f, size_o * size_d);
    let of_slope = 1.25 * plane * (6.0 * of_direction + 64.0 * ROUNDING * size_d) + LARGEST_UNDERFLOW;
    let of_height = 1.25 * plane * (6.0 * of_origin + 64.0 * ROUNDING * size_o) + LARGEST_UNDERFLOW;
    let [of_u, of_v] =
        [size_f, size_e].map(|edge| 1.25 * edge * (3.0 * of_moment + 32.0 * ROUNDING * sweep) + LARGEST_UNDERFLOW);

    let (n, m) = (e.cross(f), o.cross(d));
    let (slope, height) = (n.dot(d), -n.dot(o));
    if !(of_slope < QUOTIENT_DIGITS * slope.abs()) {
        return None;
    }
    let facing = 1.0f64.mul_sign(slope);
    let (u, v) = (-m.dot(f), m.dot(e));
    let of_w = 1.25 * (of_slope + of_u + of_v + 4.0 * ROUNDING * (slope.abs() + u.abs() + v.abs()));
    let weights = [(slope - u - v, of_w), (u, of_u), (v, of_v)].map(|(weight, error)| (weight * facing, error));
    if weights.iter().any(|(weight, error)| *weight < -error) {
        return Some(None);
    }
    let is_inside = weights.iter().all(|(weight, error)| weight > error);
    let has_digits = of_u.max(of_v) < QUOTIENT_DIGITS * slope.abs() && of_height < QUOTIENT_DIGITS * height.abs();
    if !(is_inside && has_digits) {
        return None;
    }
    let range = TRange::new(&level.raw().line::<f64>(), query);
    let t = height / slope;
    let slack = t.abs() * power(-28);
    let [is_early, is_late] = [t + slack < range.min, t - slack > range.max];
    let is_within = range.min < t - slack && t + slack < range.max && t.abs() < range.largest;
    let (normal, of_normal) = level.world_normal(n, 10.0 * ROUNDING * plane + LARGEST_UNDERFLOW);
    let has_normal = of_normal + LARGEST_UNDERFLOW < QUOTIENT_DIGITS * normal.max_abs_f64();
    let at = TriangleHit { t, facing, normal, uv: [u / slope, v / slope].map(|weight| weight.clamp(0.0, 1.0)) };
    if is_early || is_late || !query.faces_mode().include(facing) {
        return Some(None);
    }
    (is_within && has_normal).then(|| Some(at.tellable()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::instance::evaluate_instance;
    use crate::explain::Trace;
    use crate::math::instance_stack::{InstanceMap, InverseMatrix};
    use crate::math::real::Precision;
    use crate::mesh::triangle_test::TriangleQuery;
    use crate::query::Faces;
    use crate::shapes::triangle::EdgeRule;
    use crate::{Ray, RayLike};
    use glam::{DMat3, Vec3 as Single};
    use test_support::random::Lcg;

    struct Map([[f64; 3]; 3], [f64; 3], InverseMatrix);

    impl InstanceMap for Map {
        fn columns(&self) -> ([[f64; 3]; 3], [f64; 3]) {
            (self.0, self.1)
        }
        fn translation(&self) -> [f64; 3] {
            self.1
        }
        fn inverse(&self) -> &InverseMatrix {
            &self.2
        }
    }

    /// Compares with double-double and exact arithmetic: triangles of many shapes, rays at them, at their edges and past
    /// them, from near and far; chains of up to three maps, some nearly singular.
    #[test]
    fn what_is_decided_is_true() {
        let mut random = Lcg::new(21);
        let (mut hits, mut misses, mut undecided) = (0, 0, 0);
        for round in 0..60_000 {
            let mut number = || random.signed_unit() as f32;
            let mut vector = |size: f32| Single::new(number(), number(), number()) * size;
            let maps: alloc::vec::Vec<Map> = (0..1 + round % 3)
                .map(|_| {
                    let thin = [1.0, 1.0, 1e-1, 1e-4][(vector(1.0).x.abs() * 4.0) as usize];
                    let columns = [vector(1.0), vector(3.0), vector(1.0) * thin];
                    let columns = columns.map(|column| column.as_dvec3().to_array());
                    Map(columns, vector(3.0).as_dvec3().to_array(), InverseMatrix::new(columns))
                })
                .collect();
            let size = [1e-2, 1.0, 1e2][round % 3];
            let a = vector(1.0);
            let corners = [a, a + vector(size), a + vector(size)];
            let [u, v] = [vector(1.0).x.abs() * 1.2, [0.2, 0.0, 1e-15, 0.3, 1e-12, 1e-4][round / 3 % 6]];
            let target = (corners[0] + (corners[1] - a) * u + (corners[2] - a) * v).as_dvec3();
            let world = maps
                .iter()
                .rev()
                .fold(target, |p, map| DMat3::from_cols_array_2d(&map.0) * p + glam::DVec3::from(map.1));
            let away = vector([1e-2, 1.0, 1e2][round / 18 % 3]).as_dvec3();
            let ray = Ray::new(world - away, away * 0.7);
            let faces = [Faces::Both, Faces::Front, Faces::Back][round / 54 % 3];
            let query = Query::new().range(0.0, [f64::MAX, 1.4][round % 2]).faces(faces);
            let corners = corners.map(|corner| Vec3::new(corner.x.into(), corner.y.into(), corner.z.into()));
            let ask = TriangleQuery { corners, query, rule: EdgeRule::Closed };
            let raw = RayLike::<glam::DVec3>::raw(&ray);
            let mut check = |level: &InstanceLevel<'_>| {
                let Some(ours) = crossing_in_f64(level, ask.corners, &ask.query) else {
                    undecided += 1;
                    return;
                };
                let truth = evaluate_instance(&ask, level, Precision::Double, &mut Trace::default());
                let case = alloc::format!(
                    "{ray:?} {:?} {:?}",
                    ask.corners,
                    maps.iter().map(|map| map.0).collect::<alloc::vec::Vec<_>>()
                );
                assert_eq!(ours.is_some(), truth.is_some(), "{case}");
                let (Some(ours), Some(truth)) = (ours, truth) else {
                    misses += 1;
                    return;
                };
                hits += 1;
                let (t, exact) = (ours.t.to_f64(), truth.t.to_f64());
                assert!((t - exact).abs() <= exact.abs() * power(-28), "{t} {exact} {case}");
                assert_eq!(ours.facing.to_f64(), truth.facing.to_f64(), "{case}");
                for (ours, truth) in ours.uv.into_iter().zip(truth.uv) {
                    assert!((ours.to_f64() - truth.to_f64()).abs() <= power(-28), "{case}");
                }
                let unit = |n: Vec3<Dd>| glam::DVec3::new(n.x.to_f64(), n.y.to_f64(), n.z.to_f64()).normalize();
                assert!((unit(ours.normal) - unit(truth.normal)).abs().max_element() <= power(-28), "{case}");
            };
            let outer = InstanceLevel::new(&maps[0], None, &raw);
            match &maps[1..] {
                [] => check(&outer),
                [second] => check(&InstanceLevel::new(second, Some(&outer), &raw)),
                [second, third, ..] => {
                    let middle = InstanceLevel::new(second, Some(&outer), &raw);
                    check(&InstanceLevel::new(third, Some(&middle), &raw));
                }
            }
        }
        assert!(hits > 3_000 && misses > 20_000 && undecided < 30_000, "{hits} {misses} {undecided}");
    }
}
