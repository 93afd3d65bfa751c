//! Batches at scenes of large meshes and other objects: the same answers, bit for bit, as single rays.

use crate::support::{Draw, Rng, Sample, meshes, rounds};
use hitscan::glam::{DVec3, Quat, Vec3};
use hitscan::{
    Cuboid, Faces, HalfSpace, Instance, Object, Query, RangedRay, Ray, RayCast, RayLike, Real, Scene, Segment, Shape,
    Space, Sphere, Transform, TriangleMesh, Vector3,
};
use std::sync::Arc;

fn same<R: RayLike<Vec3> + core::fmt::Debug>(scene: &Scene<Vec3>, rays: &[R], query: Query<f32>) {
    let (hits, any) = (scene.cast_rays(rays, query), scene.intersects_rays(rays, query));
    for ((ray, hit), any) in rays.iter().zip(hits).zip(any) {
        assert_eq!(hit, scene.cast_ray(ray, query), "{ray:?} {query:?}");
        assert_eq!(any, hit.is_some(), "{ray:?} {query:?}");
    }
}

fn check(scene: &Scene<Vec3>, rng: &mut Rng) {
    check_with(scene, rounds(1500), rng);
}

/// Batches of `count` rays beside single rays.
fn check_with(scene: &Scene<Vec3>, count: usize, rng: &mut Rng) {
    let bounds = scene.finite_bounds();
    let mut rays: Vec<Ray<Vec3>> = (0..count / 2).map(|_| rng.ray(Draw::Ordinary, &bounds)).collect();
    // From one place, and along the axes through lattice points: these start on surfaces and cross edges.
    let eye = bounds.center() + Vec3::new(0.1, 0.2, 3.0);
    rays.extend((0..count / 4).map(|_| Ray::new(eye, rng.in_cube::<Vec3>() - eye)));
    rays.extend((0..count / 4).map(|_| {
        let place = (rng.in_cube::<Vec3>() * 4.0).round() * 0.5;
        Ray::new(place, rng.pick(&[Vec3::X, -Vec3::Y, Vec3::Z]))
    }));
    rays.extend([Ray::new(Vec3::NAN, Vec3::X), Ray::new(Vec3::ZERO, Vec3::ZERO)]);
    let segments: Vec<_> = rays.iter().map(|ray| Segment::new(ray.origin, ray.at(0.7))).collect();
    let mut ranged = |masks: &[u32]| -> Vec<_> {
        let end = |rng: &mut Rng| rng.pick(&[-1.0, 0.0, 0.4, 2.0, f32::INFINITY, f32::NAN]);
        let mut one = |ray: &Ray<Vec3>| RangedRay::new(*ray, end(rng).min(0.5), end(rng)).layers(rng.pick(masks));
        rays.iter().map(&mut one).collect()
    };
    let (all, some) = (ranged(&[u32::MAX]), ranged(&[1, 2, 3]));
    for query in [Query::new(), Query::line(), Query::from(0.1..=0.9).faces(Faces::Front), Query::new().layers(2)] {
        same(scene, &rays, query);
        same(scene, &segments, query);
        same(scene, &all, query);
        same(scene, &some, query);
    }
}

#[test]
fn batches_at_meshes_among_other_objects() {
    let mut rng = Rng::new(1);
    let ball: Arc<TriangleMesh<Vec3>> = Arc::new(meshes::build(meshes::icosphere(3)));
    let hall: TriangleMesh<Vec3> = meshes::build(meshes::hall());
    let add = |scene: &mut Scene<Vec3>, object: Object<Vec3>| scene.insert(object).unwrap();

    let mut scene = Scene::new();
    add(&mut scene, Object::new(ball.clone()));
    add(&mut scene, Object::new(Cuboid::new(Vec3::ZERO, Vec3::splat(0.5)).unwrap()));
    check(&scene, &mut rng);
    // The same mesh twice: each hit is a tie, which the one inserted first wins.
    let twin = add(&mut scene, Object::new(ball.clone()).on_layers(3));
    add(&mut scene, Object::new(Sphere::new(Vec3::X, 0.25).unwrap()));
    check(&scene, &mut rng);
    scene.commit();
    check(&scene, &mut rng);
    add(&mut scene, Object::new(hall).with_faces(Faces::Back));
    add(&mut scene, Object::new(HalfSpace::new(Vec3::Y * -3.0, Vec3::Y).unwrap()));
    check(&scene, &mut rng);
    let snapshot = scene.snapshot();
    scene.remove(twin).unwrap();
    add(&mut scene, Object::new(ball.clone()).as_trigger());
    check(&scene, &mut rng);
    check(&snapshot, &mut rng);
    // Only meshes, and then more of them than get a batch each.
    let mut scene = Scene::new();
    for count in 1..=6 {
        add(&mut scene, Object::new(ball.clone()));
        if count != 1 && count != 5 {
            check(&scene, &mut rng);
        }
    }
}

