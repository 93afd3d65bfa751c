//! Crossing with a triangle of an instance in plain `f64`, with bounds by norms: the first stage for results in `f32`.
//!
//! # Method
//! The crossing is that of [`cross_triangle`](crate::shapes::triangle::cross_triangle), for the rounded ray in the
//! coordinates of the mesh. Balls would give each number a bound of its own, at ten times the cost; here one bound holds for
//! all components of a vector.
//!
//! # Accuracy
//! docs/proofs.md, Lemma 12. With `|v|` the largest magnitude of a component, `u` = 2^-53, and the errors `E_o`, `E_d`
//! of the local ray: `n = e x f` is within `10 u |e| |f|`, the moment `m = o x d` within
//! `2 (|o| E_d + |d| E_o + E_o E_d) + 8 u |o| |d|`, `n . d` within `6 |e| |f| E_d + 64 u |e| |f| |d|`, `n . o` alike
//! with `E_o` and `|o|`, and `m . f` within three times `|f|` the error of `m`, and `32 u |o| |d| |f|`. A quarter more
//! covers products of errors and the roundings of the bounds, and 2^-850 covers underflow.

use crate::hit::Side;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::eft::sqrt;
use crate::math::instance_stack::{InstanceLevel, RoundedRay};
use crate::math::rounding::{ROUNDING, power};
use crate::math::vec3::Vec3;
use crate::mesh::known_crossing::KnownCrossing;
use crate::query::Query;
use crate::shapes::triangle::TriangleHit;
use crate::simd::xyz::Xyz;

/// Sizes of edges and directions for which nothing overflows, and underflow stays below [`LARGEST_UNDERFLOW`].
const SIZES: [f64; 2] = [power(-200), power(200)];

const LARGEST_UNDERFLOW: f64 = power(-850);

/// Largest error of a numerator or a denominator relative to it. The quotient then has the digits of a hit: 2^-28.
const QUOTIENT_DIGITS: f64 = power(-30);

/// Bounds of the errors of the numbers that a crossing depends on: see `# Accuracy` above.
struct ErrorBounds {
    normal: f64,
    slope: f64,
    height: f64,
    u: f64,
    v: f64,
}

impl ErrorBounds {
    /// Bounds from the sizes of `o`, `d`, `e`, `f` and the errors of the local ray; `None` for sizes that are not ordinary.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new([o, d, e, f]: [f64; 4], [of_origin, of_direction]: [f64; 2]) -> Option<Self> {
        let is_ordinary = |size: f64| (SIZES[0] < size) & (size < SIZES[1]);
        // Written so that a NaN is not ordinary.
        if !(is_ordinary(d) & is_ordinary(e) & is_ordinary(f) & (o < SIZES[1])) {
            return None;
        }
        let of_origin = of_origin + 2.0 * ROUNDING * o;
        let (plane, sweep) = (e * f, o * d);
        let of_moment = 2.0 * (o * of_direction + d * of_origin + of_origin * of_direction) + 8.0 * ROUNDING * sweep;
        let of_weight = 1.25 * (3.0 * of_moment + 32.0 * ROUNDING * sweep);
        let of_plane = |error: f64, size: f64| 1.25 * plane * (6.0 * error + 64.0 * ROUNDING * size);
        Some(Self {
            normal: 10.0 * ROUNDING * plane + LARGEST_UNDERFLOW,
            slope: of_plane(of_direction, d) + LARGEST_UNDERFLOW,
            height: of_plane(of_origin, o) + LARGEST_UNDERFLOW,
            u: f * of_weight + LARGEST_UNDERFLOW,
            v: e * of_weight + LARGEST_UNDERFLOW,
        })
    }
    /// Bound of the error of `slope - u - v`, the weight of the first corner.
    #[inline(always)]
    fn of_rest(&self, [slope, u, v]: [f64; 3]) -> f64 {
        1.25 * (self.slope + self.u + self.v + 4.0 * ROUNDING * (slope.abs() + u.abs() + v.abs()))
    }
    /// Whether the quotients over `slope` have the digits of a hit.
    #[inline(always)]
    fn has_digits(&self, slope: f64, height: f64) -> bool {
        let larger = if self.u > self.v { self.u } else { self.v };
        (larger < QUOTIENT_DIGITS * slope.abs()) & (self.height < QUOTIENT_DIGITS * height.abs())
    }
}

/// Relative bound of the error of `t`.
const T_DIGITS: f64 = power(-28);

