//! The unit of length changes no answer: a power of two times all coordinates is the same scene, for every query.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Capsule, Cone, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, Instance, OrientedBox, OverlapQuery, PointQuery, Ray,
    RayCast, Real, Shape, Space, Sphere, SweepHit, SweepQuery, Transform, Vector, Volume,
};

fn power<S: Real>(exponent: i32) -> S {
    // In two steps, so that subnormal numbers are reached, too.
    let half = f64::from(exponent / 2).exp2();
    S::from_f64(half * f64::from(exponent - exponent / 2).exp2())
}

/// A placed shape, a ray, and what the queries need besides, in units of 2^unit.
struct Situation<V: World> {
    placed: Instance<V>,
    ray: Ray<V>,
    radius: V::Scalar,
    volumes: [Volume<V>; 3],
}

impl<V: World> Situation<V> {
    fn new(kind: usize, seed: u64, unit: i32) -> Option<Self> {
        let (mut rng, factor) = (Rng::new(seed), power::<V::Scalar>(unit));
        // The shape keeps its numbers. The transform moves it, and perhaps shears it.
        let shape = V::shape(kind, &mut rng, Draw::Ordinary)?;
        let axes: Vec<V> = (0..V::DIM)
            .map(|axis| {
                let mut column = [V::Scalar::ZERO; 3];
                column[axis] = V::Scalar::ONE;
                let shear: V = rng.in_cube();
                let share = if seed % 3 == 0 { 0.25 } else { 0.0 };
                (V::from_xyz(column) + shear * V::Scalar::from_f64(share)) * factor
            })
            .collect();
        let mut vector = |size: f64| -> V { rng.in_cube::<V>() * (V::Scalar::from_f64(size) * factor) };
        let transform = Transform::new(axes, vector(2.0)).ok()?;
        // Rays and volumes that are near.
        let (origin, target, half) =
            (vector(8.0), vector(3.0), vector(0.5).map(|x| if x < V::Scalar::ZERO { -x } else { x }));
        let radius = V::Scalar::from_f64(0.25) * factor;
        let volumes = [
            Capsule::new(origin, origin + half, radius).ok()?.into(),
            Cuboid::new(origin, half).ok()?.into(),
            OrientedBox::new(origin, half, hitscan::Basis::from_direction(target).ok()?).ok()?.into(),
        ];
        let ray = Ray::new(origin, target - origin);
        Some(Self { placed: Instance::new(shape).with_transform(transform), ray, radius, volumes })
    }
}

fn same_contact<V: Vector>(a: Option<SweepHit<V>>, b: Option<SweepHit<V>>, factor: V::Scalar, case: &str) {
    assert_eq!(a.is_some(), b.is_some(), "{case}: {a:?} {b:?}");
    let (Some(a), Some(b)) = (a, b) else { return };
    let mut expected = a;
    expected.distance = a.distance * factor;
    expected.center = a.center * factor;
    expected.point = a.point * factor;
    expected.depth = a.depth.map(|depth| depth * factor);
    assert_eq!(expected, b, "{case}");
}

fn check<V: World>(cases: usize, units: &[i32]) {
    let mut counts = [0; 3];
    for i in 0..cases {
        let (kind, seed) = (i % V::KINDS, i as u64);
        let Some(here) = Situation::<V>::new(kind, seed, 0) else { continue };
        for &unit in units {
            let Some(there) = Situation::<V>::new(kind, seed, unit) else { panic!("{kind} {seed} {unit}") };
            let factor = power::<V::Scalar>(unit);
            let case = format!("{:?} {:?} in units of 2^{unit}", here.placed, here.ray);
            // Rays.
            let (a, b) = (here.placed.cast_ray(&here.ray, ..), there.placed.cast_ray(&there.ray, ..));
            assert_eq!(a.map(|hit| hit.t), b.map(|hit| hit.t), "{case}");
            // Closest points.
            let (a, b) = (here.placed.closest_point(here.ray.origin), there.placed.closest_point(there.ray.origin));
            assert_eq!(
                a.map(|a| (a.point * factor, a.distance * factor, a.feature)),
                b.map(|b| (b.point, b.distance, b.feature)),
                "{case}"
            );
            // Moving spheres.
            let a = here.placed.cast_sphere(&here.ray, here.radius, ..);
            let b = there.placed.cast_sphere(&there.ray, there.radius, ..);
            counts[0] += usize::from(a.is_some());
            same_contact(a, b, factor, &case);
            // Moving volumes, and overlaps where they begin and after most of the way.
            for (here_volume, there_volume) in here.volumes.iter().zip(&there.volumes) {
                let a = here.placed.cast_volume(here_volume, here.ray.direction, ..);
                let b = there.placed.cast_volume(there_volume, there.ray.direction, ..);
                counts[1] += usize::from(a.is_some());
                same_contact(a, b, factor, &case);
                let is_overlap = here.placed.overlaps(here_volume);
                counts[2] += usize::from(is_overlap);
                assert_eq!(is_overlap, there.placed.overlaps(there_volume), "{case} {here_volume:?}");
            }
        }
    }
    println!("{counts:?}");
    assert!(counts[0] > cases / 4 && counts[1] > cases / 4 && counts[2] > cases / 40, "{counts:?}");
}

