//! Boxes and ellipsoids whose axes are not quite unit vectors: every query meets the set that the axes as given define.

use crate::support::{Draw, Rng, Sample};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Basis, Capsule, Cuboid, Ellipsoid, HalfSpace, Instance, OrientedBox, OverlapQuery, Plane, PointQuery, Query, Ray,
    RayCast, Real, Shape, Space, Sphere, SweepQuery, Transform, Triangle, Volume,
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

/// A box or an ellipsoid by its numbers: where a point is relative to the surface, as the axes define it.
struct Solid<V: Space> {
    center: V,
    half: V,
    basis: Basis<V>,
    is_box: bool,
}

impl<V: Space> Solid<V> {
    /// The largest share of a half extent, or the length of the vector of all shares: 1 on the surface.
    fn level(&self, point: V) -> f64 {
        let [at, center, half] = [point, self.center, self.half].map(|v| v.to_xyz().map(Real::to_f64));
        let shares = self.basis.axes().iter().zip(half).map(|(axis, half)| {
            let axis = axis.to_xyz().map(Real::to_f64);
            (0..V::DIM).map(|k| axis[k] * (at[k] - center[k])).sum::<f64>() / half
        });
        if self.is_box {
            shares.fold(0.0, |most: f64, share| most.max(share.abs()))
        } else {
            shares.map(|share| share * share).sum::<f64>().sqrt()
        }
    }
}

/// Bases whose axes have lengths that differ from 1, and every query along each of their axes: one surface for all.
fn one_surface<V: Space>(seed: u64)
where
    Volume<V>: From<Cuboid<V>> + From<Sphere<V>>,
{
    let real = V::Scalar::from_f64;
    let eps = V::Scalar::EPSILON.to_f64();
    let mut count = 0;
    for round in 0..1000 {
        let mut rng = Rng::for_stream(seed, round);
        let Some(basis) = rng.basis::<V>(Draw::Ordinary) else { continue };
        let stretch = |axis: &V, rng: &mut Rng| *axis * real(1.0 + f64::from(rng.below(15) as i32 - 7) * eps);
        let axes: Vec<V> = basis.axes().iter().map(|axis| stretch(axis, &mut rng)).collect();
        let Ok(basis) = Basis::new(&axes) else { continue };
        let center: V = rng.in_cube();
        let half = rng.in_cube::<V>().map(|x| real(750.0) + x * real(250.0));
        for is_box in [true, false] {
            let solid = Solid { center, half, basis, is_box };
            let oriented = OrientedBox::new(center, half, basis).unwrap();
            let ellipsoid = Ellipsoid::with_basis(center, half, basis).unwrap();
            let shape: &dyn Shape<V> = if is_box { &oriented } else { &ellipsoid };
            for axis in &axes {
                // A ray along the axis, a little aside.
                let origin = center + *axis * real(4000.0) + rng.in_cube::<V>() * real(100.0);
                let ray = Ray::new(origin, -*axis);
                let hit = shape.cast_ray(&ray, ..).unwrap();
                let case = format!("{} {center:?} {half:?} {basis:?} {ray:?} {hit:?}", shape.name());
                let near = |point: V, bound: f64, what: &str| {
                    let level = solid.level(point);
                    assert!((level - 1.0).abs() <= bound, "{what}: {level} {point:?} {case}");
                };
                near(hit.point, 4.0 * eps, "ray");
                let beside = hit.point + hit.normal * real(64.0);
                near(shape.closest_point(beside).unwrap().point, 4.0 * eps, "closest point");
                near(shape.cast_sphere(&ray, real(8.0), ..).unwrap().point, 4.0 * eps, "sphere");
                // Curved shapes are touched within 2^-20.
                let bound = if is_box { 4.0 * eps + 2f64.powi(-44) } else { 4.0 * 2f64.powi(-20) };
                let cube = Cuboid::new(beside, V::splat(real(8.0))).unwrap();
                near(shape.cast_volume(cube, -hit.normal, ..).unwrap().point, bound, "volume");
                // Just inside and outside; overlaps are measured, within 2^-44.
                for (sign, is_inside) in [(-1.0, true), (1.0, false)] {
                    let beside = |share: f64| hit.point + hit.normal * real(sign * share * 1000.0);
                    assert_eq!(shape.contains(beside(16.0 * eps)), is_inside, "{case}");
                    let small = Sphere::new(beside(16.0 * eps + 2f64.powi(-42)), real(eps * eps)).unwrap();
                    assert_eq!(shape.overlaps(small), is_inside, "{case}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn all_queries_meet_one_surface() {
    one_surface::<Vec2>(1);
    one_surface::<Vec3>(2);
    one_surface::<DVec2>(3);
    one_surface::<DVec3>(4);
}