/// Crossing of a ray and an instance stack, `Some(None)` for a miss; `None` if `f64` does not decide it, or lacks digits
/// for a result in `f32`.
#[inline(never)]
pub(crate) fn crossing_in_f64(
    level: &InstanceLevel<'_>,
    [a, b, c]: [Vec3<f64>; 3],
    query: &Query<f64>,
) -> Option<Option<TriangleHit<Dd>>> {
    // The rounded ray in the coordinates of the mesh, with bounds of its errors. All that follows is relative to the
    // first corner.
    let RoundedRay { origin, direction: d, errors } = *level.rounded();
    let (o, e, f) = (origin - a, b - a, c - a);
    let bounds = ErrorBounds::new([o, d, e, f].map(Vec3::max_abs_f64), errors)?;
    // The normal of the plane and the moment of the line give slope, height and weights, as in `cross_triangle`.
    let (n, m) = (e.cross(f), o.cross(d));
    let (slope, height) = (n.plain_dot(d), -n.plain_dot(o));
    // Without digits of the slope there is no `t`, and perhaps no crossing.
    if !(bounds.slope < QUOTIENT_DIGITS * slope.abs()) {
        return None;
    }
    // The weights of the corners, with their signs turned so that inside is positive: one below its error bound is a
    // certain miss.
    let facing = 1.0f64.mul_sign(slope);
    let (u, v) = (-m.plain_dot(f), m.plain_dot(e));
    let of_w = bounds.of_rest([slope, u, v]);
    let weights = [(slope - u - v, of_w), (u, bounds.u), (v, bounds.v)].map(|(weight, error)| (weight * facing, error));
    if weights.iter().any(|(weight, error)| *weight < -error) {
        return Some(None);
    }
    // A crossing is certain only if all weights exceed their bounds, and the quotients have the digits of a hit.
    let is_inside = weights.iter().all(|(weight, error)| weight > error);
    if !(is_inside && bounds.has_digits(slope, height)) {
        return None;
    }
    // The range of `t`, with the room for its error on both sides: outside for certain, within for certain, or
    // undecided.
    let range = TRange::new(&level.raw().line::<f64>(), query);
    let t = height / slope;
    let slack = t.abs() * T_DIGITS;
    let [is_early, is_late] = [t + slack < range.min, t - slack > range.max];
    let is_within = range.min < t - slack && t + slack < range.max && t.abs() < range.largest;
    // The normal goes to the world by the transposed inverse, and must keep its digits there.
    let (normal, of_normal) = level.world_normal(n, bounds.normal);
    let has_normal = of_normal + LARGEST_UNDERFLOW < QUOTIENT_DIGITS * normal.max_abs_f64();
    let at = TriangleHit { t, facing, normal, uv: [u / slope, v / slope].map(|weight| weight.clamp(0.0, 1.0)) };
    if is_early || is_late || !query.faces_mode().include(facing) {
        return Some(None);
    }
    (is_within && has_normal).then(|| Some(at.tellable().convert()))
}

/// [`InstanceLevel::world_normal`], bit for bit, in registers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn world_normal<const FMA: bool>(level: &InstanceLevel<'_>, mut n: Xyz<FMA>, mut error: f64) -> (Xyz<FMA>, f64) {
    for inverse in level.inverses() {
        let [[a, b, c], [x, y, z]] = [inverse.rows.map(Xyz::new), n.to_array().map(Xyz::splat)];
        error = inverse.error_of_product(n.abs().max_lane(), error);
        n = a * x + b * y + c * z;
    }
    (n, error)
}

