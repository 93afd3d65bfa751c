//! Closest-hit fast path: the filter, and the call of the slow path if the filter is uncertain.

use crate::adaptive::compiled::{closest_hit_f64, with_fallback};
use crate::adaptive::evaluate::{ClosestCrossing, ClosestHit, ClosestWithHit, ShapeResults, filtered_crossing};
use crate::adaptive::fallback::{closest_results, is_hit};
use crate::adaptive::stages::evaluate_filter;
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::{Precision, Real};
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;
use crate::queries::compact;
use crate::query::Query;
use crate::target::COMPACT;

/// Slow path. Takes the query by value, so that the fast path need not store the query that it builds.
#[inline(never)]
fn closest_exactly<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: &InputRay,
    query: Query<V::Scalar>,
) -> ShapeResults {
    with_fallback(shape, |shape| closest_results(shape, raw, &query.double()))
}

#[inline(never)]
fn any_exactly<V: Vector, K: Kernel<Vector = V>>(shape: &K, raw: &InputRay, query: Query<V::Scalar>) -> bool {
    with_fallback(shape, |shape| is_hit(shape, raw, &query.double()))
}

/// Closest hit.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn closest_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> InputRay,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    // Builds for size share one body for all shapes.
    if COMPACT {
        return compact::closest_hit(shape, &raw(), query);
    }
    // The slow path, when the filter is uncertain: all stages, and the first of all results.
    let slowly = |raw| Some(closest_exactly(shape, &raw, *query).hits.first()?.1.convert());
    // In `f32`, the numbers of the filter have all digits of a hit.
    if V::Scalar::PRECISION == Precision::Single {
        return evaluate_filter(&ClosestHit(shape, query), &raw).unwrap_or_else(|| slowly(raw()));
    }
    // In `f64`, one pass of filter and Newton step writes the hit in place.
    let (raw, mut hit) = (raw(), None);
    closest_hit_f64(shape, &raw, &query.double(), &mut hit);
    hit
}

/// Candidate of the closest hit. For `f32` `out` becomes its hit, which costs little more; for `f64` the digits of the hit
/// are most of the work.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn closest_candidate<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> InputRay,
    query: &Query<V::Scalar>,
    out: &mut Option<Hit<V>>,
) -> Option<HitCandidate<Working<V>>> {
    // Builds for size share one body for all shapes.
    if COMPACT {
        return compact::closest_t(shape, &raw(), query);
    }
    // The slow path, which computes the hit with its `t`.
    let mut slowly = |raw| {
        let full = closest_exactly(shape, &raw, *query);
        let (t, hit) = full.hits.first()?;
        *out = Some(hit.convert());
        Some(HitCandidate { t: Arithmetic::from_parts(*t), primitive: 0, at_start: full.at_start })
    };
    // In `f32`, filter, candidate and hit come from one evaluation.
    if V::Scalar::PRECISION == Precision::Single {
        let Some(found) = evaluate_filter(&ClosestWithHit(shape, query), &raw) else { return slowly(raw()) };
        let (candidate, hit) = found?;
        *out = Some(hit);
        return Some(candidate);
    }
    // In `f64`, the filter finds the crossing, and only `t` gets all its digits: most candidates lose against another
    // shape.
    let raw = raw();
    let Some(found) = filtered_crossing(shape, &raw, query) else { return slowly(raw) };
    let refine = |found| with_fallback(shape, |shape| shape.closest_t_decided(&raw, &query.double(), &found));
    refine(found?).map(HitCandidate::convert).or_else(|| slowly(raw))
}