#[test]
fn no_query_depends_on_the_unit_of_length() {
    check::<Vec2>(1500, &[-36, -60, 40]);
    check::<Vec3>(1500, &[-36, -60, 40]);
    check::<DVec2>(400, &[-36, -60, 200]);
    check::<DVec3>(400, &[-36, -60, 200]);
}

/// Circles, ellipses and capsules under diag(f, f) with a gap between them of 2^-9 f.
#[test]
fn placed_circles_apart_do_not_overlap() {
    for unit in [0, -36, -60, -200, 300] {
        let f = power::<f64>(unit);
        let transform = Transform::new([DVec2::X * f, DVec2::Y * f], DVec2::ZERO).unwrap();
        let place = |shape: <DVec2 as Space>::Shape| Instance::<DVec2>::new(shape).with_transform(transform);
        let shapes = [
            place(Sphere::new(DVec2::ZERO, 1.0).unwrap().into()),
            place(Ellipsoid::new(DVec2::ZERO, DVec2::new(1.0, 2.0)).unwrap().into()),
            place(Capsule::new(DVec2::ZERO, -DVec2::X, 1.0).unwrap().into()),
        ];
        for shape in &shapes {
            let at = |gap: f64| Sphere::new(DVec2::X * f * (2.0 + gap), f).unwrap();
            assert!(!shape.overlaps(at(1.0 / 512.0)), "{shape:?}");
            assert!(shape.overlaps(at(-1.0 / 512.0)), "{shape:?}");
        }
    }
}

/// The surfaces that a moving sphere measures, from one end of the exponents to the other.
#[test]
fn moving_spheres_reach_measured_shapes_of_any_size() {
    let cast = |unit: i32| -> Vec<Option<SweepHit<DVec3>>> {
        let f = power::<f64>(unit);
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * f;
        let basis = hitscan::Basis::from_direction(DVec3::new(1.0, 2.0, -2.0)).unwrap();
        let ray = Ray::new(at(-3.0, 0.75, 0.25), at(2.0, -0.25, 0.125));
        let shapes: [&dyn Shape<DVec3>; 6] = [
            &Cylinder::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f).unwrap(),
            &Cone::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f).unwrap(),
            &Frustum::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f, 0.5 * f).unwrap(),
            &Disk::new(DVec3::ZERO, DVec3::X, f).unwrap(),
            &Ellipsoid::new(DVec3::ZERO, at(1.0, 0.75, 0.5)).unwrap(),
            &OrientedBox::new(DVec3::ZERO, at(1.0, 0.75, 0.5), basis).unwrap(),
        ];
        shapes.map(|shape| shape.cast_sphere(&ray, 0.25 * f, ..)).to_vec()
    };
    let here = cast(0);
    assert!(here.iter().all(Option::is_some), "{here:?}");
    for unit in [-900, -550, -300, 300, 520, 900] {
        for (a, b) in here.iter().zip(cast(unit)) {
            same_contact(*a, b, power(unit), &format!("{unit}"));
        }
    }
    // A direction of another length changes nothing but `t`.
    let cylinder = Cylinder::new(-DVec3::Z, DVec3::Z, 1.0).unwrap();
    for speed in [-900, -550, 0, 520, 900] {
        let direction = DVec3::new(2.0, -0.25, 0.125) * power::<f64>(speed);
        let hit = cylinder.cast_sphere(&Ray::new(DVec3::new(-3.0, 0.75, 0.25), direction), 0.25, ..).unwrap();
        assert_eq!(Some(hit.t * power::<f64>(speed)), here[0].map(|hit| hit.t), "{speed}");
        assert_eq!(Some(hit.point), here[0].map(|hit| hit.point), "{speed}");
    }
}
