//! Filter of a shape under a transform: plain `f64` with stricter thresholds, which leave room for the errors of the rounded local
//! ray. It decides most rays; its numbers have the digits of `f32`.
//!
//! # Accuracy
//! docs/proofs.md, Lemma 16.

use crate::adaptive::evaluate::{ClosestWithHit, ShapeResults, TParts, Wanted, with_filtered_hits};
use crate::adaptive::stages::Evaluate;
use crate::hit::{Hit, Side};
use crate::kernel::candidate::HitCandidate;
use crate::kernel::crossing::Normal;
use crate::kernel::hit_builder::hit_at;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, hit};
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::filter_f64::FilterF64;
use crate::math::instance_stack::InstanceLevel;
use crate::math::observer::FilterFlag;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::query::Query;

/// Closest hit of a shape in its coordinates, as a candidate and with the hit.
pub(crate) type ClosestOfShape<V> = Option<(HitCandidate<Dd>, Hit<V>)>;

/// 2^-29: largest error of a component of a normal of the filter (docs/proofs.md, Lemma 16).
const OF_NORMAL: f64 = power(-29);

/// Closest hit by the filter, if it is certain; the flag says whether the ray is exact. Compiled once for each shape.
#[inline(never)]
pub(crate) fn filtered_closest<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    line: &WorkingRay<FilterF64>,
    query: &Query<f64>,
    mut flag: FilterFlag,
) -> Option<ClosestOfShape<K::Vector>> {
    let closest = ClosestWithHit(shape, query).evaluate(line, &mut flag);
    (!flag.is_uncertain).then_some(closest)
}

/// Closest hit of an instance by the filter, in the coordinates of the shape; `None` where it is uncertain. The ray is valid.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn closest_of_placed<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    query: &Query<f64>,
) -> Option<ClosestOfShape<K::Vector>> {
    if !K::FILTERS_ROUNDED_RAYS {
        return None;
    }
    let (line, of_origin) = level.for_filter()?;
    filtered_closest(shape, &line, query, FilterFlag::of_rounded_ray(of_origin))
}

/// Writes the hit in the coordinates of the world, and returns its `t` and whether it is the start of the range; `None` if the
/// normal has too few digits there.
#[inline(always)]
pub(crate) fn write_closest<V: Vector>(
    level: &InstanceLevel<'_>,
    (candidate, local): &(HitCandidate<Dd>, Hit<V>),
    out: &mut Option<Hit<V>>,
) -> Option<(TParts, bool)> {
    let normal = if candidate.at_start { None } else { Some((local.normal.widen(), OF_NORMAL)) };
    write_placed(level, candidate.t.to_f64(), normal, local.side, out)?;
    Some((candidate.t.parts(), candidate.at_start))
}

/// Writes a hit of an instance, in the coordinates of the world, from its `t` and a normal of the shape with the bound of the
/// errors of its components.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn write_placed<V: Vector>(
    level: &InstanceLevel<'_>,
    t: f64,
    normal: Option<(Vec3<f64>, f64)>,
    side: Side,
    out: &mut Option<Hit<V>>,
) -> Option<()> {
    // The normal goes to the world, where its error must be small beside it; without a normal the ray starts inside.
    let normal = match normal {
        None => None,
        Some((normal, error)) => {
            let (normal, error) = level.world_normal(normal, error);
            // Written so that a NaN is uncertain.
            if !(error < power(-26) * normal.max_abs_f64()) {
                return None;
            }
            Some(Normal::Direction(normal))
        }
    };
    // Point and distance come from the ray of the world, by the same `t`.
    let line = level.raw().line::<f64>();
    let (point, distance) = line.at(t);
    *out = Some(hit_at(&line, (t, point, distance), normal, side, None));
    Some(())
}