/// Any hit: computes no values.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn any_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> InputRay,
    query: &Query<V::Scalar>,
) -> bool {
    // Builds for size share one body for all shapes.
    if COMPACT {
        return compact::closest_t(shape, &raw(), query).is_some();
    }
    if V::Scalar::PRECISION == Precision::Double {
        let raw = raw();
        let found = filtered_crossing(shape, &raw, query).map(|found| found.is_some());
        return found.unwrap_or_else(|| any_exactly(shape, &raw, *query));
    }
    let found = evaluate_filter(&ClosestCrossing(shape, query), &raw).map(|found| found.is_some());
    found.unwrap_or_else(|| any_exactly(shape, &raw(), *query))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::evaluate::Wanted;
    use crate::adaptive::fallback::ExactKernel;
    use crate::explain::Trace;
    use crate::queries::instance_ray::InstanceRay;
    use crate::queries::shape::Shape;
    use crate::{Capsule, Cone, Cuboid, Cylinder, Disk, Ellipsoid, Plane, Ray, RayLike, Sphere};
    use glam::DVec3;
    use glam::Vec3;

    /// Rays from a distance of `far` sizes: directions on a spiral, aimed at points spread evenly in the shape.
    fn ray(i: u32, far: f32) -> Ray<Vec3> {
        let spread = |step: f32| (i as f32 * step).fract() * 2.0 - 1.0;
        let (height, around) = (spread(0.618_034), core::f32::consts::PI * spread(0.414_214));
        let wide = (1.0 - height * height).sqrt();
        let from = Vec3::new(wide * around.cos(), wide * around.sin(), height) * far;
        let at = Vec3::new(spread(0.754_878), spread(0.569_840), spread(0.819_173)) * 0.5;
        Ray::new(from, (at - from).normalize())
    }

    /// Number of rays out of 1000 for which the filter is uncertain.
    fn uncertain(shape: &impl Kernel<Vector = Vec3>, far: f32) -> usize {
        (0..1000)
            .filter(|i| evaluate_filter(&ClosestHit(shape, &Query::new()), || ray(*i, far).raw()).is_none())
            .count()
    }

    /// The candidate of a scene and the closest hit of a shape are the same hit, also from inside the shape and where
    /// the filter is often uncertain.
    #[test]
    fn candidates_are_first_hits() {
        // The candidate and its hit, as a scene computes them, against the hit of the shape by itself.
        fn check<K: Kernel<Vector: Vector>>(shape: &K, rays: impl Iterator<Item = Ray<K::Vector>>) -> usize {
            let query = Query::new();
            let same = |ray: Ray<K::Vector>| {
                let (world, first) = (ray.line(), shape.cast_closest(&ray, &query));
                let line = InstanceRay::new(&world);
                let mut hit = None;
                let candidate = shape.candidate(&line, &query, f64::INFINITY, &mut hit);
                let hit = candidate.and_then(|at| hit.or_else(|| shape.finish(&line, &query, &at)));
                assert_eq!(hit, first, "{ray:?}");
                usize::from(first.is_some())
            };
            rays.map(same).sum()
        }
        // Rays from inside, from near, and from so far that the filter is often uncertain.
        let (a, b) = (Vec3::new(-0.1, -0.3, -0.4), Vec3::new(0.2, 0.3, 0.5));
        for far in [0.1, 3.0, 1e6] {
            let rays = || (0..1000).map(|i| ray(i, far));
            let mut hits = check(&Sphere::new(Vec3::ZERO, 0.5).unwrap(), rays());
            hits += check(&Capsule::new(a, b, 0.3).unwrap(), rays());
            hits += check(&Cylinder::new(a, b, 0.3).unwrap(), rays());
            hits += check(&Cone::new(a, b, 0.4).unwrap(), rays());
            hits += check(&Disk::new(Vec3::ZERO, b, 0.5).unwrap(), rays());
            hits += check(&Cuboid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), rays());
            hits += check(&Ellipsoid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), rays());
            assert!((1000..7000).contains(&hits), "{far}: {hits}");
        }
        let fine = (0..1000).map(|i| ray(i, 3.0)).map(|ray| Ray::new(ray.origin.as_dvec3(), ray.direction.as_dvec3()));
        let hits = check(&Sphere::new(DVec3::ZERO, 0.5).unwrap(), fine);
        assert!((100..1000).contains(&hits), "{hits}");
    }

    /// Rays from afar stay in the filter. With bounds that grow with the square of the distance, every hit from some
    /// hundred sizes away would escalate to the slow path, which takes eight times as long.
    #[test]
    fn rays_from_afar_stay_in_the_first_arithmetic() {
        let (a, b) = (Vec3::new(-0.1, -0.3, -0.4), Vec3::new(0.2, 0.3, 0.5));
        for far in [3.0, 30.0, 300.0, 1000.0] {
            let shapes = [
                uncertain(&Sphere::new(Vec3::ZERO, 0.5).unwrap(), far),
                uncertain(&Capsule::new(a, b, 0.3).unwrap(), far),
                uncertain(&Cylinder::new(a, b, 0.3).unwrap(), far),
                uncertain(&Cone::new(a, b, 0.4).unwrap(), far),
                uncertain(&Disk::new(Vec3::ZERO, b, 0.5).unwrap(), far),
                uncertain(&Cuboid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), far),
                uncertain(&Ellipsoid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), far),
            ];
            assert!(shapes.iter().all(|uncertain| *uncertain <= 10), "{far}: {shapes:?} of 1000");
        }
    }

    /// Rays along the axes of shapes and along their faces are decided by the filter, as exact numbers decide them (docs/proofs.md, Lemma
    /// 39). Those that touch are left to exact numbers.
    #[test]
    fn lines_along_axes_stay_in_the_filter() {
        // Rays with zeros in the direction; one in four has a direction that is off by some roundings.
        fn rays<V: Vector>(axes: [V; 3]) -> impl Iterator<Item = Ray<V>> {
            let spread = |i: u32, step: f64| (f64::from(i) * step).fract() * 2.0 - 1.0;
            (0..2000).map(move |i| {
                let at = [0.618_034, 0.414_214, 0.754_878].map(|step| spread(i, step) * 1.25);
                let tiny = if i % 4 == 0 { 1e-17 * f64::from(i) } else { 0.0 };
                let direction =
                    [[0.0, 0.0, -1.0], [0.0, 1.0, tiny], [0.75, tiny, 0.0], [tiny, 0.5, 0.25]][i as usize / 4 % 4];
                let place = |[x, y, z]: [f64; 3]| {
                    let [a, b, c] = axes.map(Vector::to_f64);
                    V::from_xyz([0, 1, 2].map(|k| V::Scalar::from_f64(x * a[k] + y * b[k] + z * c[k])))
                };
                let origin = [0, 1, 2].map(|k| at[k] - 3.0 * direction[k]);
                Ray::new(place(origin), place(direction))
            })
        }
        // The numbers of rays that hit, and of those of them that the filter leaves open.
        fn check<K: Kernel<Vector: Vector>>(shape: &K, rays: impl Iterator<Item = Ray<K::Vector>>) -> [usize; 2] {
            let (query, mut counts) = (Query::new(), [0, 0]);
            for ray in rays {
                let raw = ray.raw();
                let exact = closest_exactly(shape, &raw, query);
                counts[0] += exact.hits.len();
                let Some(found) = evaluate_filter(&ClosestCrossing(shape, &query), || raw) else {
                    counts[1] += exact.hits.len();
                    continue;
                };
                assert_eq!(found.is_some(), !exact.hits.is_empty(), "{} {ray:?}", K::NAME);
                // The same hit, on the same face.
                let hit = shape.cast_closest(&ray, &query).map(Hit::convert::<DVec3>);
                let distance = exact.hits.first().zip(hit).map_or(0.0, |((_, exact), hit)| {
                    (exact.point - hit.point).length() + (exact.normal - hit.normal).length()
                });
                assert!(distance < 1e-6, "{} {ray:?} {hit:?}", K::NAME);
            }
            counts
        }
        let (a, b) = (Vec3::new(0.125, 0.25, -1.0), Vec3::new(0.125, 0.25, 1.0));
        let turned = crate::Basis::from_direction(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let [x, y, z] = [turned.axes()[0], turned.axes()[1], turned.axes()[2]];
        let place = |v: Vec3| x * v.x + y * v.y + z * v.z;
        let (half, double) = (Vec3::new(0.5, 0.75, 1.0), |v: Vec3| v.as_dvec3());
        let straight = || rays([Vec3::X, Vec3::Y, Vec3::Z]);
        let oblique = || rays([x, y, z]);
        let fine = || rays([DVec3::X, DVec3::Y, DVec3::Z]);
        let checked = [
            check(&Cylinder::new(a, b, 0.5).unwrap(), straight()),
            check(&Cylinder::new(place(a), place(b), 0.5).unwrap(), oblique()),
            check(&Cylinder::new(double(a), double(b), 0.5).unwrap(), fine()),
            check(&Capsule::new(a, b, 0.5).unwrap(), straight()),
            check(&Capsule::new(place(a), place(b), 0.5).unwrap(), oblique()),
            check(&Capsule::new(double(a), double(b), 0.5).unwrap(), fine()),
            check(&Cone::new(a, b, 0.75).unwrap(), straight()),
            check(&Cone::new(place(a), place(b), 0.75).unwrap(), oblique()),
            check(&crate::Frustum::new(a, b, 0.25, 0.75).unwrap(), straight()),
            check(&Cuboid::new(a, half).unwrap(), straight()),
            check(&Cuboid::new(double(a), double(half)).unwrap(), fine()),
            check(&crate::OrientedBox::new(a, half, turned).unwrap(), oblique()),
            check(&crate::OrientedBox::new(a, half, crate::Basis::identity()).unwrap(), straight()),
        ];
        assert!(checked.iter().all(|[hits, open]| *hits > 200 && *open <= 20), "{checked:?}");
    }

    /// Balls decide rays that start on the surface itself, as a shadow ray does, and they decide as the later stages do. The filter is
    /// never certain of a ray that starts on a plane.
    #[test]
    fn rays_from_a_surface_are_decided_in_balls() {
        // A ray that starts at a hit, in the direction of another ray.
        fn check<K: Kernel<Vector = DVec3, Double = K>>(shape: &K) -> [usize; 2] {
            let mut counts = [0, 0];
            for i in 0..1000 {
                let to_f64 = |ray: Ray<Vec3>| Ray::new(ray.origin.as_dvec3(), ray.direction.as_dvec3());
                let Some(hit) = shape.cast_closest(&to_f64(ray(i, 3.0)), &Query::new()) else { continue };
                let (away, query) = (Ray::new(hit.point, to_f64(ray(i + 7, 1.0)).direction).raw(), Query::from(1e-3..));
                let decided = ExactKernel::is_hit_in_balls(shape, &away, &query);
                let wanted = (&query, Wanted::Any);
                let results = ExactKernel::results(shape, &away, wanted, &mut Trace::default());
                assert_eq!(decided, Some(results.count > 0), "{away:?}");
                counts[usize::from(evaluate_filter(&ClosestCrossing(shape, &query), || away).is_none())] += 1;
            }
            counts
        }
        // A plane contains the start of the ray: the filter is never certain there, but balls are.
        let (a, b) = (DVec3::new(-0.1, -0.3, -0.4), DVec3::new(0.2, 0.3, 0.5));
        let [certain, uncertain] = check(&Plane::new(a, b).unwrap());
        assert!(certain == 0 && uncertain > 300, "{certain} {uncertain}");
        for [certain, uncertain] in [
            check(&Sphere::new(DVec3::ZERO, 0.5).unwrap()),
            check(&Cuboid::new(DVec3::ZERO, DVec3::new(0.3, 0.4, 0.5)).unwrap()),
            check(&Cylinder::new(a, b, 0.3).unwrap()),
            check(&Cone::new(a, b, 0.4).unwrap()),
            check(&Disk::new(DVec3::ZERO, b, 0.5).unwrap()),
        ] {
            assert!(certain + uncertain > 100, "{certain} {uncertain}");
        }
    }
}
