//! Closest points of scenes, instances, groups and shapes of users.

use crate::support::scenes::changed_scene;
use crate::support::{Ball, Draw, Rng, Sample, World, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Capsule, ClosestPoint, ConvexPolygon, Cuboid, Cylinder, Ellipsoid, Feature, Group, HalfSpace, Instance,
    NotMeasured, Object, Plane, PointQuery, Real, Rectangle, Scene, Shape, Sphere, Transform, Triangle, TriangleMesh,
    UserShape,
};

/// The answer from all objects one by one, in the order of insertion.
fn expected<V: World>(scene: &Scene<V>, point: V, max_distance: V::Scalar) -> Option<ClosestPoint<V>> {
    let mut best: Option<ClosestPoint<V>> = None;
    for (id, object) in scene.objects() {
        let Some(mut found) = object.instance().closest_point_within(point, max_distance) else { continue };
        found.object = Some(id);
        if best.is_none_or(|best| found.distance < best.distance) {
            best = Some(found);
        }
    }
    best
}

fn check<V: World>(seed: u64) {
    for round in 0..40 {
        let mut rng = Rng::for_stream(seed, round);
        let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
        let scene = changed_scene::<V>(&mut rng, [1, 5, 60][round as usize % 3], draw);
        let (linear, snapshot) = (scene.linear_scan(), scene.snapshot());
        let some: Vec<_> = scene.objects().map(|(id, _)| id).filter(|id| id.index() % 3 == 0).collect();
        for _ in 0..40 {
            let point: V = match rng.below(4) {
                0 => rng.vector::<V>(draw) * V::Scalar::from_f64(100.0),
                1 => rng.point_in(&scene.finite_bounds()),
                _ => rng.vector(draw),
            };
            let limit = if rng.once_in(2) { V::Scalar::INFINITY } else { V::Scalar::from_f64(rng.unit()) };
            let found = scene.closest_point_within(point, limit);
            assert_eq!(found, expected(&scene, point, limit), "{point:?} {limit}");
            assert_eq!(linear.closest_point_within(point, limit), found);
            assert_eq!(snapshot.closest_point_within(point, limit), found);
            let signed = scene.signed_distance(point);
            let each = scene.objects().filter_map(|(_, object)| object.instance().signed_distance(point));
            assert_eq!(signed, each.reduce(|a, b| if b < a { b } else { a }), "{point:?}");
            assert_eq!(linear.signed_distance(point), signed);
            let is_other = |id, _: &Object<V>| !some.contains(&id);
            let rest = scene.filtered(&is_other);
            assert_eq!(scene.excluding(&some).closest_point(point), rest.closest_point(point));
            let left = rest.closest_point(point).and_then(|found| found.object);
            assert!(left.is_none_or(|id| !some.contains(&id)));
            if let Some(found) =
                scene.closest_point(point).filter(|found| found.object.is_some_and(|id| !some.contains(&id)))
            {
                assert_eq!(rest.closest_point(point), Some(found));
            }
        }
    }
}

#[test]
fn scenes_are_their_objects() {
    check::<Vec2>(1);
    check::<DVec2>(2);
    check::<Vec3>(3);
    check::<DVec3>(4);
}

#[test]
fn the_object_inserted_first_wins_a_tie() {
    let mut scene = Scene::new();
    let balls = [-3.0, 3.0, -3.0].map(|x| scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0).unwrap())).unwrap());
    assert_eq!(scene.closest_point(Vec3::ZERO).unwrap().object, Some(balls[0]));
    scene.remove(balls[0]).unwrap();
    assert_eq!(scene.closest_point(Vec3::ZERO).unwrap().object, Some(balls[1]));
    assert_eq!(Scene::<Vec3>::new().try_closest_point_within(Vec3::ZERO, f32::INFINITY), Ok(None));
}

