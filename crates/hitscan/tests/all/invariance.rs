//! Invariances: the unit of length, the length of the direction and its sign do not change an answer.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Precision, Real, Vector};
use hitscan::{Query, Ray, RayCast, Shape, Triangle};

fn power<S: Real>(exponent: i32) -> S {
    S::from_f64(f64::from(exponent).exp2())
}

/// The same case in units of 2^unit, with a direction 2^speed times as long.
fn situation<V: World>(kind: usize, seed: u64, unit: i32, speed: i32) -> Option<(V::Shape, Ray<V>)> {
    let mut rng = Rng::new(seed);
    let shape = V::shape(kind, &mut rng, Draw::Times(unit))?;
    let origin: V = rng.vector(Draw::Times(unit));
    // Targets in the middle half of the shapes' region, half of them on the lattice.
    let target: V = rng.vector(Draw::Times(unit - 1));
    Some((shape, Ray::new(origin, (target - origin) * power(speed))))
}

fn scaled<V: World>(cases: usize, units: &[i32]) {
    let mut hits = 0;
    for i in 0..cases {
        let (kind, seed) = (i % V::KINDS, i as u64);
        let Some((shape, ray)) = situation::<V>(kind, seed, 0, 0) else { continue };
        let all = shape.cast_ray_all(&ray, ..);
        hits += usize::from(!all.is_empty());
        for &unit in units {
            for speed in [0, 5, -unit] {
                let (other, other_ray) = situation::<V>(kind, seed, unit, speed).unwrap();
                let there = other.cast_ray_all(&other_ray, ..);
                let case = format!("{shape:?} {ray:?}, unit 2^{unit}, direction 2^{speed}: {all:?} {there:?}");
                assert_eq!(all.len(), there.len(), "{case}");
                for (a, b) in all.iter().zip(&there) {
                    assert_eq!((a.t, a.side), (b.t * power(speed), b.side), "{case}");
                    assert!(alike::<V::Scalar, _>(a.normal.to_f64(), b.normal.to_f64()), "{case}");
                    let weights = [a.uv, b.uv].map(|uv| uv.map(|uv| uv.map(Real::to_f64)));
                    assert_eq!(a.uv.is_some(), b.uv.is_some(), "{case}");
                    if let [Some(a_uv), Some(b_uv)] = weights {
                        assert!(alike::<V::Scalar, _>(a_uv, b_uv), "{case}");
                    }
                    assert_eq!(a.point * power(unit), b.point, "{case}");
                }
                assert_eq!(shape.contains(ray.origin), other.contains(other_ray.origin), "{case}");
            }
        }
    }
    assert!(hits > cases / 5, "{hits} of {cases}");
}

#[test]
fn the_unit_of_length() {
    scaled::<Vec2>(4000, &[1, -7, 30]);
    scaled::<Vec3>(4000, &[1, -7, 30]);
    scaled::<DVec2>(200, &[1, -7, 300]);
    scaled::<DVec3>(200, &[1, -7, 300]);
}

/// Reversed line: the same points, with entry and exit exchanged.
fn reversed<V: World>(cases: usize) {
    let mut hits = 0;
    for i in 0..cases {
        let Some((shape, ray)) = situation::<V>(i % V::KINDS, i as u64 + 1_000_000, 0, 0) else { continue };
        let back = Ray::new(ray.origin, -ray.direction);
        let (all, there) = (shape.cast_ray_all(&ray, Query::line()), shape.cast_ray_all(&back, Query::line()));
        let case = format!("{shape:?} {ray:?}: {all:?} {there:?}");
        // A mesh counts a line along an edge as if it were shifted infinitesimally, and the reversed line to the other
        // side.
        if shape.explain(&ray, ..).shape == "mesh" {
            assert_eq!((all.len() % 2, there.len() % 2), (0, 0), "{case}");
            continue;
        }
        hits += usize::from(!all.is_empty());
        assert_eq!(all.len(), there.len(), "{case}");
        for (k, (a, b)) in all.iter().zip(there.iter().rev()).enumerate() {
            assert_eq!(a.t, -b.t, "{case}");
            // A tangent point is one hit, an entry in both directions.
            let touched = V::is_solid(&shape) && all.len() == 1 && a.side == b.side;
            let at_corner = is_corner(a.normal, b.normal);
            assert!(touched || at_corner || alike::<V::Scalar, _>(a.normal.to_f64(), b.normal.to_f64()), "{case}: {k}");
            assert!(touched || a.side != b.side, "{case}: {k}");
        }
    }
    assert!(hits > cases / 3, "{hits} of {cases}");
}

/// The same normal or weights, for a hit of precision `S`. In `f64` they may come from another arithmetic (a Newton step
/// for ordinary sizes, else the whole kernel): then both are within 2 ulp of 1.
fn alike<S: Real, const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
    let near = if S::PRECISION == Precision::Double { 4.0 * f64::EPSILON } else { 0.0 };
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= near)
}

/// On an edge, either face may give the normal.
fn is_corner<V: Vector>(a: V, b: V) -> bool {
    let dot: f64 = a.to_xyz().iter().zip(b.to_xyz()).map(|(x, y)| x.to_f64() * y.to_f64()).sum();
    dot < 1.0 - 64.0 * V::Scalar::EPSILON.to_f64()
}

#[test]
fn the_other_way_round() {
    reversed::<Vec2>(6000);
    reversed::<Vec3>(6000);
    reversed::<DVec2>(200);
    reversed::<DVec3>(200);
}

/// Weights of `f64` triangles, from the Newton step, beside those of the same case in units of 2^300, which come from the
/// whole kernel in more digits: each is within 9 u of itself, and 4 u of 1 for the point (docs/proofs.md, Lemma 8).
#[test]
fn weights_of_triangles() {
    let (mut hits, mut largest) = (0, 0.0f64);
    for seed in 0..20_000 {
        let case = |unit: i32| {
            let mut rng = Rng::new(seed);
            let [a, b, c, origin] = [0; 4].map(|_| rng.vector::<DVec3>(Draw::Times(unit)));
            let target: DVec3 = rng.vector(Draw::Times(unit - 1));
            Triangle::new(a, b, c).ok()?.cast_ray(&Ray::new(origin, target - origin), ..)?.uv
        };
        let (Some(near), Some(far)) = (case(0), case(300)) else { continue };
        hits += 1;
        for (near, far) in near.into_iter().zip(far) {
            let unit = 0.5 * f64::EPSILON * (9.0 * far + 4.0);
            largest = largest.max((near - far).abs() / unit);
        }
    }
    assert!(hits > 2000, "{hits}");
    assert!(largest <= 1.0, "{largest}");
}