/// Writes the wanted results of an instance by the filter, and returns whether there are any; `None` where it is uncertain. The first hit
/// has the bits of [`write_closest`].
#[inline(never)]
pub(crate) fn results_of_placed<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    level: &InstanceLevel<'_>,
    (query, wanted): (&Query<f64>, Wanted),
    out: &mut ShapeResults,
) -> Option<bool> {
    if !K::FILTERS_ROUNDED_RAYS {
        return None;
    }
    let ((line, of_origin), mut is_any) = (level.for_filter()?, false);
    with_filtered_hits(shape, &line, (query, wanted), FilterFlag::of_rounded_ray(of_origin), |state, found| {
        is_any = found.is_any();
        out.write(found, wanted, |found| {
            let (local, mut placed) = (hit(shape, &line, state, found), None);
            let is_start = matches!(found, BoundaryHit::Inside(_));
            let normal = if is_start { None } else { Some((local.normal.widen(), OF_NORMAL)) };
            write_placed::<K::Vector>(level, found.t().to_f64(), normal, local.side, &mut placed)?;
            Some((found.t().parts(), placed?))
        })
    })?;
    Some(is_any)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Triangle2;
    use crate::adaptive::fallback::ExactKernel;
    use crate::adaptive::instance::{closest_in_double_words, decided_compactly};
    use crate::basis::Basis;
    use crate::explain::Trace;
    use crate::math::instance_stack::TestMap;
    use crate::math::real::Precision;
    use crate::{
        Capsule, Cone, ConvexPolygon, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace, Plane, Ray, RayLike, Sphere,
        TaperedCapsule,
    };
    use glam::{DMat3, DQuat, DVec3};
    use test_support::random::Lcg;

    /// Compares a hit of an early stage, and its `t`, with the later stages, whose errors are below 2^-60; up to `error`.
    pub(crate) fn assert_closest<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        level: &InstanceLevel<'_>,
        query: &Query<f64>,
        found: Option<(TParts, Hit<K::Vector>)>,
        error: f64,
    ) {
        // The truth comes from the stages after the filter, to the digits of `f64`.
        let results = shape.instance_results(level, (query, Wanted::Closest), Precision::Double, &mut Trace::default());
        let case = alloc::format!("{} {:?} {query:?} {:?}", K::NAME, level.raw(), level.only_map());
        let Some((t, ours)) = found else { return assert!(results.count == 0, "{case}") };
        assert_hit(level, (t, ours.convert()), results.hits.first().expect(&case), error, &case);
    }

    /// Compares a hit of an early stage, and its `t`, with the true ones.
    fn assert_hit(
        level: &InstanceLevel<'_>,
        (t, ours): (TParts, Hit<DVec3>),
        (parts, truth): &(TParts, Hit<DVec3>),
        error: f64,
        case: &str,
    ) {
        // `t`, normal, point and distance, each within the error that the stage promises.
        assert!(((t.0 - parts.0) + (t.1 - parts.1)).abs() <= t.0.abs() * error, "{t:?} {parts:?} {case}");
        // Components of the normal, and of the point, are rounded as well.
        let of_f64 = 2.0 * f64::EPSILON;
        assert!((ours.normal - truth.normal).length() <= 2.0 * error + of_f64, "{ours:?} {truth:?} {case}");
        let origin = DVec3::from_array(level.raw().origin).abs().max_element();
        let of_point = (error + of_f64) * (ours.distance.abs() + origin);
        assert!((ours.point - truth.point).abs().max_element() <= of_point, "{ours:?} {truth:?} {case}");
        let of_distance = (error + of_f64) * truth.distance.abs();
        assert!((ours.distance - truth.distance).abs() <= of_distance, "{ours:?} {truth:?} {case}");
        assert!(ours.side == truth.side, "{case}");
    }

    /// Compares the lists and spans of the early stages, of both precisions, with those of the later ones; returns how many were
    /// certain.
    pub(crate) fn assert_results<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        level: &InstanceLevel<'_>,
        query: &Query<f64>,
    ) -> usize {
        let (query, mut certain) = (&query.of_all_hits(), 0);
        // The ends of the whole line, whatever the range is.
        let (whole, mut ends) = (&Query::line(), ShapeResults::default());
        let filtered =
            shape.filtered_results(level.raw(), Some(level), (whole, Wanted::Ends), Precision::Double, &mut ends);
        if K::SOLID && filtered.is_some() {
            let truth = shape.instance_results(level, (whole, Wanted::Span), Precision::Double, &mut Trace::default());
            let case = alloc::format!("{} {:?} {:?}", K::NAME, level.raw(), level.only_map());
            assert!(ends.span.is_some() == truth.span.is_some(), "{case}");
            for (ours, truth) in ends.span.iter().zip(&truth.span).flat_map(|(ours, truth)| ours.0.iter().zip(&truth.0))
            {
                let is_close = (ours.0 - truth.0).abs() <= power(-26) * truth.0.abs();
                assert!(ours.0 == truth.0 || is_close, "{ours:?} {truth:?} {case}");
            }
        }
        for (precision, error) in [(Precision::Single, power(-26)), (Precision::Double, power(-59))] {
            for wanted in [Wanted::Hits, Wanted::Span, Wanted::Count] {
                let mut ours = ShapeResults::default();
                let filtered = shape.filtered_results(level.raw(), Some(level), (query, wanted), precision, &mut ours);
                if filtered.is_none() {
                    continue;
                }
                certain += 1;
                let truth = shape.instance_results(level, (query, wanted), Precision::Double, &mut Trace::default());
                let case = alloc::format!("{} {:?} {query:?} {wanted:?} {:?}", K::NAME, level.raw(), level.only_map());
                assert!((ours.count, ours.hits.len()) == (truth.count, truth.hits.len()), "{case}");
                for (ours, truth) in ours.hits.iter().zip(&truth.hits) {
                    assert_hit(level, *ours, truth, error, &case);
                }
                // Spans have their ends at the same places.
                assert!(ours.span.is_some() == truth.span.is_some(), "{case}");
                if let Some(((t, ours), (parts, truth))) = ours.span.zip(truth.span) {
                    assert!(ours.enter.is_some() == truth.enter.is_some(), "{case}");
                    assert!(ours.exit.is_some() == truth.exit.is_some(), "{case}");
                    if let Some((ours, truth)) = ours.enter.zip(truth.enter) {
                        assert_hit(level, (t[0], ours), &(parts[0], truth), error, &case);
                    }
                    if let Some((ours, truth)) = ours.exit.zip(truth.exit) {
                        assert_hit(level, (t[1], ours), &(parts[1], truth), error, &case);
                    }
                }
            }
        }
        certain
    }

    /// Number of cases, of certain decisions, of hits with the digits of `f32`, of those of `f64`, and of certain lists, spans and
    /// numbers of hits.
    type Counts = [usize; 5];

    fn check<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: Result<K, impl core::fmt::Debug>,
        level: &InstanceLevel<'_>,
        query: &Query<f64>,
        counts: &mut Counts,
    ) {
        let shape = &shape.unwrap();
        // What the filter leaves open is not compared.
        counts[0] += 1;
        // The later stages take long: one case of five, a number with which no parameter of the cases repeats.
        if counts[0].is_multiple_of(5) {
            counts[4] += assert_results(shape, level, query);
        }
        let Some(found) = closest_of_placed(shape, level, query) else { return };
        counts[1] += 1;
        let Some(closest) = found else { return assert_closest(shape, level, query, None, 0.0) };
        // The hit with the digits of `f32`, and then, in double-words, with those of `f64`: in both builds the same.
        let mut hit = None;
        if let Some((t, _)) = write_closest(level, &closest, &mut hit) {
            counts[2] += 1;
            assert_closest(shape, level, query, Some((t, hit.unwrap())), power(-26));
        }
        if let Some((t, hit, at_start)) = closest_in_double_words(shape, level, query) {
            counts[3] += 1;
            let compact = decided_compactly(shape, &level.refined().unwrap(), query).unwrap();
            assert!(compact.1 == hit && compact.0.0 + compact.0.1 == t.0 + t.1, "{compact:?} {hit:?}");
            assert!(at_start == closest.0.at_start);
            assert_closest(shape, level, query, Some((t, hit)), power(-59));
        }
    }

    /// Shapes under rotations, uneven scales and nearly singular maps, near and far from the origin of the world, and below two
    /// maps; rays from inside, from near and from far, at all parts of the shapes and closely past them. Every other round is one
    /// of the plane.
    #[test]
    fn what_is_certain_is_true() {
        let mut random = Lcg::new(16);
        let mut counts = [[0; 5]; 17];
        for round in 0..40_000 {
            let (is_flat, round) = (round % 2 == 1, round / 2);
            let mut vector = |size: f64| {
                let [x, y, z] = [(); 3].map(|()| random.signed_unit() * size);
                DVec3::new(x, y, if is_flat { 0.0 } else { z })
            };
            let axis = vector(3.0);
            let turn = DQuat::from_scaled_axis(if is_flat { DVec3::Z * axis.x } else { axis });
            let scale = DVec3::ONE + [DVec3::ZERO, vector(0.5), vector(1.0), DVec3::X * -1.00001][round % 4];
            let is_nested = round % 7 == 0;
            let matrix = DMat3::from_quat(turn) * DMat3::from_diagonal(scale);
            let offset = vector([0.0, 5.0, 1e3, 1e6][round / 4 % 4]);
            // Far from the origin of the shape's coordinates, the local ray has few digits relative to the shape.
            let far = vector([0.0, 0.0, 1e3, 1e6][round / 16 % 4]);
            let (a, b, c) = (far + vector(2.0), far + vector(2.0), vector(2.0));
            let [r, s] = [vector(1.0), vector(1.0)].map(|v| v.x.abs() + 0.1);
            let close = [0.3, 0.9, 1.0, 1.0 + 1e-9, 1.0 - 1e-7, 1.2][round / 64 % 6];
            let out = vector(1.0).normalize();
            let target = a + (b - a) * [vector(0.7).x + 0.5, 0.0][round / 384 % 2] + out * r * close;
            // A ray along the tangent plane of the ball around `a` touches it, passes it or cuts it, all closely.
            let mut aside = vector(1.0).normalize();
            if round / 768 % 2 == 0 {
                aside -= out * aside.dot(out);
            }
            let from = target + aside * [0.5, 4.0, 40.0, 1e3, 1e5][round / 1536 % 5];
            let place = |p: DVec3| matrix * p + offset;
            let world = |p: DVec3| if is_nested { place(place(p)) } else { place(p) };
            let ray = Ray::new(world(from), (world(target) - world(from)) * [1.0, 0.2][round % 2]);
            let raw = RayLike::<DVec3>::raw(&ray);
            let map = TestMap::new(matrix.to_cols_array_2d(), offset.to_array());
            let outer = InstanceLevel::new(&map, None, &raw);
            let inner = InstanceLevel::new(&map, Some(&outer), &raw);
            let level = if is_nested { &inner } else { &outer };
            let query = &Query::new().range([0.0, -10.0, 0.9][round % 3], [f64::MAX, 1.0][round / 3 % 2]);
            let half = c.abs() + 0.1;
            let (space, plane) = counts.split_at_mut(10);
            if is_flat {
                let [a, b, c, half] = [a, b, c, half].map(DVec3::truncate);
                let basis = Basis::from_direction(b).unwrap();
                check(Sphere::new(a, r), level, query, &mut plane[0]);
                check(Capsule::new(a, b, r), level, query, &mut plane[1]);
                check(Ellipsoid::with_basis(a, half, basis), level, query, &mut plane[2]);
                check(Triangle2::new(a, b, a + c), level, query, &mut plane[3]);
                check(ConvexPolygon::new([a, b, a + c]), level, query, &mut plane[4]);
                check(HalfSpace::new(a, b), level, query, &mut plane[5]);
                check(TaperedCapsule::new(a, b, r, s), level, query, &mut plane[6]);
                continue;
            }
            let basis = Basis::from_direction(b).unwrap();
            check(Sphere::new(a, r), level, query, &mut space[0]);
            check(Capsule::new(a, b, r), level, query, &mut space[1]);
            check(Cylinder::new(a, b, r), level, query, &mut space[2]);
            check(Cone::new(a, b, r), level, query, &mut space[3]);
            check(Frustum::new(a, b, r, s), level, query, &mut space[4]);
            check(Ellipsoid::with_basis(a, half, basis), level, query, &mut space[5]);
            check(Disk::new(a, b, r), level, query, &mut space[6]);
            check(Plane::new(a, b), level, query, &mut space[7]);
            check(HalfSpace::new(a, b), level, query, &mut space[8]);
            check(TaperedCapsule::new(a, b, r, s), level, query, &mut space[9]);
        }
        for [all, certain, hits, fine, lists] in counts {
            assert!(certain * 8 > all && hits * 30 > all && fine * 40 > all && lists * 20 > all, "{counts:?}");
        }
    }
}