/// Transforms that turn, mirror, shear, flatten, and move far away; a quarter turn has numbers that are only almost zero.
fn transforms(rng: &mut Rng) -> Vec<Transform<Vec3>> {
    let turned = |axes: [Vec3; 3], to: Vec3| Transform::new(axes, to).unwrap();
    let axes = |q: Quat| [q * Vec3::X, q * Vec3::Y, q * Vec3::Z];
    let mut any = || rng.in_cube::<Vec3>();
    let turn = axes(Quat::from_axis_angle(any().normalize(), 2.0));
    vec![
        turned(turn, any()),
        turned([turn[0] * 0.5, turn[1] * -2.0, turn[2]], any()),
        turned(axes(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2)), any()),
        turned([Vec3::Y, -Vec3::X, Vec3::Z], Vec3::new(1.0, 2.0, -0.5)),
        turned([any(), any(), any()], any()),
        turned([turn[0], turn[1], turn[2] * 1e-5], any()),
        turned([turn[0], turn[1], turn[0] + turn[1] * 1e-7 + turn[2] * 1e-12], any()),
        turned(turn, any() * 1e5),
        turned(turn.map(|axis| axis * 1e-6), any()),
    ]
}

/// A placed mesh gets batches as streams. Beside the same instance without a BVH and `f32` filter.
#[test]
fn batches_at_placed_meshes() {
    let mut rng = Rng::new(2);
    let torus: TriangleMesh<Vec3> = meshes::build(meshes::torus(24, 12));
    let (scan, torus) = (Arc::new(torus.linear_scan()), Arc::new(torus));
    let mut found = 0;
    for transform in transforms(&mut rng) {
        let slow = Instance::<Vec3>::new(scan.clone()).with_transform(transform);
        let bounds = slow.aabb();
        let eye = bounds.center() + bounds.half_extents() * Vec3::new(1.5, 1.2, 2.0);
        let mut rays: Vec<Ray<Vec3>> = (0..48).map(|_| Ray::new(eye, rng.point_in(&bounds) - eye)).collect();
        rays.extend((0..24).map(|_| Ray::new(rng.point_in(&bounds), rng.in_cube())));
        rays.extend((0..12).map(|i| Ray::new(rng.point_in(&bounds), Vec3::AXES[i % 3])));
        let placed = Instance::<Vec3>::new(torus.clone()).with_transform(transform);
        for (ray, hit) in rays.iter().zip(placed.cast_rays(&rays, ..)) {
            assert_eq!(hit, slow.cast_ray(ray, ..), "{transform:?} {ray:?}");
            found += usize::from(hit.is_some());
        }
        // Among others: the same mesh without a transform, and a ball.
        let mut scene = Scene::new();
        scene.insert(Object::new(torus.clone()).with_transform(transform)).unwrap();
        scene.insert(Object::new(torus.clone())).unwrap();
        scene.insert(Object::new(Sphere::new(Vec3::X, 0.5).unwrap())).unwrap();
        check_with(&scene, rounds(300), &mut rng);
    }
    assert!(found > 120, "{found}");
}

/// Lists, counts and spans of placed meshes, of ranges before, around and behind the origin of the ray. Beside the same instance
/// without a BVH and `f32` filter, where exact arithmetic decides each triangle.
fn check_lists<V: Vector3 + Space>(transform: Transform<V>, rng: &mut Rng)
where
    V::Shape: From<Arc<TriangleMesh<V>>>,
{
    let torus: TriangleMesh<V> = meshes::build(meshes::torus(8, 5));
    let slow = Instance::<V>::new(Arc::new(torus.linear_scan())).with_transform(transform);
    let placed = Instance::<V>::new(Arc::new(torus)).with_transform(transform);
    let bounds = slow.aabb();
    let number = |x: f64| V::Scalar::from_f64(x);
    for i in 0..rounds(18) {
        // Through the mesh from inside its box, every third time along an axis.
        let mut along = [number(0.0); 3];
        along[i % 9 / 3] = number(1.0);
        let ray = Ray::new(rng.point_in(&bounds), if i % 3 == 0 { V::from_xyz(along) } else { rng.in_cube() });
        let ranges = [Query::new(), Query::line(), Query::new().range(number(-2.0), number(0.5))];
        for query in ranges.into_iter().flat_map(|query| [query, query.faces([Faces::Front, Faces::Back][i % 2])]) {
            let case = format!("{transform:?} {ray:?} {query:?}");
            let all = slow.cast_ray_all(&ray, query);
            assert_eq!(placed.cast_ray_all(&ray, query), all, "{case}");
            assert_eq!(placed.count_hits(&ray, query), all.len(), "{case}");
            assert_eq!(placed.cast_ray_first(&ray, query, 2)[..], all[..all.len().min(2)], "{case}");
            assert_eq!(placed.spans(&ray, query), slow.spans(&ray, query), "{case}");
        }
        assert_eq!(placed.contains(ray.origin), slow.contains(ray.origin), "{transform:?} {ray:?}");
    }
}

#[test]
fn lists_of_placed_meshes() {
    let mut rng = Rng::new(3);
    for transform in transforms(&mut rng) {
        check_lists(transform, &mut rng);
        let axes: Vec<DVec3> = transform.axes().iter().map(|axis| axis.as_dvec3()).collect();
        check_lists(Transform::new(&axes, transform.translation().as_dvec3()).unwrap(), &mut rng);
    }
}
