//! Moving spheres that are thin beside the shapes that they measure: radius zero is the ray, and a sphere never misses what
//! its centre line pierces.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Cone, Coplanar, Inside, Instance, Query, Ray, RayCast, Real, Shape, SweepQuery, Transform, Vector};

fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

#[test]
fn a_cone_is_met_by_a_sphere_of_any_radius() {
    let cone = Cone::new(-Vec3::Z, Vec3::Z, 1.0).unwrap();
    let ray = Ray::new(Vec3::new(-1.75, 3.25, -4.0), Vec3::new(1.25, -1.5, 2.0));
    let through = cone.cast_ray(&ray, ..).unwrap();
    for exponent in 10..140 {
        let radius = power(-exponent) as f32;
        let hit = cone.cast_sphere(&ray, radius, ..).unwrap_or_else(|| panic!("2^-{exponent}"));
        assert!(hit.t <= through.t, "2^-{exponent} {hit:?} {through:?}");
        if exponent > 60 {
            assert_eq!(hit.t, through.t, "2^-{exponent}");
            assert!(hit.normal.dot(through.normal) > 0.999, "2^-{exponent} {hit:?} {through:?}");
        }
    }
}

/// A sphere is not later than the ray of its centre, and one without a measurable thickness is not earlier.
fn check<V: World>(seed: u64, cases: usize) -> usize {
    let mut count = 0;
    for round in 0..cases {
        let mut rng = Rng::for_stream(seed, round as u64);
        let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
        let Some(shape) = V::shape(round % V::KINDS, &mut rng, draw) else { continue };
        // Every third shape is sheared.
        let shear: Vec<V> = (0..V::DIM)
            .map(|axis| {
                let mut column = [V::Scalar::ZERO; 3];
                column[axis] = V::Scalar::ONE;
                V::from_xyz(column) + rng.in_cube::<V>() * V::Scalar::from_f64(0.25)
            })
            .collect();
        // A mesh is met by its vertices in the world, which are rounded.
        let is_mesh = shape.name() == "mesh";
        let transform = if rng.once_in(3) && !is_mesh { Transform::new(shear, V::default()).ok() } else { None };
        let placed = Instance::<V>::new(shape).with_transform(transform.unwrap_or_else(Transform::identity));
        let mut ray = rng.ray::<V>(draw, &placed.aabb());
        if rng.once_in(2)
            && let Some(hit) = placed.cast_ray(&ray, ..)
        {
            // Along a tangent, a little deeper.
            let along = ray.direction - hit.normal * dot(ray.direction, hit.normal);
            let into = V::Scalar::from_f64(power(-1 - rng.below(20) as i32));
            let direction = along - hit.normal * into;
            ray = Ray::new(hit.point - direction, direction);
        }
        let query = Query::new().inside(Inside::Solid);
        let through = placed.cast_ray(&ray, query);
        // A sphere touches a surface in which its ray runs.
        let touched = placed.cast_ray(&ray, query.coplanar(Coplanar::Hit));
        for exponent in [10, 20, 30, 40, 54, 60, 80, 120, i32::MAX] {
            // The last one is zero.
            let radius = V::Scalar::from_f64(power(-exponent));
            let found = placed.cast_sphere(&ray, radius, ..);
            let case = || format!("2^-{exponent} {placed:?} {ray:?} {through:?} {found:?}");
            if let Some(through) = through {
                count += 1;
                let hit = found.unwrap_or_else(|| panic!("{}", case()));
                assert!(hit.t <= through.t, "{}", case());
                if exponent >= 120 {
                    assert_eq!(Some(hit.t), touched.map(|touched| touched.t), "{}", case());
                }
            }
        }
    }
    count
}

fn dot<V: Vector>(a: V, b: V) -> V::Scalar {
    let products = a.to_xyz().into_iter().zip(b.to_xyz()).map(|(x, y)| x.to_f64() * y.to_f64());
    V::Scalar::from_f64(products.sum())
}

#[test]
fn spheres_meet_what_their_centre_pierces() {
    for count in [check::<Vec3>(1, 6000), check::<Vec2>(2, 3000), check::<DVec3>(3, 1500), check::<DVec2>(4, 1000)] {
        assert!(count > 1000, "{count}");
    }
}
