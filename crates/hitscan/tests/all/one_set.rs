//! Boxes and ellipsoids whose axes are not quite unit vectors: every query meets the set that the axes as given define.

use hitscan::glam::Vec3;
use hitscan::{
    Basis, Capsule, Cuboid, Ellipsoid, HalfSpace, Instance, OrientedBox, OverlapQuery, Plane, PointQuery, Query, Ray,
    RayCast, Shape, Sphere, SweepQuery, Transform, Triangle, Volume,
};

/// The axes along x, y, z, the first of them longer by units in the last place.
fn stretched(ulps: f32) -> Basis<Vec3> {
    Basis::new([Vec3::X * (1.0 + ulps * f32::EPSILON), Vec3::Y, Vec3::Z]).unwrap()
}

/// The side along x is at 1000 over the length of the axis, for every query.
#[test]
fn all_queries_meet_one_box() {
    for ulps in [-7.0, -3.0, 0.0, 3.0, 7.0] {
        let side = 1000.0 / (1.0 + f64::from(ulps) * f64::from(f32::EPSILON));
        let half = Vec3::splat(1000.0);
        let solids: [&dyn Shape<Vec3>; 2] = [
            &OrientedBox::new(Vec3::ZERO, half, stretched(ulps)).unwrap(),
            &Ellipsoid::with_basis(Vec3::ZERO, half, stretched(ulps)).unwrap(),
        ];
        for shape in solids {
            let case = format!("{} {ulps}", shape.name());
            let near = |x: f32, what: &str| {
                let error = (f64::from(x) - side).abs();
                assert!(error < 4e-5, "{case} {what}: {x} is not {side}");
            };
            let ray = Ray::new(Vec3::X * 1024.0, -Vec3::X);
            near(shape.cast_ray(&ray, ..).unwrap().point.x, "ray");
            near(shape.closest_point(Vec3::X * 1024.0).unwrap().point.x, "closest point");
            near(shape.cast_sphere(&ray, 1.0, ..).unwrap().point.x, "sphere");
            let volumes: [Volume<Vec3>; 4] = [
                Cuboid::new(Vec3::X * 1024.0, Vec3::ONE).unwrap().into(),
                OrientedBox::new(Vec3::X * 1024.0, Vec3::ONE, Basis::from_direction(Vec3::ONE).unwrap())
                    .unwrap()
                    .into(),
                Capsule::new(Vec3::X * 1024.0, Vec3::new(1030.0, 5.0, 0.0), 1.0).unwrap().into(),
                Triangle::new(Vec3::X * 1024.0, Vec3::new(1030.0, 5.0, 0.0), Vec3::new(1030.0, 5.0, 5.0))
                    .unwrap()
                    .into(),
            ];
            for volume in &volumes {
                let hit = shape.cast_volume(volume, -Vec3::X, ..).unwrap();
                // Curved shapes are touched by volumes within 2^-20.
                let error = (f64::from(hit.point.x) - side).abs();
                let bound = if shape.name() == "ellipsoid" { 6e-4 } else { 6e-5 };
                assert!(error < bound, "{case} {volume:?}: {} is not {side}", hit.point.x);
            }
            // Points: the last number inside and the first one outside, by `contains` and by overlaps.
            for x in [side - 1e-4, side + 1e-4] {
                let point = Vec3::X * x as f32;
                let inside = f64::from(x as f32) < side;
                assert_eq!(shape.contains(point), inside, "{case} {x}");
                let small = Sphere::new(point, 1e-6).unwrap();
                assert_eq!(shape.overlaps(small), inside, "{case} {x}");
            }
        }
        // As the volume that moves: towards a plane, a half-space, a box, a sphere.
        let mover = OrientedBox::new(-Vec3::X * 2000.0, half, stretched(ulps)).unwrap();
        let ball = Sphere::new(Vec3::X, 1.0).unwrap();
        let turned = Transform::new([Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), Vec3::Z], Vec3::X).unwrap();
        let targets: [&dyn Shape<Vec3>; 5] = [
            &HalfSpace::new(Vec3::ZERO, -Vec3::X).unwrap(),
            &Plane::new(Vec3::ZERO, Vec3::X).unwrap(),
            &Cuboid::new(Vec3::X, Vec3::ONE).unwrap(),
            &ball,
            &Instance::<Vec3>::new(Sphere::new(Vec3::ZERO, 1.0).unwrap()).with_transform(turned),
        ];
        for target in targets {
            let hit = target.cast_volume(mover, Vec3::X, Query::new()).unwrap();
            let error = (f64::from(hit.t) - (2000.0 - side)).abs();
            assert!(error < 1e-4, "{ulps} {} {} {}", target.name(), hit.t, 2000.0 - side);
        }
    }
}