/// A transform that rotates and scales evenly gives the answer of the shape, moved.
#[test]
fn similarities_move_the_answer() {
    let mut rng = Rng::new(5);
    let bound = |x: f64| 16.0 * f64::EPSILON * x.max(1.0);
    for _ in 0..500 {
        let (a, b) = (rng.in_cube::<DVec3>(), rng.in_cube::<DVec3>());
        let shapes: [Instance<DVec3>; 4] = [
            Instance::new(Capsule::new(a, b, 0.5).unwrap()),
            Instance::new(Cylinder::new(a, b, 0.5).unwrap()),
            Instance::new(Ellipsoid::new(a, DVec3::new(1.0, 2.0, 0.5)).unwrap()),
            Instance::new(Cuboid::new(a, DVec3::new(1.0, 2.0, 0.5)).unwrap()),
        ];
        let basis = rng.basis::<DVec3>(Draw::Ordinary).unwrap();
        let (scale, shift, point) = (rng.between(0.5, 2.0), rng.in_cube::<DVec3>(), rng.in_cube::<DVec3>() * 4.0);
        let place = |p: DVec3| basis.to_world(p * scale) + shift;
        let transform = Transform::from_basis(&basis, shift).unwrap().with_scale(DVec3::splat(scale)).unwrap();
        for shape in shapes {
            let own = shape.closest_point(point).unwrap();
            let found = shape.clone().with_transform(transform).closest_point(place(point)).unwrap();
            assert!((found.distance - own.distance * scale).abs() <= bound(4.0), "{shape:?} {point} {found:?} {own:?}");
            assert!((found.point - place(own.point)).length() <= bound(16.0), "{shape:?} {point} {found:?} {own:?}");
            assert_eq!(found.feature, own.feature);
        }
    }
}

/// A box under shear is the mesh of its faces, and a rectangle the polygon of its corners.
#[test]
fn boxes_have_answers_under_any_transform() {
    let mut rng = Rng::new(7);
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6u32]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    for round in 0..500 {
        let mut v = || rng.in_cube::<DVec3>();
        let (center, half, axes, shift) = (v(), v().abs(), [v(), v(), v()], v());
        let transform = Transform::new(axes, shift).unwrap();
        let place = |p: DVec3| axes[0] * p.x + axes[1] * p.y + axes[2] * p.z + shift;
        let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
        let at = |i: usize| place(center + half * DVec3::new(sign(i & 1), sign(i & 2), sign(i & 4)));
        let mesh = TriangleMesh::new((0..8).map(at).collect(), triangles.clone()).unwrap();
        let shape = Instance::<DVec3>::new(Cuboid::new(center, half).unwrap()).with_transform(transform);
        let point =
            if round % 2 == 0 { place(center + half * rng.in_cube::<DVec3>()) } else { rng.in_cube::<DVec3>() * 4.0 };
        let (found, other) = (shape.closest_point(point).unwrap(), mesh.closest_point(point).unwrap());
        assert!((found.distance - other.distance).abs() <= 1e-14, "{found:?} {other:?}");
        assert_eq!(shape.signed_distance(point).unwrap() < 0.0, shape.contains(point));
        // The feature names the corners that the point lies between.
        let number = match other.feature {
            Feature::Vertex(i) => Feature::Vertex(mesh.triangles()[other.primitive.unwrap() as usize][i as usize]),
            Feature::Face(_) => Feature::Face(other.primitive.unwrap() / 2),
            Feature::Edge(_) => found.feature,
        };
        assert_eq!(found.feature, number);
        let flat =
            Transform::new([DVec2::new(axes[0].x, axes[0].y), DVec2::new(axes[1].x, axes[1].y)], DVec2::ZERO).unwrap();
        let (center, half) = (DVec2::new(center.x, center.y), DVec2::new(half.x, half.y));
        let rectangle = Instance::<DVec2>::new(Rectangle::new(center, half).unwrap()).with_transform(flat);
        let corners =
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| center + half * DVec2::new(x, y));
        let polygon = Instance::<DVec2>::new(ConvexPolygon::new(corners).unwrap()).with_transform(flat);
        let point = DVec2::new(point.x, point.y);
        let (found, other) = (rectangle.closest_point(point).unwrap(), polygon.closest_point(point).unwrap());
        assert!((found.distance - other.distance).abs() <= 1e-14);
        let expected = match other.feature {
            Feature::Vertex(i) => Feature::Vertex([0, 1, 3, 2][i as usize]),
            Feature::Face(i) => Feature::Face([2, 1, 3, 0][i as usize]),
            Feature::Edge(i) => Feature::Edge(i),
        };
        assert_eq!(found.feature, expected);
    }
}