/// [`crossing_in_f64`] for a triangle that the ray is known to cross within `range`, bit for bit, with x, y and z in one register.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn known_crossing_of_instance<const FMA: bool>(
    level: &InstanceLevel<'_>,
    [origin, direction]: [Xyz<FMA>; 2],
    [a, b, c]: [Xyz<FMA>; 3],
    range: [f64; 2],
) -> Option<KnownCrossing<FMA>> {
    // The ray and the edges relative to the first corner, all components of a vector in one register.
    let local = level.rounded();
    let (o, d) = (Xyz::from_vec(local.origin) - a, Xyz::from_vec(local.direction));
    let (e, f) = (b - a, c - a);
    // Bounds from norms, as in `ErrorBounds`: one number for each vector.
    let bounds = ErrorBounds::new(Xyz::max_lanes([o, d, e, f].map(Xyz::abs)), local.errors)?;
    // Slope, depth and weights; four sums at a time cost as much as one.
    let (n, m) = (e.cross(f), o.cross(d));
    let [slope, depth, minus_u, v] = Xyz::sums([n * d, n * o, m * f, m * e]);
    let (height, u) = (-depth, -minus_u);
    let facing = 1.0f64.mul_sign(slope);
    // The triangle is known to be crossed. These tests only ask whether plain `f64` proves it with the digits of a hit.
    let weights = [slope - u - v, u, v].map(|weight| weight * facing);
    let of_w = bounds.of_rest([slope, u, v]);
    let is_inside = (weights[0] > of_w) & (weights[1] > bounds.u) & (weights[2] > bounds.v);
    // The range has room for the error of `t` on both sides.
    let t = height / slope;
    let slack = t.abs() * T_DIGITS;
    let is_within = (range[0] < t - slack) & (t + slack < range[1]) & (t.abs() < level.raw().largest);
    // The normal in the world, its length and the speed of the ray. The bounds on the length exclude overflow and
    // underflow of the square.
    let (normal, of_normal) = world_normal(level, n, bounds.normal);
    let [length_sq, speed_sq] = Xyz::two_sums(normal * normal, direction * direction);
    let has_normal = (of_normal + LARGEST_UNDERFLOW < QUOTIENT_DIGITS * normal.abs().max_lane())
        & (power(-800) < length_sq)
        & (length_sq < power(800));
    // One branch for all tests: nearly every hit passes them.
    let has_slope = bounds.slope < QUOTIENT_DIGITS * slope.abs();
    if !(has_slope & bounds.has_digits(slope, height) & is_inside & is_within & has_normal) {
        return None;
    }
    Some(KnownCrossing {
        t,
        uv: [u / slope, v / slope].map(|weight| weight.clamp(0.0, 1.0)),
        side: if slope < 0.0 { Side::Front } else { Side::Back },
        point: origin + direction * Xyz::splat(t),
        normal: normal / Xyz::splat(sqrt(length_sq)),
        distance: t * sqrt(speed_sq),
        is_uncertain: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::instance::evaluate_instance;
    use crate::explain::Trace;
    use crate::hit::Hit;
    use crate::math::instance_stack::TestMap;
    use crate::math::real::Precision;
    use crate::mesh::triangle_test::{TriangleQuery, hit};
    use crate::query::Faces;
    use crate::shapes::triangle::EdgeRule;
    use crate::simd::dispatch::dispatch_fma;
    use crate::simd::task::FmaKernel;
    use crate::{Ray, RayLike};
    use glam::{DMat3, Vec3 as Single};
    use test_support::random::Lcg;

    struct Known<'a>(&'a InstanceLevel<'a>, &'a TriangleQuery);

    impl FmaKernel for Known<'_> {
        type Output = Option<(f64, Hit<Single>)>;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run<const FMA: bool>(self) -> Self::Output {
            let Self(level, TriangleQuery { corners, query, .. }) = self;
            let ray = [level.raw().origin, level.raw().target].map(Xyz::<FMA>::new);
            let range = [query.t_min(), query.t_max()];
            let at = known_crossing_of_instance(level, ray, corners.map(Xyz::from_vec), range)?;
            Some((at.t, at.hit(7)))
        }
    }

    /// Registers and single numbers, with FMA and without, have the same bits: hits, and which are certain.
    fn check_in_registers(level: &InstanceLevel<'_>, ask: &TriangleQuery, ours: Option<Option<TriangleHit<Dd>>>) {
        let expected = ours.flatten().map(|at| {
            let in_f64 = at.convert();
            (in_f64.t, hit::<Single, f64>(&level.raw().line(), 7, &in_f64))
        });
        for found in [dispatch_fma(Known(level, ask)), Known(level, ask).run::<false>()] {
            assert_eq!(alloc::format!("{found:?}"), alloc::format!("{expected:?}"), "{:?}", ask.corners);
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
            // One map, or a chain of up to three; some of them nearly singular.
            let maps: alloc::vec::Vec<TestMap> = (0..1 + round % 3)
                .map(|_| {
                    let thin = [1.0, 1.0, 1e-1, 1e-4][(vector(1.0).x.abs() * 4.0) as usize];
                    let columns = [vector(1.0), vector(3.0), vector(1.0) * thin];
                    let columns = columns.map(|column| column.as_dvec3().to_array());
                    TestMap::new(columns, vector(3.0).as_dvec3().to_array())
                })
                .collect();
            // A triangle of each size, and a target on it, at an edge or closely beside.
            let size = [1e-2, 1.0, 1e2][round % 3];
            let a = vector(1.0);
            let corners = [a, a + vector(size), a + vector(size)];
            let [u, v] = [vector(1.0).x.abs() * 1.2, [0.2, 0.0, 1e-15, 0.3, 1e-12, 1e-4][round / 3 % 6]];
            let target = (corners[0] + (corners[1] - a) * u + (corners[2] - a) * v).as_dvec3();
            // The ray goes through the image of the target in the world.
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
            // A decision of plain `f64` must be that of the later stages.
            let mut check = |level: &InstanceLevel<'_>| {
                let ours = crossing_in_f64(level, ask.corners, &ask.query);
                if faces == Faces::Both {
                    check_in_registers(level, &ask, ours);
                }
                let Some(ours) = ours else {
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
                // Each number of the hit has the digits that the stage promises.
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
            // The levels of the stack, one for each map.
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