/// Placed in other units of length, the same shapes have the same answers in these units.
#[test]
fn the_unit_of_a_transform_does_not_matter() {
    let mut rng = Rng::new(8);
    let mesh = meshes::build::<DVec3>(meshes::torus(20, 10));
    for power in [-900, -300, 300, 900] {
        let factor = f64::from(power).exp2();
        let transform = Transform::identity().with_scale(DVec3::splat(factor)).unwrap();
        for _ in 0..50 {
            let (a, b, point) = (rng.in_cube::<DVec3>(), rng.in_cube::<DVec3>(), rng.in_cube::<DVec3>() * 2.0);
            let shapes: [Instance<DVec3>; 5] = [
                Instance::new(Capsule::new(a, b, 0.5).unwrap()),
                Instance::new(Cylinder::new(a, b, 0.5).unwrap()),
                Instance::new(Ellipsoid::new(a, DVec3::new(1.0, 2.0, 0.5)).unwrap()),
                Instance::new(Cuboid::new(a, DVec3::new(1.0, 2.0, 0.5)).unwrap()),
                Instance::new(mesh.clone()),
            ];
            for shape in shapes {
                let mut expected = shape.closest_point(point).unwrap();
                (expected.point, expected.distance) = (expected.point * factor, expected.distance * factor);
                let found = shape.with_transform(transform).closest_point(point * factor).unwrap();
                assert!(
                    (found.distance - expected.distance).abs() <= 4.0 * f64::EPSILON * factor,
                    "{found:?} {expected:?}"
                );
                assert!((found.point - expected.point).abs().max_element() <= 4.0 * f64::EPSILON * factor);
                assert_eq!((found.feature, found.primitive), (expected.feature, expected.primitive));
            }
        }
    }
}

/// Meshes and triangles under shear are those of the moved vertices.
#[test]
fn flat_shapes_have_answers_under_any_transform() {
    let mut rng = Rng::new(6);
    let axes = [DVec3::new(1.0, 0.25, 0.0), DVec3::new(0.5, -2.0, 0.0), DVec3::new(0.0, 0.5, 0.125)];
    let transform = Transform::new(axes, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let place = |p: DVec3| axes[0] * p.x + axes[1] * p.y + axes[2] * p.z + DVec3::new(1.0, 2.0, 3.0);
    let mesh = meshes::build::<DVec3>(meshes::torus(20, 10));
    let moved =
        TriangleMesh::new(mesh.vertices().iter().map(|&v| place(v)).collect(), mesh.triangles().to_vec()).unwrap();
    let (linear, mesh) = (Instance::new(mesh.linear_scan()), Instance::new(mesh));
    let (mesh, linear) = (mesh.with_transform(transform), linear.with_transform(transform));
    for _ in 0..300 {
        let point = rng.in_cube::<DVec3>() * 4.0;
        let (found, other) = (mesh.closest_point(point).unwrap(), moved.closest_point(point).unwrap());
        assert!((found.distance - other.distance).abs() <= 1e-14 && (found.point - other.point).length() <= 1e-13);
        assert_eq!(linear.closest_point(point), Some(found));
        let [a, b, c] = [rng.in_cube::<DVec3>(), rng.in_cube(), rng.in_cube()];
        let own = Triangle::new(place(a), place(b), place(c)).unwrap().closest_point(point).unwrap();
        let found = Instance::<DVec3>::new(Triangle::new(a, b, c).unwrap()).with_transform(transform);
        assert!((found.closest_point(point).unwrap().distance - own.distance).abs() <= 1e-14);
        let ground = Instance::<DVec3>::new(HalfSpace::new(a, b).unwrap()).with_transform(transform);
        let plane = Instance::<DVec3>::new(Plane::new(a, b).unwrap()).with_transform(transform);
        let foot = plane.closest_point(point).unwrap();
        assert!(ground.signed_distance(point).unwrap().abs() == foot.distance);
        assert!(plane.distance(foot.point).unwrap() <= 1e-14);
    }
}

#[test]
fn shapes_without_a_distance_are_not_left_out() {
    let uneven = Transform::identity().with_scale(Vec3::new(2.0, 1.0, 1.0)).unwrap();
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let silent = Instance::<Vec3>::new(UserShape::new(Ball { is_measured: false })).with_transform(uneven);
    assert!(silent.closest_point(Vec3::X * 5.0).is_none() && silent.signed_distance(Vec3::ZERO).is_none());
    let mut scene = Scene::new();
    let near =
        scene.insert(Object::new(ball).with_transform(Transform::from_translation(Vec3::X * 9.0).unwrap())).unwrap();
    scene.insert(Object::new(UserShape::new(Ball { is_measured: false })).with_transform(uneven)).unwrap();
    // The ball is closer than the box of the other.
    for scene in [&scene, &scene.linear_scan()] {
        assert_eq!(scene.closest_point(Vec3::X * 7.0).and_then(|found| found.object), Some(near));
        assert_eq!(scene.signed_distance(Vec3::X * 9.0), Some(-1.0));
        assert!(scene.closest_point(Vec3::X * 3.0).is_none());
        // Too far from its box, and near it.
        assert_eq!(scene.try_closest_point_within(Vec3::X * 3.0, 0.5), Ok(None));
        assert_eq!(scene.try_closest_point_within(Vec3::X * 3.0, 1.5), Err(NotMeasured));
        assert!(scene.signed_distance(Vec3::ZERO).is_none());
    }
}

#[test]
fn shapes_of_users_measure_if_they_can() {
    let silent = UserShape::new(Ball { is_measured: false });
    assert!(silent.closest_point(Vec3::X * 3.0).is_none());
    let ball = UserShape::new(Ball { is_measured: true });
    let found = ball.closest_point(Vec3::X * 3.0).unwrap();
    assert_eq!((found.point, found.distance, found.feature), (Vec3::X, 2.0, Feature::Face(0)));
    assert_eq!(ball.signed_distance(Vec3::Y * 0.25), Some(-0.75));
    assert!(ball.closest_point_within(Vec3::X * 3.0, 1.5).is_none());
    let twice = Transform::from_translation(Vec3::Z).unwrap().with_scale(Vec3::splat(2.0)).unwrap();
    let placed = Instance::<Vec3>::new(ball.clone()).with_transform(twice);
    let found = placed.closest_point(Vec3::Z * 5.0).unwrap();
    assert_eq!((found.point, found.distance), (Vec3::Z * 3.0, 2.0));
    let uneven = Transform::identity().with_scale(Vec3::new(1.0, 2.0, 1.0)).unwrap();
    assert!(Instance::<Vec3>::new(ball).with_transform(uneven).closest_point(Vec3::Y * 5.0).is_none());
}

#[test]
fn members_of_groups_have_their_numbers() {
    let mut pair = Scene::new();
    let near = pair.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap())).unwrap();
    let far = pair.insert(Object::new(Sphere::new(Vec3::X * 10.0, 1.0).unwrap())).unwrap();
    let pair = Group::new(pair).unwrap();
    let mut scene = Scene::new();
    scene.insert(Object::new(pair.clone())).unwrap();
    let up = Transform::from_translation(Vec3::Y * 5.0).unwrap();
    let above = scene.insert(Object::new(pair.clone()).with_transform(up)).unwrap();
    let found = scene.closest_point(Vec3::new(10.0, 8.0, 0.0)).unwrap();
    assert_eq!((found.point, found.distance, found.object), (Vec3::new(10.0, 6.0, 0.0), 2.0, Some(above)));
    assert_eq!(found.member.map(|member| pair.path(member)), Some(vec![far]));
    let found = scene.closest_point(Vec3::new(0.0, 7.0, 0.0)).unwrap();
    assert_eq!(found.member.map(|member| pair.path(member)), Some(vec![near]));
    assert_eq!(scene.signed_distance(Vec3::new(0.0, 5.25, 0.0)), Some(-0.75));
}
